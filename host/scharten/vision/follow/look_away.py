"""Look away while the light on the board changes, as announced beforehand.

While the light changes nothing is judged. When all is still again, the cameras' pictures become the new reference: no
dart and no takeout comes of them. Only a hand's work is reported, and a change that light cannot explain asks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from scharten.errors import Problem
from scharten.vision.detect.camera import CalibratedCamera, View, in_light, take_in
from scharten.vision.detect.light import Mask
from scharten.vision.follow.camera_state import fresh, moved
from scharten.vision.follow.judge import askew
from scharten.vision.follow.motion import Watch, changes, share
from scharten.vision.follow.relight import OtherLight, Relit, relit, relit_picture
from scharten.vision.follow.standing import Smalls, Standing, still_standing, unmoved
from scharten.vision.follow.takeout import AFTER_HAND_MS, COVERED_MS, PATIENCE_MS, RETRY_MS, STILL_MS, step
from scharten.vision.follow.throw_states import RESTING, Happening, HappeningKind, Pictures, TakeoutState
from scharten.vision.follow.throw_tracker import ThrowTracker, enough, inside
from scharten.vision.model import Image
from scharten.vision.shots import Shots, small, whole

Happenings = tuple[Happening, ...]
_AFTER_HAND = (TakeoutState.PARTLY_OUT, TakeoutState.SETTLED)
_DART_SHARE = 0.009
"""Of the board's area: a third of a dart."""
LONG_MS = 1500
"""Report the reason after looking away for this time."""
_RIM = 7  # small pixels: half of it around a dart is guessed too


@dataclass(frozen=True)
class Lookout:
    """The throw's tracker, and until when the cameras look away (None: they watch).

    `guessed`: the light changed while darts stood in the board, so the board behind them is a guess.
    """

    tracker: ThrowTracker
    until_ms: int | None = None
    since_ms: int | None = None  # when they last looked
    by: str = ""
    tried_ms: int = 0
    guessed: bool = False


def look_away(lookout: Lookout, until_ms: int, by: str = "") -> Lookout:
    """Look away until then; `by`: who announced it, "" while the pictures are shared with a calibration."""
    return replace(lookout, until_ms=max(until_ms, lookout.until_ms or 0), by=by)


def waiting(lookout: Lookout, t_ms: int) -> Problem | None:
    """Why the cameras look away for longer than a change of light takes, or None."""
    until, since, by = lookout.until_ms, lookout.since_ms, lookout.by
    if until is None or since is None or t_ms - since < LONG_MS:
        return None
    if not by:
        return Problem("light_lent", "the cameras' pictures are shared with a calibration")
    if t_ms < until:
        return Problem("light_changes", f"{by} changes the light on the board", {"by": by})
    words = f"{by} changed the light on the board: something moves since, or is before it"
    return Problem("light_restless", words, {"by": by})


def watch(lookout: Lookout, shots: Shots, t_ms: int) -> tuple[Lookout, Happenings]:
    """Take one picture of each camera, as `takeout.step` does."""
    if lookout.until_ms is not None:
        return _away(lookout, lookout.until_ms, shots, t_ms)
    before = lookout.tracker.state
    tracker, happenings = step(lookout.tracker, shots, t_ms)
    handled = lookout.tracker.darts or before is TakeoutState.HAND  # else what moved took none
    if lookout.guessed and handled and tracker.state in _AFTER_HAND and before not in _AFTER_HAND:
        remaining, filled = _since_the_hand(tracker, lookout.tracker)
        empty, news = _emptied(replace(tracker, darts=remaining), filled, t_ms)
        tracker, happenings = (empty, news) if news else (tracker, happenings)
    if tracker.state is TakeoutState.ASKEW and before is not tracker.state:
        tracker = _as_calibrated(tracker)  # the board in other light may have been something else
    if lookout.guessed and tracker.state is TakeoutState.EMPTY:  # the guessed parts are visible now
        return replace(lookout, tracker=_bare_seen(tracker), guessed=False), happenings
    return replace(lookout, tracker=tracker), happenings


def _away(lookout: Lookout, until_ms: int, shots: Shots, t_ms: int) -> tuple[Lookout, Happenings]:
    """Wait while the light changes, and until all is still again."""
    since_ms = t_ms if lookout.since_ms is None else lookout.since_ms
    tracker = _unjudged(lookout.tracker, shots, t_ms)
    if t_ms - until_ms >= PATIENCE_MS:
        tracker = _without_restless(tracker, t_ms)
    lookout = replace(lookout, tracker=tracker, since_ms=since_ms)
    if t_ms < until_ms:
        return lookout, ()
    if not tracker.small or tracker.state in (TakeoutState.WAKING, TakeoutState.ASKEW):
        return replace(lookout, tracker=_as_calibrated(tracker), until_ms=None, since_ms=None), ()
    if not _still(tracker, t_ms) or t_ms - lookout.tried_ms < RETRY_MS:
        return lookout, ()
    return _looked_again(replace(lookout, tried_ms=t_ms), until_ms, _ordered(tracker, shots), t_ms)


def _as_calibrated(tracker: ThrowTracker) -> ThrowTracker:
    """Use the empty board of the calibration again."""
    first = tuple(replace(camera, empty=camera.first) for camera in tracker.calibrated)
    return replace(tracker, calibrated=first)


def _ordered(tracker: ThrowTracker, shots: Shots) -> Shots:
    return tuple(shots[n] for n in tracker.order)


def _unjudged(tracker: ThrowTracker, shots: Shots, t_ms: int) -> ThrowTracker:
    """Note the newest pictures and their motion without judging them."""
    ordered = _ordered(tracker, shots)
    now = tuple(small(shot, w.shrinks) for shot, w in zip(ordered, tracker.watches, strict=True))
    if not tracker.last:
        return step(tracker, shots, t_ms)[0]
    seen = zip(tracker.cameras, tracker.watches, tracker.last, now, strict=True)
    return replace(tracker, last=now, cameras=tuple(moved(*pair, t_ms) for pair in seen))


def _still(tracker: ThrowTracker, t_ms: int) -> bool:
    wait = AFTER_HAND_MS if tracker.state is TakeoutState.HAND else STILL_MS
    return all(t_ms - camera.moved_ms >= wait for camera in tracker.cameras if not camera.left_out)


def _without_restless(tracker: ThrowTracker, t_ms: int) -> ThrowTracker:
    """Leave out cameras that see endless motion, when enough others have long been still."""
    cameras = tracker.cameras
    still = [n for n in inside(tracker) if t_ms - cameras[n].moved_ms >= PATIENCE_MS]
    if len(still) < enough(tracker):
        return tracker
    left = (replace(c, left_out=c.left_out or n not in still) for n, c in enumerate(cameras))
    return replace(tracker, cameras=tuple(left))


def _looked_again(lookout: Lookout, until_ms: int, shots: Shots, t_ms: int) -> tuple[Lookout, Happenings]:
    """All is still in the new light: continue if the cameras see the board and nothing before it."""
    tracker = lookout.tracker
    looking = inside(tracker)
    pictures = {n: whole(shots[n]) for n in looking}
    parts = (tracker.watches, tracker.bare, tracker.small, tracker.last)
    watches, empty, then, now = (tuple(part[n] for n in looking) for part in parts)
    models = tuple(tracker.calibrated[n].model for n in looking)
    near = tuple(_near(tracker.darts, n) for n in looking)
    other = relit(models, watches, empty, then, now, near=near)  # type: ignore[arg-type]
    lit = dict(zip(looking, other.cameras, strict=True))
    seen = {n: relit_picture(tracker.empties[n], pictures[n], lit[n]) for n in looking}
    calibrated = tuple(_relit_camera(camera, seen.get(n)) for n, camera in enumerate(tracker.calibrated))
    views = {n: take_in(calibrated[n], pictures[n]) for n in looking}
    covered = other.hand or any(askew(calibrated[n], view) for n, view in views.items())
    if covered and t_ms - until_ms < COVERED_MS:
        return lookout, ()
    following = replace(tracker, calibrated=calibrated, empties=_with(tracker.empties, seen))
    tracker, news = _judged(_in_new_light(following, views, lit, t_ms), tracker, other, t_ms)
    return Lookout(tracker, guessed=tracker.state is not TakeoutState.EMPTY), news


def _with(every: Pictures, some: dict[int, Image]) -> Pictures:
    return tuple(some.get(n, picture) for n, picture in enumerate(every))


def _relit_camera(camera: CalibratedCamera, empty: Image | None) -> CalibratedCamera:
    """Use this picture of the empty board; without one that shows the board, that of the calibration."""
    first = replace(camera, empty=camera.first)
    return first if empty is None or askew(first, take_in(first, empty)) else in_light(first, empty)


def _bare_seen(tracker: ThrowTracker) -> ThrowTracker:
    """Replace the guess of the board behind darts by what is visible now."""
    calibrated = tuple(map(_relit_camera, tracker.calibrated, tracker.empties))
    views = zip(calibrated, tracker.reference, strict=True)
    reference = tuple(take_in(camera, view.picture) for camera, view in views)
    return replace(tracker, calibrated=calibrated, reference=reference)


def _near(darts: tuple[Standing, ...], camera: int) -> Mask | None:
    """The pixels of the known darts in a camera's small picture; None without darts."""
    every = [dart.prints[camera] for dart in darts]
    return np.bitwise_or.reduce(every) if every else None


def _in_new_light(
    tracker: ThrowTracker, views: dict[int, View], lit: dict[int, Relit], t_ms: int
) -> ThrowTracker:
    """Keep board, darts and state; use reference pictures in the new light."""
    every = range(len(tracker.bare))
    return replace(
        tracker,
        reference=tuple(views.get(n, tracker.reference[n]) for n in every),
        small=tuple(tracker.last[n] if n in lit else tracker.small[n] for n in every),
        bare=tuple(lit[n].bare if n in lit else tracker.bare[n] for n in every),
        cameras=tuple(map(fresh, tracker.cameras)),
        taken_ms=t_ms,
        tried_ms=None,
    )


def _judged(
    tracker: ThrowTracker, before: ThrowTracker, other: OtherLight, t_ms: int
) -> tuple[ThrowTracker, Happenings]:
    """Report what happened unseen: darts that a hand took, or something that came."""
    rest = before.state if before.state in RESTING else before.rest
    hand = before.state is TakeoutState.HAND
    # motion when the light changed may have been a hand that was not yet recognised
    handled = hand or (before.state is TakeoutState.MOTION and not other.something)
    if handled and rest is not TakeoutState.EMPTY:
        remaining = still_standing(
            tracker.darts, Smalls(tracker.watches, tracker.bare, tracker.small, tracker.last)
        )
        if not tracker.darts or len(remaining) < len(tracker.darts):
            following = replace(tracker, state=TakeoutState.PARTLY_OUT, darts=remaining)
            seen = enumerate(zip(tracker.bare, tracker.last, tracker.watches, strict=True))
            filled = (
                _but_guessed(changes(bare, now, watch.board), _near(tracker.darts, n))
                for n, (bare, now, watch) in seen
            )
            return _emptied(following, tuple(filled), t_ms)
    tracker = replace(tracker, state=rest, darts=tuple(_as_seen(dart, tracker) for dart in tracker.darts))
    if hand or not (other.something or _came(before)):
        return tracker, ()
    shown = (
        tuple(view.picture for view in before.reference),
        tuple(view.picture for view in tracker.reference),
    )
    tracker = replace(tracker, uncertain=tracker.uncertain or before.small)
    return tracker, (Happening(HappeningKind.UNCLEAR, t_ms).shown(*shown),)


def _came(before: ThrowTracker) -> bool:
    """Whether something unreported had come when the light began to change."""
    new = before.tried_ms is not None or any(c.changed and not c.left_out for c in before.cameras)
    return before.state is TakeoutState.MOTION and new


def _as_seen(dart: Standing, tracker: ThrowTracker) -> Standing:
    """Restrict a dart's prints to what is visible in the new light."""
    seen = zip(dart.prints, tracker.bare, tracker.last, tracker.watches, tracker.cameras, strict=True)
    prints = (
        own if camera.left_out else own & changes(bare, now, watch.around)
        for own, bare, now, watch, camera in seen
    )
    return replace(dart, prints=tuple(prints))


def _since_the_hand(
    tracker: ThrowTracker, old: ThrowTracker
) -> tuple[tuple[Standing, ...], tuple[Mask, ...]]:
    """The remaining darts, and what stands before the board, when the board behind darts is a guess.

    A dart remains if its pixels have not changed. A wrong guess looks like a dart there, but has changed.
    """
    smalls = Smalls(tracker.watches, old.bare, old.small, tracker.last)
    masks = zip(smalls.filled(), smalls.new(), tracker.watches, strict=True)
    filled = (
        _but_guessed(np.asarray(mask & watch.board, np.uint8), _near(old.darts, n), new)
        for n, (mask, new, watch) in enumerate(masks)
    )
    return unmoved(old.darts, smalls), tuple(filled)


def _but_guessed(filled: Mask, near: Mask | None, changed: Mask | None = None) -> Mask:
    """Remove changed pixels at the darts' places."""
    if near is None:
        return filled
    gone = near if changed is None else cv2.bitwise_and(near, changed)
    wrong = cv2.dilate(gone, np.ones((_RIM, _RIM), np.uint8))
    return np.asarray(cv2.bitwise_and(filled, cv2.bitwise_not(wrong)), np.uint8)


def _emptied(tracker: ThrowTracker, filled: tuple[Mask, ...], t_ms: int) -> tuple[ThrowTracker, Happenings]:
    """After a hand: the board is empty if no known dart remains and no more is visible than a wrong guess."""
    seeing = sum(map(_stands, tracker.watches, filled))
    if tracker.darts or seeing >= min(2, len(tracker.watches)):  # what a single camera sees is a wrong guess
        return tracker, ()
    pictures = tuple(view.picture for view in tracker.reference)
    lies = tuple(view.home for view in tracker.reference)
    empty = replace(
        tracker, state=TakeoutState.EMPTY, bare=tracker.last, lies=lies, empties=pictures, uncertain=()
    )
    return empty, (Happening(HappeningKind.EMPTY, t_ms),)


def _stands(watch: Watch, filled: Mask) -> bool:
    """Whether something of a dart's size is before the board; rims of guessed light are thin."""
    seen = cv2.morphologyEx(filled, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    return share(watch, np.asarray(seen, np.uint8)) > _DART_SHARE
