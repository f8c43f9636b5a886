"""The time of a position's game beside it, so that the newest games of an opening are found without the others."""

from __future__ import annotations

from alembic import op

from scharten.archive.upgrade import copy_positions

revision = "0004"
down_revision = "0003a"


def upgrade() -> None:
    """Fill the copy while nobody else writes positions, then put it in their place."""
    op.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
    op.execute("LOCK TABLE positions IN SHARE ROW EXCLUSIVE MODE")
    copy_positions(op.get_context().config)
    op.drop_table("positions")
    op.rename_table("positions_by_time", "positions")
    for made, name in (
        ("positions_by_time_pkey", "positions_pkey"),
        ("by_position_and_time", "games_by_position"),
    ):
        op.execute(f"ALTER INDEX {made} RENAME TO {name}")
    op.create_foreign_key("positions_game_fkey", "positions", "games", ["game"], ["id"], ondelete="CASCADE")
