"""The table that the sensor learns about a board's contacts, and its file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from scharten.dartboard.beds import ALL_BEDS, SURE, Bed, parse_bed
from scharten.dartboard.profile import Contact
from scharten.match.dart import Dart
from scharten.sensors.combined import sensor as combined
from scharten.sensors.combined.evidence import (
    ContactTable,
    Timing,
    beds_by_both,
    beds_by_contacts,
    disputed_dart,
)
from sensors.contacts import MEASURED, PROFILE, bed, contact

ANOTHER = replace(
    PROFILE, separate_singles=False, beds={Contact(0, 0): parse_bed("S20"), Contact(0, 1): parse_bed("T20")}
)


def test_a_contact_that_closes_for_another_bed_is_learnt() -> None:
    """After four corrections the table and the cameras together are sure of the corrected bed."""
    table, wrong = ContactTable(PROFILE), contact("T20")
    seen = ((bed("F3"), 0.98), (bed("T3"), 0.02))
    assert beds_by_both(table, (wrong,), seen)[0][1] < SURE or beds_by_both(table, (wrong,), seen)[0][
        0
    ] != bed("F3")
    for _ in range(4):
        table = table.learnt(wrong, bed("F3"))
    best, share = beds_by_both(table, (wrong,), seen)[0]
    assert best == bed("F3") and share >= SURE
    assert beds_by_contacts(table, (wrong,))[0][1] < 0.97


@settings(max_examples=25)
@drawn(
    st.lists(
        st.tuples(st.sampled_from([None, *PROFILE.beds]), st.sampled_from([None, *ALL_BEDS])), max_size=60
    )
)
def test_the_saved_table_is_read_back_and_its_chances_add_up(
    darts: list[tuple[Contact | None, Bed | None]],
) -> None:
    """After any sequence of truths the file restores the same table, and each bed's chances add up to 1."""
    table, moments = ContactTable(PROFILE), Timing()
    for number, (at, truth) in enumerate(darts):
        table, moments = table.learnt(at, truth), moments.learnt(-number, number)
    found = combined.decode_learnt(combined.encode_learnt(table, moments), PROFILE)
    assert isinstance(found, combined.Learnt)
    assert (found.table, found.timing, found.warning) == (table, moments, "")
    for truth_bed in ALL_BEDS[::7]:
        total = sum(table.chance(at, truth_bed) for at in [None, *PROFILE.beds])
        assert 0.9 < total <= 1.02


@drawn(st.integers(0, 10_000), st.integers(0, 255))
def test_a_damaged_file_is_refused(place: int, value: int) -> None:
    """A changed byte anywhere is either detected or changes nothing."""
    table = ContactTable(PROFILE).learnt(contact("T20"), bed("F3")).learnt(contact("D3"), None)
    written = combined.encode_learnt(table, MEASURED).encode()
    place %= len(written)
    damaged = (written[:place] + bytes([value]) + written[place + 1 :]).decode(errors="replace")
    found = combined.decode_learnt(damaged, PROFILE)
    assert isinstance(found, str) or (found.table, found.timing) == (table, MEASURED)


def test_a_damaged_file_is_set_aside_with_a_warning(tmp_path: Path) -> None:
    """The sensor starts with an unlearnt table, names the file, and renames it. It ignores the file of another
    board."""
    (tmp_path / combined.FILE).write_text("{broken")
    found = combined.load_learnt(tmp_path, PROFILE)
    assert found.table == ContactTable(PROFILE) and "contacts.json is damaged" in found.warning
    assert (tmp_path / f"{combined.FILE}.damaged").read_text() == "{broken"
    combined.save_learnt(tmp_path, ContactTable(PROFILE).learnt(contact("T20"), bed("T20")), MEASURED)
    assert combined.load_learnt(tmp_path, PROFILE).timing == MEASURED
    other = combined.load_learnt(tmp_path, ANOTHER)
    assert other.timing == Timing() and "another board" in other.warning


def test_a_disputed_dart_offers_both_opinions() -> None:
    """For any bed that the cameras saw, a disputed dart contains the beds of both sensors, and is never sure."""
    for name in ("MISS", "T20", "BULL", "F11"):
        dart = disputed_dart(ContactTable(PROFILE), (contact("F11"),), Dart(((bed(name), 0.999),)))
        assert {name, "F11"} <= {str(item) for item, _ in dart.beds}
        assert dart.confidence < SURE and abs(sum(share for _, share in dart.beds) - 1) < 1e-6
