"""The choice of a turn: a search of every move, and of every field that the dart may hit.

A dart places a piece on at most 36 fields or is lost. The search values each outcome once, and a product with the odds
of every aim gives the value of every aim.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from scharten.errors import Problem
from scharten.games.scharten.attacks import is_dead
from scharten.games.scharten.board import THROWS, Field, bed_of, field_name
from scharten.games.scharten.geometry import scan
from scharten.games.scharten.position import Position, after_lost_dart, after_move, after_placement
from scharten.games.scharten.turns import Turn, Turns
from scharten.play.evaluate import AT_STAKE, MATE, WEIGHTS, DartsNeeded, Weights
from scharten.play.search import FAR, NO_DARTS, Darts, Likely, OutOfTimeError, Search, key_of, worth_of
from scharten.play.tables import Tables, probe
from scharten.play.throwing import BED_INDEX, ThrowModel, values_of

MOST_DEPTH: Final = 40
DEEP_FIELDS: Final = 6
"""Of a dart at the root this many fields are searched as deep as moves."""
LATER_FIELDS: Final = 3
"""Of a dart below the root this many fields are valued."""


@dataclass(frozen=True, slots=True)
class ChosenTurn:
    """A chosen turn: a move, or the aim of a dart (`turn` is None); `value` as in `evaluate`.

    `depth` is the depth of the search in turns, `nodes` its number of positions, `fields` the value of a piece on each.
    """

    turn: Turn | None
    aim: tuple[float, float] | None
    value: int
    depth: int
    fields: dict[str, int] = field(default_factory=dict)
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class Thinker:
    """A manner of play: depth of search, error (deviation in hundredths of a pawn), and scatter of darts.

    The search of depth `complete` is always complete; deeper ones end after this number of `positions`, None for no
    end. With `tables` it plays their endgames without a mistake. With `needed`, the darts each side needs, it makes
    room for them. `ignores` as in `search.Darts`.
    """

    depth: int = MOST_DEPTH
    complete: int = 1
    positions: int | None = None
    error: float = 0.0
    model: ThrowModel | None = None
    white_sits_at: int = 3
    limits: tuple[int, int] = (3, 3)
    weights: Weights = WEIGHTS
    tables: Tables | None = None
    needed: tuple[DartsNeeded, DartsNeeded] = ((), ())
    ignores: float = 0.0


Chance = Callable[[], float]
"""A source of normally distributed numbers, since this module is pure."""


def choose(
    position: Position,
    thinker: Thinker,
    over: Callable[[], bool],
    chance: Chance = lambda: 0.0,
    seen: frozenset[Hashable] = frozenset(),
) -> ChosenTurn | None:
    """Return the best turn found until `over`; None without a move and a dart."""
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
            root.search.most = None if depth <= thinker.complete else thinker.positions
            best = root.search_at(depth, listed)
            if abs(best.value) > MATE // 2 or (len(listed) == 1 and not throws):
                break
            listed = root.search.best_first(position, listed)
    except OutOfTimeError:
        best = root.partly or best
    return replace(root.without_error(best), nodes=root.search.nodes)


class _Root:
    """The root position during a search of increasing depth; the other side is taken to throw as surely."""

    def __init__(
        self, position: Position, turns: Turns, thinker: Thinker, chance: Chance, throws: bool
    ) -> None:
        self.position, self.turns, self.thinker = position, turns, thinker
        self.throws = throws
        self.partly: ChosenTurn | None = None
        self._errors: dict[object, float] = {}
        self._chance = chance
        sides = [self._surest(side) for side in (0, 1)] if position.rules.loud and thinker.model else []
        darts = (
            Darts(
                sides[position.mover][0],
                thinker.limits,
                (sides[0][1], sides[1][1]),
                thinker.needed,
                thinker.ignores,
            )
            if sides
            else NO_DARTS
        )
        self.search = Search(darts, thinker.weights, thinker.tables)

    def _surest(self, side: int) -> tuple[float, Likely]:
        """Return the chance that a side's dart places a piece, and its likeliest fields."""
        free = list(scan(self.position.rules.zones[side] & ~self.position.occupied))
        aim, chance = self._expected(dict.fromkeys(free, 1), 0)
        return chance, self._likeliest(free, aim, LATER_FIELDS)

    def _likeliest(self, fields: Iterable[int], aim: tuple[float, float], count: int) -> Likely:
        """Return this many fields that a dart at the aim hits most often, with their chances."""
        assert self.thinker.model is not None
        odds = self.thinker.model.odds_of(aim)
        beds = {at: BED_INDEX[bed_of(Field(at), self.thinker.white_sits_at)] for at in fields}
        chances = ((at, float(odds[index])) for at, index in beds.items())
        return tuple(sorted(chances, key=lambda pair: pair[1], reverse=True)[:count])

    def search_at(self, depth: int, listed: list[Turn]) -> ChosenTurn:
        """Return the best turn at this depth; `partly` is the best so far, with the previous best searched first.

        Where a dart is possible a move counts only if its value without error is higher. Of thirty errors the
        highest would else make some move look better than the dart in almost every turn.
        """
        dart = best = self.dart(depth) if self.throws else None
        least = -FAR if dart is None else dart.value
        best_move: ChosenTurn | None = None
        for turn in listed:
            error = self._error(turn)
            floor = -FAR if best is None else max(best.value - max(error, 0), least)
            value = self.search.value_after(after_move(self.position, *turn), depth - 1, floor)
            if value <= least:
                continue
            if abs(value) < MATE // 2:  # even a low level sees a mate
                value += error
            if best_move is None or value > best_move.value:
                best_move = ChosenTurn(turn, None, value, depth)
                if best is None or best is dart or value > best.value:
                    best = best_move
            self.partly = best
        if best_move is not None and best_move.turn is not None:
            self.search.remember(self.position, depth, best_move.value, best_move.turn)
        assert best is not None
        self.partly = best
        return best

    def without_error(self, chosen: ChosenTurn) -> ChosenTurn:
        """Return a chosen move with its value as searched: of many errors the choice prefers the highest.

        A low level would else hold lost games to be even, and never resign.
        """
        if chosen.turn is None or not chosen.depth or abs(chosen.value) >= MATE // 2:
            return chosen
        return replace(chosen, value=chosen.value - self._error(chosen.turn))

    def dart(self, depth: int) -> ChosenTurn:
        """Return the best aim: the likeliest outcomes are searched as deep as moves, the others two turns less."""
        shallow = max(depth - 3, (depth - 1) % 2)
        values = {at: self._placed(at, shallow) for at in scan(self.turns.placements())}
        aim, value = self._expected(values, self._lost(shallow))
        if shallow < depth - 1:
            likely = self._likeliest(values, aim, DEEP_FIELDS)
            deep = {at: self._placed(at, depth - 1) for at, _ in likely}
            total = sum(chance for _, chance in likely)
            shift = sum(chance * (deep[at] - values[at]) for at, chance in likely) / total if total else 0.0
            values = {at: deep.get(at, worth + round(shift)) for at, worth in values.items()}
            aim, value = self._expected(values, self._lost(depth - 1))
        return ChosenTurn(
            None, aim, round(value), depth, {field_name(at): worth for at, worth in values.items()}
        )

    def _placed(self, at: int, depth: int) -> int:
        """Return the value of the next piece on a field."""
        return self.search.value_after(after_placement(self.position, at), depth) + round(self._error(at))

    def blind_dart(self) -> ChosenTurn:
        """Return a dart at the middle of the useful fields, without a search."""
        aim, value = self._expected(dict.fromkeys(scan(self.turns.placements()), 1), 0)
        return ChosenTurn(None, aim, round(value), 0)

    def _lost(self, depth: int) -> int:
        """Return the value of a lost dart."""
        side = self.position.mover
        if self.turns.checked or self.position.fouls[side] + 1 >= self.thinker.limits[side]:
            return 1 - MATE
        return self.search.value_after(after_lost_dart(self.position), depth)

    def _expected(self, values: dict[int, int], lost: int) -> tuple[tuple[float, float], float]:
        assert self.thinker.model is not None
        beds = {
            bed_of(Field(at), self.thinker.white_sits_at): _weighed(worth) for at, worth in values.items()
        }
        return self.thinker.model.best(values_of(beds, _weighed(lost)))

    def _error(self, what: object) -> int:
        """Return the error of a turn's value, the same at every depth."""
        if not self.thinker.error:
            return 0
        if what not in self._errors:
            self._errors[what] = self._chance() * self.thinker.error
        return round(self._errors[what])


def _best_known(position: Position, listed: list[Turn], known: int | None, tables: Tables) -> list[Turn]:
    """Return the turns that keep the table's result: a mate in one turn less, or a draw."""
    wanted = None if known is None else known - 1
    kept = []
    for turn in listed:
        reached = after_move(position, *turn)
        turns = None if is_dead(reached) else probe(reached, tables)
        if turns == wanted:
            kept.append(turn)
    return kept or listed


def _weighed(worth: int) -> float:
    return float(max(-AT_STAKE, min(AT_STAKE, worth)))
