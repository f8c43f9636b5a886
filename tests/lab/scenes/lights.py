"""A projector over a rendered board: patterns change with a delay, in rolling bands, while darts arrive and are
taken."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.figures import commit
from lab.scenes.darts import DartShape, some_dart
from lab.scenes.events import FRAME_MS, Stage, all_taken, dart_comes, hand_waves
from lab.scenes.pictures import RANGES, Change, Rig, drawn, make_rig, picture, taken
from lab.scenes.visits import Figure, open_rig, place
from scharten.dartboard.locate import (
    DOUBLE_INNER_RADIUS,
    DOUBLE_OUTER_RADIUS,
    OUTER_BULL_RADIUS,
    TREBLE_INNER_RADIUS,
    TREBLE_OUTER_RADIUS,
    bed_at,
)
from scharten.vision.detect.camera import CalibratedCamera
from scharten.vision.follow.look_away import Lookout, look_away, watch
from scharten.vision.follow.takeout import open_tracker
from scharten.vision.follow.throw_states import Happening, HappeningKind, TakeoutState
from scharten.vision.model import Image, Points, straighten, transform

Light = NDArray[np.float32]  # on the board's plane: the projector's beside the room's
Pictures = tuple[Image, ...]
DELAY_MS = (30.0, 150.0)
AWAY_MS = 200
"""The time for which cameras look away for an instant change: the longest measured delay, and a frame."""
_REACH, _SCALE = 230.0, 2.0  # mm, and pixels per mm, of the light's raster
_RINGS = (
    OUTER_BULL_RADIUS, TREBLE_INNER_RADIUS, TREBLE_OUTER_RADIUS, DOUBLE_INNER_RADIUS, DOUBLE_OUTER_RADIUS,
)  # fmt: skip
_QUIET = 16  # frames without change
_OUTCOME = 50  # and at most until a dart that is not recognized at once is reported: light waits for it
_PER_RIG = 50
SIZE = (480, 360)


def _arc(radius: float, start: float, end: float) -> Points:
    angle = np.radians(np.linspace(start, end, 15))
    return radius * np.column_stack([np.sin(angle), np.cos(angle)])


def _bed(sector: int, ring: int) -> NDArray[np.int32]:
    start, end = sector * 18 - 9, sector * 18 + 9
    outline = np.concatenate([_arc(_RINGS[ring], start, end), _arc(_RINGS[ring + 1], end, start)])
    return np.rint((outline * (1, -1) + _REACH) * _SCALE * 16).astype(np.int32)


def some_light(chance: np.random.Generator) -> Light:
    """Return random light of the projector page: a dim zone, outlines of beds, a ring for a foul, a dart's place,
    or none."""
    side = round(2 * _REACH * _SCALE)
    light = np.zeros((side, side), np.float32)
    if chance.uniform() < 0.2:
        return light
    if chance.uniform() < 0.6:
        first, wide = int(chance.integers(20)), int(chance.integers(4, 11))
        for sector in range(first, first + wide):
            for ring in range(4):
                cv2.fillPoly(light, [_bed(sector % 20, ring)], 0.15, cv2.LINE_AA, 4)
    bright = float(chance.uniform(0.3, 1.0))
    for _ in range(int(chance.integers(0, 25))):
        at = _bed(int(chance.integers(20)), int(chance.integers(4)))
        cv2.polylines(light, [at], True, bright, round(3 * _SCALE), cv2.LINE_AA, 4)
    middle = (side // 2, side // 2)
    if chance.uniform() < 0.2:
        cv2.circle(light, middle, round(200 * _SCALE), bright, round(8 * _SCALE), cv2.LINE_AA)
    if chance.uniform() < 0.4:
        x, y = (int((_REACH + v) * _SCALE) for v in chance.uniform(-150, 150, 2))
        cv2.circle(light, (x, y), round(9 * _SCALE), bright, round(3 * _SCALE), cv2.LINE_AA)
    return np.asarray(cv2.GaussianBlur(light, (0, 0), 0.8 * _SCALE), np.float32)


@lru_cache(maxsize=6)
def _places(matrix: tuple[float, ...], k1: float, size: tuple[int, int]) -> tuple[Light, Light]:
    """Return the place of each pixel of a camera in the light's raster."""
    rows, columns = np.mgrid[: size[1], : size[0]]
    pixels = np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64)
    flat = np.array(matrix).reshape(3, 4)[:, [0, 1, 3]]
    at = transform(np.linalg.inv(flat), straighten(pixels, *size, k1))
    x, y = ((_REACH + sign * at[:, n]) * _SCALE for n, sign in ((0, 1), (1, -1)))
    return x.reshape(size[1], size[0]).astype(np.float32), y.reshape(size[1], size[0]).astype(np.float32)


def lit_rig(rig: Rig, light: Light) -> Rig:
    """Return the rig with the board lit by the projector."""
    cameras = []
    for eye in rig.cameras:
        camera = eye.camera
        places = _places(tuple(camera.matrix.ravel()), camera.k1, (camera.width, camera.height))
        seen = cv2.remap(light, *places, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=0)
        gain = cv2.merge([1 + seen] * 3)
        base = cv2.multiply(eye.base, gain, dtype=cv2.CV_8U)
        cameras.append(replace(eye, base=np.asarray(base, np.uint8)))
    return replace(rig, cameras=tuple(cameras))


@dataclass
class LitStage(Stage):
    """A stage lit by a projector, whose bands roll through every picture."""

    dark: Rig | None = None
    light: Light | None = None
    bands: float = 0.0  # of the picture's light
    thrower: np.random.Generator | None = None  # throws the same darts in any light

    def project(self, light: Light) -> None:
        """Project another pattern from now on."""
        self.dark = self.dark or self.rig
        self.light, self.rig = light, lit_rig(self.dark, light)
        self._drawn = ((), ())

    def some_dart(self) -> DartShape:
        """Return a dart anywhere on the board, by the thrower's own random numbers."""
        chance = self.thrower or self.chance
        x, y = place(chance, self.darts)
        return some_dart(chance, x, y, self.darts[0] if self.darts else None)

    def seen(self) -> Pictures:
        """Return the scene of each camera now."""
        if not self._drawn[1] or self._drawn[0] != tuple(self.darts):
            every = range(len(self.rig.cameras))
            lit = self.darts if self.light is None else [lit_dart(d, self.light) for d in self.darts]
            self._drawn = (tuple(self.darts), tuple(drawn(self.rig, n, lit) for n in every))
        return self._drawn[1]

    def shot(self, cover: object = None) -> Pictures:
        """Return one picture of each camera now, with bands while the projector is on."""
        self.seen()
        shots = super().shot(cover)  # type: ignore[arg-type]
        if self.light is None or not self.light.any() or not self.bands:
            return shots
        return tuple(self._banded(shot) for shot in shots)

    def _banded(self, seen: Image) -> Image:
        rows = np.arange(len(seen)) / len(seen)
        turn = self.chance.uniform(0, math.tau)
        gain = (1 + self.bands * np.sin(math.tau * 1.7 * rows + turn)).astype(np.float32)
        wide = np.repeat(gain[:, None], seen.shape[1], axis=1)
        return np.asarray(cv2.multiply(seen, cv2.merge([wide] * 3), dtype=cv2.CV_8U), np.uint8)

    def hold(self, frames: int = _QUIET) -> Iterator[Pictures]:
        """Yield this many frames without change; two are drawn and repeat."""
        shots = [self.shot() for _ in range(2)]
        for frame in range(frames):
            yield shots[frame % 2]


def lit_dart(dart: DartShape, light: Light) -> DartShape:
    """Return the dart in the light at its place."""
    x, y = (int(np.clip((_REACH + v) * _SCALE, 0, len(light) - 1)) for v in (dart.tip[0], -dart.tip[1]))
    by = 1 + float(light[y, x])
    colours = {part: tuple(by * c for c in getattr(dart, part)) for part in ("barrel", "shaft", "flight")}
    return replace(dart, **colours)  # type: ignore[arg-type]


def changing(stage: LitStage, light: Light, delay_ms: float) -> Iterator[Pictures]:
    """Yield the frames after the message: unchanged, then one in which the change rolls down, then the new light."""
    equal = stage.shot()
    for _ in range(int(delay_ms // FRAME_MS)):
        yield equal
    before = stage.seen()
    stage.project(light)
    later = stage.seen()
    mixed = []
    for eye, old, new in zip(stage.rig.cameras, before, later, strict=True):
        row = int(stage.chance.integers(0, len(old)))
        half = np.concatenate([new[:row], old[row:]])
        fading = cv2.addWeighted(half, 0.5, new, 0.5, 0) if stage.chance.uniform() < 0.5 else half
        mixed.append(taken(eye, np.asarray(fading, np.uint8), stage.chance, Change(calm=0.1)))
    yield tuple(mixed)


@dataclass
class Tally:
    """Counts of light changes, of the darts between them, and of the reports on both."""

    changes: int = 0
    darts: int = 0
    right: int = 0
    reported: int = 0
    takeouts: int = 0
    emptied: int = 0
    false: list[str] = field(default_factory=list)
    asked: int = 0
    hand: int = 0

    FALSE: ClassVar[frozenset[HappeningKind]] = frozenset(
        {
            HappeningKind.DART,
            HappeningKind.SURROUND,
            HappeningKind.BOUNCED,
            HappeningKind.EMPTY,
            HappeningKind.ASKEW,
        }
    )


@dataclass
class Evening:
    """A rig, a board, a lookout and one clock."""

    stage: LitStage
    lookout: Lookout
    tally: Tally
    lit: bool
    t_ms: int = 0

    def show(self, frames: Iterator[Pictures]) -> list[Happening]:
        """Show the frames one after another; return the reports."""
        reports: list[Happening] = []
        for shots in frames:
            self.lookout, happened = watch(self.lookout, shots, self.t_ms)
            reports.extend(happened)
            self.t_ms += FRAME_MS
        return reports

    def change(self, hand: Callable[[Stage], Iterator[Pictures]] | None = None) -> None:
        """Make an announced change of light: no report may come of it."""
        if not self.lit:
            return
        stage, chance = self.stage, self.stage.chance
        self.lookout = look_away(self.lookout, self.t_ms + AWAY_MS)
        result = self.show(changing(stage, some_light(chance), float(chance.uniform(*DELAY_MS))))
        result += self.show(stage.hold(_QUIET))
        self.tally.changes += 1
        self.tally.asked += sum(item.kind is HappeningKind.UNCLEAR for item in result)
        self.tally.false += [
            f"{item.kind} ({len(stage.darts)} darts)" for item in result if item.kind in Tally.FALSE
        ]

    def dart(self) -> None:
        """Throw a dart, and count whether it is reported right."""
        report = self.show(dart_comes(self.stage)) + self.show(self.stage.hold(_QUIET))
        report += [] if report else self.show(self.stage.hold(_OUTCOME))
        found = [item for item in report if item.kind is HappeningKind.DART]
        self.tally.darts += 1
        self.tally.reported += len(report)
        self.tally.false += [
            "empty (informed of a dart)" for item in report if item.kind is HappeningKind.EMPTY
        ]
        truth = bed_at(*self.stage.darts[-1].tip[:2])
        self.tally.right += len(found) == 1 and found[0].dart is not None and found[0].dart.bed == truth

    def takeout(self) -> None:
        """A hand takes all darts; sometimes the light changes meanwhile."""
        if not self.stage.darts:
            return
        frames = list(all_taken(self.stage))
        during = self.lit and self.stage.chance.uniform() < 0.2
        result = self.show(iter(frames[:6]))
        if during:
            self.tally.hand += 1
            self.stage.darts.clear()
            self.lookout = look_away(self.lookout, self.t_ms + AWAY_MS)
            self.stage.project(some_light(self.stage.chance))
            result += self.show(hand_leaves(self.stage))
        else:
            result += self.show(iter(frames[6:]))
        result += self.show(self.stage.hold(_QUIET + 10))
        self.tally.takeouts += 1
        self.tally.emptied += [item.kind for item in result] == [HappeningKind.EMPTY]
        if self.lookout.tracker.state is not TakeoutState.EMPTY:
            self.begin()

    def begin(self) -> None:
        """Restart the cameras, so that one fault does not count twice."""
        calibrated, empties = self.lookout.tracker.calibrated, self.lookout.tracker.empties
        self.lookout = Lookout(open_tracker(calibrated, empties))
        self.show(self.stage.hold(20))


def hand_leaves(stage: Stage) -> Iterator[Pictures]:
    """Yield the second half of a hand that took the darts."""
    yield from list(hand_waves(stage))[6:]


def evening(
    changes: int,
    seed: int,
    *,
    lit: bool,
    cameras: int,
    reported: Callable[[Tally], object] = lambda tally: None,
) -> Tally:
    """Make this many changes of light, with darts and takeouts between them; and the same darts without light."""
    cv2.setNumThreads(1)
    tally = Tally()
    for part in range(-(-changes // _PER_RIG)):
        chance = np.random.default_rng([seed, 7, part])
        rig = make_rig(chance, replace(RANGES, size=SIZE), cameras=cameras)
        empties = tuple(picture(rig, n, (), chance) for n in range(cameras))
        play(open_rig(rig, chance, empties), rig, empties, tally, min(_PER_RIG, changes), (seed, part, lit))
        reported(tally)
    return tally


def play(
    eyes: tuple[CalibratedCamera, ...],
    rig: Rig,
    empties: Pictures,
    tally: Tally,
    changes: int,
    seed: tuple[int, int, bool],
) -> None:
    """Play one rig's share: a change, a dart and its report; a takeout after every third dart."""
    number, part, lit = seed
    chance = np.random.default_rng([number, 8, part])
    bands, thrower = float(chance.uniform(0, 0.03)), np.random.default_rng([number, 10, part])
    stage = LitStage(rig, np.random.default_rng([number, 9, part]), [], bands=bands, thrower=thrower)
    watched = Evening(stage, Lookout(open_tracker(eyes, empties)), tally, lit)
    watched.show(stage.hold(20))
    for turn in range(changes // 2):
        watched.change()
        if turn % 2 == 0:
            watched.dart()
        watched.change()
        if turn % 6 == 5:
            watched.takeout()


def run(changes: int, seed: int, cameras: int) -> int:
    """Print the figures of this many changes; return 0 if each aim is met."""
    print(
        f"projected light, {cameras} cameras of {SIZE[0]}x{SIZE[1]}, seed {seed}, commit {commit()}",
        flush=True,
    )
    lit, dark = (evening(changes, seed, lit=on, cameras=cameras, reported=_so_far) for on in (True, False))
    found = figures(lit, dark)
    for figure in found:
        print(figure.words())
    for words in lit.false:
        print(f"  reported without a cause: {words}")
    return 0 if all(figure.reached is not False for figure in found) else 1


def _so_far(tally: Tally) -> None:
    """Print a line for each rig, so that an interrupted run has reported something."""
    darts = f"{tally.right} of {tally.darts} darts in their bed, {tally.emptied} of {tally.takeouts} takeouts reported"
    print(f"  {tally.changes} changes: {len(tally.false)} reported, {tally.asked} asked; {darts}", flush=True)


def figures(lit: Tally, dark: Tally) -> list[Figure]:
    """Return the figures for projected light, each with its target."""
    return [
        Figure("changes that reported a dart or takeout", len(lit.false), lit.changes, 0.0, at_most=True),
        Figure("changes that asked", lit.asked, lit.changes, 0.0, at_most=True),
        Figure(
            "darts in their bed, in changing light",
            lit.right,
            lit.darts,
            dark.right / max(dark.darts, 1) - 0.005,
        ),
        Figure("  the same darts in the room's light", dark.right, dark.darts),
        Figure("takeouts reported, in changing light", lit.emptied, lit.takeouts),
        Figure("  of them with a change meanwhile", lit.hand, lit.takeouts),
        Figure("  the same in the room's light", dark.emptied, dark.takeouts),
    ]
