"""The source `camera` through its real interfaces: video files read by OpenCV, its own process, the whole daemon."""

import base64
import json
import os
import shutil
import signal
from pathlib import Path

import cv2
import numpy as np
import pytest

from lab.daemon_process import FAST, DaemonProcess, wait_for
from lab.scenes.events import all_taken
from scharten.dartboard.beds import MISS, parse_bed
from scharten.errors import SchartenError
from scharten.match.dart import Dart
from scharten.match.events import Happened, HitReport
from scharten.match.inputs import Cleared, Reading, SensorChanged, SensorState
from scharten.sensors import camera, shared_pictures
from scharten.sensors.camera import dart_seen, source_state
from scharten.sensors.camera_process import result_of
from scharten.sensors.kept_throws import Truths, packages, read_package
from scharten.sensors.rig_files import find_rig, matched
from scharten.sensors.shared_pictures import PictureDoor, request_pictures
from scharten.sensors.video import encode_png, lock, shown, unlocked_words
from scharten.vision.detect.fuse import SeenDart
from scharten.vision.follow.throw_states import Happening, HappeningKind
from scharten_calibration.progress import write_whole
from sensors.films import Film, Listener, make_stage, throw, write_film, write_still

F20 = (2.0, 135.0)


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """Two cameras film a dart into F20 and a hand that takes it out, slowly enough for a busy machine."""
    stage, empties = make_stage(2)
    return write_film(tmp_path_factory.mktemp("film"), stage, empties, (throw(*F20), all_taken), fps=8)


@pytest.mark.long
def test_a_filmed_dart_is_seen_in_its_bed_and_saved(film, tmp_path):
    """Frames become one dart in its bed, then a cleared board. The saved throw takes the bed of a correction."""
    with Listener(film, tmp_path) as listener:
        wait_for(lambda: listener.all_of(Dart), 40, "a dart")
        wait_for(lambda: len(listener.all_of(Cleared)) > 1, 60, "the board to be empty again")
    (dart,) = listener.all_of(Dart)
    assert str(dart.beds[0][0]) == "F20"
    assert abs(dart.x_mm - F20[0]) < 3 and abs(dart.y_mm - F20[1]) < 3
    assert listener.all_of(SensorChanged)[-1].state is SensorState.FOUND
    (folder,) = packages(tmp_path / "replays")
    at_ms = next(
        given.at_ms for given in listener.inputs if isinstance(given, Reading) and given.what is dart
    )
    truths = Truths(tmp_path / "replays")
    for event in (
        HitReport(at_ms, "camera", None, (), (), True, "", 1.0),
        Happened("corrected", {"bed": "F1"}),
    ):
        truths.on_event(event)
    package = read_package(folder)
    assert package.truth == "F1"
    assert package.result["segment"] == "F20"
    assert len(package.before) == len(package.current) == 2


@pytest.mark.long
def test_a_camera_lost_and_found_again_is_reported(film, tmp_path):
    """A camera whose file vanishes is reported lost; it is found again without a restart when the file returns."""
    folder = tmp_path / "film"
    shutil.copytree(film.rig.parent, folder)
    paths = tuple(str(folder / path.name) for path in film.paths)
    with Listener(film, tmp_path / "data", devices=paths) as listener:

        def state() -> tuple:
            changes = listener.all_of(SensorChanged)
            return (changes[-1].state, changes[-1].detail) if changes else (None, "")

        wait_for(lambda: state() == (SensorState.FOUND, ""), 40, "both cameras")
        Path(paths[0]).rename(folder / "away")
        wait_for(lambda: state()[0] is SensorState.FOUND and "1 of 2" in state()[1], 40, "one camera lost")
        (remark,) = listener.reported["remarks"][-1]
        assert (remark["code"], remark["args"]) == ("cameras_lost", {"cameras": [1], "left": 1, "of": 2})
        Path(paths[1]).rename(folder / "away too")
        wait_for(lambda: state()[0] is SensorState.LOST, 40, "both lost")
        (folder / "away").rename(paths[0])
        (folder / "away too").rename(paths[1])
        wait_for(lambda: state() == (SensorState.FOUND, ""), 40, "both cameras again")
    assert listener.cameras[-1][0]["fps"] > 5


@pytest.mark.long
def test_an_endless_announcement_of_light_is_reported_and_ignored(film, tmp_path):
    """The cameras pause for an occasional change of light. They name a client that announces changes without end,
    and continue."""
    listeners = []
    with Listener(film, tmp_path, on_light=listeners.append) as listener:
        wait_for(lambda: listener.all_of(SensorChanged), 40, "the cameras")
        listeners[0]("projector", 100, True)
        for _ in range(3):
            listeners[0]("mallory", 9000, False)
        wait_for(
            lambda: "mallory announced" in listener.all_of(SensorChanged)[-1].detail,
            40,
            "the name of the client",
        )
        waits = "mallory changes the light on the board. Darts count again when it is over."
        wait_for(
            lambda: waits in [given.detail for given in listener.all_of(SensorChanged)],
            40,
            "the reason for the pause",
        )
        listeners[0]("projector", 100, True)
        wait_for(
            lambda: listener.all_of(SensorChanged)[-1].state is SensorState.FOUND,
            40,
            "the cameras to look again",
        )
    assert listener.all_of(SensorChanged)[-1].state is SensorState.FOUND
    assert "projector" not in listener.all_of(SensorChanged)[-1].detail


@pytest.mark.long
def test_the_end_of_a_film_and_a_process_that_hangs_are_reported(film, tmp_path, monkeypatch):
    """A camera whose film ended stays found, with a remark. A stopped process is killed and restarted, and the
    cameras are found again."""
    still = Film(tuple(tmp_path / path.name for path in film.paths), film.rig)
    write_still(still, tuple(cv2.imread(str(film.rig.parent / f"empty{n}.png")) for n in range(2)))
    with Listener(still, tmp_path / "data") as listener:
        wait_for(lambda: "the film has ended" in str(listener.cameras), 60, "the end")
        assert listener.cameras[-1][0]["state"] == "found"
        listener.sensor.look_after()
        os.kill(listener.sensor._process.pid, signal.SIGSTOP)
        monkeypatch.setattr(camera, "HANGS_S", 1.0)

        def restarted() -> bool:
            listener.sensor.look_after()
            return "restarted" in str(listener.reported["remarks"])

        wait_for(restarted, 40, "the end of the process that hangs")
        monkeypatch.undo()
        wait_for(
            lambda: listener.all_of(SensorChanged)[-1].state is SensorState.FOUND, 40, "the cameras again"
        )


@pytest.mark.long
def test_the_daemon_counts_a_filmed_dart(film, tmp_path):
    """`scharten run` with kind = "camera" counts the film's dart in F20. The cameras' process ends when the daemon
    is killed."""
    live = Film(tuple(tmp_path / path.name for path in film.paths), film.rig)
    write_still(live, tuple(cv2.imread(str(film.rig.parent / f"empty{n}.png")) for n in range(2)))
    config = FAST + '[source]\nkind = "camera"\n[source.camera]\n'
    config += f"devices = {json.dumps([str(path) for path in live.paths])}\n"
    config += f"calibration = {json.dumps(str(film.rig))}\n"
    daemon = DaemonProcess(tmp_path / "data", config)
    try:
        table = daemon.start().peer()
        wait_for(lambda: table.source == "found", 40, "the cameras")
        table.new_game()
        for path, played in zip(live.paths, film.paths, strict=True):
            shutil.copy(played, tmp_path / "next")
            (tmp_path / "next").replace(path)
        wait_for(lambda: table.hits, 40, "the dart")
        assert (table.hits[0]["bed"], table.hits[0]["source"]) == ("F20", "camera")
        assert table.hits[0]["counted"]
        table.wait(lambda state: state["last"] and state["last"]["bed"] == "F20", what="a counted dart")
        assert [camera["state"] for camera in table.last["health"]["cameras"]] == ["found", "found"]
        table.close()
        pid = daemon.running["pid"]
        children = [given.read_text() for given in Path(f"/proc/{pid}/task").glob("*/children")]
        (watcher,) = " ".join(children).split()
        daemon.kill()
        wait_for(lambda: not _runs(watcher), 40, "the cameras' process to end with its daemon")
    finally:
        daemon.end()


def _runs(pid: str) -> bool:
    try:
        return "camera_process" in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


@pytest.mark.long
def test_a_running_referee_shares_pictures_and_loads_a_new_calibration(film, tmp_path):
    """Calibration requests the newest pictures, because a device opens only once. The sensor loads the new file
    without a restart."""
    folder = tmp_path / "film"
    shutil.copytree(film.rig.parent, folder)
    copied = Film(film.paths, folder / film.rig.name)
    with Listener(copied, tmp_path) as listener:
        wait_for(lambda: listener.all_of(Cleared), 40, "the board")
        shared = request_pictures(copied.rig, patience_s=20)
        assert set(shared) == set(map(str, film.paths))
        assert all(picture.shape == (480, 640, 3) for picture in shared.values())
        looks = len(listener.all_of(Cleared))
        write_whole(copied.rig, "not a calibration")
        wait_for(lambda: listener.all_of(Dart), 40, "a dart, after which the warning stays")
        wait_for(
            lambda: "the new calibration is not used" in listener.all_of(SensorChanged)[-1].detail,
            40,
            "warning",
        )
        write_whole(copied.rig, film.rig.read_text())
        wait_for(lambda: len(listener.all_of(Cleared)) > looks, 40, "a fresh look at the board")
    assert not list(folder.glob(".*")), "nothing stays beside the calibration"


def test_no_pictures_are_shared_without_a_running_referee(film):
    """A request without an answer returns no pictures."""
    assert request_pictures(film.rig) == {}


def test_pictures_are_shared_with_this_user_only(tmp_path, monkeypatch):
    """Other users' processes get no pictures and cannot send any. A second sharing process does no harm."""
    rig = tmp_path / "cameras.toml"
    png = base64.b64encode(encode_png(np.full((2, 3, 3), 7, np.uint8), "")).decode()
    door, second = PictureDoor(rig, lambda: {"0": png}), PictureDoor(rig, dict)
    door.open()
    second.open()
    try:
        assert (request_pictures(rig)["0"] == 7).all()
        monkeypatch.setattr(shared_pictures.os, "getuid", lambda: 12345)
        with monkeypatch.context() as patched:
            patched.setattr(shared_pictures.struct, "unpack", lambda *_: (1, 23456, 1))
            assert request_pictures(rig) == {}
    finally:
        second.close()
        door.close()
    assert request_pictures(rig) == {}


class Driver:
    """A camera driver that refuses some settings."""

    def __init__(self, *refused: int) -> None:
        self.refused, self.set_to = refused, {}

    def get(self, setting: int) -> float:
        return {cv2.CAP_PROP_EXPOSURE: 157.0, cv2.CAP_PROP_WB_TEMPERATURE: 4600.0}.get(setting, -1.0)

    def set(self, setting: int, value: float) -> bool:
        self.set_to[setting] = value
        return setting not in self.refused


def test_focus_exposure_and_white_balance_are_locked():
    """Automatic adjustment is switched off, at the exposure and white balance that the camera had found."""
    driver = Driver()
    assert lock(driver) == ()
    assert driver.set_to == {
        cv2.CAP_PROP_AUTOFOCUS: 0,
        cv2.CAP_PROP_AUTO_EXPOSURE: 1,
        cv2.CAP_PROP_EXPOSURE: 157.0,
        cv2.CAP_PROP_AUTO_WB: 0,
        cv2.CAP_PROP_WB_TEMPERATURE: 4600.0,
    }


def test_settings_that_a_driver_refuses_are_named():
    """The message names the focus and the white balance that could not be locked, and says what to do."""
    refused = lock(Driver(cv2.CAP_PROP_AUTOFOCUS, cv2.CAP_PROP_WB_TEMPERATURE))
    assert refused == ("focus", "white balance")
    assert unlocked_words(refused) == "the driver does not lock focus, white balance: keep the light steady"
    assert unlocked_words(()) == ""


def test_a_missing_calibration_is_named_with_its_cure(tmp_path):
    """The error names the calibration that was not found and the command that writes it."""
    with pytest.raises(SchartenError, match="no calibration of cameras 'nowhere'") as wrong:
        find_rig("nowhere", tmp_path)
    assert "scharten-calibrate camera" in wrong.value.cure


def test_cameras_are_matched_by_name_or_else_by_order(film, tmp_path):
    """The configured devices select and order the calibrated cameras. A single unknown device is refused."""
    rig = find_rig(str(film.rig), tmp_path)
    turned = matched(rig, tuple(str(path) for path in reversed(film.paths)))
    assert [c.device for c in turned.cameras] == [str(path) for path in reversed(film.paths)]
    assert matched(rig, ("0", "1")).cameras == rig.cameras
    with pytest.raises(SchartenError, match="has no camera rtsp://host/live"):
        matched(rig, ("rtsp://me:secret@host/live?token=1",))


def test_no_secret_of_a_url_is_shown():
    """Messages and health omit the account and the query of a camera's URL."""
    assert shown("rtsp://me:secret@host:554/live?key=1") == "rtsp://host:554/live"
    assert shown("/dev/v4l/by-id/usb-cam-index0") == "/dev/v4l/by-id/usb-cam-index0"


@pytest.mark.long
def test_a_camera_that_cannot_be_reached_is_lost_without_its_secret(film, tmp_path):
    """The message about an unreachable URL names the host, but neither account nor key."""
    urls = tuple(f"http://me:secret@127.0.0.1:1/{n}.mjpg?key=hidden" for n in range(2))
    with Listener(film, tmp_path, devices=urls) as listener:
        wait_for(
            lambda: any("cannot be opened" in given.detail for given in listener.all_of(SensorChanged)),
            30,
            "a lost camera",
        )
    change = listener.all_of(SensorChanged)[-1]
    assert change.state is SensorState.LOST
    assert "http://127.0.0.1:1/0.mjpg" in change.detail
    assert "secret" not in repr(listener.inputs) + repr(listener.cameras)
    assert "hidden" not in repr(listener.inputs) + repr(listener.cameras)


@pytest.mark.long
def test_darts_count_when_throws_cannot_be_saved(film, tmp_path):
    """With a file in place of the replay folder, darts still arrive and the message names the problem."""
    (tmp_path / "replays").write_text("in the way")
    with Listener(film, tmp_path) as listener:
        wait_for(lambda: listener.all_of(Dart), 40, "a dart")
        wait_for(lambda: "throws are not kept" in str(listener.all_of(SensorChanged)), 40, "the message")


def dart_from(happened: Happening, now: int = 9) -> Dart:
    """Pass a happening through JSON, as the cameras' process does, and return the referee's dart."""
    return dart_seen(json.loads(json.dumps(result_of(happened))), now).what


def test_every_likely_bed_reaches_the_referee_with_its_probability():
    """Every bed above 1 % passes the process's JSON, the likeliest first, with the place in millimetres."""
    beds = tuple((parse_bed(text), share) for text, share in (("T20", 0.6), ("F20", 0.3), ("T1", 0.05)))
    dart = SeenDart(0.0, 107.0, beds, beds[1][0], 0.1, 2, 1.0)
    dart_reported = dart_from(Happening(HappeningKind.DART, 5, dart, beds))
    assert dart_reported == Dart(beds, 0.0, 107.0)
    assert dart_reported.candidates == beds


def test_a_bounce_and_a_dart_in_the_surround_are_lost_darts():
    """A bounce-out is marked as bounced; a dart in the surround has bed MISS; an unclear dart has no bed."""
    assert dart_from(Happening(HappeningKind.UNCLEAR, 5)) == Dart(())
    assert dart_from(Happening(HappeningKind.BOUNCED, 5)) == Dart(((MISS, 1.0),), bounced=True)
    missed = dart_from(Happening(HappeningKind.SURROUND, 5, None, ((MISS, 0.95),)))
    assert missed == Dart(((MISS, 0.95),)) and missed.candidates == missed.beds


def test_a_nudged_camera_raises_an_alarm():
    """While a camera is out of place or the light flickers, the source is silent, and its message says what to do."""
    cameras = [{"name": "a", "state": "found", "detail": ""}]
    moved = {
        "code": "camera_moved",
        "args": {"camera": 1},
        "words": "camera 1 was moved: it lies 9 mm from where",
    }
    state, words = source_state({"cameras": cameras, "askew": moved})
    assert state is SensorState.SILENT and "scharten-calibrate camera" in words
    state, words = source_state(
        {"cameras": cameras, "askew": None, "trouble": moved | {"words": "your lamps flicker"}}
    )
    assert state is SensorState.SILENT and words.startswith("your lamps flicker")
