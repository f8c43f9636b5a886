"""`make bench ARGS=one-camera`: darts seen by one camera alone, photographed with other rigs and rendered."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from lab.figures import commit, percentile
from lab.scenes.darts import DartShape, some_dart
from lab.scenes.pictures import make_rig, picture
from lab.scenes.rooms import KELVIN, cast, light_of, ranges_of
from lab.scenes.visits import DARTS_PER_VISIT, Figure, place
from scharten.dartboard.beds import SURE
from scharten.dartboard.locate import bed_at
from scharten.sensors.photo_sets import calibrated_cameras, pictures_of, read_set
from scharten.vision.calibrate.fit import Calibration, calibrate
from scharten.vision.detect.camera import CalibratedCamera, calibrated_camera, detect
from scharten.vision.detect.fuse import SeenDart
from scharten.vision.model import Image

SIZES = ((360, 320), (640, 360), (640, 480), (800, 600), (1280, 720))
RIGHT_AIM = 0.70


@dataclass(frozen=True)
class Alone:
    """One dart seen by one camera: its bed, the detector's result, the camera, and the seconds of CPU."""

    truth: str
    dart: SeenDart | None
    name: str
    seconds: float

    @property
    def sure(self) -> bool:
        """Whether the dart raises no question."""
        return self.dart is not None and self.dart.confidence >= SURE

    @property
    def right(self) -> bool:
        """Whether the detector found its bed."""
        return self.dart is not None and str(self.dart.bed) == self.truth


def _seen(truth: str, eye: CalibratedCamera, before: Image, later: Image, name: str) -> Alone:
    start = time.process_time()
    dart = detect((eye,), (before,), (later,))
    return Alone(truth, dart, name, time.process_time() - start)


def photographed(folder: Path) -> Iterator[Alone]:
    """Yield each throw of a set for each of its cameras."""
    photos = read_set(folder)
    eyes = calibrated_cameras(photos, tuple(sorted(photos.rig)))
    for throw in photos.throws:
        for camera, old, new in pictures_of(throw, eyes):
            name = f"{folder.name} {throw.name}, camera {camera}"
            yield _seen(photos.truth[throw.name], eyes[camera], old, new, name)


def rendered(rooms: Iterable[int], seed: int) -> Iterator[Alone]:
    """Yield a visit of three darts in each of these rooms, by number; a room without a found board has none."""
    for number in rooms:
        chance = np.random.default_rng([seed, 7, number])
        size = SIZES[number % len(SIZES)]
        rig = make_rig(chance, ranges_of(size, number, chance), cameras=1)
        light = light_of(math.exp(chance.uniform(*np.log(KELVIN))))
        darts: list[DartShape] = []
        empty = before = cast(picture(rig, 0, darts, chance), light)
        found = calibrate(empty, rig.cameras[0].d20)
        if not isinstance(found, Calibration):
            continue
        eye = calibrated_camera(found.model, empty)
        for _ in range(DARTS_PER_VISIT):
            at = place(chance, darts)
            darts.append(some_dart(chance, *at, darts[0] if darts else None))
            later = cast(picture(rig, 0, darts, chance), light)
            yield _seen(str(bed_at(*at)), eye, before, later, f"{size[0]}x{size[1]}")
            before = later


def run(folder: Path, rooms: int, seed: int, show: bool) -> int:
    """Print the figures beside their aims; return 0 if each is met."""
    cv2.setNumThreads(1)
    print(f"darts seen by one camera, seed {seed}, commit {commit()}")
    foreign = sorted(path.parent for path in (folder / "foreign").glob("*/truth.csv"))
    good = _printed("photographs of other rigs", [s for path in foreign for s in photographed(path)], show)
    drawn = list(rendered(range(rooms), seed))
    for size in dict.fromkeys(item.name for item in drawn):
        _printed(f"rendered, {size}", [item for item in drawn if item.name == size], show)
    met = _printed("rendered, all sizes", drawn, False)
    spent = [1000 * item.seconds for item in drawn]
    print(f"CPU of a throw: p50 {percentile(spent, 50):.0f} ms, p95 {percentile(spent, 95):.0f} ms")
    return 0 if met and good else 1


def _printed(name: str, seen: list[Alone], show: bool) -> bool:
    wrong = [item for item in seen if item.sure and not item.right]
    for item in wrong if show else ():
        print(f"  {item.name}: {item.truth}, seen {item.dart}")
    right = sum(item.sure and item.right for item in seen)
    figures = (
        Figure(f"{name}: sure and right", right, len(seen), RIGHT_AIM),
        Figure("  sure and wrong", len(wrong), len(seen), 0.0, at_most=True),
        Figure("  asked, the first bed offered right", sum(i.right and not i.sure for i in seen), len(seen)),
        Figure("  asked, another bed", sum(not (i.right or i.sure) for i in seen), len(seen)),
    )
    for figure in figures:
        print(figure.words())
    return all(figure.reached is not False for figure in figures)
