"""The record of attempts at problems: a file beside the register, one line for each, under a digest of its own.

A line is appended and synchronised to the disk. A torn or damaged line is left out and named; it spoils no other.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection
from dataclasses import astuple
from pathlib import Path
from typing import Final

from scharten.errors import SchartenError
from scharten.problems.rating import Attempt
from scharten.store.chain import seal
from scharten.store.files import sync_folder

FILE: Final = "problems.jsonl"
_TYPES: Final = (str, str, int, int, bool, str, bool)


class Attempts:
    """The attempts of this board's players; `warn` receives a message about lines that cannot be read."""

    def __init__(self, folder: Path, warn: Callable[[str], object] = lambda message: None) -> None:
        self.path = folder / FILE
        self._warn = warn
        self._state: tuple[int, int] | None = None
        self._rows: list[Attempt] = []

    def rows(self) -> list[Attempt]:
        """Return every attempt, the oldest first."""
        try:
            known = self.path.stat()
        except FileNotFoundError:
            self._state, self._rows = None, []
            return []
        except OSError as error:
            raise self._trouble(error) from error
        state = (known.st_mtime_ns, known.st_size)
        if state != self._state:
            self._rows = self._read()
            self._state = state
        return list(self._rows)

    def add(self, attempt: Attempt) -> None:
        """Append an attempt and return when the disk has it."""
        try:
            with self.path.open("ab+") as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":  # a kill tore the last line
                        file.write(b"\n")
                file.write(_line(attempt).encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._trouble(error) from error

    def forget(self, players: Collection[str]) -> None:
        """Remove every attempt of these players from the disk."""
        rows = self.rows()
        kept = [row for row in rows if row.player not in players]
        if len(kept) == len(rows):
            return
        fresh = self.path.with_name(f".{FILE}.new")
        try:
            with fresh.open("wb") as file:
                file.write("".join(map(_line, kept)).encode())
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path)
            sync_folder(self.path.parent)
        except OSError as error:
            raise self._trouble(error) from error

    def _read(self) -> list[Attempt]:
        rows, wrong = [], []
        try:
            lines = self.path.read_bytes().decode("utf-8", "replace").splitlines()
        except OSError as error:
            raise self._trouble(error) from error
        for number, line in enumerate(lines, 1):
            found = _attempt(line)
            if found is None:
                wrong.append(str(number))
            else:
                rows.append(found)
        if wrong:
            self._warn(f"{self.path}: damaged lines were left out: {', '.join(wrong[:10])}")
        return rows

    def _trouble(self, error: OSError) -> SchartenError:
        return SchartenError.coded("attempts_unusable", path=self.path, why=error.strerror)


def _line(attempt: Attempt) -> str:
    body = json.dumps(astuple(attempt))
    return f"{seal(body)} {body}\n"


def _attempt(line: str) -> Attempt | None:
    """Return the attempt of a line, or None for one that is not as it was written."""
    stored, _, body = line.partition(" ")
    if seal(body) != stored:
        return None
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list) or [type(value) for value in values] != list(_TYPES):
        return None
    return Attempt(*values)
