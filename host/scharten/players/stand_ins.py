"""How the computer plays as a registered player: with their scatter, and a level that errs as they do. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from scharten.game.basics import MutableJson
from scharten.play.levels import LEVELS

LEAST_DARTS: Final = 50
"""Fewer darts measure the prior rather than the hand."""
LEAST_TURNS: Final = 100
"""Fewer reviewed turns tell too little of a head."""
BANDS: Final = (((1,), 5.94), ((2,), 4.27), ((3, 4, 5), 2.93), ((6, 7, 8, 9, 10), 0.59))
"""Levels, and the points that they give away in a hundred turns by the review (`make bench ARGS=heads`).

The bench does not tell the levels of a band apart. Levels 8 to 10 are not measured; they search deeper than 6 and 7.
"""


def stand_in(player: MutableJson, head: MutableJson | None) -> MutableJson:
    """Return hand and head by which the computer plays as this player of the overview.

    `mm` is null with fewer than `least` darts. `level_by` is `head` where reviews measured it, else `hand`.
    """
    scatter = player["scatter"]
    reviewed = head is not None and head["turns"] >= LEAST_TURNS
    measured = scatter["darts"] >= LEAST_DARTS
    band = band_of(head["points"]) if head is not None and reviewed else tuple(LEVELS)
    return {
        "id": player["id"],
        "name": player["name"],
        "darts": scatter["darts"],
        "least": LEAST_DARTS,
        "mm": round(float(scatter["mm"]), 1) if measured else None,
        "level": nearest(scatter["mm"], band),
        "level_by": "head" if reviewed else "hand",
    }


def band_of(points: float) -> tuple[int, ...]:
    """Return the levels that give away nearly this many points in a hundred turns."""
    return min(BANDS, key=lambda band: abs(band[1] - points))[0]


def nearest(mm: float, levels: Iterable[int]) -> int:
    """Return the level of these whose darts scatter nearly as much."""
    return min(levels, key=lambda level: abs(LEVELS[level].scatter.mm - mm))
