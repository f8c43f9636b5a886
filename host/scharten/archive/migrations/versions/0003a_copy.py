"""An empty table for the positions with the time of their game; a version of before then refuses the database."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003a"
down_revision = "0003"


def upgrade() -> None:
    """Make the table that the next migration fills: without keys and indexes, which would slow that down."""
    op.create_table(
        "positions_by_time",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("position", sa.String(300), nullable=False),
        sa.Column("started_ms", sa.BigInteger, nullable=False),
    )
