"""What still pictures of the board say: the same, bare, fewer darts, something new; and which dart that is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import permutations

import cv2
import numpy as np

from scharten.dartboard.beds import SURE, BedKind, Beds
from scharten.errors import Problem
from scharten.vision.detect import CalibratedCamera, Novelty, View, look, settle, take_in
from scharten.vision.fuse import SeenDart, ends_at, long_shaft_at, posterior, shaft_at
from scharten.vision.light import Grey, Mask
from scharten.vision.motion import Watch, changes, share
from scharten.vision.rings import Image
from scharten.vision.standing import MOVED_MM, Smalls, Standing, sort_out, standing

LEAST_SHARE = 0.0022
"""Of the board's area in the picture: less than this is no dart."""
NUDGED_MM = 2.0
"""A camera that sees the board this far from where it was calibrated stands no longer where it stood."""
MATCHED = 0.45
"""Less of the board than this in its place: the camera was turned away or is covered."""
SEEN = 0.2
"""The board's edges are flatter than this share: a lid or a sheet is before the lens, or no light is on at all."""
_BESIDE_MM = 215.0  # of a dart in the double ring something nearer to the bull is seen, even from one side
_OFF_BOARD = 0.95  # how sure a dart in the surround is when nothing nearer is new
_SOMEWHERE = 0.5  # and when something is, but no dart was made out
_SAME_MM = 5.0  # findings that are nearer to each other are of one dart
_FAINT_MM = 15.0  # of a shaft, of which what small pictures miss shows as much
_DOUBTFUL = 0.85  # at most so sure where earlier darts hide or confuse what is new


class Sight(StrEnum):
    """What the pictures say at a moment: moves and hand at once, the others when all is still."""

    MOVES = "moves"
    HAND = "hand"
    SAME = "same"
    FLEW_BY = "flew_by"  # the same, but something like a dart was there
    NEW = "new"
    ADDED = "added"  # new, after a hand that took nothing
    BARE = "bare"
    FEWER = "fewer"
    FELL = "fell"  # fewer, and no hand was there
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


def same(smalls: Smalls) -> bool:
    """Whether no camera sees anything new."""
    return not any(sizeable(*pair) for pair in zip(smalls.watches, smalls.new(), strict=True))


def compare(smalls: Smalls, *, after_hand: bool) -> Sight:
    """Still pictures beside the ones before: same, bare, fewer or new."""
    w, empty, then, now = smalls.watches, smalls.bare, smalls.then, smalls.now
    new = smalls.new()
    if same(smalls):
        return Sight.SAME
    for wide in (False, True):
        if bare(w, empty, now, wide=wide) and (after_hand or not bare(w, empty, then, wide=wide)):
            return Sight.BARE
    filled = smalls.filled()
    if not _some(w, new, filled):
        return Sight.FEWER
    if not after_hand:
        return Sight.NEW
    bared = tuple(np.asarray(cv2.bitwise_not(mask), np.uint8) for mask in filled)
    return Sight.NEW if _some(w, new, bared) else Sight.ADDED


def _some(watches: tuple[Watch, ...], one: tuple[Mask, ...], other: tuple[Mask, ...]) -> bool:
    """Whether any camera has enough of both masks at once."""
    both = (np.asarray(cv2.bitwise_and(*pair), np.uint8) for pair in zip(one, other, strict=True))
    return any(sizeable(watch, mask) for watch, mask in zip(watches, both, strict=True))


def askew(camera: CalibratedCamera, view: View) -> Problem | None:
    """Why the camera no longer sees the board where it was calibrated, or None where it does."""
    shift = math.hypot(*view.home.shift) / camera.px_per_mm
    if view.home.matched < MATCHED or view.home.sharp < SEEN:
        words = "does not see the board where it was: something covers it, or it was turned"
        return Problem("camera_covered", words)
    if shift > NUDGED_MM:
        words = f"was moved: the board lies {shift:.0f} mm from where it was calibrated"
        return Problem("camera_moved", words, {"mm": round(shift)})
    return None


def unswapped(cameras: tuple[CalibratedCamera, ...], pictures: tuple[Image, ...]) -> tuple[int, ...] | None:
    """Each camera's own picture, by number, where some changed places; None where that is not the reason."""
    sizes = {picture.shape for picture in pictures}
    if len(sizes) > 1:
        return None
    fits = [[not askew(camera, take_in(camera, picture)) for picture in pictures] for camera in cameras]
    orders = permutations(range(len(cameras)))
    good = [order for order in orders if all(fits[n][m] for n, m in enumerate(order))]
    return good[0] if len(good) == 1 and good[0] != tuple(range(len(cameras))) else None


@dataclass(frozen=True)
class Found:
    """What came into the board: a dart, or something new that none was made out in; and all darts that stand now.

    `pushed`: nothing came, earlier darts were pushed. `unclear`: something came that may be no dart;
    `shaded`: a dart in doubt, whose shaft not every camera sees to its end.
    """

    dart: SeenDart | None
    confidence: float
    known: tuple[Standing, ...]
    pushed: bool = False
    unclear: bool = False
    shaded: bool = False

    @property
    def beds(self) -> Beds:
        """Every bed that it may be in."""
        return posterior(self.dart, self.confidence)


def overlooked(
    cameras: tuple[CalibratedCamera, ...], before: tuple[View, ...], after: tuple[View, ...]
) -> SeenDart | None:
    """A dart that came and is too faint for the small pictures: each camera sees some length of a shaft.

    It is at most doubtful, and None where what is new may be noise.
    """
    news = _news(cameras, before, after)
    longest = [max((s.shaft.rows / s.shaft.px_per_mm for s in new.first()), default=0.0) for new in news]
    dart = settle(news) if min(longest, default=0.0) > _FAINT_MM else None
    return _in_doubt(dart) if dart else None


def find(
    cameras: tuple[CalibratedCamera, ...],
    before: tuple[View, ...],
    after: tuple[View, ...],
    *,
    known: tuple[Standing, ...],
    smalls: Smalls,
    empties: tuple[Image, ...],
) -> Found:
    """The dart that is in `after` and not in `before`; `empties` show the empty board as it was seen last."""
    news = _news(cameras, before, after)
    sorted_out = sort_out(cameras, empties, after, known=known, smalls=smalls)
    if sorted_out is None:
        return _alone(news, known, smalls)
    new, stand = sorted_out.new, sorted_out.known
    dart = new.dart if new else None
    again = settle(news)
    apart = again is not None and _apart(again, known, len(cameras))
    if new is not None and dart is not None and (sorted_out.clear or dart.bed.kind is not BedKind.MISS):
        told = _weighed(dart, again, clear=sorted_out.clear, apart=apart)
        return Found(told, told.confidence, (*stand, replace(new, dart=told)))
    if sorted_out.clear and not _elsewhere(again, known):
        return Found(None, 1.0, stand, pushed=True)
    one = _alone(news, stand, smalls)
    return one if apart else replace(one, confidence=min(one.confidence, _DOUBTFUL))


def _elsewhere(dart: SeenDart | None, known: tuple[Standing, ...]) -> bool:
    """Whether the lines of more than two cameras, which seldom meet by chance, meet where no earlier dart stands."""
    if dart is None or dart.cameras <= 2:
        return False
    return all(_far_mm(dart, each.dart) > _SAME_MM for each in known if each.dart is not None)


def _apart(dart: SeenDart, known: tuple[Standing, ...], cameras: int) -> bool:
    """Whether all of several cameras are sure of a dart, and it stands where no pushed one can stand."""
    if not (dart.cameras == cameras > 1 and dart.confidence >= SURE):
        return False
    return all(_far_mm(dart, each.dart) > MOVED_MM for each in known if each.dart is not None)


def _weighed(dart: SeenDart, again: SeenDart | None, *, clear: bool, apart: bool) -> SeenDart:
    """One dart of two findings: against the empty board, and against the board before the throw.

    `clear`: the first is no part of a pushed dart; `apart`: nor is the second. Sure where nothing speaks against it.
    """
    if again is None:
        return dart if clear else _in_doubt(dart)
    if again.bed == dart.bed and (clear or apart):
        surer = again.confidence >= dart.confidence and _far_mm(again, dart) < _SAME_MM
        return again if surer else dart
    return _in_doubt(dart if clear else again)  # the first may be a part of a pushed dart


def _in_doubt(dart: SeenDart) -> SeenDart:
    return replace(dart, beds=posterior(dart, min(dart.confidence, _DOUBTFUL)))


def _far_mm(one: SeenDart, other: SeenDart) -> float:
    return math.dist((one.x_mm, one.y_mm), (other.x_mm, other.y_mm))


def _news(
    cameras: tuple[CalibratedCamera, ...], before: tuple[View, ...], after: tuple[View, ...]
) -> tuple[Novelty, ...]:
    return tuple(look(camera, old, new) for camera, old, new in zip(cameras, before, after, strict=True))


def _alone(news: tuple[Novelty, ...], known: tuple[Standing, ...], smalls: Smalls) -> Found:
    """The one thing that is new."""
    dart = settle(news)
    stands = (*known, standing(dart, smalls))
    if not _witnessed(dart, news, known, smalls):
        return Found(dart, min(dart.confidence if dart else _SOMEWHERE, _DOUBTFUL), known, unclear=True)
    confidence = _confidence(dart, news) if dart else 0.0
    if dart is not None and dart.bed.kind is BedKind.MISS and confidence >= SURE:
        return Found(dart, confidence, stands)
    if confidence < SURE and _nearest_mm(smalls) > _BESIDE_MM:
        return Found(None, _OFF_BOARD, stands)
    shaded = not known and confidence < SURE and not _ends_everywhere(dart, news, smalls)
    return Found(dart, confidence if dart else _SOMEWHERE, stands, shaded=shaded)


def _ends_everywhere(dart: SeenDart | None, news: tuple[Novelty, ...], smalls: Smalls) -> bool:
    """Whether as many cameras as see something new see a shaft that ends where the dart is."""
    place = (dart.x_mm, dart.y_mm) if dart else (0.0, 0.0)
    ends = sum(any(ends_at(line, place) for line in new.all()) for new in news)
    return ends >= _seeing(smalls)


def _seeing(smalls: Smalls) -> int:
    """How many cameras see something new that is large enough for a dart."""
    return sum(sizeable(*pair) for pair in zip(smalls.watches, smalls.new(), strict=True))


def _witnessed(
    dart: SeenDart | None, news: tuple[Novelty, ...], known: tuple[Standing, ...], smalls: Smalls
) -> bool:
    """Whether what is new may be a dart: two cameras see something, and shafts that end where they meet.

    What sits before a single camera, an insect or a hair, is new to that one only; what sits before several has no
    shafts that meet. A lone camera has to be believed.
    """
    if len(news) < 2:
        return True
    seeing = _seeing(smalls)
    if dart is None:
        return seeing > 1 and _nearest_mm(smalls) > _BESIDE_MM
    place = (dart.x_mm, dart.y_mm)
    if not known and bare(smalls.watches, smalls.bare, smalls.then, wide=True):
        # nothing stands before it, and lines of things before two cameras always meet
        long = sum(any(long_shaft_at(line, place) for line in new.all()) for new in news)
        shafts = sum(any(shaft_at(line, place) for line in new.all()) for new in news)
        sure = dart.confidence >= SURE and dart.bed.kind is not BedKind.MISS
        if sure and seeing > 2 and (min(long, shafts - 1) > 0 or _ends_everywhere(dart, news, smalls)):
            return True
        return (sure and long > 1) or shafts >= max(2, seeing)
    if sum(any(ends_at(line, place) for line in new.first()) for new in news) > 1:
        return True  # however little of it one of them sees
    # where earlier darts are in the way not every camera sees it whole
    least = 1 if len(news) == 2 else 2 if known or dart.confidence >= SURE else seeing
    return seeing > 1 and sum(any(ends_at(line, place) for line in new.all()) for new in news) >= least


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
