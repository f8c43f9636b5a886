"""Weigh contacts and cameras as evidence of one dart: tables with priors, learnt from known darts. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

from scharten.dartboard.beds import ALL_BEDS, MISS, SURE, Bed, Beds, neighbours, readings
from scharten.dartboard.profile import BoardProfile, Contact
from scharten.match.dart import Dart, Opinion
from scharten.sensors.sensor import BOARD, CAMERA

# --- which contact fires for which bed ---

OWN, NONE, NEAR, FAR = 96.0, 2.0, 1.0, 0.02
"""The prior, as darts: of 100 in a bed its own contact closes, none does, a neighbour's does, any other does."""
DARTS_KEPT = 400.0
"""Counts of a bed above this are halved, so that the table adapts to a repaired contact."""
GHOSTS, USES = 0.3, 100.0
"""The prior of a contact that fires without a dart: GHOSTS times in USES."""

Row = Mapping[Contact | None, float]


@lru_cache(maxsize=512)
def _prior(bed: Bed, own: Bed | None) -> float:
    """How many of 100 darts in a bed close the contact of the bed `own` (None: no contact at all)."""
    if bed == MISS:
        return OWN if own in (None, MISS) else FAR
    if own is None:
        return NONE
    inside = readings(own)
    if bed in inside:
        return OWN
    around = neighbours(bed)
    return NEAR / len(around) if any(part in around for part in inside) else FAR / len(ALL_BEDS)


@lru_cache(maxsize=128)
def _around(own: Bed | None) -> tuple[Bed, ...]:
    if own is None:
        return ()
    inside = readings(own)
    return (*inside, *(bed for bed in ALL_BEDS if any(part in neighbours(bed) for part in inside)))


@dataclass(frozen=True)
class ContactTable:
    """How likely each contact fires for each bed; `counts` and `ghosts` were learnt."""

    profile: BoardProfile
    counts: Mapping[Bed, Row] = field(default_factory=dict)
    ghosts: Mapping[Contact, float] = field(default_factory=dict)

    def chance(self, contact: Contact | None, bed: Bed) -> float:
        """How likely a dart in this bed closes this contact (None: no contact)."""
        row = self.counts.get(bed, {})
        own = None if contact is None else self.profile.bed(contact)
        prior = FAR / len(ALL_BEDS) if contact is not None and own is None else _prior(bed, own)
        return (prior + row.get(contact, 0.0)) / (OWN + NONE + NEAR + FAR + sum(row.values()))

    def knows(self, contact: Contact) -> bool:
        """Whether the profile or a learnt dart gives this contact a bed."""
        return self.profile.bed(contact) is not None or any(contact in row for row in self.counts.values())

    def near(self, contact: Contact) -> tuple[Bed, ...]:
        """The likely beds of a dart that closed this contact: its own, its neighbours, and learnt ones."""
        learnt = (bed for bed, row in self.counts.items() if contact in row)
        return tuple(dict.fromkeys((*_around(self.profile.bed(contact)), *learnt)))

    def ghost(self, contact: Contact) -> float:
        """How likely this contact fired without a dart."""
        used = sum(row.get(contact, 0.0) for row in self.counts.values())
        ghosts = GHOSTS + self.ghosts.get(contact, 0.0)
        return ghosts / (USES + used + ghosts)

    def learnt(self, contact: Contact | None, bed: Bed | None) -> ContactTable:
        """Add a dart in this bed (None: no dart came) that closed this contact (None: no contact)."""
        if bed is None:
            # A ghost weighs so much that the cameras must confirm the next closure.
            ghosts = {} if contact is None else {contact: self.ghosts.get(contact, 0.0) + USES / 10}
            return replace(self, ghosts={**self.ghosts, **ghosts})
        row = {**self.counts.get(bed, {})}
        row[contact] = row.get(contact, 0.0) + 1.0
        if sum(row.values()) > DARTS_KEPT:
            row = {key: count / 2 for key, count in row.items()}
        return replace(self, counts={**self.counts, bed: row})


# --- how contacts and cameras date the same dart ---

TIMINGS_KEPT = 64
"""Number of recent darts that both sensors noticed, whose timing is kept."""
ENOUGH = 8
"""From this many darts on, the measured window replaces the first one."""
FIRST_APART_MS, FIRST_WORD_MS = 1500, 2600
"""The window and the delay before enough darts were measured."""
LEAST_MARGIN_MS, MOST_WORD_MS = 80, 2900


@dataclass(frozen=True)
class Timing:
    """When, in ms after a contact, the cameras dated its dart (`apart`) and reported it (`word`), of recent darts."""

    apart: tuple[int, ...] = ()
    word: tuple[int, ...] = ()

    @property
    def measured(self) -> bool:
        """Whether both sensors noticed enough darts."""
        return len(self.apart) >= ENOUGH

    @property
    def window(self) -> tuple[int, int]:
        """The earliest and latest camera date of a dart, in ms after its contact."""
        if not self.measured:
            return -FIRST_APART_MS, FIRST_APART_MS
        first, last = min(self.apart), max(self.apart)
        margin = max(LEAST_MARGIN_MS, (last - first) // 2)
        return first - margin, last + margin

    @property
    def word_ms(self) -> int:
        """How long to wait for the cameras' report on a contact."""
        if not self.measured:
            return FIRST_WORD_MS
        return min(MOST_WORD_MS, max(self.word) * 5 // 4 + LEAST_MARGIN_MS)

    def fit(self, apart: int) -> bool:
        """Whether a dart that cameras date this long after a contact may have closed it."""
        first, last = self.window
        return first <= apart <= last

    def learnt(self, apart: int, word: int) -> Timing:
        """Add a dart that both sensors noticed."""
        apart_ms, word_ms = (*self.apart, apart), (*self.word, max(0, word))
        return replace(self, apart=apart_ms[-TIMINGS_KEPT:], word=word_ms[-TIMINGS_KEPT:])


# --- the beds of one dart ---

Stuck = frozenset[Contact]
NO_CONTACTS: Stuck = frozenset()
BLUNDER = 0.003
"""How often sure cameras are wrong, shared among all beds."""
_FLOOR = BLUNDER / len(ALL_BEDS)
FAILS = 0.5
"""A contact that misses a larger share of the darts in its bed proves nothing by staying open."""
AT_WIRE = 0.07
"""How often a dart at a wire, by the cameras, closes the neighbour's contact first: both close there."""
EITHER = 0.5
"""The same for a board that reports what else closed, and reported nothing for this hit: both closed alike."""
LONE = 0.0
"""The same where the board reported that nothing else closed: only the table's failing contacts remain."""
BESIDE_STUCK = 0.5
"""How often a dart at a wire, in a bed whose contact is stuck, closes the contact beside it."""
DOUBT = 0.89
"""Highest certainty of a dart on which the sensors disagree."""


def shares(weights: Mapping[Bed, float], least: float = 0.01) -> Beds:
    """Normalise weights to probabilities, the likeliest first, dropping all others up to `least`."""
    total = sum(weights.values())
    if total <= 0:
        return ()
    found = sorted(((bed, weight / total) for bed, weight in weights.items()), key=lambda pair: -pair[1])
    return tuple(pair for number, pair in enumerate(found) if number == 0 or pair[1] > least)


def beds_by_contacts(table: ContactTable, contacts: tuple[Contact, ...]) -> Beds:
    """The beds of a dart by its contacts alone."""
    return beds_by_both(table, contacts, None)


def beds_by_both(
    table: ContactTable,
    contacts: tuple[Contact, ...],
    seen: Beds | None,
    stuck: Stuck = NO_CONTACTS,
    beside: float = AT_WIRE,
) -> Beds:
    """The cameras' beds (`seen`, None: cameras know nothing) times the chances of the contacts.

    No contact is evidence too: some contacts fail more often, and a `stuck` one never reports. A dart at a wire may
    close several contacts, of which one is right. `beside`: how often it closes its neighbour's contact first
    (`AT_WIRE`, `EITHER`, `LONE`).
    """
    fired: tuple[Contact | None, ...] = contacts or (None,)
    by_bed = dict(seen) if seen is not None else {}
    beds = dict.fromkeys((*by_bed, *(bed for contact in contacts for bed in table.near(contact))))
    at_wire = partial(_chance_beside, stuck, beside)
    weights = {
        bed: (1.0 if seen is None else by_bed.get(bed, 0.0) + _FLOOR)
        * sum((at_wire if bed in by_bed else ContactTable.chance)(table, contact, bed) for contact in fired)
        for bed in beds
    }
    return shares(weights)


def _chance_beside(
    stuck: Stuck, beside: float, table: ContactTable, contact: Contact | None, bed: Bed
) -> float:
    """How likely a dart in a bed that cameras see closes this contact; a stuck contact cannot close."""
    likely = table.chance(contact, bed)
    broken = table.profile.contact_of(bed) in stuck
    if contact is None:
        return 1.0 if broken else likely
    return max(likely, BESIDE_STUCK if broken else beside) if bed in table.near(contact) else likely


def agreed_dart(
    table: ContactTable,
    contacts: tuple[Contact, ...],
    seen: Dart,
    stuck: Stuck = NO_CONTACTS,
    beside: float = AT_WIRE,
) -> Dart | None:
    """The dart on which contacts and cameras (`seen`) agree, or None: a person must decide.

    A dart that fell out is where its contact closed. `beside` as in `beds_by_both`.
    """
    contact = contacts[0]
    if seen.bounced or not seen.beds:  # cameras saw that it came, not where
        beds = beds_by_contacts(table, contacts)
    else:
        beds = beds_by_both(table, contacts, seen.beds, stuck, beside)
        named = beds[0][0]
        if named not in dict(seen.beds) or (seen.confidence >= SURE and named != seen.beds[0][0]):
            return None
        felt = beds_by_contacts(table, contacts)
        if seen.confidence < SURE and named != felt[0][0]:
            return None
        if named not in dict(felt) and table.profile.contact_of(named) not in stuck:
            return None
    if not beds or (beds[0][1] < SURE and not seen.bounced):
        return None
    return Dart(beds, seen.x_mm, seen.y_mm, seen.bounced, contact)


def disputed_dart(table: ContactTable, contacts: tuple[Contact, ...], seen: Dart | None) -> Dart:
    """The dart on which the sensors disagree, with the opinion of each; `seen` None: cameras saw no dart."""
    felt = beds_by_contacts(table, contacts) if contacts else ()
    board = Opinion(BOARD, felt[0][0], felt[0][1]) if felt else Opinion(BOARD, None)
    if seen is None:
        beds = doubtful((*felt[:1], (MISS, felt[0][1] if felt else 1.0)))
        return Dart(beds, contact=contacts[0], opinions=(board, Opinion(CAMERA, None)))
    best = seen.beds[0] if seen.beds else (None, 0.0)
    cameras = Opinion(CAMERA, *best)
    known = beds_by_both(table, contacts, seen.beds or None)
    named = [opinion.bed for opinion in (board, cameras) if opinion.bed is not None]
    missing = tuple((bed, 0.02) for bed in dict.fromkeys(named) if bed not in dict(known))
    if len(known) + len(missing) == 1:  # both name this bed, but the dart may hang in another one there
        missing = ((MISS, 0.2),)
    beds = doubtful((*known, *missing))
    contact = contacts[0] if contacts else None
    return Dart(beds, seen.x_mm, seen.y_mm, seen.bounced, contact, opinions=(board, cameras))


def doubtful(beds: Beds) -> Beds:
    """The same beds, none of them sure."""
    total = sum(share for _, share in beds)
    found = sorted(((bed, share / total) for bed, share in beds), key=lambda pair: -pair[1])
    if found and found[0][1] >= SURE:
        first, rest = found[0], 1 - found[0][1]
        scale = (1 - DOUBT) / rest if rest > 0 else 0.0
        found = [(first[0], DOUBT), *((bed, share * scale) for bed, share in found[1:])]
    return tuple(found)


def unfelt_dart(table: ContactTable, seen: Dart, stuck: Stuck = NO_CONTACTS, *, occupied: bool) -> Dart:
    """A dart that cameras saw and no contact felt: asked about if darts are in the board, in which it may hang.

    Even sure cameras see a hanging dart anywhere (`make bench ARGS="both --hangs 100"`).
    """
    if seen.bounced or not seen.beds or seen.beds[0][0] == MISS:
        return seen
    if not occupied or table.chance(None, seen.beds[0][0]) > FAILS:
        return dart_by_cameras(table, seen, stuck)
    asked = disputed_dart(table, (), seen)
    choices = asked.beds if MISS in dict(asked.beds) else (*asked.beds, (MISS, 0.1))
    return replace(asked, beds=doubtful(choices))


def dart_by_cameras(table: ContactTable, seen: Dart, stuck: Stuck = NO_CONTACTS) -> Dart:
    """A dart that closed no contact, by the cameras; silence makes only the bed of a stuck contact surer."""
    beds = beds_by_both(table, (), seen.beds, stuck)
    first = seen.beds[0][0]
    certain = seen.confidence >= SURE or table.profile.contact_of(first) in stuck
    return replace(seen, beds=beds if beds[0][0] == first and certain else doubtful(beds))


# --- darts that stand in the board ---

JOLTED_MM = 10.0
"""A dart that cameras place this near to another may hang in it, and the contact may be the other's."""


@dataclass(frozen=True)
class StandingDart:
    """A dart in the board: where cameras place it (None: unknown), and the contacts of its possible beds."""

    place_mm: tuple[float, float] | None
    contacts: frozenset[Contact]


def standing_dart(table: ContactTable, seen: Dart, beds: Beds, contacts: Iterable[Contact]) -> StandingDart:
    """A dart as cameras saw it, with the contacts that it closed and those of every bed that it may be in."""
    place = None if seen.x_mm is None or seen.y_mm is None else (seen.x_mm, seen.y_mm)
    possible = (table.profile.contact_of(bed) for bed, _ in (*seen.beds, *beds) if bed != MISS)
    return StandingDart(place, frozenset((*contacts, *(found for found in possible if found is not None))))


def may_be_jolted(
    table: ContactTable, contact: Contact, seen: Dart, standing: tuple[StandingDart, ...], *, bare: bool
) -> bool:
    """Whether a contact may be that of a dart in the board in which the new dart (`seen`) hangs.

    `bare`: the board was empty when all was last still. Cameras that are sure of the contact's bed rule it out: a
    hanging dart is never seen so (`make bench ARGS="both --hangs 100"`).
    """
    own = table.profile.bed(contact)
    stands = own is not None and seen.confidence >= SURE and seen.beds[0][0] in readings(own)
    if seen.bounced or stands:
        return False
    if seen.x_mm is None or seen.y_mm is None:
        unknown = not standing or any(dart.place_mm is None and not dart.contacts for dart in standing)
        return not bare and (unknown or any(contact in dart.contacts for dart in standing))
    place = seen.x_mm, seen.y_mm
    near = (dart for dart in standing if dart.place_mm and math.dist(place, dart.place_mm) <= JOLTED_MM)
    return any(contact in dart.contacts for dart in near)
