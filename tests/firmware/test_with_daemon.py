"""A dart's whole path: the compiled program in real time, its pty, the real daemon, MQTT."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware.driver import Board, hellos
from lab.daemon_process import DaemonProcess, Peer, wait_for
from scharten.dartboard.profile import BoardProfile, Contact, parse_profile
from scharten.journal.journal import JournalReader

pytestmark = pytest.mark.avr
PROFILES = Path(__file__).resolve().parents[2] / "calibration" / "scharten_calibration" / "profiles"
LAG_S = 1.5
"""On a busy machine the simulated clock falls behind; a dart stamped before the game began would not count."""
CONFIG = """
[board]
profile = "reference-8x11"
[game]
settle_ms = 0
arming = "auto"
[source]
kind = "serial"
[source.serial]
port = "{port}"
[broker]
port = 0
[web]
port = 0
"""


@pytest.fixture
def live() -> Iterator[Board]:
    """The reference board, in real time."""
    board = Board("mega2560", 8, 11)
    board.settle()
    board.go_live()
    yield board
    board.close()


@pytest.fixture
def daemon(live: Board, tmp_path: Path) -> Iterator[DaemonProcess]:
    """The daemon with the board's pty as its serial port."""
    daemon = DaemonProcess(tmp_path / "data", CONFIG.format(port=live.pty)).start()
    yield daemon
    daemon.end()


def _profile() -> BoardProfile:
    profile = parse_profile((PROFILES / "reference-8x11.toml").read_text(encoding="utf-8"))
    assert isinstance(profile, BoardProfile)
    return profile


def _contact(bed: str) -> Contact:
    return next(contact for contact, item in _profile().beds.items() if str(item) == bed)


def _dart(board: Board, bed: str) -> None:
    contact = _contact(bed)
    board.press(contact.drive, contact.sense, 1, 3, 0.4)


def _peer(daemon: DaemonProcess) -> Peer:
    """Return a peer once the daemon plays; beside the simulator on a busy machine this may take long."""
    reported = daemon.folder / "running.json"
    own = f'"pid": {daemon.process.pid}' if daemon.process else ""
    wait_for(
        lambda: reported.exists() and own in reported.read_text(encoding="utf-8"), 90, "the daemon to start"
    )
    return daemon.peer("table")


def _playing(daemon: DaemonProcess) -> Peer:
    peer = _peer(daemon)
    wait_for(lambda: _source(peer).get("state") == "found", 40, "the board to be found")
    peer.new_game()
    time.sleep(LAG_S)
    return peer


def _source(peer: Peer) -> dict[str, Any]:
    sources = peer.last.get("health", {}).get("sources") or [{}]
    return dict(sources[0])


@pytest.mark.long
def test_a_press_of_a_switch_becomes_a_piece(live: Board, daemon: DaemonProcess) -> None:
    """Closing the switch of F17 places a pawn: state, hits and journal have it; a knock
    without a contact loses Black's dart; a switch that stays closed is named in the health message; the
    board learns that the host has stored all of it."""
    peer = _playing(daemon)
    before = peer.state["position"]
    _dart(live, "F17")
    state = peer.wait(lambda state: state["turns"] == 1, 40, "the dart")
    assert state["position"] != before
    assert state["last"]["bed"] == "F17"
    assert wait_for(lambda: peer.hits, 40, "the reading")[-1]["bed"] == "F17"
    reader = JournalReader(daemon.folder / "scharten.sqlite3")
    rows = [json.loads(row.body) for match in reader.matches() for row in reader.inputs(match.id)]
    assert [row["receipt"][1] for row in rows if row.get("receipt")] == [1]
    assert peer.ask("announce_throw", side="black")["accepted"]
    peer.wait(lambda state: state["phase"] == "throwing", 40, "black's throw")
    time.sleep(LAG_S)
    live.knock()
    lost = peer.wait(lambda state: state["turns"] == 2, 40, "the knock without a contact")
    assert lost["last"]["foul"] == "bounce_out"
    contact = _contact("D20")
    live.contact(contact.drive, contact.sense, True)
    wait_for(lambda: "D20" in json.dumps(peer.last["health"].get("stuck", "")), 40, "the stuck contact")
    live.tell("stop")
    live.take()
    live.send(b"?")
    live.run(40)
    assert hellos(live.take())[-1].first_seq >= 2
    peer.close()


@pytest.mark.long
def test_a_restarted_daemon_finds_the_dart_thrown_meanwhile(live: Board, daemon: DaemonProcess) -> None:
    """The board stores a dart thrown while the daemon is dead; after the restart the daemon reads and shows it."""
    peer = _playing(daemon)
    _dart(live, "F17")
    peer.wait(lambda state: state["turns"] == 1, 40, "the first dart")
    peer.close()
    daemon.kill()
    time.sleep(0.5)  # two darts are at least the board's 100 ms apart
    _dart(live, "F4")
    live.tell("stat")
    daemon.start()
    second = _peer(daemon)
    readings = wait_for(lambda: second.last.get("health", {}).get("readings"), 40, "the dart of the meantime")
    assert readings[-1]["bed"] == "F4"
    second.close()
