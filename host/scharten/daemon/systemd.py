"""The main thread during play: run the supervisor's checks, and report to systemd."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

TURN_S = 0.25
"""Seconds between the supervisor's checks."""
STALLED_S = 5.0
"""A referee without a beat for longer is stuck: systemd's watchdog then restarts the daemon."""
RESTART_S = 0.3
EXTEND_S = 60
"""A long start asks for this much more time, again and again."""
RESTARTING_S = 120
"""A restart within the unit may keep the watchdog waiting this long, as TimeoutStartSec lets a start."""
SEND_S = 1.0
"""Upper bound on the wait for a systemd that does not read its socket."""


class Stopping:
    """A request to stop, made by any thread or signal handler, that one thread waits for.

    `threading.Event` would deadlock when a signal arrives while its handler runs.
    """

    def __init__(self) -> None:
        self._requested = False
        self._woken: SimpleQueue[None] = SimpleQueue()

    def ask(self) -> None:
        """Request the stop."""
        self._requested = True
        self._woken.put(None)

    def requested(self) -> bool:
        """Whether a stop was requested."""
        return self._requested

    def wait(self, seconds: float) -> bool:
        """Wait at most this long; return whether a stop was requested."""
        if not self._requested:
            with suppress(Empty):
                self._woken.get(timeout=seconds)
        return self._requested


class MainThread:
    """Why the main thread ends: a signal, or settings that a page saved and `put_back` undoes."""

    def __init__(self) -> None:
        self.stopping = Stopping()
        self.put_back: Callable[[], object] | None = None
        self.for_good = False

    def catch_signals(self) -> None:
        """Stop at SIGINT and SIGTERM."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def restart(self, put_back: Callable[[], object]) -> None:
        """Restart the daemon with the saved configuration; the game continues from the journal."""
        self.put_back = put_back
        threading.Timer(RESTART_S, self.stopping.ask).start()  # time for the page to read its answer

    def wait(self, seconds: float, alive: Callable[[], None]) -> bool:
        """Wait while calling `alive`; False when a stop was requested."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            alive()
            if self.stopping.wait(min(1.0, left)):
                return False
        return True

    def _on_signal(self, number: int, _frame: object) -> None:
        self.put_back = None
        self.for_good = number == signal.SIGINT  # Ctrl-C ends the evening; SIGTERM may be a restart
        self.stopping.ask()


class Notifier:
    """Speak systemd's notify protocol on the socket in NOTIFY_SOCKET."""

    def __init__(self, address: str | None = None, watchdog_us: str | None = None) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "") if address is None else address
        interval = os.environ.get("WATCHDOG_USEC", "0") if watchdog_us is None else watchdog_us
        self.watchdog_s = int(interval) / 1e6 if interval.isdigit() else 0.0

    def ready(self, status: str) -> None:
        """Report that the daemon is ready, and let the watchdog be as strict as the unit says."""
        strict = f"WATCHDOG_USEC={self.watchdog_s * 1e6:.0f}\n" if self.watchdog_s else ""
        self._send(f"{strict}READY=1\nSTATUS={status}")

    def restarting(self) -> None:
        """Let the watchdog wait for the next start: systemd sees none, because the process id stays."""
        if self.watchdog_s:
            self._send(f"WATCHDOG_USEC={max(self.watchdog_s, RESTARTING_S) * 1e6:.0f}")

    def status(self, text: str) -> bool:
        """Set the line of `systemctl status`; return whether systemd took it."""
        return self._send(f"STATUS={text}")

    def starting(self, text: str) -> None:
        """Ask for more time than `TimeoutStartSec` and the watchdog give, with a line for `systemctl status`."""
        self._send(f"EXTEND_TIMEOUT_USEC={EXTEND_S}000000\nWATCHDOG=1\nSTATUS={text}")

    def alive(self) -> None:
        """Report that the referee is alive."""
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """Report that the daemon stops."""
        self._send("STOPPING=1")

    def watch(
        self,
        stopping: Stopping,
        beats: Callable[[], int | None],
        status: Callable[[], str],
        check: Callable[[], object] = lambda: None,
    ) -> None:
        """Until `stopping`: call `check` in each turn, and report as alive while `beats` changes."""
        reported, seen_beats = status(), -1
        seen = time.monotonic()
        stalled_s = min(STALLED_S, self.watchdog_s / 2 or STALLED_S)
        while not stopping.wait(min(TURN_S, self.watchdog_s / 4 or TURN_S)):
            check()
            now = beats()
            if now is not None and now != seen_beats:
                seen_beats, seen = now, time.monotonic()
            if time.monotonic() - seen < stalled_s:
                self.alive()
            if reported != (text := status()) and self.status(text):
                reported = text

    def _send(self, text: str) -> bool:
        if not self._address:
            return True
        target = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
            line.settimeout(SEND_S)
            try:
                line.sendto(text.encode(), target)
            except OSError:  # a dead or a full socket must not stop the game
                return False
        return True
