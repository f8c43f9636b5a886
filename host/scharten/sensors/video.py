"""Cameras and pictures as they come from outside: devices by their lasting name, URLs, files; and reading one."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.errors import SchartenError
from scharten.vision.shots import Shot, packed, size_of

Picture = NDArray[np.uint8]
BY_ID = Path("/dev/v4l/by-id")
_PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".webp"}
_SETTLE_S = 2.0  # a camera finds its exposure in this time; then it is locked
_TRIES = 50
_MJPG = cv2.VideoWriter.fourcc(*"MJPG")
_AS_STORED = -1  # asks FFmpeg for undecoded pictures


@dataclass(frozen=True)
class Locked:
    """An open camera, and the settings that its driver would not lock, in words."""

    capture: cv2.VideoCapture
    unlocked: tuple[str, ...]


def shown(source: str) -> str:
    """A camera's name for people: of a URL neither account nor query, in which secrets stand."""
    if "://" not in source:
        return source
    parts = urlsplit(source)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def devices() -> tuple[str, ...]:
    """The cameras on this machine by their lasting names."""
    found = sorted(BY_ID.glob("*-video-index0")) if BY_ID.is_dir() else []
    return tuple(str(path) for path in found)


def is_picture(source: str) -> bool:
    """Whether the source is the file of a single picture."""
    return "://" not in source and Path(source).suffix.lower() in _PICTURES


def read_picture(path: Path) -> Picture:
    """A picture file as BGR; a SchartenError names a file that is missing or is not a picture."""
    if not path.is_file():
        raise SchartenError.coded("no_picture_file", path=path)
    return decode_picture(path.read_bytes(), str(path))


def decode_picture(data: bytes, name: str) -> Picture:
    """Decode a picture as BGR; a `SchartenError` with its name when it is not a picture."""
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    except cv2.error:  # larger than OpenCV reads at all
        picture = None
    if picture is None:
        raise SchartenError.coded("not_a_picture", path=name)
    return np.asarray(picture, np.uint8)


def encode_png(picture: Picture, name: str) -> bytes:
    """Encode a picture without loss; a `SchartenError` with its name when that fails."""
    fine, data = cv2.imencode(".png", picture)
    if not fine:
        raise SchartenError.coded("not_png", path=name)
    return data.tobytes()


def write_picture(path: Path, picture: Picture) -> None:
    """Write a PNG whole or not at all."""
    data = encode_png(picture, str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def open_camera(source: str, size: tuple[int, int], fps: int) -> Locked:
    """Open a device (MJPEG, of this size), a video file or a URL; exposure, focus and white balance locked.

    Raise SchartenError with the reason if it cannot be opened.
    """
    is_device = source.startswith("/dev/")
    if not is_device and "://" not in source and not Path(source).is_file():
        raise _lacking("no_camera", "no_camera_plugged", source)
    capture = cv2.VideoCapture(source, cv2.CAP_V4L2 if is_device else cv2.CAP_ANY)
    if not capture.isOpened():
        capture.release()
        raise _lacking("camera_busy", "camera_busy_alone", source)
    if not is_device:
        return Locked(capture, ())
    capture.set(cv2.CAP_PROP_FOURCC, _MJPG)
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
    capture.set(cv2.CAP_PROP_FPS, fps)
    end = time.monotonic() + _SETTLE_S
    while time.monotonic() < end:
        capture.read()
    return Locked(capture, lock(capture))


def lock(capture: cv2.VideoCapture) -> tuple[str, ...]:
    """Keep what the camera has chosen by now."""
    exposure = capture.get(cv2.CAP_PROP_EXPOSURE)
    warmth = capture.get(cv2.CAP_PROP_WB_TEMPERATURE)
    done = {
        "focus": capture.set(cv2.CAP_PROP_AUTOFOCUS, 0),
        "exposure": capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, 1)
        and capture.set(cv2.CAP_PROP_EXPOSURE, exposure),
        "white balance": capture.set(cv2.CAP_PROP_AUTO_WB, 0)
        and capture.set(cv2.CAP_PROP_WB_TEMPERATURE, warmth),
    }
    return tuple(name for name, locked in done.items() if not locked)


def unlocked_words(names: tuple[str, ...]) -> str:
    """The warning about settings that a driver does not lock, or "" when it locks all."""
    return f"the driver does not lock {', '.join(names)}: keep the light steady" if names else ""


def _lacking(code: str, alone: str, source: str) -> SchartenError:
    """Return the error `code`, which names the cameras here, or `alone` without any."""
    found = devices()
    return SchartenError.coded(code if found else alone, source=source, found=found)


def snapshot(source: str, size: tuple[int, int]) -> tuple[Picture, tuple[str, ...]]:
    """Return one picture of a file or a live camera, and the settings that its driver would not lock."""
    if is_picture(source):
        return read_picture(Path(source)), ()
    camera = open_camera(source, size, 30)
    try:
        for _ in range(_TRIES):
            fine, picture = camera.capture.read()
            if fine:
                return np.asarray(picture, np.uint8), camera.unlocked
    finally:
        camera.capture.release()
    raise SchartenError.coded("no_picture", source=source)


def _ask_for_jpegs(capture: cv2.VideoCapture) -> None:
    """Have a source of JPEGs give them as they are; a source that gives something else decodes as before."""
    if int(capture.get(cv2.CAP_PROP_FOURCC)) != _MJPG:
        return
    if capture.getBackendName() == "V4L2":
        capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)
    else:
        capture.set(cv2.CAP_PROP_FORMAT, _AS_STORED)


def _read(capture: cv2.VideoCapture, otherwise: Shot | None = None) -> Shot | None:
    """Return the next picture, or `otherwise` if the capture gives no picture."""
    fine, data = capture.read()
    if not fine:
        return otherwise
    given = np.asarray(data, np.uint8)
    return given if given.ndim == 3 else packed(given) or otherwise


RETRY_S = 1.0
GONE_S = 1.5
"""A camera that gives no picture for so long is lost."""
_RATE_OVER = 30  # pictures over which the rate is counted


@dataclass(frozen=True)
class Condition:
    """How a camera is, for people: `state` is found or lost.

    `given` and `calibrated` are sizes in pixels, when its pictures have another size than at its calibration.
    """

    name: str
    state: str
    fps: float
    detail: str
    given: str = ""
    calibrated: str = ""


def _file(path: str) -> int | None:
    """Identity of the file that has this name now, or None."""
    try:
        return Path(path).stat().st_ino
    except OSError:
        return None


def _pixels(size: tuple[int, ...]) -> str:
    return "x".join(map(str, size))


class CameraReader:
    """Reads a device, a URL or a file.

    A file plays at its own rate from `epoch` on, and its last picture stays; when another file takes its name, that
    one plays.
    """

    def __init__(
        self,
        source: str,
        size: tuple[int, int],
        fps: int,
        *,
        epoch: float,
        news: Callable[[], None],
    ) -> None:
        self.source = f"/dev/video{source}" if source.isdecimal() else source
        self._size, self._fps, self._epoch, self._news = size, fps, epoch, news
        self._lock = threading.Lock()
        self._newest: tuple[int, Shot] | None = None
        self._times: list[float] = []
        self._detail, self._other_size = "not opened yet", ""
        self._note = ""  # what is to be known of it although it gives pictures
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"camera {shown(source)}", daemon=True)
        self._thread.start()

    @property
    def is_file(self) -> bool:
        """Whether it plays a file instead of watching."""
        return "://" not in self.source and not self.source.startswith("/dev/")

    def newest(self) -> tuple[int, Shot] | None:
        """The number and the newest picture, or None while the camera is lost."""
        with self._lock:
            if not self._times or time.monotonic() - self._times[-1] > GONE_S:
                return None
            return self._newest

    def condition(self) -> Condition:
        """How the camera is now."""
        found = self.newest() is not None
        with self._lock:
            span = self._times[-1] - self._times[0] if len(self._times) > 1 else 0.0
            rate = (len(self._times) - 1) / span if found and span > 0 else 0.0
            detail, given = self._note if found else self._detail, self._other_size
        state, calibrated = "found" if found else "lost", _pixels(self._size) if given else ""
        return Condition(shown(self.source), state, round(rate, 1), detail, given, calibrated)

    def stop(self) -> None:
        """End the thread."""
        self._stopping.set()
        self._thread.join(2)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                opened = open_camera(self.source, self._size, self._fps)
            except SchartenError as error:
                self._lose(f"{error.message} {error.cure}".replace(self.source, shown(self.source)))
            except cv2.error:
                self._lose("OpenCV cannot read it")
            else:
                capture = opened.capture
                _ask_for_jpegs(capture)
                self._tell("it gives no pictures: is its plug loose?", unlocked_words(opened.unlocked))
                reopen = self._play(capture) if self.is_file else self._watch(capture)
                capture.release()
                if reopen:
                    continue
            self._stopping.wait(RETRY_S)

    def _tell(self, detail: str, note: str = "") -> None:
        with self._lock:
            self._detail, self._note = detail, note

    def _watch(self, capture: cv2.VideoCapture) -> bool:
        """Watch a live camera until it is lost; return whether to open it again at once."""
        while not self._stopping.is_set():
            shot = _read(capture)
            if shot is None or not self._keep(shot):
                return False
        return False

    def _play(self, capture: cv2.VideoCapture) -> bool:
        """A file: the picture that is due by the clock; overdue ones are skipped, the last one stays."""
        period = 1 / (capture.get(cv2.CAP_PROP_FPS) or self._fps)
        started = self._epoch if self._newest is None else time.monotonic()
        final = int(capture.get(cv2.CAP_PROP_FRAME_COUNT)) - 1
        final = final if final > 0 else sys.maxsize  # some files do not tell their length
        file, number, last = _file(self.source), -1, None
        while not self._stopping.is_set():
            now = _file(self.source)
            if now is None:
                self._lose("the file is gone")
            if now is None or now != file:
                return now is not None
            due = min(int((time.monotonic() - started) / period), final)
            while number < due - 1 and capture.grab():  # overdue
                number += 1
            if number < due:
                last = _read(capture, last)
                number = due
            if number == final:
                self._tell(self._detail, "the film has ended; its last picture stays")
            if last is not None and not self._keep(last):
                return False
            self._stopping.wait(period - (time.monotonic() - started) % period)
        return False

    def _lose(self, detail: str, other_size: str = "") -> None:
        with self._lock:
            self._times.clear()
            self._detail, self._other_size = detail, other_size
        self._news()

    def _keep(self, shot: Shot) -> bool:
        if size_of(shot) != self._size:
            given, wanted = _pixels(size_of(shot)), _pixels(self._size)
            self._lose(f"it gives {given} pixels but was calibrated with {wanted}: calibrate it again", given)
            return False
        with self._lock:
            self._other_size = ""
            number = self._newest[0] + 1 if self._newest else 0
            self._newest = (number, shot)
            self._times.append(time.monotonic())
            del self._times[:-_RATE_OVER]
        self._news()
        return True
