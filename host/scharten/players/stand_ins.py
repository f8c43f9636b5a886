"""How the computer plays as a registered player: with their scatter, and the level nearest to it. Pure."""

from __future__ import annotations

from typing import Final

from scharten.game.basics import MutableJson
from scharten.play.levels import LEVELS

LEAST_DARTS: Final = 50
"""Fewer darts measure the prior rather than the hand."""


def stand_in(player: MutableJson) -> MutableJson:
    """Return hand and head by which the computer plays as this player of the overview.

    `mm` is null with fewer than `least` darts.
    """
    scatter = player["scatter"]
    measured = scatter["darts"] >= LEAST_DARTS
    return {
        "id": player["id"],
        "name": player["name"],
        "darts": scatter["darts"],
        "least": LEAST_DARTS,
        "mm": round(float(scatter["mm"]), 1) if measured else None,
        "level": level_of_hand(scatter["mm"]),
        "level_by": "hand",
    }


def level_of_hand(mm: float) -> int:
    """Return the level whose darts scatter nearly as much."""
    return min(LEVELS, key=lambda level: abs(LEVELS[level].scatter.mm - mm))
