"""Boards of squares: their names, ways between squares as sets of bits, and the rows of a position text.

A square is a number, 0 for a1 and on along the rows; a set of squares is an int with one bit for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Generic, NewType, TypeVar

from scharten.errors import Problem
from scharten.game.basics import FieldName
from scharten.game.protocol import Layout

Square = NewType("Square", int)
Squares = int
"""A set of squares, one bit each."""
T = TypeVar("T")
Direction = tuple[int, int]
"""Lines to the right and rows up."""

ORTHOGONAL: Final[tuple[Direction, ...]] = ((1, 0), (0, 1))
DIAGONAL: Final[tuple[Direction, ...]] = ((1, 1), (1, -1))


def scan(squares: Squares) -> Iterator[Square]:
    """Yield the squares of a set, from a1."""
    while squares:
        low = squares & -squares
        yield Square(low.bit_length() - 1)
        squares ^= low


def turned(steps: Iterable[Direction]) -> tuple[Direction, ...]:
    """Return the steps in all four directions."""
    return tuple(dict.fromkeys(to for x, y in steps for to in ((x, y), (-y, x), (-x, -y), (y, -x))))


class LineTable(dict[Squares, T], Generic[T]):
    """A function of the occupied squares of a line through a square, in both directions, as a table.

    `look(way, occupied)` computes the entry of a direction on the first request: `way` has the squares, nearest first.
    """

    __slots__ = ("ahead", "behind", "look", "mask")

    def __init__(
        self,
        ahead: Sequence[Square],
        behind: Sequence[Square],
        look: Callable[[Sequence[Square], Squares], T],
        join: Callable[[T, T], T],
    ) -> None:
        super().__init__()
        self.mask: Squares = sum(1 << at for at in (*ahead, *behind))
        self.look: Callable[[Squares], T] = lambda occupied: join(
            look(ahead, occupied), look(behind, occupied)
        )

    def __missing__(self, occupied: Squares) -> T:
        found = self[occupied] = self.look(occupied)
        return found


class Grid:
    """A board of `len(files)` by `rows` squares."""

    def __init__(self, files: str, rows: int, *, chequered: bool) -> None:
        self.files, self.rows, self.width = files, rows, len(files)
        self.size = self.width * rows
        self.names = tuple(FieldName(f"{file}{row + 1}") for row in range(rows) for file in files)
        self.squares = {name: Square(at) for at, name in enumerate(self.names)}
        self.layout = Layout("grid", self.names, files, rows, chequered)

    def way(self, square: int, step: Direction) -> list[Square]:
        """Return the squares after this one in steps, to the edge."""
        row, file = divmod(square, self.width)
        found = []
        while 0 <= (row := row + step[1]) < self.rows and 0 <= (file := file + step[0]) < self.width:
            found.append(Square(row * self.width + file))
        return found

    def reach(self, steps: Iterable[Direction]) -> tuple[Squares, ...]:
        """Return for each square the set of goals of the steps."""
        steps = tuple(steps)
        return tuple(
            sum(1 << way[0] for step in steps if (way := self.way(at, step))) for at in range(self.size)
        )

    def lines(
        self,
        axes: Iterable[Direction],
        look: Callable[[Sequence[Square], Squares], T],
        join: Callable[[T, T], T],
    ) -> tuple[tuple[LineTable[T], ...], ...]:
        """Return for each square its lines along the axes."""
        axes = tuple(axes)
        return tuple(
            tuple(LineTable(self.way(at, (x, y)), self.way(at, (-x, -y)), look, join) for x, y in axes)
            for at in range(self.size)
        )

    def between(self, origin: Square, to: Square) -> list[Square] | None:
        """Return the squares between two squares on a straight line, nearest first; None without such a line."""
        for step in turned((*ORTHOGONAL, *DIAGONAL)):
            way = self.way(origin, step)
            if to in way:
                return way[: way.index(to)]
        return None

    def rows_text(self, letters: Sequence[str]) -> str:
        """Return the first part of a position text from the letters, the top row first; "" is a free square."""
        return "/".join(
            _row_text(letters[row * self.width : (row + 1) * self.width])
            for row in reversed(range(self.rows))
        )

    def read_rows(self, text: str, known: str) -> list[str] | Problem:
        """Return the letter on each square, "" for a free square, from the first part of a position text."""
        rows = text.split("/")
        if len(rows) != self.rows:
            return wrong("rows", f"PIECES has {self.rows} rows joined by '/'; this has {len(rows)}", "PIECES")
        letters: list[str] = []
        for number, row in zip(range(1, self.rows + 1), reversed(rows), strict=True):
            found = self._read_row(number, row, known)
            if isinstance(found, Problem):
                return found
            letters += found
        return letters

    def _read_row(self, number: int, row: str, known: str) -> list[str] | Problem:
        found: list[str] = []
        counted = False
        for sign in row:
            if sign in known:
                found.append(sign)
            elif "1" <= sign <= "9" and not counted:
                found += [""] * int(sign)
            else:
                return wrong("pieces", f"row {number} cannot hold '{sign}' here: '{row}'", "PIECES")
            counted = sign not in known
        if len(found) != self.width:
            words = f"row {number} has {len(found)} fields instead of {self.width}: '{row}'"
            return wrong("row_length", words, "PIECES")
        return found


def _row_text(letters: Sequence[str]) -> str:
    text, free = "", 0
    for letter in letters:
        if letter and free:
            text, free = f"{text}{free}", 0
        text, free = text + letter, free + (not letter)
    return f"{text}{free or ''}"


def wrong(code: str, words: str, part: str) -> Problem:
    """Return why a text is not a position, with the part at fault."""
    return Problem(code, words, {"part": part}, f"Look at the part {part}.")
