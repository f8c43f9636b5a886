"""The network that finds a dart's point on the strip along its line, by one camera."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from lab.scenes.darts import DartShape, some_dart
from lab.scenes.pictures import RANGES, Rig, make_rig, picture
from scharten.dartboard.beds import SURE
from scharten.dartboard.locate import bed_at
from scharten.vision.detect.camera import CalibratedCamera, Novelty, calibrated_camera, find_novelty, take_in
from scharten.vision.detect.point import ACROSS, ALONG, find_point, strip_along
from scharten.vision.detect.shaft import Shaft
from scharten.vision.detect.sighting import Sighting
from scharten.vision.model import CameraModel, Image, Points

SHAFT = Shaft((400.0, 400.0), (0.0, 1.0), 30.0, 0.0, 0.5, 0.01, 90, 2.0)
HEAD_ON = np.array([[2.0, 0, 0, 100], [0, -2.0, 0, 300], [0, 0, 0, 1.0]])


def _position(straight: Points) -> tuple[Points, Points]:
    """Colours that tell the place: the column, the row, and nothing; now all of them are brighter by 10."""
    seen = np.concatenate([straight / 8, np.zeros((*straight.shape[:-1], 1))], axis=-1)
    return seen, seen + 10


def test_the_strip_lies_along_the_line_from_the_visible_end() -> None:
    """Rows follow the line to the board and columns lie beside it, in mm, whatever the picture's scale."""
    cells = np.exp(strip_along(SHAFT, HEAD_ON, _position).cells) - 8
    end, middle = int(np.flatnonzero(ALONG == 0)[0]), (len(ACROSS) - 1) / 2
    column, row = np.moveaxis(8 * cells[..., :2], -1, 0)
    assert row[end] == pytest.approx(430)  # the point of the line and its visible end
    assert row[end + 10] - row[end] == pytest.approx(20)  # two pixels per mm
    assert np.interp(middle, np.arange(len(ACROSS)), column[end]) == pytest.approx(400)
    assert abs(column[0, 1] - column[0, 0]) == pytest.approx(3)  # 1.5 mm
    assert cells[..., 3:] - cells[..., :3] == pytest.approx(10)


def test_what_stands_on_the_board_points_away_from_it_along_the_line() -> None:
    """A camera below the board sees what stands out of it higher; the strip's constants tell by how much."""
    tilted = HEAD_ON.copy()
    tilted[1:, 2] = -1.5, -0.001  # what stands out is nearer to the camera, so larger
    along, across, row_mm, px_per_mm = strip_along(SHAFT, tilted, _position).constants
    assert (along, across) == pytest.approx((-0.535, -0.2))
    assert (row_mm, px_per_mm) == pytest.approx((1.0, 2.0))


def _scene(seed: int) -> tuple[Rig, CalibratedCamera, Image, np.random.Generator]:
    chance = np.random.default_rng(seed)
    rig = make_rig(chance, RANGES, cameras=1)
    empty = picture(rig, 0, (), chance)
    camera = rig.cameras[0].camera
    flat = camera.matrix[:, [0, 1, 3]]
    homography = tuple(float(v) for v in (flat / flat[2, 2]).ravel())
    model = CameraModel(camera.width, camera.height, homography, camera.k1, 0.0, 0.1, 0.1)
    return rig, calibrated_camera(model, empty), empty, chance


def _novelty(seed: int, *places: tuple[float, float]) -> Novelty:
    """Return what is new of the last dart of these places."""
    rig, eye, before, chance = _scene(seed)
    darts = list[DartShape]()
    later = before
    for at in places:
        darts.append(some_dart(chance, *at, darts[0] if darts else None))
        before, later = later, picture(rig, 0, darts, chance)
    return find_novelty(eye, take_in(eye, before), take_in(eye, later))


AT = ((35.0, 60.0), (-70.0, 90.0), (-40.0, -125.0), (120.0, -30.0), (5.0, -60.0), (60.0, -60.0))
"""Places in the middle of singles, one for each of six scenes."""


def _found(new: Novelty, lines: tuple[Sighting, ...]) -> tuple[float, float, float]:
    dart = find_point(lines, new.camera.projection, new.look)
    assert dart is not None
    return dart.x_mm, dart.y_mm, dart.confidence


def _moved(line: Sighting, along_mm: float, across_mm: float) -> Sighting:
    """Return the line with its visible end and itself elsewhere."""
    shaft, mm = line.shaft, line.shaft.px_per_mm
    x, y = shaft.direction
    point = (shaft.point[0] - y * across_mm * mm, shaft.point[1] + x * across_mm * mm)
    return replace(line, shaft=replace(shaft, point=point, tip_px=shaft.tip_px + along_mm * mm))


@pytest.mark.long
def test_the_point_is_found_wherever_the_line_seemed_to_end() -> None:
    """The place hardly moves with a visible end 25 mm too far or too near, or a line 3 mm beside the dart."""
    for seed, at in enumerate(AT):
        new = _novelty(seed, at)
        lines = new.lines()
        for along, across in ((0.0, 0.0), (25.0, 0.0), (-25.0, 0.0), (0.0, 3.0), (0.0, -3.0)):
            x, y, _ = _found(new, tuple(_moved(line, along, across) for line in lines[-1:]))
            assert math.dist((x, y), at) < 4, (seed, along, across)


@pytest.mark.long
def test_a_line_where_nothing_came_shows_no_point() -> None:
    """On lines 60 mm beside the dart the network is sure of no bed."""
    for seed, at in enumerate(AT):
        new = _novelty(seed, at)
        lines = tuple(_moved(line, 0.0, side) for line in new.lines() for side in (60.0, -60.0))
        assert _found(new, lines)[2] < 0.97, seed


@pytest.mark.long
def test_nothing_far_from_the_board_is_a_dart() -> None:
    """Lines that end 400 mm beside the dart, beyond the surround, give no dart."""
    new = _novelty(0, AT[0])
    lines = tuple(_moved(line, 0.0, side) for line in new.lines() for side in (400.0, -400.0))
    assert find_point(lines, new.camera.projection, new.look) is None
    assert find_point((*lines, *new.lines()), new.camera.projection, new.look) is not None


@pytest.mark.long
def test_a_point_beyond_the_horizon_of_the_board_is_no_place() -> None:
    """By this homography the board's plane ends 15.5 mm before the dart's point, and all else is near the bull."""
    new = _novelty(0, AT[0])
    line = new.lines()[-1]
    shaft = line.shaft
    direction = np.array(shaft.direction)
    horizon = shaft.point + (shaft.tip_px - 15.5 * shaft.px_per_mm) * direction
    back = np.array([[1e-3, 0, 0], [0, 1e-3, 0], [*-direction, direction @ horizon]])
    behind = replace(line, homography=np.linalg.inv(back))
    assert _found(new, (line,))[2] > 0.9
    assert _found(new, (behind,))[2] < 0.1


@pytest.mark.long
def test_the_clearest_of_the_lines_counts() -> None:
    """A line of a shadow, beside the dart's own, makes the dart no less certain."""
    for seed, at in enumerate(AT):
        new = _novelty(seed, at)
        own = new.lines()[-1]
        alone, beside = _found(new, (own,)), _found(new, (_moved(own, 0.0, 40.0), own))
        assert beside[2] >= alone[2]


@pytest.mark.long
def test_a_dart_beside_the_board_is_asked_about() -> None:
    """One camera never is sure of a miss: that costs a player a dart."""
    places = ((-200.0, 20.0), (190.0, 40.0), (0.0, -200.0), (60.0, 190.0))
    darts = [_novelty(seed, at).lone() for seed, at in enumerate(places)]
    assert {str(dart.bed) for dart in darts if dart} == {"MISS"}
    assert all(dart.confidence < SURE for dart in darts if dart)


@pytest.mark.long
@pytest.mark.parametrize(
    ("seed", "first", "second"), [(28, (-26.5, -36.5), (-32.8, -41.4)), (37, (-16.6, -5.5), (-30.1, -11.4))]
)
def test_a_dart_whose_point_another_may_cover_is_asked_about(
    seed: int, first: tuple[float, float], second: tuple[float, float]
) -> None:
    """The network is sure of the bed, but an earlier dart stands where the line ends."""
    new = _novelty(seed, first, second)
    assert _found(new, new.lines())[2] > 0.97
    dart = new.lone()
    assert dart is not None and dart.bed == bed_at(*second)
    assert dart.confidence < SURE
