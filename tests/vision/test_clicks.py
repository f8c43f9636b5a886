"""Calibration by four clicked wires on boards of unusual colours, judged by the scene's own geometry."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from lab.scenes.pictures import make_rig, picture
from lab.scenes.rooms import cast, light_of, ranges_of
from scharten.errors import Problem
from scharten.sensors.photo_sets import read_set
from scharten.vision.calibrate.clicks import calibrate_clicks
from scharten.vision.calibrate.fit import Calibration, calibrate
from scharten.vision.model import to_board, to_pixels
from vision.photographs import DARTS

ODD = (
    ((200, 60, 120), (60, 200, 220), (60, 160, 60), (220, 120, 40)),  # purple, yellow, green, blue
    ((180, 180, 180), (60, 60, 60), (40, 40, 40), (140, 140, 140)),  # greys, the 20 bright
    ((40, 40, 160), (200, 200, 200), (30, 30, 30), (40, 200, 40)),  # red singles, white rings
)
SIZES = ((360, 320), (640, 480), (1280, 720))
_TURNS = np.radians([9.0, 99.0, 189.0, 279.0])
WIRES = 170 * np.column_stack([np.sin(_TURNS), np.cos(_TURNS)])
_ANGLE = np.linspace(0, 2 * np.pi, 40)
GRID = np.concatenate([r * np.column_stack([np.sin(_ANGLE), np.cos(_ANGLE)]) for r in (16.0, 100.0, 166.0)])
CLICK_PX = 1.2  # sigma, at 800 pixels


def _scene(number, palette):
    """Return a picture of an oddly coloured board, its camera, and a person's four clicks."""
    chance, size = np.random.default_rng([7, number]), SIZES[number % len(SIZES)]
    rig = make_rig(chance, replace(ranges_of(size, number, chance), palette=palette), cameras=1)
    seen = cast(picture(rig, 0, (), chance), light_of((2500.0, 9000.0)[number % 2]))
    eye = rig.cameras[0]
    exact = eye.camera.pixels(np.column_stack([WIRES, np.zeros(4)]))
    return seen, eye, exact + chance.normal(0, CLICK_PX * size[0] / 800, (4, 2))


def _pixels(points):
    return tuple((float(x), float(y)) for x, y in points)


@pytest.mark.long
@pytest.mark.parametrize("number", range(6))
def test_four_clicks_calibrate_a_board_of_any_colour(number):
    """Boards that colours cannot calibrate are placed within 2 mm by four clicks that are 1.2 px off."""
    seen, eye, clicks = _scene(number, ODD[number % len(ODD)])
    assert isinstance(calibrate(seen, eye.d20), Problem)
    found = calibrate_clicks(seen, _pixels(clicks))
    assert isinstance(found, Calibration), found
    pixels = eye.camera.pixels(np.column_stack([GRID, np.zeros(len(GRID))]))
    assert np.hypot(*(to_board(found.model, pixels) - GRID).T).max() < 2.0


def _noise(picture):
    return np.random.default_rng(3).integers(0, 256, picture.shape, np.uint8)


def _wheel(picture):
    drawn = np.full_like(picture, 90)
    for sector in range(24):
        shade = (40, 40, 40) if sector % 2 else (200, 200, 200)
        cv2.ellipse(drawn, (320, 240), (230, 200), 0, 15 * sector, 15 * sector + 15, shade, -1, cv2.LINE_AA)
    return drawn


@pytest.mark.parametrize("spoil", [np.zeros_like, _noise, _wheel, lambda p: cv2.GaussianBlur(p, (0, 0), 25)])
def test_four_clicks_without_a_board_are_refused(spoil):
    """A black picture, noise, a wheel with 24 spokes and a blurred board are refused."""
    seen, _, clicks = _scene(1, ODD[1])
    refused = calibrate_clicks(spoil(seen), _pixels(clicks))
    assert isinstance(refused, Problem) and refused.code in ("bad_fit", "blurred")


@pytest.mark.parametrize(
    "change",
    [
        lambda at: at[::-1],  # reversed: a mirrored board
        lambda at: at[[0, 2, 1, 3]],
        lambda at: at[[0, 0, 0, 0]],
        lambda at: at[:3],
        lambda at: at + 5000,
    ],
)
def test_four_clicks_in_a_wrong_order_are_refused(change):
    """Clicks that cannot be the four wires give a reason and no model."""
    seen, _, clicks = _scene(1, ODD[1])
    refused = calibrate_clicks(seen, _pixels(change(clicks)))
    assert isinstance(refused, Problem) and refused.code == "wrong_wires"


def test_a_wire_clicked_one_bed_away_is_refused():
    """With three right wires and the fourth one number too far, no board has that shape."""
    seen, eye, clicks = _scene(1, ODD[1])
    turn = np.radians(297.0)
    clicks[3] = eye.camera.pixels(np.array([[170 * np.sin(turn), 170 * np.cos(turn), 0.0]]))[0]
    assert isinstance(calibrate_clicks(seen, _pixels(clicks)), Problem)


@pytest.mark.long
@pytest.mark.darts
@pytest.mark.parametrize("name", ["thrown_b2", "thrown_b3", "thrown_d1"])
def test_four_clicks_agree_with_colours_on_photographs_of_other_boards(name):
    """With blue and red exchanged, clicks place the beds within 4 mm of the calibration by true colours."""
    folder = DARTS / "foreign" / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here")
    photos = read_set(folder)
    tried = 0
    for path, point in photos.rig.values():
        seen = np.asarray(cv2.imread(str(path)), np.uint8)
        usual = calibrate(seen, point)
        if isinstance(usual, Problem):
            continue
        tried += 1
        off = np.random.default_rng(tried).normal(0, CLICK_PX, (4, 2))
        found = calibrate_clicks(
            np.ascontiguousarray(seen[..., ::-1]), _pixels(to_pixels(usual.model, WIRES) + off)
        )
        assert isinstance(found, Calibration), found
        apart = np.hypot(*(to_board(found.model, to_pixels(usual.model, GRID)) - GRID).T)
        assert apart.max() < 4.0  # a pixel of these cameras is up to 2 mm
    assert tried
