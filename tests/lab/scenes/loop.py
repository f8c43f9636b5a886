"""The live loop's frame rate: three cameras' pictures, decoded from files and watched, on one core."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from lab.scenes.events import Stage, all_taken, dart_comes
from lab.scenes.pictures import RANGES, make_rig, picture
from lab.scenes.visits import open_rig
from scharten.errors import SchartenError
from scharten.vision.follow.takeout import open_tracker, step

FPS_AIM = 30.0


@dataclass(frozen=True)
class LoopSpeed:
    """The loop's speed: rounds of three pictures per second of CPU, and its slowest rounds in ms."""

    rounds: int
    per_second: float
    slowest_ms: float
    darts: int

    def words(self) -> str:
        """The printed line."""
        met = "met" if self.per_second >= FPS_AIM else "MISSED"
        return (
            f"live loop, 3 cameras of 800x600, decoded and watched on one core: {self.per_second:.1f} frames/s "
            f"(aim >= {FPS_AIM:.0f}) {met}; the round that finds a dart {self.slowest_ms:.0f} ms; "
            f"{self.rounds} rounds with {self.darts} darts"
        )


def loop_speed(seed: int) -> LoopSpeed:
    """Measure CPU time while a dart arrives and is taken out, over and over, read from three MJPEG files."""
    cv2.setNumThreads(1)
    chance = np.random.default_rng([seed, 3])
    rig = make_rig(chance)
    empties = tuple(picture(rig, camera, (), chance) for camera in range(len(rig.cameras)))
    tracker = open_tracker(open_rig(rig, chance, empties), empties)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"camera{index}.avi" for index in range(len(rig.cameras))]
        _film(Stage(replace(rig), chance, []), paths)
        films = [cv2.VideoCapture(str(path)) for path in paths]
        rounds, darts, spent = 0, 0, [0.0]
        while True:
            start = time.process_time()
            shots = [film.read() for film in films]
            if not all(ok for ok, _ in shots):
                break
            tracker, reported = step(
                tracker, tuple(np.asarray(shot, np.uint8) for _, shot in shots), rounds * 33
            )
            spent.append(time.process_time() - start)
            rounds += 1
            darts += sum(item.dart is not None for item in reported)
    return LoopSpeed(rounds, rounds / sum(spent), 1000 * max(spent), darts)


def _film(stage: Stage, paths: list[Path]) -> None:
    codec = cv2.VideoWriter.fourcc(*"MJPG")
    films = [cv2.VideoWriter(str(path), codec, 30.0, RANGES.size) for path in paths]
    if not all(film.isOpened() for film in films):
        raise SchartenError(
            "this OpenCV cannot write MJPEG files", "Use the opencv-python-headless of the lock."
        )
    for act in (Stage.hold, dart_comes, Stage.hold, all_taken, Stage.hold):
        for shot in act(stage):
            for film, seen in zip(films, shot, strict=True):
                film.write(seen)
    for film in films:
        film.release()
