"""Doubts about a finished mapping: pressing alone cannot catch a person who errs alike in both walks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from scharten.dartboard.beds import Bed
from scharten.dartboard.profile import BoardProfile, Contact, expected_beds
from scharten.sensors.profiles import installed_profiles, load_profile
from scharten_calibration.mapping import Wizard, profile_of
from scharten_calibration.words import words as text

MOST_SWAPPED = 8
"""A board that differs from a known one in more beds is another board."""


def oddities(wizard: Wizard) -> list[str]:
    """Sentences on a finished mapping that a person should read; none for a board as expected."""
    profile = profile_of(wizard, {})
    return [*_joined(wizard), *_ghosts(wizard), *_too_few(profile), *_like_a_known_board(profile)]


def _joined(wizard: Wizard) -> Iterator[str]:
    beds: dict[Contact, list[Bed]] = defaultdict(list)
    for contact, bed in wizard.joined:
        beds[contact].append(bed)
    for contact, closed in beds.items():
        yield text("odd.joined", beds=", ".join(map(str, closed)), contact=contact)


def _ghosts(wizard: Wizard) -> Iterator[str]:
    known = {*wizard.beds, *dict(wizard.joined)}
    for contact, times in Counter(wizard.strays).items():
        if contact not in known and times > 1:
            yield text("odd.ghost", contact=contact, times=times)


def _too_few(profile: BoardProfile) -> Iterator[str]:
    size, whole = profile.drives * profile.senses, len(expected_beds(True))
    if not profile.separate_singles and size >= whole:
        yield text("odd.too_few", beds=len(profile.beds), size=size, whole=whole)


def _like_a_known_board(profile: BoardProfile) -> Iterator[str]:
    for name in installed_profiles():
        known = load_profile(name)
        swapped = swapped_beds(profile, known)
        if 0 < len(swapped) <= MOST_SWAPPED:
            beds = ", ".join(str(bed) for bed in swapped)
            yield text("odd.like", name=name, beds=beds)


def swapped_beds(profile: BoardProfile, known: BoardProfile) -> tuple[Bed, ...]:
    """The beds at other crossings than on the known board, whatever the number and side of its lines; () if none.

    Every line of ours stands for the line of the known board with which it has most beds in common.
    """
    if profile.separate_singles is not known.separate_singles or not profile.beds:
        return ()
    straight = {(contact.drive, contact.sense): bed for contact, bed in known.beds.items()}
    turned = {(sense, drive): bed for (drive, sense), bed in straight.items()}
    return min((_misplaced(profile, crossings) for crossings in (straight, turned)), key=len)


def _misplaced(profile: BoardProfile, crossings: Mapping[tuple[int, int], Bed]) -> tuple[Bed, ...]:
    ours = {(contact.drive, contact.sense): bed for contact, bed in profile.beds.items()}
    lines = [_same_lines(ours, crossings, side) for side in (0, 1)]
    return tuple(
        bed
        for (drive, sense), bed in ours.items()
        if crossings.get((lines[0].get(drive, -1), lines[1].get(sense, -1))) != bed
    )


def _same_lines(
    ours: Mapping[tuple[int, int], Bed], theirs: Mapping[tuple[int, int], Bed], side: int
) -> dict[int, int]:
    place = {bed: crossing[side] for crossing, bed in theirs.items()}
    seen: dict[int, Counter[int]] = defaultdict(Counter)
    for crossing, bed in ours.items():
        if bed in place:
            seen[crossing[side]][place[bed]] += 1
    return {line: counts.most_common(1)[0][0] for line, counts in seen.items()}
