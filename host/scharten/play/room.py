"""The darts that the pieces to come need: the fuller the zone, the more darts miss its free fields."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from scharten.games.scharten.board import THROWS, Field, bed_of
from scharten.games.scharten.geometry import LIGHT, scan
from scharten.play.evaluate import DartsNeeded
from scharten.play.scatter import Scatter
from scharten.play.throwing import BED_INDEX, throw_model, values_of

_LEAST: Final = 0.05
"""The lowest chance in the estimate: nobody throws at one double for a whole game."""


@lru_cache(maxsize=8)
def darts_needed(scatter: Scatter, zone: int, white_sits_at: int) -> DartsNeeded:
    """Return the darts needed in a zone. Every dart is aimed surest; a move that makes room counts as a dart."""
    chances = _chances(scatter, zone, white_sits_at)
    rows = [[0.0] * len(chances)]
    for _ in range(THROWS):
        row = [1 / chance + rows[-1][max(room - 1, 0)] for room, chance in enumerate(chances)]
        for room in reversed(range(len(row) - 1)):
            row[room] = min(row[room], 1 + row[room + 1])
        rows.append(row)
    return tuple(tuple(row) for row in reversed(rows))


def _chances(scatter: Scatter, zone: int, white_sits_at: int) -> list[float]:
    """Return the highest chance to hit a free field, by the free singles: the likeliest ones fill first."""
    model = throw_model(scatter)
    chances: list[float] = []
    beds = {at: bed_of(Field(at), white_sits_at) for at in scan(zone)}
    singles = set(scan(zone & LIGHT))
    while True:
        aim, chance = model.best(values_of(dict.fromkeys(beds.values(), 1.0), 0.0))
        chances.insert(0, max(chance, _LEAST))
        if not singles:
            return chances
        odds = model.odds_of(aim)
        filled = max(sorted(singles), key=lambda at: odds[BED_INDEX[beds[at]]])
        singles.remove(filled)
        del beds[filled]
