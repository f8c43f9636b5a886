"""Electronic boards on a serial port: one thread reads, anybody may acknowledge.

The port may vanish and come back at any time; that is told, survived, and never stands in for another source.
POSIX only, as the rest of the host: it waits on the port with `select`, so that a dart costs no polling time.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import termios
import threading
import time
from collections.abc import Callable

import serial

from scharten.dartboard.link import LinkState
from scharten.dartboard.profile import BoardProfile
from scharten.errors import SchartenError
from scharten.sensors.board_talk import (
    BoardTalk,
    EventsLost,
    LineReceived,
    LinkCounts,
    Now,
    Said,
    SettingReported,
    SourceEvent,
    SourceState,
    SourceStatus,
)

__all__ = [
    "EventsLost",
    "LineReceived",
    "LinkCounts",
    "PortError",
    "SerialSource",
    "SettingReported",
    "SourceEvent",
    "SourceState",
    "SourceStatus",
    "open_port",
]

_RETRY_S = 0.2
_IDLE_S = 0.25
_READ = 4096


class PortError(SchartenError):
    """The port cannot be had; `state` says whether it is missing or somebody else's."""

    def __init__(self, state: SourceState, message: str, cure: str) -> None:
        super().__init__(message, cure)
        self.state = state


def open_port(path: str, baud: int) -> serial.Serial:
    """The port, ours alone; `PortError` names the port and the cure."""
    try:
        port = serial.Serial(path, baud, timeout=0, write_timeout=0, exclusive=True)
    except (serial.SerialException, OSError, ValueError) as error:
        raise _port_error(path, error) from error
    with contextlib.suppress(OSError, termios.error):
        if not os.path.realpath(path).startswith("/dev/pts/"):  # a pty would stay locked after a crash
            fcntl.ioctl(port.fileno(), termios.TIOCEXCL)  # programs that ask for no lock are kept out too
    with contextlib.suppress(OSError, ValueError, AttributeError, NotImplementedError):
        port.set_low_latency_mode(True)  # a USB adapter with an FTDI chip else waits 16 ms for more bytes
    return port


def _port_error(path: str, error: Exception) -> PortError:
    number = getattr(error, "errno", None)
    if number in (errno.ENOENT, errno.ENXIO, errno.ENODEV):
        return PortError(
            SourceState.MISSING,
            f"there is no port {path}",
            "Plug the board in; `scharten doctor` lists the ports.",
        )
    if number in (errno.EAGAIN, errno.EBUSY):
        return PortError(
            SourceState.BUSY,
            f"another program has the port {path}",
            f"Only one can: close it (`fuser -v {path}` names it). The daemon and scharten-calibrate take turns.",
        )
    if number in (errno.EACCES, errno.EPERM):
        return PortError(
            SourceState.BUSY,
            f"this user may not open {path}",
            "Run `sudo usermod -aG dialout $USER`, log out and in again.",
        )
    return PortError(SourceState.MISSING, f"{path} cannot be used: {error}", "Is it a serial port?")


class SerialSource:
    """A board on a port. `emit` is called from the reading thread; it may block, the board then keeps its events.

    `port` is a path or a function that gives the path of the moment (None: there is none). `clock` gives Unix ms.
    `resume` is the last event that the journal holds, so that it is not taken twice.
    """

    def __init__(
        self,
        port: str | Callable[[], str | None],
        baud: int,
        profile: BoardProfile,
        emit: Callable[[SourceEvent], None],
        clock: Callable[[], int],
        *,
        resume: LinkState | None = None,
    ) -> None:
        self._where = port if callable(port) else lambda: port
        self._baud, self._emit, self._clock = baud, emit, clock
        self._talk = BoardTalk.of(profile, resume)
        self._lock = threading.Lock()  # guards the talk and writing to the port
        self._fd: int | None = None
        self._wake_out, self._wake_in = os.pipe()
        self._stop = threading.Event()
        self._told: tuple[SourceState, str] | None = None
        self._thread = threading.Thread(target=self._run, name="serial", daemon=True)

    @property
    def counts(self) -> LinkCounts:
        """What happened on the line so far."""
        return self._talk.counts

    def start(self) -> None:
        """Begin looking for the board; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """Close the port and end the thread."""
        self._stop.set()
        os.write(self._wake_in, b"!")
        if self._thread.ident is not None:
            self._thread.join(5)

    def acknowledge(self, session: int, seq: int) -> None:
        """The event is durably stored: tell the board, within a second. From any thread; never blocks, never raises."""
        with self._lock:
            self._write(self._talk.stored(session, seq, self._now()))

    def set_lamp(self, lamp: int) -> None:
        """Set the lamp within a second and after each hello: 0 off, 1 throw now, 2 counted, 3 lost, 4 fault."""
        with self._lock:
            self._write(self._talk.set_lamp(lamp, self._now()))

    def _run(self) -> None:
        while not self._stop.is_set():
            path = self._where()
            try:
                if path is None:
                    raise PortError(
                        SourceState.MISSING, "no port with a board is known", "Plug the board in."
                    )
                port = open_port(path, self._baud)
            except PortError as error:
                self._trouble(error.state, path or "", error.message, error.cure)
                self._stop.wait(_RETRY_S)
                continue
            try:
                self._listen(port, path)
            finally:
                with self._lock:
                    self._fd = None
                port.close()

    def _listen(self, port: serial.Serial, path: str) -> None:
        fd = port.fileno()
        with self._lock:
            self._fd = fd
            said = self._talk.opened(path, self._now())
        self._tell(said)
        while not self._stop.is_set():
            try:
                ready, _, _ = select.select([fd, self._wake_out], [], [], _IDLE_S)
                data = os.read(fd, _READ) if fd in ready else None
            except OSError:
                data = b""
            if data == b"":
                self._trouble(
                    SourceState.MISSING,
                    path,
                    f"the board at {path} was unplugged",
                    "Plug it in again; the game goes on.",
                )
                return
            self._take(data)

    def _take(self, data: bytes | None) -> None:
        now = self._now()
        with self._lock:
            said = self._talk.heard(data, now) if data else Said()
            self._write(said.reply)
            idle = self._talk.idle(now)
            self._write(idle.reply)
        self._tell(said)
        self._tell(idle)

    def _write(self, data: bytes) -> None:
        if self._fd is not None and data:
            with contextlib.suppress(OSError):  # full or gone: the board sends again, and is answered again
                os.write(self._fd, data)

    def _tell(self, said: Said) -> None:
        for event in said.events:
            if isinstance(event, SourceStatus):
                self._told = (event.state, event.port)
            self._emit(event)

    def _trouble(self, state: SourceState, path: str, words: str, cure: str) -> None:
        if self._told == (state, path):
            return
        self._told = (state, path)
        self._emit(SourceStatus(state, path, words, cure))

    def _now(self) -> Now:
        return Now(self._clock(), time.monotonic_ns() // 1_000_000)
