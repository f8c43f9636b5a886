"""The serial source on real ports: the simulated board's process, and boards whose bytes the test writes."""

from __future__ import annotations

import os
import signal
import termios
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.simulated import SimulatedDriver
from scharten.dartboard.lines import ButtonLine, Heartbeat, HitLine, KnockLine, StuckLine, ack, frame, setting
from scharten.dartboard.link import LinkState
from scharten.dartboard.profile import Contact
from scharten.errors import SchartenError
from scharten.match.inputs import SensorChanged, SensorNews
from scharten.sensors.board_talk import EventsLost, PortState, PortStatus, SettingReported
from scharten.sensors.serial import as_input, open_port
from sensors.serial_bench import PROFILE, ByteBoard, hello, listening, unix_ms


@pytest.fixture(scope="module")
def running() -> Iterator[SimulatedDriver]:
    """One process of the simulated board for the whole file."""
    driver = SimulatedDriver()
    yield driver
    driver.close()


@pytest.fixture
def board(running: SimulatedDriver) -> SimulatedDriver:
    """The simulated board after a power cycle."""
    running.power_cycle()
    return running


def test_a_hit_is_repeated_until_it_is_acknowledged(board: SimulatedDriver) -> None:
    """The board repeats a hit until `acknowledge`, then is quiet. The host drops the duplicates."""
    with listening(board.name) as (source, result):
        result.status(PortState.UP)
        board.press(2, 3)
        line = result.line()
        assert line.line == HitLine(1, Contact(2, 3), line.line.t_ms)
        assert abs(line.happened_ms - line.arrived_ms) < 500
        _until(lambda: source.counts.duplicates >= 2)
        source.acknowledge(line.session, line.line.seq)
        _until(lambda: _quiet(source, 0.6))
        board.button(2)
        assert isinstance(result.line().line, ButtonLine)


def _until(true: object, timeout: float = 40) -> None:
    end = time.monotonic() + timeout
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)


def _quiet(source: object, seconds: float) -> bool:
    before = source.counts.duplicates  # type: ignore[attr-defined]
    time.sleep(seconds)
    return bool(source.counts.duplicates == before)  # type: ignore[attr-defined]


def test_every_kind_of_event_comes_through(board: SimulatedDriver) -> None:
    """Hits, buttons, knocks and stuck contacts arrive in order with consecutive numbers."""
    with listening(board.name) as (source, result):
        result.status(PortState.UP)
        board.hold(1, 1)
        board.button(0)
        time.sleep(0.1)
        board.knock()
        lines = [result.line() for _ in range(4)]
        kinds = [type(line.line) for line in lines]
        assert kinds == [HitLine, ButtonLine, KnockLine, StuckLine]
        assert [line.line.seq for line in lines] == [1, 2, 3, 4]
        source.acknowledge(lines[-1].session, 4)


def test_a_board_is_unplugged_and_plugged_in_again(tmp_path: Path) -> None:
    """The port goes, and another comes under the same lasting name. The source reports both, and darts count again."""
    link = tmp_path / "board"
    driver = SimulatedDriver("--link", str(link))
    try:
        with listening(str(link)) as (source, result):
            result.status(PortState.UP)
            driver.type("unplug")
            gone = result.status(PortState.MISSING)
            assert "unplugged" in gone.words and str(link) in gone.words
            driver.press(1, 1)  # without power nothing happens
            driver.type("replug")
            back = result.status(PortState.UP)
            assert back.hello is not None and back.hello.next_seq == 1
            driver.press(2, 2)
            line = result.line()
            assert (
                line.line.seq == 1 and isinstance(line.line, HitLine) and line.line.contact == Contact(2, 2)
            )
            source.acknowledge(line.session, 1)
    finally:
        driver.close()


def test_the_board_keeps_darts_while_the_host_is_away(board: SimulatedDriver) -> None:
    """Darts without a host wait in the board. The host skips those it had stored before it died."""
    with listening(board.name) as (source, result):
        result.status(PortState.UP)
        board.press(1, 1)
        first = result.line()  # stored, but the host dies before it acknowledges
    board.press(2, 2)
    time.sleep(0.5)
    came_back = unix_ms()
    with listening(board.name, LinkState(first.session, first.line.seq)) as (source, result):
        second = result.line()
        assert (
            second.line.seq == 2 and isinstance(second.line, HitLine) and second.line.contact == Contact(2, 2)
        )
        assert second.happened_ms < came_back, "it happened while the host was away"
        source.acknowledge(second.session, 2)


def test_a_second_program_on_one_port_gets_an_error(board: SimulatedDriver) -> None:
    """The error names the port and the cure. The port can be opened once the first program releases it."""
    with listening(board.name) as (_, first):
        first.status(PortState.UP)
        with pytest.raises(SchartenError, match=f"Another program has the port {board.name}") as caught:
            open_port(board.name, 115200)
        assert "fuser" in caught.value.cure
        with listening(board.name) as (_, second):
            busy = second.status(PortState.BUSY)
            assert board.name in busy.words and busy.cure
    with listening(board.name) as (_, third):
        third.status(PortState.UP)


def test_a_missing_port_is_reported_once_and_used_when_it_appears(tmp_path: Path) -> None:
    """The report names the port and the cure, and is not repeated."""
    link = tmp_path / "later"
    with listening(str(link)) as (_, result):
        missing = result.status(PortState.MISSING)
        assert str(link) in missing.words and "doctor" in missing.cure
        time.sleep(0.6)
        assert result.queue.empty()
        bytes_board = ByteBoard(link)
        result.status(PortState.OPENED)
        bytes_board.wake()
        bytes_board.send(hello())
        result.status(PortState.UP)


def test_a_path_that_is_no_serial_port_is_an_error() -> None:
    """The error names the path, and nothing crashes."""
    with listening("/dev/null") as (_, result):
        missing = result.status(PortState.MISSING)
        assert "/dev/null" in missing.words
        reported = as_input(missing, PROFILE, 1)
        assert isinstance(reported, SensorNews) and isinstance(reported.news, SensorChanged)
        assert ".." not in reported.news.detail and ". " in reported.news.detail
    with listening(lambda: None) as (_, result):
        result.status(PortState.MISSING)


def test_a_port_unplugged_while_it_is_opened_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cable comes out between opening and configuring: the error says that the port cannot be used."""
    board, flush = ByteBoard(), termios.tcflush

    def unplug_and_flush(port: int, queue: int) -> None:
        board.port.unplug()
        flush(port, queue)

    monkeypatch.setattr(termios, "tcflush", unplug_and_flush)
    with pytest.raises(SchartenError, match="cannot be used"):
        open_port(board.name, 115200)


def test_a_silent_board_and_its_return_are_reported(board: SimulatedDriver) -> None:
    """A board that hangs is silent after 3 s, and up again when it continues."""
    with listening(board.name) as (_, result):
        result.status(PortState.UP)
        os.kill(board.process.pid, signal.SIGSTOP)
        try:
            silent = result.status(PortState.SILENT)
            assert board.name in silent.words and silent.cure
        finally:
            os.kill(board.process.pid, signal.SIGCONT)
        result.status(PortState.UP)


def test_another_protocol_is_refused_with_both_versions() -> None:
    """The message names both versions. The board's events count only after a hello in version 1."""
    board = ByteBoard()
    with listening(board.name) as (_, result):
        board.wake()
        board.send(frame("I,2,9.9,new,8,11,7,1,1,0,0"), HitLine(1, Contact(0, 0), 5))
        words = result.status(PortState.REFUSED).words
        assert "protocol 2" in words and "protocol 1" in words
        board.send(HitLine(1, Contact(0, 0), 5), hello(), HitLine(1, Contact(1, 1), 6))
        line = result.line()
        assert isinstance(line.line, HitLine) and line.line.contact == Contact(1, 1)
        refusals = [item for item in result.seen if isinstance(item, PortStatus)]
        assert sum(refusal.state is PortState.REFUSED for refusal in refusals) == 1


def test_the_host_sends_settings_and_lamp_after_each_hello() -> None:
    """After every hello the board gets the profile's settings and the lamp's current state."""
    board = ByteBoard()
    with listening(board.name) as (source, result):
        board.wake()
        board.send(hello())
        board.read_until(setting("knock_window_ms", 60))
        source.set_lamp(2)
        board.read_until(setting("lamp", 2))
        board.received = b""
        board.send(hello())
        received = board.read_until(setting("lamp", 2))
        assert setting("vote_window_ms", 5) in received and setting("knock_threshold", 60) in received
        board.send(frame("V,lamp,2"))
        assert result.next(SettingReported) == SettingReported("lamp", 2)


def test_gaps_and_losses_are_reported() -> None:
    """A gap makes the host query. Events that the board lost or dropped are reported with their number."""
    board = ByteBoard()
    with listening(board.name) as (source, result):
        board.wake()
        board.send(hello())
        result.status(PortState.UP)
        board.received = b""
        board.send(HitLine(3, Contact(0, 0), 5))
        board.read_until(b"?")
        assert source.counts.gaps == 1
        board.send(hello(first=3, following=4, dropped=5))
        assert result.next(EventsLost).count == 2
        dropped = result.next(EventsLost)
        assert dropped.count == 5 and "full" in dropped.words
        board.send(HitLine(3, Contact(0, 0), 5))
        source.acknowledge(result.line().session, 3)
        board.read_until(ack(3))


def test_a_duplicate_is_acknowledged_again() -> None:
    """A stored event that arrives again gets the same acknowledgement, and no second event results."""
    board = ByteBoard()
    with listening(board.name) as (source, result):
        board.wake()
        board.send(hello(), HitLine(1, Contact(0, 0), 5))
        line = result.line()
        source.acknowledge(line.session, 1)
        board.read_until(ack(1))
        board.received = b""
        board.send(HitLine(1, Contact(0, 0), 5))
        board.read_until(ack(1))
        board.send(HitLine(2, Contact(0, 1), 6))
        assert result.line().line.seq == 2


def test_a_delayed_hit_has_the_time_when_it_happened() -> None:
    """A hit that waited 90 s in the board is dated 90 s before it arrived."""
    board = ByteBoard()
    with listening(board.name) as (_, result):
        board.wake()
        board.send(hello(t_ms=600_000), HitLine(1, Contact(0, 0), 510_000))
        line = result.line()
        assert 89_000 < line.arrived_ms - line.happened_ms < 91_000


def test_darts_after_a_reset_of_the_board_have_the_right_time() -> None:
    """The host follows a clock that fell back 1.5 s in a reset at once: the next dart is dated now."""
    board = ByteBoard()
    with listening(board.name) as (_, result):
        board.wake()
        board.send(
            hello(t_ms=600_000), Heartbeat(600_001), hello(t_ms=598_500), HitLine(1, Contact(0, 0), 598_501)
        )
        line = result.line()
        assert line.arrived_ms - line.happened_ms < 200


def test_two_megabytes_of_junk_do_no_harm() -> None:
    """2 MB of junk are reported as noise, memory stays below 200 kB, and the hit after them counts."""
    board = ByteBoard()
    with listening(board.name) as (source, result):
        board.wake()
        board.send(hello())
        result.status(PortState.UP)
        tracemalloc.start()
        for _ in range(512):
            board.send(bytes(range(256)) * 16)
        _until(lambda: source.counts.junk_bytes > 2_000_000)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 200_000
        assert "noise" in result.status(PortState.BABBLING).words
        board.send(b"\n", HitLine(1, Contact(4, 4), 5))
        assert result.line().line.seq == 1
        board.send(Heartbeat(1))
        result.status(PortState.UP)


def test_a_real_board_with_the_simulated_profile_gets_a_warning(board: SimulatedDriver) -> None:
    """A real board of the same size under the simulated board's profile is up, with a warning that its beds will
    be wrong."""
    with listening(board.name) as (_, result):
        assert "wrong" not in result.status(PortState.UP).words
    real = ByteBoard()
    with listening(real.name) as (_, result):
        real.wake()
        real.send(hello())
        up = result.status(PortState.UP)
        assert "beds will be wrong" in up.words and "scharten-calibrate" in up.cure


def test_a_profile_of_another_size_gets_a_warning() -> None:
    """A board of 16 x 16 lines under a profile of 8 x 11 is up, with a warning naming both sizes and the cure."""
    board = ByteBoard()
    with listening(board.name) as (_, result):
        board.wake()
        board.send(frame("I,1,1.0,big,16,16,7,1,1,0,0"))
        up = result.status(PortState.UP)
        assert "16 x 16" in up.words and "8 x 11" in up.words and "profile" in up.cure
