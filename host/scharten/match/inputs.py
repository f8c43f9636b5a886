"""What can happen to a match: frozen values, time and chance riding on them.

`t_ms` is the host's Unix time in ms at which the input was taken in; `at_ms` is when it happened (rules for both:
contract.md, "a hit is judged by when it happened").
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from scharten.dartboard.beds import Bed
from scharten.match.orders import AnyOrder


class Role(StrEnum):
    """Who may command: the broker account's role."""

    SEAT1 = "seat1"
    SEAT2 = "seat2"
    TABLE = "table"
    ARBITER = "arbiter"


class Button(StrEnum):
    """The three buttons of an electronic board; `other` is one that this version does not know."""

    MISS = "miss"
    READY = "ready"
    UNDO = "undo"
    OTHER = "other"


class SourceState(StrEnum):
    """How a source of darts is."""

    FOUND = "found"
    LOST = "lost"
    SILENT = "silent"
    WRONG_PROTOCOL = "wrong_protocol"


@dataclass(frozen=True, slots=True)
class Line:
    """Which sequenced line of the board an input came from: its session and number."""

    session: int
    number: int


@dataclass(frozen=True, slots=True)
class BoardHit:
    """A contact of an electronic board closed. `bed` is None when the profile does not know the contact."""

    t_ms: int
    at_ms: int
    source: str
    bed: Bed | None
    drive: int
    sense: int
    line: Line | None = None


@dataclass(frozen=True, slots=True)
class DartSeen:
    """Cameras saw a dart: mm as in contract.md, the likeliest bed first in `beds`; `bounced`: it did not stay."""

    t_ms: int
    at_ms: int
    source: str
    beds: tuple[Bed, ...]
    confidence: float
    x_mm: float | None = None
    y_mm: float | None = None
    bounced: bool = False


@dataclass(frozen=True, slots=True)
class KnockHeard:
    """A knock without a contact: a miss or a bounce-out."""

    t_ms: int
    at_ms: int
    source: str
    peak: int
    line: Line | None = None


@dataclass(frozen=True, slots=True)
class ButtonPressed:
    """A button of the board."""

    t_ms: int
    at_ms: int
    source: str
    button: Button
    line: Line | None = None


@dataclass(frozen=True, slots=True)
class ContactStuck:
    """A contact is stuck (`stuck`) or free again."""

    t_ms: int
    source: str
    bed: Bed | None
    drive: int
    sense: int
    stuck: bool
    line: Line | None = None


@dataclass(frozen=True, slots=True)
class BoardEmpty:
    """Cameras see that no dart is in the board any more."""

    t_ms: int
    at_ms: int
    source: str


@dataclass(frozen=True, slots=True)
class HitsDropped:
    """A source lost events for good; `told` is the board's session and its own count of what it dropped in it."""

    t_ms: int
    source: str
    count: int
    told: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class SourceChanged:
    """A source came, went, fell silent or speaks another protocol; `detail` in English."""

    t_ms: int
    source: str
    state: SourceState
    detail: str = ""


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


Input = (
    BoardHit
    | DartSeen
    | KnockHeard
    | ButtonPressed
    | ContactStuck
    | BoardEmpty
    | HitsDropped
    | SourceChanged
    | Command
    | Tick
    | Restarted
)
