"""Table of deleted players, so that no later message restores a name."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "gone",
        sa.Column("club", sa.String(32), primary_key=True),
        sa.Column("player", sa.String(16), primary_key=True),
    )
