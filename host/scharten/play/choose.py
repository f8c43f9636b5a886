"""The best turn: every move searched, and the dart valued by all that it may hit.

A dart places a piece on at most 36 fields or is lost: each is searched once, and one product of the odds of every aim
with these values gives what every aim is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from scharten.errors import Problem
from scharten.games.scharten.attacks import is_dead
from scharten.games.scharten.board import THROWS, Field, bed_of, field_name
from scharten.games.scharten.geometry import scan
from scharten.games.scharten.position import Position, after_lost_dart, after_move, after_placement
from scharten.games.scharten.turns import Turn, Turns
from scharten.play.evaluate import AT_STAKE, MATE, WEIGHTS, Weights
from scharten.play.search import FAR, Darts, Key, OutOfTimeError, Search, key_of, worth_of
from scharten.play.tables import Tables, probe
from scharten.play.throwing import ThrowModel, values_of

MOST_DEPTH: Final = 40


@dataclass(frozen=True, slots=True)
class ChosenTurn:
    """A turn: a move, or the point that a dart is aimed at (`turn` is None); `value` as in `evaluate`.

    `depth` is how many turns were looked ahead, `nodes` at how many positions, `fields` what a piece on each is worth.
    """

    turn: Turn | None
    aim: tuple[float, float] | None
    value: int
    depth: int
    fields: dict[str, int] = field(default_factory=dict)
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class Thinker:
    """How one plays: how deep it looks, with what error (deviation in hundredths of a pawn), how it throws.

    One turn ahead is looked at in whole; beyond that the search ends after so many `positions`, None for no end. With
    `tables` it plays the endgames that they hold without a mistake.
    """

    depth: int = MOST_DEPTH
    positions: int | None = None
    error: float = 0.0
    model: ThrowModel | None = None
    white_sits_at: int = 3
    limits: tuple[int, int] = (3, 3)
    weights: Weights = WEIGHTS
    tables: Tables | None = None


Chance = Callable[[], float]
"""A normally distributed number: chance comes from outside."""


def choose(
    position: Position,
    thinker: Thinker,
    over: Callable[[], bool],
    chance: Chance = lambda: 0.0,
    seen: frozenset[Key] = frozenset(),
) -> ChosenTurn | None:
    """The best turn that was found until `over`; None where there is neither a move nor a dart."""
    turns = Turns(position)
    throws = position.rules.loud and position.placed[position.mover] < THROWS and thinker.model is not None
    listed = turns.moves()
    if not listed and not throws:
        return None
    if thinker.tables is not None and not throws:
        known = probe(position, thinker.tables)
        if not isinstance(known, Problem):
            listed = _best_known(position, listed, known, thinker.tables)
            if known is not None:
                return ChosenTurn(listed[0], None, worth_of(known), known)
    root = _Root(position, turns, thinker, chance, throws)
    root.search.seen = seen - {key_of(position)}
    root.search.begin(over)
    best = ChosenTurn(listed[0], None, 0, 0) if listed else root.blind_dart()
    try:
        for depth in range(1, thinker.depth + 1):
            root.search.most = None if depth == 1 else thinker.positions
            best = root.look(depth, listed)
            if abs(best.value) > MATE // 2 or (len(listed) == 1 and not throws):
                break
            listed = root.search.best_first(position, listed)
    except OutOfTimeError:
        best = root.partly or best
    return replace(best, nodes=root.search.nodes)


class _Root:
    """The position to be played in, while it is looked at more and more deeply."""

    def __init__(
        self, position: Position, turns: Turns, thinker: Thinker, chance: Chance, throws: bool
    ) -> None:
        self.position, self.turns, self.thinker = position, turns, thinker
        self.throws = throws
        self.partly: ChosenTurn | None = None
        self._errors: dict[object, float] = {}
        self._chance = chance
        free = position.rules.zones[position.mover] & ~position.occupied if position.rules.loud else 0
        likely = self._expected(dict.fromkeys(scan(free), 1), 0)[1] if throws else 0.0
        self.search = Search(Darts(likely, thinker.limits), thinker.weights, thinker.tables)

    def look(self, depth: int, listed: list[Turn]) -> ChosenTurn:
        """The best turn at this depth; `partly` is the best so far, once what was best before has been looked at."""
        best = self.dart(depth) if self.throws else None
        best_move: ChosenTurn | None = None
        for turn in listed:
            error = self._error(turn)
            floor = -FAR if best is None else best.value - max(error, 0)
            value = self.search.value_after(after_move(self.position, *turn), depth - 1, floor)
            if abs(value) < MATE // 2:  # nobody misjudges a mate that was seen
                value += error
            if best_move is None or value > best_move.value:
                best_move = ChosenTurn(turn, None, value, depth)
                if best is None or value > best.value:
                    best = best_move
            self.partly = best
        if best_move is not None and best_move.turn is not None:
            self.search.remember(self.position, depth, best_move.value, best_move.turn)
        assert best is not None
        self.partly = best
        return best

    def dart(self, depth: int) -> ChosenTurn:
        """The best aim, each outcome looked at less deep than a move by two turns, a turn of each side."""
        after = max(depth - 3, (depth - 1) % 2)
        values = {
            at: self.search.value_after(after_placement(self.position, at), after) + round(self._error(at))
            for at in scan(self.turns.placements())
        }
        aim, value = self._expected(values, self._lost(after))
        return ChosenTurn(
            None, aim, round(value), depth, {field_name(at): worth for at, worth in values.items()}
        )

    def blind_dart(self) -> ChosenTurn:
        """A dart at the middle of what saves, before anything was looked at."""
        aim, value = self._expected(dict.fromkeys(scan(self.turns.placements()), 1), 0)
        return ChosenTurn(None, aim, round(value), 0)

    def _lost(self, depth: int) -> int:
        """What a lost dart is worth."""
        side = self.position.mover
        if self.turns.checked or self.position.fouls[side] + 1 >= self.thinker.limits[side]:
            return 1 - MATE
        return self.search.value_after(after_lost_dart(self.position), depth)

    def _expected(self, values: dict[int, int], lost: int) -> tuple[tuple[float, float], float]:
        assert self.thinker.model is not None
        of = {bed_of(Field(at), self.thinker.white_sits_at): _weighed(worth) for at, worth in values.items()}
        return self.thinker.model.best(values_of(of, _weighed(lost)))

    def _error(self, what: object) -> int:
        """The same misjudgement of a turn at every depth."""
        if not self.thinker.error:
            return 0
        if what not in self._errors:
            self._errors[what] = self._chance() * self.thinker.error
        return round(self._errors[what])


def _best_known(position: Position, listed: list[Turn], known: int | None, tables: Tables) -> list[Turn]:
    """The turns that lead to what the table says of the position: a mate in one turn less, or a draw."""
    wanted = None if known is None else known - 1
    kept = []
    for turn in listed:
        after = after_move(position, *turn)
        turns = None if is_dead(after) else probe(after, tables)
        if turns == wanted:
            kept.append(turn)
    return kept or listed


def _weighed(worth: int) -> float:
    return float(max(-AT_STAKE, min(AT_STAKE, worth)))
