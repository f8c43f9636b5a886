"""Advice on the dart that is due: the safest aim, the best aim, and the cost of each field.

In Scharten the search values every field; in games with a dart for a move, all hits have the same value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from scharten.dartboard.beds import ALL_BEDS, Bed
from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import LostDart, Move, MutableJson
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame, Throws
from scharten.games.scharten.board import parse_field
from scharten.games.scharten.position import Position, after_lost_dart, after_placement
from scharten.games.scharten.turns import Turns
from scharten.play.evaluate import AT_STAKE, MATE
from scharten.play.scatter import Scatter
from scharten.play.search import Darts, OutOfTimeError, Search
from scharten.play.throwing import BED_INDEX, Floats, ThrowModel, aim_words, throw_model

DEEPEST: Final = 3
"""The depth of the search after the dart, in turns, if there is time."""

EQUALLY_SURE: Final = 1e-5
"""Aims whose chances differ by less are equally sure."""


@dataclass(frozen=True, slots=True)
class ScoredAim:
    """A point in mm, the chance that the dart counts there, and the expected value in pawns, if known."""

    x_mm: float
    y_mm: float
    placed: float
    value: float | None

    def as_json(self) -> MutableJson:
        """Return JSON with English `words`, and `bed` and `part` for a page's own words."""
        words = aim_words(self.x_mm, self.y_mm)
        part = next((part for part in ("outer", "inner") if f"the {part} part" in words), "middle")
        return {
            "x_mm": round(self.x_mm, 1),
            "y_mm": round(self.y_mm, 1),
            "bed": str(bed_at(self.x_mm, self.y_mm)),
            "part": part,
            "words": words,
            "placed": round(self.placed, 3),
            "lost": round(1 - self.placed, 3),
            "value": None if self.value is None else round(self.value, 2),
        }


@dataclass(frozen=True, slots=True)
class FieldAdvice:
    """A field on which the dart may place a piece: the chance to hit it, and the aim with that chance.

    `worth` is the value of a piece there, `cost` the loss against the best aim, both in pawns.
    """

    bed: Bed
    field: str
    hit: float
    aim: ScoredAim
    worth: float | None
    cost: float

    def as_json(self) -> MutableJson:
        """Return JSON."""
        own = {
            "bed": str(self.bed),
            "field": self.field,
            "hit": round(self.hit, 3),
            "cost": round(self.cost, 2),
        }
        worth = None if self.worth is None else round(self.worth, 2)
        return {
            **own,
            "worth": worth,
            "placed": round(self.aim.placed, 3),
            "value": self.aim.as_json()["value"],
        }


@dataclass(frozen=True, slots=True)
class Advice:
    """The safest aim, the best aim, and every field."""

    safe: ScoredAim
    best: ScoredAim
    fields: tuple[FieldAdvice, ...]

    def as_json(self) -> MutableJson:
        """Return JSON, with the field of the lowest cost first."""
        listed = sorted(self.fields, key=lambda field: field.cost)
        return {
            "safe": self.safe.as_json(),
            "best": self.best.as_json(),
            "fields": [field.as_json() for field in listed],
        }


def advise(
    game: AnyGame,
    position: Any,
    options: GameOptions,
    scatter_mm: float,
    *,
    white_sits_at: int,
    over: Callable[[], bool],
    move: Move | None = None,
) -> Advice | Problem:
    """Advise the side to move on a dart for `move`; a refusal where no dart is due."""
    throws: Throws[Any] | None = game.throws
    if throws is None:
        return Problem.reasoned("silent", "nothing_thrown")
    if (refused := throws.refusal(position, options, move)) is not None:
        return refused
    effects = [throws.effect(position, options, bed, white_sits_at, aim=move) for bed in ALL_BEDS]
    good = {
        effect.bed: str(effect.field or "") for effect in effects if not isinstance(effect.action, LostDart)
    }
    if not good:
        return Problem("no_aim", "no bed would do", cure="Move instead.")
    model = throw_model(Scatter(scatter_mm, scatter_mm))
    if isinstance(position, Position):
        values, lost = _values(position, options, good, over)
        return _advice(model, good, values, lost)
    return _advice(model, good, None, 0.0)


def _advice(model: ThrowModel, good: dict[Bed, str], values: dict[Bed, float] | None, lost: float) -> Advice:
    """Compute the aims from the worth of each bed in pawns."""
    does = np.zeros(len(ALL_BEDS))
    worth = np.full(len(ALL_BEDS), lost)
    for bed in good:
        does[BED_INDEX[bed]] = 1.0
        worth[BED_INDEX[bed]] = 1.0 if values is None else values[bed]
    placed, expected = model.odds @ does, model.odds @ worth

    def aim(index: int) -> ScoredAim:
        x, y = model.aims[index]
        value = None if values is None else float(expected[index])
        return ScoredAim(float(x), float(y), float(placed[index]), value)

    best = int(expected.argmax())
    fields = []
    for bed, field in good.items():
        at = int(model.odds[:, BED_INDEX[bed]].argmax())
        cost = float(expected[best] - expected[at])
        own = None if values is None else values[bed]
        fields.append(FieldAdvice(bed, field, float(model.odds[at, BED_INDEX[bed]]), aim(at), own, cost))
    return Advice(aim(_surest(placed, expected)), aim(best), tuple(fields))


def _surest(placed: Floats, expected: Floats) -> int:
    """Return the aim with the highest chance; of equally sure aims, the most valuable one."""
    return int(np.where(placed >= placed.max() - EQUALLY_SURE, expected, -np.inf).argmax())


def _values(
    position: Position, options: GameOptions, good: dict[Bed, str], over: Callable[[], bool]
) -> tuple[dict[Bed, float], float]:
    """Return the worth of each bed and of a lost dart in pawns, by the deepest search in time."""
    limits = (options.foul_limit.white, options.foul_limit.black)
    side, checked = position.mover, Turns(position).checked
    search = Search(Darts(1.0, limits))
    dead = checked or position.fouls[side] + 1 >= limits[side]
    found: dict[Bed, float] = {}
    lost = 0.0
    for depth in range(DEEPEST + 1):
        search.begin(over if depth else lambda: False)
        try:
            deeper = {}
            for bed, name in good.items():
                at = parse_field(name)
                assert at is not None
                deeper[bed] = _pawns(search.value_after(after_placement(position, at), depth))
            lost = _pawns(1 - MATE if dead else search.value_after(after_lost_dart(position), depth))
            found = deeper
        except OutOfTimeError:
            break
    return found, lost


def _pawns(value: int) -> float:
    return max(-AT_STAKE, min(AT_STAKE, value)) / 100
