"""The ten levels of the computer: depth, errors, scatter of darts, and time."""

from __future__ import annotations

from typing import Final, NamedTuple

from scharten.play.scatter import Scatter

EXACT_FROM: Final = 8
"""The lowest level that plays by endgame tables."""

THROWN_DEPTH: Final = 3
"""While pieces are to come, levels from `AHEAD_FROM` search at least this deep: the answer, and what it allows."""
AHEAD_FROM: Final = 3


class Level(NamedTuple):
    """`depth`, `error` and `positions` as in `choose.Thinker`; `seconds` is the most for one turn.

    The limit of positions makes a level equally strong on every machine; the seconds are for slow machines.
    From level to level positions double and the error falls by a third, so that levels differ at half the depth too.
    The highest level has a small error, which varies the choice among equal turns and so the games.
    """

    depth: int
    error: float
    scatter: Scatter
    positions: int
    seconds: float


LEVELS: Final = {
    1: Level(1, 450, Scatter(60, 60), 62, 1.0),
    2: Level(1, 300, Scatter(50, 50), 125, 1.0),
    3: Level(1, 200, Scatter(42, 42), 250, 1.0),
    4: Level(1, 130, Scatter(36, 36), 500, 1.0),
    5: Level(1, 85, Scatter(30, 30), 1_000, 1.0),
    6: Level(2, 55, Scatter(25, 25), 2_000, 1.5),
    7: Level(2, 35, Scatter(20, 20), 4_000, 1.5),
    8: Level(3, 23, Scatter(16, 15), 8_000, 2.0),
    9: Level(4, 15, Scatter(12, 10), 16_000, 3.0),
    10: Level(40, 10, Scatter(9, 7), 32_000, 4.0),
}
