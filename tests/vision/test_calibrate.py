"""Calibration on rendered and real empty boards: a fit within half a pixel, or a reason."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from scharten.errors import Problem
from scharten.sensors.photo_sets import pictures_of
from scharten.sensors.video import Picture
from scharten.vision.calibrate.fit import MAX_RESIDUAL_MM, Calibration, calibrate, overlay
from scharten.vision.calibrate.leftover import leftover
from scharten.vision.model import Floats, to_board, to_pixels
from vision.photographs import SOURCES, Sets, empty, eyes_of, photo_set, sets_of


@pytest.fixture(scope="module", params=SOURCES)
def sets(request: pytest.FixtureRequest) -> Sets:
    """Rendered sets, and the shared photographs where they exist."""
    return sets_of(request.param)


@pytest.mark.parametrize("camera", [0, 1, 2])
def test_the_fit_is_good_and_the_clicked_point_is_in_the_double_20(sets: Sets, camera: int) -> None:
    """The residual of every camera of `single` is under half the limit, and the clicked point lies in the double 20."""
    model = eyes_of(sets.single)[camera].model
    _, point = empty(sets.single, camera)
    x, y = to_board(model, np.array([point]))[0]
    assert model.residual_mm < MAX_RESIDUAL_MM / 2
    assert 160 < np.hypot(x, y) < 172
    assert abs(np.degrees(np.arctan2(x, y))) < 9


@pytest.mark.long
def test_another_evening_gives_nearly_the_same_model(sets: Sets) -> None:
    """The rig of `pairs` is that of `single`, nudged: the grid shifts as a whole, within 1.5 px."""
    grid = np.array([[x, y] for x in (-120.0, 0.0, 120.0) for y in (-120.0, 0.0, 120.0)])
    for camera in range(3):
        moved = to_pixels(eyes_of(sets.other)[camera].model, grid) - to_pixels(
            eyes_of(sets.single)[camera].model, grid
        )
        assert np.abs(moved - moved.mean(axis=0)).max() < 1.5


def _shifted(picture: Picture, dx: float, dy: float) -> Picture:
    matrix = np.array([[1.0, 0.0, dx], [0.0, 1.0, dy]])
    return np.asarray(cv2.warpAffine(picture, matrix, picture.shape[1::-1]), np.uint8)


@pytest.mark.parametrize(("camera", "scale"), [(0, 3.0), (1, 2.4), (2, 0.5)])
def test_the_board_is_found_at_any_resolution(sets: Sets, camera: int, scale: float) -> None:
    """Scaled from 400 to 2,400 pixels, the picture gives the same beds, within 1 pixel of the original."""
    path, (x, y) = photo_set(sets.other).rig[camera]
    picture = np.asarray(cv2.imread(str(path)), np.uint8)
    found = []
    for times in (1.0, scale):
        how = cv2.INTER_CUBIC if times > 1 else cv2.INTER_AREA
        scaled = np.asarray(cv2.resize(picture, None, fx=times, fy=times, interpolation=how), np.uint8)
        calibration = calibrate(scaled, (x * times, y * times))
        assert isinstance(calibration, Calibration)
        at = to_pixels(calibration.model, np.array([[0.0, 0.0], [0.0, 165.0], [165.0, 0.0], [0.0, -165.0]]))
        found.append((at + 0.5) / times)
    assert np.abs(found[0] - found[1]).max() < 1.0


def test_a_shifted_picture_shifts_the_model_by_the_same_amount(sets: Sets) -> None:
    """A shift of 3.4 px to the left and 0.6 px down is found within 0.2 px."""
    picture, (x, y) = empty(sets.single, 1)
    found = calibrate(_shifted(picture, -3.4, 0.6), (x - 3.4, y + 0.6))
    assert isinstance(found, Calibration)
    rim = np.array([[0.0, 166.0], [166.0, 0.0], [0.0, -166.0], [-166.0, 0.0], [0.0, 0.0]])
    moved = to_pixels(found.model, rim) - to_pixels(eyes_of(sets.single)[1].model, rim)
    assert np.abs(moved - [-3.4, 0.6]).max() < 0.2


def _hidden(picture: Picture, until: int) -> Picture:
    """Cover the left part of the picture with grey, up to this column."""
    spoilt = picture.copy()
    spoilt[:, :until] = 90
    return spoilt


@pytest.mark.long
@pytest.mark.parametrize(
    ("code", "spoil"),
    [
        ("too_dark", lambda picture, bull, top: (picture * 0.15).astype(np.uint8)),
        ("blurred", lambda picture, bull, top: cv2.GaussianBlur(picture, (0, 0), 4)),
        ("not_whole", lambda picture, bull, top: _shifted(picture, 0, -top - 15)),
        ("no_board", lambda picture, bull, top: np.full_like(picture, 128)),
        ("no_board", lambda picture, bull, top: picture[bull[1] :, bull[0] :][:20, :20]),
        ("bad_fit", lambda picture, bull, top: _hidden(picture, bull[0] - 35)),
    ],
)
def test_a_bad_picture_is_refused_with_the_reason(
    sets: Sets, code: str, spoil: Callable[[Picture, Floats, float], Picture]
) -> None:
    """Dark, blurred, cut off, half hidden or empty pictures give the reason and no model."""
    picture, (x, y) = empty(sets.single, 0)
    model = eyes_of(sets.single)[0].model
    bull = to_pixels(model, np.zeros((1, 2)))[0].astype(int)
    angle = np.linspace(0, 2 * np.pi, 90)
    top = float(to_pixels(model, 170 * np.column_stack([np.sin(angle), np.cos(angle)]))[:, 1].min())
    refused = calibrate(spoil(picture, bull, top), (x, y - (top + 15) * (code == "not_whole")))
    assert isinstance(refused, Problem)
    assert refused.code == code
    assert refused.words


@pytest.mark.long
@pytest.mark.parametrize(
    "at_mm", [(0.0, 0.0), (166.0 * np.sin(np.radians(18)), 166.0 * np.cos(np.radians(18))), None]
)
def test_a_point_outside_the_double_20_is_refused(sets: Sets, at_mm: tuple[float, float] | None) -> None:
    """The bull, a green double and a point outside the picture are not the double 20."""
    model = eyes_of(sets.single)[0].model
    x, y = (-5.0, 9000.0) if at_mm is None else to_pixels(model, np.array([at_mm]))[0]
    refused = calibrate(empty(sets.single, 0)[0], (float(x), float(y)))
    assert isinstance(refused, Problem)
    assert refused.code == "wrong_point"


def test_a_residual_above_the_limit_is_refused_with_both_figures(
    sets: Sets, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The median residual decides: with a limit of 0.1 mm a good picture is refused."""
    monkeypatch.setattr("scharten.vision.calibrate.fit.MAX_RESIDUAL_MM", 0.1)
    refused = calibrate(*empty(sets.single, 0))
    assert isinstance(refused, Problem) and refused.code == "bad_fit"
    assert "median residual 0." in refused.words and "mm (at most 0.1)" in refused.words


@pytest.mark.long
def test_twisted_sectors_worsen_the_fit(sets: Sets) -> None:
    """Sectors twisted by four degrees against the doubles: fewer edges are found, and the residual grows."""
    picture, point = empty(sets.single, 1)
    good = calibrate(picture, point)
    assert isinstance(good, Calibration) and good.found > 0.95
    size = picture.shape[1::-1]
    rows, columns = np.mgrid[: size[1], : size[0]]
    at = to_board(good.model, np.column_stack([columns.ravel(), rows.ravel()]).astype(float))
    radius = np.hypot(*at.T)
    turn = np.radians(4) * np.sin(np.clip(radius, 0, 170) / 170 * np.pi)
    twisted = np.column_stack(
        [np.cos(turn) * at[:, 0] - np.sin(turn) * at[:, 1], np.sin(turn) * at[:, 0] + np.cos(turn) * at[:, 1]]
    )
    source = np.where(
        (radius < 200)[:, None],
        to_pixels(good.model, twisted),
        np.column_stack([columns.ravel(), rows.ravel()]),
    )
    maps = source.astype(np.float32).reshape(size[1], size[0], 2)
    spoilt = calibrate(np.asarray(cv2.remap(picture, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)), point)
    assert isinstance(spoilt, Calibration)
    assert spoilt.found < 0.9
    assert spoilt.model.residual_px > 1.3 * good.model.residual_px


@pytest.mark.long
def test_a_dart_in_the_empty_picture_is_reported(sets: Sets) -> None:
    """A calibration picture with a dart in it reports the dart; pictures of the empty board do not."""
    for folder in (sets.single, sets.other):
        for camera in range(3):
            assert leftover(empty(folder, camera)[0], eyes_of(folder)[camera].model) is None
    throw = photo_set(sets.single).throws[5]
    for camera, _, later in pictures_of(throw, eyes_of(sets.single)):
        found = calibrate(later, empty(sets.single, camera)[1])
        assert isinstance(found, Calibration)
        assert found.leftover is not None
        drawn = overlay(later, found.model, found.leftover)
        assert (drawn != overlay(later, found.model)).any()
