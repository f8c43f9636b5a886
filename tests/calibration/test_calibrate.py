"""`scharten-calibrate` from outside: a terminal, a page, and presses on the simulated board."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.terminal import Terminal
from conformance.simulated import SimulatedDriver
from scharten.dartboard.beds import Bed, BedKind, parse_bed
from scharten.dartboard.profile import BoardProfile, Contact, expected_beds, parse_profile, profile_text
from scharten.errors import SchartenError
from scharten.sensors.board_talk import PortState
from scharten.sensors.profiles import load_profile
from scharten_calibration.cli import build
from scharten_calibration.page import MappingPage
from sensors.serial_bench import listening

SEPARATE = {bed: contact for contact, bed in load_profile("simulated").beds.items()}


def shared() -> dict[Bed, Contact]:
    """A board whose two singles of a number share a switch."""
    contacts = [Contact(drive, sense) for drive in range(8) for sense in range(11)]
    wired = dict(zip(expected_beds(False), contacts, strict=False))
    for n in range(1, 21):
        wired[Bed(BedKind.FAT, n)] = wired[Bed(BedKind.LITTLE, n)] = wired[Bed(BedKind.SINGLE, n)]
    return wired


@pytest.fixture(scope="module")
def running() -> Iterator[SimulatedDriver]:
    """One simulated board for the whole file."""
    driver = SimulatedDriver()
    yield driver
    driver.close()


@pytest.fixture
def board(running: SimulatedDriver) -> SimulatedDriver:
    """The simulated board after a power cycle."""
    running.power_cycle()
    return running


@pytest.fixture
def started(board: SimulatedDriver, tmp_path: Path) -> Iterator[list[Terminal]]:
    """Start terminals; stop all of them after the test."""
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.close()


def matrix(started: list[Terminal], board: SimulatedDriver, out: Path, *more: str) -> Terminal:
    """Run the mapping command on the board."""
    terminal = Terminal("matrix", "--port", board.name, "--out", str(out), "--seed", "4", *more)
    started.append(terminal)
    return terminal


def press(
    terminal: Terminal,
    board: SimulatedDriver,
    wired: dict[Bed, Contact],
    times: int = 1000,
    end: str = "beds, (?:sh|se)",
) -> int:
    """Press each requested bed, this many times or until a line matches `end`; return the number of presses."""
    last = None
    for pressed in range(times):
        line = terminal.until(rf"press (\w+):|{end}")
        if line[1] is None:
            return pressed
        bed = parse_bed(line[1])
        assert bed is not None
        # As a person does: an earlier press would belong to the bed before.
        time.sleep(0.41 if wired[bed] == last else 0.16)
        last = wired[bed]
        board.press(last.drive, last.sense)
    return times


def read(file: Path) -> BoardProfile:
    """Return the written profile."""
    profile = parse_profile(file.read_text())
    assert isinstance(profile, BoardProfile), profile
    return profile


@pytest.mark.long
def test_a_whole_board_is_mapped_and_checked(
    board: SimulatedDriver, started: list[Terminal], tmp_path: Path
) -> None:
    """82 beds pressed, then 82 checked in another order: the profile is that of the board, and no progress
    file remains."""
    out = tmp_path / "board.toml"
    terminal = matrix(started, board, out, "--no-page")
    assert press(terminal, board, SEPARATE) == 164
    assert terminal.ended() == 0
    profile = read(out)
    assert profile.separate_singles and dict(profile.beds) == dict(load_profile("simulated").beds)
    assert [file.name for file in tmp_path.iterdir()] == ["board.toml"]


@pytest.mark.long
def test_shared_singles_are_recognised(
    board: SimulatedDriver, started: list[Terminal], tmp_path: Path
) -> None:
    """On a board with a switch for both singles the profile has S beds."""
    out = tmp_path / "board.toml"
    terminal = matrix(started, board, out, "--no-page")
    press(terminal, board, shared(), end="Now all of them once more")
    for _ in range(82):
        terminal.type("s")  # another test covers the second walk
    terminal.until("wiring has the name")
    assert terminal.ended() == 0
    profile = read(out)
    assert not profile.separate_singles
    assert not profile.missing() and len(profile.beds) == 62


@pytest.mark.long
def test_an_interrupted_run_continues(
    board: SimulatedDriver, started: list[Terminal], tmp_path: Path
) -> None:
    """After q, and after a kill, the same command continues where it stopped."""
    out = tmp_path / "board.toml"
    terminal = matrix(started, board, out, "--no-page")
    press(terminal, board, SEPARATE, 10)
    asked = terminal.until(r"press (\w+):")[1]
    terminal.type("q")
    terminal.until("the same command goes on")
    assert terminal.ended() == 0 and not out.exists()
    repeated = matrix(started, board, out, "--no-page")
    repeated.until("10 contacts are known")
    assert repeated.until(r"press (\w+):")[1] == asked
    repeated.process.kill()
    third = matrix(started, board, out, "--no-page")
    third.until("10 contacts are known")
    press(third, board, SEPARATE, 3)
    assert third.until(r"press (\w+):")[1] != asked


def test_a_profile_is_not_overwritten_by_default(board: SimulatedDriver, tmp_path: Path) -> None:
    """An existing profile is refused before the board is touched, and stays unchanged."""
    out = tmp_path / "board.toml"
    out.write_text("mine")
    with pytest.raises(SchartenError, match=r"board\.toml exists"):
        build()(["matrix", "--port", board.name, "--out", str(out)], standalone_mode=False)
    assert out.read_text() == "mine"


@pytest.mark.long
def test_slips_are_refused_and_undone(
    board: SimulatedDriver, started: list[Terminal], tmp_path: Path
) -> None:
    """A bed pressed twice is refused by name. `b` and the board's undo button take the last bed back."""
    terminal = matrix(started, board, tmp_path / "board.toml", "--no-page")
    press(terminal, board, SEPARATE, 5)
    asked = terminal.until(r"press (\w+):")[1]
    time.sleep(0.41)
    board.press(0, 0)  # the double 20, the fifth bed
    assert terminal.until("NO: that is the contact of (D20)")[1] == "D20"
    assert terminal.until(r"press (\w+):")[1] == asked
    terminal.type("b")
    assert terminal.until(r"press (\w+):")[1] == "D20"
    time.sleep(0.41)
    board.press(0, 0)
    assert terminal.until(r"press (\w+):")[1] == asked
    board.button(2)
    terminal.until("D20 is open again")


@pytest.mark.long
def test_a_single_bed_is_corrected(board: SimulatedDriver, started: list[Terminal], tmp_path: Path) -> None:
    """--bed asks for that bed only; an invalid bed and a missing profile are refused with a message."""
    out = tmp_path / "board.toml"
    profile = load_profile("simulated")
    wrong = {contact: bed for contact, bed in profile.beds.items() if str(bed) != "D7"}
    out.write_text(profile_text(replace(profile, beds=wrong)))
    terminal = matrix(started, board, out, "--no-page", "--bed", "D7")
    assert press(terminal, board, SEPARATE) == 2
    assert terminal.ended() == 0
    assert dict(read(out).beds) == dict(profile.beds)
    for bed, file, words in (
        ("X7", out, "no bed 'X7'"),
        ("S7", out, "no bed S7"),
        ("D7", tmp_path / "x", "cannot"),
    ):
        with pytest.raises(SchartenError, match=words):
            build()(["matrix", "--port", board.name, "--out", str(file), "--bed", bed], standalone_mode=False)


def test_the_daemon_must_release_the_port(
    board: SimulatedDriver, started: list[Terminal], tmp_path: Path
) -> None:
    """While another program has the port, the message names the port and the program to stop."""
    with listening(board.name) as (_, result):
        result.status(PortState.UP)
        terminal = matrix(started, board, tmp_path / "board.toml", "--no-page")
        terminal.until(f"Another program has the port {board.name}")
        terminal.until("the daemon, it must release the port")
        assert terminal.ended() == 1


class Stream:
    """The states of the page in order."""

    def __init__(self, address: str) -> None:
        self.states: list[dict[str, object]] = []
        self._response = urllib.request.urlopen(f"{address}events", timeout=40)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._response:
            if line.startswith(b"data: "):
                self.states.append(json.loads(line[6:]))

    def until(self, **wanted: object) -> dict[str, object]:
        """Return the first state with these values."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            for state in self.states:
                if all(state.get(key) == value for key, value in wanted.items()):
                    return state
            time.sleep(0.02)
        raise AssertionError((wanted, self.states))


def post(address: str, body: object, **headers: str) -> int:
    """Post to the page and return the status."""
    data = json.dumps(body).encode()
    request = urllib.request.Request(
        f"{address}request", data, {"Content-Type": "application/json", **headers}
    )
    try:
        with urllib.request.urlopen(request, timeout=40) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_the_page_shows_the_bed_to_press(
    board: SimulatedDriver, started: list[Terminal], tmp_path: Path
) -> None:
    """The page draws every bed and lights the requested bed; its buttons work, and only from this machine."""
    terminal = matrix(started, board, tmp_path / "board.toml", "--page-port", "0")
    address = terminal.until(r"(http://127\.0\.0\.1:\d+/)")[1]
    with urllib.request.urlopen(address, timeout=40) as response:
        html = response.read().decode()
        assert "default-src 'self'" in response.headers["Content-Security-Policy"]
    assert len(set(re.findall(r'id="bed-(\w+)"', html))) == 82
    for asset in ("page.js", "texts.js", "page.css"):
        with urllib.request.urlopen(address + asset, timeout=40) as response:
            assert response.status == 200
    stream = Stream(address)
    assert stream.until(bed="F20")["phase"] == "probing"
    press(terminal, board, SEPARATE, 5)
    state = stream.until(bed="D1", over=5)
    assert state["phase"] == "mapping" and "D20" in state["done"]  # type: ignore[operator]
    assert post(address, {"request": "back"}) == 204
    assert "open again" in str(stream.until(bed="D20", answer="D20 is open again")["answer"])
    assert 'data-do="take"' in html and post(address, {"request": "take"}) == 204
    assert "press the bed first" in str(stream.until(bed="D20", taken=False)["answer"])
    board.press(0, 0)  # the contact of another bed, which is refused once
    stream.until(bed="D20", taken=False)
    assert post(address, {"request": "take"}) == 204
    assert stream.until(bed="D1", taken=True)
    assert post(address, {"request": "explode"}) == 400
    assert post(address, {"request": "skip"}, Origin="http://elsewhere.example") == 403
    assert post(address, {"request": "skip"}, Host="elsewhere.example") == 403
    assert post(address, {"request": "skip"}, **{"Content-Type": "text/plain"}) == 415
    terminal.type("q")
    assert terminal.ended() == 0


def test_a_page_port_in_use_is_named() -> None:
    """When another program has the page's port, the message names the port and the alternative."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(SchartenError, match=f"port {port}") as caught:
            MappingPage(port, lambda _: None).start()
        assert "--no-page" in caught.value.cure


def test_the_knock_threshold_is_found(
    board: SimulatedDriver, started: list[Terminal], tmp_path: Path
) -> None:
    """Five misses and three leans give a threshold between them in the profile, and a drawing beside it."""
    profile = tmp_path / "board.toml"
    profile.write_text('# mine\nname = "mine"\ndrives = 8\nsenses = 11\nseparate_singles = true\n')
    terminal = Terminal("piezo", "--port", board.name, "--profile", str(profile))
    started.append(terminal)
    for number, peak in enumerate((400, 420, 390, 500, 405), 1):
        terminal.until(rf"\[{number} of 5\] throw")
        if number == 2:
            board.press(1, 1)
            terminal.until("closed a contact")
            time.sleep(0.1)
        board.type(f"knock {peak}")
    for number, peak in enumerate((30, 44, 25), 1):
        terminal.until(rf"\[{number} of 3\] lean")
        board.type(f"knock {peak}")
        terminal.until(f"felt {peak}")
        terminal.type("")
    assert terminal.until(r"knock_threshold = (\d+)")[1] == "131"
    assert terminal.ended() == 0
    assert read(profile).settings["knock_threshold"] == 131
    assert "threshold 131" in (tmp_path / "board.knocks.svg").read_text()


def test_wrong_requests_are_refused(board: SimulatedDriver, tmp_path: Path) -> None:
    """An invalid name, a missing port and a missing profile are refused with a message."""
    for arguments, words in (
        (("matrix", "--port", board.name, "--name", "a b"), "'a b' is not a name"),
        (
            ("matrix", "--port", str(tmp_path / "none"), "--out", str(tmp_path / "x")),
            r"There is no port \S+none\. Plug",
        ),
        (("piezo", "--port", board.name, "--profile", str(tmp_path / "none")), "cannot be read"),
    ):
        with pytest.raises(SchartenError, match=words):
            build()([*arguments], standalone_mode=False)
