"""The guest's side of the line, as a value. Pure: readings that the host's journal does not have yet, in order.

A board forgets a reading only after `taken`. Until then it is sent again, and with the same id and time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from scharten.remote.messages import GuestReading

AGAIN_MS = 1_500
"""Send a reading again after this time without an answer, more on a slow line."""
MOST_WAITING = 1_000
TIMES_KEPT = 64

Id = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A reading that waits for the host's journal, and when it was sent last."""

    message: GuestReading
    sent_ms: int | None = None

    @property
    def id(self) -> Id:
        """The session and number of the reading."""
        return self.message.id[0], self.message.id[1]


@dataclass(frozen=True)
class GuestSide:
    """`waiting` in the order of the board; `times`: the host's time of the last readings, by the board's."""

    waiting: tuple[Waiting, ...] = ()
    times: tuple[tuple[int, int], ...] = ()

    def with_reading(self, message: GuestReading) -> GuestSide:
        """Add a reading, unless it waits already or too many wait: the board keeps those."""
        known = any(waiting.message.id == message.id for waiting in self.waiting)
        if known or len(self.waiting) >= MOST_WAITING:
            return self
        return replace(self, waiting=(*self.waiting, Waiting(message)))

    def host_time(self, board_ms: int, offset_ms: int) -> tuple[GuestSide, int]:
        """The host's time of a reading; a second word on a dart gets the same time as the first."""
        known = dict(self.times).get(board_ms)
        if known is not None:
            return self, known
        times = (*self.times, (board_ms, board_ms + offset_ms))[-TIMES_KEPT:]
        return replace(self, times=times), board_ms + offset_ms

    def taken(self, reading: Id) -> GuestSide:
        """The host's journal has the reading."""
        return replace(self, waiting=tuple(waiting for waiting in self.waiting if waiting.id != reading))

    def reconnected(self) -> GuestSide:
        """Everything that waits is sent again."""
        return replace(self, waiting=tuple(replace(waiting, sent_ms=None) for waiting in self.waiting))

    def due(self, now_ms: int, round_trip_ms: int) -> tuple[GuestSide, tuple[GuestReading, ...]]:
        """The readings to send now, the oldest first; one that is late is sent with all after it."""
        again_ms = max(AGAIN_MS, 3 * round_trip_ms)
        late = next(
            (
                place
                for place, waiting in enumerate(self.waiting)
                if waiting.sent_ms is None or now_ms - waiting.sent_ms >= again_ms
            ),
            len(self.waiting),
        )
        sent = tuple(replace(waiting, sent_ms=now_ms) for waiting in self.waiting[late:])
        return replace(self, waiting=(*self.waiting[:late], *sent)), _messages(sent)


def _messages(waiting: Iterable[Waiting]) -> tuple[GuestReading, ...]:
    return tuple(reading.message for reading in waiting)
