"""A throw given to the project: one file with the board, the bed and the licence, without place or time."""

import io
import json
import zipfile

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from lab.scenes.darts import some_dart
from lab.scenes.pictures import picture
from scharten.cli import build
from scharten.dartboard.beds import parse_bed
from scharten.sensors.given_throws import LICENCE, SHOWN_MM
from scharten.sensors.kept_throws import KeptThrows
from scharten.sensors.rig_files import read_rig
from scharten.sensors.shown_throws import ShownThrows
from scharten.vision.model import to_board
from sensors.films import make_stage, write_rig

AT_MS = 1_700_000_000_000
BED = parse_bed("F6")
WHERE = b"living room"


@pytest.fixture(scope="module")
def throws(tmp_path_factory):
    """A saved throw in F6 near the rim, from two cameras whose file names tell the place, in a room with bright
    walls."""
    stage, empties = make_stage(2)
    folder = tmp_path_factory.mktemp(WHERE.decode())
    rig = read_rig(write_rig(folder, stage, empties, tuple(folder / f"c{n}.avi" for n in range(2))))
    dart = some_dart(stage.chance, 150.0, 3.0)
    later = tuple(picture(stage.rig, n, (dart,), stage.chance) for n in range(2))
    for shot in (*empties, *later):
        shot[:12] = shot[-12:] = 255
    result = {
        "news": "dart",
        "at_ms": AT_MS,
        "segment": "F6",
        "beds": [["F6", 0.99]],
        "match": WHERE.decode(),
    }
    KeptThrows(folder / "replays", 10**9).keep(rig, result, {"before": empties, "after": later})
    return ShownThrows(folder / "replays"), rig


@pytest.fixture(scope="module")
def parts(throws):
    """Return the files of the gift by name."""
    with zipfile.ZipFile(io.BytesIO(throws[0].gift(AT_MS, BED))) as file:
        return {name.partition("/")[2]: file.read(name) for name in file.namelist()}


def test_a_gift_is_measured_like_any_saved_throw(throws, tmp_path):
    """`scharten detect --replay` finds the dart in its bed, is sure of it, and compares it with the file's truth."""
    (tmp_path / "gift.zip").write_bytes(throws[0].gift(AT_MS, BED))
    done = CliRunner().invoke(build(), ["detect", "--replay", str(tmp_path / "gift.zip"), "--json"])
    assert done.exit_code == 0, done.output
    seen = json.loads(done.stdout)
    assert seen["segment"] == "F6" and seen["confidence"] >= 0.9
    assert "exact bed       1/1" in done.stderr


def test_a_gift_shows_the_board_alone(throws, parts):
    """Every picture is black outside the board and its margin, and unchanged in colour inside."""
    _, rig = throws
    for number, camera in enumerate(rig.cameras):
        for kind in ("empty", "before", "after"):
            seen = cv2.imdecode(np.frombuffer(parts[f"{kind}{number}.jpg"], np.uint8), cv2.IMREAD_COLOR)
            height, width = seen.shape[:2]
            pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2)
            far = np.hypot(*to_board(camera.model, pixels).T).reshape(height, width)
            assert seen[far > SHOWN_MM + 15].max(initial=0) < 30  # JPEG rings a little
            assert seen[far < 170].mean() > 40


def test_a_gift_names_bed_and_licence_but_no_place_or_time(throws, parts):
    """It contains the truth and CC0, but no path, device, game, date or file time."""
    assert json.loads(parts["truth.json"]) == {"segment": "F6", "licence": LICENCE}
    assert json.loads(parts["result.json"]) == {"news": "dart", "segment": "F6", "beds": [["F6", 0.99]]}
    assert 'device = "camera 1"' in parts["cameras.toml"].decode()
    whole = throws[0].gift(AT_MS, BED)
    assert WHERE not in whole and str(AT_MS).encode() not in whole and b"avi" not in whole
    with zipfile.ZipFile(io.BytesIO(whole)) as file:
        assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert whole == throws[0].gift(AT_MS, BED), "the same throw is the same file"


def test_a_throw_that_is_not_saved_is_no_gift(throws):
    """A time without a saved throw returns nothing."""
    assert throws[0].gift(7, BED) is None
