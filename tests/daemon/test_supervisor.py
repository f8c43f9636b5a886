"""Parts that raise, end or hang during a loud game: the daemon restarts them, loses nothing and reports it."""

import json
import time
import urllib.error
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.daemon_process import DaemonProcess, wait_for
from lab.restarts import MENDED, REPLACED, Evening
from lab.supervisor import Supervisor as Systemd
from lab.trust.board_trouble import healthz
from scharten.daemon.process_restart import ProcessRestart, restart_command, restarted_before
from scharten.daemon.supervisor import (
    HANGS_S,
    MOST_PATIENT,
    MOST_RESTARTS,
    RECENT_MS,
    SHOWN_MS,
    Supervisor,
    slowness,
)
from scharten.daemon.systemd import TURN_S


@pytest.fixture
def evening(daemons: Callable[..., DaemonProcess]) -> Evening:
    return Evening(daemons())


@pytest.mark.long
def test_parts_that_raise_or_end_are_restarted_during_a_game(evening: Evening) -> None:
    """Health names each part. The process stays, play continues, and no line is lost or duplicated."""
    assert evening.daemon.process is not None
    running = evening.daemon.running
    for fault, (name, state) in MENDED.items():
        evening.break_part(fault)
        wait_for(lambda name=name, state=state: evening.shown(name, state), 40, f"{fault} in health")
        evening.resume()
        evening.play(1)
    assert evening.daemon.running == running and healthz(evening.daemon)[0] == 200
    evening.end()


@pytest.mark.long
@pytest.mark.timeout(600)  # the process restarts up to three times
@pytest.mark.parametrize(
    "faults",
    [
        ("referee hangs", "listener hangs"),
        ("sensor hangs", "broker hangs"),
        ("journal raises", "publisher hangs", "page hangs"),
    ],
    ids=lambda faults: faults[0],
)
def test_a_part_that_hangs_restarts_the_process(evening: Evening, faults: tuple[str, ...]) -> None:
    """The process keeps its id and ports, names the reason, and continues the game from the journal."""
    assert evening.daemon.process is not None
    running = evening.daemon.running
    for fault in faults:
        evening.seen.clear()
        evening.break_part(fault)
        reason = REPLACED[fault]
        wait_for(lambda reason=reason: evening.process_restarted(reason), 60, f"{fault} in health")
        evening.resume()
        evening.play(1)
    assert evening.daemon.process.poll() is None and evening.daemon.running == running
    evening.end()


@pytest.mark.long
def test_healthz_answers_503_until_a_failed_referee_plays_again(
    daemons: Callable[..., DaemonProcess], tmp_path: Path
) -> None:
    """The referee cannot be restarted alone: `/healthz` names the reason until the process has been replaced.

    Meanwhile systemd's watchdog waits as long as for a start.
    """
    now_ms = time.time_ns() // 1_000_000
    earlier = {
        "reason": "referee hangs",
        "times_ms": [now_ms] * 6,
        "broker_port": 0,
    }  # the next restart waits 16 s
    systemd = Systemd(tmp_path)
    watched = systemd.environment | {"WATCHDOG_USEC": "10000000"}
    evening = Evening(daemons(SCHARTEN_RESTARTED=json.dumps(earlier), **watched))
    assert healthz(evening.daemon)[0] == 200
    evening.break_part("journal raises")

    def status() -> tuple[int, str]:
        try:
            return healthz(evening.daemon)
        except urllib.error.URLError:  # the process is being replaced
            return 0, ""

    status_code, reason = wait_for(lambda: (found := status())[0] == 503 and found, 40, "503 from /healthz")
    assert status_code == 503 and "referee ended" in reason
    assert evening.peer.last["health"]["playable"] is False
    wait_for(lambda: status()[0] == 200, 60, "200 from /healthz")
    evening.resume()
    evening.play(1)
    evening.end()
    limits = [line for line in systemd.lines if line.startswith("WATCHDOG_USEC")]
    assert limits == [f"WATCHDOG_USEC={seconds}000000" for seconds in (10, 120, 10)]
    systemd.end()


class FakePart:
    """A part whose state the test sets."""

    def __init__(self) -> None:
        self.alive, self.error, self.starts = True, None, 0
        self.beats: int | None = 0

    def start(self) -> bool:
        self.starts += 1
        return True


def make_supervisor(
    vital: bool = False, crowd: float = 1.0, slow: float = 1.0
) -> tuple[Supervisor, FakePart, list[float], list[list[dict[str, Any]]]]:
    part, clock, reports = FakePart(), [1000.0], list[list[dict[str, Any]]]()
    supervisor = Supervisor(
        reports.append, lambda: int(clock[0] * 1000), lambda: clock[0], lambda: crowd, lambda: slow
    )
    supervisor.watch("page", lambda: part, part.start, vital=vital)
    return supervisor, part, clock, reports


def test_a_part_that_keeps_ending_is_restarted_ever_more_rarely() -> None:
    """At once, then after 1, 2, 4 and 8 s. A vital part restarts the process after three ends within a minute."""
    supervisor, part, clock, reports = make_supervisor()
    part.alive, started = False, []
    for _ in range(40):
        assert supervisor.check() is None
        if part.starts > len(started):
            started.append(clock[0] - 1000)
        clock[0] += 0.5
    assert started == [0, 1, 3, 7, 15]
    assert reports[-1][0]["count"] >= 1 and reports[-1][0]["state"] == "restarted"
    supervisor, part, clock, _ = make_supervisor(vital=True)
    part.alive = False
    for _ in range(MOST_RESTARTS):
        assert supervisor.check() is None
        clock[0] += 5
    assert "ended 3 times" in (supervisor.check() or "")


def test_a_part_hangs_when_many_checks_find_no_beat() -> None:
    """A jump of the clock and unknown beats are no hang; many checks without a beat are, more on a crowded core or a
    slow machine."""
    supervisor, part, clock, _ = make_supervisor()
    assert supervisor.check() is None
    clock[0] += 3600
    assert supervisor.check() is None
    part.beats = None
    assert [supervisor.check() for _ in range(50)] == [None] * 50
    part.beats = 7
    reasons = [supervisor.check() for _ in range(50)]
    assert reasons[0] is None and reasons.index("page hangs") * TURN_S == HANGS_S + TURN_S
    for crowd, slow, longer in ((5.0, 1.0, 5), (1.0, 4.0, 4), (2.0, 4.0, 8), (8.0, 20.0, MOST_PATIENT)):
        supervisor, *_ = make_supervisor(crowd=crowd, slow=slow)
        reasons = [supervisor.check() for _ in range(200)]
        assert reasons.index("page hangs") * TURN_S == longer * HANGS_S + TURN_S
    assert 1 <= slowness() < MOST_PATIENT


def test_a_fault_is_recent_for_a_minute_and_shown_for_an_hour() -> None:
    """Pages show a notice while a fault is recent. Further faults of the part are counted, not reported each time."""
    supervisor, _part, clock, reports = make_supervisor()
    for _ in range(3):
        supervisor.note("announcer", ValueError("no words"))
    assert len(reports) == 1 and reports[0][0]["recent"]
    clock[0] += RECENT_MS / 1000 + 1
    supervisor.check()
    assert (reports[-1][0]["recent"], reports[-1][0]["count"], reports[-1][0]["words"]) == (
        False,
        3,
        "ValueError: no words",
    )
    clock[0] += SHOWN_MS / 1000
    supervisor.check()
    assert reports[-1] == []


def test_a_restarted_process_drops_options_of_a_single_start() -> None:
    """No second new journal; the page keeps its port; the reason passes on; the fourth restart in ten minutes waits."""
    words = ["python", "-m", "scharten", "run", "--new-journal", "--data", "d", "--new-links"]
    assert restart_command(words, 8000) == ["-m", "scharten", "run", "--data", "d", "--port", "8000"]
    restart = ProcessRestart()
    waits = []
    for minute in range(5):
        restart = restart.next_restart("referee hangs", minute * 60_000, 1883)
        waits.append(restart.wait_s)
    assert waits == [0, 0, 0, 2, 4] and restart.next_restart("again", 3_600_000, 1883).wait_s == 0
    left = {"SCHARTEN_RESTARTED": json.dumps({"reason": "x", "times_ms": [1], "broker_port": 5})}
    assert restarted_before(left) == ProcessRestart("x", (1,), 5) and left == {}
    assert restarted_before({"SCHARTEN_RESTARTED": "nonsense"}) == ProcessRestart()
