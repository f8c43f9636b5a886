"""The mapping wizard alone: every kind of board ends in its profile, and slips are refused with the reason."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scharten.dartboard.beds import Bed, BedKind, neighbours, parse_bed
from scharten.dartboard.profile import BoardProfile, Contact, expected_beds, parse_profile, profile_text
from scharten.sensors.profiles import load_profile
from scharten_calibration.mapping import MappingReply, MappingWord, Phase, Press, Wizard, mending, profile_of
from scharten_calibration.odd import oddities
from scharten_calibration.progress import keep, resume
from scharten_calibration.wizard import step


def board(separate: bool, seed: int) -> dict[Bed, Contact]:
    """Draw a board wired at random: each bed's contact, and the pairs of fat and little singles that share one."""
    contacts = [Contact(drive, sense) for drive in range(8) for sense in range(11)]
    random.Random(seed).shuffle(contacts)
    wired = dict(zip(expected_beds(separate), contacts, strict=False))
    for bed, contact in tuple(wired.items()):
        if bed.kind is BedKind.SINGLE:
            wired[Bed(BedKind.FAT, bed.number)] = wired[Bed(BedKind.LITTLE, bed.number)] = contact
    return wired


def bed(text: str) -> Bed:
    """Return the bed of this name."""
    found = parse_bed(text)
    assert found is not None
    return found


def pressed(wizard: Wizard, contact: Contact, after_ms: int = 1000) -> tuple[Wizard, MappingReply]:
    """Press this contact a certain time after the last press."""
    return step(wizard, Press(contact, (wizard.last.at_ms if wizard.last else 0) + after_ms))


def press(wizard: Wizard, wired: dict[Bed, Contact]) -> tuple[Wizard, MappingReply]:
    """Press each requested bed without slips."""
    assert wizard.bed is not None
    return pressed(wizard, wired[wizard.bed])


def mapped(wizard: Wizard, wired: dict[Bed, Contact], until: Phase) -> Wizard:
    """Press the requested beds until a phase begins."""
    for _ in range(200):
        if wizard.phase is until:
            return wizard
        wizard, answer = press(wizard, wired)
        assert answer.taken, answer
    raise AssertionError("no end")


@settings(max_examples=20)
@given(st.booleans(), st.integers(0, 2**32))
def test_any_board_ends_in_its_own_profile(separate: bool, seed: int) -> None:
    """For any wiring, with or without shared singles, a run without slips gives its whole profile."""
    wired = board(separate, seed)
    done = mapped(Wizard("test", 8, 11, seed), wired, Phase.DONE)
    profile = profile_of(done, {})
    assert profile.separate_singles is separate
    assert not profile.missing()
    assert all(wired[known] == contact for contact, known in profile.beds.items())
    assert parse_profile(profile_text(profile)) == profile


@settings(max_examples=40)
@given(
    st.booleans(),
    st.lists(
        st.one_of(
            st.sampled_from(list(MappingWord)), st.builds(Contact, st.integers(0, 9), st.integers(0, 12))
        )
    ),
)
def test_no_input_breaks_the_wizard(separate: bool, inputs: list[MappingWord | Contact]) -> None:
    """For any presses and requests in any order refusals change nothing, and no contact has two beds."""
    wizard = Wizard("test", 8, 11, 1)
    wired = board(separate, 1)
    for number, given_input in enumerate(inputs):
        before = wizard
        wizard, answer = (
            pressed(wizard, given_input) if isinstance(given_input, Contact) else step(wizard, given_input)
        )
        assert answer.words
        if not answer.taken and wizard.phase is not Phase.PROBING:
            assert wizard == before
        if wizard.phase is not Phase.PROBING:
            assert len(wizard.beds) == len(wizard.pairs) == len({known for _, known in wizard.pairs})
        if number % 3 == 0 and wizard.bed is not None and wizard.phase is not Phase.DONE:
            wizard, _ = press(wizard, wired)
    if wizard.phase is not Phase.PROBING:
        found = profile_of(wizard, {})
        assert parse_profile(profile_text(found)) == found


def test_an_impossible_press_is_refused_with_the_reason() -> None:
    """Another bed's contact and a contact outside the matrix are refused, and the wizard asks for the bed again."""
    wired = board(True, 1)
    wizard = mapped(Wizard("test", 8, 11, 1), wired, Phase.MAPPING)
    equal, answer = pressed(wizard, wired[bed("F20")])
    assert (
        equal == wizard and not answer.taken and "contact of F20" in answer.words and "press" in answer.words
    )
    equal, answer = pressed(wizard, Contact(8, 0))
    assert equal == wizard and "outside" in answer.words and "8 x 11" in answer.words


def test_a_slip_while_probing_starts_again() -> None:
    """When 20 seems shared and 3 does not, a press was wrong: the wizard asks for the four singles again."""
    wizard = Wizard("test", 8, 11, 1)
    for contact in (Contact(0, 0), Contact(0, 0), Contact(0, 0), Contact(1, 1), Contact(2, 2)):
        wizard, answer = pressed(wizard, contact)
    assert not answer.taken and "slip" in answer.words
    assert wizard == Wizard("test", 8, 11, 1)


def test_the_last_press_can_be_undone() -> None:
    """Back forgets the last bed, pressed or skipped, and asks for it again."""
    wired = board(True, 1)
    start = mapped(Wizard("test", 8, 11, 1), wired, Phase.MAPPING)
    wizard, _ = press(start, wired)
    wizard, answer = step(wizard, MappingWord.BACK)
    assert answer.taken and wizard == start
    wizard, answer = step(start, MappingWord.SKIP)
    assert answer.taken and wizard.skipped == (start.bed,)
    assert step(wizard, MappingWord.BACK)[0] == start


def test_a_bed_without_a_contact_is_left_out_only_when_skipped_twice() -> None:
    """The wizard asks for a skipped bed again at the end. Skipped again it is left out, and no other bed is."""
    wired = board(True, 1)
    wizard = mapped(Wizard("test", 8, 11, 1), wired, Phase.MAPPING)
    dead = wizard.bed
    wizard, _ = step(wizard, MappingWord.SKIP)
    while wizard.bed != dead:
        wizard, _ = press(wizard, wired)
    assert wizard.phase is Phase.MAPPING
    wizard, answer = step(wizard, MappingWord.SKIP)
    assert answer.taken and "left out" in answer.words
    done = mapped(wizard, wired, Phase.DONE)
    assert profile_of(done, {}).missing() == (dead,)


@pytest.mark.parametrize("separate", [True, False])
def test_every_press_may_close_its_contact_twice(separate: bool) -> None:
    """Presses repeated after 60 ms give the whole board with the right singles; no bed is asked for twice."""
    wired = board(separate, 3)
    wizard = Wizard("test", 8, 11, 3)
    while wizard.phase is not Phase.DONE:
        assert wizard.bed is not None
        contact = wired[wizard.bed]
        wizard, answer = pressed(wizard, contact)
        assert answer.taken, answer
        equal, echo = pressed(wizard, contact, 60)
        assert equal == wizard and not echo.taken and echo.same_press
    profile = profile_of(wizard, {})
    assert profile.separate_singles is separate and not profile.missing()


def test_a_second_contact_of_the_same_press_is_ignored() -> None:
    """A wire that closes a neighbour up to 150 ms later is not a press of the next bed; a later closure is."""
    wizard, _ = pressed(Wizard("test", 8, 11, 1), Contact(0, 0))
    equal, answer = pressed(wizard, Contact(0, 1), 149)
    assert equal == wizard and not answer.taken and "too soon" in answer.words
    assert pressed(wizard, Contact(0, 1), 150)[0].pairs[-1][0] == Contact(0, 1)


@pytest.mark.parametrize("dead", ["F20", "L20", "F3", "L3"])
def test_a_dead_single_of_20_or_3_blocks_no_other_bed(dead: str) -> None:
    """Another number is probed instead, and at the end only the dead bed is missing."""
    wired = board(True, 5)
    wizard = Wizard("test", 8, 11, 5)
    while wizard.phase is not Phase.DONE:
        wizard, answer = step(wizard, MappingWord.SKIP) if wizard.bed == bed(dead) else press(wizard, wired)
        assert answer.taken, answer
    profile = profile_of(wizard, {})
    assert profile.separate_singles and profile.missing() == (bed(dead),)


@pytest.mark.long
@settings(max_examples=60)
@given(st.booleans(), st.integers(0, 2**32))
@example(False, 1006)
@example(False, 367)
def test_slips_to_a_neighbour_end_in_a_whole_and_right_board(separate: bool, seed: int) -> None:
    """When 3 % of the presses touch a neighbouring bed, every bed still ends with its own contact."""
    wired, chance = board(separate, seed), random.Random(seed)
    wizard = Wizard("test", 8, 11, seed)
    for _ in range(600):
        if wizard.bed is None:
            break
        meant = wizard.bed
        beside = [wired[neighbour] for neighbour in neighbours(meant) if neighbour in wired]
        wizard, _ = pressed(wizard, chance.choice(beside) if chance.random() < 0.03 else wired[meant])
    profile = profile_of(wizard, {})
    assert wizard.phase is Phase.DONE and profile.separate_singles is separate and not profile.missing()
    assert all(wired[known] == contact for contact, known in profile.beds.items())


def test_false_shared_singles_are_noticed_in_the_second_walk() -> None:
    """Outer singles pressed for inner ones: the second walk asks for both, then for all singles again."""
    wired = board(True, 9)
    wizard = Wizard("test", 8, 11, 9)
    while wizard.phase is Phase.PROBING:
        assert wizard.bed is not None
        wizard, _ = pressed(wizard, wired[Bed(BedKind.FAT, wizard.bed.number)])
    assert not wizard.separate
    wired |= {Bed(BedKind.SINGLE, n): wired[Bed(BedKind.FAT, n)] for n in range(1, 21)}
    for _ in range(600):
        if wizard.bed is None:
            break
        wizard, _ = press(wizard, wired)
    profile = profile_of(wizard, {})
    assert profile.separate_singles and not profile.missing()
    assert all(wired[known] == contact for contact, known in profile.beds.items())


@pytest.mark.parametrize("word", [None, MappingWord.AGAIN, MappingWord.TAKE])
def test_a_wrong_mapping_is_found_and_corrected_in_the_verify_pass(word: MappingWord | None) -> None:
    """Two exchanged beds end right: by pressing again, by 'again', and by 'take'."""
    wired = board(True, 1)
    wrong = wired | {bed("D20"): wired[bed("D1")], bed("D1"): wired[bed("D20")]}
    wizard = mapped(Wizard("test", 8, 11, 1), wrong, Phase.VERIFYING)
    refused = 0
    while wizard.phase is not Phase.DONE:
        wizard, answer = press(wizard, wired)
        if not answer.taken:
            refused += 1
            assert "that was the contact of" in answer.words or wizard.phase is Phase.MAPPING
            if word is not None and wizard.phase is Phase.VERIFYING:
                wizard, done = step(wizard, word)
                assert done.taken
    assert refused >= 1
    profile = profile_of(wizard, {})
    assert not profile.missing()
    assert all(wired[known] == contact for contact, known in profile.beds.items())


def test_a_single_bed_of_a_finished_profile_is_corrected() -> None:
    """Only that bed is asked for and verified; a bed that loses its contact to it follows."""
    wired = board(True, 1)
    profile = profile_of(mapped(Wizard("test", 8, 11, 1), wired, Phase.DONE), {})
    wizard = mending(profile, (bed("D7"),), 1)
    free = next(
        contact for d in range(8) for s in range(11) if (contact := Contact(d, s)) not in profile.beds
    )
    wizard, answer = pressed(wizard, free)
    assert answer.taken and wizard.phase is Phase.VERIFYING and wizard.asked == (bed("D7"),)
    wizard, _ = pressed(wizard, free)
    assert wizard.phase is Phase.DONE and profile_of(wizard, {}).contact_of(bed("D7")) == free
    wizard = mending(profile, (bed("D7"),), 1)
    wizard, answer = pressed(wizard, wired[bed("D19")])
    assert not answer.taken and "D19" in answer.words
    wizard, answer = pressed(wizard, wired[bed("D19")])
    assert answer.taken and wizard.asked == (bed("D19"),)


def test_the_verify_pass_is_shuffled_and_whole() -> None:
    """The pass asks for every bed once, in an order that differs from the first walk and by seed."""
    wired = board(True, 1)
    orders = []
    for seed in (1, 2):
        wizard = mapped(Wizard("test", 8, 11, seed), wired, Phase.VERIFYING)
        orders.append(wizard.asked)
        assert sorted(map(str, wizard.asked)) == sorted(map(str, expected_beds(True)))
        assert wizard.asked != expected_beds(True)
    assert orders[0] != orders[1]


def test_progress_survives_an_interruption(tmp_path: Path) -> None:
    """In every phase the state on disk equals the state in memory; a damaged file counts as missing."""
    file = tmp_path / "board.toml.unfinished"
    wired = board(False, 1)
    wizard = Wizard("test", 8, 11, 7)
    while wizard.phase is not Phase.DONE:
        keep(wizard, file)
        assert resume(file) == wizard
        wizard, _ = press(wizard, wired)
    file.write_text(file.read_text()[:-20])
    assert resume(file) is None
    assert resume(tmp_path / "none") is None


def test_an_unfinished_board_gives_a_valid_profile() -> None:
    """Half a mapping written as a profile is read back."""
    wizard = mapped(Wizard("test", 8, 11, 1), board(True, 1), Phase.MAPPING)
    assert isinstance(parse_profile(profile_text(profile_of(wizard, {}))), BoardProfile)


CLEAN = 4 + 78 + 82
"""The presses of a walk without a slip on a board with separate singles."""


def walked(wired: dict[Bed, Contact], seed: int, ghost: Contact | None = None) -> tuple[Wizard, int]:
    """Return a walk without slips and its presses; in 3 % of them a ghost closes instead of the bed."""
    chance = random.Random(seed)
    wizard = Wizard("test", 8, 11, seed)
    for presses in range(3 * CLEAN):
        if wizard.bed is None:
            return wizard, presses
        haunted = ghost is not None and chance.random() < 0.03
        wizard, _ = pressed(wizard, ghost if haunted and ghost else wired[wizard.bed])
    raise AssertionError(f"{wizard.bed} is still asked for")


@pytest.mark.parametrize("separate", [True, False])
def test_a_walk_ends_where_two_segments_close_one_contact(separate: bool) -> None:
    """Any two beds on a single contact: the walk ends and names both without contacts; every other bed is right."""
    chance = random.Random(7)
    for seed in range(12):
        wired = board(separate, seed)
        first, other = chance.sample(expected_beds(separate), 2)
        lost = wired[other]
        wired.update({found: wired[first] for found, contact in wired.items() if contact == lost})
        wizard, _ = walked(wired, seed)
        profile = profile_of(wizard, {})
        assert set(profile.missing()) == {first, other}
        assert all(wired[known] == contact for contact, known in profile.beds.items())
        assert any(str(first) in words and str(other) in words for words in oddities(wizard))


def test_a_ghost_of_no_bed_spoils_no_profile() -> None:
    """A contact without a bed that closes in 3 % of the presses gets no bed, in 40 walks."""
    for seed in range(40):
        wired = board(True, seed)
        ghost = next(
            contact
            for contact in (Contact(drive, sense) for drive in range(8) for sense in range(11))
            if contact not in wired.values()
        )
        wizard, _ = walked(wired, seed, ghost)
        assert all(wired[known] == contact for contact, known in profile_of(wizard, {}).beds.items()), seed


def test_a_slip_repeated_in_both_walks_is_named() -> None:
    """D7 and D19 exchanged in both walks: the wizard finds a known board's wiring except for those two."""
    known = load_profile("reference-8x11")
    wired = {found: contact for contact, found in known.beds.items()}
    assert oddities(walked(wired, 1)[0]) == []
    wired[bed("D7")], wired[bed("D19")] = wired[bed("D19")], wired[bed("D7")]
    (words,) = oddities(walked(wired, 1)[0])
    assert "D7" in words and "D19" in words and "reference-8x11" in words


def test_the_outer_single_pressed_for_every_inner_one_is_named() -> None:
    """A board with 82 beds seems to share its singles: 62 beds of 88 contacts are suspicious."""
    wired = board(True, 3)
    for number in range(1, 21):
        wired[Bed(BedKind.LITTLE, number)] = wired[Bed(BedKind.FAT, number)]
        wired[Bed(BedKind.SINGLE, number)] = wired[Bed(BedKind.FAT, number)]
    (words,) = oddities(walked(wired, 3)[0])
    assert "62 beds of 88 contacts" in words
