"""Shakti's board: sight over fields without tiles, and legal moves (games 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

from scharten.game.basics import PerSide, Side
from scharten.games.loud import NO_FOULS
from scharten.games.squares import DIAGONAL, ORTHOGONAL, Grid, LineTable, Square, Squares, scan, turned

GRID: Final = Grid("abcdefg", 7, chequered=False)
NO_TILE: Final = "_"
Pairs = tuple[tuple[Squares, Squares], ...]


def _seen(way: Sequence[Square], tiles: Squares) -> list[Squares]:
    return [1 << at for at in way if tiles >> at & 1]


def _first(way: Sequence[Square], tiles: Squares) -> Squares:
    return sum(_seen(way, tiles)[:1])


def _first_two(way: Sequence[Square], tiles: Squares) -> Pairs:
    """Return the first tile in sight and the next beyond it, 0 without one."""
    seen = _seen(way, tiles)
    return ((seen[0], seen[1] if len(seen) > 1 else 0),) if seen else ()


AXES: Final = (*ORTHOGONAL, *DIAGONAL)
BESIDE: Final = GRID.reach(turned(AXES))
SIGHT: Final[tuple[tuple[LineTable[Squares], ...], ...]] = GRID.lines(
    AXES, _first, lambda ahead, behind: ahead | behind
)
WAYS: Final = GRID.lines(AXES, _first_two, lambda ahead, behind: ahead + behind)


def sees(tiles: Squares, at: int) -> Squares:
    """Return the first tile in each of the eight directions, free or not."""
    row, line, up, down = SIGHT[at]
    return row[tiles & row.mask] | line[tiles & line.mask] | up[tiles & up.mask] | down[tiles & down.mask]


class ShaktiMove(NamedTuple):
    """A legal move as squares; `gone` the tile that vanishes, as a set of one, or 0."""

    origin: int
    to: Square
    gone: Squares = 0


@dataclass(frozen=True)
class Position:
    """The tiles, each side's king and warriors, the side to move, lost darts in a row, the move number."""

    tiles: Squares
    kings: tuple[int, int]
    warriors: tuple[Squares, Squares]
    side: Side
    fouls: PerSide
    number: int

    @cached_property
    def sight(self) -> Squares:
        """The tiles that the mover's king sees."""
        return sees(self.tiles, self.kings[self.side.index])

    @cached_property
    def checking(self) -> Squares:
        """The warriors that check the mover's king."""
        return self.sight & self.warriors[1 - self.side.index]

    @cached_property
    def turns(self) -> dict[str, ShaktiMove]:
        """The legal moves by their coordinates."""
        names = GRID.names
        return {names[turn.origin] + names[turn.to]: turn for turn in legal_turns(self)}

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """The letter of the man on each square, small for Black, "" for a free tile, `NO_TILE` without one."""
        found = ["" if self.tiles >> at & 1 else NO_TILE for at in range(GRID.size)]
        for side, (king, warrior) in enumerate((("K", "W"), ("k", "w"))):
            found[self.kings[side]] = king
            for at in scan(self.warriors[side]):
                found[at] = warrior
        return tuple(found)

    @property
    def men(self) -> Squares:
        """The occupied tiles."""
        return self.warriors[0] | self.warriors[1] | 1 << self.kings[0] | 1 << self.kings[1]


def legal_turns(position: Position) -> list[ShaktiMove]:
    """Return every legal move. Sight depends on the tiles alone, so a step can neither pin nor free a man."""
    tiles, mine = position.tiles, position.side.index
    king, theirs = position.kings[mine], position.warriors[1 - mine]
    enemies, men, sight = theirs | 1 << position.kings[1 - mine], position.men, position.sight
    if position.checking:
        goals = BESIDE[king] & tiles & ~(men & ~theirs)
        return [ShaktiMove(king, to) for to in scan(goals) if not sees(tiles, to) & enemies & ~(1 << to)]
    found = [ShaktiMove(king, to) for to in scan(sight & ~men) if not sees(tiles, to) & enemies]
    for origin in scan(position.warriors[mine]):
        for line in WAYS[origin]:
            for first, second in line[tiles & line.mask]:
                if first & men:
                    continue
                found.append(ShaktiMove(origin, Square(first.bit_length() - 1)))
                if (
                    second
                    and not second & men
                    and not (first & sight and sees(tiles ^ first, king) & enemies)
                ):
                    found.append(ShaktiMove(origin, Square(second.bit_length() - 1), first))
    return found


def after_turn(position: Position, turn: ShaktiMove, fouls: PerSide) -> Position:
    """The position after a legal move."""
    mine, to = position.side.index, 1 << turn.to
    kings, (white, black) = position.kings, position.warriors
    if turn.origin == kings[mine]:
        kings = (turn.to, kings[1]) if mine == 0 else (kings[0], turn.to)
        white, black = white & ~to, black & ~to
    elif mine == 0:
        white ^= 1 << turn.origin | to
    else:
        black ^= 1 << turn.origin | to
    return Position(
        position.tiles ^ turn.gone, kings, (white, black), position.side.other, fouls, position.number + mine
    )


def passed(position: Position) -> Position:
    """Return the position with the other side to move."""
    return replace(position, side=position.side.other, number=position.number + position.side.index)


def leaves(position: Position, depth: int) -> int:
    """Count the leaves after `depth` turns; a forced pass is a turn."""
    if depth == 0:
        return 1
    if position.warriors == (0, 0):
        return 0
    turns = legal_turns(position)
    if depth == 1 and turns:
        return len(turns)
    if turns:
        return sum(leaves(after_turn(position, turn, NO_FOULS), depth - 1) for turn in turns)
    if position.checking or not legal_turns(passing := passed(position)):
        return 0
    return leaves(passing, depth - 1)
