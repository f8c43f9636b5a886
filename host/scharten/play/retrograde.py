"""Exact endgames computed backwards from the mates: the turns until mate of every placement.

The lone king cannot mate, so a placement is won for the strong side or drawn. The king's captures lead to tables of
fewer men, promotions to tables of other men; those come first (`ORDER`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scharten.games.scharten.board import SECTORS, B, K, N, P, Q, R
from scharten.play.endgame_board import (
    FRESH,
    IS_LIGHT,
    KING_TO,
    LAST_FIELD,
    NOWHERE,
    PAWN_SPOTS,
    ROWS,
    Flags,
    Ints,
    Men,
    Placements,
    checked,
    comes_from,
    fields_of,
    number_of,
    placements_of,
    sees,
    shape,
)

Bytes = NDArray[np.uint8]
DRAWN: Final = 255
ILLEGAL: Final = 254
_NEVER: Final = 100
"""Added to the number of the lone king's moves if a capture draws."""
_CHUNK: Final = 1 << 19

_PIECES: Final = (N, B, R, Q)
ORDER: Final = tuple(
    [Men(code) for code in (*_PIECES, P)]
    + [Men(first, second) for first in _PIECES for second in _PIECES if first <= second]
    + [Men(P, code) for code in (*_PIECES, P)]
)
"""All tables, each after those that it leads to."""


class Table(NamedTuple):
    """The turns until mate by placement, `DRAWN` or `ILLEGAL`, with the strong side or the lone king to move."""

    strong: Bytes
    lone: Bytes


class Counts(NamedTuple):
    """Counts over the whole board by the side to move: legal and decided placements, mates and stalemates."""

    strong: int
    strong_won: int
    lone: int
    lone_lost: int
    mates: int
    stalemates: int


def leads_to(men: Men) -> set[Men]:
    """Return the men left after a capture or a promotion."""
    codes = [code for code in men if code >= 0]
    found = {Men(code) for code in codes if len(codes) > 1}
    for at, code in enumerate(codes):
        rest = codes[:at] + codes[at + 1 :]
        found |= {Men(*sorted([piece, *rest])) for piece in _PIECES if code == P}
    return found


def build(men: Men, tables: Mapping[Men, Table]) -> tuple[Table, Counts]:
    """Build the table of these men, and its counts, from the tables before it in `ORDER`."""
    return _Building(men, tables).done()


class _Building:
    """A table under construction."""

    def __init__(self, men: Men, tables: Mapping[Men, Table]) -> None:
        self.men, self.tables = men, tables
        size = int(np.prod(shape(men)))
        self.strong, self.lone = np.full(size, ILLEGAL, np.uint8), np.full(size, ILLEGAL, np.uint8)
        self.left, self.least = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
        """By the lone king's placement: the moves not known to lose, and the earliest mate."""
        self.stuck = np.zeros(size, np.bool_)
        self.promoted = np.full(size if men.pawns else 0, DRAWN, np.uint8)
        """By placement: the turns until mate after a promotion now."""
        for first in range(0, size, _CHUNK):
            self._prepare(np.arange(first, min(size, first + _CHUNK), dtype=np.int32))

    def done(self) -> tuple[Table, Counts]:
        """Go back from the mates until no placement is new."""
        mates = self.stuck & (self.lone == 0)
        due = np.flatnonzero((self.lone == DRAWN) & ~self.stuck & (self.left == 0)).astype(np.int32)
        newest = np.flatnonzero(mates).astype(np.int32)
        last = int(self.promoted[self.promoted < ILLEGAL].max(initial=0)) + 1
        last = max(last, int(self.least.max()))
        turns = 0
        while newest.size or due.size or turns <= last:
            self._won(newest, turns + 1)
            due = self._lost(np.flatnonzero(self.strong == turns + 1).astype(np.int32), due)
            turns += 2
            ready = self.least[due] <= turns
            newest, due = due[ready], due[~ready]
            self.lone[newest] = turns
        return Table(self.strong, self.lone), self._counts()

    def _counts(self) -> Counts:
        won, lost = self.strong < ILLEGAL, self.lone < ILLEGAL
        stalemates = self.stuck & ~lost
        legal = self.strong != ILLEGAL, self.lone != ILLEGAL
        flags = (legal[0], won, legal[1], lost, self.lone == 0, stalemates)
        return Counts(*(_over_the_board(self.men, flags) for flags in flags))

    # --- forwards, once ---

    def _prepare(self, numbers: Ints) -> None:
        """Find the legal placements, the lone king's ways out, and the results of promotions."""
        men, at = self.men, placements_of(self.men, numbers)
        first, second = fields_of(men.first, at.first), fields_of(men.second, at.second)
        apart = (at.lone != at.king) & (at.lone != first) & (at.king != first)
        apart &= (at.lone != second) & (at.king != second) & (first != second)
        if men.second == P:
            apart &= (
                at.second // ROWS != PAWN_SPOTS // ROWS // 2
            )  # no line begins on White's side and on Black's
        numbers, at = numbers[apart], at.where(apart)
        in_check = checked(men, at.lone, at.king, at.first, at.second)
        strong_checked = sees(K, at.lone, at.king, at.king, at.king) & IS_LIGHT[at.king]
        self.strong[numbers[~in_check]] = DRAWN
        safe = ~strong_checked
        self.lone[numbers[safe]] = DRAWN
        self._ways_out(numbers[safe], at.where(safe), in_check[safe])
        for column in range(men.pawns):
            self._promotions(column, numbers[~in_check], at.where(~in_check))

    def _ways_out(self, numbers: Ints, at: Placements, in_check: Flags) -> None:
        men = self.men
        first, second = fields_of(men.first, at.first), fields_of(men.second, at.second)
        left, least = np.zeros(numbers.shape, np.uint8), np.zeros(numbers.shape, np.uint8)
        taken = np.zeros(numbers.shape, np.bool_)
        for step in range(KING_TO.shape[1]):
            to = KING_TO[at.lone, step]
            free = (to != NOWHERE) & (to != at.king)
            takes_first, takes_second = free & (to == first), free & (to == second)
            plain = free & ~takes_first & ~takes_second
            plain &= ~checked(men, to, at.king, at.first, at.second)
            left += plain
            for column, takes in enumerate((takes_first, takes_second)):
                found = np.flatnonzero(takes & IS_LIGHT[to])  # a double or treble is taken with support only
                if found.size:
                    value = self._taking(column, at.where(found), to[found])
                    legal = value != ILLEGAL
                    taken[found] |= legal
                    left[found[value == DRAWN]] += _NEVER
                    lost = value < ILLEGAL
                    least[found[lost]] = np.maximum(least[found[lost]], value[lost] + 1)
        self.left[numbers], self.least[numbers] = left, least
        stuck = (left == 0) & ~taken
        self.stuck[numbers] = stuck
        self.lone[numbers[stuck & in_check]] = 0

    def _taking(self, column: int, at: Placements, to: Ints) -> Bytes:
        """Return the result of the lone king's capture: turns until mate, `DRAWN`, or `ILLEGAL` in check."""
        code = self.men[1 - column]
        if code < 0:
            near = sees(K, at.king, to, at.king, at.king)
            return np.where(near, np.uint8(ILLEGAL), np.uint8(DRAWN))
        rest = Men(code)
        gone = np.full_like(to, NOWHERE)
        left = Placements(to, at.king, (at.second, at.first)[column], gone)
        return np.asarray(self.tables[rest].strong[number_of(rest, left)])

    def _promotions(self, column: int, numbers: Ints, at: Placements) -> None:
        """Promote pawns on the last row but one to the best piece, if the way is free."""
        spots = (at.first, at.second)[column]
        goal = LAST_FIELD[spots // ROWS]
        other_code = self.men[1 - column]
        other = (at.second, at.first)[column]
        free = (goal != at.lone) & (goal != at.king) & (goal != fields_of(other_code, other))
        ready = (spots % ROWS == ROWS - 2) & free
        numbers, goal, other = numbers[ready], goal[ready], other[ready]
        for code in _PIECES:
            men, spots_after = Men(code), (goal, np.full_like(goal, NOWHERE))
            if other_code >= 0:
                men = Men(*sorted((code, other_code)))
                spots_after = (goal, other) if code <= other_code else (other, goal)
            placed = Placements(at.lone[ready], at.king[ready], *spots_after)
            value = self.tables[men].lone[number_of(men, placed)]
            best = np.minimum(self.promoted[numbers], np.where(value < ILLEGAL, value + 1, DRAWN))
            self.promoted[numbers] = best

    # --- backwards ---

    def _won(self, lost: Ints, turns: int) -> None:
        """Mark the strong side's placements from which a move leads to one of these as won in `turns`."""
        for start in range(0, lost.size, _CHUNK):
            at = placements_of(self.men, lost[start : start + _CHUNK])
            for before in self._predecessors(at):
                numbers = number_of(self.men, before)
                self.strong[numbers[self.strong[numbers] == DRAWN]] = turns
        if self.promoted.size:
            self.strong[(self.promoted == turns) & (self.strong == DRAWN)] = turns

    def _predecessors(self, at: Placements) -> Iterator[Placements]:
        """Return the placements before the strong side's last move."""
        men = self.men
        first, second = fields_of(men.first, at.first), fields_of(men.second, at.second)
        for step in range(KING_TO.shape[1]):
            came = KING_TO[at.king, step]
            free = (came != NOWHERE) & (came != at.lone) & (came != first) & (came != second)
            yield at._replace(king=came).where(free)
        for column, (code, other) in enumerate(((men.first, second), (men.second, first))):
            if code == P:
                yield from self._pawn_before(column, at, other)
            elif code >= 0:
                yield from self._piece_before(column, at, other)

    def _piece_before(self, column: int, at: Placements, other: Ints) -> Iterator[Placements]:
        here = (at.first, at.second)[column]
        for path in comes_from(self.men[column]):
            on = np.arange(here.size)
            for step in range(path.shape[1]):
                came = path[here[on], step]
                free = (came != NOWHERE) & (came != at.lone[on]) & (came != at.king[on]) & (came != other[on])
                on, came = on[free], came[free]
                if not on.size:
                    break
                yield _with(at.where(on), column, came)

    def _pawn_before(self, column: int, at: Placements, other: Ints) -> Iterator[Placements]:
        here = (at.first, at.second)[column]
        state = here % ROWS
        for arrived, came, over in ((None, -1, 0), (2, FRESH - 2, 0), (3, FRESH - 3, -1)):
            found = (state >= 1) & (state != FRESH) if arrived is None else state == arrived
            for passed, landed in ((here + came, True), (here + over, over != 0)):
                if landed:
                    field = fields_of(P, np.where(found, passed, PAWN_SPOTS))
                    found = found & (field != at.lone) & (field != at.king) & (field != other)
            yield _with(at.where(found), column, (here + came)[found])

    def _lost(self, won: Ints, due: Ints) -> Ints:
        """Count the lone king's moves to these as losing; return `due` and the placements without other moves."""
        found = [due]
        for start in range(0, won.size, _CHUNK):
            at = placements_of(self.men, won[start : start + _CHUNK])
            first, second = fields_of(self.men.first, at.first), fields_of(self.men.second, at.second)
            for step in range(KING_TO.shape[1]):
                came = KING_TO[at.lone, step]
                free = (came != NOWHERE) & (came != at.king) & (came != first) & (came != second)
                numbers = number_of(self.men, at._replace(lone=came).where(free))
                numbers = numbers[self.lone[numbers] == DRAWN]
                np.subtract.at(self.left, numbers, 1)  # two moves may begin at the same placement
                found.append(numbers[self.left[numbers] == 0])
        return np.concatenate(found)


def _with(at: Placements, column: int, spots: Ints) -> Placements:
    return at._replace(first=spots) if column == 0 else at._replace(second=spots)


def _over_the_board(men: Men, flags: Flags) -> int:
    """Count these placements on the whole board: each in all its turns, equal men once."""
    counts = flags.reshape(-1, shape(men)[-1]).sum(axis=0)
    turns = np.full(counts.shape, SECTORS // 2 if men.pawns else SECTORS)
    if men.pawns == 2:
        apart = np.arange(PAWN_SPOTS) // ROWS
        turns -= np.minimum(apart, SECTORS - apart)
    return int((counts * turns).sum()) // (2 if men.first == men.second else 1)
