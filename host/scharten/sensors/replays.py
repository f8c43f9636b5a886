"""Kept throws measured again, and short sequences of one camera: `scharten detect --replay` and `--events`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from scharten.errors import Problem, SchartenError
from scharten.sensors.kept_throws import packages, read_package
from scharten.sensors.photo_sets import Measured
from scharten.sensors.throw_files import unpacked
from scharten.sensors.video import read_picture
from scharten.vision.calibrate.fit import calibrate
from scharten.vision.calibrate.wires import guess
from scharten.vision.detect.camera import CalibratedCamera, calibrated_camera, detect
from scharten.vision.follow.takeout import open_tracker, step
from scharten.vision.follow.throw_states import Happening, HappeningKind
from scharten.vision.model import Image, transform

FRAME_MS = 33
_STILL = 20  # frames for which the scene stood as it was before the sequence, and stands after it


@dataclass(frozen=True)
class Replayed:
    """A saved throw measured again, the bed reported then, and its truth if a person gave one."""

    measured: Measured
    then: str
    truth: str | None


def replay(folder: Path) -> Iterator[Replayed | SchartenError]:
    """Every package of a folder or ZIP file, the oldest first, or why it cannot be read.

    Bounce-outs are left out, as they leave nothing to measure.
    """
    cv2.setNumThreads(1)
    for place in unpacked(folder) if folder.is_file() else packages(folder):
        try:
            package = read_package(place)
        except SchartenError as error:
            yield error
            continue
        if package.result.get("news") == HappeningKind.BOUNCED:
            continue
        cameras = package.rig.calibrated()
        start, cpu = time.perf_counter(), time.process_time()
        dart = detect(cameras, package.before, package.current)
        spent, of_cpu = time.perf_counter() - start, time.process_time() - cpu
        then = str(package.result.get("segment") or "MISS")
        yield Replayed(Measured(package.name, dart, spent, of_cpu, of_cpu), then, package.truth)


def open_board(empty: Image) -> CalibratedCamera:
    """One camera calibrated from the empty board alone: some red double is taken for the 20."""
    height, width = empty.shape[:2]
    first = guess(empty, (width / 2, height / 2))
    if first is not None:
        x, y = transform(first, np.array([[0.0, 166.0]]))[0]
        found = calibrate(empty, (float(x), float(y)))
        if not isinstance(found, Problem):
            return calibrated_camera(found.model, empty)
        raise SchartenError.coded("empty_board", why=found)
    raise SchartenError.coded("no_board_seen")


def frames_of(folder: Path) -> tuple[Image, ...]:
    """The frames of a sequence, `frame_*.png`, in order."""
    paths = sorted(folder.glob("frame_*.png"))
    if not paths:
        raise SchartenError.coded("no_frames", folder=folder)
    return tuple(read_picture(path) for path in paths)


def frames_in(film: Path) -> tuple[Iterator[Image], float]:
    """The frames of a film as quickly as they can be read, and the milliseconds from one to the next in it."""
    capture = cv2.VideoCapture(str(film))
    if not capture.isOpened():
        raise SchartenError.coded("not_a_film", path=film)
    rate = capture.get(cv2.CAP_PROP_FPS) or 1000 / FRAME_MS

    def frames() -> Iterator[Image]:
        while True:
            fine, picture = capture.read()
            if not fine:
                return
            yield np.asarray(picture, np.uint8)

    return frames(), 1000 / rate


def watch(camera: CalibratedCamera, empty: Image, frames: tuple[Image, ...]) -> tuple[Happening, ...]:
    """Run the event machine on a sequence at 30 frames a second; the first and the last frame are repeated."""
    standing, ending = (frames[0],) * _STILL, (frames[-1],) * _STILL
    return tuple(_happenings(camera, empty, iter((*standing, *frames, *ending)), FRAME_MS, skip=_STILL))


def _happenings(
    camera: CalibratedCamera, empty: Image, frames: Iterator[Image], frame_ms: float, skip: int = 0
) -> Iterator[Happening]:
    """Happenings from the frame `skip` on, by the frames' clock."""
    cv2.setNumThreads(1)
    tracker = open_tracker((camera,), (empty,))
    for number, frame in enumerate(frames):
        tracker, happened = step(tracker, (frame,), round(number * frame_ms))
        if number >= skip:
            yield from happened


def watch_all(folder: Path, empty: Path) -> Iterator[tuple[str, tuple[Happening, ...]]]:
    """Each sequence in a folder by its name, or a film, seen by one camera that is calibrated from the picture `empty`.

    Without such a picture a film's first frame must show the empty board.
    """
    if folder.is_file():
        frames, frame_ms = frames_in(folder)
        first = next(frames, None)
        if first is None:
            raise SchartenError.coded("no_frames", folder=folder)
        board = read_picture(empty) if empty.is_file() else first
        yield folder.name, tuple(_happenings(open_board(board), board, frames, frame_ms))
        return
    board = read_picture(empty)
    camera = open_board(board)
    sequences = sorted(path.parent for path in folder.glob("*/frame_00.png"))
    for place in sequences or (folder,):
        yield place.name, watch(camera, board, frames_of(place))
