"""A board that is unplugged, silent, sends noise, has another version or a jumping clock, under a real daemon."""

import os
import pty
import select
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from lab.daemon_process import DaemonProcess, Peer, wait_for
from lab.trust.board_trouble import (
    AIM_S,
    TROUBLES,
    LiveBoard,
    at_the_board,
    counts,
    damaged_lines,
    every_dart,
    random_bytes,
    troubles,
)
from scharten.sensors.simulator.sensor import SimulatorProcess


@dataclass
class Room:
    """A daemon with its board; a test that restarts the daemon stores the new peer here."""

    daemon: DaemonProcess
    board: LiveBoard
    peer: Peer


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """One daemon and one board for the whole file: recovery must not need a restart."""
    with at_the_board(tmp_path_factory.mktemp("board")) as made:
        yield (room := Room(*made))
        room.peer.close()


@pytest.mark.long
def test_every_fault_of_the_board_is_reported_and_survived(room: Room) -> None:
    """Health and log report each fault, the report ends with it, and darts count again. The Prometheus figures
    agree."""
    daemon, board, peer = room.daemon, room.board, room.peer
    reported = list(troubles(daemon, board, peer))
    for item in reported:
        print(f"{item.name}: reported after {item.seconds:.1f} s (aim {AIM_S:.0f} s)")
    assert len(reported) == len(TROUBLES) and all(item.counted for item in reported)
    log = daemon.log.read_text()
    assert all(trouble.words in log for trouble in TROUBLES if trouble.state != "found"), log
    shown = wait_for(lambda: settled_figures(daemon), 40, "the inputs in the figures, and none that waits")
    assert shown["scharten_host_up"] == shown["scharten_host_playable"] == 1
    assert shown['scharten_host_source{name="serial",state="found"}'] == 1
    assert shown["scharten_host_journal_bytes"] > 4096 and shown["scharten_host_line_junk_bytes"] > 400
    assert shown["scharten_host_stuck_contacts"] == 0
    assert daemon.process is not None and daemon.process.poll() is None


def settled_figures(daemon: DaemonProcess) -> dict[str, float] | None:
    """Return the figures once every input is counted and none waits, as one may for a moment."""
    shown = figures(daemon)
    counted = shown["scharten_host_inputs"] >= len(TROUBLES)
    return shown if counted and shown["scharten_host_inputs_waiting"] == 0 else None


def figures(daemon: DaemonProcess) -> dict[str, float]:
    """Return the figures that Prometheus gets from `/metrics` with the arbiter's secret."""
    wanted = urllib.request.Request(f"{daemon.running['web']}/metrics")
    wanted.add_header("Authorization", f"Bearer {daemon.secrets['arbiter']}")
    with urllib.request.urlopen(wanted, timeout=40) as answer:
        lines = [line for line in answer.read().decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_a_line_with_a_wrong_character_is_no_dart(room: Room) -> None:
    """Of 300 framed hits with one changed digit of text or checksum none counts; the intact line after them does."""
    board, peer = room.board, room.peer
    assert damaged_lines(board, peer, 300) == 0


@pytest.mark.long
def test_each_of_thirty_darts_counts(room: Room) -> None:
    """They come one after another on one line; a host that occasionally loses a line would fail."""
    board, peer = room.board, room.peer
    assert every_dart(board, peer) == 0


def test_random_bytes_on_the_line_use_no_memory_and_lose_no_dart(room: Room) -> None:
    """After 1 MB of noise (10 MB in `make trust`) memory has grown by less than 10 MB, and the next dart counts."""
    noise = random_bytes(room.daemon, room.board, room.peer, megabytes=1)
    print(f"{noise.megabytes} MB in {noise.seconds:.1f} s, memory grew by {noise.grown_mb:.1f} MB")
    assert noise.counted and noise.grown_mb < 10


@pytest.mark.long
def test_dropped_hits_are_reported_once_even_after_a_restart(room: Room) -> None:
    """The journal stores the loss with the board's own count, so a restart reports only new losses."""
    daemon, board = room.daemon, room.board
    board.dropped = 5
    board.greet()
    wait_for(lambda: room.peer.last["health"]["dropped"] == 5, 40, "the loss in health")
    assert counts(board, room.peer)
    room.peer.close()
    daemon.kill()
    daemon.start()
    peer = room.peer = daemon.peer("table")
    wait_for(lambda: peer.source == "found", 40, "the board after the restart")
    peer.wait(lambda state: state["phase"] == "paused")
    assert peer.ask("resume")["accepted"]
    peer.wait(lambda state: state["phase"] == "turn")
    assert counts(board, peer) and peer.last["health"]["dropped"] == 5
    board.dropped = 7
    board.greet()
    wait_for(lambda: peer.last["health"]["dropped"] == 7, 40, "the new loss in health")


@pytest.mark.long
def test_a_killed_board_s_port_never_leads_to_a_foreign_terminal(tmp_path: Path) -> None:
    """A killed simulated board leaves its link, and its pty may be a terminal by now. A start writes nothing to it."""
    terminal, theirs = pty.openpty()
    daemon = DaemonProcess(tmp_path / "data")
    link = daemon.folder / "simulated-board"
    link.symlink_to(os.ttyname(theirs))
    assert SimulatorProcess(daemon.folder, "simulated", {}).where() is None
    try:
        peer = daemon.start().peer("table")
        wait_for(lambda: peer.source == "found", 40, "a board of its own")
        assert link.readlink() != Path(os.ttyname(theirs))
        assert not select.select([terminal], [], [], 0)[0], os.read(terminal, 99)
        assert "There is no port" not in daemon.log.read_text(), (
            "a board that is just starting is not missing"
        )
        peer.close()
    finally:
        daemon.end()
        os.close(terminal)
        os.close(theirs)
