"""Look at the newest pictures of some cameras, small: what moves, and what is new."""

from __future__ import annotations

from dataclasses import replace

from scharten.vision.detect.light import Grey
from scharten.vision.follow.camera_state import moved, noted
from scharten.vision.follow.throw_tracker import ThrowTracker
from scharten.vision.shots import Shots, small


def smalls_now(tracker: ThrowTracker, shots: Shots, chosen: tuple[int, ...]) -> tuple[Grey, ...]:
    """The small pictures: new ones of the chosen cameras, the last ones of the others."""
    watches, last = tracker.watches, tracker.last
    return tuple(small(shot, watches[n].shrinks) if n in chosen else last[n] for n, shot in enumerate(shots))


def looked(tracker: ThrowTracker, shots: Shots, chosen: tuple[int, ...], t_ms: int) -> ThrowTracker:
    """Note what moves and what is new in the pictures of the chosen cameras."""
    now, cameras = smalls_now(tracker, shots, chosen), list(tracker.cameras)
    for n in chosen:
        watch = tracker.watches[n]
        cameras[n] = moved(cameras[n], watch, tracker.last[n], now[n], t_ms)
        if tracker.small:  # what hangs before a board that stands askew is gone when it is gone
            cameras[n] = noted(cameras[n], watch, (tracker.bare[n], tracker.small[n]), now[n], t_ms)
    return replace(tracker, last=now, cameras=tuple(cameras))
