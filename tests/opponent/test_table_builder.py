"""The daemon builds missing endgame tables in a process at idle priority, which ends with the daemon."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab.daemon_process import FAST, DaemonProcess, wait_for
from scharten.endgames.known import known, table_file
from scharten.opponent.table_builder import LOG, TableBuilder


def _idle(pid: int) -> bool:
    try:
        return os.sched_getscheduler(pid) == os.SCHED_IDLE
    except ProcessLookupError:
        return False


@pytest.mark.long
def test_missing_tables_are_built_and_the_process_ends_with_its_builder(tmp_path: Path) -> None:
    """A damaged table is reported, missing ones are built, and `stop` leaves no process."""
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "N.table").write_text("junk")
    builder = TableBuilder(tmp_path, delay_s=0)
    builder.look_after()
    process = builder._process
    assert process is not None
    wait_for(lambda: _idle(process.pid), 60, "idle priority")
    wait_for((folder / "P.table").exists, 120, "the first tables")
    builder.look_after()
    assert "checksum" in (tmp_path / LOG).read_text()
    builder.stop()
    assert process.poll() is not None
    builder.look_after()
    assert builder._process is None


def test_no_process_starts_early_or_without_a_missing_table(tmp_path: Path) -> None:
    """Before the delay, and with a file for each ending, no process runs."""
    builder = TableBuilder(tmp_path, delay_s=1000)
    builder.look_after()
    assert builder._process is None
    (tmp_path / "tables").mkdir()
    for ending in known():
        table_file(tmp_path / "tables", ending.men).touch()
    builder = TableBuilder(tmp_path, delay_s=0)
    builder.look_after()
    assert builder._process is None


@pytest.mark.long
def test_a_build_that_fails_is_reported_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A file in the folder's place ends the process with a reason in its log. It is not restarted."""
    (tmp_path / "tables").write_text("a file")
    builder = TableBuilder(tmp_path, delay_s=0)
    builder.look_after()
    process = builder._process
    assert process is not None and process.wait(120) != 0
    builder.look_after()
    builder.look_after()
    assert builder._process is process and caplog.text.count("endgame tables") == 1
    assert "cannot be saved" in (tmp_path / LOG).read_text()


@pytest.mark.long
def test_a_daemon_builds_its_tables(tmp_path: Path) -> None:
    """With the setting a whole daemon starts the process, and stops it when it stops."""
    daemon = DaemonProcess(tmp_path, f"{FAST}[opponent]\ntables = true\n").start()
    assert daemon.running
    wait_for((tmp_path / "tables" / "Q.table").exists, 240, "the tables")
    daemon.stop()
    command = f"--data\0{tmp_path}\0--parent".encode()
    assert not any(command in _read(path) for path in Path("/proc").glob("[0-9]*/cmdline"))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
