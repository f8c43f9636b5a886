"""`scharten-calibrate` in a pty, as a person runs it."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """Run the command on a pty; return its lines and type for the person."""

    def __init__(self, *arguments: str) -> None:
        environment = os.environ | {"TERM": "xterm", "COLUMNS": "200"}
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scharten_calibration", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
        )
        os.close(slave)
        self._half = ""
        self._lines: list[str] = []
        self.seen: list[str] = []

    def line(self, timeout: float = 60) -> str:
        """Return the next line on the screen, without colours."""
        end = time.monotonic() + timeout
        while not self._lines:
            assert time.monotonic() < end, f"no further line; these came: {self.seen[-5:]}"
            ready, _, _ = select.select([self._master], [], [], 0.2)
            if ready:
                try:
                    data = os.read(self._master, 4096)
                except OSError:
                    raise AssertionError(f"it ended; these came: {self.seen[-5:]}") from None
                *whole, self._half = (self._half + data.decode()).replace("\r", "").split("\n")
                self._lines += [_ESCAPES.sub("", item) for item in whole]
        self.seen.append(self._lines.pop(0))
        return self.seen[-1]

    def until(self, pattern: str) -> re.Match[str]:
        """Return the next line that matches the pattern."""
        while True:
            found = re.search(pattern, self.line())
            if found:
                return found

    def type(self, text: str) -> None:
        """Type a text and press Enter."""
        os.write(self._master, f"{text}\n".encode())

    def ended(self) -> int:
        """Wait for the end and return the exit status."""
        return self.process.wait(40)

    def close(self) -> None:
        """Kill the command if it still runs."""
        self.process.kill()
        self.process.wait(40)
        os.close(self._master)
