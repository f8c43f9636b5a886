"""How many may connect: a cap on all, a smaller one on those that have not said who they are.

When the waiting room is full its oldest guest is shown out, so that a thousand connections that say nothing never
keep out a client that does: its CONNECT comes within milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(eq=False)
class Guest:
    """One connection; `show_out` closes it at once."""

    show_out: Callable[[], None]


class Gate:
    """Counts connections: at most `most` in all, at most `waiting` of them before their CONNECT."""

    def __init__(self, most: int, waiting: int) -> None:
        self._most = most
        self._waiting_most = waiting
        self._waiting: dict[Guest, None] = {}
        self._inside: set[Guest] = set()
        self.turned_away = 0

    @property
    def inside(self) -> int:
        """Connections that have said who they are."""
        return len(self._inside)

    def enter(self, show_out: Callable[[], None]) -> Guest | None:
        """A place in the waiting room, if need be the oldest guest's; None when all places are taken inside."""
        full = len(self._waiting) + len(self._inside) >= self._most
        if len(self._waiting) >= self._waiting_most or (full and self._waiting):
            oldest = next(iter(self._waiting))
            self.leave(oldest)
            oldest.show_out()
            self.turned_away += 1
        if len(self._waiting) + len(self._inside) >= self._most:
            self.turned_away += 1
            return None
        guest = Guest(show_out)
        self._waiting[guest] = None
        return guest

    def admit(self, guest: Guest) -> bool:
        """Moves a guest inside; False when it was shown out meanwhile."""
        if guest not in self._waiting:
            return False
        del self._waiting[guest]
        self._inside.add(guest)
        return True

    def leave(self, guest: Guest) -> None:
        """Frees the guest's place; nothing happens the second time."""
        self._waiting.pop(guest, None)
        self._inside.discard(guest)

    def close(self) -> None:
        """Shows everyone out."""
        for guest in [*self._waiting, *self._inside]:
            guest.show_out()
