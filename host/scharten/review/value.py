"""The win chance of a position: a search after the turn, turned into White's expected points by fitted weights.

Each position is judged by itself, in Scharten from the mover's side of the board. So equal positions have equal
values in any order, and exchanging the colours exchanges the values exactly.
"""

from __future__ import annotations

import math
from typing import Any, Final

from scharten.errors import Problem
from scharten.game.basics import End, Side, move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame, Situation
from scharten.games.scharten.board import EMPTY, THROWS
from scharten.games.scharten.geometry import NO_FIELD
from scharten.games.scharten.position import Position
from scharten.play.evaluate import MATE
from scharten.play.search import Darts, Search
from scharten.review.weights import OTHER, WEIGHTS

WORTH: Final = {"P": 1.0, "N": 3.0, "B": 3.2, "R": 5.0, "Q": 9.0, "G": 1.8, "E": 1.3, "W": 2.5}
"""The worth of men in pawns outside Scharten, where Shatranj's general, elephant and Shakti's warrior stand too."""
MOBILITY: Final = 0.03
HITS: Final = 0.6
"""The chance assumed for darts after the turn that is judged."""
QUIET_PLIES: Final = 4
SURE: Final = 7.0
"""The log odds of a forced mate."""
CERTAIN: Final = 0.9
"""The share of a mate's value above which no dart stands between: a mate by a dart has a share of `HITS`."""
SPAN: Final = 12.0
"""Pawns at which the value bends: beyond, a pawn more says little."""
_RING: Final = (1 << 20) - 1


class Judge:
    """The win chances of positions of one game."""

    def __init__(self, game: AnyGame, options: GameOptions) -> None:
        self.game, self.options = game, options
        self._weights = WEIGHTS.get((game.key, options.kind.value), OTHER)
        self._known: dict[tuple[str, Side], float] = {}

    def points(self, position: Any, end: End | None = None) -> float:
        """Return White's expected points, 0 to 1; `end` is how the last action ended the game, if it did."""
        situation = self.game.situation(position, self.options)
        ended = end or situation.end
        if ended is not None:
            return 0.5 if ended.winner is None else float(ended.winner is Side.WHITE)
        key = (situation.text, situation.side)
        if key not in self._known:
            chance = self.chance(self.features(position, situation))
            self._known[key] = chance if situation.side is Side.WHITE else 1.0 - chance
        return self._known[key]

    def chance(self, features: tuple[float, ...]) -> float:
        """Return the mover's expected points for these features."""
        mate = features[4]
        odds = mate or sum(weight * feature for weight, feature in zip(self._weights, features, strict=False))
        return 1.0 / (1.0 + math.exp(-max(-SURE, min(SURE, odds))))

    def features(self, position: Any, situation: Situation) -> tuple[float, float, float, float, float]:
        """Return the mover's features in the order of the weights, and the log odds of a forced mate or 0."""
        if isinstance(position, Position):
            value, late = _scharten(position)
            fouls = position.fouls if position.mover == 0 else position.fouls[::-1]
        else:
            value, late = self._quiet(position, None, -math.inf, math.inf, QUIET_PLIES), _late(situation.text)
            pair = getattr(position, "fouls", (0, 0))
            fouls = pair if situation.side is Side.WHITE else pair[::-1]
        mate = math.copysign(SURE, value) if abs(value) > CERTAIN * MATE / 100 else 0.0
        bent = value / (1 + abs(value) / SPAN)
        return 1.0, bent, bent * late, float(fouls[1] ** 2 - fouls[0] ** 2), mate

    def _quiet(self, position: Any, end: End | None, alpha: float, beta: float, plies: int) -> float:
        """Return the mover's value in pawns after captures, in a game known by its protocol."""
        situation = self.game.situation(position, self.options)
        ended = end or situation.end
        if ended is not None:
            if ended.winner is None:
                return 0.0
            return MATE / 100 if ended.winner is situation.side else -MATE / 100
        best = stand = _count(situation)
        if best >= beta or plies == 0:
            return best
        for text in situation.moves:
            move = move_from_text(text)
            taken = self.game.man_at(position, move.to)
            if taken is None or taken.side is situation.side:
                continue
            played = self.game.play(position, move, self.options)
            if isinstance(played, Problem):
                continue
            value = -self._quiet(played.position, played.end, -math.inf, -max(alpha, best), plies - 1)
            if text in situation.needs_dart:
                value = HITS * value + (1 - HITS) * stand
            best = max(best, value)
            if best >= beta:
                break
        return best


def _count(situation: Situation) -> float:
    """Return the worth of the mover's men and moves above the other's men."""
    men = situation.text.split(" ", 1)[0]
    total = sum(worth * (men.count(letter) - men.count(letter.lower())) for letter, worth in WORTH.items())
    return (total if situation.side is Side.WHITE else -total) + MOBILITY * len(situation.moves)


def _late(text: str) -> float:
    """Return how much of the men is gone, 0 to 1."""
    return 1.0 - min(32, sum(letter.isalpha() for letter in text.split(" ", 1)[0])) / 32


def _scharten(position: Position) -> tuple[float, float]:
    """Return the value in pawns of a reply and all captures, and how late it is."""
    own = position if position.mover == 0 else exchanged(position)
    value = -Search(Darts(HITS, own.rules.foul_limit)).value_after(own, 1)
    to_come = 2 * THROWS - sum(position.placed)
    return value / 100, 1.0 - min(36, position.occupied.bit_count() + to_come) / 36


def exchanged(position: Position) -> Position:
    """Return the position with the colours exchanged: the board turned by half a circle."""
    rules = position.rules
    turned = rules.__class__(
        rules.loud,
        rules.protects,
        rules.counts,
        (_turned(rules.zones[1]), _turned(rules.zones[0])),
        (_turned(rules.two_step[1]), _turned(rules.two_step[0])),
        rules.foul_limit[::-1],
    )
    kinds = bytearray([EMPTY] * 80)
    for at, kind in enumerate(position.kind_at):
        kinds[_opposite(at)] = kind
    white, black = (tuple(_turned(men) for men in sets) for sets in position.sets)
    return Position(
        turned,
        1 - position.mover,
        (black, white),
        (_turned(position.own[1]), _turned(position.own[0])),
        bytes(kinds),
        _turned(position.unmoved),
        position.ep if position.ep == NO_FIELD else _opposite(position.ep),
        position.placed[::-1],
        position.fouls[::-1],
        position.clocks,
        position.move_number,
    )


def _opposite(at: int) -> int:
    ring, sector = divmod(at, 20)
    return ring * 20 + (sector + 10) % 20


def _turned(fields: int) -> int:
    """Return a set of fields turned by half a circle."""
    found = 0
    for shift in range(0, 80, 20):
        ring = fields >> shift & _RING
        found |= ((ring << 10 | ring >> 10) & _RING) << shift
    return found
