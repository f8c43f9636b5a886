"""The rows of `make trust` about two boards: bad input of a guest, and machines that fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.trust import remote_trouble


@pytest.mark.long
def test_bad_input_of_a_guest_changes_nothing(tmp_path: Path) -> None:
    """Commands for the other seat, replays, floods, huge messages, wrong versions and used invitations leave the
    game unchanged."""
    rows = list(remote_trouble.attacks(tmp_path, lambda _name: True))
    assert len(rows) == len(remote_trouble.ATTACKS)
    assert [row for row in rows if not row.harmless] == []


@pytest.mark.long
@pytest.mark.parametrize("story", remote_trouble.TROUBLES, ids=remote_trouble.name_of)
def test_faults_between_two_boards_lose_and_duplicate_nothing(
    story: remote_trouble.Callable[[Path], remote_trouble.Row], tmp_path: Path
) -> None:
    """The pages report each fault, no dart is lost, and none counts twice."""
    assert story(tmp_path).harmless
