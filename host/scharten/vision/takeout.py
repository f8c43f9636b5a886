"""The life of a throw in the pictures of one to three cameras: a table of states.

| state | means |
| --- | --- |
| waking | nothing is known yet: the first still pictures say how the board is |
| empty | no dart is in the board, and nothing moves |
| quiet | darts are in the board that were there before anyone looked; nothing moves |
| motion | something small moves: a dart flies, the board shakes |
| settled | a dart came, was told, and is in the board; nothing moves |
| hand | something as large as a hand is before the board: nothing counts |
| partly_out | the hand is gone and took some of the darts |
| askew | a camera was moved or is covered: nothing counts until it sees the board where it was |
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import cv2
import numpy as np

from scharten.dartboard.beds import MISS, BedKind
from scharten.vision.detect import CalibratedCamera, View, take_in
from scharten.vision.fuse import Beds, SeenDart
from scharten.vision.judge import LEAST_SHARE, Found, Sight, askew, bare, compare, find, sizeable
from scharten.vision.motion import Mask, Watch, changes, open_watch, share, shrink, solid
from scharten.vision.register import Grey
from scharten.vision.rings import Image
from scharten.vision.standing import Smalls, Standing, left

Pictures = tuple[Image, ...]

DART_SHARE = 0.30
"""More than this is no flying dart."""
STILL_MS, AFTER_HAND_MS = 180, 450
"""How long nothing may move before the board is judged, and after a hand was there."""
BOUNCE_MS = 1500
"""What moves for longer than this and leaves nothing is no dart that bounced out."""
HAND_MS = 60
"""A hand stays for longer than a dart needs to fly past a camera."""
COVERED_MS = 5000
"""What is as large as a hand and stays for longer is none: something hangs before the board."""
REFRESH_MS = 2000
"""How often the picture to compare with is taken anew while all is still."""


class TakeoutState(StrEnum):
    """Where a throw is in its life."""

    WAKING = "waking"
    EMPTY = "empty"
    QUIET = "quiet"
    MOTION = "motion"
    SETTLED = "settled"
    HAND = "hand"
    PARTLY_OUT = "partly_out"
    ASKEW = "askew"


class HappeningKind(StrEnum):
    """What is told."""

    DART = "dart"
    SURROUND = "surround"
    BOUNCED = "bounced"
    EMPTY = "empty"
    ASKEW = "askew"
    STRAIGHT = "straight"


REST = None
"""In the table: back to the state before the motion."""

_RESTING = (TakeoutState.EMPTY, TakeoutState.QUIET, TakeoutState.SETTLED, TakeoutState.PARTLY_OUT)
_S, _N = Sight, HappeningKind
TABLE: dict[tuple[TakeoutState, Sight], tuple[TakeoutState | None, HappeningKind | None]] = {
    **{(state, _S.MOVES): (TakeoutState.MOTION, None) for state in _RESTING},
    **{(state, _S.HAND): (TakeoutState.HAND, None) for state in (*_RESTING, TakeoutState.MOTION)},
    (TakeoutState.WAKING, _S.BARE): (TakeoutState.EMPTY, _N.EMPTY),
    (TakeoutState.WAKING, _S.NEW): (TakeoutState.QUIET, None),
    (TakeoutState.MOTION, _S.SAME): (REST, None),
    (TakeoutState.MOTION, _S.FLEW_BY): (REST, _N.BOUNCED),
    (TakeoutState.MOTION, _S.NEW): (TakeoutState.SETTLED, _N.DART),
    (TakeoutState.MOTION, _S.BARE): (TakeoutState.EMPTY, _N.EMPTY),
    (TakeoutState.MOTION, _S.FEWER): (TakeoutState.PARTLY_OUT, None),
    (TakeoutState.HAND, _S.SAME): (REST, None),
    (TakeoutState.HAND, _S.FLEW_BY): (REST, None),
    (TakeoutState.HAND, _S.NEW): (TakeoutState.PARTLY_OUT, None),
    (TakeoutState.HAND, _S.BARE): (TakeoutState.EMPTY, _N.EMPTY),
    (TakeoutState.HAND, _S.FEWER): (TakeoutState.PARTLY_OUT, None),
    **{
        (state, _S.ASKEW): (TakeoutState.ASKEW, _N.ASKEW)
        for state in (TakeoutState.WAKING, TakeoutState.MOTION, TakeoutState.HAND)
    },
    (TakeoutState.ASKEW, _S.BARE): (TakeoutState.EMPTY, _N.STRAIGHT),
    (TakeoutState.ASKEW, _S.NEW): (TakeoutState.QUIET, _N.STRAIGHT),
}
"""(state, sight) -> (state, what is told); what is not in the table changes nothing."""


@dataclass(frozen=True)
class Happening:
    """Something to tell: when it began, the dart if one was found, every bed it may be in, and the pictures of it."""

    kind: HappeningKind
    at_ms: int
    dart: SeenDart | None = None
    beds: Beds = ((MISS, 1.0),)
    words: str = ""
    before: Pictures = ()
    after: Pictures = ()

    @property
    def confidence(self) -> float:
        """The probability of the likeliest bed."""
        return self.beds[0][1]


@dataclass(frozen=True)
class ThrowTracker:
    """One or more cameras that watch a board, with the state of the throw; all of it values."""

    eyes: tuple[CalibratedCamera, ...]
    watches: tuple[Watch, ...]
    state: TakeoutState = TakeoutState.WAKING
    rest: TakeoutState = TakeoutState.EMPTY
    bare: tuple[Grey, ...] = ()  # the empty board as it was seen last, small
    reference: tuple[View, ...] = ()  # the board when all was still last, taken in before a dart makes haste
    small: tuple[Grey, ...] = ()  # the same, small
    taken_ms: int = 0  # when that was
    last: tuple[Grey, ...] = ()  # the frame before, small
    began_ms: int = 0  # of the motion
    moved_ms: int = 0  # when something moved last
    hand_ms: int | None = None  # since when something large is there
    flown: tuple[float, ...] = ()  # per camera, the largest share that something new had during the motion
    swept: tuple[Mask, ...] = ()  # per camera, all that was new at any time during the motion
    empties: Pictures = ()  # the empty board as it was seen last
    darts: tuple[Standing, ...] = ()  # told and still in the board


def open_tracker(eyes: tuple[CalibratedCamera, ...], empties: Pictures) -> ThrowTracker:
    """Cameras that have not seen anything yet; `empties` are the pictures they were calibrated with."""
    watches = tuple(open_watch(eye, empty) for eye, empty in zip(eyes, empties, strict=True))
    return ThrowTracker(eyes, watches, bare=tuple(watch.empty for watch in watches), empties=empties)


def step(tracker: ThrowTracker, pictures: Pictures, t_ms: int) -> tuple[ThrowTracker, tuple[Happening, ...]]:
    """One picture of each camera, taken at the same time: the gaze after it, and what is to be told."""
    small = tuple(shrink(p, w.step) for p, w in zip(pictures, tracker.watches, strict=True))
    if not tracker.last:
        return replace(tracker, last=small, moved_ms=t_ms, began_ms=t_ms), ()
    moves = any(
        sizeable(w, changes(old, new, w.board))
        for w, old, new in zip(tracker.watches, tracker.last, small, strict=True)
    )
    tracker = replace(tracker, last=small, moved_ms=t_ms if moves else tracker.moved_ms)
    if tracker.state in (TakeoutState.WAKING, TakeoutState.ASKEW):
        still = t_ms - tracker.moved_ms >= AFTER_HAND_MS
        return _judged(tracker, pictures, t_ms) if still else (tracker, ())
    new = tuple(
        changes(old, now, w.around) for w, old, now in zip(tracker.watches, tracker.small, small, strict=True)
    )
    tracker = _noted(tracker, new, t_ms)
    if tracker.state in _RESTING:
        busy = moves or any(sizeable(w, mask) for w, mask in zip(tracker.watches, new, strict=True))
        return (_begun(tracker, t_ms) if busy else _refreshed(tracker, pictures, t_ms)), ()
    return _moving(tracker, pictures, t_ms)


def _noted(tracker: ThrowTracker, new: tuple[Mask, ...], t_ms: int) -> ThrowTracker:
    """Since when something as large as a hand is there, and how large what flew by was."""
    hand = any(
        solid(w, mask) and solid(w, changes(old, now, w.around))
        for w, mask, old, now in zip(tracker.watches, new, tracker.bare, tracker.last, strict=True)
    )
    shares = tuple(share(w, mask) for w, mask in zip(tracker.watches, new, strict=True))
    flown = tuple(max(pair) for pair in zip(tracker.flown or shares, shares, strict=True))
    swept = tuple(
        cv2.bitwise_or(*pair).astype(np.uint8) for pair in zip(tracker.swept or new, new, strict=True)
    )
    since = t_ms if tracker.hand_ms is None else tracker.hand_ms
    return replace(tracker, flown=flown, swept=swept, hand_ms=since if hand else None)


def _begun(tracker: ThrowTracker, t_ms: int) -> ThrowTracker:
    state, _ = TABLE[tracker.state, Sight.MOVES]
    assert state is not None
    return replace(tracker, state=state, rest=tracker.state, began_ms=t_ms, moved_ms=t_ms)


def _refreshed(tracker: ThrowTracker, pictures: Pictures, t_ms: int) -> ThrowTracker:
    """All is still: from time to time the picture to compare with is taken anew, as light and cameras creep."""
    tracker = replace(tracker, flown=(), swept=())
    if t_ms - tracker.taken_ms < REFRESH_MS:
        return tracker
    return _settled(tracker, _taken_in(tracker, pictures), t_ms)


def _taken_in(tracker: ThrowTracker, pictures: Pictures) -> tuple[View, ...]:
    return tuple(take_in(eye, picture) for eye, picture in zip(tracker.eyes, pictures, strict=True))


def _shown(views: tuple[View, ...]) -> Pictures:
    return tuple(view.picture for view in views)


def _settled(tracker: ThrowTracker, views: tuple[View, ...], t_ms: int) -> ThrowTracker:
    """These are the pictures to compare with from now on."""
    tracker = replace(tracker, reference=views, small=tracker.last, taken_ms=t_ms, flown=(), swept=())
    empty = tracker.state is TakeoutState.EMPTY
    return replace(tracker, bare=tracker.last, empties=_shown(views), darts=()) if empty else tracker


def _moving(
    tracker: ThrowTracker, pictures: Pictures, t_ms: int
) -> tuple[ThrowTracker, tuple[Happening, ...]]:
    """In motion, or with a hand before the board: wait until all is still, then look."""
    hand_for = 0 if tracker.hand_ms is None else t_ms - tracker.hand_ms
    if tracker.state is TakeoutState.MOTION and hand_for >= HAND_MS:
        return replace(tracker, state=TakeoutState.HAND), ()
    wait = STILL_MS if tracker.state is TakeoutState.MOTION else AFTER_HAND_MS
    if t_ms - tracker.moved_ms < wait or (tracker.hand_ms is not None and hand_for < COVERED_MS):
        return tracker, ()
    return _judged(tracker, pictures, t_ms)


def _judged(
    tracker: ThrowTracker, pictures: Pictures, t_ms: int
) -> tuple[ThrowTracker, tuple[Happening, ...]]:
    """All is still: what do the pictures say, and what follows from that by the table?"""
    views = _taken_in(tracker, pictures)
    sight, words = _sight(tracker, views, t_ms)
    if (tracker.state, sight) not in TABLE:
        return tracker, ()
    state, news = TABLE[tracker.state, sight]
    after = replace(tracker, state=tracker.rest if state is None else state, hand_ms=None)
    if state is TakeoutState.ASKEW:
        return after, (Happening(HappeningKind.ASKEW, t_ms, words=words),)
    if news is HappeningKind.DART:
        return _dart(tracker, after, views, t_ms)
    if state is not None:  # some may have been taken
        after = replace(
            after,
            darts=left(tracker.darts, Smalls(tracker.watches, tracker.bare, tracker.small, tracker.last)),
        )
    after = _settled(after, views, t_ms)
    at_ms = tracker.began_ms if news is HappeningKind.BOUNCED else t_ms
    told = () if news is None else (Happening(news, at_ms, before=_shown(tracker.reference), after=pictures),)
    if news is HappeningKind.STRAIGHT and state is TakeoutState.EMPTY:
        told = (*told, Happening(HappeningKind.EMPTY, t_ms))
    return after, told


def _sight(tracker: ThrowTracker, views: tuple[View, ...], t_ms: int) -> tuple[Sight, str]:
    for number, (eye, view) in enumerate(zip(tracker.eyes, views, strict=True)):
        words = askew(eye, view)
        if words:
            return Sight.ASKEW, f"camera {number} {words}"
    if tracker.hand_ms is not None:
        return Sight.ASKEW, "something hangs before the board"
    if tracker.state in (TakeoutState.WAKING, TakeoutState.ASKEW):
        empty = bare(tracker.watches, tracker.bare, tracker.last, wide=False)
        return (Sight.BARE if empty else Sight.NEW), ""
    smalls = Smalls(tracker.watches, tracker.bare, tracker.small, tracker.last)
    found = compare(smalls, after_hand=tracker.state is TakeoutState.HAND)
    if found is Sight.SAME and tracker.state is TakeoutState.MOTION and _flew(tracker):
        return Sight.FLEW_BY, ""
    return found, ""


def _flew(tracker: ThrowTracker) -> bool:
    """Whether the motion was like that of one dart: short, not large, and seen by two cameras if there are two."""
    seen = sum(LEAST_SHARE < largest < DART_SHARE for largest in tracker.flown)
    clearly = max(tracker.flown, default=0.0) > 2 * LEAST_SHARE
    return _short(tracker) and clearly and seen >= min(2, len(tracker.flown))


def _glanced_off(tracker: ThrowTracker, smalls: Smalls) -> bool:
    """Whether something flew where nothing is new now: the dart that pushed another and fell."""
    wide = np.ones((5, 5), np.uint8)
    elsewhere = (
        np.asarray(cv2.bitwise_and(swept, cv2.bitwise_not(cv2.dilate(new, wide))), np.uint8)
        for swept, new in zip(tracker.swept, smalls.new(), strict=True)
    )
    clearly = any(share(*pair) > 2 * LEAST_SHARE for pair in zip(tracker.watches, elsewhere, strict=True))
    return clearly and _short(tracker) and max(tracker.flown) < DART_SHARE


def _short(tracker: ThrowTracker) -> bool:
    return tracker.moved_ms - tracker.began_ms < BOUNCE_MS


def _dart(
    tracker: ThrowTracker, after: ThrowTracker, views: tuple[View, ...], t_ms: int
) -> tuple[ThrowTracker, tuple[Happening, ...]]:
    smalls = Smalls(tracker.watches, tracker.bare, tracker.small, tracker.last)
    found = find(
        tracker.eyes, tracker.reference, views, known=tracker.darts, smalls=smalls, empties=tracker.empties
    )
    settled = replace(_settled(after, views, t_ms), darts=found.known)
    kind = HappeningKind.DART if _in_bed(found) else HappeningKind.SURROUND
    if found.pushed:
        kind = HappeningKind.BOUNCED
        settled = replace(settled, state=tracker.rest)
        if not _glanced_off(tracker, smalls):
            return settled, ()
    seen = _shown(tracker.reference), _shown(views)
    return settled, (Happening(kind, tracker.began_ms, found.dart, found.beds, "", *seen),)


def _in_bed(found: Found) -> bool:
    return found.dart is not None and found.dart.bed.kind is not BedKind.MISS
