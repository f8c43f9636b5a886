"""The model of the simulated board: contacts, buttons and knocks in, protocol lines out; time rides on every call.

It behaves as the firmware does on the line: ring of 64, sequence numbers, sending again, stuck contacts, settings,
the notices of possible ghosts and of hits that were alone. What it leaves out is the scanning: a contact closes cleanly
and at once, so `vote_window_ms` is kept but has no effect; and what only hardware can suffer, the other notices.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from scharten.dartboard.lines import (
    MAX_LINE,
    SEQUENCE,
    Ack,
    BoardLine,
    ButtonLine,
    Heartbeat,
    Hello,
    HitLine,
    HitNotice,
    HostLine,
    KnockLine,
    Notice,
    Query,
    Sequenced,
    Setting,
    StuckLine,
    board_line,
    parse_host_line,
)
from scharten.dartboard.link import ahead
from scharten.dartboard.profile import Contact

RING = 64
RESEND_MS = 250
HEARTBEAT_MS = 1000
FIRST_BEAT_MS = 200
"""After a host opened the port: it answers nothing that comes at once."""
QUESTION_MS = 200
"""`?` is obeyed at most so often."""
STUCK_MS = 2000
NOTICE_MS = 250
"""Shortest time between notices."""
GUARD_MS = 100
"""A hit was alone if no other contact closed so long before or after it."""
FIRMWARE = "simulated"
SETTINGS = {
    "knock_threshold": (60, 0, 1023),
    "knock_window_ms": (60, 0, 1000),
    "vote_window_ms": (5, 0, 50),
    "lamp": (0, 0, 4),
    "drives": (8, 1, 16),
    "senses": (11, 1, 16),
}
"""Settings of `$C`: the value at power-up, the least and the greatest."""
_WRAP = 1 << 32


class HostReader:
    """The host's bytes to lines; `?` counts wherever it stands, for no sound line holds one."""

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, data: bytes) -> tuple[HostLine, ...]:
        """The lines and questions that `data` completes; at most 95 bytes are kept.

        A CR ends a line too, as in our firmware: it is what Enter in a terminal sends.
        """
        *asked, rest = (self._pending + data.replace(b"\r", b"\n")).split(b"?")
        found: list[HostLine] = []
        for before in asked:
            found += [*self._lines(before.split(b"\n")[:-1]), Query()]
        *whole, rest = rest.split(b"\n")
        found += self._lines(whole)
        start = rest.rfind(b"$")
        self._pending = rest[start:] if start >= 0 and len(rest) - start < MAX_LINE else b""
        return tuple(found)

    def _lines(self, pieces: Iterable[bytes]) -> list[HostLine]:
        lines = (parse_host_line(piece[max(piece.rfind(b"$"), 0) :]) for piece in pieces)
        return [line for line in lines if line is not None]


@dataclass
class _Kept:
    line: Sequenced
    sent_ms: int


@dataclass
class SimulatedBoard:
    """A powered board. `now` is always the caller's clock in ms; `take` returns the bytes sent on the line.

    `held` are contacts that are closed when the power comes: stuck, never hit.
    """

    name: str
    drives: int
    senses: int
    session: int
    born_ms: int
    held: frozenset[Contact] = frozenset()
    settings: dict[str, int] = field(
        default_factory=lambda: {key: value[0] for key, value in SETTINGS.items()}
    )
    dropped: int = 0
    next_seq: int = 1
    ghosts: int = 0
    """Contacts that closed and opened and may have been ghosts of jammed ones: a notice, and no hit."""
    questions: int = 0
    """How often a host has opened the port, or asked who this is."""
    _ring: deque[_Kept] = field(default_factory=deque)
    _closed: dict[Contact, int] = field(default_factory=dict)
    _stuck: set[Contact] = field(default_factory=set)
    _doubtful: set[Contact] = field(default_factory=set)  # closed, and perhaps a ghost
    _alone: tuple[int, int] | None = None  # when the last hit came and its number, if it was alone so far
    _was_alone: int = 0  # the number of the last hit that was
    _reported: dict[str, int] = field(default_factory=dict)  # the notices last reported
    _noticed: int = -NOTICE_MS  # when a notice was last reported
    _knock: tuple[int, int] | None = None  # when, and how hard
    _last_close: int | None = None
    _heartbeat: int = 0
    _answered: int = -QUESTION_MS  # when `?` was last obeyed
    _asked: bool = False  # `?` waits to be obeyed
    _out: bytearray = field(default_factory=bytearray)
    _reader: HostReader = field(default_factory=HostReader)

    def __post_init__(self) -> None:
        self.settings |= {"drives": self.drives, "senses": self.senses}
        self._closed = dict.fromkeys(self.held, self.born_ms)
        self._power_up(self.born_ms)

    @property
    def closed(self) -> frozenset[Contact]:
        """The contacts that are closed now."""
        return frozenset(self._closed)

    @property
    def unacknowledged(self) -> int:
        """How many events the host has not yet stored."""
        return len(self._ring)

    def reset(self, now: int) -> None:
        """The reset line was pulled (DTR): memory and session survive; what is closed now is stuck, not hit."""
        self.born_ms = now
        self.settings = {key: value[0] for key, value in SETTINGS.items()}
        self.settings |= {"drives": self.drives, "senses": self.senses}
        self._knock = self._last_close = self._alone = None
        self.ghosts = self._was_alone = 0
        self._doubtful.clear()
        self._reader = HostReader()
        self._power_up(now)

    def opened(self, now: int) -> None:
        """A host opened the port, as a board with native USB notices: hello, and a heartbeat that may be answered."""
        self.questions += 1
        self._hello(now)
        self._heartbeat = now + FIRST_BEAT_MS

    def close(self, contact: Contact, now: int) -> None:
        """A contact closes: a hit, unless it is closed already."""
        if contact in self._closed:
            return
        doubtful = self._may_be_ghost(contact)
        lately = self._last_close is not None and now - self._last_close < GUARD_MS
        beside = lately or self._closed.keys() - self._stuck
        self._closed[contact] = now
        self._knock, self._last_close, self._alone = None, now, None
        if doubtful:
            self._doubtful.add(contact)
            return
        seq = self.next_seq
        self._keep(HitLine(0, contact, self._t(now)), now)
        if not beside and self.next_seq != seq:
            self._alone = now, seq

    def open(self, contact: Contact, now: int) -> None:
        """A contact opens; if it was stuck, it is free again."""
        self._closed.pop(contact, None)
        if contact in self._doubtful:
            self._doubtful.discard(contact)
            self.ghosts += 1
            self._notice(now)
        if contact in self._stuck:
            self._mark_stuck(contact, False, now)

    def press(self, contact: Contact, now: int) -> None:
        """A dart: the contact closes and opens; one that is held anyway gives nothing."""
        if contact not in self._closed:
            self.close(contact, now)
            self.open(contact, now)

    def knock(self, peak: int, now: int) -> None:
        """The piezo felt something: an event only if no contact closes within the knock window around it."""
        window = self.settings["knock_window_ms"]
        if not 0 < self.settings["knock_threshold"] <= peak:
            return
        if self._last_close is not None and now - self._last_close <= window:
            return
        when, before = self._knock or (now, 0)
        self._knock = (when, max(peak, before))

    def button(self, number: int, now: int) -> None:
        """A button goes down."""
        self._keep(ButtonLine(0, number, self._t(now)), now)

    def receive(self, data: bytes, now: int) -> None:
        """The host wrote something."""
        for line in self._reader.feed(data):
            match line:
                case Query():
                    self.questions += 1
                    self._asked = True
                    self._answer(now)
                case Ack(seq):
                    self._forget(seq)
                case Setting(key, value):
                    self._set(key, value, now)

    def tick(self, now: int) -> None:
        """Do what has come due: heartbeat, knock window, stuck contacts, sending again."""
        self._answer(now)
        self._notice(now)
        if now >= self._heartbeat:
            self._say(Heartbeat(self._t(now)))
            self._heartbeat = now + HEARTBEAT_MS
        if self._knock is not None and now >= self._knock[0] + self.settings["knock_window_ms"]:
            when, peak = self._knock
            self._knock = None
            self._keep(KnockLine(0, peak, self._t(when)), now)
        for contact, since in tuple(self._closed.items()):
            if contact not in self._stuck and now >= since + STUCK_MS:
                self._mark_stuck(contact, True, now)
        if self._ring and now >= self._ring[0].sent_ms + RESEND_MS:
            self._send_again(now)

    def due(self) -> int:
        """When `tick` has something to do next, in ms of the caller's clock."""
        times = [self._heartbeat]
        if self._asked:
            times.append(self._answered + QUESTION_MS)
        if self._alone is not None:
            times.append(self._alone[0] + GUARD_MS)
        if self._notices != self._reported:
            times.append(self._noticed + NOTICE_MS)
        if self._knock is not None:
            times.append(self._knock[0] + self.settings["knock_window_ms"])
        if self._ring:
            times.append(self._ring[0].sent_ms + RESEND_MS)
        times += [since + STUCK_MS for contact, since in self._closed.items() if contact not in self._stuck]
        return min(times)

    def take(self) -> bytes:
        """Return the board's output since the last call."""
        output = bytes(self._out)
        self._out.clear()
        return output

    def _power_up(self, now: int) -> None:
        self._heartbeat = now + HEARTBEAT_MS
        self._hello(now)
        for contact in self._closed:
            if contact not in self._stuck:
                self._mark_stuck(contact, True, now)

    def _answer(self, now: int) -> None:
        if self._asked and now >= self._answered + QUESTION_MS:
            self._asked, self._answered = False, now
            self._hello(now)
            self._send_again(now)

    def _t(self, now: int) -> int:
        return (now - self.born_ms) % _WRAP

    def _say(self, line: BoardLine) -> None:
        self._out += board_line(line)

    def _hello(self, now: int) -> None:
        first = self._ring[0].line.seq if self._ring else self.next_seq
        head = (FIRMWARE, self.name, self.drives, self.senses, self.session)
        self._say(Hello(*head, first, self.next_seq, self.dropped, self._t(now)))
        for key, value in self.settings.items():
            self._say(Setting(key, value))
        self._reported = dict.fromkeys(self._notices, 0)  # a notice follows each hello
        self._noticed = now - NOTICE_MS
        self._notice(now)

    def _may_be_ghost(self, contact: Contact) -> bool:
        """Whether it closes the third corner of a rectangle of contacts: the scan then sees the fourth closed too."""
        closed = self._closed
        return any(
            sum(
                hit in closed
                for hit in (
                    Contact(drive, sense),
                    Contact(drive, contact.sense),
                    Contact(contact.drive, sense),
                )
            )
            >= 2
            for drive in range(self.drives)
            if drive != contact.drive
            for sense in range(self.senses)
            if sense != contact.sense
        )

    @property
    def _notices(self) -> dict[str, int]:
        return {"ghosts": self.ghosts, HitNotice.ALONE: self._was_alone}

    def _notice(self, now: int) -> None:
        if self._alone is not None and now >= self._alone[0] + GUARD_MS:
            self._was_alone, self._alone = self._alone[1], None
        if self._notices == self._reported or now < self._noticed + NOTICE_MS:
            return
        for key, count in self._notices.items():
            if count != self._reported[key]:
                self._say(Notice(key, count))
        self._reported, self._noticed = self._notices, now

    def _keep(self, line: Sequenced, now: int) -> None:
        if len(self._ring) >= RING:
            self.dropped += 1
            return
        numbered = replace(line, seq=self.next_seq)
        self.next_seq = (self.next_seq + 1) % SEQUENCE
        self._ring.append(_Kept(numbered, now))
        self._say(numbered)

    def _mark_stuck(self, contact: Contact, stuck: bool, now: int) -> None:
        (self._stuck.add if stuck else self._stuck.discard)(contact)
        self._keep(StuckLine(0, contact, stuck, self._t(now)), now)

    def _send_again(self, now: int) -> None:
        for kept in self._ring:
            kept.sent_ms = now
            self._say(kept.line)

    def _forget(self, seq: int) -> None:
        if ahead(seq, self.next_seq) >= 0:
            return
        while self._ring and ahead(self._ring[0].line.seq, seq) <= 0:
            self._ring.popleft()

    def _set(self, key: str, value: int, now: int) -> None:
        if key not in SETTINGS:
            return
        _, low, high = SETTINGS[key]
        if low <= value <= high:
            self.settings[key] = value
        self._say(Setting(key, self.settings[key]))
        size = self.settings["drives"], self.settings["senses"]
        if size != (self.drives, self.senses):
            self.drives, self.senses = size
            self._hello(now)
