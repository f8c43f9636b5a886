"""CPU time of the cameras' process on films of photographs, while nothing moves and for a throw."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from lab.process_figures import cpu_s
from scharten.errors import Problem, SchartenError
from scharten.sensors.photo_sets import PhotoSet, read_set
from scharten.sensors.video import read_picture
from scharten.vision.calibrate.fit import calibrate
from scharten.vision.model import Image
from scharten.vision.rig import RigCamera, rig_text

SIZES = {(800, 600): 17.0, (1280, 720): 20.0, (1920, 1080): 42.0}
"""Width and height in pixels, and the largest share of a core in % for three cameras while nothing moves."""
_FPS = 30
_FILM_S, _SETTLES_S, _MEASURED_S = 14.0, 2.5, 6.0
_NOISE, _SHOTS = 2.0, 8  # grey levels; different pictures of a film
_AFTER_S = 2.0  # after a throw was reported
_PATIENCE_S = 60.0


@dataclass(frozen=True)
class Load:
    """The share of one core in % while nothing moves, and the CPU time of a throw."""

    idle: float
    throw_ms: float
    throw_s: float  # from the dart's first picture until some time after the report


def report(folder: Path) -> bool:
    """Print the load at each size beside its aim; return False if an aim is missed."""
    print(
        "CPU of the cameras' process, three cameras at 30 pictures a second, films of photographs with noise:"
    )
    good = True
    for size, aim in SIZES.items():
        load = measured(read_set(folder / "single"), size)
        met = load.idle <= aim
        good &= met
        print(
            f"  {size[0]}x{size[1]}: idle {load.idle:.1f} % of a core (aim {aim:g}), "
            f"{load.throw_ms:.0f} ms in the {load.throw_s:.1f} s of a throw  {'met' if met else 'MISSED'}"
        )
    return good


def measured(photos: PhotoSet, size: tuple[int, int]) -> Load:
    """Show the board before the first throw to the cameras' process, then the board with its dart."""
    throw = photos.throws[0]
    shots = [(c, read_picture(throw.before[c]), read_picture(throw.current[c])) for c in sorted(throw.before)]
    chance = np.random.default_rng(0)
    with tempfile.TemporaryDirectory(prefix="scharten-load-") as given:
        folder = Path(given)
        films = [folder / f"camera{camera}.avi" for camera, _, _ in shots]
        for film, (_, old, new) in zip(films, shots, strict=True):
            _write_film(film, _fitted(old, size), chance)
            _write_film(film.with_suffix(".next"), _fitted(new, size), chance)
        _write_rig(folder, photos, [camera for camera, _, _ in shots], films, size)
        with subprocess.Popen(
            [sys.executable, "-m", "scharten.sensors.camera_process"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            try:
                return _watched(process, folder, films)
            finally:
                process.kill()


def _watched(process: subprocess.Popen[str], folder: Path, films: list[Path]) -> Load:
    assert process.stdin and process.stdout
    first = {
        "data": str(folder),
        "devices": list(map(str, films)),
        "calibration": str(folder / "cameras.toml"),
    }
    print(json.dumps(first), file=process.stdin, flush=True)
    messages = map(json.loads, process.stdout)
    _wait(messages, lambda said: said.get("tracking") == "empty" or said.get("state") == "empty")
    time.sleep(_SETTLES_S)
    spent, began = cpu_s(process.pid), time.monotonic()
    time.sleep(_MEASURED_S)
    idle = (cpu_s(process.pid) - spent) / (time.monotonic() - began)
    spent, began = cpu_s(process.pid), time.monotonic()
    for film in films:
        film.with_suffix(".next").replace(film)
    _wait(messages, lambda said: said.get("news") == "dart")
    time.sleep(_AFTER_S)
    return Load(100 * idle, 1000 * (cpu_s(process.pid) - spent), time.monotonic() - began)


def _wait(messages: Iterator[dict[str, object]], wanted: Callable[[dict[str, object]], bool]) -> None:
    end = time.monotonic() + _PATIENCE_S
    if not any(wanted(said) for said in messages if time.monotonic() < end or _late()):
        raise SchartenError("the cameras' process ended")


def _late() -> bool:
    raise SchartenError("the cameras' process did not report the board or the dart in time")


def _fitted(picture: Image, size: tuple[int, int]) -> Image:
    """Return the picture at a camera's height, with its rim repeated at the sides."""
    scale = size[1] / picture.shape[0]
    how = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
    tall = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=how)
    left = (size[0] - tall.shape[1]) // 2
    right = size[0] - tall.shape[1] - left
    return np.asarray(cv2.copyMakeBorder(tall, 0, 0, left, right, cv2.BORDER_REPLICATE), np.uint8)


def _write_film(path: Path, picture: Image, chance: np.random.Generator) -> None:
    """Write a film of one picture with different noise in each frame."""
    draft = path.with_name(f"draft-{path.stem}.avi")
    film = cv2.VideoWriter(str(draft), cv2.VideoWriter.fourcc(*"MJPG"), _FPS, picture.shape[1::-1])
    noisy = [_with_noise(picture, chance) for _ in range(_SHOTS)]
    for number in range(int(_FILM_S * _FPS)):
        film.write(noisy[number % _SHOTS])
    film.release()
    draft.replace(path)


def _with_noise(picture: Image, chance: np.random.Generator) -> Image:
    noise = _NOISE * chance.standard_normal(picture.shape, np.float32)
    return np.asarray(np.clip(picture + noise, 0, 255), np.uint8)


def _write_rig(
    folder: Path, photos: PhotoSet, cameras: list[int], films: list[Path], size: tuple[int, int]
) -> None:
    rig = []
    for camera, film in zip(cameras, films, strict=True):
        path, (x, y) = photos.rig[camera]
        whole = read_picture(path)
        empty, scale = _fitted(whole, size), size[1] / whole.shape[0]
        d20 = (x * scale + (size[0] - round(whole.shape[1] * scale)) // 2, y * scale)
        found = calibrate(empty, d20)
        if isinstance(found, Problem):
            raise SchartenError(f"camera {camera} cannot be calibrated at {size}: {found.words}")
        cv2.imwrite(str(folder / f"empty{camera}.png"), empty)
        rig.append(RigCamera(str(film), d20, f"empty{camera}.png", found.model))
    (folder / "cameras.toml").write_text(rig_text(tuple(rig)))
