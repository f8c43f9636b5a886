"""Remarks of cameras that are not darts: codes that pages translate, with English words. Pure.

They cross the processes as JSON, and stand in `health.remarks` as it is published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scharten.errors import Problem
from scharten.vision.follow.remarks import RESTLESS_MS, remark
from scharten.vision.follow.throw_states import TakeoutState
from scharten.vision.follow.throw_tracker import ThrowTracker

Remark = Mapping[str, Any]
"""`code`, `args` and English `words`."""
PASSING = ("left_out", "camera_covered", "camera_moved", "camera_upside_down", "set_aside")
"""Codes reported only when they last: every throw passes before some camera."""


def as_json(problem: Problem) -> Remark:
    """A problem as JSON."""
    return {"code": problem.code, "args": dict(problem.args), "words": problem.words}


def aside(tracker: ThrowTracker, t_ms: int) -> tuple[Problem, ...]:
    """A hand that stays, which cameras are left out or changed places, a dart that moved."""
    unsighted = {n: camera.unsighted for n, camera in enumerate(tracker.cameras) if camera.unsighted}
    blurred = [n for n, camera in enumerate(tracker.cameras) if camera.left_out and n not in unsighted]
    out = _named(tracker, blurred)
    swapped = _named(tracker, [n for n, given in enumerate(tracker.order) if n != given])
    found = list(unsighted.values())
    if unsighted:
        those = _named(tracker, list(unsighted))
        words = f"camera {_and(those)} left out until then: darts count with the others."
        found.append(Problem("set_aside", words, {"cameras": those}))
    if out:
        words = f"camera {_and(out)} left out: something is before it, or it is blurred."
        found.append(Problem("left_out", words, {"cameras": out}))
    if swapped:
        words = f"camera {_and(swapped)} changed places: their pictures are used in the right order."
        found.append(Problem("swapped", words, {"cameras": swapped}))
    if tracker.state is TakeoutState.HAND and t_ms - tracker.began_ms > RESTLESS_MS:
        words = "Something as large as a hand is before the board: darts count again when it is gone."
        found.append(Problem("hand", words))
    moved = remark(tracker, t_ms)
    return (*found, moved) if moved else tuple(found)


def resized_cameras(conditions: Sequence[Mapping[str, Any]]) -> tuple[Problem, ...]:
    """Cameras that give pictures of another size than they were calibrated with."""
    return tuple(
        Problem(
            "camera_resized",
            f"camera {n} gives {camera['given']} pixels but was calibrated with {camera['calibrated']}",
            {"camera": n, "given": camera["given"], "calibrated": camera["calibrated"]},
        )
        for n, camera in enumerate(conditions, 1)
        if camera["given"]
    )


def lost_cameras(conditions: Sequence[Mapping[str, Any]]) -> Problem | None:
    """Some cameras give no picture, others do: which, and how many are left."""
    lost = [n for n, camera in enumerate(conditions, 1) if camera["state"] != "found"]
    left, count = len(conditions) - len(lost), len(conditions)
    if not lost or not left:
        return None
    names = "; ".join(f"{conditions[n - 1]['name']}: {conditions[n - 1]['detail']}" for n in lost)
    words = f"{names}. Darts are seen with {left} of {count} cameras."
    return Problem("cameras_lost", words, {"cameras": lost, "left": left, "of": count})


def lasting(now: Sequence[Problem], before: Sequence[Problem]) -> tuple[Problem, ...]:
    """The remarks to report now; a passing one only if it was there before, too."""
    return tuple(remark for remark in now if remark.code not in PASSING or remark in before)


def _named(tracker: ThrowTracker, cameras: Sequence[int]) -> list[int]:
    return [tracker.numbers[n] for n in cameras]


def _and(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers))
