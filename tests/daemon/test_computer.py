"""The computer at a seat of a whole daemon: it plays by itself, is restarted, and never harms the game."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.daemon_process import DaemonProcess, Peer, wait_for
from lab.scripted_game import board_listens

Daemons = Callable[..., DaemonProcess]


def processes(folder: Path) -> dict[str, int]:
    """Return the process ids of the seats that play from this folder."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except (OSError, UnicodeDecodeError):
            continue
        if "opponent" in words and any(word.startswith(f"{folder}/") for word in words):
            found[words[words.index("--seat") + 1]] = int(entry.name)
    return found


def start_game(daemons: Daemons, **fields: object) -> tuple[DaemonProcess, Peer]:
    daemon = daemons().start()
    peer = daemon.peer("table")
    board_listens(peer)
    peer.new_game(**fields)
    return daemon, peer


@pytest.mark.long
def test_computers_play_both_seats_and_end_with_the_daemon(daemons: Daemons) -> None:
    """Two computers play ten turns, some by darts over the serial line, and leave no process."""
    daemon, peer = start_game(daemons, computers={"seat1": 2, "seat2": 4})
    peer.wait(lambda state: state["turns"] >= 10, 120, "ten turns of two computers")
    assert any(hit["source"] == "board" and hit["counted"] for hit in peer.hits)
    assert not any(hit["source"] == "computer" for hit in peer.hits)
    peer.ask("set_computer", seat="seat1", level=None)
    wait_for(lambda: set(processes(daemon.folder)) == {"seat2"}, 40, "one computer to leave")
    daemon.stop()
    wait_for(lambda: not processes(daemon.folder), 40, "the computers to end with the daemon")


@pytest.mark.long
def test_a_killed_computer_is_restarted_and_the_game_continues(daemons: Daemons) -> None:
    """After SIGKILL a new process continues the game; a person takes the seat and plays its turn."""
    daemon, peer = start_game(daemons, kind="silent", computers={"seat2": 4})
    first = wait_for(lambda: processes(daemon.folder).get("seat2"), 40, "the computer")
    assert peer.ask("move", move="e2e4")["accepted"]
    peer.wait(lambda state: state["turns"] == 2, 60, "its answer")
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: processes(daemon.folder).get("seat2", first) != first, 40, "another process")
    assert peer.ask("move", move="d2d4")["accepted"]
    peer.wait(lambda state: state["turns"] == 4, 60, "its next answer")
    assert peer.ask("set_computer", seat="seat2", level=None)["accepted"]
    assert peer.ask("move", move="f1d3")["accepted"]
    state = peer.wait(lambda state: state["turns"] == 5, what="the person's move")
    assert peer.ask("move", move=state["moves"][0])["accepted"]


@pytest.mark.long
def test_a_cheating_computer_changes_nothing(daemons: Daemons) -> None:
    """The seat's account moves for the other seat and throws out of turn or for a person: all refused."""
    daemon, peer = start_game(daemons)
    cheat = daemon.peer("seat2")
    cheat.wait(lambda state: state["match"] == peer.state["match"])
    before = json.dumps(peer.state)
    assert cheat.ask("move", move="e1e2")["code"] == "not_your_turn"
    assert cheat.ask("announce_throw")["code"] == "not_your_turn"
    assert cheat.ask("virtual_throw", x_mm=0.0, y_mm=90.0)["code"] == "wrong_phase"
    assert peer.ask("announce_throw")["accepted"]
    cheat.wait(lambda state: state["phase"] == "throwing")
    assert cheat.ask("virtual_throw", x_mm=0.0, y_mm=90.0)["code"] == "not_allowed"
    assert peer.state["position"] == json.loads(before)["position"]
    cheat.publish(
        "command/seat1", json.dumps({"v": 2, "id": "x", "type": "resign", "match": peer.state["match"]})
    )
    assert peer.ask("cancel_throw")["accepted"] and peer.state["result"] is None
