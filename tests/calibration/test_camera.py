"""`scharten-calibrate camera` as a person runs it: pictures in, a file of cameras out, or the reason why not."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import aiohttp
import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from scharten.errors import SchartenError
from scharten.sensors.video import Picture, read_picture
from scharten.vision.detect import calibrated_camera
from scharten.vision.rig import RigCamera, parse_rig
from scharten_calibration.camera import Job, Terminal, run_camera
from scharten_calibration.cli import build
from vision.photographs import DARTS, needs_photographs

EMPTY = DARTS / "single" / "img"
POINTS = ("592.2,391.6", "453.8,210.1", "151.0,179.1")
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


@pytest.mark.darts
@needs_photographs
class TestPhotographs:
    def test_two_cameras_from_files_and_again_between_games(self, tmp_path: Path) -> None:
        """Pictures and points give TOML, empty pictures and overlays; one command without arguments does it again."""
        pictures = [str(EMPTY / f"empty_cam{n}.png") for n in (1, 2)]
        points = [word for point in POINTS[1:] for word in ("--d20", point)]
        done = _camera(*pictures, *points, "--yes", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert len(re.findall(r"median residual 0\.\d\d px = 0\.\d\d mm", done.stdout)) == 2
        first = _rig(tmp_path / "cameras.toml")
        for number, camera in enumerate(first):
            eye = calibrated_camera(camera.model, read_picture(tmp_path / camera.empty))
            assert len(eye.empty.points.at) > 300
            assert read_picture(tmp_path / f"cameras-overlay-{number}.png").shape == (600, 800, 3)
        assert _camera("--yes", cwd=tmp_path).returncode == 0
        again = _rig(tmp_path / "cameras.toml")
        assert [c.device for c in again] == pictures
        for old, new in zip(first, again, strict=True):
            assert np.allclose(old.model.homography, new.model.homography, rtol=1e-3, atol=1e-3)

    def test_a_refusal_keeps_the_old_file_and_shows_the_picture(self, tmp_path: Path) -> None:
        """A point beside the double 20 ends with status 1, the reason, a picture, and the old file as it was."""
        (tmp_path / "cameras.toml").write_text("old")
        done = _camera(str(EMPTY / "empty_cam0.png"), "--d20", "400,200", "--yes", cwd=tmp_path)
        assert done.returncode == 1
        assert "wrong_point" in done.stderr
        assert "red double" in done.stderr
        assert (tmp_path / "cameras-refused-0.png").exists()
        assert (tmp_path / "cameras.toml").read_text() == "old"

    def test_nobody_there_to_accept_writes_nothing(self, tmp_path: Path) -> None:
        """Without --yes and without a terminal nothing is accepted."""
        done = _camera(str(EMPTY / "empty_cam0.png"), "--d20", POINTS[0], cwd=tmp_path)
        assert done.returncode == 1
        assert "--yes" in done.stderr
        assert not (tmp_path / "cameras.toml").exists()

    def test_a_video_file_is_a_camera(self, tmp_path: Path) -> None:
        """The first frame of a recording serves as the picture of the empty board."""
        writer = cv2.VideoWriter(str(tmp_path / "a.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 30, (800, 600))
        for _ in range(3):
            writer.write(read_picture(EMPTY / "empty_cam1.png"))
        writer.release()
        done = _camera("a.avi", "--d20", POINTS[1], "--out", "v.toml", "--yes", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert tomllib.loads((tmp_path / "v.toml").read_text())["camera"][0]["device"] == "a.avi"

    def test_the_page_takes_a_click_and_an_acceptance(self, tmp_path: Path) -> None:
        """Over HTTP as the page does it: a wrong point is refused in words, the right one accepted and written."""
        process = subprocess.Popen(
            _command(str(EMPTY / "empty_cam0.png"), "--page-port", "0"),
            stdout=subprocess.PIPE, text=True, cwd=tmp_path,
        )  # fmt: skip
        assert process.stdout is not None
        found = re.search(r"http://[0-9.:]+/", process.stdout.readline())
        assert found is not None
        asyncio.run(_click(found[0]))
        assert process.wait(40) == 0
        assert len(_rig(tmp_path / "cameras.toml")) == 1


async def _click(page: str) -> None:
    async with aiohttp.ClientSession() as web:
        assert "double 20" in await (await web.get(page)).text()
        assert (await web.get(page + "picture/0")).content_type == "image/png"
        assert (await web.get(page + "picture/7")).status == 404
        assert (await web.post(page + "accept", json={"camera": 0})).status == 409
        assert (await web.post(page + "point", json={"camera": 0, "x": "left"})).status == 400
        assert (await web.post(page + "accept", data="camera=0")).status == 415
        wrong = await (await web.post(page + "point", json={"camera": 0, "x": 400, "y": 200})).json()
        assert not wrong["fine"]
        right = await (await web.post(page + "point", json={"camera": 0, "x": 592.2, "y": 391.6})).json()
        assert right["fine"], right
        assert (await (await web.get(page + "state")).json())["cameras"][0]["found"]
        assert (await (await web.post(page + "accept", json={"camera": 0})).json())["done"]


def _refused(*arguments: str) -> str:
    """The sentence that the command ends with."""
    done = CliRunner().invoke(build(), ["camera", *arguments])
    assert isinstance(done.exception, SchartenError), done.output
    return str(done.exception)


def _cut(picture: Picture) -> Picture:
    move = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -60.0]])
    return np.asarray(cv2.warpAffine(picture, move, picture.shape[1::-1]))


def _hide(picture: Picture) -> Picture:
    picture[:, :360] = 90
    return picture


@pytest.mark.darts
@needs_photographs
@pytest.mark.parametrize(
    ("code", "spoil", "reason", "cure"),
    [
        ("too_dark", lambda p: (p * 0.15).astype(np.uint8), "its brightest parts reach", "Switch the board's light on"),
        ("blurred", lambda p: cv2.GaussianBlur(p, (0, 0), 4), "mm wide, 2 may be", "Focus the lens"),
        ("not_whole", _cut, "the double ring leaves the picture", "Move the camera back"),
        ("no_board", lambda p: np.full_like(p, 128), "no dartboard was found", "Aim the camera at the whole board"),
        ("bad_fit", _hide, "of the edges found (at least", "see that nothing stands before it"),
    ],
)  # fmt: skip
def test_each_refusal_names_reason_and_cure(
    tmp_path: Path, code: str, spoil: Callable[[Picture], Picture], reason: str, cure: str
) -> None:
    """A real empty board made dark, blurred, cut off, blank or half hidden: refused, shown, and nothing written."""
    picture = tmp_path / "board.png"
    cv2.imwrite(str(picture), spoil(read_picture(EMPTY / "empty_cam0.png")))
    x, y = map(float, POINTS[0].split(","))
    point = f"{x},{y - 60 * (code == 'not_whole')}"
    words = _refused(str(picture), "--d20", point, "--yes", "--out", str(tmp_path / "c.toml"))
    assert f"refused ({code})" in words
    assert reason in words and cure in words
    assert (tmp_path / "c-refused-0.png").exists()
    assert not (tmp_path / "c.toml").exists()


@pytest.mark.darts
@needs_photographs
def test_a_board_with_a_dart_in_it_is_not_taken_for_empty(tmp_path: Path) -> None:
    """With --yes it is refused with its cure; a person at the terminal is told, and may know better."""
    dart = next((DARTS / "single").glob("img/010*cam1_after*"))
    given = [str(dart), "--d20", POINTS[1], "--out", str(tmp_path / "c.toml")]
    words = _refused(*given, "--yes")
    assert "the board is not empty" in words and "Take all darts out" in words
    assert not (tmp_path / "c.toml").exists()
    said: list[str] = []
    person = Terminal(tmp_path / "c.toml", lambda _: True, said.append, sure=False)
    run_camera(Job((str(dart),), ((453.8, 210.1),), tmp_path / "c.toml", (800, 600)), person, said.append)
    assert "THE BOARD IS NOT EMPTY" in said[0]
    assert len(_rig(tmp_path / "c.toml")) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "no camera is named"),
        (("gone.png", "--d20", "1,1"), "no picture gone.png"),
        (("gone.avi", "--d20", "1,1"), "no camera or file gone.avi"),
        (("/dev/v4l/by-id/none", "--d20", "1,1"), "cannot be opened"),
        (("a.png", "--d20", "left,up"), "--d20 'left,up' cannot be read"),
        (("a.png", "--d20", "1,1", "--size", "big"), "--size 'big' cannot be read"),
        (("a.png", "b.png", "--d20", "1,1"), "2 cameras but 1 points"),
        (("a", "b", "c", "d"), "4 cameras are too many"),
    ],
)
def test_a_wrong_call_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    """Each wrong call ends with a sentence, and writes nothing."""
    monkeypatch.chdir(tmp_path)
    assert words in _refused(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_call_ends_with_status_1_and_no_traceback(tmp_path: Path) -> None:
    """What the command itself prints of such a sentence."""
    done = _camera("gone.png", "--d20", "1,1", cwd=tmp_path)
    assert done.returncode == 1
    assert "no picture gone.png" in done.stderr
    assert "Traceback" not in done.stderr
