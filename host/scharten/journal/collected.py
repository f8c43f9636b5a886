"""Games of other boards: the records that they published, a file each in `collected/`, without names."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from scharten.contract.news_models import FinishedGame
from scharten.errors import Problem
from scharten.journal.records import MATCH, checked_record, read_record
from scharten.system.log_limit import RateLimitedLog
from scharten.system.secrets import write_private

log = logging.getLogger(__name__)

FOLDER: Final = "collected"
MOST_BYTES: Final = 200_000_000
"""Some ten thousand games; a board that publishes without end fills no disk."""


class CollectedGames:
    """The records in a data folder."""

    def __init__(self, data: Path) -> None:
        self.folder = data / FOLDER
        self._warnings = RateLimitedLog(log)
        self._bytes = sum(size for _, _, size in self._files())

    def keep(self, payload: Any) -> None:
        """Store a finished game of registered players, or a newer record of it; ignore any other payload.

        Only the form is checked here: readers replay the record.
        """
        record = checked_record(payload)
        if isinstance(record, Problem) or not MATCH.fullmatch(record["match"]) or not any(record["players"]):
            return
        if record["result"] is None or record["inputs"] is None:
            return
        text = json.dumps({**record, "names": {"white": "", "black": ""}}, separators=(",", ":"))
        path = self._path(record["match"])
        try:
            known = path.read_text(encoding="utf-8") if path.exists() else ""
            if known == text:
                return
            if self._bytes + len(text) - len(known) > MOST_BYTES:
                self._warnings.warn(
                    "full", "%s has %d MB: no more games are kept", self.folder, MOST_BYTES // 10**6
                )
                return
            write_private(path, text)
        except OSError as error:
            self._warnings.warn(
                "unwritable", "a game of another board is not kept in %s: %s", self.folder, error
            )
            return
        self._bytes += len(text) - len(known)

    def changed(self) -> Iterator[tuple[str, int]]:
        """Yield the match of each file and when it was written, in ns."""
        return ((path.stem, written) for path, written, _ in self._files())

    def read(self, match: str) -> FinishedGame | Problem:
        """Return the record of a match, or why it cannot be read."""
        path = self._path(match)
        try:
            record = read_record(path.read_bytes())
        except OSError as error:
            return Problem.reasoned("unreadable", "inputs_unread", error=str(error.strerror))
        if isinstance(record, Problem) or record["match"] == match:
            return record
        return Problem("malformed", f"{path} is the record of another match")

    def _path(self, match: str) -> Path:
        return self.folder / f"{match}.json"

    def _files(self) -> Iterator[tuple[Path, int, int]]:
        """Yield each file with the time of its last change in ns and its size; one that goes meanwhile is left out."""
        for path in sorted(self.folder.glob("*.json")):
            try:
                state = path.stat()
            except OSError:
                continue
            yield path, state.st_mtime_ns, state.st_size
