"""`scharten-calibrate camera` as a person runs it: pictures give a file of cameras, or the reason for a refusal."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from lab.scenes.pictures import RANGES, make_rig, picture
from scharten.errors import SchartenError
from scharten.sensors.video import Picture, read_picture
from scharten.vision.detect.camera import calibrated_camera
from scharten.vision.model import to_pixels
from scharten.vision.rig import RigCamera, parse_rig
from scharten_calibration.camera import Job, Terminal, run_camera
from scharten_calibration.cli import build
from vision.photographs import SOURCES, eyes_of, photo_set, sets_of

_MAIN = "import sys; from scharten_calibration.cli import main; sys.argv[0] = 'scharten-calibrate'; main()"


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", _MAIN, "camera", *arguments]


def _camera(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _command(*arguments), capture_output=True, text=True, cwd=cwd, stdin=subprocess.DEVNULL
    )


def _rig(path: Path) -> tuple[RigCamera, ...]:
    rig = parse_rig(path.read_text())
    assert isinstance(rig, tuple)
    return rig


@dataclass(frozen=True)
class Rig:
    """Pictures of the empty board, the point in each double 20, another point on the board, a bull."""

    pictures: tuple[Path, ...]
    points: tuple[tuple[float, float], ...]
    wrong: tuple[float, float]
    bull: tuple[int, int]
    top: float
    dart: Path

    def d20(self, camera: int) -> str:
        """Return the point as a command-line option."""
        x, y = self.points[camera]
        return f"{x:.1f},{y:.1f}"


@pytest.fixture(scope="module", params=SOURCES)
def rig(request: pytest.FixtureRequest) -> Rig:
    """A rendered rig, and the rig of the shared photographs where they exist."""
    folder = sets_of(request.param).single
    photos, model = photo_set(folder), eyes_of(folder)[0].model
    pictures, points = zip(*(photos.rig[camera] for camera in range(3)), strict=True)
    (wrong,), (bull,) = (to_pixels(model, np.array([at])) for at in ([-40.0, 60.0], [0.0, 0.0]))
    angle = np.linspace(0, 2 * np.pi, 90)
    top = to_pixels(model, 170 * np.column_stack([np.sin(angle), np.cos(angle)]))[:, 1].min()
    dart = photos.throws[5].current[1]
    return Rig(pictures, points, (wrong[0], wrong[1]), (int(bull[0]), int(bull[1])), float(top), dart)


class TestPictures:
    @pytest.mark.long
    def test_two_cameras_from_files_and_again_between_games(self, rig: Rig, tmp_path: Path) -> None:
        """Pictures and points give TOML, empty pictures and overlays; the command without arguments repeats it."""
        pictures = [str(picture) for picture in rig.pictures[1:]]
        points = [word for camera in (1, 2) for word in ("--d20", rig.d20(camera))]
        done = _camera(*pictures, *points, "--yes", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert len(re.findall(r"median residual 0\.\d\d px = 0\.\d\d mm", done.stdout)) == 2
        first = _rig(tmp_path / "cameras.toml")
        for number, camera in enumerate(first):
            eye = calibrated_camera(camera.model, read_picture(tmp_path / camera.empty))
            assert len(eye.empty.points.at) > 300
            assert read_picture(tmp_path / f"cameras-overlay-{number}.png").shape == (600, 800, 3)
        assert _camera("--yes", cwd=tmp_path).returncode == 0
        repeated = _rig(tmp_path / "cameras.toml")
        assert [c.device for c in repeated] == pictures
        for old, new in zip(first, repeated, strict=True):
            assert np.allclose(old.model.homography, new.model.homography, rtol=1e-3, atol=1e-3)

    @pytest.mark.long
    def test_a_refusal_keeps_the_old_file_and_shows_the_picture(self, rig: Rig, tmp_path: Path) -> None:
        """A point beside the double 20 ends with status 1, the reason and a picture; the old file stays unchanged."""
        (tmp_path / "cameras.toml").write_text("old")
        done = _camera(
            str(rig.pictures[0]), "--d20", "{:.1f},{:.1f}".format(*rig.wrong), "--yes", cwd=tmp_path
        )
        assert done.returncode == 1
        assert "wrong_point" in done.stderr
        assert "red double" in done.stderr
        assert (tmp_path / "cameras-refused-0.png").exists()
        assert (tmp_path / "cameras.toml").read_text() == "old"

    @pytest.mark.long
    def test_without_acceptance_nothing_is_written(self, rig: Rig, tmp_path: Path) -> None:
        """Without --yes and without a terminal the command accepts nothing."""
        done = _camera(str(rig.pictures[0]), "--d20", rig.d20(0), cwd=tmp_path)
        assert done.returncode == 1
        assert "--yes" in done.stderr
        assert not (tmp_path / "cameras.toml").exists()

    @pytest.mark.long
    def test_a_video_file_is_a_camera(self, rig: Rig, tmp_path: Path) -> None:
        """The first frame of a recording serves as the picture of the empty board."""
        writer = cv2.VideoWriter(str(tmp_path / "a.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 30, (800, 600))
        for _ in range(3):
            writer.write(read_picture(rig.pictures[1]))
        writer.release()
        done = _camera("a.avi", "--d20", rig.d20(1), "--out", "v.toml", "--yes", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert tomllib.loads((tmp_path / "v.toml").read_text())["camera"][0]["device"] == "a.avi"

    @pytest.mark.long
    def test_the_page_takes_a_click_and_an_acceptance(self, rig: Rig, tmp_path: Path) -> None:
        """Over HTTP, as the page does it: a wrong point is refused with a message, the right point accepted
        and written."""
        process = subprocess.Popen(
            _command(str(rig.pictures[0]), "--page-port", "0"),
            stdout=subprocess.PIPE, text=True, cwd=tmp_path,
        )  # fmt: skip
        assert process.stdout is not None
        found = re.search(r"http://[0-9.:]+/", process.stdout.readline())
        assert found is not None
        asyncio.run(_click(found[0], rig))
        assert process.wait(40) == 0
        assert len(_rig(tmp_path / "cameras.toml")) == 1


async def _click(page: str, rig: Rig) -> None:
    (x, y), (left, top) = rig.points[0], rig.wrong
    async with aiohttp.ClientSession() as web:
        assert "double 20" in await (await web.get(page)).text()
        assert (await web.get(page + "picture/0")).content_type == "image/png"
        assert (await web.get(page + "picture/7")).status == 404
        assert (await web.post(page + "accept", json={"camera": 0})).status == 409
        assert (await web.post(page + "point", json={"camera": 0, "x": "left"})).status == 400
        assert (await web.post(page + "accept", data="camera=0")).status == 415
        wrong = await (await web.post(page + "point", json={"camera": 0, "x": left, "y": top})).json()
        assert not wrong["fine"]
        right = await (await web.post(page + "point", json={"camera": 0, "x": x, "y": y})).json()
        assert right["fine"], right
        assert (await (await web.get(page + "state")).json())["cameras"][0]["found"]
        assert (await (await web.post(page + "accept", json={"camera": 0})).json())["done"]


async def _mark(page: str, wires: list[list[float]]) -> None:
    async with aiohttp.ClientSession() as web:
        assert (await (await web.get(page + "state")).json())["wires"] == ["20/1", "6/10", "3/19", "11/14"]
        assert (await web.post(page + "wires", json={"camera": 0, "points": [1]})).status == 400
        wrong = await (await web.post(page + "wires", json={"camera": 0, "points": wires[::-1]})).json()
        assert not wrong["fine"] and "wrong_wires" in wrong["words"]
        assert (await web.post(page + "accept", json={"camera": 0})).status == 409
        right = await (await web.post(page + "wires", json={"camera": 0, "points": wires})).json()
        assert right["fine"], right
        assert (await (await web.post(page + "accept", json={"camera": 0})).json())["done"]


@pytest.mark.long
def test_the_page_takes_four_wires(tmp_path: Path) -> None:
    """A board in odd colours: four wires in a wrong order are refused with a message, the right wires are written."""
    wires = [[float(mm) for mm in point.split(",")] for point in _odd_board(tmp_path / "odd.png", 0).split()]
    process = subprocess.Popen(
        _command("odd.png", "--page-port", "0"), stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdout is not None
    found = re.search(r"http://[0-9.:]+/", process.stdout.readline())
    assert found is not None
    asyncio.run(_mark(found[0], wires))
    assert process.wait(40) == 0
    (camera,) = _rig(tmp_path / "cameras.toml")
    double = to_pixels(camera.model, np.array([[0.0, 166.0]]))[0]
    assert np.hypot(*(np.array(camera.d20) - double)) < 0.1


def _odd_board(path: Path, number: int) -> str:
    """Write a picture of a board in odd colours; return its four wires as the option takes them."""
    chance = np.random.default_rng([11, number])
    palette = ((200, 60, 120), (60, 200, 220), (60, 160, 60), (220, 120, 40))
    eye = make_rig(chance, replace(RANGES, palette=palette), cameras=1)
    cv2.imwrite(str(path), picture(eye, 0, (), chance))
    turns = np.radians([9.0, 99.0, 189.0, 279.0])
    rim = np.column_stack([170 * np.sin(turns), 170 * np.cos(turns), np.zeros(4)])
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in eye.cameras[0].camera.pixels(rim))


@pytest.mark.long
def test_four_wires_calibrate_a_board_of_other_colours_repeatedly(tmp_path: Path) -> None:
    """The double 20 is refused with the cure, four wires are accepted, and the next run asks nothing."""
    wires = _odd_board(tmp_path / "odd.png", 0)
    out = ("--yes", "--out", str(tmp_path / "c.toml"))
    four = [tuple(map(float, point.split(","))) for point in wires.split()]
    double = f"{np.mean([x for x, _ in four]):.1f},{four[0][1] + 4:.1f}"
    assert "--wires" in _refused(str(tmp_path / "odd.png"), "--d20", double, *out)
    written = []
    for given in ((str(tmp_path / "odd.png"), "--wires", wires), ()):
        done = CliRunner().invoke(build(), ["camera", *given, *out])
        assert done.exit_code == 0, done.exception
        written.append(_rig(tmp_path / "c.toml")[0].model)
        at = to_pixels(written[-1], np.array([[170 * np.sin(np.pi / 20), 170 * np.cos(np.pi / 20)]]))[0]
        assert np.abs(at - four[0]).max() < 3
    assert np.allclose(written[0].homography, written[1].homography, rtol=1e-2, atol=1e-2)


def test_wires_in_a_wrong_order_are_refused_in_words(tmp_path: Path) -> None:
    """The same four points backwards cannot be a board in a camera's view."""
    wires = " ".join(reversed(_odd_board(tmp_path / "odd.png", 1).split()))
    words = _refused(str(tmp_path / "odd.png"), "--wires", wires, "--yes", "--out", str(tmp_path / "c.toml"))
    assert "refused (wrong_wires)" in words and "20/1, 6/10, 3/19" in words
    assert (tmp_path / "c-refused-0.png").exists()
    assert not (tmp_path / "c.toml").exists()


def _refused(*arguments: str) -> str:
    """Return the command's last message."""
    done = CliRunner().invoke(build(), ["camera", *arguments])
    assert isinstance(done.exception, SchartenError), done.output
    return str(done.exception)


def _darken(picture: Picture, rig: Rig) -> Picture:
    return (picture * 0.15).astype(np.uint8)


def _cut(picture: Picture, rig: Rig) -> Picture:
    move = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -rig.top - 15]])
    return np.asarray(cv2.warpAffine(picture, move, picture.shape[1::-1]), np.uint8)


def _hide(picture: Picture, rig: Rig) -> Picture:
    picture[:, : rig.bull[0] - 35] = 90
    return picture


@pytest.mark.parametrize(
    ("code", "spoil", "reason", "cure"),
    [
        ("too_dark", _darken, "its brightest parts reach", "Switch the board's light on"),
        ("blurred", lambda p, _: cv2.GaussianBlur(p, (0, 0), 4), "mm wide, 2 may be", "Focus the lens"),
        ("not_whole", _cut, "the double ring leaves the picture", "Move the camera back"),
        ("no_board", lambda p, _: np.full_like(p, 128), "no dartboard was found", "Aim the camera at the whole board"),
        ("bad_fit", _hide, "of the edges found (at least", "see that nothing stands before it"),
    ],
)  # fmt: skip
def test_each_refusal_names_reason_and_cure(
    rig: Rig, tmp_path: Path, code: str, spoil: Callable[[Picture, Rig], Picture], reason: str, cure: str
) -> None:
    """A real empty board made dark, blurred, cut off, blank or half hidden is refused and shown; nothing is
    written."""
    picture = tmp_path / "board.png"
    cv2.imwrite(str(picture), spoil(read_picture(rig.pictures[0]), rig))
    x, y = rig.points[0]
    point = f"{x:.1f},{y - (rig.top + 15) * (code == 'not_whole'):.1f}"
    words = _refused(str(picture), "--d20", point, "--yes", "--out", str(tmp_path / "c.toml"))
    assert f"refused ({code})" in words
    assert reason in words and cure in words
    assert (tmp_path / "c-refused-0.png").exists()
    assert not (tmp_path / "c.toml").exists()


@pytest.mark.long
def test_a_board_with_a_dart_is_not_accepted_as_empty(rig: Rig, tmp_path: Path) -> None:
    """With --yes the command refuses with the cure. At the terminal it warns the person, who may accept."""
    given = [str(rig.dart), "--d20", rig.d20(1), "--out", str(tmp_path / "c.toml")]
    words = _refused(*given, "--yes")
    assert "the board is not empty" in words and "Take all darts out" in words
    assert not (tmp_path / "c.toml").exists()
    said: list[str] = []
    person = Terminal(tmp_path / "c.toml", lambda _: True, said.append, sure=False)
    run_camera(Job((str(rig.dart),), (rig.points[1],), tmp_path / "c.toml", (800, 600)), person, said.append)
    assert "THE BOARD IS NOT EMPTY" in said[0]
    assert len(_rig(tmp_path / "c.toml")) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "No camera is named"),
        (("gone.png", "--d20", "1,1"), "no picture gone.png"),
        (("gone.avi", "--d20", "1,1"), "no camera or file gone.avi"),
        (("/dev/v4l/by-id/none", "--d20", "1,1"), "cannot be opened"),
        (("a.png", "--d20", "left,up"), "--d20 'left,up' cannot be read"),
        (("a.png", "--d20", "1,1", "--size", "big"), "--size 'big' cannot be read"),
        (("a.png", "b.png", "--d20", "1,1"), "2 cameras but 1 points"),
        (("a", "b", "c", "d"), "4 cameras are too many"),
        (("a.png", "--wires", "1,1 2,2 3,3"), "has 3 points"),
        (("a.png", "--wires", "1,1 2,2 3,3 left"), "--wires 'left' cannot be read"),
        (("a.png", "b.png", "--wires", "1,1 2,2 3,3 4,4"), "2 cameras, 1 times four wires"),
    ],
)
def test_a_wrong_call_is_reported_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    """Each wrong call ends with a message and writes nothing."""
    monkeypatch.chdir(tmp_path)
    assert words in _refused(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_call_ends_with_status_1_and_no_traceback(tmp_path: Path) -> None:
    """The command prints the error's message without a traceback."""
    done = _camera("gone.png", "--d20", "1,1", cwd=tmp_path)
    assert done.returncode == 1
    assert "no picture gone.png" in done.stderr
    assert "Traceback" not in done.stderr
