"""A throw as a gift to the project: one file with the board's plane and the bed, and nothing about its place and time.

`docs/data.md` describes the file; `scharten detect --replay` measures it as any saved throw.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from scharten.dartboard.beds import Bed
from scharten.sensors.kept_throws import RIG, TRUTH, read_package
from scharten.sensors.throw_files import RESULT
from scharten.sensors.video import Picture
from scharten.vision.model import CameraModel, to_pixels
from scharten.vision.rig import RigCamera, rig_text

LICENCE: Final = "CC0-1.0"
"""The licence of every gift, by its SPDX name."""
SHOWN_MM: Final = 250.0
"""Beyond this distance from the bull, on the board's plane, pictures are black: a dartboard ends at 226 mm."""
_OF_RESULT: Final = ("news", "segment", "beds", "x_mm", "y_mm")
_QUALITY: Final = 95
_NO_TIME: Final = (1980, 1, 1, 0, 0, 0)  # the first that a ZIP file can have


def gift(package: Path, bed: Bed) -> bytes:
    """Return a saved throw as one ZIP file, with `bed` as its truth; `SchartenError` where it cannot be read."""
    saved = read_package(package)
    numbered = range(len(saved.rig.cameras))
    cameras = tuple(
        RigCamera(f"camera {number + 1}", camera.d20, f"empty{number}.jpg", camera.model)
        for number, camera in enumerate(saved.rig.cameras)
    )
    parts = {
        RIG: rig_text(cameras).encode(),
        RESULT: _json({key: saved.result[key] for key in _OF_RESULT if key in saved.result}),
        TRUTH: _json({"segment": str(bed), "licence": LICENCE}),
    }
    for kind, shots in (("empty", saved.rig.empties), ("before", saved.before), ("after", saved.current)):
        for number in numbered:
            parts[f"{kind}{number}.jpg"] = _jpeg(board_only(shots[number], cameras[number].model))
    name = "gift-" + hashlib.sha256(b"".join(parts.values())).hexdigest()[:16]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as file:
        for part, content in parts.items():
            file.writestr(zipfile.ZipInfo(f"{name}/{part}", _NO_TIME), content)
    return packed.getvalue()


def board_only(picture: Picture, model: CameraModel) -> Picture:
    """Return the picture with all black but the board's plane within SHOWN_MM of the bull."""
    turns = np.linspace(0, 2 * np.pi, 180, endpoint=False)
    rim = to_pixels(model, SHOWN_MM * np.column_stack([np.sin(turns), np.cos(turns)]))
    cover = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillPoly(cover, [np.rint(rim).astype(np.int32)], 255)
    return np.asarray(cv2.bitwise_and(picture, picture, mask=cover), np.uint8)


def _jpeg(picture: Picture) -> bytes:
    return bytes(cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))[1])


def _json(value: object) -> bytes:
    return (json.dumps(value) + "\n").encode()
