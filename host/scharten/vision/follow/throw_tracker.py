"""The state of a throw in progress: the cameras, their pictures, the standing darts; and the next step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import cv2
import numpy as np

from scharten.vision.detect.camera import CalibratedCamera, View
from scharten.vision.detect.light import Grey
from scharten.vision.detect.register import Alignment, still
from scharten.vision.follow.camera_state import CameraState
from scharten.vision.follow.judge import LEAST_SHARE, askew, sizeable
from scharten.vision.follow.motion import Watch, share
from scharten.vision.follow.standing import Smalls, Standing, still_standing
from scharten.vision.follow.throw_states import Pictures, TakeoutState

DART_SHARE = 0.30
"""More than this is no flying dart."""
_MOVED = 0.05
"""Of a small pixel: smaller shifts need no new alignment."""
BOUNCE_MS = 1500
"""A motion longer than this that leaves nothing is not a bounce-out."""
FALL_MS = 400
"""A dart falls out of every picture within this time; a slow hand is there for longer."""
_FALLING = 3.2
"""A falling dart changes at most this many times what it covered: its old and new place. A hand changes more."""


@dataclass(frozen=True)
class ThrowTracker:
    """One or more cameras that watch a board, with the state of the throw; all of it values."""

    calibrated: tuple[CalibratedCamera, ...]
    watches: tuple[Watch, ...]
    order: tuple[int, ...]  # whose picture is the one of each camera: not their own where cameras are swapped
    cameras: tuple[CameraState, ...]
    state: TakeoutState = TakeoutState.WAKING
    rest: TakeoutState = TakeoutState.EMPTY
    bare: tuple[Grey, ...] = ()  # the empty board as it was seen last, small,
    lies: tuple[Alignment, ...] = ()  # and where it lies in it; at first as it was calibrated
    reference: tuple[View, ...] = ()  # the board when all was still last, taken in before a dart makes haste
    small: tuple[Grey, ...] = ()  # the same, small
    taken_ms: int = 0  # when that was
    last: tuple[Grey, ...] = ()  # the frame before, small,
    first: tuple[Grey, ...] = ()  # and the very first one
    turn: int = 0  # the camera that was looked at last while all was still
    began_ms: int = 0  # of the motion
    tried_ms: int | None = None  # when the still board was looked at without telling what came
    sagged_ms: int | None = None  # when a dart that stood there moved, and nothing came, last
    uncertain: tuple[Grey, ...] = ()  # the board before something that was asked about, small
    empties: Pictures = ()  # the empty board as it was seen last
    darts: tuple[Standing, ...] = ()  # reported and still in the board
    numbers: tuple[int, ...] = ()  # what people call each camera


def laid(tracker: ThrowTracker, views: Mapping[int, View]) -> ThrowTracker:
    """With the board before as it lies in these pictures: cameras move by fractions of a pixel, which is no change."""
    bare, small = list(tracker.bare), list(tracker.small)
    lies = list(tracker.lies) or [still(camera.empty.points) for camera in tracker.calibrated]
    for n, view in views.items():
        by, step = view.home.relative_to(lies[n]), tracker.watches[n].step
        if askew(tracker.calibrated[n], view) or max(map(abs, by.shift)) < _MOVED * step:
            continue
        bare[n], lies[n] = _moved_small(bare[n], by, step), view.home
        if small:
            small[n] = _moved_small(small[n], by, step)
    return replace(tracker, bare=tuple(bare), small=tuple(small), lies=tuple(lies))


def _moved_small(picture: Grey, by: Alignment, step: int) -> Grey:
    matrix = by.affine()
    matrix[:, 2] = (matrix @ [(step - 1) / 2, (step - 1) / 2, 1.0] + 0.5) / step - 0.5
    size = picture.shape[::-1]
    seen = cv2.warpAffine(picture, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.uint8)


def inside(tracker: ThrowTracker) -> tuple[int, ...]:
    """The cameras that are not left out."""
    return tuple(n for n, camera in enumerate(tracker.cameras) if not camera.left_out)


def enough(tracker: ThrowTracker) -> int:
    """How many cameras may judge: two, where there are as many."""
    return min(2, len(tracker.calibrated))


def unhandled(tracker: ThrowTracker) -> TakeoutState:
    """The state; motion also where enough cameras saw no hand, as when it was before one of them."""
    free = sum(not c.handled and not c.left_out for c in tracker.cameras)
    is_over = tracker.state is TakeoutState.HAND and free >= enough(tracker)
    return TakeoutState.MOTION if is_over else tracker.state


def smalls_of(tracker: ThrowTracker, chosen: tuple[int, ...], then: tuple[Grey, ...] = ()) -> Smalls:
    """The small pictures of some cameras."""
    every = (tracker.watches, tracker.bare, then or tracker.small or tracker.last, tracker.last)
    watches, bare, small, now = (tuple(pictures[n] for n in chosen) for pictures in every)
    return Smalls(watches, bare, small, now)  # type: ignore[arg-type]


def came_while_waking(tracker: ThrowTracker, chosen: tuple[int, ...]) -> bool:
    """Whether some camera sees a dart where its first picture showed the bare board. What a hand hid may be older."""
    if tracker.state is not TakeoutState.WAKING:
        return False
    smalls = smalls_of(tracker, chosen, tracker.first)
    was = replace(smalls, now=smalls.then).filled()
    for watch, new, now, then in zip(smalls.watches, smalls.new(), smalls.filled(), was, strict=True):
        came = cv2.bitwise_and(cv2.bitwise_and(new, now), cv2.bitwise_not(then))
        if sizeable(watch, np.asarray(came, np.uint8)):
            return True
    return False


def darts_left(tracker: ThrowTracker, chosen: tuple[int, ...]) -> tuple[Standing, ...]:
    """The darts that are still there, as some cameras see them."""
    seen = tuple(dart.seen_by(chosen) for dart in tracker.darts)
    remaining = still_standing(seen, smalls_of(tracker, chosen))
    return tuple(dart for dart, part in zip(tracker.darts, seen, strict=True) if part in remaining)


def none_taken(tracker: ThrowTracker, chosen: tuple[int, ...]) -> bool:
    """Whether as much of the board is covered as before, less than half of a dart that stands there excepted."""
    if not tracker.darts:
        return False
    now = smalls_of(tracker, chosen)
    then = replace(now, now=now.then)
    gain = sum(map(cv2.countNonZero, now.filled())) - sum(map(cv2.countNonZero, then.filled()))
    whole = sum(cv2.countNonZero(dart.prints[n]) for dart in tracker.darts for n in chosen)
    return gain > -whole / len(tracker.darts) / 2


def taken_from_before(tracker: ThrowTracker, chosen: tuple[int, ...]) -> bool:
    """Whether a hand that few cameras saw whole took a dart, which makes the darts behind it look new."""
    handled = any(camera.handled for camera in tracker.cameras)
    return (
        handled and len(darts_left(tracker, chosen)) < len(tracker.darts) and not none_taken(tracker, chosen)
    )


def flew(tracker: ThrowTracker) -> bool:
    """Whether the motion was like that of one dart: short, not large, seen by two cameras if there are two; no hand."""
    if any(camera.handled for camera in tracker.cameras):
        return False  # one that only one camera sees whole comes and goes as fast, and looks as small to the others
    flown = [camera.flown for camera in tracker.cameras if not camera.left_out]
    seen = sum(LEAST_SHARE < largest < DART_SHARE for largest in flown)
    clearly = max(flown, default=0.0) > 2 * LEAST_SHARE
    return _short(tracker) and clearly and seen >= min(2, len(flown))


def dropped(tracker: ThrowTracker) -> bool:
    """Whether the only dart fell out: gone soon, and no camera saw anything but itself move."""
    if len(tracker.darts) != 1 or any(camera.handled for camera in tracker.cameras):
        return False
    covered = sum(map(share, tracker.watches, tracker.darts[0].prints))
    flown = sum(camera.flown for camera in tracker.cameras)
    return _moved_for(tracker) < FALL_MS and flown < _FALLING * covered


def glanced_off(tracker: ThrowTracker, chosen: tuple[int, ...]) -> bool:
    """Whether something, not a hand, flew where nothing is new now: the dart that pushed another and fell."""
    wide = np.ones((5, 5), np.uint8)
    clearly = False
    for n, new in zip(chosen, smalls_of(tracker, chosen).new(), strict=True):
        swept = tracker.cameras[n].swept
        if swept is not None:
            elsewhere = cv2.bitwise_and(swept, cv2.bitwise_not(cv2.dilate(new, wide)))
            clearly |= share(tracker.watches[n], np.asarray(elsewhere, np.uint8)) > 2 * LEAST_SHARE
    flown = not any(c.handled for c in tracker.cameras) and max(c.flown for c in tracker.cameras) < DART_SHARE
    return clearly and flown and _short(tracker)


def _short(tracker: ThrowTracker) -> bool:
    return _moved_for(tracker) < BOUNCE_MS


def _moved_for(tracker: ThrowTracker) -> int:
    """For how many ms something moved."""
    return max(camera.moved_ms for camera in tracker.cameras) - tracker.began_ms
