"""Indexes for searches by player and club in an archive of many games."""

from __future__ import annotations

from alembic import op
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the indexes; those of parts of names need the extension pg_trgm, which PostgreSQL brings."""
    for side in ("white", "black"):
        op.create_index(f"games_by_{side}_key", "games", [f"{side}_key"])
    op.create_index("games_by_club", "games", ["club", "started_ms"])
    connection = op.get_bind()
    try:
        with connection.begin_nested():
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS pg_trgm"))
    except DBAPIError:  # the account may not: a search by part of a name then reads every game
        return
    for side in ("white", "black"):
        op.create_index(
            f"games_by_{side}_name",
            "games",
            [side],
            postgresql_using="gin",
            postgresql_ops={side: "gin_trgm_ops"},
        )
