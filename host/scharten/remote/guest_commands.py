"""The commands of a guest's pages that the host has not answered yet, as a value. Pure: the time comes with each call.

A broken line loses commands and answers. A command is sent again under its own id until its answer comes; the host's
referee answers a repeated id as before and does nothing twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

AGAIN_MS = 1_500
"""Send a command again after this time without an answer, more on a slow line."""
GIVEN_UP_MS = 30_000
MOST_WAITING = 64


@dataclass(frozen=True, slots=True)
class GuestCommand:
    """A command of `role` at this house, as the host gets it; `sent_ms` is None until it is sent on this connection."""

    id: str
    role: str
    body: bytes
    asked_ms: int
    sent_ms: int | None = None


@dataclass(frozen=True, slots=True)
class GuestCommands:
    """`waiting` in the order of the pages."""

    waiting: tuple[GuestCommand, ...] = ()

    def with_command(self, command: GuestCommand) -> GuestCommands:
        """Add a command; one with the same id is replaced, and the oldest of too many goes."""
        others = tuple(other for other in self.waiting if other.id != command.id)
        return GuestCommands((*others, command)[-MOST_WAITING:])

    def answered(self, command_id: str) -> tuple[GuestCommands, str | None]:
        """The host answered: also return the role that asked, None if nobody waits for it."""
        role = next((waiting.role for waiting in self.waiting if waiting.id == command_id), None)
        return GuestCommands(tuple(waiting for waiting in self.waiting if waiting.id != command_id)), role

    def reconnected(self) -> GuestCommands:
        """Everything that waits is sent again."""
        return GuestCommands(tuple(replace(waiting, sent_ms=None) for waiting in self.waiting))

    def due(self, now_ms: int, round_trip_ms: int) -> tuple[GuestCommands, tuple[GuestCommand, ...]]:
        """The commands to send now, in the order of the pages."""
        again_ms = max(AGAIN_MS, 3 * round_trip_ms)
        sent = tuple(
            replace(waiting, sent_ms=now_ms)
            if waiting.sent_ms is None or now_ms - waiting.sent_ms >= again_ms
            else waiting
            for waiting in self.waiting
        )
        return GuestCommands(sent), tuple(
            new for new, old in zip(sent, self.waiting, strict=True) if new != old
        )

    def given_up(self, now_ms: int) -> tuple[GuestCommands, tuple[GuestCommand, ...]]:
        """The commands that waited too long for an answer; they are not sent again."""
        late = tuple(waiting for waiting in self.waiting if now_ms - waiting.asked_ms >= GIVEN_UP_MS)
        return GuestCommands(tuple(waiting for waiting in self.waiting if waiting not in late)), late
