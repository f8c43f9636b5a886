"""The review of a whole game: parts of every turn, sums of both players, the turns that decided. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from scharten.dartboard.beds import readings
from scharten.game.basics import Action, End, MutableJson, Result, Side
from scharten.match.state import Match, PlayedTurn
from scharten.review.aims import STANDARD_MM, ghosts
from scharten.review.split import Parts, Splitter, Thrown
from scharten.review.value import SURE, Judge

VERSION: Final = 3
"""Raised with every change of the figures: a stored review of another version is made again."""
REPLAYS: Final = 1000
DECIDING: Final = 3
ODDS_OF_A_PAWN: Final = 0.5
"""The log odds of a pawn more."""
_POINTS: Final = {Result.WHITE_WINS: 1.0, Result.BLACK_WINS: 0.0, Result.DRAW: 0.5}


class Splits(Protocol):
    """Splits a turn in its parts: by the search of this program, or by a chess engine (see `Splitter.split`)."""

    engine: str
    """The full name of the engine, empty for this program's own values."""

    def split(
        self,
        position: Any,
        action: Action,
        scatter_mm: float,
        dart: Thrown | None = None,
        end: End | None = None,
    ) -> Parts: ...


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A turn with its parts."""

    turn: PlayedTurn
    parts: Parts
    scatter_mm: float


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a match; `alike` is White's points had the darts fallen otherwise, a thousand times."""

    match: Match
    scatters: tuple[float, float]
    turns: tuple[Reviewed, ...]
    alike: float
    engine: str = ""

    def decided(self) -> tuple[int, ...]:
        """Return the places of the turns whose head or luck weighed most, the heaviest first."""
        weight = [max(abs(reviewed.parts.head), abs(reviewed.parts.luck)) for reviewed in self.turns]
        heavy = sorted(range(len(weight)), key=lambda place: (-weight[place], place))
        return tuple(place for place in heavy[:DECIDING] if weight[place] > 0)


def review(
    match: Match,
    scatters: tuple[float, float],
    known: Sequence[Parts] = (),
    keep: Callable[[Parts], object] = lambda parts: None,
    splits: Splits | None = None,
) -> Review:
    """Review every turn of a match; `scatters` are White's and Black's in mm.

    `known` are the parts of the first turns, of a review that was stopped. `keep` receives those of each other turn.
    `splits` splits the turns; this program's own search if None.
    """
    splitter = splits or Splitter(Judge(match.game, match.options), match.start.settings.white_sits_at)
    split = list(known[: len(match.turns)])
    for turn in match.turns[len(split) :]:
        scatter = scatters[turn.side.index]
        split.append(splitter.split(turn.before.position, turn.action, scatter, _dart(turn), turn.end))
        keep(split[-1])
    turns = tuple(
        Reviewed(turn, parts, scatters[turn.side.index])
        for turn, parts in zip(match.turns, split, strict=True)
    )
    return Review(match, scatters, turns, _alike(match, turns), splitter.engine)


def _dart(turn: PlayedTurn) -> Thrown | None:
    if not turn.thrown:
        return None
    dart = turn.dart
    known = dart is not None and dart.x_mm is not None and dart.y_mm is not None and dart.beds and turn.bed
    at = None
    if known and dart is not None and turn.bed in readings(dart.beds[0][0]):
        assert dart.x_mm is not None and dart.y_mm is not None
        at = (dart.x_mm, dart.y_mm)
    return Thrown(turn.bed, at)


def _alike(match: Match, turns: tuple[Reviewed, ...]) -> float:
    """Return White's mean points with the same heads and hands, each dart thrown again a thousand times."""
    if not turns:
        return 0.5
    last = turns[-1]
    sign = 1 if last.turn.side is Side.WHITE else -1
    end = 0.5 + sign * (last.parts.reached - 0.5)
    points = np.full(REPLAYS, _POINTS.get(match.result, end) if match.result else end)
    chance = np.random.default_rng(len(turns))
    for reviewed in turns:
        if reviewed.parts.outcomes:
            lucks, odds = (np.array(column) for column in zip(*reviewed.parts.outcomes, strict=True))
            drawn = lucks[
                np.searchsorted(np.cumsum(odds), chance.random(REPLAYS) * odds.sum()).clip(0, len(odds) - 1)
            ]
            points = points + (1 if reviewed.turn.side is Side.WHITE else -1) * (drawn - reviewed.parts.luck)
    return float(points.clip(0.0, 1.0).mean())


def sums(done: Review, side: Side) -> MutableJson:
    """Return a player's sums in points."""
    own = [reviewed.parts for reviewed in done.turns if reviewed.turn.side is side]
    head, hand, luck = (sum(getattr(parts, name) for parts in own) for name in ("head", "hand", "luck"))
    return {
        "name": done.match.name_of(side),
        "scatter_mm": round(done.scatters[side.index], 1),
        "turns": len(own),
        "darts": sum(bool(parts.outcomes) for parts in own),
        "head": head,
        "hand": hand,
        "luck": luck,
        "head_per_turn": head / len(own) if own else 0.0,
        "signs": {sign: sum(parts.sign == sign for parts in own) for sign in ("?!", "?", "??")},
    }


def as_json(done: Review) -> MutableJson:
    """Return the whole review; a turn's values are the mover's points, `white` is White's before it."""
    return {
        "v": VERSION,
        "match": done.match.id,
        "game": done.match.game.key,
        "kind": done.match.options.kind.value,
        "engine": done.engine,
        "result": done.match.result,
        "reason": done.match.reason,
        "standard_mm": STANDARD_MM,
        "white": sums(done, Side.WHITE),
        "black": sums(done, Side.BLACK),
        "alike": {"white": done.alike, "black": 1.0 - done.alike, "replays": REPLAYS},
        "decided": [place + 1 for place in done.decided()],
        "turns": [_turn(reviewed, number) for number, reviewed in enumerate(done.turns, 1)],
    }


def _turn(reviewed: Reviewed, number: int) -> MutableJson:
    turn, parts = reviewed.turn, reviewed.parts
    white = parts.before if turn.side is Side.WHITE else 1.0 - parts.before
    found: dict[str, Any] = {
        "turn": number,
        "n": turn.number,
        "side": turn.side.word,
        "text": turn.text,
        "position": turn.before.situation.text,
        "white": white,
        "pawns": pawns(white),
        "before": parts.before,
        "after": parts.reached,
        "head": parts.head,
        "hand": parts.hand,
        "luck": parts.luck,
        "best": parts.best,
        "best_aim": parts.best_aim,
        "sign": parts.sign,
    }
    if parts.aim is not None:
        fallen = ghosts(parts.aim, reviewed.scatter_mm)
        found |= {
            "bed": None if turn.bed is None else str(turn.bed),
            "aim": parts.aim,
            "aim_said": parts.aim_said,
            "luck_interval": [parts.luck_low, parts.luck_high],
            "head_interval": [
                parts.head + parts.luck - parts.luck_high,
                parts.head + parts.luck - parts.luck_low,
            ],
            "ghosts": [[round(x, 1), round(y, 1), str(bed)] for x, y, bed in fallen],
        }
    return found


def pawns(points: float) -> float:
    """Return expected points as pawns, in the measure of chess programs; at most 10 either way."""
    inside = min(max(points, 1e-9), 1 - 1e-9)
    return round(float(np.clip(np.log(inside / (1 - inside)) / ODDS_OF_A_PAWN, -10, 10)), 2)


def points_of(value: float) -> float:
    """Return pawns as expected points: the reverse of `pawns`."""
    odds = max(-SURE, min(SURE, value * ODDS_OF_A_PAWN))
    return 1.0 / (1.0 + math.exp(-odds))
