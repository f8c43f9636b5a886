"""A dart's shadows begin at its point, even where the point itself is not seen."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from scharten.vision.detect.meeting import Meeting, find_meetings
from scharten.vision.detect.shaft import Shaft
from scharten.vision.detect.sighting import Sighting
from scharten.vision.model import Floats, Points

POINT = 120.0
"""How far the dart's point is to the right of the bull, in mm. On its line, from the flight, it is at 160 mm."""
LINE = Shaft((280.0, 0.0), (-1.0, 0.0), 170.0, 0.0, 0.27, 0.003, 100, 1.0)
ABOVE = np.eye(3)
# As seen from below the board and from its right, 640 pixels wide.
ASIDE = cv2.getPerspectiveTransform(
    np.array([[-200, 200], [200, 200], [200, -200], [-200, -200]], np.float32),
    np.array([[190, 90], [520, 60], [600, 410], [110, 330]], np.float32),
)


def _shadow(degrees: float, seed: int = 1) -> Points:
    """Return places (n, 2) in mm in a shadow of the dart, 80 mm long and 4 mm wide."""
    chance = np.random.default_rng(seed)
    along, across = chance.uniform(0.0, 80.0, 900), chance.uniform(-2.0, 2.0, 900)
    turn = math.radians(degrees)
    x, y = math.cos(turn), math.sin(turn)
    return np.column_stack([POINT + x * along - y * across, y * along + x * across])


def _met(*shadows: Points) -> tuple[Meeting, ...]:
    return find_meetings(Sighting(LINE, ABOVE), np.concatenate(shadows))


def test_one_shadow_meets_the_line_at_the_point() -> None:
    """From any side a shadow tells the point to 1 mm, although the visible end of the dart is 10 mm away."""
    for degrees in (25.0, 70.0, 130.0, -45.0, -100.0):
        (meeting,) = _met(_shadow(degrees))
        assert meeting.at_mm == pytest.approx(160.0, abs=1.0)
        assert meeting.sigma_mm < 2.0


def test_each_lamp_gives_a_meeting() -> None:
    """Three shadows in three directions give three meetings, all of them at the point."""
    met = _met(_shadow(60.0), _shadow(140.0, seed=2), _shadow(-80.0, seed=3))
    assert len(met) == 3
    assert [meeting.at_mm for meeting in met] == pytest.approx([160.0] * 3, abs=1.5)


def test_a_shadow_along_the_line_tells_nothing() -> None:
    """A shadow that lies in the dart's own line meets it nowhere."""
    assert _met(_shadow(180.0), _shadow(2.0)) == ()


def test_lamps_on_both_sides_give_one_point() -> None:
    """Two shadows in opposite directions, one stripe over the dart's line, cross it at the point."""
    met = _met(_shadow(80.0), _shadow(-100.0, seed=2))
    assert [meeting.at_mm for meeting in met] == pytest.approx([160.0] * 2, abs=1.0)


def test_scattered_pixels_are_no_shadow() -> None:
    """New pixels all over the board, one on 30 mm², have no line that they lie on."""
    chance = np.random.default_rng(4)
    assert _met(chance.uniform(-170.0, 170.0, (4000, 2))) == ()


def test_a_flat_angle_has_a_larger_deviation() -> None:
    """The deviation grows as the shadow turns towards the dart's line."""
    steep, flat = _met(_shadow(90.0)), _met(_shadow(20.0))
    assert flat[0].sigma_mm > 2 * steep[0].sigma_mm


def test_a_shadow_is_straight_on_the_board_and_not_in_the_picture() -> None:
    """Seen from aside, the shadow meets the dart's line where the picture shows the point."""
    point = _seen(np.array([[POINT, 0.0]]))[0]
    flight = _seen(np.array([[POINT, 0.0]]))[0] + [90.0, -40.0]
    direction = (point - flight) / np.linalg.norm(point - flight)
    line = Shaft(tuple(flight), tuple(direction), 90.0, 0.0, 0.27, 0.003, 100, 0.8)
    (meeting,) = find_meetings(Sighting(line, ASIDE), _seen(_shadow(120.0)))
    assert meeting.at_mm == pytest.approx(float(np.linalg.norm(point - flight)) / 0.8, abs=1.5)


def _seen(at: Points) -> Floats:
    return np.asarray(cv2.perspectiveTransform(at[None], ASIDE)[0])
