"""The talk with a board, without a port: bytes and times in, events and bytes to send out.

It returns the frozen values defined here; the sensor turns them into inputs of the match.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from scharten.dartboard.board_clock import BoardClock
from scharten.dartboard.lines import (
    NOTICES,
    BoardLine,
    Heartbeat,
    Hello,
    HitNotice,
    Notice,
    Setting,
    query,
    setting,
)
from scharten.dartboard.link import (
    Alive,
    Dropped,
    Duplicate,
    Gap,
    Greeted,
    HostLink,
    LineReader,
    LineReceived,
    LinkState,
    Lost,
    Outcome,
    Refused,
    Reply,
    Speech,
)
from scharten.dartboard.profile import BoardProfile

SILENT_MS = 2500
"""A board is silent when its heartbeat, sent every second, is missing for longer: reported within 3 s."""
JUMP_REPORTED_MS = 10_000
"""How long a jump of the board's clock is reported."""
BABBLE_BYTES = 1000
"""More junk than this within a second is babbling; a sound board sends far less."""


SIMULATED = "simulated"
"""The simulated board's firmware name, which is also the name of its profile."""


class PortState(StrEnum):
    """How the port and the board behind it are."""

    MISSING = "missing"  # no such port
    BUSY = "busy"  # another program has it, or we may not open it
    OPENED = "opened"  # open, no hello yet
    UP = "up"
    SILENT = "silent"
    BABBLING = "babbling"
    REFUSED = "refused"  # another version of the protocol


@dataclass(frozen=True)
class PortStatus:
    """The source changed; `words` and `cure` are for the person in the room. `hello` is known while it is up.

    `reason` is the code of both for other languages; "" when the board is there and all is well.
    """

    state: PortState
    port: str
    words: str
    cure: str = ""
    hello: Hello | None = None
    reason: str = ""


@dataclass(frozen=True)
class EventsLost:
    """`count` events of the board are lost for good; show it prominently.

    `reported` is (session, number of events that the board dropped in it so far) when the board dropped them.
    """

    count: int
    words: str
    reported: tuple[int, int] | None = None


@dataclass(frozen=True)
class SettingReported:
    """A setting as the board has it now."""

    key: str
    value: int


@dataclass(frozen=True)
class HitNoticed:
    """Notices of the board about this hit of the session. Older firmware sends none."""

    session: int
    seq: int
    notice: HitNotice


PortEvent = PortStatus | LineReceived | EventsLost | SettingReported | HitNoticed


@dataclass(frozen=True)
class Now:
    """One moment on both clocks, in ms: Unix time for stamps, a steady clock for waiting."""

    unix_ms: int
    steady_ms: int


@dataclass(frozen=True)
class TalkResult:
    """Events for the sensor, and bytes for the board."""

    events: tuple[PortEvent, ...] = ()
    reply: bytes = b""


@dataclass(frozen=True)
class LinkCounts:
    """Counts of the line since the start, for health and metrics."""

    lines: int = 0
    junk_bytes: int = 0
    gaps: int = 0
    duplicates: int = 0
    lost: int = 0
    dropped: int = 0


@dataclass
class BoardTalk:
    """The state of one talk; it outlives the port, so that after a replug nothing counts twice."""

    profile: BoardProfile
    link: HostLink
    port: str = ""
    counts: LinkCounts = LinkCounts()
    _speech: Speech = field(default_factory=Speech)
    _lamp: int | None = None
    _reader: LineReader = field(default_factory=LineReader)
    _clock: BoardClock = field(default_factory=BoardClock)
    _state: PortState = PortState.MISSING
    _refused: int | None = None
    _met: Hello | None = None
    _noticed: dict[str, int] = field(default_factory=dict)  # the counts last reported
    _line_ms: int = 0  # when the last sound line came
    _jumped_ms: int | None = None  # when the board's clock was seen to jump, while that is news
    _window: tuple[int, int] = (0, 0)  # when the second for counting junk began, and the count then

    @classmethod
    def start(cls, profile: BoardProfile, resume: LinkState | None = None) -> BoardTalk:
        """A talk that begins, or that goes on where the journal ended."""
        return cls(profile, HostLink(resume))

    def opened(self, port: str, now: Now) -> TalkResult:
        """The port is open: wait for the board to speak first."""
        self.port, self._state, self._met, self._refused = port, PortState.OPENED, None, None
        self._reader.reset()
        self.link.opened()
        self._speech.opened(now.steady_ms)
        self._line_ms = now.steady_ms
        self._window = (now.steady_ms, self._reader.junk)
        words = f"{port} is open; waiting for the board to say hello"
        return TalkResult((PortStatus(PortState.OPENED, port, words, reason="opened"),))

    def received(self, data: bytes, now: Now) -> TalkResult:
        """Bytes from the board."""
        events: list[PortEvent] = []
        reply = b""
        for line in self._reader.feed(data):
            talked = self._line(line, now)
            events += talked.events
            reply += talked.reply
        self._count(junk_bytes=self._reader.junk - self.counts.junk_bytes)
        return TalkResult((*events, *self._babbling(now)), reply)

    def idle(self, now: Now) -> TalkResult:
        """To be called about once a second, whether anything came or not: notices silence, and asks at long last."""
        events = [*self._babbling(now), *self._calmed(now)]
        quiet = now.steady_ms - self._line_ms > SILENT_MS
        if quiet and self._state in (PortState.OPENED, PortState.UP):
            events.append(self._status(PortState.SILENT, self._why_silent(), _CURE_SILENT))
        return TalkResult(tuple(events), self._speech.last_resort(now.steady_ms))

    def stored(self, session: int, seq: int, now: Now) -> bytes:
        """The acknowledgement of an event that is durable: to send now, or held until the next line."""
        return self._speech.say("ack", self.link.stored(session, seq), now.steady_ms)

    def set_lamp(self, lamp: int, now: Now) -> bytes:
        """Build the bytes that set the lamp, now (as with `stored`) and after each hello."""
        if self._lamp == lamp:
            return b""
        self._lamp = lamp
        return self._speech.say("lamp", setting("lamp", lamp), now.steady_ms)

    def _line(self, line: BoardLine, now: Now) -> TalkResult:
        self._line_ms = now.steady_ms
        self._count(lines=1)
        if isinstance(line, Hello):
            self._clock = BoardClock()  # it may have been reset, and its clock have jumped by a little
        events: list[PortEvent] = []
        if isinstance(line, Hello | Heartbeat):
            jump = self._clock.jump(line.t_ms, now.unix_ms)
            self._clock = self._clock.updated(line.t_ms, now.unix_ms)
            events += self._jumped(jump, now)
        reply = self._speech.received(now.steady_ms)
        for outcome in self.link.receive(line):
            if isinstance(outcome, Reply):
                kind = "ask" if outcome.data == query() else "ack"
                reply += self._speech.say(kind, outcome.data, now.steady_ms)
            else:
                talked = self._outcome(outcome, now)
                events += talked.events
                reply += talked.reply
        if self._met is not None and self._state is PortState.SILENT:
            events.append(self._up(self._met))
        return TalkResult(tuple(events), reply)

    def _outcome(self, outcome: Outcome, now: Now) -> TalkResult:
        match outcome:
            case LineReceived(session, line):
                happened = self._clock.happened(line.t_ms, now.unix_ms)
                return TalkResult((LineReceived(session, line, now.unix_ms, happened),))
            case Greeted(hello, renewed):
                return self._greeted(hello, renewed, now)
            case Lost(first, count):
                self._count(lost=count)
                words = f"{count} events from number {first} on are gone: the board no longer has them"
                return TalkResult((EventsLost(count, words),))
            case Dropped(count, total, session):
                self._count(dropped=count)
                words = f"the board's memory was full: {count} events were lost ({total} since it counts)"
                return TalkResult((EventsLost(count, words, (session, total)),))
            case Refused(hello):
                if self._state is PortState.REFUSED and self._refused == hello.protocol:
                    return TalkResult()
                self._refused, self._met = hello.protocol, None
                return TalkResult((self._status(PortState.REFUSED, hello.words, _CURE_REFUSED),))
            case Setting(key, value):
                return TalkResult((SettingReported(key, value),))
            case Notice(key=key, count=seq) if key in tuple(HitNotice):
                noticed = (HitNoticed(self._met.session, seq, HitNotice(key)),) if self._met else ()
                return TalkResult(noticed)
            case Notice():
                return TalkResult(tuple(self._notice(outcome)))
            case Gap():
                self._count(gaps=1)
            case Duplicate():
                self._count(duplicates=1)
            case Alive() | Reply():
                pass
        return TalkResult()

    def _greeted(self, hello: Hello, renewed: bool, now: Now) -> TalkResult:
        mine = self.profile.drives, self.profile.senses
        before = (self._met.drives, self._met.senses) if self._met else None
        news = before != (hello.drives, hello.senses) or renewed or self._state is not PortState.UP
        self._met = hello
        settings = [setting(key, value) for key, value in self.profile.settings.items()]
        if mine != (hello.drives, hello.senses) and self.profile.beds and self.profile.name != SIMULATED:
            settings += [setting("drives", mine[0]), setting("senses", mine[1])]
        if self._lamp is not None:
            settings.append(setting("lamp", self._lamp))
        reply = self._speech.say("settings", b"".join(settings), now.steady_ms)
        return TalkResult((self._up(hello),) if news else (), reply)

    def _up(self, hello: Hello) -> PortStatus:
        words = (
            f"{hello.board} (firmware {hello.firmware}, {hello.drives} x {hello.senses}) is at {self.port}"
        )
        cure = ""
        if (hello.drives, hello.senses) != (self.profile.drives, self.profile.senses):
            mine = f"{self.profile.drives} x {self.profile.senses}"
            words += f"; the profile {self.profile.name} is for {mine} lines"
            cure = _CURE_PROFILE
        elif self.profile.name == SIMULATED != hello.firmware:
            words += "; the profile is that of the simulated board, so beds will be wrong"
            cure = _CURE_PROFILE
        self._state = PortState.UP
        return PortStatus(PortState.UP, self.port, words, cure, hello, "profile" if cure else "")

    def _jumped(self, jump_ms: int, now: Now) -> Iterable[PortEvent]:
        if not jump_ms or self._met is None or self._state is not PortState.UP:
            return ()
        self._jumped_ms = now.steady_ms
        up = self._up(self._met)
        words = f"{up.words}; its clock jumped by {jump_ms / 1000:+.0f} s against this machine's"
        return (replace(up, words=words, cure=_CURE_JUMP, reason="clock_jumped"),)

    def _notice(self, notice: Notice) -> Iterable[PortEvent]:
        reported = self._noticed.get(notice.key, 0)
        self._noticed[notice.key] = notice.count
        if self._met is None or notice.key not in NOTICES or notice.count == reported:
            return
        up = self._up(self._met)
        if notice.count:
            words, cure = NOTICES[notice.key]
            up = replace(up, words=f"{up.words}; {words}", cure=cure, reason=notice.key)
        yield up

    def _calmed(self, now: Now) -> Iterable[PortEvent]:
        if self._jumped_ms is None or now.steady_ms - self._jumped_ms < JUMP_REPORTED_MS:
            return ()
        self._jumped_ms = None
        return (self._up(self._met),) if self._met and self._state is PortState.UP else ()

    def _status(self, state: PortState, words: str, cure: str) -> PortStatus:
        self._state = state
        return PortStatus(state, self.port, words, cure, reason=state.value)

    def _why_silent(self) -> str:
        if self._state is PortState.UP:
            return f"the board at {self.port} has been silent for over {SILENT_MS / 1000:g} s"
        return f"nothing that says hello is at {self.port}"

    def _babbling(self, now: Now) -> Iterable[PortEvent]:
        began, junk = self._window
        if now.steady_ms - began < 1000:
            if self._reader.junk - junk <= BABBLE_BYTES or self._state is PortState.BABBLING:
                return ()
            words = f"what comes from {self.port} is mostly noise; sound lines still count"
            return (self._status(PortState.BABBLING, words, _CURE_BABBLE),)
        calm = self._reader.junk - junk <= BABBLE_BYTES // 10
        self._window = (now.steady_ms, self._reader.junk)
        if calm and self._state is PortState.BABBLING:
            if self._met is not None:
                return (self._up(self._met),)
            self._state = PortState.OPENED
        return ()

    def _count(self, **more: int) -> None:
        grown = {name: getattr(self.counts, name) + by for name, by in more.items()}
        self.counts = replace(self.counts, **grown)


_CURE_PROFILE = "Choose the profile of this board, or map it with `scharten-calibrate matrix`."
_CURE_JUMP = "Darts are dated by the new time; if it happens again, the board's power or its crystal is bad."
_CURE_SILENT = "Check the cable and the board's power; a wrong port or speed is silent too."
_CURE_REFUSED = "Flash the firmware that came with this program, or install the program that fits the board."
_CURE_BABBLE = "Check the speed (baud) in the configuration, the cable, and that it is a dartboard at all."
