"""How many may connect: a cap on all, a smaller one on those that have not said who they are.

When the waiting room is full its oldest guest is shown out, so that a thousand connections that say nothing never
keep out a client that does: its CONNECT comes within milliseconds. Some places are kept for the house itself (host,
page's server, simulated board), so that no crowd of displays and players can keep the referee from coming back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(eq=False)
class Guest:
    """One connection; `show_out` closes it at once."""

    show_out: Callable[[], None]
    of_the_house: bool = False


class Gate:
    """Counts connections: at most `most` in all, at most `waiting` of them before their CONNECT.

    Of all places `kept` are for the house and for the waiting room.
    """

    def __init__(self, most: int, waiting: int, kept: int) -> None:
        self._most = most
        self._waiting_most = waiting
        self._others_most = most - kept
        self._waiting: dict[Guest, None] = {}
        self._inside: set[Guest] = set()
        self._others = 0
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

    def has_room(self, of_the_house: bool) -> bool:
        """Whether a guest who has said who it is may come inside."""
        return of_the_house or self._others < self._others_most

    def admit(self, guest: Guest, of_the_house: bool) -> bool:
        """Moves a guest inside; False when it was shown out meanwhile."""
        if guest not in self._waiting:
            return False
        del self._waiting[guest]
        guest.of_the_house = of_the_house
        self._inside.add(guest)
        self._others += not of_the_house
        return True

    def leave(self, guest: Guest) -> None:
        """Frees the guest's place; nothing happens the second time."""
        self._waiting.pop(guest, None)
        if guest in self._inside:
            self._inside.remove(guest)
            self._others -= not guest.of_the_house

    def close(self) -> None:
        """Shows everyone out."""
        for guest in [*self._waiting, *self._inside]:
            guest.show_out()
