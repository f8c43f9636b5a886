"""The computer's processes: one that hangs or dies is restarted, and reported when it keeps dying."""

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
from scharten.opponent.processes import ComputerPlayers, ComputerProcess
from scharten.play.scatter import Hand, Scatter


class FakeDaemon:
    """The daemon around the computer's processes: a match, the warnings, and a script in place of each process."""

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


@pytest.mark.parametrize("hang", ["time.sleep(600)", "os.kill(os.getpid(), signal.SIGSTOP)"])
def test_a_process_that_hangs_is_restarted_once_and_then_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hang: str
) -> None:
    """A process that does nothing in its turn, stopped or asleep, is killed and another starts. The second hang is
    reported and there is no third start until a person chooses again; the match is unchanged."""
    daemon = FakeDaemon(tmp_path, monkeypatch, f"import os, signal, time; {hang}")
    before = daemon.table.match
    report = wait_for(lambda: daemon.reports and daemon.reports[-1], 40, "the report")
    rounds = daemon.players.worker.rounds
    wait_for(lambda: daemon.players.worker.rounds > rounds + 20, 40, "twenty rounds")
    assert [(item["seat"], item["code"]) for item in report] == [("seat1", "hangs")]
    assert daemon.warnings["computer_seat1"] == report[0]["words"] and "2 times" in report[0]["words"]
    assert len(daemon.begun) == 2 and all(item.poll() is not None for item in daemon.begun)
    assert daemon.table.match is before
    daemon.players.on_event(Happened("computer", {"seat": "seat1", "level": 5}))
    wait_for(lambda: len(daemon.begun) == 4, 40, "two more starts")
    wait_for(lambda: daemon.reports[-1] and len(daemon.reports) == 3, 40, "another report")
    daemon.players.stop()
    assert all(item.poll() is not None for item in daemon.begun)


def test_a_stand_in_gets_the_player_s_scatter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process gets the scatter of the seat's command, and offset and tilt of the player's darts."""
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


def test_a_process_that_keeps_dying_is_given_up_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After three deaths there is a warning and no fourth start, later either. Choosing the computer again
    starts it again."""
    daemon = FakeDaemon(tmp_path, monkeypatch, "")
    report = wait_for(lambda: daemon.warnings.get("computer_seat1"), 40, "the warning")
    monkeypatch.setattr(processes, "DEATHS_WITHIN_S", 0.0)
    rounds = daemon.players.worker.rounds
    wait_for(lambda: daemon.players.worker.rounds > rounds + 2, 40, "three rounds")
    assert "take its place" in report and len(daemon.begun) == processes.DEATHS
    assert daemon.warnings["computer_seat1"] == report
    monkeypatch.setattr(processes, "DEATHS_WITHIN_S", 60.0)
    daemon.table.ok("set_computer", seat="seat1", level=5)
    for event in daemon.table.events:
        daemon.players.on_event(event)
    wait_for(lambda: len(daemon.begun) > processes.DEATHS, 40, "another start")
    daemon.table.ok("set_computer", seat="seat1", level=None)
    wait_for(lambda: daemon.warnings["computer_seat1"] is None, 40, "the warning to go")
    daemon.players.stop()


def test_a_process_that_dies_slowly_is_given_up_in_the_same_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow machine may need a minute for three starts: the third death without a turn counts, however late.
    After a turn the deaths before it count only within the minute."""
    monkeypatch.setattr(processes, "DEATHS_WITHIN_S", 0.0)
    daemon = FakeDaemon(tmp_path, monkeypatch, "")
    wait_for(lambda: daemon.reports and daemon.reports[-1], 40, "the report")
    assert [item["code"] for item in daemon.reports[-1]] == ["ends"] and len(daemon.begun) == processes.DEATHS
    daemon.players.stop()
    player = ComputerProcess()
    player.deaths = [(0.0, "a", 1), (0.0, "a", 1), (0.0, "a", 2)]
    assert not player.given_up


def test_a_cheating_process_is_reported_until_a_person_chooses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An illegal move, a throw out of turn or a foreign topic is reported. Choosing the computer again starts
    another process."""
    daemon = FakeDaemon(tmp_path, monkeypatch, "import time; time.sleep(600)")
    monkeypatch.setattr(processes, "HANGS_S", 600.0)
    wait_for(lambda: daemon.begun, 40, "the process")

    def refused(role: str, code: str, **args: str) -> None:
        daemon.players.on_event(
            Answered(role, {"accepted": False, "code": code, "words": "no", "args": args})
        )

    faults = [
        (lambda: refused("seat1", "illegal"), "illegal"),
        (lambda: refused("seat1", "not_your_turn"), "out_of_turn"),
        (lambda: refused("seat1", "wrong_phase", type="virtual_throw"), "out_of_turn"),
        (lambda: refused("seat1", "not_allowed", why="other_throws"), "out_of_turn"),
        (
            lambda: daemon.players.on_denied(Account.SEAT1, "scharten/home/board1/command/seat2"),
            "foreign_topic",
        ),
    ]
    for cheat, code in faults:
        before = len(daemon.begun)
        refused("seat1", "stale")
        refused("seat1", "wrong_phase", type="answer_draw")
        refused("seat2", "illegal")  # from a person's seat
        cheat()
        report = wait_for(lambda: daemon.reports and daemon.reports[-1], 40, "the report")
        assert [(item["seat"], item["code"]) for item in report] == [("seat1", code)]
        assert daemon.warnings["computer_seat1"] == report[0]["words"]
        daemon.players.on_event(Happened("computer", {"seat": "seat1", "level": 5}))
        wait_for(lambda before=before: len(daemon.begun) > before, 40, "another process")
        wait_for(lambda: not daemon.reports[-1], 40, "the report to go")
    daemon.players.stop()


@pytest.mark.long
@pytest.mark.parametrize("command", ["opponent", "homes"])
def test_a_process_whose_daemon_died_ends(tmp_path: Path, command: str) -> None:
    """A process whose parent ended before the first check ends too, and does not play on alone."""
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
    """Withdrawn agreement ends the process and reports a fault; renewed agreement starts another process."""
    daemon = FakeDaemon(tmp_path, monkeypatch, "import time; time.sleep(600)")
    monkeypatch.setattr(processes, "HANGS_S", 600.0)
    daemon.table.ok("set_computer", seat="seat1", level=5, stand_in={"player": "ann00", "mm": 30})
    wait_for(lambda: bool(daemon.begun) and daemon.asked == ["ann00"], 40, "the question")
    playing = daemon.begun[-1]
    daemon.refused = "no"
    wait_for(lambda: playing.poll() is not None, 40, "the process to end")
    wait_for(lambda: bool(daemon.reports and daemon.reports[-1]), 40, "the report")
    assert [(found["seat"], found["code"]) for found in daemon.reports[-1]] == [("seat1", "stand_in")]
    daemon.refused = None
    wait_for(lambda: daemon.begun[-1] is not playing, 40, "another process")
    wait_for(lambda: daemon.reports[-1] == [], 40, "the report to go")
    daemon.players.stop()
