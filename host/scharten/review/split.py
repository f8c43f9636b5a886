"""One turn in three parts: head, hand and luck, which add up to its change of value.

With E(a, s) the expected points of an aim or move a for a thrower with scatter s, and `standard` 30 mm:

- before = max E(a, standard), reached = the value of what happened;
- hand = max E(a, own) - max E(a, standard);
- head = E(chosen, own) - max E(a, own), never above 0;
- luck = reached - E(chosen, own), whose mean is 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Self

import numpy as np

from scharten.dartboard.beds import ALL_BEDS, Bed
from scharten.errors import Problem
from scharten.game.basics import Action, End, LostDart, Move, Side, move_from_text
from scharten.play.throwing import BED_INDEX, Floats
from scharten.review.aims import STANDARD_MM, Aims, aims, odds_at, values_by_bed
from scharten.review.value import Judge

REASON: Final = 0.05
"""How far below the best a likely aim lies, in points: the prior of an aim that nobody knows."""
SIGNS: Final = ((0.2, "??"), (0.1, "?"), (0.05, "?!"))
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Thrown:
    """A dart of the turn: its bed and place as far as known, and its aim if somebody said it."""

    bed: Bed | None = None
    at: Point | None = None
    aim: Point | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """A turn's values for the player to move, 0 to 1, and their parts.

    `luck_low` and `luck_high` enclose nine tenths of what the unknown aim allows; head lies as far apart the other way.
    `outcomes` are the luck of each bed with its chance, the unluckiest first.
    """

    before: float
    reached: float
    head: float
    hand: float
    luck: float
    luck_low: float
    luck_high: float
    best: str
    best_aim: Point | None
    aim: Point | None
    aim_said: bool
    sign: str
    outcomes: tuple[tuple[float, float], ...] = ()

    def as_row(self) -> dict[str, Any]:
        """Return the values by name, as JSON has them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Return the parts of such values; KeyError, TypeError or ValueError for others."""
        places = {
            name: row[name] and (float(row[name][0]), float(row[name][1])) for name in ("aim", "best_aim")
        }
        outcomes = tuple((float(luck), float(share)) for luck, share in row["outcomes"])
        return cls(**{**row, **places, "outcomes": outcomes})


@dataclass(frozen=True, slots=True)
class _Option:
    """A move, or a dart with its value in each bed."""

    action: Move | None
    value: float = 0.0
    beds: Floats | None = None


class Splitter:
    """Splits turns of one game by the values of this program's own search."""

    engine = ""

    def __init__(self, judge: Judge, white_sits_at: int) -> None:
        self._judge, self._sits = judge, white_sits_at

    def split(
        self,
        position: Any,
        action: Action,
        scatter_mm: float,
        dart: Thrown | None = None,
        end: End | None = None,
    ) -> Parts:
        """Return the parts of a turn; `end` is how it ended the game, if the action alone does not show it."""
        judge = self._judge
        side = judge.game.situation(position, judge.options).side
        options = self._options(position, side)
        reached = self._value_after(position, action, side, end)
        standard, own = aims(STANDARD_MM), aims(scatter_mm)
        before, _, _ = _best(options, standard)
        best, option, at = _best(options, own)
        outcomes: tuple[tuple[float, float], ...] = ()
        chosen = next((option for option in options if option.action == _chosen(action)), None)
        if dart is None or chosen is None or chosen.beds is None:
            expected = low = high = reached
            aim, announced = None, False
        else:
            expected, low, high, aim = _expected(chosen.beds, own, scatter_mm, dart)
            announced = dart.aim is not None
            odds = odds_at(aim, scatter_mm)
            spread = chosen.beds - float(odds @ chosen.beds)
            outcomes = tuple(
                sorted((float(point), float(share)) for point, share in zip(spread, odds, strict=True))
            )
        head = expected - best
        return Parts(
            before=before,
            reached=reached,
            head=head,
            hand=best - before,
            luck=reached - expected,
            luck_low=reached - high,
            luck_high=reached - low,
            best=self._words(position, option, at),
            best_aim=None if option is None or option.beds is None else at,
            aim=aim,
            aim_said=announced,
            sign=sign_of(head),
            outcomes=outcomes,
        )

    def luck(self, position: Any, action: Action, scatter_mm: float, dart: Thrown) -> float:
        """Return the luck of a turn with a dart, as `split` does, without the value of other choices."""
        side = self._judge.game.situation(position, self._judge.options).side
        beds = self._beds(position, side, _chosen(action))
        expected, _, _, _ = _expected(beds, aims(scatter_mm), scatter_mm, dart)
        return self._value_after(position, action, side, None) - expected

    def _options(self, position: Any, side: Side) -> list[_Option]:
        judge = self._judge
        situation = judge.game.situation(position, judge.options)
        found = []
        for text in situation.moves:
            move = move_from_text(text)
            if text in situation.needs_dart:
                found.append(_Option(move, beds=self._beds(position, side, move)))
            else:
                found.append(_Option(move, self._value_after(position, move, side, None)))
        throws = judge.game.throws
        if throws is not None and throws.refusal(position, judge.options) is None:
            found.append(_Option(None, beds=self._beds(position, side, None)))
        return found

    def _beds(self, position: Any, side: Side, move: Move | None) -> Floats:
        """Return the value of a dart in each bed; beds with the same effect are judged once."""
        judge, known = self._judge, dict[str, float]()
        assert judge.game.throws is not None
        values = {}
        for bed in ALL_BEDS:
            action = judge.game.throws.effect(position, judge.options, bed, self._sits, aim=move).action
            if action.text not in known:
                known[action.text] = self._value_after(position, action, side, None)
            values[bed] = known[action.text]
        return values_by_bed(values)

    def _value_after(self, position: Any, action: Action, side: Side, end: End | None) -> float:
        played = self._judge.game.play(position, action, self._judge.options)
        if isinstance(played, Problem):
            raise ValueError(f"{action.text} is not legal: {played.words}")
        white = self._judge.points(played.position, end or played.end)
        return white if side is Side.WHITE else 1.0 - white

    def _words(self, position: Any, option: _Option | None, at: Point) -> str:
        if option is None:
            return ""
        judge = self._judge
        return "@" if option.action is None else judge.game.write(position, option.action, judge.options)


def sign_of(head: float) -> str:
    """Return the sign of what a choice gave away, in points; empty for little."""
    return next((sign for limit, sign in SIGNS if head <= -limit), "")


def _best(options: list[_Option], model: Aims) -> tuple[float, _Option | None, Point]:
    """Return the highest expectation, its option, and the aim if it is a dart."""
    best, chosen, at = -1.0, None, (0.0, 0.0)
    for option in options:
        if option.beds is None:
            value, where = option.value, (0.0, 0.0)
        else:
            expected = model.odds @ option.beds
            index = int(expected.argmax())
            value, where = (
                float(expected[index]),
                (float(model.points[index, 0]), float(model.points[index, 1])),
            )
        if value > best:
            best, chosen, at = value, option, where
    return (0.5, None, at) if chosen is None else (best, chosen, at)


def _chosen(action: Action) -> Move | None:
    """Return the move that the player chose; None for the dart that places a piece."""
    return action.aim if isinstance(action, LostDart) else action if isinstance(action, Move) else None


def _expected(
    beds: Floats, model: Aims, scatter_mm: float, dart: Thrown
) -> tuple[float, float, float, Point]:
    """Return the expectation of the dart's aim with its interval, and the aim or the likeliest one."""
    if dart.aim is not None:
        value = float(odds_at(dart.aim, scatter_mm) @ beds)
        return value, value, value, dart.aim
    expected = model.odds @ beds
    logs = (expected - expected.max()) / REASON
    if dart.at is not None:
        apart = ((model.points - np.array(dart.at)) ** 2).sum(axis=1)
        logs = logs - apart / (2 * max(scatter_mm, 3.0) ** 2)
    elif dart.bed is not None and dart.bed in BED_INDEX:
        logs = logs + np.log(model.odds[:, BED_INDEX[dart.bed]] + 1e-12)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    order = np.argsort(expected, kind="stable")
    below = np.cumsum(weights[order])
    low, high = (
        float(expected[order[min(int(np.searchsorted(below, share)), len(order) - 1)]])
        for share in (0.05, 0.95)
    )
    mode = int(weights.argmax())
    point = (float(model.points[mode, 0]), float(model.points[mode, 1]))
    mean = float(weights @ expected)
    return mean, min(low, mean), max(high, mean), point
