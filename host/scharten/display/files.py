"""The page's files: read once into memory or made on the first request, and served by exact name."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import html
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from scharten.display.generated.table import GENERATED
from scharten.words import LANGUAGES, text

PIECE_LETTERS = "KQRBNEGW"
STATIC = Path(__file__).parent / "static"
COMMENTS = re.compile(rb"/\*\*.*?\*/ ?|^[ \t]*//[^\n]*", re.DOTALL | re.MULTILINE)
"""Types and whole lines of comment in a script; no text in a script looks like one."""
CSS_COMMENTS = re.compile(rb"/\*.*?\*/", re.DOTALL)
"""Comments in a style sheet, which its readers alone need."""
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
    """A file as the server sends it."""

    body: bytes
    packed: bytes
    mime: str
    etag: str


def packed(body: bytes, suffix: str) -> StaticFile:
    """Return a file of this suffix, compressed and with its tag."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    return StaticFile(body, gzip.compress(body, 9, mtime=0), TYPES[suffix], etag)


def load(folder: Path = STATIC, language: str = "", pages: Iterable[str] = ()) -> dict[str, StaticFile]:
    """Return every file below `folder` by its address; `name.html` is `/name`, and `index.html` is `/`.

    `language` is the language of devices that have chosen none, `pages` the names that the navigation shows.
    """
    found: dict[str, StaticFile] = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix not in TYPES:
            continue
        if path.stem == "components" and path.suffix != ".css" and not os.environ.get("SCHARTEN_DEVELOPMENT"):
            continue
        body = path.read_bytes()
        if path.suffix == ".js":  # without comments, and each line at its number
            body = COMMENTS.sub(lambda found: b"\n" * found[0].count(b"\n"), body)
        if path.suffix == ".css":
            body = CSS_COMMENTS.sub(b"", body)
        if path.suffix == ".html":
            chosen = f'data-language="{language}" ' if language else ""
            known = f'data-languages="{html.escape(json.dumps(_languages(), ensure_ascii=False))}" '
            shown = f'data-pages="{" ".join(pages)}" '
            body = body.replace(b"<html ", f"<html {chosen}{known}{shown}".encode(), 1)
        file = packed(body, path.suffix)
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".html":
            found["/" if name == "index.html" else f"/{name.removesuffix('.html')}"] = file
        else:
            found[f"/{name}"] = file
    return found


def _languages() -> dict[str, dict[str, str]]:
    """Each language's own name and the letters of its pieces where English has others, for every page."""
    return {
        language: {
            "name": text(language, "language.name"),
            **{
                letter: text(language, f"letter.{letter}")
                for letter in PIECE_LETTERS
                if text(language, f"letter.{letter}") != letter
            },
        }
        for language in LANGUAGES
    }


def respond(request: web.Request, file: StaticFile) -> web.Response:
    """Answer with the file, compressed where the browser accepts gzip, or 304 where the browser has it already."""
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


class GeneratedFiles:
    """Makes each file once, outside the loop."""

    def __init__(self) -> None:
        self._files: dict[str, StaticFile] = {}
        self._lock = asyncio.Lock()

    async def file(self, path: str) -> StaticFile | None:
        """Return the file at this address, or None."""
        if path not in GENERATED:
            return None
        async with self._lock:
            if path not in self._files:
                suffix, make = GENERATED[path]
                self._files[path] = await asyncio.get_running_loop().run_in_executor(
                    None, lambda: packed(make(), suffix)
                )
        return self._files[path]
