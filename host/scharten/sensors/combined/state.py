"""The state of a board and cameras that watch the same throws, and what can be read from it. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

from scharten.dartboard.beds import SURE, Bed
from scharten.dartboard.lines import HitNotice
from scharten.dartboard.profile import Contact
from scharten.match.dart import Dart
from scharten.match.inputs import Input, NoDart, Observed, Reading, Receipt, SensorState
from scharten.sensors.combined import evidence
from scharten.sensors.combined.evidence import ENOUGH, FIRST_APART_MS, ContactTable, StandingDart, Timing

UNNOTICED = 3
"""A sensor that noticed nothing of this many darts in a row, in different beds, is left out."""
UNMOVED = 0.001
"""Upper bound on how often a real dart causes no motion in any camera: 0 of 3,750 (`make bench ARGS=both`)."""

PAST_MS, PAST_KEPT = 12_000, 8
"""How long a decided throw is known, for a late report of the cameras, and how many of them."""
REPEATED_MS, SAME_MM = 1000, 5.0
"""A dart of the cameras at the same time and place as an earlier one is the same."""
CLOCKS_MS = 2500
"""The cameras' clock may differ this much from the host's: `sensors.camera` corrects what is more than 2 s."""
GHOSTLY = 0.05
"""A contact that fires by itself more often than this waits for the cameras."""
AT_REST = ("empty", "quiet", "settled", "partly_out")
"""States of the cameras' tracking in which nothing moves."""
PATIENCE_MS = 6000
"""While something moves, wait for the cameras' report no longer than this."""


@dataclass(frozen=True)
class BoardThrow:
    """The board's events of a throw, in order, and the readings that went to the referee at once."""

    readings: tuple[Reading, ...]
    reported: Reading | None = None
    hand: bool = False

    @property
    def at_ms(self) -> int:
        """The time of its first contact, else of its knock."""
        felt = (reading.happened_ms for reading in self.readings if isinstance(reading.what, Dart))
        return next(felt, self.readings[0].happened_ms)

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """The contacts that it closed, in order."""
        found = (reading.what.contact for reading in self.readings if isinstance(reading.what, Dart))
        return tuple(dict.fromkeys(contact for contact in found if contact is not None))


@dataclass(frozen=True)
class PastThrow:
    """A throw that was decided, when, and the cameras' dart where they reported one. No throw: only they noticed it."""

    decided_ms: int
    throw: BoardThrow | None = None
    seen: Reading | None = None


@dataclass(frozen=True)
class BothSensors:
    """The state: both sensors, and the throws on which the cameras have not reported."""

    table: ContactTable
    timing: Timing
    board: SensorState = SensorState.LOST
    cameras: SensorState = SensorState.LOST
    tracking: str = ""
    looked_ms: int = 0
    looking_ms: int | None = None  # since when cameras have looked without a break
    still_ms: int | None = None  # since when nothing has moved in any camera
    remarked: bool = False  # whether the cameras report anything about themselves
    piezo: tuple[bool, ...] = ()  # of recent darts that both noticed, whether the piezo noticed them too
    bare: bool = True  # whether the board was empty when all was last still
    unseen: frozenset[Contact] = frozenset()  # contacts of darts in a row that only the board felt
    unfelt: frozenset[Bed] = frozenset()  # beds of darts in a row that only the cameras saw
    stuck: frozenset[Contact] = frozenset()
    notices: tuple[tuple[Receipt, HitNotice], ...] = ()  # the board's notices of its last hits
    throws: tuple[BoardThrow, ...] = ()
    waiting: tuple[Input, ...] = ()  # board lines behind a throw that is held
    past: tuple[PastThrow, ...] = ()  # recent throws that were decided
    camera_darts: tuple[Reading, ...] = ()  # recent darts that only the cameras saw
    standing: tuple[StandingDart, ...] = ()
    in_board_ms: int | None = None  # when the last dart in the board was felt or seen
    output: tuple[Input, ...] = ()  # for the referee, in order

    @property
    def cameras_usable(self) -> bool:
        """Whether the cameras can be asked."""
        return self.cameras is SensorState.FOUND and len(self.unseen) < UNNOTICED and bool(self.tracking)

    @property
    def board_usable(self) -> bool:
        """Whether the board can be asked."""
        return self.board is SensorState.FOUND and len(self.unfelt) < UNNOTICED

    @property
    def occupied(self) -> bool:
        """Whether darts are in the board."""
        return bool(self.standing) or not self.bare

    @property
    def holding(self) -> bool:
        """Whether a board line waits for the cameras."""
        return any(throw.reported is None for throw in self.throws)

    def emit(self, *inputs: Input) -> BothSensors:
        """Add inputs for the referee."""
        return replace(self, output=(*self.output, *inputs))

    def is_stuck(self, bed: Bed) -> bool:
        """Whether the contact of this bed is stuck, so that its silence proves nothing."""
        return self.table.profile.contact_of(bed) in self.stuck

    def noticed(self, throw: BoardThrow, notice: HitNotice) -> bool:
        """Whether the board gave this notice of the only hit of a throw."""
        hits = [reading.receipt for reading in throw.readings if isinstance(reading.what, Dart)]
        return len(hits) == 1 and (hits[0], notice) in self.notices


def take_output(both: BothSensors) -> tuple[BothSensors, tuple[Input, ...]]:
    """Split the inputs for the referee from the state."""
    return replace(both, output=()), both.output


def without_dart(table: ContactTable, given: Reading) -> Reading:
    """A board reading to store and acknowledge that counts as no dart."""
    contact = given.what.contact if isinstance(given.what, Dart) else None
    return replace(given, what=NoDart(contact, None if contact is None else table.profile.bed(contact)))


def is_same_bed(dart: Observed, reported: Reading | None) -> bool:
    if reported is None or not isinstance(dart, Dart) or not isinstance(reported.what, Dart):
        return False
    return bool(dart.beds) and dart.beds[0][0] == reported.what.beds[0][0]


def _may_be_in_bed(dart: Dart, reported: Reading | None) -> bool:
    """Whether the reported bed is among those that the cameras name, as of a dart at a wire."""
    if reported is None or not isinstance(reported.what, Dart):
        return False
    return any(bed == reported.what.beds[0][0] for bed, _ in dart.beds)


def throw_of(both: BothSensors, given: Reading) -> BoardThrow | None:
    """The throw that the cameras saw: the best in the time window, else a near one in the same bed.

    The second case follows a change of the cameras' rate or clock; it measures the window again.
    """
    low, high = both.timing.window
    apart = {n: given.happened_ms - throw.at_ms for n, throw in enumerate(both.throws)}
    fit = [n for n, ms in apart.items() if both.timing.fit(ms)] or [
        n
        for n, ms in apart.items()
        if abs(ms) <= CLOCKS_MS and is_same_bed(given.what, both.throws[n].reported)
    ]
    best = min(fit, key=lambda n: abs(apart[n] - (low + high) / 2), default=None)
    return None if best is None else both.throws[best]


def with_past(both: BothSensors, past: PastThrow) -> BothSensors:
    """Remember a throw that was decided."""
    recent = (earlier for earlier in both.past if past.decided_ms - earlier.decided_ms < PAST_MS)
    return replace(both, past=(*recent, past)[-PAST_KEPT:])


def repeated(both: BothSensors, given: Reading) -> bool:
    """Whether the cameras report a dart again that they reported before."""
    dart = given.what
    return isinstance(dart, Dart) and any(
        earlier.seen is not None
        and abs(earlier.seen.happened_ms - given.happened_ms) <= REPEATED_MS
        and _is_same_place(earlier.seen.what, dart)
        for earlier in both.past
    )


def past_of(both: BothSensors, given: Reading, now: int) -> PastThrow | None:
    """The decided throw that the cameras report late: perhaps of the same bed, or dated as its dart."""
    dart = given.what
    if not isinstance(dart, Dart):
        return None
    unseen = [earlier for earlier in both.past if earlier.seen is None and now - earlier.decided_ms < PAST_MS]
    for earlier in reversed(unseen):
        if earlier.throw is not None and _may_be_in_bed(dart, earlier.throw.reported):
            return earlier
    return next(
        (
            earlier
            for earlier in reversed(unseen)
            if earlier.throw is not None and both.timing.fit(given.happened_ms - earlier.throw.at_ms)
        ),
        None,
    )


def _is_same_place(first: Observed, other: Dart) -> bool:
    """Whether two darts of the cameras are within millimetres, or, without millimetres, of the same kind and bed."""
    if not isinstance(first, Dart) or first.bounced != other.bounced:
        return False
    if None in (first.x_mm, first.y_mm, other.x_mm, other.y_mm):
        return bool(first.beds and other.beds) and first.beds[0][0] == other.beds[0][0]
    assert first.x_mm is not None and first.y_mm is not None
    assert other.x_mm is not None and other.y_mm is not None
    return math.dist((first.x_mm, first.y_mm), (other.x_mm, other.y_mm)) < SAME_MM


def chance_beside(both: BothSensors, throw: BoardThrow) -> float:
    """How often a dart at a wire closes its neighbour's contact first, by the board's notices of this hit.

    A board that gives notices and gave none for this hit closed both contacts alike, as far as is known.
    """
    if not any(notice in (HitNotice.ALONE, HitNotice.CLEAR) for _, notice in both.notices):
        return evidence.AT_WIRE
    if both.noticed(throw, HitNotice.ALONE):
        jolts = any(set(throw.contacts) & dart.contacts for dart in both.standing)
        return evidence.AT_WIRE if jolts else evidence.LONE
    return evidence.AT_WIRE if both.noticed(throw, HitNotice.CLEAR) else evidence.EITHER


def is_ghost(both: BothSensors, throw: BoardThrow) -> bool:
    """Whether a contact closed without a dart, as surely as the bed of a dart is sure.

    Cameras may fail in unforeseen ways. So nothing may have moved in any camera, the piezo must be known to work and
    have noticed nothing, and the cameras must have seen the dart before.
    """
    unproven = both.unseen or both.remarked or not both.timing.measured or len(both.piezo) < ENOUGH
    before = throw.at_ms - FIRST_APART_MS
    unmoved = all(since is not None and since <= before for since in (both.still_ms, both.looking_ms))
    if unproven or not both.noticed(throw, HitNotice.UNHEARD) or not unmoved:
        return False
    ghost = both.table.ghost(throw.contacts[0])
    unheard = (1 + both.piezo.count(False)) / (2 + len(both.piezo))
    return ghost / (ghost + UNMOVED * unheard) >= SURE


class Phase(Enum):
    """How far a throw is, for the cameras' silence."""

    KNOCK = "no contact"
    GHOSTLY = "held, with a hand before the board or by a contact that fires by itself"
    HELD = "held in doubt"
    REPORTED = "reported at once"


class Outcome(Enum):
    """Why the cameras report nothing of a throw."""

    UNSEEN = "they looked, and no dart came"
    UNAVAILABLE = "they cannot be asked"


def phase_of(both: BothSensors, throw: BoardThrow) -> Phase:
    """Return how far a throw is."""
    if not throw.contacts:
        return Phase.KNOCK
    if throw.reported is not None:
        return Phase.REPORTED
    ghostly = throw.hand or both.table.ghost(throw.contacts[0]) > GHOSTLY
    return Phase.GHOSTLY if ghostly else Phase.HELD


def outcome_of(both: BothSensors, throw: BoardThrow, now: int) -> Outcome | None:
    """Return why the cameras report nothing, or None: wait for them."""
    if not both.cameras_usable:
        return Outcome.UNAVAILABLE
    age, word = now - throw.at_ms, both.timing.word_ms
    if age < word:
        return None
    looked = both.looked_ms - throw.at_ms >= min(word, PATIENCE_MS)
    if both.tracking in AT_REST and looked:
        return Outcome.UNSEEN
    return Outcome.UNAVAILABLE if age >= PATIENCE_MS else None
