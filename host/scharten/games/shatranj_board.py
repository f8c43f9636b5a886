"""Shatranj's board: steps of men, legal moves, and bare kings (games 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from scharten.game.basics import PerSide, Side
from scharten.games.loud import NO_FOULS
from scharten.games.squares import ORTHOGONAL, Grid, LineTable, Square, Squares, scan, turned

GRID: Final = Grid("abcdefgh", 8, chequered=False)
LETTERS: Final = "KGRNEP"
K, G, R, N, E, P = range(6)
Kinds = tuple[Squares, Squares, Squares, Squares, Squares, Squares]
"""The squares of both sides' men, in the order of LETTERS."""


def _reached(way: Sequence[Square], men: Squares) -> Squares:
    """The squares along a free way, and the first man."""
    reach = 0
    for at in way:
        reach |= 1 << at
        if men >> at & 1:
            break
    return reach


LEAPS: Final = {
    K: GRID.reach(turned(((1, 0), (1, 1)))),
    G: GRID.reach(turned(((1, 1),))),
    N: GRID.reach(turned(((1, 2), (2, 1)))),
    E: GRID.reach(turned(((2, 2),))),
}
ROOK: Final[tuple[tuple[LineTable[Squares], ...], ...]] = GRID.lines(
    ORTHOGONAL, _reached, lambda ahead, behind: ahead | behind
)
CROSS: Final = tuple(row.mask | line.mask for row, line in ROOK)
FORWARD: Final = (8, -8)
TAKES: Final = (GRID.reach(((1, 1), (-1, 1))), GRID.reach(((1, -1), (-1, -1))))
LAST_ROW: Final = (0xFF << 56, 0xFF)


class ShatranjMove(NamedTuple):
    """A legal move as squares and the kind that moves; `swap`: king and man change places."""

    origin: Square
    to: Square
    kind: int
    swap: bool = False


@dataclass(frozen=True)
class Position:
    """Both sides' men, the kinds, the side to move, half-moves without progress, lost darts, the move number."""

    sides: tuple[Squares, Squares]
    kinds: Kinds
    side: Side
    clock: int
    fouls: PerSide
    number: int

    @cached_property
    def checking(self) -> Squares:
        """The men that check the mover's king."""
        return self.attackers(self.side)

    @cached_property
    def turns(self) -> dict[str, ShatranjMove]:
        """The legal moves by their coordinates, without swaps."""
        names = GRID.names
        return {names[turn.origin] + names[turn.to]: turn for turn in legal_turns(self)}

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """The letter of the man on each square, small for Black, "" for a free square."""
        found = [""] * GRID.size
        for letter, where in zip(LETTERS, self.kinds, strict=True):
            for at in scan(where):
                found[at] = letter if self.sides[0] >> at & 1 else letter.lower()
        return tuple(found)

    @property
    def men(self) -> Squares:
        """The occupied squares."""
        return self.sides[0] | self.sides[1]

    def king(self, side: Side) -> Square:
        """Return the square of this side's king."""
        return Square((self.sides[side.index] & self.kinds[K]).bit_length() - 1)

    def bare(self, side: Side) -> bool:
        """Return whether this side has only its king."""
        return self.sides[side.index] & ~self.kinds[K] == 0

    def attackers(self, side: Side) -> Squares:
        """The enemies that attack this side's king."""
        enemies = self.sides[side.other.index]
        return attackers(self.kinds, side.index, self.king(side), enemies, self.men)

    def kind_at(self, at: int) -> int | None:
        """Return the kind of the man on a square."""
        return next((kind for kind, where in enumerate(self.kinds) if where >> at & 1), None)


def attackers(kinds: Kinds, mine: int, at: Square, enemies: Squares, men: Squares) -> Squares:
    """Return the enemies that attack a square of the side `mine`, with these men in the way."""
    row, line = ROOK[at]
    rooks = row[men & row.mask] | line[men & line.mask]
    return enemies & (
        rooks & kinds[R]
        | LEAPS[N][at] & kinds[N]
        | LEAPS[K][at] & kinds[K]
        | LEAPS[G][at] & kinds[G]
        | LEAPS[E][at] & kinds[E]
        | TAKES[mine][at] & kinds[P]
    )


def legal_turns(position: Position) -> list[ShatranjMove]:
    """Return every legal move except swaps."""
    mine = position.side.index
    own, enemies, men = position.sides[mine], position.sides[1 - mine], position.men
    king, kinds, found = position.king(position.side), position.kinds, []
    # Only rooks pin, so only a man in line with his king can uncover him.
    unsure = CROSS[king] | 1 << king if not position.checking else -1
    for kind, where in enumerate(kinds):
        for origin in scan(own & where):
            leaving = 1 << origin
            for to in scan(goals(kind, mine, origin, own, enemies)):
                if unsure & leaving:
                    goal, stand = 1 << to, to if kind == K else king
                    if attackers(kinds, mine, stand, enemies & ~goal, men & ~leaving | goal):
                        continue
                found.append(ShatranjMove(origin, to, kind))
    return found


def goals(kind: int, mine: int, origin: Square, own: Squares, enemies: Squares) -> Squares:
    """Return the goals of a man, apart from check."""
    men = own | enemies
    if kind == P:
        ahead = origin + FORWARD[mine]
        return (1 << ahead if 0 <= ahead < GRID.size else 0) & ~men | TAKES[mine][origin] & enemies
    if kind == R:
        row, line = ROOK[origin]
        return (row[men & row.mask] | line[men & line.mask]) & ~own
    return LEAPS[kind][origin] & ~own


def swaps(position: Position) -> dict[str, ShatranjMove]:
    """The swaps of a stalemated king: not into check, and no pawn onto its last row."""
    side, mine = position.side, position.side.index
    king, names = position.king(side), GRID.names
    found = {}
    for at in scan(position.sides[mine] & ~position.kinds[K]):
        kind = position.kind_at(at)
        if kind is None or (kind == P and LAST_ROW[mine] >> king & 1):
            continue
        turn = ShatranjMove(king, at, kind, swap=True)
        if not after_turn(position, turn, NO_FOULS).attackers(side):
            found[names[king] + names[at]] = turn
    return found


def after_turn(position: Position, turn: ShatranjMove, fouls: PerSide) -> Position:
    """The position after a legal move."""
    mine, kind = position.side.index, turn.kind
    leaving, goal = 1 << turn.origin, 1 << turn.to
    own, enemies = position.sides[mine], position.sides[1 - mine]
    kinds = list(position.kinds)
    if turn.swap:
        kinds[K] ^= leaving | goal
        kinds[kind] ^= leaving | goal
    else:
        if enemies & goal:
            enemies ^= goal
            kinds = [where & ~goal for where in kinds]
        own ^= leaving | goal
        kinds[kind] ^= leaving
        kinds[G if kind == P and goal & LAST_ROW[mine] else kind] |= goal
    progress = not turn.swap and (kind == P or enemies != position.sides[1 - mine])
    return Position(
        (own, enemies) if mine == 0 else (enemies, own),
        (kinds[0], kinds[1], kinds[2], kinds[3], kinds[4], kinds[5]),
        position.side.other,
        0 if progress else position.clock + 1,
        fouls,
        position.number + mine,
    )


def bare_state(position: Position, turns: Sequence[ShatranjMove]) -> str:
    """Return `both_bare`, `bare_king` or `bared` if a king is bare, else ""; mate goes before (games 4)."""
    side = position.side
    mine, theirs = position.bare(side), position.bare(side.other)
    if mine and theirs:
        return "both_bare"
    if not mine:
        return "bare_king" if theirs else ""
    last = position.sides[side.other.index] & ~position.kinds[K]
    takes = not last & (last - 1) and any(last >> turn.to & 1 for turn in turns)
    return "bared" if takes else "bare_king"


def leaves(position: Position, depth: int, swapping: bool) -> int:
    """The leaves after `depth` turns."""
    if depth == 0:
        return 1
    turns = legal_turns(position)
    if bare_state(position, turns) in ("both_bare", "bare_king"):
        return 0
    if not turns and swapping and not position.checking:
        turns = list(swaps(position).values())
    if depth == 1:
        return len(turns)
    return sum(leaves(after_turn(position, turn, NO_FOULS), depth - 1, swapping) for turn in turns)
