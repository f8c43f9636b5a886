"""One throw as two kinds of sensors noticed it: the cameras' probabilities times the table of contacts. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from scharten.dartboard.beds import ALL_BEDS, MISS, SURE, Beds
from scharten.dartboard.profile import Contact
from scharten.match.inputs import Dart, Opinion
from scharten.sensors.combined.contacts import ContactTable, shares
from scharten.sensors.sensor import BOARD, CAMERA

BLUNDER = 0.003
"""How often cameras that are sure are wrong all the same: shared among all beds."""
_FLOOR = BLUNDER / len(ALL_BEDS)
HANGS_MM = 45.0
"""A dart that no contact felt may hang in one that stands so near."""
AGAINST = SURE
"""Cameras that give another bed than the contact's so much are of another opinion; with less they only doubt."""
DOUBT = 0.89
"""A dart on which sensors do not agree is no more certain than this."""


def felt(table: ContactTable, contacts: tuple[Contact, ...]) -> Beds:
    """What the board alone makes of the contacts of one dart."""
    return together(table, contacts, None)


def together(table: ContactTable, contacts: tuple[Contact, ...], seen: Beds | None) -> Beds:
    """The beds that a dart may be in: `seen` by the cameras (None: they say nothing) times what its contacts say.

    No contact is worth something too: some beds' contacts fail more often than others. Of several contacts of one
    dart, which stands at a wire, one is the right one and nobody knows which.
    """
    fired: tuple[Contact | None, ...] = contacts or (None,)
    by_bed = dict(seen) if seen is not None else {}
    beds = dict.fromkeys((*by_bed, *(bed for contact in contacts for bed in table.near(contact))))
    weights = {
        bed: (1.0 if seen is None else by_bed.get(bed, 0.0) + _FLOOR)
        * sum(table.chance(contact, bed) for contact in fired)
        for bed in beds
    }
    return shares(weights)


def agreed(table: ContactTable, contacts: tuple[Contact, ...], seen: Dart) -> Dart | None:
    """The dart as both kinds know it, or None where they do not agree: a person must say.

    `seen` is what cameras told; one of theirs that fell out is where the contact says it touched the board.
    """
    contact = contacts[0]
    if seen.bounced or not seen.beds:  # they saw that it came, and not where
        beds = felt(table, contacts)
    else:
        beds = together(table, contacts, seen.beds)
        if beds[0][0] not in dict(seen.beds) or (
            seen.confidence >= AGAINST and beds[0][0] != seen.beds[0][0]
        ):
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


def unfelt(table: ContactTable, seen: Dart, standing: Iterable[tuple[float, float]]) -> Dart:
    """A dart that cameras saw and no contact felt: sure as theirs, unless it may hang in another dart."""
    if seen.bounced or not seen.beds or seen.beds[0][0] == MISS:
        return seen
    if seen.x_mm is not None and seen.y_mm is not None:
        at = (seen.x_mm, seen.y_mm)
        if any(math.dist(at, other) <= HANGS_MM for other in standing):
            asked = disputed(table, (), seen)
            choices = asked.beds if MISS in dict(asked.beds) else (*asked.beds, (MISS, 0.1))
            return replace(asked, beds=doubtful(choices))
    return unclosed(table, seen)


def unclosed(table: ContactTable, seen: Dart) -> Dart:
    """A dart that no contact felt, by the cameras; that none closed does not make another bed than theirs sure."""
    beds = together(table, (), seen.beds)
    return replace(seen, beds=beds if beds[0][0] == seen.beds[0][0] else doubtful(beds))
