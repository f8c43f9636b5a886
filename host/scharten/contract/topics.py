"""The topics of docs/contract.md: who writes what, what is retained, and which role may read or write it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

NAME = re.compile(r"[a-z0-9_-]{1,32}")
COMMAND_LIMIT = 16 * 1024
"""Bytes of the largest command that is read at all."""
"""Bytes of the largest snapshot."""
COMMAND_ROLES: tuple[str, ...] = ("seat1", "seat2", "table", "arbiter", "organiser")
THROW_ROLES: tuple[str, ...] = ("table", "arbiter")
SEAT_THROW_ROLES: tuple[str, ...] = ("seat1", "seat2")
"""Roles that throw at the simulated board on a topic of their own, so that the host knows whose dart it is."""
LIGHT_ROLES: tuple[str, ...] = ("table", "arbiter")
"""Roles that may announce a change of light on the board. A seat may not: it could cover a dart from the cameras."""


PAGE_LIGHT = "light/web"
"""Topic on which the page's server announces a change of light: cameras keep time for it that no other client gets."""


class Topic(StrEnum):
    """The last part of a topic of one board."""

    AVAILABILITY = "availability"
    STATE = "state"
    SHEET = "sheet"
    EVENTS = "events"
    HITS = "hits"
    SAID = "said"
    HEALTH = "health"
    FINISHED = "finished"
    FORGOTTEN = "forgotten"
    NEXT = "next"
    ADVICE = "advice"
    LIGHT = "light"
    REMOTE = "remote"
    COMMAND = "command"
    ANSWER = "answer"
    THROW = "simulator/throw"


FINISHED_SLOTS = 8
"""How many finished games the broker keeps, each on its own topic below `finished/`."""
RETAINED = frozenset(
    {
        *(Topic.AVAILABILITY, Topic.STATE, Topic.SHEET, Topic.HEALTH, Topic.ADVICE),
        *(Topic.FINISHED, Topic.FORGOTTEN, Topic.NEXT),
    }
)
BROADCAST: tuple[Topic, ...] = (
    Topic.AVAILABILITY,
    Topic.STATE,
    Topic.SHEET,
    Topic.EVENTS,
    Topic.HITS,
    Topic.SAID,
    Topic.HEALTH,
    Topic.ADVICE,
    Topic.LIGHT,
)
"""Topics of the host that every role may read."""


@dataclass(frozen=True, slots=True)
class Topics:
    """The topics of one board of one club; each name must match `[a-z0-9_-]{1,32}`, else `ValueError`."""

    prefix: str
    club: str
    board: str

    def __post_init__(self) -> None:
        for name in (self.prefix, self.club, self.board):
            if not NAME.fullmatch(name):
                raise ValueError(f"{name!r} is not a name for a topic: 1 to 32 of a-z, 0-9, _ and -")

    @property
    def root(self) -> str:
        """Prefix of all of the board's topics, without the last slash."""
        return f"{self.club_root}/{self.board}"

    @property
    def club_root(self) -> str:
        """Prefix of the topics of all boards of the club, without the last slash."""
        return f"{self.prefix}/{self.club}"

    @property
    def id(self) -> str:
        """One word for the board among all boards of all clubs."""
        return f"{self.prefix}_{self.club}_{self.board}"

    def path(self, topic: Topic) -> str:
        """Return the full path of a topic that has no role in it."""
        return f"{self.root}/{topic.value}"

    def finished(self, slot: int) -> str:
        """Where one of the last finished games stands."""
        return f"{self.root}/{Topic.FINISHED.value}/{slot}"

    def forgotten(self, teller: str) -> str:
        """Topic on which host or organiser publishes deleted players."""
        return f"{self.root}/{Topic.FORGOTTEN.value}/{teller}"

    def command(self, role: str) -> str:
        """Where a role writes its commands."""
        return f"{self.root}/{Topic.COMMAND.value}/{role}"

    def answer(self, role: str) -> str:
        """Where the host answers a role."""
        return f"{self.root}/{Topic.ANSWER.value}/{role}"

    def throw(self, seat: str) -> str:
        """Topic on which a seat throws at the simulated board; the host passes the dart on when it is due."""
        return f"{self.path(Topic.THROW)}/{seat}"

    def role_of(self, topic: str) -> str | None:
        """The role whose command topic this is, or None; compared whole, part by part."""
        start, _, role = topic.rpartition("/")
        return role if start == f"{self.root}/{Topic.COMMAND.value}" and role in COMMAND_ROLES else None
