"""The archive's tables; the migrations give PostgreSQL further indexes for its searches."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()
GAMES = Table(
    "games",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("club", String(32), nullable=False),
    Column("board", String(32), nullable=False),
    Column("match", String(64), nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("started_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger, nullable=False),
    Column("game", String(32), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("white", String(40), nullable=False),
    Column("black", String(40), nullable=False),
    Column("white_key", String(16)),
    Column("black_key", String(16)),
    Column("result", String(8)),
    Column("reason", String(40)),
    Column("turns", Integer, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("record", Text, nullable=False),
    UniqueConstraint("club", "board", "match", name="one_game_once"),
    Index("games_by_time", "started_ms"),
)
GONE = Table(
    "gone",
    METADATA,
    Column("club", String(32), primary_key=True),
    Column("player", String(16), primary_key=True),
)
POSITIONS = Table(
    "positions",
    METADATA,
    Column("game", Integer, ForeignKey("games.id", ondelete="CASCADE"), primary_key=True),
    Column("turn", Integer, primary_key=True),
    Column("position", String(300), nullable=False),
    Column("started_ms", BigInteger, nullable=False),
    Index("games_by_position", "position", "started_ms", "game"),
)
