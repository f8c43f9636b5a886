"""Check the data folder before a start reads it: a pipe would block the start, a huge file would fill the memory."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path

from scharten.errors import SchartenError

FSTAB = Path("/etc/fstab")
OCTAL = re.compile(r"\\([0-7]{3})")
SMALL = 1 << 20
SIZES: dict[str, int | None] = {
    "scharten.toml": SMALL,
    "secrets.json": SMALL,
    "running.json": SMALL,
    "simulator.json": SMALL,
    "simulator.pid": SMALL,
    "contacts.json": SMALL,
    "scharten.sqlite3-mark": SMALL,
    "scharten.sqlite3.lock": SMALL,
    ".simulated-board.lock": SMALL,
    "players.json": 64 << 20,
    "players.sqlite3": None,
    "openings.sqlite3": None,
    "scharten.sqlite3": None,
    "scharten.sqlite3-wal": None,
    "scharten.sqlite3-shm": None,
    "scharten.log": None,
    "simulator.log": None,
}
"""The files of a data folder, and the most bytes of those that are read whole."""


def look_over(folder: Path) -> None:
    """Refuse a folder whose disk is not mounted, or with a pipe, device or huge file in place of one of its files.

    A `SchartenError` names it.
    """
    if (disk := _missing_disk(folder)) is not None:
        raise SchartenError.coded("disk_not_mounted", folder=folder, disk=disk)
    for name, most in SIZES.items():
        path = folder / name
        try:
            found = path.stat()
        except FileNotFoundError:
            continue
        except NotADirectoryError:
            return  # `folder` itself is not a folder: the start reports it
        except OSError as error:
            raise SchartenError.coded("unreadable_ours", path=path, why=error.strerror) from error
        if not stat.S_ISREG(found.st_mode):
            raise SchartenError.coded("not_a_file", path=path, what=_kind(found.st_mode))
        if most is not None and found.st_size > most:
            raise SchartenError.coded("too_large", path=path, size=found.st_size >> 20, most=most >> 20)


def _missing_disk(folder: Path) -> Path | None:
    """The place of `/etc/fstab` on the way to this folder where no disk is mounted.

    Without it a start would begin an empty journal on the system's disk, which the late disk then hides.
    """
    try:
        table = FSTAB.read_text(encoding="utf-8", errors="replace")
    except OSError:  # a container, macOS
        return None
    rows = [line.split() for line in table.splitlines() if not line.lstrip().startswith("#")]
    places = [Path(OCTAL.sub(lambda found: chr(int(found[1], 8)), row[1])) for row in rows if len(row) > 2]
    ways = folder.absolute(), folder.resolve()
    return next(
        (place for place in places for way in ways if way.is_relative_to(place) and not place.is_mount()),
        None,
    )


def keep_private(folder: Path) -> None:
    """Let only the owner read what this program writes, and what earlier versions wrote into the folder."""
    os.umask(0o077)
    for path in (*folder.glob("*.sqlite3*"), *folder.glob("*.json"), *folder.glob("*.log*")):
        with suppress(OSError):  # another user's file, or a read-only disk
            if path.is_file() and path.stat().st_mode & 0o077:
                path.chmod(0o600)


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "folder"
    return "pipe" if stat.S_ISFIFO(mode) else "device"


def read_small(path: Path, most: int = SMALL) -> bytes:
    """Return at most `most` bytes; `OSError` if the path has become something else than a file since the start."""
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(f"{path} is not a file")
        return os.read(number, most)
    finally:
        os.close(number)
