"""Throws with all the faults of contacts: the closures of a board with such contacts for each throw."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lab.both.scenes import WIRE_MM, SeenThrow
from scharten.dartboard.beds import MISS, Bed, neighbours
from scharten.dartboard.locate import bed_at, wire_distance
from scharten.dartboard.profile import BoardProfile, Contact

BOTH, MISSED, GHOST, KNOCKED, JOLTED, TOUCHED = 0.5, 0.01, 0.005, 0.8, 0.3, 0.6
"""Probabilities: both contacts close at a wire; none closes; a ghost precedes a throw; the piezo feels a miss; a
hanging dart closes the contact of the dart it hangs in; a bounce-out closes a contact."""
SHARES = {"dart": 0.89, "wire": 0.05, "bounce": 0.03, "beside": 0.02, "hang": 0.01}
"""Shares of the throws."""
STUCK_EVERY, STUCK_FOR = 400, 40
COVERED_EVERY, COVERED_FOR = 500, 25


@dataclass(frozen=True)
class Closure:
    """A contact closes `after_ms` after the point arrives, for `closed_ms`."""

    contact: Contact
    after_ms: float
    closed_ms: float


@dataclass(frozen=True)
class Throw:
    """One event at the board: the cameras' view (None: a ghost), the closures, and the fault."""

    seen: SeenThrow | None
    closures: tuple[Closure, ...] = ()
    knock: bool = False
    fault: str = ""
    stuck: Contact | None = None
    covered: bool = False
    standing: tuple[tuple[float, float], ...] = ()

    @property
    def truth(self) -> Bed | None:
        """The bed of a dart that stays; None if no dart is in the board afterwards."""
        if self.seen is None or self.seen.kind in ("bounce", "hang"):
            return None
        return bed_at(self.seen.x_mm, self.seen.y_mm)

    @property
    def name(self) -> str:
        """The throw's line in the table."""
        if self.covered:
            return "cameras covered"
        return self.fault or (self.seen.kind if self.seen else "ghost")


def make_throws(count: int, measured: list[SeenThrow], profile: BoardProfile, seed: int) -> list[Throw]:
    """Return this many throws, with scenes drawn from the measured ones, and ghosts between them."""
    chance = np.random.default_rng(seed)
    by_kind = {kind: [item for item in measured if item.kind == kind] for kind in SHARES}
    throws: list[Throw] = []
    stands: list[SeenThrow] = []
    stuck: Contact | None = None
    for number in range(count):
        kind = str(chance.choice(list(SHARES), p=list(SHARES.values())))
        if kind == "hang" and not stands:
            kind = "dart"
        free = [item for item in by_kind[kind] or by_kind["dart"] if item not in stands]
        seen = _one(chance, free or by_kind["dart"])
        if number % STUCK_EVERY == 0:
            stuck = None
        if number % STUCK_EVERY == STUCK_EVERY - STUCK_FOR:
            stuck = profile.contact_of(bed_at(seen.x_mm, seen.y_mm)) if kind == "dart" else None
            broken = seen
        covered = number % COVERED_EVERY >= COVERED_EVERY - COVERED_FOR
        if stuck is not None and not covered and chance.random() < 0.25:
            seen, kind, stands = broken, "dart", [stand for stand in stands if stand is not broken]
        if chance.random() < GHOST:
            contacts = list(profile.beds)
            ghost = contacts[int(chance.integers(len(contacts)))]
            if ghost != stuck:
                closes = (Closure(ghost, 1, 4),)
                throws.append(Throw(None, closes, False, "ghost", stuck, covered, _places(stands)))
        throws.append(_thrown(chance, seen, stands, profile, stuck, covered))
        stands = [*stands, seen] if kind in ("dart", "wire") else stands
        if len(stands) > 2 or kind == "hang" or chance.random() < 0.4:
            stands = []  # taken out
    return throws


def _one(chance: np.random.Generator, some: list[SeenThrow]) -> SeenThrow:
    return some[int(chance.integers(len(some)))]


def _thrown(
    chance: np.random.Generator,
    seen: SeenThrow,
    stands: list[SeenThrow],
    profile: BoardProfile,
    stuck: Contact | None,
    covered: bool,
) -> Throw:
    closures, knock, fault = _felt(chance, seen, stands, profile)
    open_ones = tuple(closure for closure in closures if closure.contact != stuck)
    if len(open_ones) < len(closures):
        fault = "stuck contact"
    return Throw(seen, open_ones, knock, fault, stuck, covered, _places(stands))


def _places(stands: list[SeenThrow]) -> tuple[tuple[float, float], ...]:
    return tuple((stand.x_mm, stand.y_mm) for stand in stands)


def _felt(
    chance: np.random.Generator, seen: SeenThrow, stands: list[SeenThrow], profile: BoardProfile
) -> tuple[tuple[Closure, ...], bool, str]:
    """Return the contacts that close, whether only the piezo notices the dart, and the name of the fault."""
    own = profile.contact_of(bed_at(seen.x_mm, seen.y_mm))
    if seen.kind == "hang":
        other = profile.contact_of(bed_at(stands[-1].x_mm, stands[-1].y_mm))
        jolts = other is not None and chance.random() < JOLTED
        return ((Closure(other, 1, 3),) if jolts and other else ()), not jolts, "hangs in a flight"
    if seen.kind == "beside" or own is None:
        return (), chance.random() < KNOCKED, ""
    if seen.kind == "bounce" and chance.random() >= TOUCHED:
        return (), chance.random() < KNOCKED, "bounces out, no contact"
    closes = Closure(own, 1.0, float(chance.uniform(6, 30)))
    if seen.kind == "bounce":
        return (closes,), False, "bounces out, contact"
    if chance.random() < MISSED:
        return (), chance.random() < KNOCKED, "no closure"
    if wire_distance(seen.x_mm, seen.y_mm) < WIRE_MM:
        beside = profile.contact_of(_across(seen.x_mm, seen.y_mm))
        if beside is not None and beside != own and chance.random() < BOTH:
            late = float(chance.uniform(0, 8))
            return (
                (closes, Closure(beside, 1.0 + late, float(chance.uniform(2, 20)))),
                False,
                "wire, both contacts",
            )
        return (closes,), False, "wire"
    return (closes,), False, ""


def _across(x_mm: float, y_mm: float) -> Bed:
    """Return the bed on the other side of the nearest wire."""
    here = bed_at(x_mm, y_mm)
    around = [
        bed_at(x_mm + 2 * WIRE_MM * math.cos(angle), y_mm + 2 * WIRE_MM * math.sin(angle))
        for angle in np.linspace(0, math.tau, 16, endpoint=False)
    ]
    others = [bed for bed in around if bed not in (here, MISS)]
    return others[0] if others else neighbours(here)[0]
