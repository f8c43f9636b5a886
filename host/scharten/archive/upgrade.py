"""Create or upgrade the tables of PostgreSQL. A large archive takes minutes: in parts, with reports."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from sqlalchemy import text
from sqlalchemy.engine import Connection, Engine

Report = Callable[[str, int], object]
"""Receives a stage of an upgrade (`waits`, `copies` or `indexes`), and how many percent of the games are copied."""
GAMES_AT_ONCE = 2000
"""Games that one transaction copies: it takes about a second."""
REPORT_S = 10.0
_CONNECTION, _COPIER, _REPORT = "connection", "copier", "report"
LOCK: Final = "73636861"
"""The number of PostgreSQL's advisory lock."""
_NOTICE_END = """
    SELECT set_config('client_connection_check_interval', '2s', false)
    WHERE current_setting('server_version_num')::int >= 140000
"""
"""PostgreSQL otherwise finishes the statement of a program that was killed, and the next start waits for that."""
_COPY = """
    INSERT INTO positions_by_time (game, turn, position, started_ms)
    SELECT p.game, p.turn, p.position, g.started_ms FROM positions p JOIN games g ON g.id = p.game
    WHERE p.game > :last AND p.game <= :end
"""
_INDEXES = {
    "positions_by_time_pkey": "ALTER TABLE positions_by_time ADD PRIMARY KEY (game, turn)",
    "by_position_and_time": "CREATE INDEX by_position_and_time ON positions_by_time (position, started_ms, game)",
}


def upgrade(engine: Engine, report: Report, revision: str = "head") -> None:
    """Upgrade the tables, each migration in a transaction of its own; wait for another program that does."""
    migrated = Config()
    migrated.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with (
        engine.connect().execution_options(isolation_level="AUTOCOMMIT") as copier,
        engine.connect() as connection,
    ):
        copier.detach()  # so that its end frees the lock
        copier.execute(text(_NOTICE_END))
        if not copier.execute(text(f"SELECT pg_try_advisory_lock({LOCK})")).scalar():
            report("waits", 0)
            copier.execute(text(f"SELECT pg_advisory_lock({LOCK})"))
        migrated.attributes.update({_CONNECTION: connection, _COPIER: copier, _REPORT: report})
        command.upgrade(migrated, revision)


def copy_positions(migrated: Config | None) -> None:
    """Copy the positions with the times of their games, from where an earlier start was killed, and index them."""
    assert migrated is not None
    copier: Connection = migrated.attributes[_COPIER]
    report: Report = migrated.attributes[_REPORT]
    last, every = (
        copier.execute(text(f"SELECT coalesce(max(game), 0) FROM {table}")).scalar_one()
        for table in ("positions_by_time", "positions")
    )
    reported_s = 0.0
    while last < every:
        if time.monotonic() - reported_s >= REPORT_S:
            report("copies", 100 * last // every)
            reported_s = time.monotonic()
        copier.execute(text(_COPY), {"last": last, "end": last + GAMES_AT_ONCE})
        last += GAMES_AT_ONCE
    query = text("SELECT indexname FROM pg_indexes WHERE tablename = 'positions_by_time'")
    missing = _INDEXES.keys() - set(copier.execute(query).scalars())
    if every and missing:
        report("indexes", 100)
    for name in sorted(missing):
        copier.execute(text(_INDEXES[name]))
    copier.execute(text("ANALYZE positions_by_time"))
