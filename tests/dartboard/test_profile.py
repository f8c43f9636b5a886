"""Board profiles: read, written, and refused with a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scharten.dartboard.beds import MISS, Bed, BedKind, parse_bed
from scharten.dartboard.profile import (
    SETTING_RANGES,
    BoardProfile,
    Contact,
    expected_beds,
    parse_profile,
    profile_text,
)
from scharten.errors import Problem

GOOD = """
name = "kitchen"
drives = 8
senses = 11
separate_singles = true
[settings]
knock_threshold = 80
[beds]
"0,0" = "D20"
"7,10" = "BULL"
"""


def read(text: str) -> BoardProfile:
    """Return the profile; fail with the reason if it is refused."""
    profile = parse_profile(text)
    assert isinstance(profile, BoardProfile), profile
    return profile


def test_a_profile_maps_contacts_to_beds_and_guesses_nothing() -> None:
    """A known contact gives its bed, an unknown contact None, and each bed finds its contact."""
    profile = read(GOOD)
    assert profile.bed(Contact(0, 0)) == parse_bed("D20")
    assert profile.bed(Contact(1, 1)) is None
    assert profile.contact_of(Bed(BedKind.BULL)) == Contact(7, 10)
    assert len(profile.missing()) == 80
    assert dict(profile.settings) == {"knock_threshold": 80}


REFUSED = {
    "not TOML": ("name = ", "not TOML"),
    "a contact twice": (GOOD + '"0,0" = "D1"', "not TOML"),
    "an unknown key": ("colour = 'red'\n" + GOOD, "unknown key 'colour'"),
    "no name": (GOOD.replace('"kitchen"', '""'), "name must be"),
    "a name too long": (GOOD.replace("kitchen", "k" * 17), "name must be"),
    "no lines": (GOOD.replace("drives = 8", "drives = 0"), "drives must be"),
    "too many lines": (GOOD.replace("senses = 11", "senses = 17"), "senses must be"),
    "lines that are no number": (GOOD.replace("drives = 8", "drives = true"), "drives must be"),
    "singles unsaid": (GOOD.replace("separate_singles = true", ""), "separate_singles must be"),
    "an unknown setting": (GOOD.replace("knock_threshold", "knock"), "unknown setting 'knock'"),
    "a setting out of range": (GOOD.replace("80", "1024"), "from 0 to 1023, not 1024"),
    "a contact outside": (GOOD + '"8,0" = "D1"', "8,0 is outside"),
    "a contact that is none": (GOOD + '"a" = "D1"', "'a' must be"),
    "a bed that is none": (GOOD + '"1,0" = "D21"', "'D21'"),
    "a bed that is no text": (GOOD + '"1,0" = 20', "20"),
    "a bed twice": (GOOD + '"1,0" = "D20"', "D20 is given twice: contacts 0,0 and 1,0"),
    "a shared single on a separate board": (GOOD + '"1,0" = "S20"', "separate_singles is true"),
    "an inner single on a shared board": (
        GOOD.replace("separate_singles = true", "separate_singles = false") + '"1,0" = "L20"',
        "separate_singles is false",
    ),
    "beds that are no table": (
        'beds = 3\nname = "a"\ndrives=1\nsenses=1\nseparate_singles=true',
        "beds must be",
    ),
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_wrong_profile_is_refused_in_words(why: str) -> None:
    """Each kind of mistake is refused, and the message names the wrong part."""
    text, words = REFUSED[why]
    error = parse_profile(text)
    assert isinstance(error, Problem)
    assert words in str(error)


def test_a_miss_may_have_several_contacts() -> None:
    """Switches behind the surround may all stand for MISS; only real beds are unique."""
    profile = read(GOOD + '"1,0" = "MISS"\n"1,1" = "MISS"')
    assert profile.bed(Contact(1, 1)) == MISS


def test_a_shared_contact_answers_for_both_singles() -> None:
    """On a board with shared singles a dart in F20 or L20 closes the contact of S20."""
    shared = GOOD.replace("separate_singles = true", "separate_singles = false")
    profile = read(shared + '"1,0" = "S20"')
    for name in ("F20", "L20", "S20"):
        bed = parse_bed(name)
        assert bed is not None
        assert profile.contact_of(bed) == Contact(1, 0)
    assert len(expected_beds(False)) == 62
    assert len(expected_beds(True)) == 82


@st.composite
def profiles(draw: st.DrawFn) -> BoardProfile:
    """Draw any profile that the rules for profiles allow."""
    drives, senses = draw(st.integers(1, 16)), draw(st.integers(1, 16))
    separate = draw(st.booleans())
    contacts = [Contact(drive, sense) for drive in range(drives) for sense in range(senses)]
    beds = draw(st.permutations(expected_beds(separate)))
    some = draw(st.lists(st.sampled_from(contacts), unique=True))
    settings = {
        key: draw(st.integers(low, high))
        for key, (low, high) in SETTING_RANGES.items()
        if draw(st.booleans())
    }
    name = draw(st.from_regex(r"[A-Za-z0-9_-]{1,16}", fullmatch=True))
    return BoardProfile(name, drives, senses, separate, settings, dict(zip(some, beds, strict=False)))


@given(profiles())
def test_a_profile_survives_writing_and_reading(profile: BoardProfile) -> None:
    """`parse_profile` of `profile_text` gives the same profile."""
    assert parse_profile(profile_text(profile)) == profile
