"""What still pictures of the board say: the same, bare, fewer darts, something new; and which dart that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np

from scharten.dartboard.beds import BedKind
from scharten.vision.eye import Eye, View, look, settle, take_in
from scharten.vision.fuse import Dart
from scharten.vision.glance import Mask, Watch, changes, share
from scharten.vision.register import Grey
from scharten.vision.rings import Image

LEAST_SHARE = 0.0022
"""Of the board's area in the picture: less than this is no dart."""
MOVED_MM = 12.0
"""A dart found so near to one that is gone is that one, pushed aside."""
NUDGED_PX = 3.0
"""A camera that sees the board this far from where it was calibrated stands no longer where it stood (at 800 px)."""
MATCHED = 0.45
"""Less of the board than this in its place: the camera was turned away or is covered."""
_CLEAR = 0.90  # contract.md: below this a dart is in doubt
_BESIDE_MM = 215.0  # of a dart in the double ring something nearer to the bull is seen, even from one side
_OFF_BOARD = 0.95  # how sure a dart in the surround is when nothing nearer is new
_SOMEWHERE = 0.5  # and when something is, but no dart was made out


class Sight(StrEnum):
    """What the pictures say at a moment: moves and hand at once, the others when all is still."""

    MOVES = "moves"
    HAND = "hand"
    SAME = "same"
    FLEW_BY = "flew_by"  # the same, but something like a dart was there
    NEW = "new"
    BARE = "bare"
    FEWER = "fewer"
    ASKEW = "askew"


@dataclass(frozen=True)
class Smalls:
    """Small pictures of all cameras: of the empty board, of when all was still last, of now."""

    watches: tuple[Watch, ...]
    bare: tuple[Grey, ...]
    then: tuple[Grey, ...]
    now: tuple[Grey, ...]


def sizeable(watch: Watch, mask: Mask) -> bool:
    """Whether a mask shows enough for a dart."""
    return share(watch, mask) > LEAST_SHARE


def bare(watches: tuple[Watch, ...], empty: tuple[Grey, ...], seen: tuple[Grey, ...], *, wide: bool) -> bool:
    """Whether no camera sees anything in the board (`wide`: nor in the surround)."""
    return not any(
        sizeable(w, changes(old, now, w.around if wide else w.board))
        for w, old, now in zip(watches, empty, seen, strict=True)
    )


def compare(smalls: Smalls, *, after_hand: bool) -> Sight:
    """Still pictures beside the ones before: same, bare, fewer or new."""
    w, empty, then, now = smalls.watches, smalls.bare, smalls.then, smalls.now
    new = tuple(changes(old, seen, each.around) for each, old, seen in zip(w, then, now, strict=True))
    if not any(sizeable(each, mask) for each, mask in zip(w, new, strict=True)):
        return Sight.SAME
    for wide in (False, True):
        if bare(w, empty, now, wide=wide) and (after_hand or not bare(w, empty, then, wide=wide)):
            return Sight.BARE
    came = (
        cv2.bitwise_and(mask, changes(old, seen, each.around))
        for each, mask, old, seen in zip(w, new, empty, now, strict=True)
    )
    some = any(sizeable(each, np.asarray(mask, np.uint8)) for each, mask in zip(w, came, strict=True))
    return Sight.NEW if some else Sight.FEWER


def askew(eye: Eye, view: View) -> str:
    """Why the camera no longer sees the board where it was calibrated, or "" where it does."""
    shift = math.hypot(*view.home.shift)
    if view.home.matched < MATCHED:
        return "does not see the board where it was: something covers it, or it was turned"
    if shift > NUDGED_PX * eye.model.width / 800:
        return f"was moved: the board lies {shift:.0f} px from where it was calibrated"
    return ""


@dataclass(frozen=True)
class Found:
    """What came into the board: a dart, or something new that none was made out in; `moved`: one that was known."""

    dart: Dart | None
    confidence: float
    moved: bool = False


def find(
    eyes: tuple[Eye, ...],
    before: tuple[Image, ...],
    after: tuple[View, ...],
    *,
    known: tuple[Dart, ...],
    smalls: Smalls,
) -> Found:
    """The dart that is in `after` and not in `before`."""
    views = tuple(take_in(eye, picture) for eye, picture in zip(eyes, before, strict=True))
    dart = settle(tuple(look(eye, old, new) for eye, old, new in zip(eyes, views, after, strict=True)))
    sure = dart is not None and dart.confidence >= _CLEAR
    if dart is not None and dart.bed.kind is BedKind.MISS and sure:
        return Found(dart, dart.confidence)
    if not sure and _nearest_mm(smalls) > _BESIDE_MM:
        return Found(None, _OFF_BOARD)
    if dart is None:
        return Found(None, _SOMEWHERE)
    return Found(dart, dart.confidence, _moved(dart, known, smalls))


def _moved(dart: Dart, known: tuple[Dart, ...], smalls: Smalls) -> bool:
    """Whether it is an earlier dart that was pushed: one was very near, and as much is gone as came."""
    near = any(math.dist((dart.x_mm, dart.y_mm), (old.x_mm, old.y_mm)) < MOVED_MM for old in known)
    return near and all(
        gone > 0.5 * came
        for gone, came in (_gone_and_came(smalls, index) for index in range(len(smalls.now)))
    )


def _gone_and_came(smalls: Smalls, index: int) -> tuple[float, float]:
    """Shares of one camera: what was there and is bare now, and what is there now and was not."""
    watch, then, now = smalls.watches[index], smalls.then[index], smalls.now[index]
    new = changes(then, now, watch.board)
    filled = changes(smalls.bare[index], now, watch.board)
    gone = cv2.bitwise_and(new, cv2.bitwise_not(filled))
    came = cv2.bitwise_and(new, filled)
    return share(watch, np.asarray(gone, np.uint8)), share(watch, np.asarray(came, np.uint8))


def _nearest_mm(smalls: Smalls) -> float:
    """How near to the bull, on the board's plane, anything new is in any camera."""
    nearest = math.inf
    for watch, then, now in zip(smalls.watches, smalls.then, smalls.now, strict=True):
        radius = watch.radius[changes(then, now, watch.around) > 0]
        if len(radius):
            nearest = min(nearest, float(radius.min()))
    return nearest
