"""Sets of throws for tests: rendered ones on every machine, the shared photographs where they exist."""

from __future__ import annotations

import atexit
import csv
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from lab.scenes.darts import DartShape, some_dart
from lab.scenes.pictures import Rig, make_rig, picture
from scharten.dartboard.beds import parse_bed
from scharten.dartboard.locate import bed_at, centre_of
from scharten.sensors.photo_sets import PhotoSet, calibrated_cameras, read_set
from scharten.sensors.video import Picture, read_picture
from scharten.vision.detect.camera import CalibratedCamera

DARTS = Path(__file__).parents[2].parent / "shared" / "darts"
CAMERAS = 3


@dataclass(frozen=True)
class Sets:
    """A set of single darts, another evening of the same rig, and a set of visits."""

    single: Path
    other: Path
    visits: Path


SINGLE = ("F10", "D1", "T20", "L3", "BULL", "25")
VISITS = (("T20", "F20", "L20"), ("F3", "D3", "T19"))
SOURCES = [
    pytest.param("rendered", id="rendered"),
    pytest.param("photographs", id="photographs", marks=pytest.mark.darts),
]
"""Parameters of a test that runs on every source."""


@cache
def sets_of(source: str) -> Sets:
    """Return the sets of a source, rendered on first use."""
    if source == "photographs":
        return Sets(DARTS / "single", DARTS / "pairs", DARTS / "visits_drift")
    folder = Path(tempfile.mkdtemp(prefix="scharten-rendered-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    rig = make_rig(np.random.default_rng(5), cameras=CAMERAS)
    return Sets(
        rendered(folder / "single", rig, 1, [(bed,) for bed in SINGLE]),
        rendered(folder / "other", rig, 2, [(bed,) for bed in SINGLE[:2]]),
        rendered(folder / "visits", rig, 3, VISITS),
    )


def rendered(folder: Path, rig: Rig, seed: int, visits: Iterable[tuple[str, ...]]) -> Path:
    """Write a set: each visit starts at an empty board, and each picture has its own nudge, light and noise."""
    chance = np.random.default_rng(seed)
    folder.mkdir(parents=True)
    eyes = range(len(rig.cameras))
    empty = [_write(folder / f"empty{eye}.png", rig, eye, (), chance) for eye in eyes]
    points = [camera.d20 for camera in rig.cameras]
    throws, truth = [], []
    for number, beds in enumerate(visits):
        darts: list[DartShape] = []
        before = empty
        for order, bed in enumerate(beds):
            darts.append(_dart(bed, chance, darts))
            name = f"{number}.{order}_{bed}"
            later = [_write(folder / f"{name}_{eye}.png", rig, eye, tuple(darts), chance) for eye in eyes]
            throws += [(name, eye, before[eye], later[eye]) for eye in eyes]
            truth.append((name, bed))
            before = later
    rows = [(eye, empty[eye], *points[eye]) for eye in eyes]
    write_rows(folder / "rig.csv", ("camera", "empty", "d20_x", "d20_y"), rows)
    write_rows(folder / "throws.csv", ("throw", "camera", "before", "after"), throws)
    write_rows(folder / "truth.csv", ("throw", "segment"), truth)
    return folder


def _write(path: Path, rig: Rig, eye: int, darts: tuple[DartShape, ...], chance: np.random.Generator) -> str:
    cv2.imwrite(str(path), picture(rig, eye, darts, chance))
    return path.name


def _dart(bed: str, chance: np.random.Generator, others: list[DartShape]) -> DartShape:
    """Return a dart near the middle of a bed, of the make of the others in the visit."""
    x, y = centre_of(parse_bed(bed))  # type: ignore[arg-type]
    x, y = (float(mm + chance.uniform(-1.5, 1.5)) for mm in (x, y))
    assert str(bed_at(x, y)) == bed
    return some_dart(chance, x, y, others[0] if others else None)


def write_rows(path: Path, head: Iterable[object], rows: Iterable[Iterable[object]]) -> None:
    """Write a table of comma separated values."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])


def read_rows(path: Path) -> list[list[str]]:
    """Return the rows of a table below its heading."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]


@cache
def photo_set(folder: Path) -> PhotoSet:
    """Return the tables of a set."""
    return read_set(folder)


@cache
def eyes_of(folder: Path) -> dict[int, CalibratedCamera]:
    """Return the cameras of a set, calibrated from its empty pictures."""
    photos = photo_set(folder)
    return calibrated_cameras(photos, tuple(sorted(photos.rig)))


def empty(folder: Path, camera: int) -> tuple[Picture, tuple[float, float]]:
    """Return the empty board as a camera sees it, and the point in the double 20."""
    path, point = photo_set(folder).rig[camera]
    return read_picture(path), point
