"""When people correct the cameras too often, the page names the camera to calibrate."""

import json
import time

import pytest

from scharten.match.events import Happened
from scharten.sensors.corrections import CalibrationReminder, camera_to_calibrate


def keep(folder, number, *, truth=None, alone=None, rig="rig", news="dart"):
    """A kept throw in F20, as the cameras' process writes it."""
    throw = folder / f"20260101-000000-{number:03d}"
    throw.mkdir(parents=True)
    data = {"news": news, "segment": "F20", "alone": alone or {"0": "F20", "1": "F20"}}
    (throw / "result.json").write_text(json.dumps(data))
    (throw / "cameras.toml").write_text(rig)
    if truth is not None:
        (throw / "truth.json").write_text(json.dumps({"segment": truth}))


@pytest.mark.parametrize(("corrected", "named"), [(19, ""), (20, "20 of the last 100 darts")])
def test_from_a_fifth_of_the_last_hundred_darts_on_a_camera_is_named(tmp_path, corrected, named):
    """19 of 100 say nothing; 20 name the camera whose own line led elsewhere, and where to calibrate it."""
    for number in range(120):
        wrong = number >= 120 - corrected
        keep(tmp_path, number, truth="T20" if wrong else None, alone={"0": "T20", "1": "F20"})
    found = camera_to_calibrate(tmp_path)
    words = found.words if found else ""
    assert (named in words and "calibrate camera 2 on /setup" in words) if named else found is None


def test_what_the_cameras_had_right_and_what_is_older_than_the_calibration_does_not_count(tmp_path):
    """Confirmed darts, bounce-outs, damaged files and darts of an earlier calibration blame nobody."""
    for number in range(30):
        keep(tmp_path, number, truth="T20", rig="old")
    for number in range(30, 60):
        keep(tmp_path, number, truth="F20")
    for number in range(60, 90):
        keep(tmp_path, number, truth="T20", news="bounced")
    keep(tmp_path, 91)
    (tmp_path / "20260101-000000-091" / "result.json").write_text("{")
    assert camera_to_calibrate(tmp_path) is None


def test_it_is_looked_at_beside_the_referee_after_each_correction(tmp_path):
    """At the start there is nothing to say; with the correction that makes the fifth the warning comes."""
    said = []
    reminder = CalibrationReminder(tmp_path, said.append)
    for number in range(20):
        keep(tmp_path, number, truth="MISS")
    reminder.on_event(Happened("corrected", {"was": "F20", "bed": "T20"}))
    for _ in range(3000):
        if said and said[-1]:
            break
        time.sleep(0.01)
    assert said[-1] is not None and "calibrate camera 1" in said[-1].words
