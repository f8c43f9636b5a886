"""Calibrate cameras from a page: a picture of the empty board, a point in the double 20 or four wires, a model."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2

from scharten.dartboard.locate import bed_at
from scharten.errors import Problem, SchartenError
from scharten.sensors.shared_pictures import request_pictures
from scharten.sensors.video import (
    Picture,
    devices,
    is_picture,
    shown,
    snapshot,
    unlocked_words,
    write_picture,
)
from scharten.setup.config_file import ConfigFile
from scharten.vision.calibrate.clicks import WIRE_NAMES, Wires, calibrate_clicks
from scharten.vision.calibrate.fit import Calibration, calibrate, overlay
from scharten.vision.model import double_20
from scharten.vision.rig import MOST_CAMERAS, RigCamera, rig_text

Point = tuple[float, float]
RECORDINGS: Final = "recordings"
"""The folder in the data folder with pictures and films that can replace cameras."""
_FILMS: Final = {".avi", ".mp4", ".mkv", ".mjpeg"}
_ADDRESS: Final = re.compile(r"(rtsp|https?)://[^\s/@?#]+(:\d+)?(/[^\s]*)?")
_SIZE: Final = (800, 600)
_SHOWN_PX: Final = 960
_QUALITY: Final = 80


@dataclass(frozen=True)
class _Shot:
    """A camera's picture of the empty board, and the model once a person pointed at the double 20."""

    picture: Picture
    point: Point = (0.0, 0.0)
    found: Calibration | None = None


class CameraCalibration:
    """The cameras of a calibration, at most three; nothing is written before `write`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shots: dict[str, _Shot] = {}

    def available(self) -> list[dict[str, Any]]:
        """Return the cameras that are plugged in, and the recordings."""
        found = [{"device": device, "recorded": False} for device in devices()]
        recordings = self._folder / RECORDINGS
        for path in sorted(recordings.iterdir()) if recordings.is_dir() else ():
            if is_picture(str(path)) or path.suffix.lower() in _FILMS:
                found.append({"device": str(path), "recorded": True})
        return found[:24]

    def may_use(self, device: str, typed: bool) -> bool:
        """Return whether a page may name this camera: an available one, or an address where it may be typed."""
        available = {camera["device"] for camera in self.available()}
        return device in available or (typed and bool(_ADDRESS.fullmatch(device)))

    def picture(self, device: str) -> dict[str, Any]:
        """Take a picture with this camera, or take the daemon's if it has the camera open; `SchartenError` without."""
        try:
            picture, unlocked = snapshot(device, _SIZE)
        except SchartenError:
            shared = request_pictures(self.path)
            if device not in shared:
                raise
            picture, unlocked = shared[device], ()
        if device not in self._shots and len(self._shots) >= MOST_CAMERAS:
            self._shots.pop(next(iter(self._shots)))
        self._shots[device] = _Shot(picture)
        words = {"name": shown(device), "note": unlocked_words(unlocked), "wires": list(WIRE_NAMES)}
        return {**_shown_picture(picture), **words}

    def point(self, device: str, at: Point) -> dict[str, Any] | Problem:
        """Return the board's model with this pixel in the double 20, drawn over the picture, or a `Problem`."""
        shot = self._shots.get(device)
        if shot is None:
            return Problem("no_picture", "there is no picture of that camera yet")
        height, width = shot.picture.shape[:2]
        inside = 0 <= at[0] < width and 0 <= at[1] < height
        found = (
            calibrate(shot.picture, at)
            if inside
            else Problem("wrong_point", "the point is beside the picture")
        )
        return self._answer(device, shot.picture, at, found)

    def wires(self, device: str, at: Wires) -> dict[str, Any] | Problem:
        """Return the board's model with these four wires, drawn over the picture, or a `Problem`; in any colours."""
        shot = self._shots.get(device)
        if shot is None:
            return Problem("no_picture", "there is no picture of that camera yet")
        found = calibrate_clicks(shot.picture, at)
        point = (0.0, 0.0) if isinstance(found, Problem) else double_20(found.model)
        return self._answer(device, shot.picture, point, found)

    def _answer(
        self, device: str, picture: Picture, point: Point, found: Calibration | Problem
    ) -> dict[str, Any] | Problem:
        if isinstance(found, Problem):
            self._shots[device] = _Shot(picture)
            return Problem(found.code, found.words)
        self._shots[device] = _Shot(picture, point, found)
        left = found.leftover
        return {
            **_shown_picture(overlay(picture, found.model, left)),
            "residual_mm": round(found.model.residual_mm, 2),
            "left_in": str(bed_at(left.x_mm, left.y_mm)) if left else None,
        }

    @property
    def path(self) -> Path:
        """The file of the calibration that a start finds first, or the file to write."""
        places = (self._folder / "cameras.toml", self._folder / "profiles" / "cameras.toml")
        return next((place for place in places if place.is_file()), places[1])

    def write(self, chosen: list[str]) -> Problem | None:
        """Write the models of these cameras and their pictures of the empty board, the file last; all need a model."""
        rig = []
        for number, device in enumerate(chosen):
            shot = self._shots.get(device)
            if shot is None or shot.found is None:
                return Problem(
                    "not_calibrated", f"{shown(device)} is not calibrated", {"camera": shown(device)}
                )
            rig.append(
                RigCamera(device, shot.point, f"{self.path.stem}-empty-{number}.png", shot.found.model)
            )
        for camera in rig:
            write_picture(self.path.with_name(camera.empty), self._shots[camera.device].picture)
        ConfigFile(self.path).replace(rig_text(tuple(rig)))
        self._shots.clear()
        return None

    def calibrated(self, chosen: list[str]) -> bool:
        """Return whether any of these cameras has a model that is not written yet."""
        return any(device in self._shots and self._shots[device].found for device in chosen)


def _shown_picture(picture: Picture) -> dict[str, Any]:
    """Return a picture for a page, small enough to send, and its true size, in which the page gives points."""
    height, width = picture.shape[:2]
    scale = min(1.0, _SHOWN_PX / max(width, height))
    small = (
        cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
    )
    _, packed = cv2.imencode(".jpg", small, (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))
    data = base64.b64encode(packed.tobytes()).decode()
    return {"picture": f"data:image/jpeg;base64,{data}", "width": width, "height": height}
