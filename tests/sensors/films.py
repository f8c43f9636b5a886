"""Write synthetic scenes as MJPEG films, with the calibration that a user would have made."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from lab.scenes.darts import some_dart
from lab.scenes.events import SIZE, Pictures, Stage, flight
from lab.scenes.pictures import RANGES, make_rig, picture
from scharten.match.inputs import Input, Reading
from scharten.sensors.camera import CameraSensor
from scharten.sensors.sensor import SensorSetup
from scharten.sensors.settings import CameraSection
from scharten.vision.calibrate.fit import Calibration, calibrate
from scharten.vision.model import Image
from scharten.vision.rig import RigCamera, rig_text

FPS = 30.0
Act = Callable[[Stage], Iterator[Pictures]]


@dataclass(frozen=True)
class Film:
    """A film folder: one file per camera, and the calibration of all cameras."""

    paths: tuple[Path, ...]
    rig: Path


def throw(x_mm: float, y_mm: float) -> Act:
    """Return the act of a dart that flies to this place, in millimetres, and stays there."""

    def act(stage: Stage) -> Iterator[Pictures]:
        dart = some_dart(stage.chance, x_mm, y_mm)
        yield from flight(stage, dart)
        stage.darts.append(dart)

    return act


def make_stage(cameras: int, seed: int = 4) -> tuple[Stage, Pictures]:
    """Return a stage with an empty board, and each camera's picture of it."""
    chance = np.random.default_rng(seed)
    rig = make_rig(chance, replace(RANGES, size=SIZE), cameras=cameras)
    return Stage(rig, chance, []), tuple(picture(rig, n, (), chance) for n in range(cameras))


def write_film(folder: Path, stage: Stage, empties: Pictures, acts: Iterable[Act], fps: float = FPS) -> Film:
    """Film the acts, each followed by stillness, into one file per camera; calibrate the cameras."""
    folder.mkdir(parents=True, exist_ok=True)
    codec = cv2.VideoWriter.fourcc(*"MJPG")
    paths = tuple(folder / f"camera{n}.avi" for n in range(len(empties)))
    films = [cv2.VideoWriter(str(path), codec, fps, SIZE) for path in paths]
    for act in (Stage.hold, *(item for item in acts for item in (item, Stage.hold))):
        for shot in act(stage):
            for film, seen in zip(films, shot, strict=True):
                film.write(seen)
    for film in films:
        film.release()
    return Film(paths, write_rig(folder, stage, empties, paths))


def write_still(film: Film, empties: Pictures) -> None:
    """Replace the films by films of the empty board."""
    for path, empty in zip(film.paths, empties, strict=True):
        write_picture(path, empty)


def write_picture(path: Path, picture: Image) -> None:
    """Replace a camera's film, in one step, by a film of this picture alone."""
    draft = path.with_name(f"next-{path.name}")
    still = cv2.VideoWriter(str(draft), cv2.VideoWriter.fourcc(*"MJPG"), FPS, picture.shape[1::-1])
    for _ in range(3):
        still.write(picture)
    still.release()
    draft.replace(path)


def write_rig(folder: Path, stage: Stage, empties: Pictures, paths: tuple[Path, ...]) -> Path:
    """Write the file that `scharten-calibrate camera` would write for these cameras."""
    cameras = []
    for n, (eye, empty, path) in enumerate(zip(stage.rig.cameras, empties, paths, strict=True)):
        found = calibrate(empty, eye.d20)
        assert isinstance(found, Calibration), found
        cv2.imwrite(str(folder / f"empty{n}.png"), empty)
        cameras.append(RigCamera(str(path), eye.d20, f"empty{n}.png", found.model))
    rig = folder / "cameras.toml"
    rig.write_text(rig_text(tuple(cameras)))
    return rig


class Listener:
    """Run the camera sensor on a film, and collect its inputs and reports."""

    def __init__(self, film: Film, data: Path, *, devices: tuple[str, ...] = (), **more: object) -> None:
        self.inputs: list[Input] = []
        self.reported: dict[str, list[list[dict]]] = {}
        setup = SensorSetup(
            folder=data,
            profile="simulated",
            emit=self.inputs.append,
            report=lambda name, value: self.reported.setdefault(name, []).append(value),
            now_ms=lambda: time.time_ns() // 10**6,
            **more,
        )
        used = devices or tuple(map(str, film.paths))
        settings = CameraSection(devices=used, calibration=str(film.rig), replays_mb=50)
        self.sensor = CameraSensor(setup, settings)

    def __enter__(self) -> Listener:
        self.sensor.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.sensor.stop(for_good=True)

    @property
    def cameras(self) -> list[list[dict]]:
        return self.reported.get("cameras", [])

    def all_of(self, kind: type) -> list:
        """Return all readings and news of this kind."""
        given = [given.what if isinstance(given, Reading) else given.news for given in self.inputs]
        return [given for given in given if isinstance(given, kind)]
