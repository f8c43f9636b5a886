"""Saved throws and sequences from the command line: measured again, reported, or refused with a message."""

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from lab.scenes.darts import some_dart
from lab.scenes.events import all_taken
from lab.scenes.pictures import make_rig, picture
from scharten.cli import build
from scharten.errors import SchartenError
from scharten.match.events import Happened, HitReport
from scharten.sensors.kept_throws import KeptThrows, Truths
from scharten.sensors.rig_files import RigFile
from scharten.vision.calibrate.fit import Calibration, calibrate
from scharten.vision.rig import RigCamera
from sensors.films import make_stage, throw, write_film

EVENTS = Path(__file__).parents[2].parent / "shared" / "darts" / "events"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A folder with one throw in F6, as the camera source saves it, corrected by a person to D6."""
    chance = np.random.default_rng(31)
    rig = make_rig(chance, cameras=2)
    empties = tuple(picture(rig, n, (), chance) for n in range(2))
    cameras = []
    for n, (eye, empty) in enumerate(zip(rig.cameras, empties, strict=True)):
        found = calibrate(empty, eye.d20)
        assert isinstance(found, Calibration)
        cameras.append(RigCamera(f"camera{n}", eye.d20, "empty.png", found.model))
    dart = some_dart(chance, 135.0, 3.0)
    later = tuple(picture(rig, n, (dart,), chance) for n in range(2))
    replays = KeptThrows(tmp_path_factory.mktemp("replays"), 10**9)
    result = {"news": "dart", "at_ms": 1_700_000_000_000, "segment": "F6"}
    replays.keep(RigFile(Path("here"), tuple(cameras), empties), result, {"before": empties, "after": later})
    truths = Truths(replays.folder)
    truths.on_event(HitReport(1_700_000_000_000, "camera", None, (), (), True, "", 1.0))
    truths.on_event(Happened("corrected", {"was": "F6", "bed": "D6"}))
    return replays.folder


def test_a_saved_throw_is_measured_again_and_compared_with_its_truth(saved):
    """--replay finds the dart in F6 again, and counts it as wrong against the correction to D6."""
    done = CliRunner().invoke(build(), ["detect", "--replay", str(saved), "--json"])
    assert done.exit_code == 0, done.output
    (line,) = [json.loads(text) for text in done.stdout.splitlines()]
    assert line["segment"] == "F6"
    assert abs(line["x_mm"] - 135) < 2 and abs(line["y_mm"] - 3) < 2
    assert "exact bed       0/1" in done.stderr


def in_a_game(saved: Path, folder: Path) -> Path:
    """Return a data folder that holds the saved throw as one of the game m1."""
    shutil.copytree(saved, folder / "data" / "replays")
    for package in (folder / "data" / "replays").iterdir():
        (package / "game.json").write_text('{"match": "m1"}')
    return folder / "data"


def test_all_throws_of_a_game_are_written_into_one_measurable_file(saved, tmp_path):
    """`throws` lists and writes the game; `detect --replay` measures the file like the folder. An unknown game is
    refused."""
    data, run = in_a_game(saved, tmp_path), CliRunner()
    listed = run.invoke(build(), ["throws", "--data", str(data)])
    assert listed.output == "m1  1 throw\n"
    done = run.invoke(build(), ["throws", "m1", str(tmp_path / "m1.zip"), "--data", str(data)])
    assert done.exit_code == 0, done.output
    repeated = run.invoke(build(), ["detect", "--replay", str(tmp_path / "m1.zip"), "--json"])
    assert json.loads(repeated.stdout)["segment"] == "F6"
    assert "exact bed       0/1" in repeated.stderr, "the truth is in the file"
    missing = run.invoke(build(), ["throws", "m2", "--data", str(data)])
    assert isinstance(missing.exception, SchartenError) and "m2" in missing.exception.message


def test_detect_requires_exactly_one_source():
    """`scharten detect` refuses no source, and a set together with saved throws."""
    for arguments in ([], ["set", "--replay", "there"]):
        done = CliRunner().invoke(build(), ["detect", *arguments])
        assert isinstance(done.exception, SchartenError) and "Name one of" in str(done.exception)


@pytest.mark.darts
def test_the_real_sequences_are_reported_by_the_command():
    """`scharten detect --events` reports bounced, surround and dart, one line each."""
    done = CliRunner().invoke(build(), ["detect", "--events", str(EVENTS), "--json"])
    reports = [json.loads(text) for text in done.stdout.splitlines()]
    assert [(item["sequence"], item["event"]) for item in reports] == [
        ("bounce_out", "bounced"),
        ("edge_impact", "surround"),
        ("impact_behind", "dart"),
    ]
    assert reports[2]["confidence"] < 0.9, "one camera does not see how far a dart reaches behind others"


@pytest.mark.long
def test_a_film_s_events_have_the_film_s_own_times(tmp_path):
    """`scharten detect --events FILM` reports a dart and its takeout by the film's clock, not the time of reading."""
    stage, empties = make_stage(1)
    film = write_film(tmp_path, stage, empties, (throw(2.0, 135.0), all_taken))
    done = CliRunner().invoke(build(), ["detect", "--events", str(film.paths[0]), "--json"])
    assert done.exit_code == 0, done.output
    reports = [json.loads(text) for text in done.stdout.splitlines()]
    assert [item["event"] for item in reports] == ["empty", "dart", "empty"]
    assert 600 < reports[1]["at_ms"] < 1000, "the dart flies after 22 frames of 33 ms"


def test_a_file_that_is_no_film_is_refused(tmp_path):
    """A text file named film.avi ends the command with a message."""
    (tmp_path / "film.avi").write_text("no film")
    done = CliRunner().invoke(build(), ["detect", "--events", str(tmp_path / "film.avi")])
    assert isinstance(done.exception, SchartenError) and "is not a film" in str(done.exception)


def test_an_empty_picture_without_a_board_is_refused(tmp_path):
    """The command ends with a message when the picture of the empty board is plain grey."""
    (tmp_path / "one").mkdir()
    for path in (tmp_path / "empty.png", tmp_path / "one" / "frame_00.png"):
        cv2.imwrite(str(path), np.full((480, 640, 3), 128, np.uint8))
    done = CliRunner().invoke(
        build(), ["detect", "--events", str(tmp_path), "--empty", str(tmp_path / "empty.png")]
    )
    assert isinstance(done.exception, SchartenError) and "No dartboard was found" in str(done.exception)
