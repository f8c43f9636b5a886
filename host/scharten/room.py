"""What stands around the desk: the board that is told its lines are stored, the simulated board, the stop-watch."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scharten.match.inputs import Input, Reading, Receipt, receipt_of
from scharten.match.referee import lamp
from scharten.match.state import Match

LINGER_S = 600
"""How long a simulated board waits for a daemon to come back."""
COMES_S = 3.0
"""How long one that was just started may take until its port is there."""
FAULT = 4


def now_ms() -> int:
    """The host's Unix time in ms."""
    return time.time_ns() // 1_000_000


class LineBoard(Protocol):
    """A board on a serial line."""

    def acknowledge(self, session: int, seq: int) -> None:
        """The event is durably stored."""
        ...

    def set_lamp(self, lamp: int) -> None:
        """Show something with the board's lamp."""
        ...


@dataclass
class Acknowledger:
    """Speaks to the board on the line once there is one."""

    board: LineBoard | None = None

    def acknowledge(self, receipt: Receipt) -> None:
        """This reading is durably stored."""
        if self.board is not None:
            self.board.acknowledge(receipt.session, receipt.number)

    def show(self, match: Match, trouble: bool) -> None:
        """Set the lamp to what the match waits for, or to a fault."""
        if self.board is not None:
            self.board.set_lamp(FAULT if trouble else lamp(match))


class SimulatedBoard:
    """The simulated board's process: started apart from the daemon, so that it outlives its restart."""

    def __init__(self, folder: Path, profile: str) -> None:
        self._folder, self._profile = folder, profile
        self.port = folder / "simulated-board"
        self._endpoint = folder / "simulator.json"
        self._pid = folder / "simulator.pid"
        self._started = -COMES_S

    def tell_broker(self, endpoint: Mapping[str, object]) -> None:
        """Where the throws of the pages are to be heard; read anew at each connection."""
        draft = self._endpoint.with_name(f".{self._endpoint.name}.{os.getpid()}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(endpoint, file)
        draft.replace(self._endpoint)

    def ensure(self) -> None:
        """Start it unless it is there already, in a session of its own that Ctrl-C does not reach."""
        if self._alive():
            return
        self.port.unlink(missing_ok=True)  # of one that was killed: its pty may be somebody's terminal by now
        arguments = ["--data", str(self._folder), "--profile", self._profile, "--link", str(self.port)]
        arguments += ["--endpoint", str(self._endpoint), "--linger", str(LINGER_S)]
        log = self._folder / "simulator.log"
        with log.open("ab") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "scharten", "simulate", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=out,
                start_new_session=True,
            )
        self._pid.write_text(str(process.pid))
        self._started = time.monotonic()

    def where(self) -> str | None:
        """The port while the board lives, waited for after a start; the name alone could lead to somebody's pty."""
        while self._alive() and not self.port.exists() and time.monotonic() - self._started < COMES_S:
            time.sleep(0.02)
        return str(self.port) if self._alive() else None

    def release(self, *, for_good: bool) -> None:
        """Let it wait for the next daemon, or end it when a person stopped the evening."""
        if for_good and (pid := self._alive()):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGTERM)

    def _alive(self) -> int | None:
        try:
            pid = int(self._pid.read_text())
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return None
        return pid if b"simulate" in command and str(self.port).encode() in command else None


def whereabouts(folder: Path, told: Mapping[str, object]) -> Callable[[], None]:
    """Say in running.json where this daemon serves, for tools of the same user; gives what takes it away again."""
    path = folder / "running.json"
    draft = folder / f".{path.name}.{os.getpid()}"
    draft.write_text(json.dumps({"pid": os.getpid(), **told}))
    draft.replace(path)
    return lambda: path.unlink(missing_ok=True)


class Trace:
    """Writes when each input passed each stage, in ns of the steady clock, for `make bench ARGS=latency`."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", buffering=1)
        self._stages: dict[str, int] = {}

    def note(self, stage: str, given: Input) -> None:
        """One stage passed; the last one writes the line."""
        if stage == "taken":
            self._stages = {}
        self._stages[stage] = time.monotonic_ns()
        if stage == "finished":
            receipt = receipt_of(given)
            kind = type(given.what if isinstance(given, Reading) else given).__name__
            number = receipt.number if receipt else None
            self._file.write(json.dumps({"kind": kind, "seq": number, **self._stages}) + "\n")
