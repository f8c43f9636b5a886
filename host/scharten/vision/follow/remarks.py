"""Words for people about what a tracker saw besides throws: why no dart can be reported, and a change that is none."""

from __future__ import annotations

from scharten.errors import Problem
from scharten.vision.detect.light import bands, light
from scharten.vision.follow.takeout import STILL_MS
from scharten.vision.follow.throw_states import TakeoutState
from scharten.vision.follow.throw_tracker import ThrowTracker

RESTLESS_MS = 2000
"""Motion without a hand is reported after this time."""
FLICKER = 0.16
"""Largest tolerated bands, as a share of the light."""
REMARK_MS = 10_000
"""How long a remark stays."""


def trouble(tracker: ThrowTracker, t_ms: int) -> Problem | None:
    """Why no dart can be reported although no hand is visible, or None."""
    if tracker.state not in (TakeoutState.WAKING, TakeoutState.MOTION) or not tracker.last:
        return None
    if t_ms - tracker.began_ms < RESTLESS_MS:
        return None
    seen = zip(tracker.calibrated, tracker.watches, tracker.last, strict=True)
    lights = (light(camera.empty.small, now, watch.board) for camera, watch, now in seen)
    if any(bands(rows) > FLICKER for rows in lights):
        return Problem("flicker", "your lamps flicker: lock the cameras' exposure to a multiple of 10 ms")
    timed = zip(tracker.numbers, tracker.cameras, strict=True)
    restless = [number for number, camera in timed if t_ms - camera.moved_ms < STILL_MS]
    if not restless:
        return None
    words = f"camera {' and '.join(map(str, restless))}: something keeps moving"
    return Problem("restless", words, {"cameras": restless})


def remark(tracker: ThrowTracker, t_ms: int) -> Problem | None:
    """A recent change that is no throw as far as the pictures show, or None."""
    if tracker.sagged_ms is None or t_ms - tracker.sagged_ms > REMARK_MS:
        return None
    return Problem("dart_moved", "A dart in the board moved; if another was thrown, enter it.")
