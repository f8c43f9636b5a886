"""Tell new darts from earlier ones by what each covers: which are left, which were pushed, which is new.

A new dart may push an older one, so two regions change although only one dart is new. All darts that changed are found
against the empty board. A dart that stands where a pushed dart stood is that dart; the other one is new.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.vision.detect.camera import CalibratedCamera, Novelty, View, find_novelty, settle, take_in
from scharten.vision.detect.fuse import SeenDart
from scharten.vision.detect.light import Grey, Mask
from scharten.vision.detect.pose import outwards, scale
from scharten.vision.follow.motion import Watch, changes
from scharten.vision.model import Floats, Image, matrix, transform

PUSHED = 0.12
"""A dart was pushed or is gone when more than this share of what it covered is bare."""
GONE = 0.5
"""Above this share it is gone, or stands where another dart was found."""
MOVED_MM = 12.0
"""A pushed dart stays within this distance of its hole; farther away it is another dart."""
_OWN = 0.3  # of what a dart covers: enough covered by it alone to judge it
_PART, _TRACE = 0.4, 0.2  # of a dart: above the first a hidden dart is there, below the second none is
_FALLEN = 0.9  # of what a dart covered: the dart fell
_LEFT_OVER = 0.25  # of what is new of the first dart: less is its rim and shadow, no second dart
_SHAFT_MM, _FLIGHT_MM = 6.0, 24.0  # half widths of a dart at the board's distance
_FLIGHT_FROM = 0.5  # of its visible length
_OFF_LINE_MM = 4.0  # a line farther from a dart's place belongs to another dart
_TIP_MM = 8.0  # what lies farther beyond the tip belongs to something else


@dataclass(frozen=True)
class Smalls:
    """Small pictures of all cameras: of the empty board, of the last still moment, of now."""

    watches: tuple[Watch, ...]
    bare: tuple[Grey, ...]
    then: tuple[Grey, ...]
    now: tuple[Grey, ...]

    def new(self) -> tuple[Mask, ...]:
        """Pixels that changed since the last still moment, per camera."""
        pairs = zip(self.watches, self.then, self.now, strict=True)
        return tuple(changes(old, seen, watch.around) for watch, old, seen in pairs)

    def filled(self) -> tuple[Mask, ...]:
        """Pixels that differ from the empty board now, per camera."""
        pairs = zip(self.watches, self.bare, self.now, strict=True)
        return tuple(changes(old, seen, watch.around) for watch, old, seen in pairs)


@dataclass(frozen=True, eq=False)
class Standing:
    """A reported dart in the board or the surround, and the pixels that it covers in each small picture."""

    dart: SeenDart | None  # None where no line was found
    prints: tuple[Mask, ...]

    def seen_by(self, chosen: tuple[int, ...]) -> Standing:
        """Keep only some of the cameras."""
        return Standing(self.dart, tuple(self.prints[n] for n in chosen))

    def of_all(self, chosen: tuple[int, ...], pictures: tuple[Grey, ...]) -> Standing:
        """Add empty prints for the cameras that did not see it."""
        own = dict(zip(chosen, self.prints, strict=True))
        return Standing(
            self.dart, tuple(own.get(n, np.zeros_like(picture)) for n, picture in enumerate(pictures))
        )


def standing(dart: SeenDart | None, smalls: Smalls) -> Standing:
    """Return a dart that came without a push: it covers the pixels that are new and not bare."""
    pairs = zip(smalls.new(), smalls.filled(), strict=True)
    return Standing(dart, tuple(_intersection(new, filled) for new, filled in pairs))


def bared(known: tuple[Standing, ...], smalls: Smalls) -> tuple[float, ...]:
    """For each known dart the share of the pixels covered by it alone that are bare now."""
    filled = smalls.filled()
    return tuple(_bared(dart, _others(known, dart), filled) for dart in known)


def _others(known: tuple[Standing, ...], dart: Standing) -> tuple[Standing, ...]:
    return tuple(other for other in known if other is not dart)


def _bared(dart: Standing, others: tuple[Standing, ...], filled: tuple[Mask, ...]) -> float:
    covered, bare = 0, 0
    for index, now in enumerate(filled):
        own = whole = dart.prints[index]
        for other in others:
            own = _intersection(own, _not(other.prints[index]))
        if cv2.countNonZero(own) < _OWN * cv2.countNonZero(whole):
            own = whole
        covered += cv2.countNonZero(own)
        bare += cv2.countNonZero(_intersection(own, _not(now)))
    return bare / covered if covered else 0.0  # the small pictures never showed it


def still_standing(known: tuple[Standing, ...], smalls: Smalls) -> tuple[Standing, ...]:
    """The darts that remain after some were taken out."""
    return tuple(dart for dart, gone in zip(known, bared(known, smalls), strict=True) if gone <= GONE)


def unmoved(known: tuple[Standing, ...], smalls: Smalls) -> tuple[Standing, ...]:
    """The visible darts whose pixels have not changed since the last still moment."""
    unchanged = tuple(_not(new) for new in smalls.new())
    seen = (dart for dart in known if any(cv2.countNonZero(mask) for mask in dart.prints))
    return tuple(dart for dart in seen if _bared(dart, _others(known, dart), unchanged) <= GONE)


def _intersection(first: Mask, other: Mask) -> Mask:
    return np.asarray(cv2.bitwise_and(first, other), np.uint8)


def _not(mask: Mask) -> Mask:
    return np.asarray(cv2.bitwise_not(mask), np.uint8)


@dataclass(frozen=True)
class Sorted:
    """After a push: the new dart (None: only pushed darts were found), the other darts, and whether it is clear."""

    new: Standing | None
    known: tuple[Standing, ...]
    clear: bool


def sort_out(
    cameras: tuple[CalibratedCamera, ...],
    empties: tuple[Image, ...],
    current: tuple[View, ...],
    *,
    known: tuple[Standing, ...],
    smalls: Smalls,
) -> Sorted | None:
    """Find the new dart when earlier darts were pushed; None when no earlier dart was.

    `empties` are the latest pictures of the empty board.
    """
    gone = dict(zip(known, bared(known, smalls), strict=True))
    pushed = tuple(dart for dart in known if gone[dart] > PUSHED and dart.dart is not None)
    if not pushed:
        return None
    news = _news(cameras, empties, current, smalls, pushed)
    more = _more(news, pushed, smalls)
    made_out = _made_out(news, len(pushed) + (more > _PART), smalls)
    identified = _match_pushed(made_out, pushed)
    stands = tuple(
        Standing(dart.dart, identified[dart].prints)
        if dart in identified
        else dart  # its point stays in its hole
        for dart in known
        if dart in identified or gone[dart] <= GONE
    )
    fresh = [dart for dart in made_out if dart not in identified.values()]
    if not fresh:
        return Sorted(None, stands, clear=more < _TRACE)
    return Sorted(fresh[0], stands, clear=all(dart in identified or gone[dart] > _FALLEN for dart in pushed))


def _more(news: tuple[Novelty, ...], pushed: tuple[Standing, ...], smalls: Smalls) -> float:
    """Return how much more is covered now than the pushed darts covered, in darts."""
    masks = zip(smalls.filled(), smalls.watches, news, strict=True)
    now = sum(cv2.countNonZero(_print(mask, watch.step, new)) for mask, watch, new in masks)
    then = sum(cv2.countNonZero(mask) for dart in pushed for mask in dart.prints)
    return (now - then) * len(pushed) / then if then else 0.0


def _match_pushed(made_out: tuple[Standing, ...], pushed: tuple[Standing, ...]) -> dict[Standing, Standing]:
    """Match each pushed dart with a found dart, the nearest pairs first."""
    pairs = sorted(product(pushed, made_out), key=lambda pair: _apart(*pair))
    identified: dict[Standing, Standing] = {}
    for old, candidate in pairs:
        if (
            _apart(old, candidate) < MOVED_MM
            and old not in identified
            and candidate not in identified.values()
        ):
            identified[old] = candidate
    return identified


def _apart(first: Standing, other: Standing) -> float:
    assert first.dart is not None and other.dart is not None
    return math.dist((first.dart.x_mm, first.dart.y_mm), (other.dart.x_mm, other.dart.y_mm))


def _news(
    cameras: tuple[CalibratedCamera, ...],
    empties: tuple[Image, ...],
    current: tuple[View, ...],
    smalls: Smalls,
    pushed: tuple[Standing, ...],
) -> tuple[Novelty, ...]:
    """Differences from the empty board within the pushed darts and all that changed."""
    found = []
    for index, (camera, empty, view, changed) in enumerate(
        zip(cameras, empties, current, smalls.new(), strict=True)
    ):
        region = changed
        for dart in pushed:
            region = np.asarray(cv2.bitwise_or(region, dart.prints[index]), np.uint8)
        region = np.asarray(cv2.dilate(region, np.ones((3, 3), np.uint8)), np.uint8)
        new = find_novelty(camera, take_in(camera, empty), view)
        found.append(_some(new, _at(region, new, smalls.watches[index].step) > 0))
    return tuple(found)


def _at(mask: Mask, new: Novelty, step: int) -> Mask:
    """Sample the small mask at the new pixels."""
    limit = np.array(mask.shape[::-1]) - 1
    small = np.minimum(new.at.astype(np.intp) // step, limit)
    return np.asarray(mask[small[:, 1], small[:, 0]], np.uint8)


def _some(new: Novelty, keep: NDArray[np.bool_]) -> Novelty:
    return replace(new, at=new.at[keep], pixels=new.pixels[keep])


def _made_out(news: tuple[Novelty, ...], most: int, smalls: Smalls) -> tuple[Standing, ...]:
    """Find up to `most` darts, the clearest first, each with the pixels that it covers."""
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
    """The small pixels that contain new pixels."""
    mask = np.zeros_like(filled)
    small = np.minimum(new.at.astype(np.intp) // step, np.array(mask.shape[::-1]) - 1)
    mask[small[:, 1], small[:, 0]] = 255
    return _intersection(mask, filled)


def _belongs(new: Novelty, dart: SeenDart) -> NDArray[np.bool_]:
    """Select the new pixels of this dart: along its line, wider at the flight."""
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
    """The direction from tip to flight, in straight pixels: by the nearest line, else straight out of the board."""
    best, back = reach_px, np.asarray(outwards(new.camera.projection[:, 2], tip))
    for sighting in new.all():
        direction = np.array(sighting.shaft.direction)
        off = abs(float((tip - sighting.shaft.point) @ np.array([-direction[1], direction[0]])))
        if off < best:
            best, back = off, -direction
    return back
