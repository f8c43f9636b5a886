"""One camera alone never takes a dart's shadow for the dart, or for a part of it."""

from __future__ import annotations

import pytest

from lab.one_camera import Alone, photographed, rendered
from vision.photographs import DARTS

SEED = 91


def _sure_and_wrong(seen: list[Alone]) -> list[Alone]:
    return [item for item in seen if item.sure and not item.right]


@pytest.mark.long
@pytest.mark.darts
def test_half_of_the_darts_on_other_peoples_rigs_raise_no_question() -> None:
    """One camera at 20 degrees, 640x360, is sure of more than half of 20 darts, some behind others, and never wrong."""
    sets = sorted((DARTS / "foreign").glob("thrown_*"))
    seen = [item for folder in sets for item in photographed(folder)]
    assert len(seen) == 20
    assert sum(item.sure and item.right for item in seen) > 10
    assert _sure_and_wrong(seen) == []


@pytest.mark.long
def test_a_shadow_is_neither_the_dart_nor_its_end() -> None:
    """In three rooms seven of nine lines were shadows: at least seven darts are right, and no wrong one is sure."""
    seen = list(rendered((17, 18, 23), SEED))
    assert len(seen) == 9
    assert sum(item.right for item in seen) >= 7
    assert _sure_and_wrong(seen) == []


@pytest.mark.long
def test_a_line_longer_than_a_dart_is_never_sure() -> None:
    """In three rooms the shadow continues the dart's line, which once made a wrong bed sure."""
    assert _sure_and_wrong(list(rendered((2, 4, 31), SEED))) == []


@pytest.mark.long
def test_a_shadow_beside_a_dart_is_no_reason_to_ask() -> None:
    """In three rooms a person sees where each dart ends, however its shadows lie: at least eight of nine are sure."""
    seen = list(rendered((19, 71, 99), SEED))
    assert sum(item.sure and item.right for item in seen) >= 8
    assert _sure_and_wrong(seen) == []


@pytest.mark.long
def test_a_coarse_picture_makes_no_wrong_dart_sure() -> None:
    """A pixel of 360x320 shows more than 2 mm of a dart: its point may be there and not be seen."""
    assert _sure_and_wrong(list(rendered((110, 195), 2026))) == []


@pytest.mark.long
def test_a_wire_nearer_than_the_place_is_known_makes_no_dart_sure() -> None:
    """A dart in D15 lies beside its wire; another dart of the room stays sure."""
    seen = list(rendered((74,), 304))
    assert not next(item for item in seen if item.truth == "D15").sure
    assert any(item.sure and item.right for item in seen)


@pytest.mark.long
def test_a_ring_that_the_lines_do_not_reach_is_asked() -> None:
    """A shadow seems to begin in T11, but by its lines the dart ends beside it, in F11, where it is."""
    assert _sure_and_wrong(list(rendered((69,), 905))) == []
