"""Calibration in rendered rooms of other people: other board colours, warm and cold light, small cameras."""

import cv2
import numpy as np
import pytest

from lab.scenes.rooms import FALSE_MM, room
from scharten.errors import Problem
from scharten.vision.calibrate.fit import calibrate

SEED = 1


@pytest.mark.parametrize("number", range(5))
def test_a_board_of_any_colour_is_found_in_any_light(number):
    """Usual, tan, worn, blue and white, and yellow and black boards are found in coloured light at five picture
    sizes."""
    tried = room(number, SEED)
    assert tried.reason == "", tried
    assert tried.off_mm < FALSE_MM, tried


def test_a_board_without_the_usual_colours_is_placed_by_its_edges():
    """Half the rings of a yellow and black board show no edge of the usual colours. It was once placed 5.1 mm off."""
    tried = room(149, 2026)
    assert tried.reason == "", tried
    assert tried.off_mm < 1.5, tried


def _wheel(picture):
    """Draw twenty spokes of two greys, without rings."""
    for sector in range(20):
        shade = (40, 40, 40) if sector % 2 else (200, 200, 200)
        cv2.ellipse(picture, (320, 180), (150, 130), 0, 18 * sector, 18 * sector + 18, shade, -1, cv2.LINE_AA)


def _target(picture):
    """Draw rings without sectors."""
    for step, colour in enumerate([(40, 40, 200), (220, 220, 220)] * 4):
        cv2.circle(picture, (320, 180), 160 - 18 * step, colour, -1, cv2.LINE_AA)


@pytest.mark.long
@pytest.mark.parametrize("draw", [_wheel, _target])
def test_a_wheel_and_a_target_are_refused(draw):
    """A wheel has a board's wires and a target its rings, but neither is a board."""
    picture = np.full((360, 640, 3), 90, np.uint8)
    draw(picture)
    refused = calibrate(picture, (320.0, 40.0))
    assert isinstance(refused, Problem) and refused.code in ("no_board", "bad_fit")
