"""Judge still pictures of the board: unchanged, bare, fewer darts or something new; and find the new dart."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import permutations

import cv2
import numpy as np

from scharten.dartboard.beds import SURE, BedKind, Beds
from scharten.errors import Problem
from scharten.vision.detect.camera import (
    CalibratedCamera,
    Novelty,
    View,
    find_novelty,
    is_only_light,
    settle,
    take_in,
)
from scharten.vision.detect.fuse import SeenDart, posterior
from scharten.vision.detect.light import Grey, Mask
from scharten.vision.detect.sighting import ends_at, long_shaft_at, shaft_at
from scharten.vision.follow.motion import Watch, changes, share
from scharten.vision.follow.standing import MOVED_MM, Smalls, Standing, sort_out, standing
from scharten.vision.model import Image

LEAST_SHARE = 0.0022
"""A dart covers at least this share of the board's area."""
NUDGED_MM = 2.0
"""A camera was moved when it sees the board this far from its calibrated place."""
MATCHED = 0.45
"""A camera was turned away or is covered when less than this share of the board is in its place."""
SEEN = 0.2
"""Flatter edges than this share mean a lid or a sheet before the lens, or no light."""
_BESIDE_MM = 215.0  # a dart in the double ring shows something nearer to the bull than this, in any view
_OFF_BOARD = 0.95  # confidence in a dart in the surround when nothing nearer is new
_SOMEWHERE = 0.5  # the same when something nearer is new, but no line was found
_SAME_MM = 5.0  # findings within this distance are the same dart
_FAINT_MM = 15.0  # visible shaft of a dart that the small pictures miss
_DOUBTFUL = 0.85  # highest confidence when earlier darts hide or confuse the new one
_SOFT = 0.31  # of the edges' slope at calibration: no dart is sure when every camera's are flatter


class Sight(StrEnum):
    """Observations in the pictures: motion and hands at once, the others when all is still."""

    MOVES = "moves"
    HAND = "hand"
    SAME = "same"
    FLEW_BY = "flew_by"  # the same, but something like a dart was there
    NEW = "new"
    ADDED = "added"  # new, after a hand that took nothing
    BARE = "bare"
    FEWER = "fewer"
    FELL = "fell"  # fewer, and no hand was there
    DROPPED = "dropped"  # bare: the last dart fell, and no hand was there
    ASKEW = "askew"


def sizeable(watch: Watch, mask: Mask) -> bool:
    """Whether a mask shows enough for a dart."""
    return share(watch, mask) > LEAST_SHARE


def is_bare(
    watches: tuple[Watch, ...], empty: tuple[Grey, ...], seen: tuple[Grey, ...], *, wide: bool
) -> bool:
    """Whether no camera sees anything in the board (`wide`: nor in the surround)."""
    return not any(
        sizeable(w, changes(old, now, w.around if wide else w.board))
        for w, old, now in zip(watches, empty, seen, strict=True)
    )


def is_unchanged(smalls: Smalls) -> bool:
    """Whether no camera sees anything new."""
    return not any(sizeable(*pair) for pair in zip(smalls.watches, smalls.new(), strict=True))


def compare(smalls: Smalls, *, after_hand: bool) -> Sight:
    """Compare still pictures with the previous ones: same, bare, fewer, new or added."""
    w, empty, then, now = smalls.watches, smalls.bare, smalls.then, smalls.now
    new = smalls.new()
    if is_unchanged(smalls):
        return Sight.SAME
    for wide in (False, True):
        if is_bare(w, empty, now, wide=wide) and (after_hand or not is_bare(w, empty, then, wide=wide)):
            return Sight.BARE
    filled = smalls.filled()
    if not _some(w, new, filled):
        return Sight.FEWER
    if not after_hand:
        return Sight.NEW
    bared = tuple(np.asarray(cv2.bitwise_not(mask), np.uint8) for mask in filled)
    return Sight.NEW if _some(w, new, bared) else Sight.ADDED


def _some(watches: tuple[Watch, ...], first: tuple[Mask, ...], other: tuple[Mask, ...]) -> bool:
    """Whether the two masks overlap by a dart's size in any camera."""
    both = (np.asarray(cv2.bitwise_and(*pair), np.uint8) for pair in zip(first, other, strict=True))
    return any(sizeable(watch, mask) for watch, mask in zip(watches, both, strict=True))


def askew(camera: CalibratedCamera, view: View) -> Problem | None:
    """Why the camera no longer sees the board in its calibrated place, or None."""
    shift = math.hypot(*view.home.shift) / camera.px_per_mm
    if view.home.matched < MATCHED or view.home.sharp < SEEN:
        words = "does not see the board where it was: something covers it, or it was turned"
        return Problem("camera_covered", words)
    if shift > NUDGED_MM:
        words = f"was moved: the board lies {shift:.0f} mm from where it was calibrated"
        return Problem("camera_moved", words, {"mm": round(shift)})
    return None


def unswapped(cameras: tuple[CalibratedCamera, ...], pictures: tuple[Image, ...]) -> tuple[int, ...] | None:
    """The number of each camera's own picture when cameras were swapped; None when that explains nothing."""
    sizes = {picture.shape for picture in pictures}
    if len(sizes) > 1:
        return None
    fits = [[not askew(camera, take_in(camera, picture)) for picture in pictures] for camera in cameras]
    orders = permutations(range(len(cameras)))
    good = [order for order in orders if all(fits[n][m] for n, m in enumerate(order))]
    return good[0] if len(good) == 1 and good[0] != tuple(range(len(cameras))) else None


@dataclass(frozen=True)
class Found:
    """A new dart (None: something without a line), and all darts that stand now.

    `pushed`: nothing came, earlier darts were pushed. `unclear`: it may be no dart. `shaded`: a dart in doubt, whose
    shaft some camera does not see to its end.
    """

    dart: SeenDart | None
    confidence: float
    known: tuple[Standing, ...]
    pushed: bool = False
    unclear: bool = False
    shaded: bool = False

    @property
    def beds(self) -> Beds:
        """Its possible beds."""
        return posterior(self.dart, self.confidence)


def overlooked(
    cameras: tuple[CalibratedCamera, ...], before: tuple[View, ...], current: tuple[View, ...]
) -> SeenDart | None:
    """A dart too faint for the small pictures, of which each camera sees some shaft, in doubt; None for noise."""
    news = _news(cameras, before, current)
    longest = [max((s.shaft.rows / s.shaft.px_per_mm for s in new.first()), default=0.0) for new in news]
    dart = settle(news) if min(longest, default=0.0) > _FAINT_MM else None
    return _in_doubt(dart) if dart else None


def find(
    cameras: tuple[CalibratedCamera, ...],
    before: tuple[View, ...],
    current: tuple[View, ...],
    *,
    known: tuple[Standing, ...],
    smalls: Smalls,
    empties: tuple[Image, ...],
) -> Found:
    """Find the dart in `current` that is not in `before`; `empties` are the latest pictures of the empty board."""
    news = _news(cameras, before, current)
    sorted_out = sort_out(cameras, empties, current, known=known, smalls=smalls)
    if sorted_out is None:
        return _alone(news, known, smalls)
    new, stand = sorted_out.new, sorted_out.known
    dart = new.dart if new else None
    by_lines = settle(news)
    is_apart = by_lines is not None and _apart(by_lines, known, len(cameras))
    if new is not None and dart is not None and (sorted_out.clear or dart.bed.kind is not BedKind.MISS):
        weighed = _weighed(dart, by_lines, clear=sorted_out.clear, is_apart=is_apart)
        return Found(weighed, weighed.confidence, (*stand, replace(new, dart=weighed)))
    if sorted_out.clear and not _elsewhere(by_lines, known):
        return Found(None, 1.0, stand, pushed=True)
    found = _alone(news, stand, smalls)
    return found if is_apart else replace(found, confidence=min(found.confidence, _DOUBTFUL))


def trusted_by_focus(found: Found, current: tuple[View, ...]) -> Found:
    """The finding, in doubt where every camera is out of focus."""
    if found.dart is None or max(view.home.sharp for view in current) >= _SOFT:
        return found
    return replace(found, dart=_in_doubt(found.dart), confidence=min(found.confidence, _DOUBTFUL))


def _elsewhere(dart: SeenDart | None, known: tuple[Standing, ...]) -> bool:
    """Whether lines of over two cameras, which seldom meet by chance, meet where no earlier dart stands."""
    if dart is None or dart.cameras <= 2:
        return False
    return all(_far_mm(dart, other.dart) > _SAME_MM for other in known if other.dart is not None)


def _apart(dart: SeenDart, known: tuple[Standing, ...], cameras: int) -> bool:
    """Whether several cameras are all sure of a dart in a place that no pushed dart can reach."""
    if not (dart.cameras == cameras > 1 and dart.confidence >= SURE):
        return False
    return all(
        _far_mm(dart, dart_before.dart) > MOVED_MM for dart_before in known if dart_before.dart is not None
    )


def _weighed(dart: SeenDart, by_lines: SeenDart | None, *, clear: bool, is_apart: bool) -> SeenDart:
    """Join two findings of a dart: against the empty board (`dart`), and against the board before (`by_lines`).

    `clear`: the first is no part of a pushed dart; `is_apart`: nor is the second.
    """
    if by_lines is None:
        return dart if clear else _in_doubt(dart)
    if by_lines.bed == dart.bed and (clear or is_apart):
        surer = by_lines.confidence >= dart.confidence and _far_mm(by_lines, dart) < _SAME_MM
        return by_lines if surer else dart
    return _in_doubt(dart if clear else by_lines)  # the first may be a part of a pushed dart


def _in_doubt(dart: SeenDart) -> SeenDart:
    return replace(dart, beds=posterior(dart, min(dart.confidence, _DOUBTFUL)))


def _far_mm(first: SeenDart, other: SeenDart) -> float:
    return math.dist((first.x_mm, first.y_mm), (other.x_mm, other.y_mm))


def _news(
    cameras: tuple[CalibratedCamera, ...], before: tuple[View, ...], current: tuple[View, ...]
) -> tuple[Novelty, ...]:
    return tuple(
        find_novelty(camera, old, new) for camera, old, new in zip(cameras, before, current, strict=True)
    )


def _alone(news: tuple[Novelty, ...], known: tuple[Standing, ...], smalls: Smalls) -> Found:
    """The new thing, when no earlier dart moved."""
    dart = settle(news)
    stands = (*known, standing(dart, smalls))
    if _is_light(dart, news) or not _witnessed(dart, news, known, smalls):
        return Found(dart, min(dart.confidence if dart else _SOMEWHERE, _DOUBTFUL), known, unclear=True)
    confidence = _confidence(dart, news) if dart else 0.0
    if dart is not None and dart.bed.kind is BedKind.MISS and confidence >= SURE:
        return Found(dart, confidence, stands)
    if confidence < SURE and _nearest_mm(smalls) > _BESIDE_MM:
        return Found(None, _OFF_BOARD, stands)
    shaded = not known and confidence < SURE and not _ends_everywhere(dart, news, smalls)
    return Found(dart, confidence if dart else _SOMEWHERE, stands, shaded=shaded)


def _is_light(dart: SeenDart | None, news: tuple[Novelty, ...]) -> bool:
    """Whether fewer than two cameras, where there are as many, see more than light: in all that is new, or at least
    along a line that leads to the dart."""
    least, lit = min(2, len(news)), tuple(map(is_only_light, news))
    if all(lit) or lit.count(False) >= least:
        return all(lit)
    place = (dart.x_mm, dart.y_mm) if dart else (0.0, 0.0)
    shown = sum(any(ends_at(line, place) and not new.is_lit_at(line) for line in new.all()) for new in news)
    return dart is None or shown < least


def _ends_everywhere(dart: SeenDart | None, news: tuple[Novelty, ...], smalls: Smalls) -> bool:
    """Whether every camera that sees something new sees a shaft that ends at the dart."""
    place = (dart.x_mm, dart.y_mm) if dart else (0.0, 0.0)
    ends = sum(any(ends_at(line, place) for line in new.all()) for new in news)
    return ends >= _seeing(smalls)


def _seeing(smalls: Smalls) -> int:
    """The number of cameras that see something new of a dart's size."""
    return sum(sizeable(*pair) for pair in zip(smalls.watches, smalls.new(), strict=True))


def _witnessed(
    dart: SeenDart | None, news: tuple[Novelty, ...], known: tuple[Standing, ...], smalls: Smalls
) -> bool:
    """Whether the new thing may be a dart: two cameras see shafts that end where they meet.

    An insect or a hair before a single camera is new to that camera only. Things before several cameras have no shafts
    that meet. A lone camera is believed.
    """
    if len(news) < 2:
        return True
    seeing = _seeing(smalls)
    if dart is None:
        return seeing > 1 and _nearest_mm(smalls) > _BESIDE_MM
    place = (dart.x_mm, dart.y_mm)
    if not known and is_bare(smalls.watches, smalls.bare, smalls.then, wide=True):
        # no dart hides it, and any lines of two cameras meet
        long = sum(any(long_shaft_at(line, place) for line in new.all()) for new in news)
        shafts = sum(any(shaft_at(line, place) for line in new.all()) for new in news)
        sure = dart.confidence >= SURE and dart.bed.kind is not BedKind.MISS
        if sure and seeing > 2 and (min(long, shafts - 1) > 0 or _ends_everywhere(dart, news, smalls)):
            return True
        return (sure and long > 1) or shafts >= max(2, seeing)
    if sum(any(ends_at(line, place) for line in new.first()) for new in news) > 1:
        return True
    # earlier darts may hide a part of it from some cameras
    least = 1 if len(news) == 2 else 2 if known or dart.confidence >= SURE else seeing
    return seeing > 1 and sum(any(ends_at(line, place) for line in new.all()) for new in news) >= least


def _confidence(dart: SeenDart, news: tuple[Novelty, ...]) -> float:
    """The dart's confidence; in doubt when a single camera saw it and an earlier dart hides its point."""
    if dart.cameras > 1:
        return dart.confidence
    hidden = any(line.shaft.covered_px > 0 for new in news for line in new.first())
    return min(dart.confidence, _DOUBTFUL) if hidden else dart.confidence


def _nearest_mm(smalls: Smalls) -> float:
    """The smallest distance of a new pixel from the bull, in mm on the board's plane, in any camera."""
    nearest = math.inf
    for watch, then, now in zip(smalls.watches, smalls.then, smalls.now, strict=True):
        radius = watch.radius[changes(then, now, watch.around) > 0]
        if len(radius):
            nearest = min(nearest, float(radius.min()))
    return nearest
