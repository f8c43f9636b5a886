"""The names and scatters of the players whose openings are counted."""

from __future__ import annotations

from scharten.openings.table import LEVEL
from scharten.play.levels import LEVELS
from scharten.players.book import PlayerBook


def names_and_scatters(book: PlayerBook | None, *, scatter: bool) -> tuple[dict[str, str], dict[str, float]]:
    """Return the registered players' names by id, and with `scatter` theirs and the levels' scatters in mm.

    A player without darts has no scatter.
    """
    names = {} if book is None else {player.id: player.profile.name for player in book.players()}
    if not scatter:
        return names, {}
    known = (
        {}
        if book is None
        else {
            str(row["id"]): float(row["scatter"]["mm"]) for row in book.overview() if row["scatter"]["darts"]
        }
    )
    levels = {f"{LEVEL}{number}": level.scatter.mm for number, level in LEVELS.items()}
    return names, {**levels, **known}
