"""The computer's processes: one that hangs or dies is started again, and given up in words when it keeps dying."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from lab.daemon_process import wait_for
from match.driver import Table
from scharten.contract.roles import Account
from scharten.match.events import Answered, Happened
from scharten.opponent import processes
from scharten.opponent.processes import ComputerPlayers
from scharten.play.scatter import Hand, Scatter


class Started:
    """Stands for the daemon around the processes: a match, the warnings, and what is started instead."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
        self.table, self.warnings = Table(begin=False), dict[str, str | None]()
        self.begun: list[subprocess.Popen[bytes]] = []
        monkeypatch.setattr(processes, "LOOK_S", 0.02)
        monkeypatch.setattr(processes, "HANGS_S", 0.3)
        monkeypatch.setattr(ComputerPlayers, "_spawn", lambda *_: self._begin(script))
        self.reports: list[list[dict[str, str]]] = []
        self.asked, self.refused = list[str](), cast(str | None, None)
        self.players = ComputerPlayers(
            *(folder, lambda _: {}, lambda: self.table.match),
            *(self.warnings.__setitem__, self.reports.append),
            stand_in_refused=self._agreed,
        )
        self.table.ok("new_game", kind="silent", computers={"seat1": 5})
        self.players.start()

    def _agreed(self, player: str) -> str | None:
        self.asked = [player]
        return self.refused

    def _begin(self, script: str) -> subprocess.Popen[bytes]:
        self.begun.append(subprocess.Popen([sys.executable, "-S", "-c", script]))
        return self.begun[-1]


def test_one_that_hangs_in_its_turn_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that does nothing in its turn is killed and another begins; the match is what it was."""
    here = Started(tmp_path, monkeypatch, "import time; time.sleep(600)")
    before = here.table.match
    wait_for(lambda: len(here.begun) >= 2, 40, "another process")
    wait_for(lambda: here.begun[0].poll() is not None, 40, "the first to end")
    assert here.table.match is before
    here.players.stop()
    assert all(item.poll() is not None for item in here.begun)


def test_a_stand_in_is_started_with_the_players_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process gets the size with which it was seated, and offset and tilt of the player's darts."""
    table, begun = Table(begin=False), list[list[str]]()
    stand_in = {"player": "ann", "mm": 24.0}
    table.ok("new_game", kind="loud", computers={"seat1": 5}, stand_ins={"seat1": stand_in})
    nothing = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
    popen = subprocess.Popen

    def start(command: list[str], **_: object) -> subprocess.Popen[bytes]:
        begun.append(command)
        return popen(nothing)

    monkeypatch.setattr(subprocess, "Popen", start)
    hand = Hand(Scatter(12.0, 30.0, 0.5), 8.0, -15.0)
    reported = (lambda _name, _words: None, lambda _troubles: None)
    players = ComputerPlayers(
        tmp_path, lambda _: {}, lambda: table.match, *reported, hand_of={"ann": hand}.get
    )
    players.start()
    wait_for(lambda: any("--hand=24.0" in command for command in begun), 40, "the process")
    players.stop()
    (own,) = [command for command in begun if "--hand=24.0" in command]
    assert "--shape=[12.0, 30.0, 0.5, 8.0, -15.0]" in own


def test_one_that_keeps_dying_is_given_up_in_words_until_a_person_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After three ends there is a warning and no fourth start; choosing the computer again starts it again."""
    here = Started(tmp_path, monkeypatch, "")
    report = wait_for(lambda: here.warnings.get("computer_seat1"), 40, "the warning")
    assert "take its place" in report and len(here.begun) == processes.DEATHS
    here.table.ok("set_computer", seat="seat1", level=5)
    for event in here.table.events:
        here.players.on_event(event)
    wait_for(lambda: len(here.begun) > processes.DEATHS, 40, "another start")
    here.table.ok("set_computer", seat="seat1", level=None)
    wait_for(lambda: here.warnings["computer_seat1"] is None, 40, "the warning to go")
    here.players.stop()


def test_what_no_honest_player_asks_for_is_reported_until_a_person_chooses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An illegal turn, a throw out of turn, a foreign topic: the first is reported, a choice starts another process."""
    here = Started(tmp_path, monkeypatch, "import time; time.sleep(600)")
    monkeypatch.setattr(processes, "HANGS_S", 600.0)
    wait_for(lambda: here.begun, 40, "the process")

    def refused(role: str, code: str, **args: str) -> None:
        here.players.on_event(Answered(role, {"accepted": False, "code": code, "words": "no", "args": args}))

    faults = [
        (lambda: refused("seat1", "illegal"), "illegal"),
        (lambda: refused("seat1", "not_your_turn"), "out_of_turn"),
        (lambda: refused("seat1", "wrong_phase", type="virtual_throw"), "out_of_turn"),
        (lambda: refused("seat1", "not_allowed", why="other_throws"), "out_of_turn"),
        (
            lambda: here.players.on_denied(Account.SEAT1, "scharten/home/board1/command/seat2"),
            "foreign_topic",
        ),
    ]
    for cheat, code in faults:
        before = len(here.begun)
        refused("seat1", "stale")
        refused("seat1", "wrong_phase", type="answer_draw")
        refused("seat2", "illegal")  # a person's own
        cheat()
        report = wait_for(lambda: here.reports and here.reports[-1], 40, "the report")
        assert [(item["seat"], item["code"]) for item in report] == [("seat1", code)]
        assert here.warnings["computer_seat1"] == report[0]["words"]
        here.players.on_event(Happened("computer", {"seat": "seat1", "level": 5}))
        wait_for(lambda before=before: len(here.begun) > before, 40, "another process")
        wait_for(lambda: not here.reports[-1], 40, "the report to go")
    here.players.stop()


@pytest.mark.long
@pytest.mark.parametrize("command", ["opponent", "homes"])
def test_one_whose_daemon_died_while_it_started_ends(tmp_path: Path, command: str) -> None:
    """A process whose parent has ended before it checks ends too, instead of playing on alone."""
    where = {"host": "127.0.0.1", "port": 9, "prefix": "scharten", "club": "home", "board": "board1"}
    file = tmp_path / "endpoint.json"
    file.write_text(json.dumps(where if command == "opponent" else {"homes": {}, "endpoint": where}))
    file.chmod(0o600)
    gone = subprocess.Popen([sys.executable, "-S", "-c", ""])
    gone.wait()
    given = {"opponent": ["--seat", "seat1", "--endpoint"], "homes": ["--child"]}[command]
    options = [*given, str(file), "--data", str(tmp_path), "--parent", str(gone.pid)]
    done = subprocess.run(
        [sys.executable, "-m", "scharten", command, *options], timeout=60, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()


def test_a_stand_in_plays_only_while_the_player_agrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Withdrawn in the middle of a game: the process ends and the fault is reported; agreed again, it plays on."""
    here = Started(tmp_path, monkeypatch, "import time; time.sleep(600)")
    monkeypatch.setattr(processes, "HANGS_S", 600.0)
    here.table.ok("set_computer", seat="seat1", level=5, stand_in={"player": "ann00", "mm": 30})
    wait_for(lambda: bool(here.begun) and here.asked == ["ann00"], 40, "the question")
    playing = here.begun[-1]
    here.refused = "no"
    wait_for(lambda: playing.poll() is not None, 40, "the process to end")
    wait_for(lambda: bool(here.reports and here.reports[-1]), 40, "the report")
    assert [(found["seat"], found["code"]) for found in here.reports[-1]] == [("seat1", "stand_in")]
    here.refused = None
    wait_for(lambda: here.begun[-1] is not playing, 40, "another process")
    wait_for(lambda: here.reports[-1] == [], 40, "the report to go")
    here.players.stop()
