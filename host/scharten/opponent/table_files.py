"""Endgame tables on the disk: read when they are asked for, refused by their checksum, built anew."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from scharten.errors import Problem, SchartenError
from scharten.play.endgame_board import Men
from scharten.play.retrograde import Counts, Table, build, leads_to
from scharten.play.tables import name_of, read, write

log = logging.getLogger(__name__)
Says = Callable[[str], None]


class TableFiles:
    """The tables of one folder. Asked for a table that is not there or damaged it has none, and says so once."""

    def __init__(self, folder: Path, says: Says = log.warning) -> None:
        self._folder, self._says = folder, says
        self._known: dict[Men, tuple[Table, Counts] | None] = {}

    def __call__(self, men: Men) -> Table | None:
        """The table of these men, if its file is there and whole."""
        if men not in self._known:
            self._known[men] = self._kept(men)
        kept = self._known[men]
        return None if kept is None else kept[0]

    def sure(self, men: Men) -> tuple[Table, Counts]:
        """The table of these men and its counts, built if need be, after those that it is built from."""
        self(men)
        return self._known[men] or self.build(men)

    def build(self, men: Men) -> tuple[Table, Counts]:
        """Build a table and keep it: whole or not at all."""
        before = {each: self.sure(each)[0] for each in leads_to(men)}
        table, counts = build(men, before)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            draft = self._folder / f".{name_of(men)}.part"
            draft.unlink(missing_ok=True)
            draft.write_bytes(write(men, table, counts))
            draft.replace(self._file(men))
        except OSError as error:
            raise SchartenError(
                f"the table cannot be kept in {self._folder}: {error.strerror}", "Give --data."
            ) from error
        self._known[men] = table, counts
        return table, counts

    def _file(self, men: Men) -> Path:
        return self._folder / f"{name_of(men)}.table"

    def _kept(self, men: Men) -> tuple[Table, Counts] | None:
        if (
            self._file(men).exists() and not self._file(men).is_file()
        ):  # a pipe would be waited for without end
            self._says(f"{self._file(men)} is no file")
            return None
        try:
            found = read(men, self._file(men).read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            self._says(f"{self._file(men)}: {error.strerror}")
            return None
        if isinstance(found, Problem):
            self._says(f"{self._file(men)}: {found.words}. {found.cure}")
            return None
        return found
