"""Visits of three synthetic darts through the detector, and the share that is right."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np

from lab.figures import percentile
from lab.scenes.darts import DartShape, some_dart
from lab.scenes.pictures import RANGES, Rig, make_rig, picture
from scharten.dartboard.beds import Bed, BedKind
from scharten.dartboard.locate import DOUBLE_OUTER_RADIUS, bed_at, wire_distance
from scharten.errors import Problem, SchartenError
from scharten.vision.calibrate.fit import calibrate
from scharten.vision.detect.camera import CalibratedCamera, calibrated_camera, detect
from scharten.vision.detect.fuse import SeenDart
from scharten.vision.model import Image

DARTS_PER_VISIT = 3
WIRE_HALF_MM = 0.5  # no dart stands inside a wire
BESIDE_MM = 4.0  # nor inside another dart
CLICK_PX = 1.5  # sigma of a person's click in the double 20
_CLICKS = 5  # clicks: a point outside the double 20 is refused, and a person clicks again
SURE, DOUBT = 0.95, 0.90


@dataclass(frozen=True)
class Tried:
    """One dart: its true place, the detector's result, its time in s, and its place in the visit."""

    x_mm: float
    y_mm: float
    seen: SeenDart | None
    seconds: float
    order: int

    @property
    def truth(self) -> Bed:
        """The bed of the dart."""
        return bed_at(self.x_mm, self.y_mm)

    @property
    def exact(self) -> bool:
        """Whether the detector named that bed."""
        return self.seen is not None and self.seen.bed == self.truth

    @property
    def confidence(self) -> float:
        """The detector's confidence; 0 without a dart."""
        return self.seen.confidence if self.seen else 0.0


def open_rig(
    rig: Rig, chance: np.random.Generator, empties: tuple[Image, ...]
) -> tuple[CalibratedCamera, ...]:
    """Return the rig's cameras, calibrated as a person would: from a picture of the empty board and a click."""
    eyes = []
    for camera, empty in zip(rig.cameras, empties, strict=True):
        for _ in range(_CLICKS):
            x, y = np.array(camera.d20) + chance.normal(0, CLICK_PX, 2)
            found = calibrate(empty, (float(x), float(y)))
            if not isinstance(found, Problem) or found.code != "wrong_point":
                break
        if isinstance(found, Problem):
            raise SchartenError(f"a synthetic camera cannot be calibrated: {found.words}")
        eyes.append(calibrated_camera(found.model, empty))
    return tuple(eyes)


def place(chance: np.random.Generator, others: list[DartShape]) -> tuple[float, float]:
    """Return a uniform random place on the board, not inside a wire or another dart."""
    while True:
        radius = DOUBLE_OUTER_RADIUS * math.sqrt(float(chance.uniform()))
        angle = float(chance.uniform(0, math.tau))
        x, y = radius * math.sin(angle), radius * math.cos(angle)
        free = all(math.dist((x, y), other.tip[:2]) > BESIDE_MM for other in others)
        if free and wire_distance(x, y) > WIRE_HALF_MM:
            return x, y


def visit(rig: Rig, eyes: tuple[CalibratedCamera, ...], chance: np.random.Generator) -> Iterator[Tried]:
    """Throw three darts of one player, each in addition to the ones before."""
    darts: list[DartShape] = []
    before = tuple(picture(rig, index, darts, chance) for index in range(len(eyes)))
    for order in range(DARTS_PER_VISIT):
        x, y = place(chance, darts)
        darts.append(some_dart(chance, x, y, darts[0] if darts else None))
        later = tuple(picture(rig, index, darts, chance) for index in range(len(eyes)))
        start = time.perf_counter()
        seen = detect(eyes, before, later)
        yield Tried(x, y, seen, time.perf_counter() - start, order)
        before = later


def visits(darts: int, seed: int) -> Iterator[Tried]:
    """Throw this many darts in visits of three; every 20 visits have a new, calibrated rig."""
    cv2.setNumThreads(1)
    done = 0
    for index in range(-(-darts // DARTS_PER_VISIT)):
        if index % RANGES.visits_per_rig == 0:
            chance = np.random.default_rng([seed, index])
            rig = make_rig(chance)
            empties = tuple(picture(rig, camera, (), chance) for camera in range(len(rig.cameras)))
            eyes = open_rig(rig, chance, empties)
        for tried in visit(rig, eyes, chance):
            if done == darts:
                return
            done += 1
            yield tried


@dataclass(frozen=True)
class Figure:
    """One measured share beside its target; `reached` is None without a target or a measurement."""

    name: str
    hits: int
    total: int
    target: float | None = None
    at_most: bool = False

    @property
    def share(self) -> float:
        """The share, between 0 and 1."""
        return self.hits / self.total if self.total else 0.0

    @property
    def reached(self) -> bool | None:
        """Whether the target is met."""
        if self.target is None or not self.total:
            return None
        return self.share <= self.target if self.at_most else self.share >= self.target

    def words(self) -> str:
        """The printed line."""
        if not self.total:
            return f"{self.name:<34} unmeasured"
        text = f"{self.name:<34} {self.hits:>5}/{self.total:<5} {self.share:7.2%}"
        if self.target is None:
            return text
        aim = f"aim {'<=' if self.at_most else '>='} {self.target:.0%}"
        return f"{text}   {aim:<12} {'met' if self.reached else 'MISSED'}"


def figures(tried: list[Tried]) -> list[Figure]:
    """Return the figures for synthetic darts with their targets, and figures per ring for work on the detector."""

    def exact(name: str, some: list[Tried], target: float | None = None) -> Figure:
        return Figure(name, sum(t.exact for t in some), len(some), target)

    rings = {
        BedKind.DOUBLE: 0.92,
        BedKind.TREBLE: 0.92,
        BedKind.FAT: None,
        BedKind.LITTLE: None,
        BedKind.OUTER_BULL: None,
        BedKind.BULL: None,
    }
    sure = [t for t in tried if t.confidence >= SURE]
    lines = [exact("exact bed", tried, 0.97)]
    for kind, target in rings.items():
        lines.append(exact(f"  {kind.name.lower()}", [t for t in tried if t.truth.kind is kind], target))
    for order in range(DARTS_PER_VISIT):
        lines.append(exact(f"  dart {order + 1} of the visit", [t for t in tried if t.order == order]))
    lines.append(Figure("called 95 % sure", len(sure), len(tried), 0.80))
    lines.append(exact("  of those right", sure, 0.95))
    lines.append(Figure("in doubt", sum(t.confidence < DOUBT for t in tried), len(tried), 0.10, at_most=True))
    lines.append(Figure("undetected", sum(t.seen is None for t in tried), len(tried)))
    return lines


def times(tried: list[Tried]) -> str:
    """Return the time per throw, and the error in mm of the darts seen."""
    spent = [1000 * t.seconds for t in tried]
    off = [math.dist((t.x_mm, t.y_mm), (t.seen.x_mm, t.seen.y_mm)) for t in tried if t.seen]
    text = f"time per throw: p50 {percentile(spent, 50):.1f} ms (aim 30), p95 {percentile(spent, 95):.1f} ms (aim 100)"
    if not off:
        return text
    return f"{text}\nmillimetres off: p50 {percentile(off, 50):.2f}, p95 {percentile(off, 95):.2f}"
