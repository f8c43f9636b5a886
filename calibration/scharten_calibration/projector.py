"""`scharten-calibrate projector`: stripes on the board, what the cameras see of them, a map, and the light's delay."""

from __future__ import annotations

import asyncio
import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from scharten.commands.words import chosen_language
from scharten.errors import Problem, SchartenError
from scharten.sensors.light_trust import LONGEST_DELAY_MS, delay_file, measured_delay_ms
from scharten.sensors.rig_files import RigFile, read_rig
from scharten.sensors.video import Picture, read_picture, write_picture
from scharten.vision.detect.camera import take_in
from scharten.vision.follow.judge import askew
from scharten.vision.model import CameraModel
from scharten.words import problem_text
from scharten_calibration.gray_code import BLACK, WHITE, Grey, Pattern, decoded, drawn, patterns, seen_light
from scharten_calibration.live_cameras import LiveCameras
from scharten_calibration.progress import write_whole
from scharten_calibration.projector_fit import ProjectorFit, ProjectorModel, fit_projector, light_trouble
from scharten_calibration.projector_page import ProjectorPage
from scharten_calibration.words import refusal_words, words

Say = Callable[[str], None]
Shots = dict[int, dict[Pattern, Grey]]
_FLASHES = 5
_SLOW_S = 2.0  # light that comes later than this is not the projector's
_UNKNOWN_DELAY_S = 0.6
_FRAME_MS = 34
_SAID_EACH = 10  # patterns


@dataclass(frozen=True)
class Delay:
    """From the message to other light in the pictures, in ms: the longest of a few flashes, and a frame."""

    ms: int


def run_projector(rig_path: Path, url: str, secret: str | None, say: Say, keep: Path | None) -> None:
    """Calibrate with the page on the projector; the map goes to the page, map and delay into the file."""
    rig = read_rig(rig_path)
    cameras = LiveCameras(rig)
    try:
        shots, size, delay = asyncio.run(_shown(rig, cameras, url, secret, say))
        if keep is not None:
            _write(keep, shots)
        fit = _fitted(rig, shots, size)
    except KeyboardInterrupt:
        say(words("projector.stopped"))
        raise
    finally:
        cameras.close()
    say(_words(fit))
    _save(rig_path, fit, delay.ms)
    say(words("projector.written", path=delay_file(rig_path)))
    try:
        asyncio.run(_sent(url, secret, fit.model))
    except SchartenError as error:
        raise SchartenError.coded("map_not_sent", why=" ".join(error.words(chosen_language()))) from error
    say(words("projector.draws"))


async def _sent(url: str, secret: str | None, model: ProjectorModel) -> None:
    async with ProjectorPage(url, secret) as page:
        await page.keep(model)


async def _shown(
    rig: RigFile, cameras: LiveCameras, url: str, secret: str | None, say: Say
) -> tuple[Shots, tuple[int, int], Delay]:
    async with ProjectorPage(url, secret) as page:
        window = await page.alone(BLACK)
        if not window.full_screen:
            raise SchartenError.coded("not_full_screen", width=window.size[0], height=window.size[1])
        say(words("projector.size", width=window.size[0], height=window.size[1]))
        shots: Shots = {}
        for pattern in (WHITE, BLACK):
            await page.show(pattern)
            await asyncio.sleep(_UNKNOWN_DELAY_S)
            await _take(cameras, pattern, shots)
        _refuse(light_trouble(_models(rig), [seen_light(shots[n]) for n in sorted(shots)]))
        delay = await _delay(cameras, page, shots)
        say(words("projector.delay", ms=delay.ms))
        every = [pattern for pattern in patterns(window.size) if pattern not in (WHITE, BLACK)]
        for number, pattern in enumerate(every):
            if number % _SAID_EACH == 0:
                say(words("projector.stripes", n=number, total=len(every)))
            if (await page.show(pattern)).size != window.size:
                raise SchartenError.coded("window_resized")
            await asyncio.sleep((delay.ms + _FRAME_MS) / 1000)
            await _take(cameras, pattern, shots)
    return shots, window.size, delay


async def _take(cameras: LiveCameras, pattern: Pattern, shots: Shots) -> None:
    for number, grey in enumerate(await asyncio.to_thread(_mean, cameras)):
        shots.setdefault(number, {})[pattern] = grey


def _mean(cameras: LiveCameras) -> tuple[Grey, ...]:
    every = [tuple(map(_grey, cameras.newest())) for _ in range(cameras.burst)]
    return tuple(np.mean(pictures, axis=0, dtype=np.float32) for pictures in zip(*every, strict=True))


def _grey(picture: Picture) -> Grey:
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)


async def _delay(cameras: LiveCameras, page: ProjectorPage, shots: Shots) -> Delay:
    """White after black, a few times: when does every camera see more than half of it?"""
    dark, bright = ([float(shot[pattern].mean()) for shot in shots.values()] for pattern in (BLACK, WHITE))
    longest = 0.0
    for flash in range(2 * _FLASHES):
        white = flash % 2 == 0
        start = time.monotonic()
        await page.begin(WHITE if white else BLACK)
        while time.monotonic() - start < _SLOW_S:
            now = [float(_grey(picture).mean()) for picture in await asyncio.to_thread(cameras.newest)]
            share = [(n - d) / max(b - d, 1e-6) for n, d, b in zip(now, dark, bright, strict=True)]
            if min(share) > 0.8 if white else max(share) < 0.2:
                break
        longest = max(longest, time.monotonic() - start)
        await page.shown()
        await asyncio.sleep(0.1)
    return Delay(min(LONGEST_DELAY_MS, round(1000 * longest) + _FRAME_MS))


def fit_pictures(rig_path: Path, folder: Path, size: tuple[int, int], say: Say) -> None:
    """Fit from pictures that were taken before: `<pattern>-<camera>.png`."""
    rig = read_rig(rig_path)
    shots: Shots = {
        number: {p: _grey(_read(folder / f"{p.name}-{number}.png", rig, number)) for p in patterns(size)}
        for number in range(len(rig.cameras))
    }
    fit = _fitted(rig, shots, size)
    _save(rig_path, fit, measured_delay_ms(rig_path))
    say(_words(fit))
    say(words("projector.written_only", path=delay_file(rig_path)))


def _read(path: Path, rig: RigFile, camera: int) -> Picture:
    picture, model = read_picture(path), rig.cameras[camera].model
    if picture.shape[:2] != (model.height, model.width):
        raise SchartenError.coded(
            "light_picture_size",
            path=path,
            width=picture.shape[1],
            height=picture.shape[0],
            camera=camera,
            was=f"{model.width}x{model.height}",
        )
    return picture


def write_patterns(folder: Path, size: tuple[int, int], say: Say) -> None:
    """The patterns as pictures, to be shown by hand."""
    for pattern in patterns(size):
        write_picture(folder / f"{pattern.name}.png", drawn(pattern, size))
    say(words("projector.patterns", patterns=len(patterns(size)), width=size[0], height=size[1], path=folder))


def send(rig_path: Path, url: str, secret: str | None, say: Say) -> None:
    """Send the file's map to the page, as for a new browser."""
    path = delay_file(rig_path)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        numbers = tuple(float(v) for row in table["homography"] for v in row)
        model = ProjectorModel(int(table["width"]), int(table["height"]), numbers, float(table["k1"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SchartenError.coded("no_projector_map", path=path, why=error) from error
    asyncio.run(_sent(url, secret, model))
    say(words("projector.sent"))


def _fitted(rig: RigFile, shots: Mapping[int, Mapping[Pattern, Grey]], size: tuple[int, int]) -> ProjectorFit:
    models = _models(rig)
    found = fit_projector(models, [decoded(shots[n], size) for n in range(len(models))], size)
    if isinstance(found, Problem):
        raise _refused(found)
    _unmoved(rig, shots)
    return found


def _models(rig: RigFile) -> list[CameraModel]:
    return [camera.model for camera in rig.cameras]


def _refuse(trouble: Problem | None) -> None:
    if trouble is not None:
        raise _refused(trouble)


def _refused(problem: Problem) -> SchartenError:
    return SchartenError.coded("projector_refused", why=refusal_words(problem, "projector.why")[0])


def _unmoved(rig: RigFile, shots: Mapping[int, Mapping[Pattern, Grey]]) -> None:
    """Refuse where a camera was moved since its calibration: the map would be off by as much, and fit all the same."""
    for number, camera in enumerate(rig.calibrated()):
        white = np.clip(shots[number][WHITE], 0, 255).astype(np.uint8)
        if moved := askew(camera, take_in(camera, white)):
            reason = problem_text(chosen_language(), moved.code, moved.words, moved.args)
            raise SchartenError.coded("projector_moved", camera=number, reason=reason.rstrip("."))


def _words(fit: ProjectorFit) -> str:
    return words(
        "projector.fit",
        half=f"{fit.median_mm:.2f}",
        most=f"{fit.most_mm:.2f}",
        judged=fit.judged,
        fitted=fit.fitted,
        covered=f"{fit.covered:.0%}",
        k1=f"{fit.model.k1:+.3f}",
    )


def _save(rig_path: Path, fit: ProjectorFit, delay_ms: int | None) -> None:
    model = fit.model
    rows = "".join(
        "    [" + ", ".join(f"{v!r}" for v in model.homography[n : n + 3]) + "],\n" for n in (0, 3, 6)
    )
    text = (
        f"# Made by `scharten-calibrate projector`.\nwidth = {model.width}\nheight = {model.height}\n"
        f"homography = [  # board mm to straight pixels of the projector\n{rows}]\n"
        f"k1 = {model.k1!r}  # radial term, in half widths of its picture\n"
        f"median_mm = {fit.median_mm:.3f}\nmost_mm = {fit.most_mm:.3f}  # 95 % of places that were not fitted\n"
    )
    if delay_ms is not None:
        text += f"delay_ms = {delay_ms}  # from the message `light` to other light in the pictures\n"
    write_whole(delay_file(rig_path), text)


def _write(folder: Path, shots: Shots) -> None:
    for number, by_pattern in shots.items():
        for pattern, grey in by_pattern.items():
            write_picture(folder / f"{pattern.name}-{number}.png", np.clip(grey, 0, 255).astype(np.uint8))
