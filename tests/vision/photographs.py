"""The shared photographs, calibrated once for all tests; a test that needs them skips where they are absent."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from scharten.sensors.photo_sets import PhotoSet, calibrated_cameras, read_set
from scharten.sensors.video import Picture, read_picture
from scharten.vision.detect import CalibratedCamera

DARTS = Path(__file__).parents[2].parent / "shared" / "darts"

needs_photographs = pytest.mark.skipif(
    not DARTS.is_dir(), reason="the photographs in ../shared/darts are absent"
)


@cache
def photo_set(name: str) -> PhotoSet:
    """The tables of one of the shared sets."""
    return read_set(DARTS / name)


@cache
def eyes_of(name: str) -> dict[int, CalibratedCamera]:
    """The cameras of a set, calibrated from its empty pictures."""
    photos = photo_set(name)
    return calibrated_cameras(photos, tuple(sorted(photos.rig)))


def empty(camera: int, name: str = "single") -> tuple[Picture, tuple[float, float]]:
    """The empty board as a camera sees it, and the point in the double 20."""
    path, point = photo_set(name).rig[camera]
    return read_picture(path), point
