"""The library of known boards, and the name of any wiring."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scharten.dartboard.profile import Contact
from scharten.sensors.profiles import installed_profiles, load_profile
from scharten_calibration.boards import known_boards, of_size, same_wiring, wiring_name
from scharten_calibration.cli import build


@settings(max_examples=30)
@given(st.sampled_from(installed_profiles()), st.integers(0, 2**32), st.booleans())
def test_the_name_of_a_wiring_does_not_depend_on_the_plugs(name: str, seed: int, turned: bool) -> None:
    """Renumbered lines and exchanged tails keep the name; exchanging two beds changes it."""
    profile, chance = load_profile(name), random.Random(seed)
    drives, senses = list(range(16)), list(range(16))
    chance.shuffle(drives)
    chance.shuffle(senses)

    def moved(contact: Contact) -> Contact:
        drive, sense = drives[contact.drive], senses[contact.sense]
        return Contact(sense, drive) if turned else Contact(drive, sense)

    other = replace(profile, beds={moved(contact): bed for contact, bed in profile.beds.items()})
    assert wiring_name(other) == wiring_name(profile)
    assert same_wiring(other) is not None
    first, second = chance.sample(sorted(profile.beds), 2)
    if first.drive != second.drive and first.sense != second.sense:
        swapped = {**profile.beds, first: profile.beds[second], second: profile.beds[first]}
        assert wiring_name(replace(profile, beds=swapped)) != wiring_name(profile)


def test_every_known_board_fits_its_profile_and_is_found_by_its_matrix() -> None:
    """A profile that the library names has its matrix and singles; a matrix is found either way round."""
    for board in known_boards():
        assert board in of_size((board.senses, board.drives))
        if board.profile:
            profile = load_profile(board.profile)
            assert (profile.drives, profile.senses) == (board.drives, board.senses)
            assert profile.separate_singles is board.separate_singles


def test_the_command_lists_them_and_names_a_wiring(capsys: pytest.CaptureFixture[str]) -> None:
    """`boards` shows tails and singles of each board; with a profile it gives the name and the matching
    installed profile."""
    build()(["boards"], standalone_mode=False)
    assert "4 + 16" in capsys.readouterr().out
    build()(["boards", "--profile", "reference-8x11"], standalone_mode=False)
    said = capsys.readouterr().out
    assert wiring_name(load_profile("reference-8x11")) in said and "wired like the installed profile" in said
