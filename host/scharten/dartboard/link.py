"""The host's end of the board's line: tell new events from repeated, missing and lost ones.

`LineReader` turns bytes into lines; `HostLink` turns lines into outcomes and knows what may be acknowledged.
Both hold a bounded amount and touch no port: the caller reads, writes and stores.
"""

from __future__ import annotations

from dataclasses import dataclass

from scharten.dartboard.lines import (
    MAX_LINE,
    SEQUENCE,
    BoardLine,
    ForeignHello,
    Heartbeat,
    Hello,
    Notice,
    Sequenced,
    Setting,
    ack,
    parse_board_line,
    query,
)

ANSWER_MS = 100
"""How long after a sound line the host may still speak. A boot loader takes any byte for the start of a flash session,
so the host only answers; heartbeats, one a second, leave room for the rest."""
SETTLE_MS = 150
"""Lines this soon after opening the port may be from before the reset that opening caused: they get no answer."""
LAST_RESORT_MS = 12_000
"""After this silence the host asks unprompted: longer than the 9 s in which a boot loader gives up."""
HELD = 64
"""The board keeps this many events, so nothing further ahead can be missing."""


class LineReader:
    """Turn bytes into complete, undamaged lines; everything else is counted in `junk` and dropped."""

    def __init__(self) -> None:
        self._pending = b""
        self.junk = 0
        """Bytes that belonged to no sound line so far."""

    def feed(self, data: bytes) -> tuple[BoardLine, ...]:
        """Return the lines that `data` completes. Keep at most one unfinished line (95 bytes) between calls."""
        *whole, rest = (self._pending + data).split(b"\n")
        found: list[BoardLine] = []
        for piece in whole:
            start = max(piece.rfind(b"$"), 0)
            line = parse_board_line(piece[start:])
            if line is None:
                self.junk += len(piece) + 1
            else:
                self.junk += start
                found.append(line)
        self._keep(rest)
        return tuple(found)

    def reset(self) -> None:
        """Forget half a line: the port was opened again."""
        self._keep(b"")

    def _keep(self, rest: bytes) -> None:
        start = rest.rfind(b"$")
        kept = rest[start:] if start >= 0 and len(rest) - start < MAX_LINE else b""
        self.junk += len(rest) - len(kept)
        self._pending = kept


def ahead(seq: int, base: int) -> int:
    """Return how far `seq` lies ahead of `of`, from -32768 to 32767: sequence numbers wrap at 16 bits."""
    return (seq - base + SEQUENCE // 2) % SEQUENCE - SEQUENCE // 2


@dataclass(frozen=True)
class LinkState:
    """State that survives a restart of the host: the board's session, its last stored event, and how many
    events that the board had dropped at its last report."""

    session: int
    stored: int
    dropped: int = 0


@dataclass(frozen=True)
class Greeted:
    """A hello of our protocol. `renewed`: a session not known before, so nothing of it can have been seen."""

    hello: Hello
    renewed: bool


@dataclass(frozen=True)
class LineReceived:
    """The next event, not received before: store it, then call `stored`.

    The port's reader adds both times, in Unix ms: when the line came, and when the contact closed.
    """

    session: int
    line: Sequenced
    arrived_ms: int = 0
    happened_ms: int = 0


@dataclass(frozen=True)
class Duplicate:
    """An event that was accepted before: nothing to do (a `Reply` acknowledges it if it is stored)."""

    session: int
    seq: int


@dataclass(frozen=True)
class Gap:
    """An event came too early: those from `expected` on are missing and were asked for."""

    expected: int
    got: int


@dataclass(frozen=True)
class Lost:
    """`count` events are gone for good: the board no longer has them. The link goes on after them."""

    first: int
    count: int


@dataclass(frozen=True)
class Dropped:
    """The board's memory was full: it dropped `count` events, `total` in this session."""

    count: int
    total: int
    session: int


@dataclass(frozen=True)
class Alive:
    """A heartbeat."""

    t_ms: int


@dataclass(frozen=True)
class Refused:
    """The board speaks another version of the protocol; nothing is taken from it."""

    hello: ForeignHello


@dataclass(frozen=True)
class Reply:
    """Bytes to send to the board."""

    data: bytes


class Speech:
    """When the host may speak on a line: in answer to a sound line, and else after a long silence.

    What has to wait is held, the latest of each kind, until the next line. Times are a steady clock's, in ms.
    """

    def __init__(self) -> None:
        self._opened_ms = self._asked_ms = 0
        self._line_ms: int | None = None
        self._held: dict[str, bytes] = {}

    def opened(self, now: int) -> None:
        """The port is open (again): send nothing until a line comes."""
        self._opened_ms = self._asked_ms = now
        self._line_ms = None
        self._held.clear()

    def received(self, now: int) -> bytes:
        """Return the held data: an undamaged line came."""
        self._asked_ms = now
        if now - self._opened_ms < SETTLE_MS:
            return b""
        self._line_ms = now
        held = b"".join(self._held.values())
        self._held.clear()
        return held

    def say(self, kind: str, data: bytes, now: int) -> bytes:
        """Return the data if it may be sent now; else hold it, replacing older data of its kind."""
        if self._line_ms is not None and now - self._line_ms <= ANSWER_MS:
            return data
        if data:
            self._held[kind] = data
        return b""

    def last_resort(self, now: int) -> bytes:
        """Return `?` after a silence in which no boot loader can be waiting; else nothing."""
        if now - self._asked_ms < LAST_RESORT_MS:
            return b""
        self._asked_ms = now
        return query()


Outcome = (
    Greeted | LineReceived | Duplicate | Gap | Lost | Dropped | Alive | Refused | Reply | Setting | Notice
)


class HostLink:
    """The state of the host's end: the session, the next event expected, and the last one stored.

    Only events that `stored` reported are acknowledged, never those merely received.
    """

    def __init__(self, state: LinkState | None = None) -> None:
        self._session = state.session if state else None
        self._expected = (state.stored + 1) % SEQUENCE if state else 0
        self._stored = state.stored if state else None
        self._dropped = state.dropped if state else 0
        self._greeted = False
        self._asked = False
        self._early: dict[int, Sequenced] = {}
        self._strange: int | None = None
        """The last event that came before a hello."""

    def opened(self) -> None:
        """The port is open (again): forget who is at the other end."""
        self._greeted = self._asked = False
        self._early.clear()
        self._strange = None

    def receive(self, line: BoardLine) -> tuple[Outcome, ...]:
        """Interpret one line. Before a hello of our protocol only a hello counts."""
        match line:
            case Hello():
                return self._hello(line)
            case ForeignHello():
                self._greeted = False
                return (Refused(line),)
            case Heartbeat():
                self._asked = False  # a whole second without an answer: it may be asked again
                return (Alive(line.t_ms), *(() if self._greeted else self._ask()))
            case Setting() | Notice():
                return (line,)
            case _:
                return self._sequenced(line)

    def stored(self, session: int, seq: int) -> bytes:
        """Return the acknowledgement of a durable event, or nothing if its session is over."""
        if session != self._session or ahead(seq, self._expected) >= 0:
            return b""
        if self._stored is None or ahead(seq, self._stored) > 0:
            self._stored = seq
        return ack(self._stored)

    def _ask(self) -> tuple[Outcome, ...]:
        if self._asked:
            return ()
        self._asked = True
        return (Reply(query()),)

    def _hello(self, hello: Hello) -> tuple[Outcome, ...]:
        self._greeted, self._asked = True, False
        renewed = hello.session != self._session or ahead(hello.next_seq, self._expected) < 0
        outcomes: list[Outcome] = [Greeted(hello, renewed)]
        if renewed:
            self._session, self._expected, self._stored = hello.session, hello.first_seq, None
            self._dropped = 0
            self._early.clear()
        missing = ahead(hello.first_seq, self._expected)
        if missing > 0:
            outcomes.append(Lost(self._expected, missing))
            self._expected = hello.first_seq
        if hello.dropped != self._dropped:
            count = hello.dropped - self._dropped
            self._dropped = hello.dropped
            if hello.dropped:
                count = count if count > 0 else hello.dropped
                outcomes.append(Dropped(count, hello.dropped, hello.session))
        self._early = {seq: line for seq, line in self._early.items() if ahead(seq, hello.next_seq) < 0}
        return (*outcomes, *self._next_early(hello.session))

    def _sequenced(self, line: Sequenced) -> tuple[Outcome, ...]:
        if not self._greeted or self._session is None:
            # Sent again from the oldest on, and still no hello: it was damaged, and may be asked for again.
            if self._strange is not None and ahead(line.seq, self._strange) <= 0:
                self._asked = False
            self._strange = line.seq
            return self._ask()
        step = ahead(line.seq, self._expected)
        if step == 0:
            self._expected = (line.seq + 1) % SEQUENCE
            self._asked = False  # it is being sent again: the next gap is a new one, worth asking for at once
            return (LineReceived(self._session, line), *self._next_early(self._session))
        if step > 0:
            if step < HELD:
                self._early[line.seq] = line
            return (Gap(self._expected, line.seq), *self._ask())
        seen: tuple[Outcome, ...] = (Duplicate(self._session, line.seq),)
        if self._stored is None or ahead(line.seq, self._stored) > 0:
            return seen
        return (*seen, Reply(ack(self._stored)))

    def _next_early(self, session: int) -> tuple[LineReceived, ...]:
        """Return the early events whose turn has come: on a bad line only damaged lines have to be sent again."""
        self._early = {seq: line for seq, line in self._early.items() if ahead(seq, self._expected) >= 0}
        found = []
        while (line := self._early.pop(self._expected, None)) is not None:
            found.append(LineReceived(session, line))
            self._expected = (self._expected + 1) % SEQUENCE
        return tuple(found)
