"""Measure the cameras' readings of throws: rendered scenes with exact truth through the cameras' live loop."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from lab.scenes.darts import DartShape, some_dart
from lab.scenes.events import FRAME_MS, SIZE, Pictures, Stage, bounces_out, flight
from lab.scenes.pictures import RANGES, Rig, make_rig, picture
from lab.scenes.visits import open_rig, place
from scharten.dartboard.locate import bed_at, wire_distance
from scharten.sensors.camera_process import result_of
from scharten.vision.follow.takeout import open_tracker, step
from scharten.vision.follow.throw_states import RESTING, Happening, HappeningKind
from scharten.vision.follow.throw_tracker import ThrowTracker

VISITS_PER_RIG = 12
WAKING_FRAMES, LOOKED_FRAMES = 20, 55
WIRE_MM = 0.8
"""A point this close to a wire, in mm, may also close the neighbour's contact."""
_STILLS = 2
_FINGERS_MM = 12.0
Act = Callable[[Stage], tuple[DartShape, Iterator[Pictures]]]
TELLING = (HappeningKind.DART, HappeningKind.SURROUND, HappeningKind.BOUNCED, HappeningKind.UNCLEAR)


@dataclass(frozen=True)
class SeenThrow:
    """One throw: its kind, the true place of its tip, and the cameras' report (None: nothing).

    `apart_ms` is the report's time for the contact minus the true one; `word_ms` is the delay of the report
    itself. `order` counts the darts of a visit. `moved`: a camera saw motion.
    """

    kind: str
    order: int
    x_mm: float
    y_mm: float
    reported: dict[str, object] | None
    apart_ms: int = 0
    word_ms: int = 0
    moved: bool = True

    @property
    def bed(self) -> str:
        """The bed of the tip."""
        return str(bed_at(self.x_mm, self.y_mm))


def measured(visits: int, seed: int) -> Iterator[SeenThrow]:
    """Yield the throws of this many visits: two darts and one more throw. Every dozen visits has a new, calibrated
    rig."""
    cv2.setNumThreads(1)
    np.seterr(invalid="ignore")  # a hanging dart comes close to a camera
    for index in range(visits):
        if index % VISITS_PER_RIG == 0:
            rig, chance, awake, frame = rig_awake([seed, index])
        last = ("bounce", "dart", "beside", "dart", "hang", "dart")[index % 6]
        kinds = ("dart", "wire" if index % 2 else "dart", last)
        yield from visit(Stage(rig, chance, []), awake, frame, [(kind, ACTS[kind]) for kind in kinds])


def rig_awake(seed: list[int]) -> tuple[Rig, np.random.Generator, ThrowTracker, int]:
    """Return a new calibrated rig after its first look at the empty board, and its frame number."""
    chance = np.random.default_rng(seed)
    rig = make_rig(chance, replace(RANGES, size=SIZE))
    empties = tuple(picture(rig, n, (), chance) for n in range(len(rig.cameras)))
    tracker = open_tracker(open_rig(rig, chance, empties), empties)
    return rig, chance, *wake(tracker, Stage(rig, chance, []))


def wake(tracker: ThrowTracker, stage: Stage) -> tuple[ThrowTracker, int]:
    """Show the empty board until the tracker knows it; return tracker and frame number."""
    stills = [stage.shot() for _ in range(_STILLS)]
    for frame in range(WAKING_FRAMES):
        tracker, _ = step(tracker, stills[frame % _STILLS], frame * FRAME_MS)
    return tracker, WAKING_FRAMES


def visit(
    stage: Stage, tracker: ThrowTracker, frame: int, acts: Iterable[tuple[str, Act]]
) -> Iterator[SeenThrow]:
    """Yield throws one after another, each with the name of its kind, as the live loop reports them."""
    for order, (kind, open_act) in enumerate(acts):
        dart, act = open_act(stage)
        came, moved = 0, False
        reported: list[tuple[int, Happening]] = []
        for shot, still in frames(stage, act):
            came = came or (frame * FRAME_MS if still else 0)
            tracker, happened = step(tracker, shot, frame * FRAME_MS)
            moved = moved or tracker.state not in RESTING
            reported += [(frame * FRAME_MS, item) for item in happened if item.kind in TELLING]
            frame += 1
            if still and reported and frame * FRAME_MS - came > 300:
                break
        x, y, _ = dart.tip
        if kind == "bounce":
            came -= 3 * FRAME_MS  # it touched the board before it fell
        if not reported:
            yield SeenThrow(kind, order, x, y, None, moved=moved)
        else:
            at, first = reported[0]
            yield SeenThrow(kind, order, x, y, result_of(first), first.at_ms - came, at - came, moved)


def frames(stage: Stage, act: Iterator[Pictures]) -> Iterator[tuple[Pictures, bool]]:
    """Yield the act and then stillness, each frame with whether it is still."""
    for shot in act:
        yield shot, False
    stills = [stage.shot() for _ in range(_STILLS)]
    for frame in range(LOOKED_FRAMES):
        yield stills[frame % _STILLS], True


def comes(stage: Stage, dart: DartShape) -> Iterator[Pictures]:
    """A dart flies, and stands in the board."""
    yield from flight(stage, dart)
    stage.darts.append(dart)


def _dart(stage: Stage) -> tuple[DartShape, Iterator[Pictures]]:
    dart = stage.some_dart()
    return dart, comes(stage, dart)


def _wire(stage: Stage) -> tuple[DartShape, Iterator[Pictures]]:
    """A dart as close to a wire as its point can stand."""
    x, y = place(stage.chance, stage.darts)
    while wire_distance(x, y) > WIRE_MM:
        x, y = place(stage.chance, stage.darts)
    dart = some_dart(stage.chance, x, y)
    return dart, comes(stage, dart)


def _beside(stage: Stage) -> tuple[DartShape, Iterator[Pictures]]:
    """A dart in the surround."""
    angle, radius = stage.chance.uniform(0, math.tau), stage.chance.uniform(180, 210)
    dart = some_dart(stage.chance, radius * math.sin(angle), radius * math.cos(angle))
    return dart, comes(stage, dart)


def _bounce(stage: Stage) -> tuple[DartShape, Iterator[Pictures]]:
    """A dart that falls; the stage chooses it, in any bed."""
    return stage.some_dart(), bounces_out(stage)


def _hang(stage: Stage) -> tuple[DartShape, Iterator[Pictures]]:
    """A dart whose point sticks in the flight of a standing dart."""
    other = stage.darts[-1]
    long = other.point_mm + other.barrel_mm + other.shaft_mm + other.flight_mm / 2
    off = stage.chance.normal(0, _FINGERS_MM / 2, 2)
    tip = np.array(other.tip) + long * np.array(other.axis) + np.array([off[0], off[1], 0.0])
    free = some_dart(stage.chance, float(tip[0]), float(tip[1]), other)
    dart = replace(free, tip=(float(tip[0]), float(tip[1]), float(tip[2])))
    return dart, comes(stage, dart)


ACTS: dict[str, Act] = {
    "dart": _dart,
    "wire": _wire,
    "bounce": _bounce,
    "beside": _beside,
    "hang": _hang,
}


def write_throws(path: Path, throws: list[SeenThrow]) -> None:
    """Write the measured throws to a file for reuse."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(throw) for throw in throws]) + "\n", encoding="utf-8")


def read(path: Path) -> list[SeenThrow]:
    """Read measured throws from a file."""
    return [SeenThrow(**row) for row in json.loads(path.read_text(encoding="utf-8"))]
