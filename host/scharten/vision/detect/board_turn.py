"""How far the board hangs turned about its bull, as a board does on its hook."""

from __future__ import annotations

import math

import numpy as np

from scharten.vision.detect.camera import CalibratedCamera, View
from scharten.vision.detect.register import sample
from scharten.vision.model import Points, to_board, to_pixels

_MOST_DEG, _STEP_DEG = 5.0, 0.25
_SUSPECT_DEG, _SUSPECT_MATCHED = 0.1, 0.9  # a board in its place is neither turned nor matched as badly
_BETTER = (
    0.7  # share of what a moved camera leaves: a turned board leaves 0.1 to 0.6, a turned camera 3 or more
)


def board_turn(camera: CalibratedCamera, view: View) -> float:
    """Degrees, counter-clockwise as the player sees it; 0 where no turn explains the picture better than no turn."""
    home, points = view.home, camera.empty.points
    in_place = abs(math.degrees(home.turn)) < _SUSPECT_DEG and home.matched > _SUSPECT_MATCHED
    if in_place or not len(points.at):
        return 0.0
    mm = to_board(camera.work, points.at)
    turns = np.arange(-_MOST_DEG, _MOST_DEG + _STEP_DEG / 2, _STEP_DEG)
    left = [_left(camera, view, to_pixels(camera.work, mm @ _turned(turn))) for turn in turns]
    best = int(np.argmin(left))
    return float(turns[best]) if left[best] < _BETTER * _left(camera, view, home.forward(points.at)) else 0.0


def _turned(degrees: float) -> Points:
    """The matrix that turns rows of millimetres."""
    angle = math.radians(degrees)
    return np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])


def _left(camera: CalibratedCamera, view: View, at: Points) -> float:
    """The median difference from the empty board when its points lie at these pixels, in the light of the picture."""
    level, seen = camera.empty.points.level, sample(view.grey, at)
    (dark, bright), (low, high) = (np.percentile(levels, (25, 75)) for levels in (level, seen))
    expected = low + (level - dark) * (high - low) / max(bright - dark, 1.0)
    return float(np.median(np.abs(seen - expected)))
