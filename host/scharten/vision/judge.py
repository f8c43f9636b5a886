"""What still pictures of the board say: the same, bare, fewer darts, something new; and which dart that is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np

from scharten.dartboard.beds import SURE, BedKind
from scharten.vision.detect import CalibratedCamera, Novelty, View, look, settle
from scharten.vision.fuse import Beds, SeenDart, posterior
from scharten.vision.motion import Mask, Watch, changes, share
from scharten.vision.register import Grey
from scharten.vision.rings import Image
from scharten.vision.standing import Smalls, Standing, sort_out, standing

LEAST_SHARE = 0.0022
"""Of the board's area in the picture: less than this is no dart."""
NUDGED_PX = 3.0
"""A camera that sees the board this far from where it was calibrated stands no longer where it stood (at 800 px)."""
MATCHED = 0.45
"""Less of the board than this in its place: the camera was turned away or is covered."""
_BESIDE_MM = 215.0  # of a dart in the double ring something nearer to the bull is seen, even from one side
_OFF_BOARD = 0.95  # how sure a dart in the surround is when nothing nearer is new
_SOMEWHERE = 0.5  # and when something is, but no dart was made out
_DOUBTFUL = 0.85  # at most so sure where earlier darts hide or confuse what is new


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
    new = smalls.new()
    if not any(sizeable(each, mask) for each, mask in zip(w, new, strict=True)):
        return Sight.SAME
    for wide in (False, True):
        if bare(w, empty, now, wide=wide) and (after_hand or not bare(w, empty, then, wide=wide)):
            return Sight.BARE
    came = (cv2.bitwise_and(*pair) for pair in zip(new, smalls.filled(), strict=True))
    some = any(sizeable(each, np.asarray(mask, np.uint8)) for each, mask in zip(w, came, strict=True))
    return Sight.NEW if some else Sight.FEWER


def askew(eye: CalibratedCamera, view: View) -> str:
    """Why the camera no longer sees the board where it was calibrated, or "" where it does."""
    shift = math.hypot(*view.home.shift)
    if view.home.matched < MATCHED:
        return "does not see the board where it was: something covers it, or it was turned"
    if shift > NUDGED_PX * eye.model.width / 800:
        return f"was moved: the board lies {shift:.0f} px from where it was calibrated"
    return ""


@dataclass(frozen=True)
class Found:
    """What came into the board: a dart, or something new that none was made out in; and all darts that stand now.

    `pushed`: nothing came, earlier darts were pushed.
    """

    dart: SeenDart | None
    confidence: float
    known: tuple[Standing, ...]
    pushed: bool = False

    @property
    def beds(self) -> Beds:
        """Every bed that it may be in."""
        return posterior(self.dart, self.confidence)


def find(
    eyes: tuple[CalibratedCamera, ...],
    before: tuple[View, ...],
    after: tuple[View, ...],
    *,
    known: tuple[Standing, ...],
    smalls: Smalls,
    empties: tuple[Image, ...],
) -> Found:
    """The dart that is in `after` and not in `before`; `empties` show the empty board as it was seen last."""
    sorted_out = sort_out(eyes, empties, after, known=known, smalls=smalls)
    if sorted_out is None:
        return _alone(_news(eyes, before, after), known, smalls)
    new, known = sorted_out.new, sorted_out.known
    dart = new.dart if new else None
    if new is not None and dart is not None and (sorted_out.clear or dart.bed.kind is not BedKind.MISS):
        sure = dart.confidence if sorted_out.clear else min(dart.confidence, _DOUBTFUL)
        return Found(dart, sure, (*known, new))
    if sorted_out.clear:
        return Found(None, 1.0, known, pushed=True)
    one = _alone(_news(eyes, before, after), known, smalls)
    return replace(one, confidence=min(one.confidence, _DOUBTFUL))


def _news(
    eyes: tuple[CalibratedCamera, ...], before: tuple[View, ...], after: tuple[View, ...]
) -> tuple[Novelty, ...]:
    return tuple(look(eye, old, new) for eye, old, new in zip(eyes, before, after, strict=True))


def _alone(news: tuple[Novelty, ...], known: tuple[Standing, ...], smalls: Smalls) -> Found:
    """The one thing that is new."""
    dart = settle(news)
    stands = (*known, standing(dart, smalls))
    confidence = _confidence(dart, news) if dart else 0.0
    if dart is not None and dart.bed.kind is BedKind.MISS and confidence >= SURE:
        return Found(dart, confidence, stands)
    if confidence < SURE and _nearest_mm(smalls) > _BESIDE_MM:
        return Found(None, _OFF_BOARD, stands)
    return Found(dart, confidence if dart else _SOMEWHERE, stands)


def _confidence(dart: SeenDart, news: tuple[Novelty, ...]) -> float:
    """The dart's; in doubt where a single camera saw it and an earlier dart is before its point."""
    if dart.cameras > 1:
        return dart.confidence
    hidden = any(line.shaft.covered_px > 0 for new in news for line in new.first())
    return min(dart.confidence, _DOUBTFUL) if hidden else dart.confidence


def _nearest_mm(smalls: Smalls) -> float:
    """How near to the bull, on the board's plane, anything new is in any camera."""
    nearest = math.inf
    for watch, then, now in zip(smalls.watches, smalls.then, smalls.now, strict=True):
        radius = watch.radius[changes(then, now, watch.around) > 0]
        if len(radius):
            nearest = min(nearest, float(radius.min()))
    return nearest
