"""Electronic boards on a serial port: a thread reads, any thread may acknowledge.

The port may vanish and come back at any time; that is reported, and no other source replaces it. POSIX only, like the
rest of the host: `poll` waits on the port, so that a dart costs no polling time.
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
from dataclasses import asdict

import serial

from scharten.dartboard import lines
from scharten.dartboard.lines import Lamp
from scharten.dartboard.link import LineReceived, LinkState
from scharten.dartboard.profile import BoardProfile
from scharten.errors import SchartenError
from scharten.match.inputs import (
    Button,
    ButtonName,
    ContactStuck,
    Input,
    Knock,
    Reading,
    ReadingsLost,
    Receipt,
    SensorChanged,
    SensorNews,
    SensorState,
)
from scharten.sensors.board_talk import (
    BoardTalk,
    EventsLost,
    HitNoticed,
    LinkCounts,
    Now,
    PortEvent,
    PortState,
    PortStatus,
    TalkResult,
)
from scharten.sensors.profiles import load_profile
from scharten.sensors.sensor import BOARD, SensorSetup, dart_of_contact
from scharten.sensors.settings import SerialSection
from scharten.system.worker import Worker

_RETRY_S = 0.2
_IDLE_S = 0.25
_READ = 4096


class PortError(SchartenError):
    """The port cannot be opened; `state`: missing, or in use by another program; `reason`: a code of `source` texts."""

    state, reason = PortState.MISSING, PortState.MISSING.value


def open_port(path: str, baud: int) -> serial.Serial:
    """Open the port exclusively; `PortError` names the port and the cure."""
    try:
        port = serial.Serial(path, baud, timeout=0, write_timeout=0, exclusive=True)
    except (serial.SerialException, OSError, ValueError, termios.error) as error:  # termios: just unplugged
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
        return PortError.coded("no_port", port=path)
    if number in (errno.EAGAIN, errno.EBUSY):
        return _busy(PortError.coded("port_busy", port=path), reason=PortState.BUSY.value)
    if number in (errno.EACCES, errno.EPERM):
        return _busy(PortError.coded("port_closed", port=path), reason="no_right")
    return PortError.coded("port_unusable", port=path, why=error)


def _busy(error: PortError, reason: str) -> PortError:
    error.state, error.reason = PortState.BUSY, reason
    return error


class SerialLine:
    """A board on a port. `emit` is called from the reading thread; it may block, the board then keeps its events.

    `port` is a path or a function that gives the path of the moment (None: there is none). `clock` gives Unix ms.
    `resume` is the last event that the journal holds, so that it is not taken twice.
    """

    def __init__(
        self,
        port: str | Callable[[], str | None],
        baud: int,
        profile: BoardProfile,
        emit: Callable[[PortEvent], None],
        clock: Callable[[], int],
        *,
        resume: LinkState | None = None,
    ) -> None:
        self._where = port if callable(port) else lambda: port
        self._baud, self._emit, self._clock = baud, emit, clock
        self._talk = BoardTalk.start(profile, resume)
        self._lock = threading.Lock()  # guards the talk and writing to the port
        self._fd: int | None = None
        self._wake_out, self._wake_in = os.pipe()
        self._stop = threading.Event()
        self._last_status: tuple[PortState, str] | None = None
        self.worker = Worker("serial", self._run)

    @property
    def counts(self) -> LinkCounts:
        """Counts of the line so far."""
        return self._talk.counts

    def start(self) -> None:
        """Begin looking for the board; returns at once."""
        self.worker.start()

    def stop(self) -> None:
        """Close the port and end the thread."""
        self._stop.set()
        os.write(self._wake_in, b"!")
        self.worker.join(5)

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
            self.worker.rounds += 1
            self.worker.blocked = True  # a board that starts, or a port that opens, may take seconds
            path = self._where()
            try:
                if path is None:
                    raise PortError.coded("no_port_known")
                port = open_port(path, self._baud)
            except PortError as error:
                self._trouble(
                    PortStatus(error.state, path or "", error.message, error.cure, reason=error.reason)
                )
                self._stop.wait(_RETRY_S)
                continue
            finally:
                self.worker.blocked = False
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
            opened = self._talk.opened(path, self._now())
        self._tell(opened)
        poll = select.poll()  # not `select`, which ends at descriptor 1,024
        for descriptor in (fd, self._wake_out):
            poll.register(descriptor, select.POLLIN)
        while not self._stop.is_set():
            self.worker.rounds += 1
            try:
                ready = dict(poll.poll(_IDLE_S * 1000))
                data = os.read(fd, _READ) if fd in ready else None
            except OSError:
                data = b""
            if data == b"":
                words, cure = f"the board at {path} was unplugged", "Plug it in again; the game goes on."
                self._trouble(PortStatus(PortState.MISSING, path, words, cure, reason="unplugged"))
                return
            self._take(data)

    def _take(self, data: bytes | None) -> None:
        now = self._now()
        with self._lock:
            result = self._talk.received(data, now) if data else TalkResult()
            self._write(result.reply)
            idle = self._talk.idle(now)
            self._write(idle.reply)
        self._tell(result)
        self._tell(idle)

    def _write(self, data: bytes) -> None:
        if self._fd is not None and data:
            with contextlib.suppress(OSError):  # full or gone: the board sends again, and is answered again
                os.write(self._fd, data)

    def _tell(self, result: TalkResult) -> None:
        for event in result.events:
            if isinstance(event, PortStatus):
                self._last_status = (event.state, event.port)
            self._emit(event)

    def _trouble(self, status: PortStatus) -> None:
        if self._last_status == (status.state, status.port):
            return
        self._last_status = (status.state, status.port)
        self._emit(status)

    def _now(self) -> Now:
        return Now(self._clock(), time.monotonic_ns() // 1_000_000)


_BUTTONS = {0: ButtonName.MISS, 1: ButtonName.READY, 2: ButtonName.UNDO}
_STATES = {
    PortState.MISSING: SensorState.LOST,
    PortState.BUSY: SensorState.LOST,
    PortState.UP: SensorState.FOUND,
    PortState.SILENT: SensorState.SILENT,
    PortState.BABBLING: SensorState.SILENT,
    PortState.REFUSED: SensorState.WRONG_PROTOCOL,
}


class SerialSensor:
    """An electronic board on a port as a sensor; `port` gives another one than the configured path."""

    def __init__(
        self, setup: SensorSetup, settings: SerialSection, port: Callable[[], str | None] | None = None
    ) -> None:
        self._profile = load_profile(setup.profile, setup.folder)
        self._emit, self._report, self._now_ms = setup.emit, setup.report, setup.now_ms
        self._on_hit_notice = setup.on_hit_notice
        self._line = SerialLine(
            port or settings.port,
            settings.baud,
            self._profile,
            self._on_event,
            setup.now_ms,
            resume=setup.stored,
        )

    @property
    def workers(self) -> tuple[Worker, ...]:
        """The thread that reads."""
        return (self._line.worker,)

    def start(self) -> None:
        """Begin looking for the board."""
        self._line.start()

    def acknowledge(self, receipt: Receipt) -> None:
        """Tell the board."""
        self._line.acknowledge(receipt.session, receipt.number)

    def show(self, lamp: Lamp) -> None:
        """Set the lamp."""
        self._line.set_lamp(lamp)

    def look_after(self) -> None:
        """Report what happened on the line."""
        self._report("line", asdict(self._line.counts))

    def stop(self, *, for_good: bool) -> None:
        """Close the port."""
        self._line.stop()

    def _on_event(self, event: PortEvent) -> None:
        if isinstance(event, HitNoticed):
            self._on_hit_notice(Receipt(event.session, event.seq), event.notice)
            return
        given = as_input(event, self._profile, self._now_ms())
        if given is not None:
            self._emit(given)


def as_input(event: PortEvent, profile: BoardProfile, now: int) -> Input | None:
    """Convert a board's event to an input, or None: it only concerns health."""
    match event:
        case LineReceived():
            return _line(event, profile)
        case EventsLost():
            return SensorNews(now, BOARD, ReadingsLost(event.count, event.reported))
        case PortStatus() if event.state in _STATES:
            detail = f"{event.words.removesuffix('.')}. {event.cure}" if event.cure else event.words
            return SensorNews(now, BOARD, SensorChanged(_STATES[event.state], detail, event.reason))
        case _:
            return None


def _line(event: LineReceived, profile: BoardProfile) -> Input:
    t_ms, at_ms, line = event.arrived_ms, event.happened_ms, event.line
    receipt = Receipt(event.session, line.seq)
    match line:
        case lines.HitLine():
            return Reading(t_ms, at_ms, BOARD, dart_of_contact(line.contact, profile), receipt)
        case lines.KnockLine():
            return Reading(t_ms, at_ms, BOARD, Knock(line.peak), receipt)
        case lines.ButtonLine():
            button = Button(_BUTTONS.get(line.button, ButtonName.OTHER))
            return Reading(t_ms, at_ms, BOARD, button, receipt)
        case lines.StuckLine():
            stuck = ContactStuck(line.contact, profile.bed(line.contact), line.stuck)
            return SensorNews(t_ms, BOARD, stuck, receipt)
