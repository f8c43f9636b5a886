"""Each camera's observations since the last still picture: motion, a hand, a passing object."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from scharten.errors import Problem
from scharten.vision.detect.light import Grey, Mask
from scharten.vision.follow.judge import sizeable
from scharten.vision.follow.motion import Watch, changes, share, solid, wider_than_flights

HAND_MS = 60
"""A hand stays for longer than a dart needs to fly past a camera."""
STANDS_MS = 2000
"""A thing no wider than a flight near the camera that has not moved for this long is not a hand."""


@dataclass(frozen=True)
class CameraState:
    """One camera since all was still last; times in ms."""

    moved_ms: int = 0  # when something moved last
    hand_ms: int | None = None  # since when something as large as a hand is there
    handled: bool = False  # whether that was so for longer than a dart flies by
    flown: float = 0.0  # the largest share that something new had,
    swept: Mask | None = None  # and all that was new at any time
    changed: bool = False  # whether something new is there now
    left_out: bool = False  # what it shows is not looked at until it is still again
    unsighted: Problem | None = None  # why it is left out until it sees the board in its place again

    def free(self, t_ms: int, wait_ms: int) -> bool:
        """Whether nothing moves, and no hand is there, for so long."""
        return self.hand_ms is None and t_ms - self.moved_ms >= wait_ms


def moved(camera: CameraState, watch: Watch, last: Grey, now: Grey, t_ms: int) -> CameraState:
    """Return the state with the pixels that moved since the frame before."""
    moves = sizeable(watch, changes(last, now, watch.board))
    return replace(camera, moved_ms=t_ms) if moves else camera


def noted(camera: CameraState, watch: Watch, then: tuple[Grey, Grey], now: Grey, t_ms: int) -> CameraState:
    """Return the state with the new pixels, and since when they are as large as a hand.

    `then`: the empty board, and when all was still.
    """
    if camera.unsighted:
        return camera  # its picture is compared with nothing
    bare, still = then
    new = changes(still, now, watch.around)
    hand = sizeable(watch, new) and solid(watch, new) and solid(watch, changes(bare, now, watch.around))
    stands = hand and t_ms - camera.moved_ms >= STANDS_MS and not wider_than_flights(watch, new)
    hand = hand and not stands
    since = t_ms if camera.hand_ms is None else camera.hand_ms
    swept = new if camera.swept is None else np.asarray(cv2.bitwise_or(camera.swept, new), np.uint8)
    return replace(
        camera,
        hand_ms=since if hand else None,
        handled=not stands and (camera.handled or (hand and t_ms - since >= HAND_MS)),
        flown=max(camera.flown, share(watch, new)),
        swept=swept,
        changed=sizeable(watch, new),
    )


def fresh(camera: CameraState) -> CameraState:
    """The state when all is still and everything was reported; a camera that is left out stays out."""
    return CameraState(camera.moved_ms, left_out=camera.left_out, unsighted=camera.unsighted)
