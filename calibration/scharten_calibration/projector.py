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

from scharten.errors import Problem, SchartenError
from scharten.sensors.light_trust import LONGEST_DELAY_MS, delay_file
from scharten.sensors.rig_files import RigFile, borrow, read_rig
from scharten.sensors.video import CameraReader, Picture, read_picture, write_picture
from scharten.vision.detect import take_in
from scharten.vision.judge import askew
from scharten_calibration.gray_code import BLACK, WHITE, Grey, Pattern, decoded, drawn, patterns
from scharten_calibration.progress import write_whole
from scharten_calibration.projector_fit import ProjectorFit, ProjectorModel, fit_projector
from scharten_calibration.projector_page import ProjectorPage

Say = Callable[[str], None]
Shots = dict[int, dict[Pattern, Grey]]
_FPS = 30
_FLASHES = 5
_SLOW_S = 2.0  # light that comes later than this is not the projector's
_UNKNOWN_DELAY_S = 0.6
_OPEN_S = 8.0
_LIVE_PICTURES = 3  # of each pattern; a referee lends one, as it has a game to watch
_FRAME_MS = 34


@dataclass(frozen=True)
class Delay:
    """From the message to other light in the pictures, in ms: the longest of a few flashes, and a frame."""

    ms: int


class LiveCameras:
    """The cameras of a rig: opened here, or, where the referee has them open, borrowed from it."""

    def __init__(self, rig: RigFile) -> None:
        self._rig = rig
        self._borrowed = bool(borrow(rig.path))
        self._readers: tuple[CameraReader, ...] = ()
        if self._borrowed:
            return
        self._readers = tuple(
            CameraReader(
                c.device, (c.model.width, c.model.height), _FPS, epoch=time.monotonic(), news=lambda: None
            )
            for c in rig.cameras
        )
        end = time.monotonic() + _OPEN_S
        while not all(reader.newest() for reader in self._readers):
            time.sleep(0.05)
            if time.monotonic() > end:
                lost = next(reader.condition() for reader in self._readers if not reader.newest())
                self.close()
                raise SchartenError(
                    f"the camera {lost.name} gives no pictures: {lost.detail}", "Look at its plug."
                )

    @property
    def each(self) -> int:
        """How many pictures of each pattern are taken together."""
        return 1 if self._borrowed else _LIVE_PICTURES

    def newest(self) -> tuple[Picture, ...]:
        """A picture of each camera that was taken after the call."""
        if self._borrowed:
            lent = borrow(self._rig.path)
            if len(lent) < len(self._rig.cameras):
                raise SchartenError("the referee lends no pictures any more", "Start it again, or stop it.")
            return tuple(lent[camera.device] for camera in self._rig.cameras)
        before = [shot[0] if (shot := reader.newest()) else -1 for reader in self._readers]
        end = time.monotonic() + _OPEN_S
        while time.monotonic() < end:
            shots = [reader.newest() for reader in self._readers]
            if all(shot and shot[0] > number for shot, number in zip(shots, before, strict=True)):
                return tuple(shot[1] for shot in shots if shot)
            time.sleep(0.003)
        raise SchartenError("a camera gives no pictures any more", "Look at its plug.")

    def close(self) -> None:
        """Free the devices."""
        for reader in self._readers:
            reader.stop()


def run_projector(rig_path: Path, url: str, secret: str | None, say: Say, keep: Path | None) -> None:
    """Calibrate with the page on the projector; the map goes to the page, map and delay into the file."""
    rig = read_rig(rig_path)
    cameras = LiveCameras(rig)
    try:
        shots, size, delay = asyncio.run(_shown(cameras, url, secret, say))
        if keep is not None:
            _write(keep, shots)
        fit = _fitted(rig, shots, size)
        _save(rig_path, fit, delay)
        asyncio.run(_sent(url, secret, fit.model))
    finally:
        cameras.close()
    say(_words(fit))
    say(f"the light is another one {delay.ms} ms after its message: cameras look away for so long")
    say(f"written: {delay_file(rig_path)}; the page draws by it from now on")


async def _sent(url: str, secret: str | None, model: ProjectorModel) -> None:
    async with ProjectorPage(url, secret) as page:
        await page.keep(model)


async def _shown(
    cameras: LiveCameras, url: str, secret: str | None, say: Say
) -> tuple[Shots, tuple[int, int], Delay]:
    async with ProjectorPage(url, secret) as page:
        window = await page.show(BLACK)
        if not window.full_screen:
            raise SchartenError(
                f"the page on the projector is not in full screen (its window is {window.size[0]}x{window.size[1]})",
                "Press F on it, or start the browser with --kiosk.",
            )
        delay = await _delay(cameras, page)
        every = patterns(window.size)
        say(
            f"the projector is {window.size[0]}x{window.size[1]}; {len(every)} patterns: keep out of its light"
        )
        shots: Shots = {}
        for pattern in every:
            if (await page.show(pattern)).size != window.size:
                raise SchartenError(
                    "the projector's window has changed its size", "Leave it alone meanwhile."
                )
            await asyncio.sleep((delay.ms + _FRAME_MS) / 1000)
            for number, grey in enumerate(await asyncio.to_thread(_mean, cameras)):
                shots.setdefault(number, {})[pattern] = grey
    return shots, window.size, delay


def _mean(cameras: LiveCameras) -> tuple[Grey, ...]:
    every = [tuple(map(_grey, cameras.newest())) for _ in range(cameras.each)]
    return tuple(np.mean(each, axis=0, dtype=np.float32) for each in zip(*every, strict=True))


def _grey(picture: Picture) -> Grey:
    return cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32)


async def _delay(cameras: LiveCameras, page: ProjectorPage) -> Delay:
    """White after black, a few times: when does every camera see more than half of it?"""
    levels = []
    for pattern in (BLACK, WHITE, BLACK):
        await page.show(pattern)
        await asyncio.sleep(_UNKNOWN_DELAY_S)
        levels.append(await asyncio.to_thread(_mean, cameras))
    dark, bright = ([float(one.mean()) for one in each] for each in (levels[2], levels[1]))
    longest = 0.0
    for flash in range(2 * _FLASHES):
        white = flash % 2 == 0
        start = time.monotonic()
        await page.begin(WHITE if white else BLACK)
        while time.monotonic() - start < _SLOW_S:
            now = [float(_grey(one).mean()) for one in await asyncio.to_thread(cameras.newest)]
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
        number: {p: _grey(read_picture(folder / f"{p.name}-{number}.png")) for p in patterns(size)}
        for number in range(len(rig.cameras))
    }
    fit = _fitted(rig, shots, size)
    _save(rig_path, fit, None)
    say(_words(fit))
    say(f"written: {delay_file(rig_path)}; `--send` gives it to the page")


def write_patterns(folder: Path, size: tuple[int, int], say: Say) -> None:
    """The patterns as pictures, to be shown by hand."""
    for pattern in patterns(size):
        write_picture(folder / f"{pattern.name}.png", drawn(pattern, size))
    say(f"written: {len(patterns(size))} patterns of {size[0]}x{size[1]} in {folder}")


def send(rig_path: Path, url: str, secret: str | None, say: Say) -> None:
    """Give the page the map of the file, as after its browser was set up anew."""
    path = delay_file(rig_path)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        numbers = tuple(float(v) for row in table["homography"] for v in row)
        model = ProjectorModel(int(table["width"]), int(table["height"]), numbers, float(table["k1"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SchartenError(
            f"{path} has no map of a projector: {error}", "Run this without --send."
        ) from error
    asyncio.run(_sent(url, secret, model))
    say("sent: the page draws by it from now on")


def _fitted(rig: RigFile, shots: Mapping[int, Mapping[Pattern, Grey]], size: tuple[int, int]) -> ProjectorFit:
    models = [camera.model for camera in rig.cameras]
    found = fit_projector(models, [decoded(shots[n], size) for n in range(len(models))], size)
    if isinstance(found, Problem):
        words, _, cure = found.words.partition(": ")
        raise SchartenError(
            f"refused ({found.code}): {words}", cure[:1].upper() + cure[1:] + "." if cure else ""
        )
    _unmoved(rig, shots)
    return found


def _unmoved(rig: RigFile, shots: Mapping[int, Mapping[Pattern, Grey]]) -> None:
    """Refuse where a camera was moved since its calibration: the map would be off by as much, and fit all the same."""
    for number, camera in enumerate(rig.calibrated()):
        white = np.clip(shots[number][WHITE], 0, 255).astype(np.uint8)
        if words := askew(camera, take_in(camera, white)):
            raise SchartenError(
                f"refused (moved): camera {number} {words}",
                "Calibrate the cameras anew: `scharten-calibrate camera`.",
            )


def _words(fit: ProjectorFit) -> str:
    return (
        f"{fit.median_mm:.2f} mm off in the mean, 95 % within {fit.most_mm:.2f} mm (at most 2) at {fit.judged} "
        f"places that were not fitted ({fit.fitted} were); {fit.covered:.0%} of the beds lit, k1 {fit.model.k1:+.3f}"
    )


def _save(rig_path: Path, fit: ProjectorFit, delay: Delay | None) -> None:
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
    if delay is not None:
        text += f"delay_ms = {delay.ms}  # from the message `light` to other light in the pictures\n"
    write_whole(delay_file(rig_path), text)


def _write(folder: Path, shots: Shots) -> None:
    for number, each in shots.items():
        for pattern, grey in each.items():
            write_picture(folder / f"{pattern.name}-{number}.png", np.clip(grey, 0, 255).astype(np.uint8))
