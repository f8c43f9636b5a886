"""The simulated board's socket in the wall: a pty that programs open like a serial port."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import tty
from pathlib import Path


class PtyPort:
    """A pty, and a lasting name for it if `link` is given. Nothing is kept for a host that is not there."""

    def __init__(self, link: Path | None) -> None:
        self._link = link
        self._master = -1
        self.name = ""
        """The device to open, or "" while unplugged."""

    def plug(self) -> None:
        """Make a port; the lasting name then leads to it."""
        self._master, slave = pty.openpty()
        self.name = os.ttyname(slave)
        tty.setraw(slave)  # else the line would echo the board's output before a host sets it up
        os.close(slave)
        os.set_blocking(self._master, False)
        if self._link is not None:
            self._link.parent.mkdir(parents=True, exist_ok=True)
            fresh = self._link.with_name(f".{self._link.name}.{os.getpid()}")
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(self.name)
            fresh.replace(self._link)

    def unplug(self) -> None:
        """Take the port away, and its lasting name if it is still ours."""
        if self._master < 0:
            return
        if self._link is not None:
            with contextlib.suppress(OSError):
                if str(self._link.readlink()) == self.name:
                    self._link.unlink()
        os.close(self._master)
        self._master, self.name = -1, ""

    @property
    def plugged(self) -> bool:
        """Whether there is a port at all."""
        return self._master >= 0

    def fileno(self) -> int:
        """The board's end, for `select`."""
        return self._master

    def listening(self) -> bool:
        """Whether some program has the port open."""
        if not self.plugged:
            return False
        poll = select.poll()
        poll.register(self._master, 0)
        return not any(events & select.POLLHUP for _, events in poll.poll(0))

    def read(self) -> bytes:
        """Read the host's bytes, if any."""
        with contextlib.suppress(OSError):  # EIO: the host closed it; EAGAIN: nothing there
            return os.read(self._master, 4096)
        return b""

    def write(self, data: bytes) -> None:
        """Send bytes; those that a slow host's buffer cannot take are lost, as on a wire, and sent again later."""
        with contextlib.suppress(OSError):
            os.write(self._master, data)
