"""The odds of a key's dart at a scatter: the best aim, and the chance that the dart is there."""

from __future__ import annotations

from typing import Any

from scharten.dartboard.beds import ALL_BEDS
from scharten.game.basics import Drop, move_from_text
from scharten.games.scharten.board import bed_of, parse_field
from scharten.play.scatter import Scatter
from scharten.problems.boards import action_from
from scharten.problems.line import Opened


def beds_of(found: Opened, position: Any, turn: str, white_sits_at: int) -> tuple[str, ...]:
    """Return the beds that play this turn; nothing where it needs no dart."""
    if not found.board.dart(position, turn):
        return ()
    action = action_from(turn)
    if isinstance(action, Drop):
        at = parse_field(action.field)
        return () if at is None else (str(bed_of(at, white_sits_at)),)
    aim = found.game.throws.aim(position, found.options, move_from_text(turn)) if found.game.throws else None
    return aim.beds if aim else ()


def odds(beds: tuple[str, ...], scatter_mm: float) -> dict[str, float]:
    """Return the best aim in mm and the chance to hit one of the beds, at this scatter."""
    import numpy as np

    from scharten.play.throwing import BED_INDEX, throw_model

    model = throw_model(Scatter(scatter_mm, scatter_mm))
    worth = np.zeros(len(ALL_BEDS))
    for bed in ALL_BEDS:
        worth[BED_INDEX[bed]] = str(bed) in beds
    (x_mm, y_mm), chance = model.best(worth)
    return {"x_mm": round(x_mm, 1), "y_mm": round(y_mm, 1), "hit": round(chance, 3), "scatter_mm": scatter_mm}
