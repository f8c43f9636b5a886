"""Which cameras see the board where it was calibrated. The others are left out as long as enough remain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from scharten.errors import Problem
from scharten.vision.detect.camera import CalibratedCamera, View, take_in
from scharten.vision.follow.judge import askew
from scharten.vision.follow.throw_tracker import ThrowTracker, enough


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
    """Why the first of these cameras that does not see the board does not; None when all see it."""
    return next((why for n, view in views.items() if (why := _unseen(tracker, n, view))), None)


def _unseen(tracker: ThrowTracker, number: int, view: View) -> Problem | None:
    """Why a camera does not see the board where it was, with what people call it."""
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
