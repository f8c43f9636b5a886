"""Events of a step for publication: darts, happenings and answers, each with the `match` and `seq` after it.

An event is news, never the state: a display rebuilds itself from the snapshot alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scharten.dartboard.beds import Bed
from scharten.match.dart import Opinion

Args = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer to one command, for `answer/<role>`; `body` is the contract's JSON object."""

    role: str
    body: Args


@dataclass(frozen=True, slots=True)
class HitReport:
    """A dart that was read, for `hits`: `why` it did not count ("" when it did); likeliest bed first.

    `revises`: the second word on a dart that was reported before; `seen_ms`: when cameras beside a board saw it.
    `place`: the seat whose own board it is in, None for the house's.
    """

    at_ms: int
    source: str
    bed: Bed | None
    beds: tuple[Bed, ...]
    probabilities: tuple[float, ...]
    counted: bool
    why: str
    confidence: float
    x_mm: float | None = None
    y_mm: float | None = None
    drive: int | None = None
    sense: int | None = None
    seen_ms: int | None = None
    revises: bool = False
    opinions: tuple[Opinion, ...] = ()
    place: str | None = None
    match: str = ""
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Happened:
    """Anything else, for `events`: `code` and `args` as the page's texts have them."""

    code: str
    args: Args = field(default_factory=dict)
    t_ms: int = 0
    match: str = ""
    seq: int = 0


Event = Answered | HitReport | Happened
