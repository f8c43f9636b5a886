"""Endgame tables on the disk: read on demand, checked by checksum, built when missing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from scharten.endgames.known import table_file
from scharten.errors import Problem, SchartenError
from scharten.play.endgame_board import Men
from scharten.play.retrograde import ORDER, Counts, Table, build, leads_to
from scharten.play.tables import name_of, read, write

log = logging.getLogger(__name__)
Report = Callable[[str], None]


class TableFiles:
    """The tables of one folder; a damaged table counts as missing and is reported once.

    At most `most` tables stay in memory: all of them take 90 MB. A file that appears later is found.
    """

    def __init__(self, folder: Path, report: Report = log.warning, most: int = len(ORDER)) -> None:
        self._folder, self._report, self._most = folder, report, most
        self._known: dict[Men, tuple[Table, Counts] | None] = {}

    def __call__(self, men: Men) -> Table | None:
        """Return the table of these men, or None."""
        if men not in self._known and not self._file(men).exists():
            return None
        if men not in self._known:
            self._remember(men, self._kept(men))
        kept = self._known[men]
        return None if kept is None else kept[0]

    def sure(self, men: Men) -> tuple[Table, Counts]:
        """Return table and counts, building them and the smaller tables they need."""
        self(men)
        return self._known.get(men) or self.build(men)

    def build(self, men: Men) -> tuple[Table, Counts]:
        """Build a table and write its file atomically."""
        before = {smaller: self.sure(smaller)[0] for smaller in leads_to(men)}
        table, counts = build(men, before)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            draft = self._folder / f".{name_of(men)}.part"
            draft.unlink(missing_ok=True)
            draft.write_bytes(write(men, table, counts))
            draft.replace(self._file(men))
        except OSError as error:
            raise SchartenError.coded("table_unwritable", folder=self._folder, why=error.strerror) from error
        self._remember(men, (table, counts))
        return table, counts

    def _remember(self, men: Men, kept: tuple[Table, Counts] | None) -> None:
        self._known.pop(men, None)
        self._known[men] = kept
        while len(self._known) > self._most:
            del self._known[next(iter(self._known))]

    def _file(self, men: Men) -> Path:
        return table_file(self._folder, name_of(men))

    def _kept(self, men: Men) -> tuple[Table, Counts] | None:
        path = self._file(men)
        if path.exists() and not path.is_file():  # reading a pipe would block
            self._report(f"{path} is no file")
            return None
        try:
            found = read(men, path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            self._report(f"{path}: {error.strerror}")
            return None
        if not isinstance(found, Problem):
            return found
        self._report(f"{path}: {found.words}. {found.cure}")
        return None
