"""Build the missing endgame tables in a process at idle priority, once after a start of the daemon."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from scharten.endgames.known import known, table_file

log = logging.getLogger(__name__)

DELAY_S: Final = 30.0
"""Seconds from the start of the daemon to that of the process: the first game begins undisturbed."""
LOG: Final = "tables.log"


class TableBuilder:
    """Start, watch and end the process; `look_after` is called every few seconds by one thread."""

    def __init__(self, folder: Path, delay_s: float = DELAY_S) -> None:
        """`folder` is the daemon's data folder."""
        self._folder = folder
        self._due = time.monotonic() + delay_s
        self._process: subprocess.Popen[bytes] | None = None
        self._done = False

    def look_after(self) -> None:
        """Start the process when it is due and a table is missing; log its end."""
        if self._done or time.monotonic() < self._due:
            return
        if self._process is None:
            self._done = all(table_file(self._folder / "tables", ending.men).exists() for ending in known())
            if not self._done:
                self._process = self._started()
        elif (status := self._process.poll()) is not None:
            self._done = True
            if status:
                log.warning("the endgame tables are not complete: status %d (%s)", status, LOG)

    def stop(self) -> None:
        """End the process; the next start of the daemon builds the tables that it leaves."""
        self._done = True
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(2)
            return
        process.kill()
        process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        command = (sys.executable, "-m", "scharten", "tables", "build", "--missing")
        options = ("--data", str(self._folder), "--parent", str(os.getpid()))
        with (self._folder / LOG).open("wb") as out:
            return subprocess.Popen(
                [*command, *options],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                process_group=0,
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
