"""The wizard that maps a board's contacts, run as a process of its own for a page."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from scharten.errors import Problem

WORDS: Final = ("back", "skip", "again", "take", "quit")
_MODULE: Final = "scharten_calibration"
Tell = Callable[[dict[str, Any]], None]


class MappingRun:
    """One run of `scharten-calibrate matrix --json`; `tell` hears each state, the last one with `ended`."""

    def __init__(self, port: str, baud: int, out: Path, tell: Tell) -> None:
        self.out, self._tell = out, tell
        out.parent.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable,
            "-m",
            _MODULE,
            "matrix",
            "--port",
            port,
            "--baud",
            str(baud),
            "--out",
            str(out),
        ]
        command += ["--name", out.stem, "--replace", "--no-page", "--json"]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self._thread = threading.Thread(target=self._read, name="mapping", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it goes on."""
        return self._process.poll() is None

    def say(self, word: object) -> Problem | None:
        """What a person can say besides pressing a bed."""
        if word not in WORDS:
            return Problem("malformed", f"say {', '.join(WORDS)}")
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(f"{word}\n")
        except OSError:
            return Problem("no_mapping", "no board is being mapped")
        return None

    def stop(self) -> None:
        """End it; what was pressed so far is kept."""
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
            self._tell({**state, "ended": False})
        words = self._process.stderr.read().strip()
        done = self._process.wait() == 0 and self.out.is_file() and not self._unfinished()
        self._tell({"ended": True, "done": done, "profile": self.out.stem, "words": words[-600:]})

    def _unfinished(self) -> bool:
        return self.out.with_name(f"{self.out.name}.unfinished").exists()
