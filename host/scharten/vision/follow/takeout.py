"""Follow a throw in the pictures of one to three cameras, frame by frame, by the table of `throw_states`.

One of three cameras may be blurred or see a hand: it is left out until it is still again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from scharten.dartboard.beds import BedKind
from scharten.errors import Problem
from scharten.vision.detect.camera import CalibratedCamera, View, take_in
from scharten.vision.follow.camera_state import HAND_MS, CameraState, fresh
from scharten.vision.follow.glance import looked, smalls_now
from scharten.vision.follow.judge import (
    Sight,
    askew,
    compare,
    find,
    is_bare,
    is_unchanged,
    overlooked,
    trusted_by_focus,
    unswapped,
)
from scharten.vision.follow.motion import open_watch
from scharten.vision.follow.sighted import first_unseen, sighted, with_references
from scharten.vision.follow.standing import Smalls, standing
from scharten.vision.follow.throw_states import (
    RESTING,
    TABLE,
    Happening,
    HappeningKind,
    Pictures,
    TakeoutState,
)
from scharten.vision.follow.throw_tracker import (
    ThrowTracker,
    came_while_waking,
    darts_left,
    dropped,
    enough,
    flew,
    glanced_off,
    inside,
    laid,
    none_taken,
    smalls_of,
    taken_from_before,
    unhandled,
)
from scharten.vision.shots import Shots, whole

STILL_MS, AFTER_HAND_MS = 180, 450
"""How long all must be still before the board is judged, without and with a hand before it."""
COVERED_MS = 5000
"""A thing as large as a hand that stays longer is no hand: it hangs before the board."""
PATIENCE_MS = 700
"""A camera that sees a hand or a passer-by is left out when the others have been still for this long."""
BLUR_MS = 700
"""How long to wait for a sharp picture before a blurred camera is left out."""
UNCLEAR_MS = 1300
"""How long an unrecognised object must stay before a person is asked: an insect flies on."""
SHADED_MS = 500
"""How long to wait for a clearer picture of a dart whose shadow continues its line."""
RETRY_MS = 150
"""How long until the still board is looked at again."""
BLURRED = 0.75
"""A picture is blurred when its edges are flatter than this share of their former slope."""
REFRESH_MS = 2000
"""How often the reference picture is renewed while all is still."""


def open_tracker(
    cameras: tuple[CalibratedCamera, ...], empties: Pictures, numbers: tuple[int, ...] = ()
) -> ThrowTracker:
    """A tracker without pictures yet; `empties` are the pictures of the calibration, `numbers` the cameras' labels."""
    watches = tuple(open_watch(camera, empty) for camera, empty in zip(cameras, empties, strict=True))
    bare, order = tuple(watch.empty for watch in watches), tuple(range(len(cameras)))
    numbers = numbers or tuple(range(1, 1 + len(cameras)))
    return ThrowTracker(
        cameras, watches, order, (CameraState(),) * len(cameras), bare=bare, empties=empties, numbers=numbers
    )


def step(tracker: ThrowTracker, shots: Shots, t_ms: int) -> tuple[ThrowTracker, tuple[Happening, ...]]:
    """Take simultaneous pictures, one of each camera; return the next tracker and what happened.

    While all is still the cameras take turns: one picture is looked at, and the others as soon as it shows a change.
    """
    shots = tuple(shots[n] for n in tracker.order)
    every = tuple(range(len(shots)))
    if not tracker.last:
        start = (CameraState(t_ms),) * len(shots)
        now = smalls_now(tracker, shots, every)
        return replace(tracker, last=now, first=tracker.first or now, cameras=start, began_ms=t_ms), ()
    if tracker.state in RESTING and not _is_due(tracker, t_ms):
        turn = (tracker.turn + 1) % len(shots)
        glanced = looked(replace(tracker, turn=turn), shots, (turn,), t_ms)
        if not _is_busy(glanced, t_ms):
            return _refreshed(glanced, shots, t_ms)
    tracker = looked(tracker, shots, every, t_ms)
    if tracker.state in (TakeoutState.WAKING, TakeoutState.ASKEW):
        still = tuple(n for n, c in enumerate(tracker.cameras) if t_ms - c.moved_ms >= AFTER_HAND_MS)
        ready = set(inside(tracker)) <= set(still)
        return _woken(tracker, still, shots, t_ms) if ready else (tracker, ())
    if tracker.state in RESTING:
        return (_begun(tracker, t_ms), ()) if _is_busy(tracker, t_ms) else _refreshed(tracker, shots, t_ms)
    return _moving(tracker, shots, t_ms)


def _is_busy(tracker: ThrowTracker, t_ms: int) -> bool:
    return any((c.moved_ms == t_ms or c.changed) and not c.left_out for c in tracker.cameras)


def _is_due(tracker: ThrowTracker, t_ms: int) -> bool:
    """Whether the reference picture is to be renewed."""
    return t_ms - tracker.taken_ms >= REFRESH_MS


def _begun(tracker: ThrowTracker, t_ms: int) -> ThrowTracker:
    state, _ = TABLE[tracker.state, Sight.MOVES]
    assert state is not None
    cameras = tuple(replace(c, moved_ms=t_ms) for c in tracker.cameras)
    return replace(tracker, state=state, rest=tracker.state, began_ms=t_ms, tried_ms=None, cameras=cameras)


def _refreshed(tracker: ThrowTracker, shots: Shots, t_ms: int) -> tuple[ThrowTracker, tuple[Happening, ...]]:
    """All is still: renew the reference picture at times, and find a dart that was too faint before."""
    due = _is_due(tracker, t_ms)
    back = tuple(
        n
        for n, c in enumerate(tracker.cameras)
        if c.left_out and (due or not c.unsighted) and c.free(t_ms, AFTER_HAND_MS)
    )
    tracker = rejoined(tracker, back, shots) if back else tracker
    tracker = replace(tracker, cameras=tuple(map(fresh, tracker.cameras)))
    if not due:
        return tracker, ()
    tracker, views = sighted(tracker, _taken_in(tracker, inside(tracker), shots))
    if why := first_unseen(tracker, views):
        changed = replace(tracker, state=TakeoutState.ASKEW, tried_ms=None)
        return changed, (Happening(HappeningKind.ASKEW, t_ms, why=why),)
    tracker = laid(tracker, views)
    return _faint(tracker, views, t_ms) or (_settled(tracker, views, t_ms), ())


def _faint(
    tracker: ThrowTracker, views: Mapping[int, View], t_ms: int
) -> tuple[ThrowTracker, tuple[Happening, ...]] | None:
    """Report a dart in doubt that the small pictures do not show; None when the full pictures show none either."""
    if not tracker.reference:
        return None
    chosen = tuple(views)
    then = tuple(tracker.reference[n] for n in chosen)
    dart = overlooked(tuple(tracker.calibrated[n] for n in chosen), then, tuple(views.values()))
    if dart is None:
        return None
    stands = standing(dart, smalls_of(tracker, chosen)).of_all(chosen, tracker.last)
    noticed = replace(tracker, state=TakeoutState.SETTLED, tried_ms=None)
    settled = replace(_settled(noticed, views, t_ms), darts=(*tracker.darts, stands))
    kind = HappeningKind.SURROUND if dart.bed.kind is BedKind.MISS else HappeningKind.DART
    return settled, (Happening(kind, t_ms, dart, dart.beds).shown(*_pictures(tracker, settled)),)


def rejoined(tracker: ThrowTracker, back: tuple[int, ...], shots: Shots) -> ThrowTracker:
    """Take back cameras that are still again; their pictures are believed, and contain the last dart."""
    views = _taken_in(tracker, back, shots)
    fine = {n: view for n, view in views.items() if not askew(tracker.calibrated[n], view)}
    if tracker.darts:
        whole = Smalls(tracker.watches, tracker.bare, tracker.small, tracker.last)
        newest = standing(tracker.darts[-1].dart, whole)
        prints = tuple(
            new if n in fine else old
            for n, (old, new) in enumerate(zip(tracker.darts[-1].prints, newest.prints, strict=True))
        )
        tracker = replace(tracker, darts=(*tracker.darts[:-1], replace(newest, prints=prints)))
    cameras = tuple(
        replace(c, left_out=False, unsighted=None) if n in fine else c for n, c in enumerate(tracker.cameras)
    )
    return _settled(replace(tracker, cameras=cameras), fine, tracker.taken_ms)


def _taken_in(tracker: ThrowTracker, chosen: tuple[int, ...], shots: Shots) -> dict[int, View]:
    return {n: take_in(tracker.calibrated[n], whole(shots[n])) for n in chosen}


def _shown(views: Iterable[View]) -> Pictures:
    return tuple(view.picture for view in views)


def _settled(tracker: ThrowTracker, views: Mapping[int, View], t_ms: int) -> ThrowTracker:
    """Make these the reference pictures; a camera without a new one keeps its old one."""
    old = tracker.reference
    small = tuple(
        now if n in views or not tracker.small else tracker.small[n] for n, now in enumerate(tracker.last)
    )
    known = tuple(views[n] if n in views else old[n] for n in range(len(tracker.calibrated)))
    cameras = tuple(map(fresh, tracker.cameras))
    tracker = replace(tracker, reference=known, small=small, taken_ms=t_ms, cameras=cameras)
    if tracker.state is not TakeoutState.EMPTY:
        return tracker
    bare = tuple(now if n in views else tracker.bare[n] for n, now in enumerate(tracker.last))
    lies = tuple(view.home for view in known)
    return replace(tracker, bare=bare, lies=lies, empties=_shown(known), darts=(), sagged_ms=None)


def _woken(
    tracker: ThrowTracker, still: tuple[int, ...], shots: Shots, t_ms: int
) -> tuple[ThrowTracker, tuple[Happening, ...]]:
    """Judge the first still pictures, or those after a displacement; undo swapped cameras."""
    if tracker.tried_ms is not None and t_ms - tracker.tried_ms < RETRY_MS:
        return tracker, ()
    views = _taken_in(tracker, still, shots)
    if any(askew(tracker.calibrated[n], view) for n, view in views.items()):
        order = unswapped(tracker.calibrated, tuple(map(whole, shots)))
        if order is not None:
            first = tuple(tracker.first[n] for n in order)
            order = tuple(tracker.order[n] for n in order)
            reopened = open_tracker(tracker.calibrated, tracker.empties, tracker.numbers)
            return replace(reopened, order=order, first=first), ()
    return _judged(replace(tracker, tried_ms=t_ms), views, t_ms)


def _moving(tracker: ThrowTracker, shots: Shots, t_ms: int) -> tuple[ThrowTracker, tuple[Happening, ...]]:
    """In motion, or with a hand before the board: wait until all is still, then judge."""
    chosen = _still(tracker, t_ms)
    hands = [c.hand_ms for c in tracker.cameras if c.hand_ms is not None and not c.left_out]
    if tracker.state is TakeoutState.MOTION and hands and t_ms - min(hands) >= HAND_MS:
        return replace(tracker, state=TakeoutState.HAND), ()
    if not chosen or (tracker.tried_ms is not None and t_ms - tracker.tried_ms < RETRY_MS):
        return tracker, ()
    views = _taken_in(tracker, chosen, shots)
    blurred = {n for n in chosen if views[n].home.sharp < BLURRED * tracker.reference[n].home.sharp}
    if blurred:
        if t_ms - tracker.began_ms < BLUR_MS:
            return replace(tracker, tried_ms=t_ms), ()
        sharp = tuple(n for n in chosen if n not in blurred)
        views = {n: views[n] for n in (sharp if len(sharp) >= enough(tracker) else chosen)}
    return _judged(tracker, views, t_ms)


def _still(tracker: ThrowTracker, t_ms: int) -> tuple[int, ...]:
    """The cameras to judge by: all that are not left out, or those still for long enough; empty: wait."""
    those = inside(tracker)
    free = tuple(
        n for n in those
        if tracker.cameras[n].free(t_ms, AFTER_HAND_MS if tracker.cameras[n].handled else STILL_MS)
    )  # fmt: skip
    if len(free) == len(those):
        return free
    if len(free) >= enough(tracker) and all(tracker.cameras[n].free(t_ms, PATIENCE_MS) for n in free):
        return free
    hands = [c.hand_ms for c in tracker.cameras if c.hand_ms is not None and not c.left_out]
    at_rest = all(t_ms - tracker.cameras[n].moved_ms >= AFTER_HAND_MS for n in those)
    return those if hands and t_ms - min(hands) >= COVERED_MS and at_rest else ()


def _judged(
    tracker: ThrowTracker, views: Mapping[int, View], t_ms: int
) -> tuple[ThrowTracker, tuple[Happening, ...]]:
    """All is still: read the pictures, and apply the table."""
    tracker, views = sighted(tracker, views)
    unseen = first_unseen(tracker, views)
    tracker = tracker if unseen else laid(tracker, views)
    sight, why = (Sight.ASKEW, unseen) if unseen else _sight(tracker, views)
    now = unhandled(tracker)
    if (now, sight) not in TABLE:
        return tracker, ()
    if now is TakeoutState.MOTION and sight in (Sight.SAME, Sight.FLEW_BY):
        faint = _faint(tracker, views, t_ms)
        if faint:
            return faint
    state, news = TABLE[now, sight]
    cameras = tuple(
        replace(c, left_out=n not in views, unsighted=None if n in views else c.unsighted)
        for n, c in enumerate(tracker.cameras)
    )
    following = replace(
        tracker, state=tracker.rest if state is None else state, cameras=cameras, tried_ms=None
    )
    if state is TakeoutState.ASKEW:
        return following, (Happening(HappeningKind.ASKEW, t_ms, why=why),)
    following = with_references(following)
    if news is HappeningKind.DART:
        return _dart(tracker, following, views, t_ms)
    asked = tracker.uncertain
    if asked and (news is HappeningKind.EMPTY or is_unchanged(smalls_of(tracker, tuple(views), asked))):
        following = replace(following, uncertain=())
    if state is not None:  # some may have been taken
        following = replace(following, darts=darts_left(tracker, tuple(views)))
    following = _settled(following, views, t_ms)
    at_ms = tracker.began_ms if news is HappeningKind.BOUNCED else t_ms
    happenings = () if news is None else (Happening(news, at_ms).shown(*_pictures(tracker, following)),)
    if news is HappeningKind.STRAIGHT and state is TakeoutState.EMPTY:
        happenings = (*happenings, Happening(HappeningKind.EMPTY, t_ms))
    return following, happenings


def _pictures(before: ThrowTracker, following: ThrowTracker) -> tuple[Pictures, Pictures]:
    """The cameras' pictures before and now."""
    return _shown(before.reference) or before.empties, _shown(following.reference)


def _sight(tracker: ThrowTracker, views: Mapping[int, View]) -> tuple[Sight, Problem | None]:
    smalls = smalls_of(tracker, tuple(views))
    if any(tracker.cameras[n].hand_ms is not None for n in views):
        return Sight.ASKEW, Problem("hangs", "something hangs before the board")
    if tracker.state in (TakeoutState.WAKING, TakeoutState.ASKEW):
        if is_bare(smalls.watches, smalls.bare, smalls.now, wide=False):
            return Sight.BARE, None
        return (Sight.ADDED if came_while_waking(tracker, tuple(views)) else Sight.NEW), None
    motion = unhandled(tracker) is TakeoutState.MOTION
    found = compare(smalls, after_hand=not motion)
    asked = tracker.uncertain and found is not Sight.SAME
    if asked and is_unchanged(
        smalls_of(tracker, tuple(views), tracker.uncertain)
    ):  # what was asked about is gone
        gone = Sight.FEWER if darts_left(tracker, tuple(views)) else Sight.BARE
        return (Sight.SAME if motion else gone), None
    if not motion:
        added = found is Sight.NEW and none_taken(tracker, tuple(views))
        return (Sight.ADDED if added else found), None
    if found is Sight.SAME and tracker.tried_ms is None and flew(tracker):
        return Sight.FLEW_BY, None
    if found is Sight.FEWER:
        return _fewer(tracker, tuple(views)), None
    if found is Sight.BARE and dropped(tracker):
        return Sight.DROPPED, None
    if found is Sight.NEW and taken_from_before(tracker, tuple(views)):
        return Sight.FEWER, None
    return found, None


def _fewer(tracker: ThrowTracker, chosen: tuple[int, ...]) -> Sight:
    """Less is visible without a hand before most cameras; a new dart may also hide an older one."""
    if len(darts_left(tracker, chosen)) == len(tracker.darts):
        return Sight.NEW  # no dart left its place
    return Sight.FEWER if any(camera.handled for camera in tracker.cameras) else Sight.FELL


def _dart(
    tracker: ThrowTracker, following: ThrowTracker, views: Mapping[int, View], t_ms: int
) -> tuple[ThrowTracker, tuple[Happening, ...]]:
    chosen = tuple(views)
    known = {id(part := dart.seen_by(chosen)): (part, dart) for dart in tracker.darts}
    found = find(
        tuple(tracker.calibrated[n] for n in chosen),
        tuple(tracker.reference[n] for n in chosen),
        tuple(views.values()),
        known=tuple(part for part, _ in known.values()),
        smalls=smalls_of(tracker, chosen),
        empties=tuple(tracker.empties[n] for n in chosen),
    )
    found = trusted_by_focus(found, tuple(views.values()))
    waits_ms = UNCLEAR_MS if found.unclear else SHADED_MS if found.shaded else 0
    if t_ms - max(tracker.cameras[n].moved_ms for n in chosen) < waits_ms:
        return replace(tracker, tried_ms=t_ms), ()
    stands = tuple(
        known[id(dart)][1] if id(dart) in known else dart.of_all(chosen, following.last)
        for dart in found.known
    )
    settled = replace(_settled(following, views, t_ms), darts=stands)
    in_bed = found.dart is not None and found.dart.bed.kind is not BedKind.MISS
    kind = HappeningKind.DART if in_bed else HappeningKind.SURROUND
    if found.unclear:
        kind = HappeningKind.UNCLEAR
        settled = replace(settled, state=tracker.rest, uncertain=tracker.uncertain or tracker.small)
    if found.pushed:
        kind = HappeningKind.BOUNCED
        settled = replace(settled, state=tracker.rest)
        if not glanced_off(tracker, chosen):
            return replace(settled, sagged_ms=t_ms), ()
    shown = _pictures(tracker, settled)
    return settled, (Happening(kind, tracker.began_ms, found.dart, found.beds).shown(*shown),)
