"""The difference of two clocks, measured by messages that come back: the quickest of the last minute is right. Pure."""

from __future__ import annotations

from dataclasses import dataclass

MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Sample:
    """One message that came back: when, how long it took, and how far the host's clock is ahead of this one."""

    at_ms: int
    round_trip_ms: int
    offset_ms: int


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """The samples of the last minute that may still become the best: each later one was slower."""

    samples: tuple[Sample, ...] = ()

    def with_sample(self, sent_ms: int, host_ms: int, received_ms: int) -> ClockOffset:
        """Add the message that was sent at `sent_ms` and answered by the host at its `host_ms`."""
        round_trip = received_ms - sent_ms
        if not 0 <= round_trip <= MINUTE_MS:
            return self
        sample = Sample(received_ms, round_trip, host_ms - (sent_ms + received_ms) // 2)
        kept = (
            known
            for known in self.samples
            if received_ms - known.at_ms < MINUTE_MS and known.round_trip_ms < round_trip
        )
        return ClockOffset((*kept, sample))

    @property
    def best(self) -> Sample | None:
        """The quickest sample of the last minute."""
        return self.samples[0] if self.samples else None

    @property
    def offset_ms(self) -> int:
        """How far the host's clock is ahead; 0 before the first sample."""
        return self.samples[0].offset_ms if self.samples else 0
