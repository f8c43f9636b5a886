"""The page's files, read once into memory and served by exact name: no path ever reaches the disk."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

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


def load(folder: Path = STATIC) -> dict[str, StaticFile]:
    """Every file below `folder` by its address; `name.html` is also `/name`, and `index.html` is `/`."""
    found: dict[str, StaticFile] = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix not in TYPES:
            continue
        file = packed(path.read_bytes(), path.suffix)
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
