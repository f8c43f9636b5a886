"""What systemd is told: ready, alive, and why not. Without systemd nothing is sent."""

from __future__ import annotations

import os
import socket


class Notifier:
    """Speaks the notify protocol on the socket that systemd names in NOTIFY_SOCKET."""

    def __init__(self, address: str | None = None, watchdog_us: str | None = None) -> None:
        self._address = os.environ.get("NOTIFY_SOCKET", "") if address is None else address
        interval = os.environ.get("WATCHDOG_USEC", "0") if watchdog_us is None else watchdog_us
        self.watchdog_s = int(interval) / 1e6 if interval.isdigit() else 0.0

    def ready(self, status: str) -> None:
        """The daemon plays."""
        self._send(f"READY=1\nSTATUS={status}")

    def status(self, text: str) -> None:
        """One line that `systemctl status` shows."""
        self._send(f"STATUS={text}")

    def alive(self) -> None:
        """The referee answered lately: the watchdog may wait on."""
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """The daemon was asked to stop."""
        self._send("STOPPING=1")

    def _send(self, text: str) -> None:
        if not self._address:
            return
        target = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
            try:
                line.sendto(text.encode(), target)
            except OSError:  # a dead socket must not stop the game
                return
