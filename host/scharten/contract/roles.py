"""The topics each broker account may read and write: one table for all brokers and the page's server.

Filters are MQTT filters relative to `<prefix>/<club>/<board>/` (docs/contract.md, Topics and Roles).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from scharten.contract.topics import (
    BROADCAST,
    COMMAND_ROLES,
    FINISHED_SLOTS,
    LIGHT_ROLES,
    PAGE_LIGHT,
    SEAT_THROW_ROLES,
    THROW_ROLES,
    Topic,
    Topics,
)


class Account(StrEnum):
    """A broker account; `display` (also who has none) and `organiser` are of all boards, the others of one."""

    HOST = "host"
    WEB = "web"
    DISPLAY = "display"
    SEAT1 = "seat1"
    SEAT2 = "seat2"
    TABLE = "table"
    ARBITER = "arbiter"
    ORGANISER = "organiser"
    SIMULATOR = "simulator"
    LAMPS = "lamps"


OF_ALL_BOARDS = frozenset({Account.DISPLAY, Account.ORGANISER})
"""Accounts that a club has once, not for each board."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The topic filters that an account may read and write."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()


_FINISHED, _FORGOTTEN = f"{Topic.FINISHED.value}/+", f"{Topic.FORGOTTEN.value}/+"
_PUBLIC = (*(topic.value for topic in BROADCAST), Topic.NEXT.value, _FINISHED, _FORGOTTEN)
KEPT = (
    *(f"{Topic.FINISHED.value}/{slot}" for slot in range(FINISHED_SLOTS)),
    f"{Topic.FORGOTTEN.value}/host",
)
"""The topics of finished games and deleted players that a host may retain: no more than these."""
_THROW, _LIGHT = Topic.THROW.value, Topic.LIGHT.value
_EVENING = (f"{Topic.FORGOTTEN.value}/{Account.ORGANISER.value}", Topic.NEXT.value, Topic.REMOTE.value)


def throw_topic(role: str) -> str | None:
    """Return the topic on which a role throws at the simulated board, below the board's own; None if it may not."""
    if role in SEAT_THROW_ROLES:
        return f"{_THROW}/{role}"
    return _THROW if role in THROW_ROLES else None


def _commander(role: str) -> Grant:
    topic = throw_topic(role)
    throws = () if topic is None else (topic,)
    light = (_LIGHT,) if role in LIGHT_ROLES else ()
    evening = _EVENING if role == Account.ORGANISER else ()
    return Grant((*_PUBLIC, f"answer/{role}"), (f"command/{role}", *throws, *light, *evening))


GRANTS: Mapping[Account, Grant] = {
    # The host hears availability to correct it and finished games to take names out of old ones, passes a seat's darts
    # on to the simulated board, and writes command topics only to clear a retained command.
    Account.HOST: Grant(
        (
            Topic.AVAILABILITY.value,
            _LIGHT,
            PAGE_LIGHT,
            Topic.REMOTE.value,
            "command/+",
            f"{_THROW}/+",
            _FINISHED,
            _FORGOTTEN,
        ),
        (*(topic.value for topic in BROADCAST), *KEPT, "answer/+", "command/+", _THROW),
    ),
    Account.WEB: Grant((*_PUBLIC, "answer/+"), ("command/+", _THROW, f"{_THROW}/+", PAGE_LIGHT)),
    Account.DISPLAY: Grant(_PUBLIC),
    Account.SIMULATOR: Grant((_THROW,)),
    Account.LAMPS: Grant(_PUBLIC, (_LIGHT,)),
    **{Account(role): _commander(role) for role in COMMAND_ROLES},
}


PAGE_ROLES: tuple[str, ...] = (Account.DISPLAY.value, *COMMAND_ROLES)
"""Roles of a page."""


@lru_cache(maxsize=1024)  # asked for each message and page
def reads(role: str, topic: str) -> bool:
    """Whether a page of this role is given what stands on the topic (below the board's own)."""
    return role in PAGE_ROLES and any(matches(pattern, topic) for pattern in GRANTS[Account(role)].reads)


def writes(role: str, topic: str) -> bool:
    """Whether a page of this role may write on the topic (below the board's own)."""
    return role in PAGE_ROLES and any(matches(pattern, topic) for pattern in GRANTS[Account(role)].writes)


HOME_STATUS = "homeassistant/status"
"""Topic of Home Assistant's last will. Home Assistant does not connect without it."""
HOMES = frozenset({Account.LAMPS, Account.SEAT1, Account.SEAT2})
"""The accounts that Home Assistant may have."""


def discovery_topic(topics: Topics) -> str:
    """Where Home Assistant looks for this board."""
    return f"homeassistant/device/{topics.id}/config"


@cache
def _grant(topics: Topics, account: Account) -> Grant:
    base, grant = topics.root + "/", GRANTS[account]
    # What is announced is public; the host removes what an earlier start announced.
    found = () if account is Account.SIMULATOR else (discovery_topic(topics),)
    more = found if account is Account.HOST else (HOME_STATUS,) if account in HOMES else ()
    return Grant(
        (*(base + pattern for pattern in grant.reads), *found),
        (*(base + pattern for pattern in grant.writes), *more),
    )


@dataclass(frozen=True, slots=True)
class Acl:
    """The table for one board: which full topics each account may publish, receive and subscribe to."""

    topics: Topics

    def grant(self, account: Account) -> Grant:
        """The account's filters as full topics."""
        return _grant(self.topics, account)

    def own_topic(self, account: Account, topic: str) -> str:
        """Where a message of this account belongs: a seat's dart on the common topic goes to the seat's own."""
        if account.value in SEAT_THROW_ROLES and topic == self.topics.path(Topic.THROW):
            return self.topics.throw(account.value)
        return topic

    def may_publish(self, account: Account, topic: str) -> bool:
        """Whether a message on this topic is taken from the account."""
        return any(matches(pattern, topic) for pattern in self.grant(account).writes)

    def may_retain(self, topic: str) -> bool:
        """Whether a retained message on this topic is stored."""
        return True

    def may_receive(self, account: Account, topic: str) -> bool:
        """Whether a message on this topic is given to the account."""
        return any(matches(pattern, topic) for pattern in self.grant(account).reads)

    def may_subscribe(self, account: Account, topic_filter: str) -> bool:
        """Whether the filter could bring the account anything; each message is checked again when it comes."""
        return any(overlaps(pattern, topic_filter) for pattern in self.grant(account).reads)


def matches(topic_filter: str, topic: str) -> bool:
    """Whether an MQTT filter (with `+` and `#`) takes in a topic; `$` topics only by name (MQTT 3.1.1, 4.7)."""
    if topic.startswith("$") and topic_filter[:1] in ("+", "#"):
        return False
    wanted, levels = topic_filter.split("/"), topic.split("/")
    for place, level in enumerate(wanted):
        if level == "#":
            return True
        if place >= len(levels) or level not in ("+", levels[place]):
            return False
    return len(wanted) == len(levels)


def overlaps(first: str, second: str) -> bool:
    """Whether some topic matches both filters."""
    ours, theirs = first.split("/"), second.split("/")
    for mine, yours in zip(ours, theirs, strict=False):
        if "#" in (mine, yours):
            return True
        if mine != yours and "+" not in (mine, yours):
            return False
    shorter, longer = sorted((ours, theirs), key=len)
    return len(ours) == len(theirs) or longer[len(shorter) :] == ["#"]
