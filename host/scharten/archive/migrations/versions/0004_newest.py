"""The time of a position's game beside it, so that the newest games of an opening are found without the others."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Take the times from the games."""
    op.drop_index("games_by_position", "positions")
    op.add_column("positions", Column("started_ms", BigInteger))
    op.execute(
        "UPDATE positions SET started_ms = games.started_ms FROM games WHERE games.id = positions.game"
    )
    op.alter_column("positions", "started_ms", nullable=False)
    op.create_index("games_by_position", "positions", ["position", "started_ms", "game"])
