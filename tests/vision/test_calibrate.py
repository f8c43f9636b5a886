"""Calibration on the real empty boards: a good fit to half a pixel, and a reason where there is none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from scharten.sources.video import Picture
from scharten.vision.calibrate import MAX_RESIDUAL_PX, Calibration, Refusal, calibrate
from scharten.vision.model import to_board, to_pixels
from vision.photographs import empty, eyes_of, needs_photographs

pytestmark = [pytest.mark.darts, needs_photographs]


@pytest.mark.parametrize("camera", [0, 1, 2])
def test_the_fit_is_good_and_the_20_is_where_the_person_pointed(camera: int) -> None:
    """Every camera of `single` fits to under a pixel, and the person's point is in the double 20."""
    model = eyes_of("single")[camera].model
    _, point = empty(camera)
    x, y = to_board(model, np.array([point]))[0]
    assert model.residual_px < MAX_RESIDUAL_PX / 2
    assert 160 < np.hypot(x, y) < 172
    assert abs(np.degrees(np.arctan2(x, y))) < 9


def test_another_evening_gives_nearly_the_same_model() -> None:
    """The rig of `pairs` is that of `single` nudged: a grid on the board moves by little, and alike."""
    grid = np.array([[x, y] for x in (-120.0, 0.0, 120.0) for y in (-120.0, 0.0, 120.0)])
    for camera in range(3):
        moved = to_pixels(eyes_of("pairs")[camera].model, grid) - to_pixels(
            eyes_of("single")[camera].model, grid
        )
        assert np.abs(moved - moved.mean(axis=0)).max() < 1.5


def _shifted(picture: Picture, dx: float, dy: float) -> Picture:
    matrix = np.array([[1.0, 0.0, dx], [0.0, 1.0, dy]])
    return np.asarray(cv2.warpAffine(picture, matrix, picture.shape[1::-1]), np.uint8)


def test_a_picture_moved_by_a_known_shift_moves_the_model_by_it() -> None:
    """Sub-pixel: 3.4 px to the left and 0.6 px down are found to a tenth of a pixel."""
    picture, (x, y) = empty(1)
    found = calibrate(_shifted(picture, -3.4, 0.6), (x - 3.4, y + 0.6))
    assert isinstance(found, Calibration)
    rim = np.array([[0.0, 166.0], [166.0, 0.0], [0.0, -166.0], [-166.0, 0.0], [0.0, 0.0]])
    moved = to_pixels(found.model, rim) - to_pixels(eyes_of("single")[1].model, rim)
    assert np.abs(moved - [-3.4, 0.6]).max() < 0.1


@pytest.mark.parametrize(
    ("code", "spoil"),
    [
        ("too_dark", lambda picture: (picture * 0.15).astype(np.uint8)),
        ("blurred", lambda picture: cv2.GaussianBlur(picture, (0, 0), 4)),
        ("not_whole", lambda picture: _shifted(picture, 0, -60)),
        ("no_board", lambda picture: np.full_like(picture, 128)),
        ("no_board", lambda picture: picture[:20, :20]),
    ],
)
def test_a_bad_picture_is_refused_with_its_reason(code: str, spoil: object) -> None:
    """Dark, blurred, cut off or empty pictures give the reason and no model."""
    picture, point = empty(0)
    refused = calibrate(spoil(picture), (point[0], point[1] - 60 * (code == "not_whole")))  # type: ignore[operator]
    assert isinstance(refused, Refusal)
    assert refused.code == code
    assert refused.words


@pytest.mark.parametrize("point", [(395.0, 192.0), (510.0, 432.0), (-5.0, 9000.0)])
def test_a_point_outside_the_double_20_is_refused(point: tuple[float, float]) -> None:
    """The bull, a green double and a point far off are no double 20."""
    refused = calibrate(empty(0)[0], point)
    assert isinstance(refused, Refusal)
    assert refused.code == "wrong_point"
