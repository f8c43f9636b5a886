"""Keep the last lines of the log in the data folder for `scharten report`; a write error never stops play."""

from __future__ import annotations

import io
import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

BYTES = 256 << 10


class KeptLog(RotatingFileHandler):
    """At most two files of `BYTES` each, readable by the owner only."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=BYTES, backupCount=1, encoding="utf-8", delay=True)

    def _open(self) -> io.TextIOWrapper:
        def private(name: str, flags: int) -> int:
            return os.open(name, flags, 0o600)

        raw = io.FileIO(self.baseFilename, "ab", opener=private)
        return io.TextIOWrapper(io.BufferedWriter(raw), self.encoding)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  (logging's own name)
        """Ignore a full or read-only disk: the journal reports it."""
