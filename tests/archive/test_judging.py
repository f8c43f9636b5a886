"""Records that come at once are judged in several processes, as one process would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from archive.played import RESIGNED, play, records
from lab.daemon_process import wait_for
from scharten.archive.judging import FEW, Arrival, Judges, Report, judge
from scharten.contract.news_models import FinishedGame
from scharten.errors import Problem
from scharten.journal.records import read_record

KILLED = """
import os, sys, time
from pathlib import Path
from scharten.archive.judging import FEW, Judges
from scharten.journal.records import read_record
if __name__ == "__main__":
    os.cpu_count = lambda: 2
    judges, record = Judges(), read_record(Path(sys.argv[1]).read_bytes())
    list(judges.judge_all([("haarlem", f"b{number}", record) for number in range(4 * FEW)]))
    print(*judges._pool._processes, flush=True)
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def payload(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The record of a game."""
    return records(play(tmp_path_factory.mktemp("game") / "board", *RESIGNED))[0]


@pytest.fixture
def reports(payload: bytes) -> list[Report]:
    """Many records, of which each third has another result than its replay."""
    record = read_record(payload)
    assert not isinstance(record, Problem)
    forged: FinishedGame = {**record, "result": "1-0" if record["result"] != "1-0" else "0-1"}
    return [("haarlem", f"b{number}", record if number % 3 else forged) for number in range(4 * FEW)]


@pytest.fixture
def judges(monkeypatch: pytest.MonkeyPatch) -> Iterator[Judges]:
    """Judges on a machine of two processors."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    several = Judges()
    yield several
    several.close()


def children(judges: Judges) -> list[int]:
    """The processes that judge."""
    return list(judges._pool._processes) if judges._pool is not None else []


def test_several_processes_judge_as_one(judges: Judges, reports: list[Report]) -> None:
    """The same judgement for each record, in the same order; a few records start no process."""
    assert list(judges.judge_all(reports[:FEW])) == [judge(report) for report in reports[:FEW]]
    assert not children(judges)
    found = list(judges.judge_all(reports))
    assert found == [judge(report) for report in reports]
    assert children(judges)
    assert sum(isinstance(item, Problem) for item in found) == len(reports[::3])


@pytest.mark.long
def test_a_process_that_is_killed_costs_no_record(judges: Judges, reports: list[Report]) -> None:
    """Every record is judged although a process was killed, and the next ones in new processes."""
    begun = judges.judge_all(reports)
    found = [next(begun)]
    os.kill(children(judges)[0], signal.SIGKILL)
    found.extend(begun)
    assert found == [judge(report) for report in reports]
    for _ in range(2):
        assert sum(isinstance(item, Arrival) for item in judges.judge_all(reports)) == len(reports) * 2 // 3
    assert children(judges)


@pytest.mark.long
def test_the_processes_end_with_a_killed_archive(payload: bytes, tmp_path: Path) -> None:
    """After SIGKILL of the archive nobody goes on judging for it."""
    file, script = tmp_path / "record", tmp_path / "archive.py"
    file.write_bytes(payload)
    script.write_text(KILLED)
    archive = subprocess.Popen(
        [sys.executable, str(script), str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert archive.stdout is not None
    numbers = [int(word) for word in archive.stdout.readline().split()]
    assert numbers
    archive.kill()
    archive.wait()
    archive.stdout.close()
    wait_for(lambda: not any(map(_lives, numbers)), 40, "the processes to end")


def _lives(number: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return False
