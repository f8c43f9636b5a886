"""Kept throws in one ZIP file: written whole or not at all, and read again package by package, in bounded room.

A file comes from anybody: an unexpected name, such as one that leads out of the folder, refuses the whole file.
"""

from __future__ import annotations

import re
import struct
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from scharten.data_folder import read_small
from scharten.errors import SchartenError

REPLAYS, RESULT = "replays", "result.json"
"""The folder of throws in the data folder, and a throw's result in its own folder."""
MOST_BYTES = 32 << 20
"""Largest picture in bytes; a 4K camera needs at most 3 MB."""
MOST_PARTS = 20_000
"""Upper bound on the parts of a file: over a thousand throws of three cameras."""
UNREADABLE = (
    *(zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError),
    *(ValueError, struct.error, zlib.error, OverflowError),
)
"""Python's exceptions for damaged ZIP files and for files of another kind."""
_PART = re.compile(
    r"([0-9A-Za-z][0-9A-Za-z-]{0,63})/((?:cameras\.toml|(?:result|truth|game)\.json)|[a-z]{4,6}[0-9]\.jpg)"
)


def package_name(at_ms: int) -> str:
    """The folder of the throw at this Unix time in ms."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(at_ms / 1000))}-{at_ms % 1000:03d}"


def view_name(camera: int | str) -> str:
    """The file with the board's plane as one camera sees it."""
    return f"view{camera}.jpg"


def read_part(path: Path) -> bytes | None:
    """One file of a package, None where it is missing, too large, or no file."""
    try:
        found = read_small(path, MOST_BYTES + 1)
    except OSError:
        return None
    return found if len(found) <= MOST_BYTES else None


def add_package(package: Path, file: zipfile.ZipFile) -> None:
    """Write a package's files into a ZIP file."""
    for path in sorted(package.iterdir()):
        if _PART.fullmatch(f"{package.name}/{path.name}") and (content := read_part(path)) is not None:
            file.writestr(f"{package.name}/{path.name}", content)


def write_packages(packages: Sequence[Path], target: Path) -> None:
    """Packages in one ZIP file, whole or not at all; `SchartenError` where it cannot be written."""
    if target.exists() and not target.is_file():
        raise SchartenError.coded("no_throw_file", path=target)
    draft = target.with_name(f".{target.name}")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_STORED) as file:
            for package in packages:
                add_package(package, file)
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise SchartenError.coded("unwritable", path=target, why=error.strerror) from error


def unpacked(path: Path) -> Iterator[Path]:
    """Each package of a ZIP file as a folder, which is gone when the next one is asked for; never more than one."""
    try:
        with zipfile.ZipFile(path) as file:
            for name, parts in _parts(file, path).items():
                with tempfile.TemporaryDirectory(prefix="scharten-throw-") as room:
                    folder = Path(room) / name
                    folder.mkdir()
                    for own, info in parts.items():
                        (folder / own).write_bytes(file.read(info))
                    yield folder
    except UNREADABLE as error:
        raise SchartenError.coded("throws_not_zip", path=path, why=error) from error


def _parts(file: zipfile.ZipFile, path: Path) -> dict[str, dict[str, zipfile.ZipInfo]]:
    """By package, the oldest first, and by file."""
    found: dict[str, dict[str, zipfile.ZipInfo]] = {}
    if len(file.infolist()) > MOST_PARTS:
        raise SchartenError.coded("throws_too_many", path=path, found=len(file.infolist()), most=MOST_PARTS)
    for info in file.infolist():
        part = _PART.fullmatch(info.filename)
        if part is None:
            raise SchartenError.coded("throws_part", path=path, part=repr(info.filename))
        if info.file_size > MOST_BYTES:
            raise SchartenError.coded(
                "throws_large", path=path, part=info.filename, size=info.file_size >> 20
            )
        found.setdefault(part[1], {})[part[2]] = info
    if not found:
        raise SchartenError.coded("throws_none", path=path)
    return {name: found[name] for name in sorted(found)}
