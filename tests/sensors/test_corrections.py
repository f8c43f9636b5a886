"""When people correct the cameras too often, the page names the camera to calibrate."""

import json
import time

import pytest

from scharten.match.events import Happened
from scharten.sensors.corrections import CalibrationReminder, camera_to_calibrate


def save_throw(folder, number, *, truth=None, alone=None, rig="rig", news="dart"):
    """Save a throw in F20 as the cameras' process writes it."""
    throw = folder / f"20260101-000000-{number:03d}"
    throw.mkdir(parents=True)
    data = {"news": news, "segment": "F20", "alone": alone or {"0": "F20", "1": "F20"}}
    (throw / "result.json").write_text(json.dumps(data))
    (throw / "cameras.toml").write_text(rig)
    if truth is not None:
        (throw / "truth.json").write_text(json.dumps({"segment": truth}))


@pytest.mark.parametrize(("corrected", "named"), [(19, ""), (20, "20 of the last 100 darts")])
def test_corrections_of_a_fifth_of_the_last_hundred_darts_name_a_camera(tmp_path, corrected, named):
    """19 corrections give no message; 20 name the camera whose own line led to the wrong bed, and where to
    calibrate it."""
    for number in range(120):
        wrong = number >= 120 - corrected
        save_throw(tmp_path, number, truth="T20" if wrong else None, alone={"0": "T20", "1": "F20"})
    found = camera_to_calibrate(tmp_path)
    words = found.words if found else ""
    assert (named in words and "calibrate camera 2 on /setup" in words) if named else found is None


def test_confirmed_bounced_damaged_and_older_throws_do_not_count(tmp_path):
    """Confirmed darts, bounce-outs, damaged files and throws of an earlier calibration name no camera."""
    for number in range(30):
        save_throw(tmp_path, number, truth="T20", rig="old")
    for number in range(30, 60):
        save_throw(tmp_path, number, truth="F20")
    for number in range(60, 90):
        save_throw(tmp_path, number, truth="T20", news="bounced")
    save_throw(tmp_path, 91)
    (tmp_path / "20260101-000000-091" / "result.json").write_text("{")
    assert camera_to_calibrate(tmp_path) is None


def test_a_correction_makes_the_reminder_count_again(tmp_path):
    """The reminder counts in a thread of its own, and warns after the correction that reaches a fifth."""
    warnings = []
    reminder = CalibrationReminder(tmp_path, warnings.append)
    for number in range(20):
        save_throw(tmp_path, number, truth="MISS")
    reminder.on_event(Happened("corrected", {"was": "F20", "bed": "T20"}))
    for _ in range(3000):
        if warnings and warnings[-1]:
            break
        time.sleep(0.01)
    assert warnings[-1] is not None and "calibrate camera 1" in warnings[-1].words
