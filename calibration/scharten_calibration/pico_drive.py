"""The drive that a Pico becomes in its boot loader: find it, and mount it where no desktop does."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scharten.errors import SchartenError

MOUNTS = Path("/proc/mounts")
DEVICE = Path("/dev/disk/by-label/RPI-RP2")
MARK = "INFO_UF2.TXT"
DESKTOP_S = 3.0
"""A desktop mounts a new drive by itself in this time."""


def is_plugged() -> bool:
    """Whether a Pico in its boot loader is plugged in, mounted or not."""
    return _mounted() is not None or DEVICE.exists()


def is_at(place: Path) -> bool:
    """Whether this folder is such a drive."""
    return (place / MARK).is_file()


@contextmanager
def opened(patience_s: float) -> Iterator[Path]:
    """The folder of the drive, which may take this long to appear. `SchartenError` without one."""
    _wait(is_plugged, patience_s)
    if not is_plugged():
        raise SchartenError.coded("no_pico")
    if os.geteuid() == 0 and _mounted() is None:
        with _mounted_by_us() as own:
            yield own
        return
    _wait(lambda: _mounted() is not None, DESKTOP_S)
    if _mounted() is None and shutil.which("udisksctl"):
        command = ["udisksctl", "mount", "--no-user-interaction", "-b", str(DEVICE)]
        subprocess.run(command, capture_output=True, check=False)
    place = _mounted()
    if place is None:
        raise SchartenError.coded("pico_unmounted")
    yield place


def _wait(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)


@contextmanager
def _mounted_by_us() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="scharten-pico-") as place:
        command = ["mount", "-t", "vfat", "-o", "sync", str(DEVICE), place]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SchartenError.coded("pico_mount", why=done.stderr.strip())
        try:
            yield Path(place)
        finally:  # the Pico may have started its program, and its drive be gone
            subprocess.run(["umount", "-l", place], capture_output=True, check=False)


def _mounted() -> Path | None:
    """Where the drive is mounted."""
    return next((place for place in _places() if is_at(place)), None)


def _places() -> Iterator[Path]:
    if not MOUNTS.exists():  # macOS
        yield from Path("/Volumes").glob("*")
        return
    for line in MOUNTS.read_text(encoding="utf-8").splitlines():
        _, place, kind, *_ = line.split()
        if kind == "vfat":
            yield Path(place.encode().decode("unicode_escape"))
