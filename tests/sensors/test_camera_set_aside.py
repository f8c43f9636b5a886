"""The cameras' process leaves out a camera that it cannot use, continues with the others, and reports it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest

from lab.daemon_process import wait_for
from lab.scenes.events import all_taken
from scharten.match.dart import Dart
from scharten.match.inputs import Cleared, SensorChanged, SensorState
from scharten.sensors.kept_throws import packages, read_package
from sensors.films import Film, Listener, Pictures, make_stage, throw, write_film, write_picture, write_still

F20 = (2.0, 135.0)
PATIENCE_S = 120


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Film:
    """Three cameras film a dart into F20 and a hand that takes it out, slowly enough for a busy machine."""
    stage, empties = make_stage(3)
    return write_film(tmp_path_factory.mktemp("film"), stage, empties, (throw(*F20), all_taken), fps=8)


@pytest.fixture
def empties(film: Film) -> Pictures:
    """Return the pictures of the calibration."""
    return tuple(cv2.imread(str(film.rig.parent / f"empty{n}.png")) for n in range(3))


@pytest.fixture
def listener(film: Film, empties: Pictures, tmp_path: Path) -> Iterator[Listener]:
    """A listener, not started, whose cameras show the empty board until the test replaces their film."""
    live = Film(tuple(tmp_path / path.name for path in film.paths), film.rig)
    write_still(live, empties)
    listener = Listener(live, tmp_path / "data")
    listener.live = live.paths
    yield listener
    listener.sensor.stop(for_good=True)


def play(film: Film, listener: Listener, *cameras: int) -> None:
    """Show the film to these cameras from now on."""
    for n in cameras:
        shutil.copy(film.paths[n], listener.live[n].with_suffix(".next"))
    for n in cameras:
        listener.live[n].with_suffix(".next").replace(listener.live[n])


def remarks(listener: Listener) -> dict[str, dict]:
    """Return the arguments of the newest remarks by their codes."""
    newest = listener.reported.get("remarks", [[]])[-1]
    return {remark["code"]: remark["args"] for remark in newest}


def state(listener: Listener) -> SensorState | None:
    """Return the newest state of the cameras."""
    changes = listener.all_of(SensorChanged)
    return changes[-1].state if changes else None


def saw_f20(listener: Listener) -> bool:
    """Return whether exactly one dart came, in F20."""
    return [str(dart.beds[0][0]) for dart in listener.all_of(Dart)] == ["F20"]


@pytest.mark.long
def test_an_upside_down_camera_is_left_out_until_it_is_turned_back(film, empties, listener):
    """The other two cameras count the dart and the remarks name the camera. It is used again without a restart."""
    write_picture(listener.live[2], empties[2][::-1, ::-1].copy())
    listener.sensor.start()
    expected = {"camera_upside_down": {"camera": 3}, "set_aside": {"cameras": [3]}}
    wait_for(lambda: remarks(listener) == expected, PATIENCE_S, "words about camera 3")
    assert state(listener) is SensorState.FOUND
    play(film, listener, 0, 1)
    wait_for(lambda: saw_f20(listener), PATIENCE_S, "the dart by two cameras")
    cleared = len(listener.all_of(Cleared))
    wait_for(lambda: len(listener.all_of(Cleared)) > cleared, PATIENCE_S, "the takeout")
    assert remarks(listener) == expected
    write_picture(listener.live[2], empties[2])
    wait_for(lambda: not remarks(listener), PATIENCE_S, "camera 3 to be taken back")
    assert state(listener) is SensorState.FOUND
    assert saw_f20(listener)


@pytest.mark.long
def test_a_camera_with_another_resolution_is_left_out_until_it_is_restored(film, empties, listener):
    """The remark names both sizes, the other two cameras count the dart, and the camera returns without a restart."""
    listener.sensor.start()
    wait_for(lambda: listener.all_of(Cleared), PATIENCE_S, "the empty board")
    write_picture(listener.live[2], cv2.resize(empties[2], (320, 240)))
    resized = {"camera": 3, "given": "320x240", "calibrated": "640x480"}
    expected = {"cameras_lost": {"cameras": [3], "left": 2, "of": 3}, "camera_resized": resized}
    wait_for(lambda: remarks(listener) == expected, PATIENCE_S, "words about camera 3")
    assert state(listener) is SensorState.FOUND
    play(film, listener, 0, 1)
    wait_for(lambda: saw_f20(listener), PATIENCE_S, "the dart by two cameras")
    write_picture(listener.live[2], empties[2])
    wait_for(lambda: "camera_resized" not in remarks(listener), PATIENCE_S, "camera 3 to be taken back")
    wait_for(lambda: listener.cameras[-1][2]["state"] == "found", PATIENCE_S, "its pictures")
    assert saw_f20(listener)


@pytest.mark.long
def test_a_camera_that_appears_after_the_start_sees_the_first_dart(film, listener):
    """A camera missing at the start is named. Once it is connected, all three cameras record the dart, and no dart
    comes before."""
    away = listener.live[1].rename(listener.live[1].with_suffix(".away"))
    listener.sensor.start()
    wait_for(
        lambda: remarks(listener) == {"cameras_lost": {"cameras": [2], "left": 2, "of": 3}},
        PATIENCE_S,
        "words about camera 2",
    )
    wait_for(lambda: listener.all_of(Cleared), PATIENCE_S, "the empty board by two")
    seen = len(listener.all_of(Cleared))
    away.rename(listener.live[1])
    wait_for(lambda: len(listener.all_of(Cleared)) > seen, PATIENCE_S, "the empty board by three")
    assert not listener.all_of(Dart)
    play(film, listener, 0, 1, 2)
    wait_for(lambda: saw_f20(listener), PATIENCE_S, "the dart")
    kept = listener.live[0].parent / "data" / "replays"
    wait_for(lambda: list(kept.glob("*/result.json")), PATIENCE_S, "the package of the dart")
    (folder,) = packages(kept)
    assert len(read_package(folder).current) == 3
