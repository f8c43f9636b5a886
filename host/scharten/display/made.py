"""Files that are made when first asked for: the lessons, and the schartbord to print."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from scharten.display.files import StaticFile, packed
from scharten.display.lessons import lessons_json
from scharten.display.paper import shapes, windows, write_pdf, write_svg


def _board(size_cm: int, tiles: bool) -> bytes:
    """The schartbord for printing: A4 tiles as one PDF, or one sheet as SVG."""
    pages, drawn = windows(size_cm * 10.0, tiles), list(shapes(size_cm * 10.0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "board"
        if tiles:
            write_pdf(path, pages, drawn)
        else:
            write_svg(path, pages[0], drawn)
        return path.read_bytes()


MAKERS: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "/lessons.json": (".json", lessons_json),
    "/schartbord/schartbord-50cm-a4.pdf": (".pdf", partial(_board, 50, True)),
    "/schartbord/schartbord-40cm-a4.pdf": (".pdf", partial(_board, 40, True)),
    "/schartbord/schartbord-50cm.svg": (".svg", partial(_board, 50, False)),
}


class Workshop:
    """Makes each file once, beside the loop."""

    def __init__(self) -> None:
        self._made: dict[str, StaticFile] = {}
        self._lock = asyncio.Lock()

    async def file(self, path: str) -> StaticFile | None:
        """The file at this address, or None."""
        if path not in MAKERS:
            return None
        async with self._lock:
            if path not in self._made:
                suffix, make = MAKERS[path]
                self._made[path] = await asyncio.get_running_loop().run_in_executor(
                    None, lambda: packed(make(), suffix)
                )
        return self._made[path]
