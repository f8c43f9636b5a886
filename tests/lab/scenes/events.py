"""Synthetic sequences for the life of a throw, frame by frame: flights, bounces, hands, passers-by, lamps, nudges."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np

from lab.scenes.darts import Camera, DartShape, Layer, dart_layer, some_dart
from lab.scenes.pictures import RANGES, Change, Rig, drawn, make_rig, picture, taken
from lab.scenes.visits import Figure, open_rig, place
from scharten.dartboard.locate import bed_at
from scharten.vision.detect.camera import CalibratedCamera
from scharten.vision.follow.takeout import open_tracker, step
from scharten.vision.follow.throw_states import Happening, HappeningKind
from scharten.vision.follow.throw_tracker import ThrowTracker
from scharten.vision.model import Floats, Image

FRAME_MS = 33
SIZE = (640, 480)
HOLD = 22  # frames without change after each event
FLIGHT_FRAMES = 3
_STILLS = 4
SEQUENCES_PER_RIG = 10
CALM = 0.1  # share of the trembling between evenings: a camera on the wall hardly moves from frame to frame

Pictures = tuple[Image, ...]


@dataclass
class Stage:
    """A rig with darts in the board; a sequence yields its frames."""

    rig: Rig
    chance: np.random.Generator
    darts: list[DartShape]
    nudge: tuple[float, float] = (0.0, 0.0)
    gain: float = 1.0
    _drawn: tuple[tuple[DartShape, ...], Pictures] = ((), ())

    def shot(self, cover: Callable[[Camera], list[Layer]] | None = None) -> Pictures:
        """Return one picture of each camera now."""
        cameras = self.rig.cameras
        if not self._drawn[1] or self._drawn[0] != tuple(self.darts):
            fresh = tuple(drawn(self.rig, index, self.darts) for index in range(len(cameras)))
            self._drawn = (tuple(self.darts), fresh)
        shots = []
        for index, (eye, still) in enumerate(zip(cameras, self._drawn[1], strict=True)):
            seen = still
            if cover is not None:
                seen = still.copy()
                for layer in cover(eye.camera):
                    layer.onto(seen)
            change = Change(self.nudge if index == 0 else (0.0, 0.0), self.gain, CALM)
            shots.append(taken(eye, seen, self.chance, change))
        return tuple(shots)

    def hold(self, frames: int = HOLD) -> Iterator[Pictures]:
        """Yield this many frames without change; a few are drawn and repeat."""
        shots = [self.shot() for _ in range(_STILLS)]
        for frame in range(frames):
            yield shots[frame % _STILLS]

    def some_dart(self) -> DartShape:
        """Return a dart anywhere on the board."""
        x, y = place(self.chance, self.darts)
        return some_dart(self.chance, x, y, self.darts[0] if self.darts else None)


def _flying(dart: DartShape, away_mm: float, blur_mm: float) -> Callable[[Camera], list[Layer]]:
    """Return a dart in the air at this distance from its landing, blurred over its way during one exposure."""

    def cover(camera: Camera) -> list[Layer]:
        layers = []
        for share in (0.0, 0.33, 0.67, 1.0):
            by = (away_mm + share * blur_mm) * np.array(dart.axis)
            tip = np.array(dart.tip) + by
            layer = dart_layer(camera, replace(dart, tip=(float(tip[0]), float(tip[1]), float(tip[2]))))
            if layer is not None:
                layers.append(replace(layer, cover=0.35 * layer.cover))
        return layers

    return cover


def flight(stage: Stage, dart: DartShape) -> Iterator[Pictures]:
    """Yield the frames of a dart's way, until just before it lands."""
    for frame in range(FLIGHT_FRAMES, 0, -1):
        yield stage.shot(_flying(dart, 130.0 * (frame - 1) + 20, 110.0))


def _limb(camera: Camera, ends: list[tuple[Floats, float]], colour: tuple[int, int, int]) -> list[Layer]:
    """Draw an arm: spheres along a line in space (mm) with radii, as their outline."""
    fine = np.zeros((camera.height, camera.width), np.uint8)
    discs = []
    for at, radius in ends:
        if (camera.place - at) @ camera.place < 0.15 * float(camera.place @ camera.place):
            continue  # beside or behind the camera
        middle, rim = camera.pixels(np.array([at, at + radius * _across(camera, at)]))
        discs.append((middle, float(np.linalg.norm(rim - middle))))
    for (a, r), (b, s) in pairwise(discs):
        for share in np.linspace(0, 1, 12):
            at = np.rint((a + share * (b - a)) * 16).astype(int)
            cv2.circle(
                fine, (int(at[0]), int(at[1])), int(16 * (r + share * (s - r))), 255, -1, cv2.LINE_AA, 4
            )
    shade = np.empty((camera.height, camera.width, 3), np.uint8)
    shade[:] = colour
    return [Layer(0, 0, shade, fine.astype(np.float64) / 255)]


def _across(camera: Camera, at: Floats) -> Floats:
    side = np.cross(at - camera.place, [0.0, 0.0, 1.0])
    return np.asarray(side / np.linalg.norm(side))


def _hand(
    at: tuple[float, float], depth: float, skin: tuple[int, int, int]
) -> Callable[[Camera], list[Layer]]:
    """Return a hand whose fingers are `depth` mm before the board, with its arm."""

    def cover(camera: Camera) -> list[Layer]:
        start = np.array([at[0], at[1], depth])
        joints = [(0.0, 22.0), (70.0, 42.0), (130.0, 38.0), (200.0, 32.0), (420.0, 48.0)]
        lean = np.array([0.1, -0.35, 1.0])
        return _limb(camera, [(start + d * lean / np.linalg.norm(lean), r) for d, r in joints], skin)

    return cover


def _reaching(stage: Stage, takes: Callable[[], None]) -> Iterator[Pictures]:
    """A hand comes, holds darts, and leaves with them."""
    skin = tuple(int(v) for v in np.array([110, 140, 190]) * stage.chance.uniform(0.45, 1.1))
    at = stage.darts[0].tip[:2] if stage.darts else (0.0, 0.0)
    for depth in (330.0, 240.0, 160.0, 110.0, 90.0, 88.0, 91.0):
        yield stage.shot(_hand(at, depth + float(stage.chance.normal(0, 3)), skin))  # type: ignore[arg-type]
    takes()
    for depth in (100.0, 150.0, 210.0, 280.0, 360.0):
        yield stage.shot(_hand(at, depth, skin))  # type: ignore[arg-type]


# --- the sequences: each yields its frames and returns the expected reports ---


def dart_comes(stage: Stage) -> Iterator[Pictures]:
    """A dart arrives."""
    dart = stage.some_dart()
    yield from flight(stage, dart)
    stage.darts.append(dart)


def bounces_out(stage: Stage) -> Iterator[Pictures]:
    """A dart arrives and falls."""
    dart = stage.some_dart()
    yield from flight(stage, dart)
    for frame in range(1, 4):
        x, y, _ = dart.tip
        fallen = replace(dart, tip=(x + 10 * frame, y - 45.0 * frame**2 / 2, 25.0 * frame))
        yield stage.shot(_flying(fallen, 0.0, 40.0))


def beside(stage: Stage) -> Iterator[Pictures]:
    """A dart lands in the surround."""
    angle, radius = stage.chance.uniform(0, math.tau), stage.chance.uniform(180, 215)
    dart = some_dart(stage.chance, radius * math.sin(angle), radius * math.cos(angle))
    yield from flight(stage, dart)
    stage.darts.append(dart)


def all_taken(stage: Stage) -> Iterator[Pictures]:
    """A hand takes all darts."""
    yield from _reaching(stage, stage.darts.clear)


def one_taken(stage: Stage) -> Iterator[Pictures]:
    """A hand takes the first dart and leaves the others."""

    def first() -> None:
        del stage.darts[0]

    yield from _reaching(stage, first)


def hand_waves(stage: Stage) -> Iterator[Pictures]:
    """A hand comes and takes nothing."""
    yield from _reaching(stage, lambda: None)


def lamp_changes(stage: Stage) -> Iterator[Pictures]:
    """The light changes within half a second."""
    change = stage.chance.choice([-0.12, 0.1])
    for _ in range(8):
        stage.gain *= 1 + change / 8
        yield stage.shot()


def _body(parts: list[tuple[Floats, float]], only: Camera) -> Callable[[Camera], list[Layer]]:
    return lambda camera: _limb(camera, parts, (70, 60, 50)) if camera is only else []


def someone_passes(stage: Stage) -> Iterator[Pictures]:
    """Somebody walks by behind the board's far edge, in one camera's view."""
    first = stage.rig.cameras[0].camera
    side = np.cross(first.place, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side)
    behind = -first.place / np.linalg.norm(first.place[:2]) * 900
    for walk in np.linspace(-500, 500, 16):
        feet, head = (behind + walk * side + np.array([0.0, 0.0, height]) for height in (60.0, 500.0))
        yield stage.shot(_body([(feet, 60.0), (head, 90.0)], first))


def camera_nudged(stage: Stage) -> Iterator[Pictures]:
    """The first camera is pushed out of place."""
    turn, far = stage.chance.uniform(0, math.tau), stage.chance.uniform(6, 14)
    for share in (0.5, 1.3, 1.0):
        stage.nudge = (share * far * math.cos(turn), share * far * math.sin(turn))
        yield stage.shot()


Sequence = tuple[str, tuple[Callable[[Stage], Iterator[Pictures]], ...], tuple[HappeningKind, ...]]
_D, _E = HappeningKind.DART, HappeningKind.EMPTY
SEQUENCES: tuple[Sequence, ...] = (
    ("one dart, taken out", (dart_comes, all_taken), (_D, _E)),
    ("a bounce-out", (bounces_out,), (HappeningKind.BOUNCED,)),
    ("a dart in the surround", (beside, all_taken), (HappeningKind.SURROUND, _E)),
    (
        "two darts, one taken out, then the other",
        (dart_comes, dart_comes, one_taken, all_taken),
        (_D, _D, _E),
    ),
    ("a hand that takes nothing, then a dart", (hand_waves, dart_comes), (_D,)),
    ("a bounce-out beside a dart", (dart_comes, bounces_out, all_taken), (_D, HappeningKind.BOUNCED, _E)),
    ("the light changes, then a dart", (lamp_changes, dart_comes), (_D,)),
    ("somebody passes by, then a dart", (someone_passes, dart_comes), (_D,)),
    ("a dart, a hand that takes nothing", (dart_comes, hand_waves, all_taken), (_D, _E)),
    ("one of three cameras is nudged", (camera_nudged, dart_comes), (_D,)),
)
"""Sequences of acts, each with exactly the reports that the cameras must make."""


@dataclass(frozen=True)
class Played:
    """One sequence: actual and expected reports, the number of its darts in the right bed, and the number of frames."""

    name: str
    reported: tuple[Happening, ...]
    wanted: tuple[HappeningKind, ...]
    right: int
    frames: int

    @property
    def good(self) -> bool:
        """Whether exactly the expected reports were made."""
        return tuple(item.kind for item in self.reported) == self.wanted


def play(
    rig: Rig, eyes: tuple[CalibratedCamera, ...], empties: Pictures, which: int, chance: np.random.Generator
) -> Played:
    """Run the cameras' loop through one sequence."""
    name, acts, wanted = SEQUENCES[which]
    stage = Stage(rig, chance, [])
    tracker = open_tracker(eyes, empties)
    reported: list[Happening] = []
    frames, right = 0, 0

    def watch(tracker: ThrowTracker, shots: Iterator[Pictures]) -> ThrowTracker:
        nonlocal frames
        for shot in shots:
            tracker, happened = step(tracker, shot, frames * FRAME_MS)
            reported.extend(happened)
            frames += 1
        return tracker

    tracker = watch(tracker, stage.hold())
    reported.clear()  # the report of the empty board at the start
    for act in acts:
        before = len(reported)
        tracker = watch(tracker, act(stage))
        tracker = watch(tracker, stage.hold())
        right += sum(_right(item, stage) for item in reported[before:])
    return Played(name, tuple(reported), wanted, right, frames)


def _right(reported: Happening, stage: Stage) -> bool:
    return (
        reported.dart is not None and reported.dart.bed == bed_at(*stage.darts[-1].tip[:2])
        if stage.darts
        else False
    )


def sequences(count: int, seed: int) -> Iterator[Played]:
    """Play this many sequences, all kinds in turn, with a new rig every ten."""
    for index in range(count):
        if index % SEQUENCES_PER_RIG == 0:
            chance = np.random.default_rng([seed, 1, index])
            rig = make_rig(chance, replace(RANGES, size=SIZE))
            empties = tuple(picture(rig, camera, (), chance) for camera in range(len(rig.cameras)))
            eyes = open_rig(rig, chance, empties)
        yield play(rig, eyes, empties, index % len(SEQUENCES), np.random.default_rng([seed, 2, index]))


def event_figures(played: list[Played]) -> list[Figure]:
    """Return how many sequences were reported exactly, and the kinds that were not."""
    lines = [Figure("sequences reported exactly", sum(p.good for p in played), len(played), 0.97)]
    for name, _, _ in SEQUENCES:
        some = [p for p in played if p.name == name]
        lines.append(Figure(f"  {name[:31]}", sum(p.good for p in some), len(some)))
    return lines
