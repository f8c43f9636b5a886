"""The games, each a value that the referee is given: the table is in `table.py`."""

from collections.abc import Mapping

from scharten.game.protocol import AnyGame

GAMES: tuple[AnyGame, ...]
GAMES_BY_KEY: Mapping[str, AnyGame]


def __getattr__(name: str) -> object:
    """Load the table on its first use: a package's game imports from here before it can be in the table."""
    if name not in ("GAMES", "GAMES_BY_KEY"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from scharten.games import table  # noqa: PLC0415

    return getattr(table, name)
