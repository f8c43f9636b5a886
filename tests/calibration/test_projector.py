"""`scharten-calibrate projector` with a rendered projector and cameras: through the page, from pictures, refused."""

from __future__ import annotations

import asyncio
import base64
import signal
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import cv2
import numpy as np
import pytest

from browser.servers import Mosquitto, Served, served
from calibration.rendered_projector import WINDOW, Booth, booth, skewed
from lab.daemon_process import wait_for
from scharten.errors import Problem, SchartenError
from scharten.sensors.light_trust import delay_file, light_delay_ms
from scharten.sensors.rig_files import RigFile, read_rig
from scharten.sensors.shared_pictures import PictureDoor
from scharten.sensors.video import encode_png, write_picture
from scharten.vision.rig import RigCamera, rig_text
from scharten_calibration import projector as projector_module
from scharten_calibration.gray_code import BLACK, Grey, Pattern, decoded, drawn, patterns
from scharten_calibration.projector import Delay, fit_pictures, run_projector
from scharten_calibration.projector import send as send_map
from scharten_calibration.projector_fit import MOST_MM, ProjectorFit, ProjectorModel, fit_projector

DELAY_S = 0.09


@pytest.fixture(scope="module")
def stand() -> Booth:
    """Two cameras, and a projector with keystone and a bending lens."""
    return booth(skewed(k1=0.05, keystone=0.2))


def shots_of(stand: Booth, truth: ProjectorModel | None = None, **room: float) -> list[dict[Pattern, Grey]]:
    """Return each camera's picture of every pattern."""
    lit = Booth(stand.rig, stand.eyes, stand.empties, truth or stand.truth, **room)
    chance = np.random.default_rng(3)
    return [
        {
            pattern: lit.see(n, drawn(pattern, WINDOW), chance).astype(np.float32)
            for pattern in patterns(WINDOW)
        }
        for n in range(len(stand.eyes))
    ]


def fit(stand: Booth, shots: list[dict[Pattern, Grey]]) -> ProjectorFit | Problem:
    """Return the resulting map."""
    return fit_projector([eye.model for eye in stand.eyes], [decoded(shot, WINDOW) for shot in shots], WINDOW)


def off_mm(found: ProjectorModel, truth: ProjectorModel) -> float:
    """Return the greatest distance in mm between a lit place on the beds and its target."""
    angle = np.linspace(0, 2 * np.pi, 60)
    places = np.concatenate([r * np.column_stack([np.sin(angle), np.cos(angle)]) for r in (20, 100, 165)])
    pixels = np.hypot(*(found.pixels(places) - truth.pixels(places)).T)
    scale = (
        np.hypot(*(truth.pixels(np.array([[50.0, 0.0]])) - truth.pixels(np.array([[-50.0, 0.0]]))).T) / 100
    )
    return float(pixels.max() / scale[0])


@pytest.mark.long
def test_keystone_and_a_bending_lens_are_found(stand: Booth) -> None:
    """In a dim and in a brighter room the light falls within 2 mm of the truth, and the figures report it."""
    for room in (0.5, 3.0):
        found = fit(stand, shots_of(stand, room=room))
        assert isinstance(found, ProjectorFit)
        assert off_mm(found.model, stand.truth) < MOST_MM and found.most_mm < MOST_MM
        assert abs(found.model.k1 - 0.05) < 0.02 and found.covered == 1.0


@pytest.mark.parametrize(
    ("code", "truth", "room"),
    [("too_bright", None, 40.0), ("no_light", None, 500.0), ("not_covered", skewed(width_mm=300.0), 0.5)],
)
def test_each_fault_is_named(stand: Booth, code: str, truth: ProjectorModel | None, room: float) -> None:
    """The room too bright, no light, the board not covered: each gives only its own message."""
    found = fit(stand, shots_of(stand, truth, room=room))
    assert isinstance(found, Problem) and found.code == code and ": " in found.words


@pytest.mark.long
def test_an_inaccurate_map_is_refused(stand: Booth) -> None:
    """Cameras moved in different ways since their calibration give no map above 2 mm."""
    shots = shots_of(stand)
    moved = [
        {p: np.roll(grey, (0, 7 if n else -7), axis=(0, 1)) for p, grey in shot.items()}
        for n, shot in enumerate(shots)
    ]
    found = fit(stand, moved)
    assert isinstance(found, Problem) and found.code in ("bad_fit", "cameras_differ")


@pytest.mark.long
def test_a_camera_that_was_moved_since_its_calibration_is_refused(stand: Booth, tmp_path: Path) -> None:
    """A single camera's stripes fit as well from elsewhere; from its calibrated place the same pictures give a map."""
    alone = Booth(
        replace(stand.rig, cameras=stand.rig.cameras[:1]), stand.eyes[:1], stand.empties[:1], stand.truth
    )
    rig, (shots,) = write_rig(tmp_path, alone), shots_of(alone)
    for moved_px in (0, 7):
        for pattern, grey in shots.items():
            seen = np.clip(np.roll(grey, moved_px, axis=1), 0, 255).astype(np.uint8)
            write_picture(tmp_path / f"{pattern.name}-0.png", seen)
        if not moved_px:
            fit_pictures(rig, tmp_path, WINDOW, print)
            assert delay_file(rig).exists()
            delay_file(rig).unlink()
    with pytest.raises(
        SchartenError, match=r"refused \(moved\): camera 0 was moved: the board lies [4-9] mm"
    ):
        fit_pictures(rig, tmp_path, WINDOW, print)
    assert not delay_file(rig).exists()


def test_a_gray_code_is_decoded_as_drawn() -> None:
    """Without a camera each cell gives its number, for a size that is not a power of two."""
    size = (100, 60)
    seen = decoded({p: drawn(p, size).astype(np.float32) * 0.9 for p in patterns(size)}, size)
    assert len(seen.pixels) == size[0] * size[1]
    assert (np.abs(seen.pixels - seen.projected) <= 1.5).all()


# --- from outside: cameras shared by a referee, a page that acts as projector ---


def write_rig(folder: Path, stand: Booth) -> Path:
    """Write the file of the cameras as their calibration leaves it."""
    cameras = []
    for number, (eye, empty) in enumerate(zip(stand.eyes, stand.empties, strict=True)):
        write_picture(folder / f"empty-{number}.png", empty)
        cameras.append(RigCamera(f"/dev/test{number}", (1.0, 1.0), f"empty-{number}.png", eye.model))
    path = folder / "cameras.toml"
    path.write_text(rig_text(tuple(cameras)), encoding="utf-8")
    return path


class Projector:
    """A page on a projector, and a referee who shares the cameras' pictures, each in a separate thread."""

    def __init__(self, url: str, stand: Booth, rig: RigFile, *, full_screen: bool = True) -> None:
        self._url, self._stand, self._rig, self._whole = url, stand, rig, full_screen
        self._shown: list[tuple[float, Pattern]] = [(0.0, BLACK)]
        self.kept: list[dict[str, Any]] = []
        self.hidden = True
        self._ready, self._stopping = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._page, daemon=True)
        self._chance = np.random.default_rng(2)
        self._door = PictureDoor(self._rig.path, self._pictures)

    def __enter__(self) -> Projector:
        self._thread.start()
        self._door.open()
        assert self._ready.wait(40)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._door.close()
        self._thread.join(10)

    def _page(self) -> None:
        asyncio.run(self._answering())

    async def _answering(self) -> None:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{self._url}/ws", headers={"Origin": self._url}) as socket,
        ):
            await socket.send_json({"v": 1, "role": "table"})
            while not self._stopping.is_set():
                try:
                    result = await socket.receive_json(timeout=0.2)
                except TimeoutError:
                    continue
                if result["topic"] == "welcome":
                    self._ready.set()
                if result["topic"] == "projector" and result["payload"].keys() & {"show", "keep"}:
                    await socket.send_json({"topic": "projector", "payload": self._answer(result["payload"])})

    def _answer(self, payload: dict[str, Any]) -> dict[str, Any]:
        about = {"v": 1, "width": WINDOW[0], "height": WINDOW[1], "full_screen": self._whole}
        if "keep" in payload:
            self.kept.append(payload["keep"])
            return {"kept": payload["n"], **about}
        self.hidden = payload["show"] is None
        if not self.hidden:
            self._shown.append((time.monotonic(), Pattern(**payload["show"])))
        return {"shown": payload["n"], **about}

    @property
    def shown(self) -> set[str]:
        """Return the names of all patterns so far."""
        return {pattern.name for _, pattern in self._shown}

    def _pictures(self) -> dict[str, str]:
        """Return the cameras' pictures, which show the light with a delay."""
        now = time.monotonic() - DELAY_S
        pattern = next(pattern for shown_at, pattern in reversed(self._shown) if shown_at <= now)
        shared = {}
        for number, camera in enumerate(self._rig.cameras):
            grey = self._stand.see(number, drawn(pattern, WINDOW), self._chance)
            png = encode_png(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), camera.device)
            shared[camera.device] = base64.b64encode(png).decode()
        return shared


@pytest.fixture(scope="module")
def display(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A display server on a real broker."""
    broker = Mosquitto(tmp_path_factory.mktemp("broker"))
    with served(broker.port, open_roles=("table",)) as server:
        yield server
    broker.stop()


@pytest.mark.long
def test_the_whole_calibration_through_the_page(stand: Booth, display: Served, tmp_path: Path) -> None:
    """Stripes on the page and pictures from the referee give a map within 2 mm on the page and in the file,
    and the delay."""
    stand = Booth(
        replace(stand.rig, cameras=stand.rig.cameras[:1]), stand.eyes[:1], stand.empties[:1], stand.truth
    )
    rig, said = write_rig(tmp_path, stand), []
    with Projector(display.url, stand, read_rig(rig)) as projector:
        run_projector(rig, display.url, None, said.append, tmp_path / "kept")
        send_map(rig, display.url, None, said.append)
    table = tomllib.loads(delay_file(rig).read_text())
    found = ProjectorModel(*WINDOW, tuple(v for row in table["homography"] for v in row), table["k1"])
    assert off_mm(found, stand.truth) < MOST_MM
    assert [item["homography"] for item in projector.kept] == [list(found.homography)] * 2
    assert 1000 * DELAY_S <= light_delay_ms(rig) <= 1000
    assert any("95 % within" in words for words in said) and "stripes 30 of 32" in said
    fit_pictures(rig, tmp_path / "kept", WINDOW, said.append)
    repeated = tomllib.loads(delay_file(rig).read_text())
    assert repeated["width"] == WINDOW[0] and repeated["delay_ms"] == table["delay_ms"]


@pytest.mark.long
def test_a_window_that_is_not_full_screen_is_reported(stand: Booth, display: Served, tmp_path: Path) -> None:
    """The tool reports it before the first pattern, with the key to press; without a page it gives the
    address to open."""
    rig = write_rig(tmp_path, stand)
    with (
        Projector(display.url, stand, read_rig(rig), full_screen=False),
        pytest.raises(SchartenError, match="not in full screen") as result,
    ):
        run_projector(rig, display.url, None, print, None)
    assert "Press F" in result.value.cure and not delay_file(rig).exists()


def test_unreadable_light_is_reported_before_any_stripes(
    stand: Booth, display: Served, tmp_path: Path
) -> None:
    """White and black alone show that the room is too bright, which saves a minute of stripes."""
    rig = write_rig(tmp_path, stand)
    bright = Booth(stand.rig, stand.eyes, stand.empties, stand.truth, room=40.0)
    with (
        Projector(display.url, bright, read_rig(rig)) as projector,
        pytest.raises(SchartenError, match=r"refused \(too_bright\)"),
    ):
        run_projector(rig, display.url, None, print, None)
    assert projector.shown == {"white", "black"} and not delay_file(rig).exists()


def test_two_pages_that_show_the_light_are_reported(stand: Booth, display: Served, tmp_path: Path) -> None:
    """With a page on the projector and a forgotten page on a laptop the tool does not choose."""
    rig = write_rig(tmp_path, stand)
    with (
        Projector(display.url, stand, read_rig(rig)),
        Projector(display.url, stand, read_rig(rig), full_screen=False),
        pytest.raises(SchartenError, match="More than one page shows the light"),
    ):
        run_projector(rig, display.url, None, print, None)


@pytest.mark.long
def test_a_map_that_the_page_did_not_get_is_saved_for_later(
    stand: Booth, display: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The projector's page was closed meanwhile: the file is written, and the message names the command that
    sends it."""
    rig = write_rig(tmp_path, stand)
    seen = dict(enumerate(shots_of(stand)))

    async def shown(*_: object) -> tuple[Any, ...]:
        return seen, WINDOW, Delay(90)

    monkeypatch.setattr(projector_module, "_shown", shown)
    monkeypatch.setattr(projector_module, "LiveCameras", lambda rig: SimpleNamespace(close=lambda: None))
    with pytest.raises(SchartenError, match="No page on a projector answers") as result:
        run_projector(rig, display.url, None, print, None)
    assert "--send" in result.value.cure and light_delay_ms(rig) == 90
    with Projector(display.url, stand, read_rig(rig)) as projector:
        send_map(rig, display.url, None, print)
    assert len(projector.kept) == 1


@pytest.mark.long
def test_a_stopped_run_leaves_no_stripes_and_reports_it(
    stand: Booth, display: Served, tmp_path: Path
) -> None:
    """After Ctrl-C the page is asked to remove the stripes, nothing is written, and the status is 130."""
    rig = write_rig(tmp_path, stand)
    command = ["env", "--default-signal=INT"]  # a child of a background test ignores Ctrl-C
    command += [sys.executable, "-m", "scharten_calibration", "projector"]
    command += ["--cameras", str(rig), "--page", display.url]
    with Projector(display.url, stand, read_rig(rig)) as projector:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tool:
            assert tool.stdout is not None
            for line in tool.stdout:
                if line.startswith("stripes 10"):
                    tool.send_signal(signal.SIGINT)
                    break
            assert "stopped: the stripes are taken off" in tool.stdout.read()
        assert tool.returncode == 130 and not delay_file(rig).exists()
        wait_for(lambda: projector.hidden, 40, "the page to be asked to take them off")


@pytest.mark.long
def test_a_file_that_cannot_be_written_is_reported_in_words(tmp_path: Path) -> None:
    """With a file in place of the folder, as on a full disk: one line and status 1, no traceback."""
    (tmp_path / "file").write_text("")
    command = [
        sys.executable,
        "-m",
        "scharten_calibration",
        "projector",
        "--patterns",
        str(tmp_path / "file"),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1 and result.stderr.startswith("scharten-calibrate: ")
    assert str(tmp_path / "file") in result.stderr and len(result.stderr.splitlines()) == 1
