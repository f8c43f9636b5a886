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
from scharten.vision.eye import Eye, View, take_in
from scharten.vision.fuse import Beds, SeenDart
from scharten.vision.glance import Mask, Watch, changes, open_watch, share, shrink, solid
from scharten.vision.judge import LEAST_SHARE, Found, Sight, askew, bare, compare, find, sizeable
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


class State(StrEnum):
    """Where a throw is in its life."""

    WAKING = "waking"
    EMPTY = "empty"
    QUIET = "quiet"
    MOTION = "motion"
    SETTLED = "settled"
    HAND = "hand"
    PARTLY_OUT = "partly_out"
    ASKEW = "askew"


class News(StrEnum):
    """What is told."""

    DART = "dart"
    SURROUND = "surround"
    BOUNCED = "bounced"
    EMPTY = "empty"
    ASKEW = "askew"
    STRAIGHT = "straight"


REST = None
"""In the table: back to the state before the motion."""

_RESTING = (State.EMPTY, State.QUIET, State.SETTLED, State.PARTLY_OUT)
_S, _N = Sight, News
TABLE: dict[tuple[State, Sight], tuple[State | None, News | None]] = {
    **{(state, _S.MOVES): (State.MOTION, None) for state in _RESTING},
    **{(state, _S.HAND): (State.HAND, None) for state in (*_RESTING, State.MOTION)},
    (State.WAKING, _S.BARE): (State.EMPTY, _N.EMPTY),
    (State.WAKING, _S.NEW): (State.QUIET, None),
    (State.MOTION, _S.SAME): (REST, None),
    (State.MOTION, _S.FLEW_BY): (REST, _N.BOUNCED),
    (State.MOTION, _S.NEW): (State.SETTLED, _N.DART),
    (State.MOTION, _S.BARE): (State.EMPTY, _N.EMPTY),
    (State.MOTION, _S.FEWER): (State.PARTLY_OUT, None),
    (State.HAND, _S.SAME): (REST, None),
    (State.HAND, _S.FLEW_BY): (REST, None),
    (State.HAND, _S.NEW): (State.PARTLY_OUT, None),
    (State.HAND, _S.BARE): (State.EMPTY, _N.EMPTY),
    (State.HAND, _S.FEWER): (State.PARTLY_OUT, None),
    **{(state, _S.ASKEW): (State.ASKEW, _N.ASKEW) for state in (State.WAKING, State.MOTION, State.HAND)},
    (State.ASKEW, _S.BARE): (State.EMPTY, _N.STRAIGHT),
    (State.ASKEW, _S.NEW): (State.QUIET, _N.STRAIGHT),
}
"""(state, sight) -> (state, what is told); what is not in the table changes nothing."""


@dataclass(frozen=True)
class Happening:
    """Something to tell: when it began, the dart if one was found, every bed it may be in, and the pictures of it."""

    kind: News
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
class Gaze:
    """One or more cameras that watch a board, with the state of the throw; all of it values."""

    eyes: tuple[Eye, ...]
    watches: tuple[Watch, ...]
    state: State = State.WAKING
    rest: State = State.EMPTY
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


def open_gaze(eyes: tuple[Eye, ...], empties: Pictures) -> Gaze:
    """Cameras that have not seen anything yet; `empties` are the pictures they were calibrated with."""
    watches = tuple(open_watch(eye, empty) for eye, empty in zip(eyes, empties, strict=True))
    return Gaze(eyes, watches, bare=tuple(watch.empty for watch in watches), empties=empties)


def step(gaze: Gaze, pictures: Pictures, t_ms: int) -> tuple[Gaze, tuple[Happening, ...]]:
    """One picture of each camera, taken at the same time: the gaze after it, and what is to be told."""
    small = tuple(shrink(p, w.step) for p, w in zip(pictures, gaze.watches, strict=True))
    if not gaze.last:
        return replace(gaze, last=small, moved_ms=t_ms, began_ms=t_ms), ()
    moves = any(
        sizeable(w, changes(old, new, w.board))
        for w, old, new in zip(gaze.watches, gaze.last, small, strict=True)
    )
    gaze = replace(gaze, last=small, moved_ms=t_ms if moves else gaze.moved_ms)
    if gaze.state in (State.WAKING, State.ASKEW):
        still = t_ms - gaze.moved_ms >= AFTER_HAND_MS
        return _judged(gaze, pictures, t_ms) if still else (gaze, ())
    new = tuple(
        changes(old, now, w.around) for w, old, now in zip(gaze.watches, gaze.small, small, strict=True)
    )
    gaze = _noted(gaze, new, t_ms)
    if gaze.state in _RESTING:
        busy = moves or any(sizeable(w, mask) for w, mask in zip(gaze.watches, new, strict=True))
        return (_begun(gaze, t_ms) if busy else _refreshed(gaze, pictures, t_ms)), ()
    return _moving(gaze, pictures, t_ms)


def _noted(gaze: Gaze, new: tuple[Mask, ...], t_ms: int) -> Gaze:
    """Since when something as large as a hand is there, and how large what flew by was."""
    hand = any(
        solid(w, mask) and solid(w, changes(old, now, w.around))
        for w, mask, old, now in zip(gaze.watches, new, gaze.bare, gaze.last, strict=True)
    )
    shares = tuple(share(w, mask) for w, mask in zip(gaze.watches, new, strict=True))
    flown = tuple(max(pair) for pair in zip(gaze.flown or shares, shares, strict=True))
    swept = tuple(cv2.bitwise_or(*pair).astype(np.uint8) for pair in zip(gaze.swept or new, new, strict=True))
    since = t_ms if gaze.hand_ms is None else gaze.hand_ms
    return replace(gaze, flown=flown, swept=swept, hand_ms=since if hand else None)


def _begun(gaze: Gaze, t_ms: int) -> Gaze:
    state, _ = TABLE[gaze.state, Sight.MOVES]
    assert state is not None
    return replace(gaze, state=state, rest=gaze.state, began_ms=t_ms, moved_ms=t_ms)


def _refreshed(gaze: Gaze, pictures: Pictures, t_ms: int) -> Gaze:
    """All is still: from time to time the picture to compare with is taken anew, as light and cameras creep."""
    gaze = replace(gaze, flown=(), swept=())
    if t_ms - gaze.taken_ms < REFRESH_MS:
        return gaze
    return _settled(gaze, _taken_in(gaze, pictures), t_ms)


def _taken_in(gaze: Gaze, pictures: Pictures) -> tuple[View, ...]:
    return tuple(take_in(eye, picture) for eye, picture in zip(gaze.eyes, pictures, strict=True))


def _shown(views: tuple[View, ...]) -> Pictures:
    return tuple(view.picture for view in views)


def _settled(gaze: Gaze, views: tuple[View, ...], t_ms: int) -> Gaze:
    """These are the pictures to compare with from now on."""
    gaze = replace(gaze, reference=views, small=gaze.last, taken_ms=t_ms, flown=(), swept=())
    empty = gaze.state is State.EMPTY
    return replace(gaze, bare=gaze.last, empties=_shown(views), darts=()) if empty else gaze


def _moving(gaze: Gaze, pictures: Pictures, t_ms: int) -> tuple[Gaze, tuple[Happening, ...]]:
    """In motion, or with a hand before the board: wait until all is still, then look."""
    hand_for = 0 if gaze.hand_ms is None else t_ms - gaze.hand_ms
    if gaze.state is State.MOTION and hand_for >= HAND_MS:
        return replace(gaze, state=State.HAND), ()
    wait = STILL_MS if gaze.state is State.MOTION else AFTER_HAND_MS
    if t_ms - gaze.moved_ms < wait or (gaze.hand_ms is not None and hand_for < COVERED_MS):
        return gaze, ()
    return _judged(gaze, pictures, t_ms)


def _judged(gaze: Gaze, pictures: Pictures, t_ms: int) -> tuple[Gaze, tuple[Happening, ...]]:
    """All is still: what do the pictures say, and what follows from that by the table?"""
    views = _taken_in(gaze, pictures)
    sight, words = _sight(gaze, views, t_ms)
    if (gaze.state, sight) not in TABLE:
        return gaze, ()
    state, news = TABLE[gaze.state, sight]
    after = replace(gaze, state=gaze.rest if state is None else state, hand_ms=None)
    if state is State.ASKEW:
        return after, (Happening(News.ASKEW, t_ms, words=words),)
    if news is News.DART:
        return _dart(gaze, after, views, t_ms)
    if state is not None:  # some may have been taken
        after = replace(after, darts=left(gaze.darts, Smalls(gaze.watches, gaze.bare, gaze.small, gaze.last)))
    after = _settled(after, views, t_ms)
    at_ms = gaze.began_ms if news is News.BOUNCED else t_ms
    told = () if news is None else (Happening(news, at_ms, before=_shown(gaze.reference), after=pictures),)
    if news is News.STRAIGHT and state is State.EMPTY:
        told = (*told, Happening(News.EMPTY, t_ms))
    return after, told


def _sight(gaze: Gaze, views: tuple[View, ...], t_ms: int) -> tuple[Sight, str]:
    for number, (eye, view) in enumerate(zip(gaze.eyes, views, strict=True)):
        words = askew(eye, view)
        if words:
            return Sight.ASKEW, f"camera {number} {words}"
    if gaze.hand_ms is not None:
        return Sight.ASKEW, "something hangs before the board"
    if gaze.state in (State.WAKING, State.ASKEW):
        empty = bare(gaze.watches, gaze.bare, gaze.last, wide=False)
        return (Sight.BARE if empty else Sight.NEW), ""
    smalls = Smalls(gaze.watches, gaze.bare, gaze.small, gaze.last)
    found = compare(smalls, after_hand=gaze.state is State.HAND)
    if found is Sight.SAME and gaze.state is State.MOTION and _flew(gaze):
        return Sight.FLEW_BY, ""
    return found, ""


def _flew(gaze: Gaze) -> bool:
    """Whether the motion was like that of one dart: short, not large, and seen by two cameras if there are two."""
    seen = sum(LEAST_SHARE < largest < DART_SHARE for largest in gaze.flown)
    clearly = max(gaze.flown, default=0.0) > 2 * LEAST_SHARE
    return _short(gaze) and clearly and seen >= min(2, len(gaze.flown))


def _glanced_off(gaze: Gaze, smalls: Smalls) -> bool:
    """Whether something flew where nothing is new now: the dart that pushed another and fell."""
    wide = np.ones((5, 5), np.uint8)
    elsewhere = (
        np.asarray(cv2.bitwise_and(swept, cv2.bitwise_not(cv2.dilate(new, wide))), np.uint8)
        for swept, new in zip(gaze.swept, smalls.new(), strict=True)
    )
    clearly = any(share(*pair) > 2 * LEAST_SHARE for pair in zip(gaze.watches, elsewhere, strict=True))
    return clearly and _short(gaze) and max(gaze.flown) < DART_SHARE


def _short(gaze: Gaze) -> bool:
    return gaze.moved_ms - gaze.began_ms < BOUNCE_MS


def _dart(gaze: Gaze, after: Gaze, views: tuple[View, ...], t_ms: int) -> tuple[Gaze, tuple[Happening, ...]]:
    smalls = Smalls(gaze.watches, gaze.bare, gaze.small, gaze.last)
    found = find(gaze.eyes, gaze.reference, views, known=gaze.darts, smalls=smalls, empties=gaze.empties)
    settled = replace(_settled(after, views, t_ms), darts=found.known)
    kind = News.DART if _in_bed(found) else News.SURROUND
    if found.pushed:
        kind = News.BOUNCED
        settled = replace(settled, state=gaze.rest)
        if not _glanced_off(gaze, smalls):
            return settled, ()
    seen = _shown(gaze.reference), _shown(views)
    return settled, (Happening(kind, gaze.began_ms, found.dart, found.beds, "", *seen),)


def _in_bed(found: Found) -> bool:
    return found.dart is not None and found.dart.bed.kind is not BedKind.MISS
