"""The main thread while a game is played: look after the parts, and report to systemd where there is one."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue

from scharten.errors import SchartenError

log = logging.getLogger(__name__)

ROUND_S = 2.0
"""How often the daemon looks after its parts."""
STALLED_S = 5.0
"""A referee that is silent for longer is stuck: the watchdog then has the daemon restarted."""
SEND_S = 1.0
"""How long one that does not read what it is told may keep the daemon waiting."""


class Stopping:
    """A wish to end, said by any thread or signal, and waited for by one thread.

    `threading.Event` would wait for itself when a signal comes while another one is being handled.
    """

    def __init__(self) -> None:
        self._asked = False
        self._woken: SimpleQueue[None] = SimpleQueue()

    def ask(self) -> None:
        """End soon."""
        self._asked = True
        self._woken.put(None)

    def asked(self) -> bool:
        """Whether anybody has asked."""
        return self._asked

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; whether anybody has asked."""
        if not self._asked:
            with suppress(Empty):
                self._woken.get(timeout=seconds)
        return self._asked


class Notifier:
    """Speaks the notify protocol on the socket that systemd names in NOTIFY_SOCKET."""

    def __init__(self, address: str | None = None, watchdog_us: str | None = None) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "") if address is None else address
        interval = os.environ.get("WATCHDOG_USEC", "0") if watchdog_us is None else watchdog_us
        self.watchdog_s = int(interval) / 1e6 if interval.isdigit() else 0.0

    def ready(self, status: str) -> None:
        """The daemon plays."""
        self._send(f"READY=1\nSTATUS={status}")

    def status(self, text: str) -> bool:
        """One line that `systemctl status` shows; whether it was taken."""
        return self._send(f"STATUS={text}")

    def alive(self) -> None:
        """The referee answered lately."""
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """The daemon was asked to stop."""
        self._send("STOPPING=1")

    def watch(
        self,
        stopping: Stopping,
        beats: Callable[[], int],
        status: Callable[[], str],
        rounds: Sequence[Callable[[], object]],
    ) -> None:
        """Until `stopping`: call every round now and then, and say alive as long as `beats` changes."""
        refused: dict[Callable[[], object], str] = {}
        told, seen_beats = status(), -1
        seen, rounded = time.monotonic(), 0.0
        stalled_s = min(STALLED_S, self.watchdog_s / 2 or STALLED_S)
        while not stopping.wait(min(1.0, self.watchdog_s / 4 or 1.0)):
            if time.monotonic() - rounded > ROUND_S:
                rounded = time.monotonic()
                for look in rounds:
                    _try(look, refused)
            if beats() != seen_beats:
                seen_beats, seen = beats(), time.monotonic()
            if time.monotonic() - seen < stalled_s:
                self.alive()
            if told != (now := status()) and self.status(now):
                told = now

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


def _try(look: Callable[[], object], refused: dict[Callable[[], object], str]) -> None:
    """What the disk or a process refuses in a round is told once and tried in the next: play goes on without it."""
    try:
        look()
        refused.pop(look, None)
    except (OSError, SchartenError) as error:
        if refused.get(look) != str(error):
            log.warning("a part could not be looked after, it is tried again: %s", error)
        refused[look] = str(error)
