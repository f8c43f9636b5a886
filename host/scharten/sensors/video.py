"""Cameras and pictures as they come from outside: devices by their lasting name, URLs, files."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.errors import SchartenError

Picture = NDArray[np.uint8]
BY_ID = Path("/dev/v4l/by-id")
_PICTURES = {".png", ".jpg", ".jpeg", ".bmp", ".webp"}
_SETTLE_S = 2.0  # a camera finds its exposure in this time; then it is locked
_TRIES = 50


@dataclass(frozen=True)
class Locked:
    """An open camera, and in words what its driver would not lock."""

    capture: cv2.VideoCapture
    unlocked: tuple[str, ...]


def devices() -> tuple[str, ...]:
    """The cameras on this machine by their lasting names."""
    found = sorted(BY_ID.glob("*-video-index0")) if BY_ID.is_dir() else []
    return tuple(str(path) for path in found)


def is_picture(source: str) -> bool:
    """Whether the source is the file of a single picture."""
    return "://" not in source and Path(source).suffix.lower() in _PICTURES


def read_picture(path: Path) -> Picture:
    """A picture file as BGR; a SchartenError names a file that is missing or is no picture."""
    if not path.is_file():
        raise SchartenError(f"there is no picture {path}")
    data = np.frombuffer(path.read_bytes(), np.uint8)
    picture = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
    if picture is None:
        raise SchartenError(f"{path} is not a picture that can be read", "PNG and JPEG can.")
    return np.asarray(picture, np.uint8)


def write_picture(path: Path, picture: Picture) -> None:
    """Write a PNG whole or not at all."""
    fine, data = cv2.imencode(".png", picture)
    if not fine:
        raise SchartenError(f"{path} cannot be written as PNG")
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_bytes(data.tobytes())
    draft.replace(path)


def open_camera(source: str, size: tuple[int, int], fps: int) -> Locked:
    """Open a device (MJPEG, of this size), a video file or a URL; exposure, focus and white balance locked.

    A SchartenError says why it cannot be opened.
    """
    is_device = source.startswith("/dev/")
    if not is_device and "://" not in source and not Path(source).is_file():
        raise SchartenError(f"there is no camera or file {source}", _cure())
    capture = cv2.VideoCapture(source, cv2.CAP_V4L2 if is_device else cv2.CAP_ANY)
    if not capture.isOpened():
        capture.release()
        raise SchartenError(
            f"the camera {source} cannot be opened: missing, or in use by another program", _cure()
        )
    if not is_device:
        return Locked(capture, ())
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
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
    """What a person is told of settings that a driver does not lock, or "" where it locks all."""
    return f"the driver does not lock {', '.join(names)}: keep the light steady" if names else ""


def _cure() -> str:
    seen = devices()
    return (
        "Cameras here: " + ", ".join(seen) if seen else "No camera is plugged in (nothing in /dev/v4l/by-id)."
    )


def snapshot(source: str, size: tuple[int, int]) -> tuple[Picture, tuple[str, ...]]:
    """One picture of a file or a live camera, and what the camera's driver would not lock."""
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
    raise SchartenError(
        f"{source} gives no picture", "Try another USB socket, or a lower resolution with --size."
    )
