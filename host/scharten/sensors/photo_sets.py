"""Folders of photographs with throws (`scharten detect`): read, calibrated, measured."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from scharten.dartboard.beds import parse_bed
from scharten.errors import Problem, SchartenError, detail
from scharten.sensors.video import read_picture
from scharten.vision.calibrate.fit import calibrate
from scharten.vision.detect.camera import CalibratedCamera, calibrated_camera, find_novelty, settle, take_in
from scharten.vision.detect.fuse import SeenDart
from scharten.vision.model import Image

_STEPS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01)
"""Ranges of confidence: what is called 0.9 should be right nine times of ten."""


@dataclass(frozen=True)
class PhotographedThrow:
    """One dart of a set: its name and, per camera, the pictures before and after."""

    name: str
    before: dict[int, Path]
    current: dict[int, Path]


@dataclass(frozen=True)
class PhotoSet:
    """A folder as read: cameras with their empty picture and point, throws in order, truth where known."""

    folder: Path
    rig: dict[int, tuple[Path, tuple[float, float]]]
    throws: tuple[PhotographedThrow, ...]
    truth: dict[str, str]


@dataclass(frozen=True)
class Measured:
    """The result of one throw, the seconds from its decoded pictures to the dart, and the CPU time."""

    throw: str
    dart: SeenDart | None
    seconds: float
    cpu_seconds: float
    all_cpu_seconds: float  # with aligning the pictures before, which were there before the dart flew


def _rows(folder: Path, name: str, columns: tuple[str, ...]) -> list[dict[str, str]]:
    path = folder / name
    if not path.is_file():
        raise SchartenError.coded("photo_set", path=folder, why=detail("set_missing", file=name))
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (UnicodeDecodeError, csv.Error) as error:
        raise SchartenError.coded("photo_set", path=path, why=error) from error
    for line, row in enumerate(rows, 2):
        if any(not row.get(column) for column in columns):
            raise SchartenError.coded(
                "photo_set", path=path, why=detail("set_line", line=line, columns=", ".join(columns))
            )
    if not rows:
        raise SchartenError.coded("photo_set", path=path, why=detail("set_rows", columns=", ".join(columns)))
    return rows


def _number(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise SchartenError.coded("photo_set", path=what, why=detail("set_number", given=text))
    return value


def read_set(folder: Path) -> PhotoSet:
    """The tables of a set's folder; pictures are read later, when they are wanted."""
    if not folder.is_dir():
        raise SchartenError.coded("no_photo_set", folder=folder)
    rig: dict[int, tuple[Path, tuple[float, float]]] = {}
    for row in _rows(folder, "rig.csv", ("camera", "empty", "d20_x", "d20_y")):
        camera = int(_number(row["camera"], f"{folder}/rig.csv: camera"))
        point = (
            _number(row["d20_x"], f"{folder}/rig.csv: d20_x"),
            _number(row["d20_y"], f"{folder}/rig.csv: d20_y"),
        )
        rig[camera] = (folder / row["empty"], point)
    throws: dict[str, PhotographedThrow] = {}
    for row in _rows(folder, "throws.csv", ("throw", "camera", "before", "after")):
        camera = int(_number(row["camera"], f"{folder}/throws.csv: camera"))
        if camera not in rig:
            raise SchartenError.coded(
                "photo_set", path=folder / "throws.csv", why=detail("set_camera", camera=camera)
            )
        throw = throws.setdefault(row["throw"], PhotographedThrow(row["throw"], {}, {}))
        throw.before[camera], throw.current[camera] = folder / row["before"], folder / row["after"]
    return PhotoSet(folder, rig, tuple(throws.values()), _truth(folder, throws))


def _truth(folder: Path, throws: dict[str, PhotographedThrow]) -> dict[str, str]:
    if not (folder / "truth.csv").exists():
        return {}
    truth = {}
    for row in _rows(folder, "truth.csv", ("throw", "segment")):
        bed = parse_bed(row["segment"])
        if bed is None or row["throw"] not in throws:
            raise SchartenError.coded(
                "photo_set",
                path=folder / "truth.csv",
                why=detail("set_truth", throw=row["throw"], bed=row["segment"]),
            )
        truth[row["throw"]] = row["segment"]
    return truth


def calibrated_cameras(photos: PhotoSet, cameras: tuple[int, ...]) -> dict[int, CalibratedCamera]:
    """Each camera calibrated from its empty picture and one point; a refusal is reported with its reason."""
    calibrated = {}
    for camera in cameras:
        if camera not in photos.rig:
            raise SchartenError.coded(
                "no_such_camera", path=photos.folder, camera=camera, known=sorted(photos.rig)
            )
        path, point = photos.rig[camera]
        empty = read_picture(path)
        found = calibrate(empty, point)
        if isinstance(found, Problem):
            raise SchartenError.coded("uncalibratable", camera=camera, path=path, why=found)
        calibrated[camera] = calibrated_camera(found.model, empty)
    return calibrated


def measure(photos: PhotoSet, cameras: dict[int, CalibratedCamera]) -> Iterator[Measured]:
    """Every throw in order, seen with the given cameras on one core."""
    cv2.setNumThreads(1)
    for throw in photos.throws:
        pictures = pictures_of(throw, cameras)
        began = time.process_time()
        before = [take_in(cameras[c], old) for c, old, _ in pictures]
        start, cpu = time.perf_counter(), time.process_time()
        current = [take_in(cameras[c], new) for c, _, new in pictures]
        dart = settle(
            tuple(
                find_novelty(cameras[p[0]], *views)
                for p, *views in zip(pictures, before, current, strict=True)
            )
        )
        spent, done = time.perf_counter() - start, time.process_time()
        yield Measured(throw.name, dart, spent, done - cpu, done - began)


def pictures_of(
    throw: PhotographedThrow, calibrated: dict[int, CalibratedCamera]
) -> tuple[tuple[int, Image, Image], ...]:
    """For each of the cameras that saw the throw: its number, the picture before and the one after."""
    cameras = [camera for camera in sorted(calibrated) if camera in throw.current]
    if not cameras:
        raise SchartenError.coded("photo_set", path=throw.name, why=detail("set_unseen"))
    return tuple(
        (c, _fitting(calibrated[c], throw.before[c]), _fitting(calibrated[c], throw.current[c]))
        for c in cameras
    )


def _fitting(camera: CalibratedCamera, path: Path) -> Image:
    picture = read_picture(path)
    height, width = picture.shape[:2]
    if (width, height) != (camera.model.width, camera.model.height):
        calibrated = f"{camera.model.width}x{camera.model.height}"
        raise SchartenError.coded("picture_size", path=path, found=f"{width}x{height}", size=calibrated)
    return picture


RINGS = ("D", "F", "T", "L", "25", "BULL", "MISS")


def _ring(segment: str) -> str:
    return segment if segment in RINGS else segment[0]


def _sector(segment: str) -> str:
    return segment if segment in RINGS else segment[1:]


def reliability(
    judged: Sequence[tuple[float, bool]], row: str = "  called {mean}   right {share} = {hits}"
) -> list[str]:
    """For each range of confidence that holds darts, how many are right; `judged`: a dart's confidence, if it is."""
    lines = []
    for low, high in pairwise(_STEPS):
        some = [judgement for judgement in judged if low <= judgement[0] < high]
        if some:
            mean = sum(sure for sure, _ in some) / len(some)
            hits = sum(right for _, right in some)
            share = f"{hits / len(some):6.1%}"
            lines.append(row.format(mean=f"{mean:6.1%}", share=share, hits=f"{hits}/{len(some)}"))
    return lines
