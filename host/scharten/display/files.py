"""The page's files, read once into memory or made when first asked for, and served by exact name."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from aiohttp import web

from scharten.contract.schema import reference
from scharten.display.lessons import lessons_json
from scharten.display.lessons_squares import TASKS, square_lessons_json
from scharten.display.print_board import WHITE_BELOW, shapes, windows, write_pdf, write_svg

STATIC = Path(__file__).parent / "static"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".png": "image/png",
    ".pdf": "application/pdf",
}


@dataclass(frozen=True)
class StaticFile:
    """One file as it goes over the wire."""

    body: bytes
    packed: bytes
    mime: str
    etag: str


def packed(body: bytes, suffix: str) -> StaticFile:
    """A file of this suffix, packed and with its tag."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    return StaticFile(body, gzip.compress(body, 6, mtime=0), TYPES[suffix], etag)


def load(folder: Path = STATIC, language: str = "") -> dict[str, StaticFile]:
    """Every file below `folder` by its address; `name.html` is also `/name`, and `index.html` is `/`.

    `language` is that of devices which have chosen none.
    """
    found: dict[str, StaticFile] = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix not in TYPES:
            continue
        body = path.read_bytes()
        if language and path.suffix == ".html":
            body = body.replace(b"<html ", f'<html data-language="{language}" '.encode(), 1)
        file = packed(body, path.suffix)
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".html":
            found["/" if name == "index.html" else f"/{name.removesuffix('.html')}"] = file
        else:
            found[f"/{name}"] = file
    return found


def respond(request: web.Request, file: StaticFile) -> web.Response:
    """The file, packed where the browser takes gzip, or 304 where it has it already."""
    headers = {
        "Content-Type": file.mime,
        "ETag": file.etag,
        "Cache-Control": "no-cache",
        "Vary": "Accept-Encoding",
    }
    if request.headers.get("If-None-Match") == file.etag:
        return web.Response(status=304, headers=headers)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return web.Response(body=file.packed, headers={**headers, "Content-Encoding": "gzip"})
    return web.Response(body=file.body, headers=headers)


def _board(size_cm: int, tiles: bool, language: str) -> bytes:
    """The schartbord for printing: A4 tiles as one PDF, or one sheet as SVG."""
    pages, drawn = windows(size_cm * 10.0, tiles), list(shapes(size_cm * 10.0, language=language))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "board"
        if tiles:
            write_pdf(path, pages, drawn)
        else:
            write_svg(path, pages[0], drawn)
        return path.read_bytes()


GENERATED: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "/lessons.json": (".json", lessons_json),
    **{
        f"/lessons/{key}.json": (".json", partial(square_lessons_json, key))
        for key in sorted({task.game.key for task in TASKS})
    },
    "/reference.json": (".json", lambda: json.dumps(reference()).encode()),
    **{
        f"/schartbord/schartbord-{size}cm{'-a4' if tiles else ''}-{language}{suffix}": (
            suffix,
            partial(_board, size, tiles, language),
        )
        for language in WHITE_BELOW
        for size, tiles, suffix in ((50, True, ".pdf"), (40, True, ".pdf"), (50, False, ".svg"))
    },
}


class GeneratedFiles:
    """Makes each file once, beside the loop."""

    def __init__(self) -> None:
        self._files: dict[str, StaticFile] = {}
        self._lock = asyncio.Lock()

    async def file(self, path: str) -> StaticFile | None:
        """The file at this address, or None."""
        if path not in GENERATED:
            return None
        async with self._lock:
            if path not in self._files:
                suffix, make = GENERATED[path]
                self._files[path] = await asyncio.get_running_loop().run_in_executor(
                    None, lambda: packed(make(), suffix)
                )
        return self._files[path]
