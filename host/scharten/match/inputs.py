"""The inputs of a match: frozen values that carry the time and the random numbers they need.

`t_ms` is the host's Unix time in ms when the input was accepted; `at_ms` is when it happened (contract.md, "a hit is
judged by when it happened").
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scharten.dartboard.beds import Bed
from scharten.dartboard.profile import Contact
from scharten.game.basics import Side
from scharten.match.dart import Dart
from scharten.match.orders import AnyOrder
from scharten.match.white import Seat


class Role(StrEnum):
    """Roles of broker accounts that may command."""

    SEAT1 = "seat1"
    SEAT2 = "seat2"
    TABLE = "table"
    ARBITER = "arbiter"
    ORGANISER = "organiser"


class ButtonName(StrEnum):
    """The three buttons of an electronic board; `other` is any button that this version does not know."""

    MISS = "miss"
    READY = "ready"
    UNDO = "undo"
    OTHER = "other"


class SensorState(StrEnum):
    """The state of a sensor."""

    FOUND = "found"
    LOST = "lost"
    SILENT = "silent"
    WRONG_PROTOCOL = "wrong_protocol"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The acknowledgement of a durably stored reading: the board's session, and the number of its line in it."""

    session: int
    number: int


@dataclass(frozen=True, slots=True)
class Knock:
    """A knock without a contact: a miss or a bounce-out."""

    peak: int


@dataclass(frozen=True, slots=True)
class Button:
    """A button of the board was pressed."""

    name: ButtonName


@dataclass(frozen=True, slots=True)
class NoDart:
    """A contact or (None) a knock without a dart, as cameras saw: a hand, a second contact of one dart, a ghost."""

    contact: Contact | None
    bed: Bed | None


@dataclass(frozen=True, slots=True)
class Cleared:
    """No dart is in the board any more."""


Observed = Dart | Knock | Button | NoDart | Cleared


@dataclass(frozen=True, slots=True)
class Reading:
    """Something that a sensor noticed on the board. `receipt` is None for a sensor that stores nothing.

    `revises`: all sensors' judgement of a dart that one of them reported before, with the same `at_ms`. `place` is the
    seat that throws at another board, None for the house's own board.
    """

    t_ms: int
    at_ms: int
    sensor: str
    what: Observed
    receipt: Receipt | None = None
    revises: bool = False
    place: Seat | None = None

    @property
    def happened_ms(self) -> int:
        """When it happened; never in the future, even if the sensor's clock runs ahead."""
        return min(self.at_ms, self.t_ms)


@dataclass(frozen=True, slots=True)
class ContactStuck:
    """A contact is stuck (`stuck`) or free again."""

    contact: Contact
    bed: Bed | None
    stuck: bool


@dataclass(frozen=True, slots=True)
class ReadingsLost:
    """`count` readings will never arrive; `total` is the board's session and how many it has dropped in it."""

    count: int
    total: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class SensorChanged:
    """A sensor was found, lost, fell silent or speaks another protocol; `detail` in English, `reason` its code."""

    state: SensorState
    detail: str = ""
    reason: str = ""


News = ContactStuck | ReadingsLost | SensorChanged


@dataclass(frozen=True, slots=True)
class SensorNews:
    """A sensor's report about itself."""

    t_ms: int
    sensor: str
    news: News
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """An order and the role that gave it; `seed` is the host's random number, used to draw lots."""

    t_ms: int
    role: Role
    order: AnyOrder
    seed: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passed: the host sends it when `referee.deadline` is due."""

    t_ms: int


@dataclass(frozen=True, slots=True)
class Restarted:
    """The host restarted; it was last running at the time of the input before this one."""

    t_ms: int


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """The line to the board of a seat broke or is back (`up`); the last sign of life came at `since_ms`."""

    t_ms: int
    seat: Seat
    up: bool
    since_ms: int


Input = Reading | SensorNews | Command | Tick | Restarted | LinkChanged


@dataclass(frozen=True, slots=True)
class Actor:
    """The giver of an order: role, seat if it is one, the side it is about, the time, and the input's seed."""

    role: Role
    seat: Seat | None
    side: Side | None
    now: int
    seed: int


def receipt_of(event: Input) -> Receipt | None:
    """The receipt to give back to the sensor once the input is stored, if any."""
    return event.receipt if isinstance(event, Reading | SensorNews) else None
