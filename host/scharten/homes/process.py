"""The daemon's side: start the process of lamps and webhooks, watch it, and restart it when it ends."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from scharten.errors import SchartenError
from scharten.homes.settings import HomesSection, read_keys
from scharten.system.secrets import write_private

log = logging.getLogger(__name__)

LONGEST_WAIT_S = 60.0
FILE = "homes.json"
"""In the data folder, for the process alone: settings, broker and account."""

Warn = Callable[[str, str | None], None]


def start_homes(
    folder: Path, settings: HomesSection, endpoint: Mapping[str, object], warn: Warn
) -> HomesProcess | None:
    """Start the process if there is work for it; without its webhooks' secrets only warn, so that play goes on."""
    if not settings.lamps and not settings.webhooks:
        return None
    try:
        read_keys(settings, folder)
    except SchartenError as error:
        log.warning("no lamps and webhooks: %s", error)
        warn("homes", f"no lamps and webhooks: {error.message}")
        return None
    if "username" not in endpoint:
        log.warning("lamps and webhooks have no account: copy `lamps` to broker.credentials")
    process = HomesProcess(folder, settings, endpoint, warn)
    process.look_after()
    return process


class HomesProcess:
    """One process; the daemon calls `look_after` about every two seconds."""

    def __init__(
        self, folder: Path, settings: HomesSection, endpoint: Mapping[str, object], warn: Warn
    ) -> None:
        self._folder, self._warn = folder, warn
        self._file = {"homes": settings.model_dump(mode="json"), "endpoint": dict(endpoint)}
        self._process: subprocess.Popen[bytes] | None = None
        self._shown_warning: str | None = None
        self._ends, self._next, self._since = 0, 0.0, 0.0

    def look_after(self) -> None:
        """Start it, or restart it after it ended, each time a little later."""
        now = time.monotonic()
        if self._process is not None and self._process.poll() is not None:
            self._ends = self._ends + 1 if now - self._since < LONGEST_WAIT_S else 1
            self._next = now + min(LONGEST_WAIT_S, 2.0**self._ends)
            self._process = None
            self._show_warning("lamps and webhooks: their process ended and is started again")
        if self._process is None and now >= self._next:
            self._since = now
            try:
                self._process = self._started()
            except OSError as error:
                self._next = now + LONGEST_WAIT_S
                log.error("lamps and webhooks cannot be started: %s", error)
        elif self._process is not None and now - self._since > LONGEST_WAIT_S:
            self._show_warning(None)

    def stop(self) -> None:
        """End it; lamps go back to idle."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(6)
            return
        process.kill()
        process.wait()

    def _show_warning(self, words: str | None) -> None:
        if words != self._shown_warning:
            self._shown_warning = words
            self._warn("homes", words)

    def _started(self) -> subprocess.Popen[bytes]:
        file = self._folder / FILE
        write_private(file, json.dumps(self._file))
        command = [sys.executable, "-m", "scharten", "homes"]
        command += ["--child", str(file), "--parent", str(os.getpid()), "--data", str(self._folder)]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
