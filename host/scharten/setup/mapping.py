"""The wizard that maps a board's contacts, as a process that a page controls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from scharten.errors import Problem
from scharten.words import ENGLISH

WORDS: Final = ("back", "skip", "again", "take", "quit")
_MODULE: Final = "scharten_calibration"
OnState = Callable[[dict[str, Any]], None]


class MappingRun:
    """A run of `scharten-calibrate matrix --json`; it calls `on_state` with each state, the last with `ended`.

    The wizard's words are in this language.
    """

    def __init__(self, port: str, baud: int, out: Path, on_state: OnState, language: str = ENGLISH) -> None:
        self.out, self._on_state = out, on_state
        out.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", _MODULE, "matrix", "--port", port, "--baud", str(baud)]
        command += ["--out", str(out), "--name", out.stem, "--replace", "--no-page", "--json"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            encoding="utf-8",
            bufsize=1,
            env={**os.environ, "SCHARTEN_LANGUAGE": language, "PYTHONIOENCODING": "utf-8"},
        )
        self._thread = threading.Thread(target=self._read, name="mapping", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """True while the wizard runs."""
        return self._process.poll() is None

    def answer(self, word: object) -> Problem | None:
        """Pass a command to the wizard; a person gives these besides pressing beds."""
        if word not in WORDS:
            return Problem("malformed", f"say {', '.join(WORDS)}")
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(f"{word}\n")
        except OSError:
            return Problem("no_mapping", "no board is being mapped")
        return None

    def stop(self) -> None:
        """End the wizard; it saves the beds that were pressed so far."""
        if self.running:
            self._process.terminate()
        self._process.wait(5)
        self._thread.join(5)

    def _read(self) -> None:
        assert self._process.stdout is not None and self._process.stderr is not None
        for line in self._process.stdout:
            try:
                state = json.loads(line)
            except ValueError:
                continue
            self._on_state({**state, "ended": False})
        words = self._process.stderr.read().strip()
        done = self._process.wait() == 0 and self.out.is_file() and not self._unfinished()
        self._on_state({"ended": True, "done": done, "profile": self.out.stem, "words": words[-600:]})

    def _unfinished(self) -> bool:
        return self.out.with_name(f"{self.out.name}.unfinished").exists()
