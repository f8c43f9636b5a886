"""Which cameras see the board where it was calibrated. The others are left out as long as enough remain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from scharten.errors import Problem
from scharten.vision.detect.board_turn import board_turn
from scharten.vision.detect.camera import CalibratedCamera, View, take_in
from scharten.vision.follow.judge import askew
from scharten.vision.follow.throw_tracker import ThrowTracker, enough

_TURNED_DEG = 1.0  # 3 mm at the double ring
_AGREE_DEG = 0.5


def sighted(tracker: ThrowTracker, views: Mapping[int, View]) -> tuple[ThrowTracker, dict[int, View]]:
    """Leave out the cameras that do not see the board, and return the views of the others.

    When too few remain, all views are returned: the caller then reports why no dart can count.
    """
    lost = {n: why for n, view in views.items() if (why := _unseen(tracker, n, view))}
    fine = {n: view for n, view in views.items() if n not in lost}
    if len(fine) < enough(tracker):
        return tracker, dict(views)
    cameras = tuple(
        replace(c, left_out=True, unsighted=lost[n]) if n in lost else c
        for n, c in enumerate(tracker.cameras)
    )
    return replace(tracker, cameras=cameras), fine


def first_unseen(tracker: ThrowTracker, views: Mapping[int, View]) -> Problem | None:
    """Why no dart can count by these views: the board is turned, or the first camera that does not see it; or None."""
    return _turned(tracker, views) or next(
        (why for n, view in views.items() if (why := _unseen(tracker, n, view))), None
    )


def _turned(tracker: ThrowTracker, views: Mapping[int, View]) -> Problem | None:
    """The board hangs turned, as enough cameras agree."""
    turns = [board_turn(tracker.calibrated[n], view) for n, view in views.items()]
    middle = float(np.median([turn for turn in turns if turn] or [0.0]))
    agreeing = sum(turn != 0 and abs(turn - middle) <= _AGREE_DEG for turn in turns)
    if abs(middle) < _TURNED_DEG or agreeing < enough(tracker):
        return None
    words = (
        f"the board hangs turned by {abs(middle):.1f} degrees: turn it back, or calibrate the cameras again"
    )
    return Problem("board_turned", words, {"degrees": round(abs(middle), 1)})


def _unseen(tracker: ThrowTracker, number: int, view: View) -> Problem | None:
    """Return why a camera does not see the board where it was, with its name for people."""
    calibrated, camera = tracker.calibrated[number], tracker.numbers[number]
    why = askew(calibrated, view)
    if why is None:
        return None
    if _upside_down(calibrated, view):
        return Problem("camera_upside_down", f"camera {camera} is upside down", {"camera": camera})
    return Problem(why.code, f"camera {camera} {why.words}", {**why.args, "camera": camera})


def _upside_down(camera: CalibratedCamera, view: View) -> bool:
    """Whether the picture turned by half a turn shows the board in its place, as after a changed setting."""
    return not askew(camera, take_in(camera, np.ascontiguousarray(view.picture[::-1, ::-1])))


def with_references(tracker: ThrowTracker) -> ThrowTracker:
    """Give cameras that have not seen the board yet the empty board of their calibration to compare with."""
    if tracker.reference:
        return tracker
    known = tuple(map(take_in, tracker.calibrated, tracker.empties))
    return replace(tracker, reference=known, small=tracker.bare)
