"""A process that has loaded its modules before it is needed, and waits for its first line.

A start takes a second of a processor, and many on a busy machine: too long for a person who waits for a turn.
"""

from __future__ import annotations

import json
import select
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from scharten.game.basics import Json

UNUSED_S: Final = 600.0
"""A process that nobody needs within this time is ended: it keeps 80 MB."""


class ReadyProcess:
    """At most one prepared process of a command; from any thread."""

    def __init__(self, command: Sequence[str], errors: Path | None = None) -> None:
        self._command, self._errors = command, errors
        self._process: subprocess.Popen[bytes] | None = None
        self._since = 0.0
        self._lock = threading.Lock()

    def prepare(self) -> None:
        """Start the process, unless it waits already."""
        with self._lock:
            self._since = time.monotonic()
            if self._process is None or self._process.poll() is not None:
                self._process = self._started()

    def take(self, task: Json) -> subprocess.Popen[bytes] | None:
        """Give the waiting process its only task and hand it over; None without one."""
        with self._lock:
            process, self._process = self._process, None
        if process is None or process.poll() is not None or not _written(process, task):
            return None
        assert process.stdin is not None
        process.stdin.close()
        return process

    def ask(self, question: Json, timeout_s: float) -> Json:
        """Return the answer to a question; `OSError` or `ValueError` without one. Later questions find it ready."""
        self.prepare()
        with self._lock:
            process = self._process
            if process is None or not _written(process, question):
                raise OSError("the process ended")
            assert process.stdout is not None
            came, _, _ = select.select([process.stdout], [], [], timeout_s)
            if not came:
                self._end()
                raise OSError(f"no answer within {timeout_s:.0f} s")
            answer: Json = json.loads(process.stdout.readline())
            self._since = time.monotonic()
            return answer

    def end_unused(self) -> None:
        """End a process that nobody has needed for a while."""
        with self._lock:
            if time.monotonic() - self._since > UNUSED_S:
                self._end()

    def stop(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._errors is None:
            return subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
            )
        with self._errors.open("ab") as errors:
            pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
            return subprocess.Popen(self._command, stdin=pipe, stdout=nowhere, stderr=errors, process_group=0)


def _written(process: subprocess.Popen[bytes], line: Json) -> bool:
    """Write one line of JSON; return whether the process could take it."""
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(line).encode() + b"\n")
        process.stdin.flush()
    except OSError:
        return False
    return True
