"""What the cameras last saw, for the machine room: each camera's last throw, with the calibration drawn on it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

import cv2

from scharten.errors import SchartenError
from scharten.sensors.camera_files import RigFile, find_rig, matched, packages, read_package
from scharten.sensors.camera_process import Wish
from scharten.sensors.video import Picture
from scharten.vision.calibrate import overlay

_QUALITY = 80


class LastPictures:
    """Called, gives JPEGs by name (`camera 1`, `camera 1 overlay`): of the newest replay package, or as calibrated.

    Drawn once per throw, whoever asks how often; a package that is being removed gives what was there before.
    """

    def __init__(self, wish: Wish) -> None:
        self._wish = wish
        self._lock = threading.Lock()
        self._of: str | None = None
        self._drawn: Mapping[str, bytes] = {}

    def __call__(self) -> Mapping[str, bytes]:
        """The pictures by name."""
        with self._lock:
            newest = self._newest()
            name = newest.name if newest else ""
            if name != self._of:
                try:
                    self._drawn, self._of = _drawn(*self._seen(newest)), name
                except SchartenError:
                    self._of = None
            return self._drawn

    def _newest(self) -> Path | None:
        try:
            return packages(Path(self._wish.data) / self._wish.replays)[-1]
        except SchartenError:
            return None

    def _seen(self, newest: Path | None) -> tuple[RigFile, tuple[Picture, ...]]:
        if newest is None:
            rig = matched(find_rig(self._wish.calibration, Path(self._wish.data)), self._wish.devices)
            return rig, rig.empties
        package = read_package(newest)
        return package.rig, package.after


def _drawn(rig: RigFile, pictures: tuple[Picture, ...]) -> dict[str, bytes]:
    found = {}
    for number, (camera, picture) in enumerate(zip(rig.cameras, pictures, strict=True), 1):
        found[f"camera {number}"] = _jpeg(picture)
        found[f"camera {number} overlay"] = _jpeg(overlay(picture, camera.model))
    return found


def _jpeg(picture: Picture) -> bytes:
    return bytes(cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))[1])
