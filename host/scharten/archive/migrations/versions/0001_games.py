"""Games and their positions."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "games",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("club", sa.String(32), nullable=False),
        sa.Column("board", sa.String(32), nullable=False),
        sa.Column("match", sa.String(64), nullable=False),
        sa.Column("last", sa.BigInteger, nullable=False),
        sa.Column("started_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_ms", sa.BigInteger, nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("white", sa.String(40), nullable=False),
        sa.Column("black", sa.String(40), nullable=False),
        sa.Column("white_key", sa.String(16)),
        sa.Column("black_key", sa.String(16)),
        sa.Column("result", sa.String(8)),
        sa.Column("reason", sa.String(40)),
        sa.Column("turns", sa.Integer, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.UniqueConstraint("club", "board", "match", name="one_game_once"),
    )
    op.create_index("games_by_time", "games", ["started_ms"])
    op.create_table(
        "positions",
        sa.Column("game", sa.Integer, sa.ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("turn", sa.Integer, primary_key=True),
        sa.Column("position", sa.String(300), nullable=False),
    )
    op.create_index("games_by_position", "positions", ["position"])
