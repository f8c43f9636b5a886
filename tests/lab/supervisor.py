"""A supervisor such as systemd on a notify socket, which records the daemon's messages."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path


class Supervisor:
    """Receive messages until `end`; a daemon that is to send them gets `environment`."""

    def __init__(self, folder: Path) -> None:
        self.lines: list[str] = []
        self.received_at = time.monotonic()
        address = folder / "notify"
        self.environment = {"NOTIFY_SOCKET": str(address)}
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(address))
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def times_sent(self, line: str) -> int:
        """Return how often a line was sent."""
        return self.lines.count(line)

    def silent_for(self, seconds: float) -> bool:
        """Return whether nothing was sent for this long."""
        return time.monotonic() - self.received_at > seconds

    def end(self) -> None:
        """Close the socket."""
        self._socket.shutdown(socket.SHUT_RD)
        self._thread.join()
        self._socket.close()

    def _listen(self) -> None:
        while reported := self._socket.recv(999):
            self.received_at = time.monotonic()
            self.lines += reported.decode().splitlines()
