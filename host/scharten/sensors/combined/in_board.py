"""The darts that stand in the board, and whether another may hang in one of them. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from scharten.dartboard.beds import MISS, SURE, Beds, readings
from scharten.dartboard.profile import Contact
from scharten.match.inputs import Dart
from scharten.sensors.combined.contacts import ContactTable

JOLTED_MM = 10.0
"""A dart that cameras place so near to another may hang in it, and its contact may be that one's."""


@dataclass(frozen=True)
class InBoard:
    """A dart that stands: where cameras place it (None: they do not), and the contacts of its beds."""

    at: tuple[float, float] | None
    contacts: frozenset[Contact]

    @property
    def somewhere(self) -> bool:
        """Whether nobody knows where it stands."""
        return self.at is None and not self.contacts


def in_board(table: ContactTable, seen: Dart, beds: Beds, contacts: Iterable[Contact]) -> InBoard:
    """A dart as cameras told it; the contacts are those that it closed, and those of every bed that it may be in."""
    at = None if seen.x_mm is None or seen.y_mm is None else (seen.x_mm, seen.y_mm)
    theirs = (table.profile.contact_of(bed) for bed, _ in (*seen.beds, *beds) if bed != MISS)
    return InBoard(at, frozenset((*contacts, *(each for each in theirs if each is not None))))


def near(seen: Dart, standing: Iterable[InBoard], within_mm: float) -> tuple[InBoard, ...]:
    """The darts that stand so near to where cameras place this one; all of them if they do not place it."""
    if seen.x_mm is None or seen.y_mm is None:
        return tuple(standing)
    here = seen.x_mm, seen.y_mm
    return tuple(each for each in standing if each.at is not None and math.dist(here, each.at) <= within_mm)


def jolted(
    table: ContactTable, contact: Contact, seen: Dart, standing: Iterable[InBoard], *, bare: bool
) -> bool:
    """Whether a contact may be that of a dart in the board which this one hit, and in which it hangs.

    `seen` is what cameras told of it; `bare`: no dart was in the board when all was still last. Cameras that are sure
    of the contact's bed saw it stand there: what hangs is never seen so (`make bench ARGS="both --hangs 100"`).
    """
    standing = tuple(standing)
    placed = seen.x_mm is not None
    if seen.bounced or (bare and not placed) or _stands_in(table, contact, seen):
        return False
    if not placed and (not standing or any(each.somewhere for each in standing)):
        return True
    return any(contact in each.contacts for each in near(seen, standing, JOLTED_MM))


def _stands_in(table: ContactTable, contact: Contact, seen: Dart) -> bool:
    own = table.profile.bed(contact)
    return own is not None and seen.confidence >= SURE and seen.beds[0][0] in readings(own)
