"""The simulated board as a process: its port, its script, its broker, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from conformance.simulated import SimulatedDriver
from lab.programs import program
from scharten.cli import build
from scharten.dartboard.beds import parse_bed
from scharten.dartboard.lines import ButtonLine, HitLine, KnockLine
from scharten.dartboard.link import LineReceived
from scharten.dartboard.locate import centre_of
from scharten.errors import SchartenError
from scharten.mqtt.network_thread import stop_thread
from scharten.sensors.board_talk import PortState
from scharten.sensors.profiles import load_profile
from scharten.sensors.simulator import process
from scharten.sensors.simulator.port import PtyPort
from scharten.sensors.simulator.script import Plain
from scharten.sensors.simulator.sensor import SimulatorProcess
from sensors.serial_bench import PROFILE, listening

ENVIRONMENT = os.environ | {"PYTHONUNBUFFERED": "1"}


def simulate(*options: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    command = [sys.executable, "-m", "scharten", "simulate", *options]
    return subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=30, check=False)


def bed_of(received: LineReceived) -> str:
    """Return the bed of a hit by the profile."""
    assert isinstance(received.line, HitLine)
    return str(PROFILE.bed(received.line.contact))


def test_a_script_is_played_in_order_and_time(tmp_path: Path) -> None:
    """Darts by bed and by mm, a miss, a bounce-out and a button arrive in order; then the process ends."""
    script = tmp_path / "game.txt"
    script.write_text(
        "0 wait host\n0.2 T20\n+0 12,-103 # T3\n+0 miss\n+0.5 bounce_out\n+0.2 button ready\n1.2 wait stored\n0 end\n"
    )
    link = tmp_path / "board"
    command = [sys.executable, "-m", "scharten", "simulate", "--script", str(script), "--link", str(link)]
    process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    with listening(str(link)) as (source, result):
        lines = [result.line() for _ in range(4)]
        assert [bed_of(line) for line in lines[:2]] == ["T20", "T3"]
        assert isinstance(lines[2].line, KnockLine) and isinstance(lines[3].line, ButtonLine)
        assert lines[2].happened_ms - lines[0].happened_ms == pytest.approx(500, abs=300)
        assert process.poll() is None, "it waits until everything is stored"
        source.acknowledge(lines[-1].session, 4)
        assert process.wait(40) == 0
        result.status(PortState.MISSING)
    assert not link.is_symlink()


@pytest.mark.long
def test_a_wrong_script_is_refused_with_its_line(tmp_path: Path) -> None:
    """A script with a mistake plays nothing; the message names file and line."""
    script = tmp_path / "game.txt"
    script.write_text("0 T20\n1 T21\n")
    ended = simulate("--script", str(script))
    assert ended.returncode == 1
    assert f"{script} is wrong in line 2" in ended.stderr and "'T21'" in ended.stderr
    assert "/dev/" not in ended.stdout


def test_wrong_options_are_refused_with_a_message(tmp_path: Path) -> None:
    """The message names a missing script, an unknown profile with the known ones, or an invalid broker address."""
    for options, words in (
        (("--script", str(tmp_path / "none")), "cannot be read"),
        (("--profile", "nosuch"), "'nosuch'.*reference-8x11"),
        (("--broker", "http://x"), "'http://x' is not the address"),
    ):
        with pytest.raises(SchartenError, match=re.compile(words, re.DOTALL)):
            build()(["simulate", *options], standalone_mode=False)


@pytest.mark.long
def test_an_unused_board_ends_and_a_second_board_yields_to_the_first(tmp_path: Path) -> None:
    """With --linger the board ends once no program has its port open. Until then a second one names it and ends."""
    link = tmp_path / "board"
    driver = SimulatedDriver("--link", str(link), "--linger", "2")
    try:
        with listening(str(link)) as (_, result):
            result.status(PortState.UP)
            second = simulate("--link", str(link))
            assert second.returncode == 0 and driver.name in second.stdout
            assert os.path.realpath(link) == driver.name
            time.sleep(2.5)
            assert driver.process.poll() is None, "the test has the port open"
        assert driver.process.wait(40) == 0
        assert not link.is_symlink()
    finally:
        driver.close()


def test_a_link_never_replaces_a_file(tmp_path: Path) -> None:
    """With `--link` on an existing file the command fails and leaves the file as it is."""
    link = tmp_path / "notes"
    link.write_text("mine")
    result = simulate("--link", str(link))
    assert result.returncode == 1 and "exists already" in result.stderr and link.read_text() == "mine"


def test_signals_unplug_and_replug_the_board(tmp_path: Path) -> None:
    """SIGUSR1 unplugs the port and SIGUSR2 plugs in another, for tests that run the whole daemon."""
    link = tmp_path / "board"
    driver = SimulatedDriver("--link", str(link))
    try:
        with listening(str(link)) as (_, result):
            result.status(PortState.UP)
            driver.process.send_signal(signal.SIGUSR1)
            result.status(PortState.MISSING)
            assert not link.is_symlink()
            driver.process.send_signal(signal.SIGUSR2)
            result.status(PortState.UP)
    finally:
        driver.close()


class Broker:
    """A Mosquitto that belongs to the test, on a free port."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [program("mosquitto"), "-p", str(self.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2)
        _retry(lambda: self.client.connect("127.0.0.1", self.port) == 0)
        self.client.loop_start()

    def throw(self, payload: bytes | dict[str, object], retain: bool = False, board: str = "kitchen") -> None:
        """Publish a throw, as a click on the page does."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self.client.publish(
            f"scharten/guests/{board}/simulator/throw", data, qos=1, retain=retain
        ).wait_for_publish(5)

    def close(self) -> None:
        """Stop the client and the broker."""
        stop_thread(self.client)
        self.process.terminate()
        self.process.wait(40)


def _retry(done: Callable[[], object], timeout: float = 40) -> None:
    end = time.monotonic() + timeout
    while True:
        try:
            if done():
                return
        except OSError:
            pass
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def broker() -> Iterator[Broker]:
    """A broker on a free port."""
    running = Broker()
    yield running
    running.close()


def endpoint(path: Path, port: int, board: str = "kitchen") -> None:
    """Write the file in which the daemon announces its broker and the board's topic."""
    topics = {"prefix": "scharten", "club": "guests", "board": board}
    path.write_text(json.dumps({"host": "127.0.0.1", "port": port, **topics}))


def first_throw(broker: Broker, data: object, board: str = "kitchen") -> LineReceived:
    """Throw at T20 until a throw arrives: the board may still be connecting to the broker."""
    x_mm, y_mm = centre_of(parse_bed("T20"))  # type: ignore[arg-type]
    for _ in range(40):
        broker.throw({"v": 1, "x_mm": x_mm, "y_mm": y_mm}, board=board)
        try:
            return data.line(timeout=0.5)  # type: ignore[attr-defined, no-any-return]
        except AssertionError:
            continue
    raise AssertionError("no throw arrived in 20 s")


@pytest.mark.long
@pytest.mark.mosquitto
def test_throws_from_the_broker_return_on_the_serial_line(tmp_path: Path, broker: Broker) -> None:
    """A click becomes a hit, a bounce-out a knock. A miss, invalid messages and retained throws become nothing."""
    endpoint(tmp_path / "endpoint.json", broker.port)
    broker.throw({"v": 1, "x_mm": 0, "y_mm": 0}, retain=True)
    driver = SimulatedDriver("--endpoint", str(tmp_path / "endpoint.json"))
    try:
        with listening(driver.name) as (source, result):
            result.status(PortState.UP)
            line = first_throw(broker, result)
            assert bed_of(line) == "T20"
            source.acknowledge(line.session, line.line.seq)
            time.sleep(0.1)  # a knock right after a hit would be that dart's
            for nonsense in (
                b"",
                b"{",
                b"[]",
                b"null",
                b'{"v":3,"x_mm":0,"y_mm":0}',
                b'{"v":1,"x_mm":NaN,"y_mm":0}',
            ):
                broker.throw(nonsense)
            broker.throw(b'{"v":1,"x_mm":' + b"1" * 5000 + b',"y_mm":0}')
            broker.throw(b"x" * 1_000_000)
            broker.throw({"v": 1, "miss": True})
            broker.throw({"v": 1, "x_mm": 171, "y_mm": 0})
            broker.throw({"v": 1, "bounce_out": True})
            knock = result.next(LineReceived, lambda item: not isinstance(item.line, HitLine))
            assert isinstance(knock.line, KnockLine)
            broker.throw({"v": 1, "x_mm": 0, "y_mm": 0})
            assert bed_of(result.next(LineReceived)) == "BULL"
            others = [
                bed_of(item)
                for item in result.seen
                if isinstance(item, LineReceived) and isinstance(item.line, HitLine)
            ]
            assert set(others) <= {"T20", "BULL"}
    finally:
        driver.close()


@pytest.mark.long
@pytest.mark.mosquitto
def test_a_moved_broker_is_found_again(tmp_path: Path, broker: Broker) -> None:
    """When the broker moves, the endpoint file names the new port, and throws arrive again."""
    endpoint(tmp_path / "endpoint.json", 1)  # no broker listens yet
    driver = SimulatedDriver("--endpoint", str(tmp_path / "endpoint.json"))
    try:
        with listening(driver.name) as (_, result):
            result.status(PortState.UP)
            endpoint(tmp_path / "endpoint.json", broker.port)
            first_throw(broker, result)
            broker.process.terminate()
            broker.process.wait(40)
            second = Broker()
            try:
                endpoint(tmp_path / "endpoint.json", second.port)
                first_throw(second, result)
            finally:
                second.close()
    finally:
        driver.close()


@pytest.mark.long
@pytest.mark.mosquitto
def test_a_renamed_board_gets_throws_by_its_new_name(tmp_path: Path, broker: Broker) -> None:
    """The set-up renames the board while the broker stays connected: throws under the new name arrive."""
    endpoint(tmp_path / "endpoint.json", broker.port)
    driver = SimulatedDriver("--endpoint", str(tmp_path / "endpoint.json"))
    try:
        with listening(driver.name) as (_, result):
            result.status(PortState.UP)
            first_throw(broker, result)
            endpoint(tmp_path / "endpoint.json", broker.port, "cellar")
            first_throw(broker, result, "cellar")
    finally:
        driver.close()


@pytest.mark.long
def test_scatter_is_the_same_with_the_same_seed(tmp_path: Path) -> None:
    """With --scatter darts miss as people's do; two runs with the same --seed miss alike."""
    beds = []
    for _ in range(2):
        driver = SimulatedDriver("--scatter", "25", "--seed", "5")
        try:
            with listening(driver.name) as (_, result):
                result.status(PortState.UP)
                for _ in range(8):
                    driver.type("0,60")
                beds.append([bed_of(result.line()) for _ in range(8)])
        finally:
            driver.close()
    assert beds[0] == beds[1]
    assert len(set(beds[0])) > 1


def test_two_throws_in_one_pass_of_the_loop_have_their_own_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine delays the loop between two throws: the second gets its own time."""
    clock_ms, dated = [1000], []
    monkeypatch.setattr(process, "_now", lambda: clock_ms[0])
    board = process.Simulator(load_profile("simulated"), PtyPort(tmp_path / "board"), process.Habits())

    def stand_still(deed: object, now: int) -> None:
        dated.append(now)
        if clock_ms[0] == 1000:
            clock_ms[0] = 1050
            board.throw(Plain.END)

    monkeypatch.setattr(board, "_do", stand_still)
    board.throw(Plain.END)
    board._take_in([board._wake_out])
    assert dated == [1000, 1050]


def test_the_daemon_waits_for_a_board_that_starts_slowly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`where` returns the port once it exists, even after 20 s, and `None` at once if the board's process ended."""
    python, clock = sys.executable, [0.0]
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\nwhile [ ! -e "{tmp_path}/go" ]; do sleep 0.02; done\nexec "{python}" "$@"\n')
    slow.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(slow))
    monkeypatch.setattr("scharten.sensors.simulator.sensor.time.monotonic", lambda: clock[0])
    board = SimulatorProcess(tmp_path / "data", "simulated", {})
    (tmp_path / "data").mkdir()
    board.ensure()
    clock[0] = 20.0
    found: list[tuple[str | None, bool]] = []
    waiting = threading.Thread(target=lambda: found.append((board.where(), board.port.exists())))
    waiting.start()
    (tmp_path / "go").touch()
    waiting.join(60)
    board.release(for_good=True)
    assert found == [(str(board.port), True)]
    monkeypatch.setattr(sys, "executable", "/bin/false")
    board = SimulatorProcess(tmp_path / "data", "simulated", {})
    board.port.unlink(missing_ok=True)
    (tmp_path / "data" / "simulator.pid").unlink()
    board.ensure()
    assert board.where() is None
