"""`make bench ARGS="both --hangs 200"`: camera reports of rendered darts that hang in another dart's flight."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np

from lab.both.scenes import ACTS, comes, rig_awake, visit
from lab.figures import commit
from lab.scenes.darts import DartShape, some_dart
from lab.scenes.events import Pictures, Stage
from scharten.dartboard.beds import SURE
from scharten.match.dart import Dart
from scharten.sensors.camera import dart_seen
from scharten.sensors.combined.evidence import JOLTED_MM

HANGS_PER_RIG = 12
_ALIGNED_DEG, _VERY_SURE = 2.0, 0.98


def _in_line(stage: Stage) -> tuple[DartShape, Iterator[Pictures]]:
    """Its point sticks in the end of a standing dart's shaft, in nearly the same direction."""
    other = stage.darts[-1]
    along = other.point_mm + other.barrel_mm + other.shaft_mm
    axis = np.array(other.axis) + stage.chance.normal(0, math.radians(_ALIGNED_DEG), 3)
    x, y, z = np.array(other.tip) + along * np.array(other.axis)
    free = some_dart(stage.chance, float(x), float(y), other)
    way = axis / np.linalg.norm(axis)
    dart = replace(
        free, tip=(float(x), float(y), float(z)), axis=(float(way[0]), float(way[1]), float(way[2]))
    )
    return dart, comes(stage, dart)


KINDS = {"across": ACTS["hang"], "in line": _in_line}
"""A dart hangs across another one, or in line with it."""


def run_hangs(count: int, seed: int) -> int:
    """Print the cameras' reports of this many hanging darts of each kind, and their distances from the other dart."""
    cv2.setNumThreads(1)
    np.seterr(invalid="ignore")  # a hanging dart comes close to a camera
    print(f"darts that hang in another, {count} of each kind, seed {seed}, commit {commit()}")
    for number, (name, act) in enumerate(KINDS.items()):
        reported: Counter[str] = Counter()
        places: list[tuple[float, float]] = []
        for index in range(count):
            if index % HANGS_PER_RIG == 0:
                rig, chance, awake, frame = rig_awake([seed, number, index])
            stands, hangs = visit(
                Stage(rig, chance, []), awake, frame, [("dart", ACTS["dart"]), ("hang", act)]
            )
            if hangs.reported is None:
                reported["nothing"] += 1
                continue
            reported[str(hangs.reported["news"])] += 1
            seen = dart_seen({**hangs.reported, "at_ms": 0}, 0).what
            if isinstance(seen, Dart) and seen.x_mm is not None and seen.y_mm is not None:
                far = math.dist((seen.x_mm, seen.y_mm), (stands.x_mm, stands.y_mm))
                places.append((far, seen.confidence))
        _print(name, count, reported, places)
    return 0


def _print(name: str, count: int, reported: Counter[str], places: list[tuple[float, float]]) -> None:
    sure = [far for far, best in places if best >= SURE]
    print(f"{name}: " + ", ".join(f"{news} {many}" for news, many in reported.most_common()) + f" of {count}")
    print(
        f"  seen as a sure dart {len(sure)}: within {JOLTED_MM:.0f} mm of the other"
        f" {sum(far <= JOLTED_MM for far in sure)}; surer than {_VERY_SURE}"
        f" {sum(best >= _VERY_SURE for _, best in places)}"
    )
    print("  distances in mm: " + " ".join(f"{far:.0f}" for far in sorted(far for far, _ in places)))
