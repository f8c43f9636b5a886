"""The plain engine of `plain_engine.c`, compiled with the board's geometry: a rival that never changes."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterable
from pathlib import Path

from lab.programs import program
from scharten.game.basics import Kind
from scharten.games.scharten import geometry
from scharten.games.scharten.board import FIELDS
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.turns import Turn

SOURCE = Path(__file__).with_suffix(".c")


def _set(fields: int) -> str:
    return f"SET({fields >> 64:#x}u, {fields & (1 << 64) - 1:#x}u)"


def _row(cells: Iterable[str]) -> str:
    return "{" + ", ".join(cells) + "}"


def _paths(of_fields: Iterable[Iterable[tuple[int, ...]]]) -> str:
    return _row(_row(_row(str(int(at)) for at in (*path, -1)) for path in paths) for paths in of_fields)


def board_h() -> str:
    """Return the geometry as C tables; a path ends with -1."""
    both = [[half for pair in found for half in pair] for found in geometry.DIAGONALS]
    back = [[half for pair in found for half in pair] for found in geometry.DIAGONAL_ORIGINS]
    around = [
        [*geometry.ring_paths(at), *lines] for at, lines in zip(FIELDS, geometry.LINE_PATHS, strict=True)
    ]
    paths = {"STRAIGHT": around, "DIAGONAL": both, "ORIGIN": back}
    sets = {name: getattr(geometry, name) for name in ("KING", "KNIGHT", "NEIGHBOURS")}
    by_side = {name: getattr(geometry, name) for name in ("PAWN", "PAWN_FROM")}
    lasts = {"LAST": geometry.LAST, "TWO_STEP": rules_of(Options(kind=Kind.SILENT)).two_step}
    steps = _row(_row(str(to) for to in row) for row in geometry.FORWARD)
    return "\n".join(
        [
            *(
                f"static const signed char {name}[80][4][21] = {_paths(held)};"
                for name, held in paths.items()
            ),
            *(f"static const Set {name}[80] = {_row(map(_set, held))};" for name, held in sets.items()),
            *(
                f"static const Set {name}[2][80] = {_row(_row(map(_set, row)) for row in held)};"
                for name, held in by_side.items()
            ),
            *(f"static const Set {name}[2] = {_row(map(_set, held))};" for name, held in lasts.items()),
            f"static const signed char FORWARD[2][80] = {steps};",
            f"static const Set DOUBLES = {_set(geometry.DOUBLES)}, TREBLES = {_set(geometry.TREBLES)};",
        ]
    )


class PlainEngine:
    """The compiled engine; silent games with default options."""

    def __init__(self, folder: Path) -> None:
        """Compile into a folder."""
        (folder / "board.h").write_text(board_h(), encoding="utf-8")
        library = folder / "plain_engine.so"
        command = [program("gcc"), "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{folder}"]
        subprocess.run([*command, "-o", str(library), str(SOURCE)], check=True)
        self._library = ctypes.CDLL(str(library))
        self._library.count_turns.restype = ctypes.c_long

    def best_move(self, position: Position, depth: int) -> Turn:
        """Return the best move at this depth."""
        rest, origin = divmod(self._library.best_move(*_packed(position), depth), 80)
        promotion, to = divmod(rest, 80)
        return origin, to, promotion

    def count(self, position: Position, depth: int) -> int:
        """Return the number of leaves after `depth` turns."""
        return int(self._library.count_turns(*_packed(position), depth))


def _packed(position: Position) -> tuple[bytes, bytes, int, int]:
    men = bytes(
        255 if code > 5 else code + 6 * (position.own[1] >> at & 1)
        for at, code in enumerate(position.kind_at)
    )
    unmoved = bytes(position.unmoved >> at & 1 for at in range(80))
    return men, unmoved, position.mover, position.ep
