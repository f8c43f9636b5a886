"""Where a dart's point is on its line: a shadow that runs on is not the dart, and a point may look like a shadow."""

from __future__ import annotations

import numpy as np

from scharten.vision.detect.meeting import Meeting
from scharten.vision.detect.shaft import Shaft
from scharten.vision.detect.sighting import Sighting
from scharten.vision.detect.tip import Tip, find_tip

FLIGHT_MM = 280.0  # to the right of the bull; one mm is one pixel


def _tip(
    solid_to: float,
    *,
    darker_to: float | None = None,
    solid_specks: tuple[float, ...] = (),
    shadow_from: float | None = None,
) -> Tip:
    """Find the point of a dart that is solid from its flight to a place right of the bull, and then darker."""
    rows = np.arange(FLIGHT_MM, (solid_to if darker_to is None else darker_to) - 1, -1.0)
    rows = np.concatenate([rows, solid_specks])
    solid = (rows >= solid_to) | np.isin(rows, solid_specks)
    across = np.repeat([[-1.0, 0.0, 1.0]], len(rows), axis=0)
    pixels = np.column_stack([np.repeat(rows, 3), across.ravel()])
    end = min((solid_to, *solid_specks))
    shaft = Shaft((FLIGHT_MM, 0.0), (-1.0, 0.0), FLIGHT_MM - end, 0.0, 0.27, 0.003, 100, 1.0)
    met = () if shadow_from is None else (Meeting(FLIGHT_MM - shadow_from, 0.5),)
    tip = find_tip(Sighting(shaft, np.eye(3)), pixels, np.repeat(solid, 3), 0.0, met)
    assert tip is not None
    return tip


def test_a_dart_that_ends_at_once_has_one_bed() -> None:
    """Nothing is new beyond the solid part: its end is the point."""
    tip = _tip(130.0)
    assert str(tip.dart.bed) == "F6" and tip.one_bed
    assert tip.dart.confidence > 0.95


def test_a_darker_part_that_reaches_another_bed_leaves_a_question() -> None:
    """A darker part from F6 through T6 to L6 may be the point or its shadow."""
    assert not _tip(130.0, darker_to=98.0).one_bed


def test_a_darker_part_longer_than_a_point_is_a_shadow_at_its_far_end() -> None:
    """A shadow runs on to L6, but the point ends 36 mm from the solid part at most, still in F6."""
    tip = _tip(154.0, darker_to=60.0)
    assert str(tip.dart.bed) == "F6" and tip.one_bed


def test_solid_specks_beyond_a_gap_leave_a_question() -> None:
    """Two specks in L6 make the visible end; the dart may end with its solid part, in F6."""
    assert not _tip(130.0, solid_specks=(95.0, 90.0)).one_bed


def test_a_shadow_tells_where_the_darker_part_ends_the_dart() -> None:
    """Of a darker part from F6 through T6 to L6, the dart is in the bed where a shadow of its own begins."""
    for begins, bed in ((128.0, "F6"), (103.0, "T6"), (92.0, "L6")):
        tip = _tip(130.0, darker_to=90.0, shadow_from=begins)
        assert tip.met
        assert str(tip.dart.bed) == bed
        assert abs(tip.dart.x_mm - begins) < 2.0


def test_a_shadow_that_begins_elsewhere_confirms_nothing() -> None:
    """The solid part ends in F6; a shadow that begins 60 mm before that is another thing's."""
    tip = _tip(130.0, shadow_from=190.0)
    assert tip.met is False
    assert str(tip.dart.bed) == "F6"
    assert _tip(130.0).met is None
