"""The ten levels of the computer: how far it looks, how often it errs, how badly it throws, how long it thinks."""

from __future__ import annotations

from typing import Final, NamedTuple

from scharten.play.throwing import Scatter


class Level(NamedTuple):
    """`error` as in `choose.Thinker`; `seconds` is the most for one turn."""

    depth: int
    error: float
    scatter: Scatter
    seconds: float


LEVELS: Final = {
    1: Level(1, 450, Scatter(60, 60), 1.0),
    2: Level(1, 300, Scatter(50, 50), 1.0),
    3: Level(1, 200, Scatter(42, 42), 1.0),
    4: Level(1, 130, Scatter(36, 36), 1.0),
    5: Level(1, 75, Scatter(30, 30), 1.0),
    6: Level(2, 75, Scatter(25, 25), 1.5),
    7: Level(2, 35, Scatter(20, 20), 1.5),
    8: Level(2, 0, Scatter(16, 15), 2.0),
    9: Level(3, 0, Scatter(12, 10), 3.0),
    10: Level(40, 0, Scatter(9, 7), 4.0),
}
