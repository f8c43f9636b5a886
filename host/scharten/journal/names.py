"""Whether the names of an open journal's files still lead to what is written to, and nothing was cut off."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

_Found = tuple[int, int, int]
"""Device, number and size of a file."""


class FileNames:
    """The files of a journal in use, as they are when this is made.

    `growing` are those that only this program makes shorter: a shorter one was cut off by another.
    """

    def __init__(self, names: Collection[Path], growing: Collection[Path]) -> None:
        self._known = {one: look(one) for one in (*names, *growing)}
        self._growing = tuple(growing)

    def grown(self) -> None:
        """Something was written: remember how large they are now."""
        for one in self._growing:
            known, now = self._known[one], look(one)
            if known and now and now[:2] == known[:2]:
                self._known[one] = now

    def made_anew(self, one: Path) -> None:
        """This program itself has made a file anew."""
        self._known[one] = look(one)

    def same(self) -> bool:
        """Whether each name leads where it led, and nothing was cut off."""
        return all(self._is_same(one, known) for one, known in self._known.items())

    def _is_same(self, one: Path, known: _Found | None) -> bool:
        now = look(one)
        if known is None or now is None:
            return known is now
        return now[:2] == known[:2] and (one not in self._growing or now[2] >= known[2])


def look(path: Path) -> _Found | None:
    """Which file a name leads to; None: to none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size
