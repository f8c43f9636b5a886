"""One throw as two kinds of sensors noticed it: the cameras' probabilities times the table of contacts. Pure."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from scharten.dartboard.beds import ALL_BEDS, MISS, SURE, Bed, Beds
from scharten.dartboard.profile import Contact
from scharten.match.inputs import Dart, Opinion
from scharten.sensors.combined.contacts import ContactTable, shares
from scharten.sensors.sensor import BOARD, CAMERA

Stuck = frozenset[Contact]
NO_CONTACTS: Stuck = frozenset()
BLUNDER = 0.003
"""How often cameras that are sure are wrong all the same: shared among all beds."""
_FLOOR = BLUNDER / len(ALL_BEDS)
FAILS = 0.5
"""A contact that fails for more than so many of the darts in its bed tells nothing when it does not close."""
AT_WIRE = 0.07
"""A dart that cameras see between two beds closes the other one's contact first so often: both close at a wire."""
EITHER = 0.5
"""The same where the board tells what closed beside its hits, and said nothing of this one: both closed alike."""
LONE = 0.0
"""The same where it said that nothing else closed: then only what the table says of contacts that fail."""
BESIDE_STUCK = 0.5
"""A dart that cameras see at a wire, in a bed whose contact is stuck, closes the contact beside it so often."""
DOUBT = 0.89
"""A dart on which sensors do not agree is no more certain than this."""


def felt(table: ContactTable, contacts: tuple[Contact, ...]) -> Beds:
    """What the board alone makes of the contacts of one dart."""
    return together(table, contacts, None)


def together(
    table: ContactTable,
    contacts: tuple[Contact, ...],
    seen: Beds | None,
    stuck: Stuck = NO_CONTACTS,
    beside: float = AT_WIRE,
) -> Beds:
    """The beds that a dart may be in: `seen` by the cameras (None: they say nothing) times what its contacts say.

    No contact is worth something too: some beds' contacts fail more often than others, and one that is `stuck` tells
    of no dart. Of several contacts of one dart, which stands at a wire, one is the right one and nobody knows which.
    `beside`: how often a dart at a wire closes the contact beside its own first (`AT_WIRE`, `EITHER`, `LONE`).
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
    """How likely a dart in one of the beds that cameras see closes this contact; one that is stuck cannot close."""
    likely = table.chance(contact, bed)
    deaf = table.profile.contact_of(bed) in stuck
    if contact is None:
        return 1.0 if deaf else likely
    return max(likely, BESIDE_STUCK if deaf else beside) if bed in table.near(contact) else likely


def agreed(
    table: ContactTable,
    contacts: tuple[Contact, ...],
    seen: Dart,
    stuck: Stuck = NO_CONTACTS,
    beside: float = AT_WIRE,
) -> Dart | None:
    """The dart as both kinds know it, or None where they do not agree: a person must say.

    `seen` is what cameras told; one of theirs that fell out is where the contact says it touched the board. `beside`
    as for `together`.
    """
    contact = contacts[0]
    if seen.bounced or not seen.beds:  # they saw that it came, and not where
        beds = felt(table, contacts)
    else:
        beds = together(table, contacts, seen.beds, stuck, beside)
        named = beds[0][0]
        if named not in dict(seen.beds) or (seen.confidence >= SURE and named != seen.beds[0][0]):
            return None
        mine = felt(table, contacts)
        if seen.confidence < SURE and named != mine[0][0]:
            return None
        if named not in dict(mine) and table.profile.contact_of(named) not in stuck:
            return None
    if not beds or (beds[0][1] < SURE and not seen.bounced):
        return None
    return Dart(beds, seen.x_mm, seen.y_mm, seen.bounced, contact)


def disputed(table: ContactTable, contacts: tuple[Contact, ...], seen: Dart | None) -> Dart:
    """The dart on which the sensors do not agree, with the opinion of each; `seen` None: cameras noticed none."""
    mine = felt(table, contacts) if contacts else ()
    board = Opinion(BOARD, mine[0][0], mine[0][1]) if mine else Opinion(BOARD, None)
    if seen is None:
        beds = doubtful((*mine[:1], (MISS, mine[0][1] if mine else 1.0)))
        return Dart(beds, contact=contacts[0], opinions=(board, Opinion(CAMERA, None)))
    best = seen.beds[0] if seen.beds else (None, 0.0)
    cameras = Opinion(CAMERA, *best)
    known = together(table, contacts, seen.beds or None)
    named = [opinion.bed for opinion in (board, cameras) if opinion.bed is not None]
    missing = tuple((bed, 0.02) for bed in dict.fromkeys(named) if bed not in dict(known))
    if len(known) + len(missing) == 1:  # both name one bed, but it may hang in the dart that stands there
        missing = ((MISS, 0.2),)
    beds = doubtful((*known, *missing))
    contact = contacts[0] if contacts else None
    return Dart(beds, seen.x_mm, seen.y_mm, seen.bounced, contact, opinions=(board, cameras))


def doubtful(beds: Beds) -> Beds:
    """The same beds, none of them sure."""
    total = sum(share for _, share in beds)
    found = sorted(((bed, share / total) for bed, share in beds), key=lambda each: -each[1])
    if found and found[0][1] >= SURE:
        first, rest = found[0], 1 - found[0][1]
        scale = (1 - DOUBT) / rest if rest > 0 else 0.0
        found = [(first[0], DOUBT), *((bed, share * scale) for bed, share in found[1:])]
    return tuple(found)


def unfelt(table: ContactTable, seen: Dart, stuck: Stuck = NO_CONTACTS, *, occupied: bool) -> Dart:
    """A dart that cameras saw and no contact felt: sure as theirs, unless darts are in the board: it may hang in one.

    However sure they are: what hangs is seen as a dart anywhere (`make bench ARGS="both --hangs 100"`).
    """
    if seen.bounced or not seen.beds or seen.beds[0][0] == MISS:
        return seen
    if not occupied or table.chance(None, seen.beds[0][0]) > FAILS:
        return unclosed(table, seen, stuck)
    asked = disputed(table, (), seen)
    choices = asked.beds if MISS in dict(asked.beds) else (*asked.beds, (MISS, 0.1))
    return replace(asked, beds=doubtful(choices))


def unclosed(table: ContactTable, seen: Dart, stuck: Stuck = NO_CONTACTS) -> Dart:
    """A dart that no contact felt, by the cameras; that none closed makes sure of a stuck contact's bed only."""
    beds = together(table, (), seen.beds, stuck)
    first = seen.beds[0][0]
    tells = seen.confidence >= SURE or table.profile.contact_of(first) in stuck
    return replace(seen, beds=beds if beds[0][0] == first and tells else doubtful(beds))
