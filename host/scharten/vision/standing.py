"""The darts that stand in the board, each known by what it covers: which are left, which were pushed, what is new.

A dart that hits another pushes it aside: two things look new then, and one is. The darts that are there now are made
out against the empty board, away from those that did not move; the one that stands where a pushed dart stood is that
dart, the other one is new.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.vision.detect import CalibratedCamera, Novelty, View, look, settle, take_in
from scharten.vision.fuse import SeenDart
from scharten.vision.light import Grey, Mask
from scharten.vision.model import Floats, matrix, transform
from scharten.vision.motion import Watch, changes
from scharten.vision.pose import outwards, scale
from scharten.vision.rings import Image

PUSHED = 0.12
"""Of what a dart covered: when more is bare than this, the dart was pushed or is gone."""
GONE = 0.5
"""When more is bare than this, it is gone, or stands where another dart is made out."""
MOVED_MM = 12.0
"""A dart that is pushed stays in its hole, or nearly: farther away it is another one."""
_OWN = 0.3  # of what a dart covers: as much alone says enough of it
_PART, _TRACE = (
    0.4,
    0.2,
)  # of a dart: so much more is another one, partly hidden; less than the second is none
_FALLEN = 0.9  # of what a dart covered: it is not there any more
_LEFT_OVER = 0.25  # of what is new of the first dart: less is its rim and its shadow, no second dart
_SHAFT_MM, _FLIGHT_MM = (
    6.0,
    24.0,
)  # half widths of what belongs to a dart, as it looks at the board's distance
_FLIGHT_FROM = 0.5  # of its visible length
_OFF_LINE_MM = 4.0  # a line that passes a dart's place by more is not that dart's
_TIP_MM = 8.0  # what lies this far beyond the tip is not the dart's


@dataclass(frozen=True)
class Smalls:
    """Small pictures of all cameras: of the empty board, of when all was still last, of now."""

    watches: tuple[Watch, ...]
    bare: tuple[Grey, ...]
    then: tuple[Grey, ...]
    now: tuple[Grey, ...]

    def new(self) -> tuple[Mask, ...]:
        """What changed since all was still last, per camera."""
        pairs = zip(self.watches, self.then, self.now, strict=True)
        return tuple(changes(old, seen, watch.around) for watch, old, seen in pairs)

    def filled(self) -> tuple[Mask, ...]:
        """Where something is before the empty board now, per camera."""
        pairs = zip(self.watches, self.bare, self.now, strict=True)
        return tuple(changes(old, seen, watch.around) for watch, old, seen in pairs)


@dataclass(frozen=True, eq=False)
class Standing:
    """A dart that was told and is in the board or the surround, and what it covers of each small picture."""

    dart: SeenDart | None  # None where it was not made out
    prints: tuple[Mask, ...]

    def seen_by(self, chosen: tuple[int, ...]) -> Standing:
        """As some of the cameras see it."""
        return Standing(self.dart, tuple(self.prints[n] for n in chosen))

    def of_all(self, chosen: tuple[int, ...], pictures: tuple[Grey, ...]) -> Standing:
        """With nothing covered for the cameras that did not see it."""
        own = dict(zip(chosen, self.prints, strict=True))
        return Standing(
            self.dart, tuple(own.get(n, np.zeros_like(picture)) for n, picture in enumerate(pictures))
        )


def standing(dart: SeenDart | None, smalls: Smalls) -> Standing:
    """A dart that came alone: it covers what is new and not bare."""
    pairs = zip(smalls.new(), smalls.filled(), strict=True)
    return Standing(dart, tuple(_both(new, filled) for new, filled in pairs))


def bared(known: tuple[Standing, ...], smalls: Smalls) -> tuple[float, ...]:
    """For each known dart the share of what it alone covered that is bare now."""
    filled = smalls.filled()
    return tuple(_bared(each, _others(known, each), filled) for each in known)


def _others(known: tuple[Standing, ...], each: Standing) -> tuple[Standing, ...]:
    return tuple(other for other in known if other is not each)


def _bared(each: Standing, others: tuple[Standing, ...], filled: tuple[Mask, ...]) -> float:
    covered, bare = 0, 0
    for index, now in enumerate(filled):
        own = whole = each.prints[index]
        for other in others:
            own = _both(own, _not(other.prints[index]))
        if cv2.countNonZero(own) < _OWN * cv2.countNonZero(whole):
            own = whole
        covered += cv2.countNonZero(own)
        bare += cv2.countNonZero(_both(own, _not(now)))
    return bare / covered if covered else 0.0  # it was never seen in the small pictures


def left(known: tuple[Standing, ...], smalls: Smalls) -> tuple[Standing, ...]:
    """The darts that are still there, when some were taken out."""
    return tuple(each for each, gone in zip(known, bared(known, smalls), strict=True) if gone <= GONE)


def unmoved(known: tuple[Standing, ...], smalls: Smalls) -> tuple[Standing, ...]:
    """The darts that are seen, and whose places look as they did when all was still last, whatever is behind them."""
    same = tuple(_not(new) for new in smalls.new())
    seen = (each for each in known if any(cv2.countNonZero(mask) for mask in each.prints))
    return tuple(each for each in seen if _bared(each, _others(known, each), same) <= GONE)


def _both(one: Mask, other: Mask) -> Mask:
    return np.asarray(cv2.bitwise_and(one, other), np.uint8)


def _not(mask: Mask) -> Mask:
    return np.asarray(cv2.bitwise_not(mask), np.uint8)


@dataclass(frozen=True)
class Sorted:
    """After a push: the new dart, or None where only pushed ones are made out; the others that stand; is it clear?"""

    new: Standing | None
    known: tuple[Standing, ...]
    clear: bool


def sort_out(
    cameras: tuple[CalibratedCamera, ...],
    empties: tuple[Image, ...],
    after: tuple[View, ...],
    *,
    known: tuple[Standing, ...],
    smalls: Smalls,
) -> Sorted | None:
    """Which dart is new when earlier ones were pushed; None where no earlier dart was.

    `empties` are the pictures of the empty board as it was seen last.
    """
    gone = dict(zip(known, bared(known, smalls), strict=True))
    pushed = tuple(each for each in known if gone[each] > PUSHED and each.dart is not None)
    if not pushed:
        return None
    news = _news(cameras, empties, after, smalls, pushed)
    more = _more(news, pushed, smalls)
    there = _made_out(news, len(pushed) + (more > _PART), smalls)
    again = _again(there, pushed)
    stands = tuple(
        Standing(each.dart, again[each].prints) if each in again else each  # its point stays in its hole
        for each in known
        if each in again or gone[each] <= GONE
    )
    fresh = [each for each in there if each not in again.values()]
    if not fresh:
        return Sorted(None, stands, clear=more < _TRACE)
    return Sorted(fresh[0], stands, clear=all(each in again or gone[each] > _FALLEN for each in pushed))


def _more(news: tuple[Novelty, ...], pushed: tuple[Standing, ...], smalls: Smalls) -> float:
    """How much more is covered now than the pushed darts covered, in darts."""
    masks = zip(smalls.filled(), smalls.watches, news, strict=True)
    now = sum(cv2.countNonZero(_print(mask, watch.step, new)) for mask, watch, new in masks)
    then = sum(cv2.countNonZero(mask) for each in pushed for mask in each.prints)
    return (now - then) * len(pushed) / then if then else 0.0


def _again(there: tuple[Standing, ...], pushed: tuple[Standing, ...]) -> dict[Standing, Standing]:
    """Which of the darts that are there each pushed dart is, the nearest ones first."""
    pairs = sorted(product(pushed, there), key=lambda pair: _apart(*pair))
    again: dict[Standing, Standing] = {}
    for old, each in pairs:
        if _apart(old, each) < MOVED_MM and old not in again and each not in again.values():
            again[old] = each
    return again


def _apart(one: Standing, other: Standing) -> float:
    assert one.dart is not None and other.dart is not None
    return math.dist((one.dart.x_mm, one.dart.y_mm), (other.dart.x_mm, other.dart.y_mm))


def _news(
    cameras: tuple[CalibratedCamera, ...],
    empties: tuple[Image, ...],
    after: tuple[View, ...],
    smalls: Smalls,
    pushed: tuple[Standing, ...],
) -> tuple[Novelty, ...]:
    """What stands before the empty board, of the pushed darts and of all that changed."""
    found = []
    for index, (camera, empty, view, changed) in enumerate(
        zip(cameras, empties, after, smalls.new(), strict=True)
    ):
        region = changed
        for each in pushed:
            region = np.asarray(cv2.bitwise_or(region, each.prints[index]), np.uint8)
        region = np.asarray(cv2.dilate(region, np.ones((3, 3), np.uint8)), np.uint8)
        new = look(camera, take_in(camera, empty), view)
        found.append(_some(new, _at(region, new, smalls.watches[index].step) > 0))
    return tuple(found)


def _at(mask: Mask, new: Novelty, step: int) -> Mask:
    """The small mask at the news' pixels."""
    limit = np.array(mask.shape[::-1]) - 1
    small = np.minimum(new.at.astype(np.intp) // step, limit)
    return np.asarray(mask[small[:, 1], small[:, 0]], np.uint8)


def _some(new: Novelty, keep: NDArray[np.bool_]) -> Novelty:
    return replace(new, at=new.at[keep], pixels=new.pixels[keep])


def _made_out(news: tuple[Novelty, ...], most: int, smalls: Smalls) -> tuple[Standing, ...]:
    """Up to `most` darts, the clearest first, each with what it covers."""
    found: list[Standing] = []
    least = [0.0] * len(news)
    for _ in range(most):
        if sum(len(new.at) >= few and new.enough() for new, few in zip(news, least, strict=True)) * 2 < len(
            news
        ):
            break
        dart = settle(news)
        if dart is None or (found and dart.cameras < min(2, len(news))):
            break
        taken = tuple(_belongs(new, dart) for new in news)
        if not found:
            least = [_LEFT_OVER * int(mine.sum()) for mine in taken]
        masks = zip(smalls.filled(), smalls.watches, news, taken, strict=True)
        found.append(Standing(dart, tuple(_print(m, w.step, _some(n, mine)) for m, w, n, mine in masks)))
        news = tuple(_some(new, ~mine) for new, mine in zip(news, taken, strict=True))
    return tuple(found)


def _print(filled: Mask, step: int, new: Novelty) -> Mask:
    """The small pixels that hold some of these."""
    mask = np.zeros_like(filled)
    small = np.minimum(new.at.astype(np.intp) // step, np.array(mask.shape[::-1]) - 1)
    mask[small[:, 1], small[:, 0]] = 255
    return _both(mask, filled)


def _belongs(new: Novelty, dart: SeenDart) -> NDArray[np.bool_]:
    """Which of the news' pixels are this dart's: along its line, wider where the flight is."""
    model = new.camera.work
    tip = transform(matrix(model), np.array([[dart.x_mm, dart.y_mm]]))[0]
    mm = scale(model, tip)
    back = _backwards(new, tip, _OFF_LINE_MM * mm)
    along = (new.pixels - tip) @ back
    across = np.abs((new.pixels - tip) @ np.array([-back[1], back[0]]))
    shaft = np.asarray((across < _SHAFT_MM * mm) & (along > -_TIP_MM * mm), np.bool_)
    if not shaft.any():
        return shaft
    length = float(np.percentile(along[shaft], 97))
    flight = (along > _FLIGHT_FROM * length) & (along < 1.1 * length)
    return np.asarray(shaft | (flight & (across < _FLIGHT_MM * mm)), np.bool_)


def _backwards(new: Novelty, tip: Floats, reach_px: float) -> Floats:
    """From the tip towards the flight, in straight pixels: by the line that passes it, else straight out."""
    best, back = reach_px, np.asarray(outwards(new.camera.projection[:, 2], tip))
    for sighting in new.all():
        direction = np.array(sighting.shaft.direction)
        off = abs(float((tip - sighting.shaft.point) @ np.array([-direction[1], direction[0]])))
        if off < best:
            best, back = off, -direction
    return back
