"""Check that the names of an open database's files still lead to those files, and that nothing was cut off."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

_FileId = tuple[int, int, int]
"""Device, number and size of a file."""


class FileNames:
    """The files of a database in use, as they are when this object is made.

    Only this program shortens the `growing` files: another program has cut off a file that is shorter.
    """

    def __init__(self, names: Collection[Path], growing: Collection[Path]) -> None:
        self._known = {path: file_id(path) for path in (*names, *growing)}
        self._growing = tuple(growing)

    def remember_growth(self) -> None:
        """Remember the sizes after a write."""
        for path in self._growing:
            known, now = self._known[path], file_id(path)
            if known and now and now[:2] == known[:2]:
                self._known[path] = now

    def remember(self, path: Path) -> None:
        """Remember a file that this program has replaced."""
        self._known[path] = file_id(path)

    def are_unchanged(self) -> bool:
        """Whether each name leads to the same file and no file was cut off."""
        return all(self._is_unchanged(path, known) for path, known in self._known.items())

    def _is_unchanged(self, path: Path, known: _FileId | None) -> bool:
        now = file_id(path)
        if known is None or now is None:
            return known is now
        return now[:2] == known[:2] and (path not in self._growing or now[2] >= known[2])


def file_id(path: Path) -> _FileId | None:
    """The file that a name leads to, or None."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size
