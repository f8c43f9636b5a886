"""The host's side of the line to a guest, as a value. Pure: the time comes with each call.

It decides which readings are new, whether the guest is there, and whether its clock can be right. A reading is known
by its id, the session and number of the guest's board, so that one that arrives twice counts once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from scharten.match.places import EARLIEST_MS

AWAY_MS = 5_000
"""Without a sign of life for this long the guest is away: the game pauses."""
CLOCK_SLACK_MS = 250
"""How far a time of the guest may lie in the future, or before what its silence explains, until it is reported."""
BURST, PER_SECOND = 128, 20
"""Readings at once, and in a second: a whole ring of the board, and more than anybody throws."""
WINDOW = 512
"""How many numbers of a session are known one by one; all before them count as taken."""

Id = tuple[int, int]


class Verdict(Enum):
    """The decision about a reading."""

    NEW = "hand it to the referee"
    TAKEN = "the journal has it: acknowledge it again"
    WAITING = "the referee has it, the journal not yet"
    TOO_MANY = "too many at once: the guest sends it again"


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of one session that the journal has."""

    highest: int = -1
    known: frozenset[int] = frozenset()

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and (number in self.known or number <= self.highest - WINDOW)

    def with_number(self, number: int) -> Numbers:
        """Add a number."""
        highest = max(self.highest, number)
        return Numbers(highest, frozenset(n for n in (*self.known, number) if n > highest - WINDOW))


@dataclass(frozen=True)
class HostSide:
    """`taken` by session, `in_hand` at the referee; `refused` is the oldest that it has not, and must come first."""

    taken: Mapping[int, Numbers] = field(default_factory=dict)
    in_hand: frozenset[Id] = frozenset()
    refused: Id | None = None
    signal_ms: int = 0
    up: bool = False
    tokens: float = BURST
    filled_ms: int = 0
    forged: int = 0
    """How many times of the guest's cannot be right."""

    def signal(self, now_ms: int) -> HostSide:
        """A message came: the guest is there."""
        return replace(self, signal_ms=now_ms, up=True)

    def is_silent(self, now_ms: int) -> bool:
        """Whether the guest was there and has not been heard for too long."""
        return self.up and now_ms - self.signal_ms >= AWAY_MS

    def lost(self) -> HostSide:
        """The guest is away; what it could not hand over it sends again, from the oldest on."""
        return replace(self, up=False, refused=None)

    def judged(self, reading: Id, now_ms: int) -> tuple[HostSide, Verdict]:
        """Decide about a reading, and count it as in hand if it is new."""
        session, number = reading
        if number in self.taken.get(session, Numbers()):
            return self, Verdict.TAKEN
        if reading in self.in_hand:
            return self, Verdict.WAITING
        if self.refused is not None and reading != self.refused and session == self.refused[0]:
            return self, Verdict.TOO_MANY  # what comes after it must not overtake it
        filled = min(BURST, self.tokens + max(0, now_ms - self.filled_ms) * PER_SECOND / 1000)
        side = replace(self, tokens=filled, filled_ms=now_ms)
        if filled < 1:
            return replace(side, refused=reading), Verdict.TOO_MANY
        in_hand = side.in_hand | {reading}
        return replace(side, tokens=filled - 1, in_hand=in_hand, refused=None), Verdict.NEW

    def not_taken(self, reading: Id) -> HostSide:
        """The referee's inbox was full: the guest sends the reading again, before all later ones."""
        return replace(self, in_hand=self.in_hand - {reading}, refused=self.refused or reading)

    def stored(self, reading: Id) -> HostSide:
        """The journal has the reading."""
        session, number = reading
        taken = {**self.taken, session: self.taken.get(session, Numbers()).with_number(number)}
        return replace(self, taken=taken, in_hand=self.in_hand - {reading})

    def with_time(self, at_ms: int, now_ms: int) -> HostSide:
        """Note a time of the guest's: one in the future, or long before it was last received, cannot be right."""
        explained = max(EARLIEST_MS, now_ms - self.signal_ms) + CLOCK_SLACK_MS
        forged = at_ms > now_ms + CLOCK_SLACK_MS or (at_ms < now_ms - explained and self.steady(now_ms))
        return replace(self, forged=self.forged + 1) if forged else self

    def steady(self, now_ms: int) -> bool:
        """Whether the line has been up without a break, so that nothing explains a late reading."""
        return self.up and now_ms - self.signal_ms < EARLIEST_MS
