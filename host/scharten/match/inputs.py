"""Observed can happen to a match: frozen values, time and chance riding on them.

`t_ms` is the host's Unix time in ms at which the input was taken in; `at_ms` is when it happened (rules for both:
contract.md, "a hit is judged by when it happened").
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scharten.dartboard.beds import SURE, Bed
from scharten.dartboard.profile import Contact
from scharten.match.orders import AnyOrder


class Role(StrEnum):
    """Who may command: the broker account's role."""

    SEAT1 = "seat1"
    SEAT2 = "seat2"
    TABLE = "table"
    ARBITER = "arbiter"
    ORGANISER = "organiser"


class ButtonName(StrEnum):
    """The three buttons of an electronic board; `other` is one that this version does not know."""

    MISS = "miss"
    READY = "ready"
    UNDO = "undo"
    OTHER = "other"


class SensorState(StrEnum):
    """How a sensor is."""

    FOUND = "found"
    LOST = "lost"
    SILENT = "silent"
    WRONG_PROTOCOL = "wrong_protocol"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a sensor is told when its reading is durably stored: the board's session, and the line's number in it."""

    session: int
    number: int


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one of several sensors made of a dart: its likeliest bed with the probability; no bed: it noticed none."""

    sensor: str
    bed: Bed | None
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class Dart:
    """A dart: every bed it may be in with its probability, the likeliest first; mm as in contract.md.

    `beds` is empty for a contact that no profile knows, and where cameras saw something change but not what.
    `bounced`: it did not stay. `contact`: what it closed on an electronic board. `seen_ms`: when cameras
    saw it, where that is another time than the reading's: beside such a board, or by a clock of their own.
    `opinions` of sensors that do not agree.
    """

    beds: tuple[tuple[Bed, float], ...]
    x_mm: float | None = None
    y_mm: float | None = None
    bounced: bool = False
    contact: Contact | None = None
    seen_ms: int | None = None
    opinions: tuple[Opinion, ...] = ()

    @property
    def watched(self) -> bool:
        """Whether cameras saw it, which also see it being taken out."""
        return self.contact is None or self.seen_ms is not None

    @property
    def confidence(self) -> float:
        """The probability of the likeliest bed, 0 where none is known."""
        return self.beds[0][1] if self.beds else 0.0

    @property
    def candidates(self) -> tuple[tuple[Bed, float], ...]:
        """The beds that are to be reckoned with: one of a sure dart, all of one in doubt."""
        return self.beds[:1] if self.confidence >= SURE else self.beds


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
    """A contact or (None) a knock that was no dart, as cameras saw: a hand, a second contact of one dart, a ghost."""

    contact: Contact | None
    bed: Bed | None


@dataclass(frozen=True, slots=True)
class Cleared:
    """No dart is in the board any more."""


@dataclass(frozen=True, slots=True)
class Lifted:
    """A dart was taken out, others are still in the board."""


Observed = Dart | Knock | Button | NoDart | Cleared | Lifted


@dataclass(frozen=True, slots=True)
class Reading:
    """Something that a sensor noticed on the board. `receipt` is None for a sensor that keeps nothing.

    `revises`: the word of all sensors on a dart that one of them gave before, at the same `at_ms`.
    """

    t_ms: int
    at_ms: int
    sensor: str
    what: Observed
    receipt: Receipt | None = None
    revises: bool = False

    @property
    def happened_ms(self) -> int:
        """When it happened; a sensor whose clock runs ahead must not make a dart that lies in the future."""
        return min(self.at_ms, self.t_ms)


@dataclass(frozen=True, slots=True)
class ContactStuck:
    """A contact is stuck (`stuck`) or free again."""

    contact: Contact
    bed: Bed | None
    stuck: bool


@dataclass(frozen=True, slots=True)
class ReadingsLost:
    """So many readings will never come; `total` is the board's session and its own count of what it dropped in it."""

    count: int
    total: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class SensorChanged:
    """A sensor came, went, fell silent or speaks another protocol; `detail` in English."""

    state: SensorState
    detail: str = ""


News = ContactStuck | ReadingsLost | SensorChanged


@dataclass(frozen=True, slots=True)
class SensorNews:
    """Observed a sensor says about itself."""

    t_ms: int
    sensor: str
    news: News
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """An order and who gave it; `seed` is the host's random number, used where a lot is drawn."""

    t_ms: int
    role: Role
    order: AnyOrder
    seed: int


@dataclass(frozen=True, slots=True)
class Tick:
    """Nothing but the time: due when `referee.deadline` has come."""

    t_ms: int


@dataclass(frozen=True, slots=True)
class Restarted:
    """The host was away; what it knew last is the time of the input before this one."""

    t_ms: int


Input = Reading | SensorNews | Command | Tick | Restarted


def receipt_of(given: Input) -> Receipt | None:
    """Observed its sensor is to be told once the input is stored, if anything."""
    return given.receipt if isinstance(given, Reading | SensorNews) else None
