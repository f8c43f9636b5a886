"""The computer plays as a registered player at a whole daemon, and changes none of that player's figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lab.daemon_process import DaemonProcess, wait_for
from lab.scripted_game import board_listens
from scharten.cli import build

Daemons = Callable[..., DaemonProcess]


def players(folder: Path, *words: str) -> str:
    """Run `scharten players`; return its output."""
    result = CliRunner().invoke(build("players"), ["players", *words, "--data", str(folder)])
    assert result.exit_code == 0, result.output
    return result.stdout


def ann_s_figures(folder: Path) -> dict[str, Any]:
    """Return the figures of the only player."""
    found: dict[str, Any] = json.loads(players(folder, "export", "Ann"))
    return found


@pytest.mark.long
def test_a_stand_in_throws_only_with_consent_and_changes_no_figures(daemons: Daemons) -> None:
    """Without the player's consent it does not start; it throws with it, and stops when it is withdrawn. The
    figures stay empty."""
    daemon = daemons().start()
    ann = players(daemon.folder, "add", "Ann").split()[0]
    peer = daemon.peer("table")
    board_listens(peer)
    stand_in = {"player": ann, "mm": 12.0}
    peer.new_game(computers={"seat1": 1, "seat2": 1}, stand_ins={"seat1": stand_in, "seat2": stand_in})
    faults = wait_for(lambda: peer.last["health"].get("computers"), 60, "the fault")
    assert {fault["code"] for fault in faults} == {"stand_in"} and peer.state["turns"] == 0
    players(daemon.folder, "stand-in", "Ann", "--agree")
    peer.wait(lambda state: state["turns"] >= 3, 120, "three turns of stand-ins")
    assert not peer.last["health"].get("computers")
    players(daemon.folder, "stand-in", "Ann", "--withdraw")
    wait_for(lambda: peer.last["health"].get("computers"), 60, "the fault again")
    assert peer.ask("resign", side="white")["accepted"]
    peer.wait(lambda state: state["result"] is not None, what="the end")
    found = ann_s_figures(daemon.folder)
    assert (found["darts"]["thrown"], found["games"], found["head"]) == (0, [], None)
