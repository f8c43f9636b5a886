"""The camera pictures for the page: the empty board of the calibration first, then the newest throw."""

import cv2
import numpy as np
import pytest

from scharten.sensors.kept_throws import KeptThrows, LastPictures
from scharten.sensors.rig_files import find_rig
from scharten.sensors.settings import CameraSection
from sensors.films import make_stage, write_film


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """Two calibrated cameras."""
    stage, empties = make_stage(2)
    return write_film(tmp_path_factory.mktemp("film"), stage, empties, ())


def picture(jpeg: bytes) -> np.ndarray:
    """Decode a JPEG into pixels."""
    return cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)


def test_the_newest_throw_is_shown_with_the_calibration_on_it(film, tmp_path):
    """Before a throw the pictures show the empty board, then that throw. The overlay adds only thin lines."""
    shown = LastPictures(
        CameraSection(devices=tuple(map(str, film.paths)), calibration=str(film.rig)), tmp_path
    )
    first = shown()
    assert set(first) == {"camera 1", "camera 1 overlay", "camera 2", "camera 2 overlay"}
    plain, drawn = picture(first["camera 1"]), picture(first["camera 1 overlay"])
    changed = (np.abs(plain.astype(int) - drawn).max(axis=2) > 60).mean()
    assert 0.001 < changed < 0.2
    assert shown() is first, "drawn once"
    rig = find_rig(str(film.rig), tmp_path)
    grey = tuple(np.full_like(empty, 90) for empty in rig.empties)
    KeptThrows(tmp_path / "replays", 50_000_000).keep(
        rig, {"at_ms": 1_795_190_400_000}, {"before": rig.empties, "after": grey}
    )
    second = shown()
    assert abs(float(picture(second["camera 2"]).mean()) - 90) < 2
    assert picture(second["camera 2 overlay"]).std() > 1
