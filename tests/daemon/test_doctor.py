"""`scharten doctor` reports faults and their cures."""

import json
import os
import pwd
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lab.daemon_process import DaemonProcess, wait_for
from scharten.cli import build
from scharten.journal.journal import Journal, Record


def doctor(folder: Path, config: str = "[web]\nport = 0\n") -> Result:
    folder.mkdir(exist_ok=True)
    (folder / "scharten.toml").write_text(config)
    return CliRunner().invoke(build(), ["doctor", "--data", str(folder)])


def test_a_healthy_machine_passes(tmp_path: Path) -> None:
    """Without any configuration the doctor finds no fault: versions, folder, profile and broker are in order."""
    result = doctor(tmp_path / "data")
    assert result.exit_code == 0, result.output
    assert (
        "Nothing keeps a game from being played" in result.output
        and "board profile simulated" in result.output
    )


@pytest.mark.long
def test_running_as_root_is_only_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For root the doctor prints a warning with a cure, and status 0; for other users a tick."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    result = doctor(tmp_path / "data")
    assert result.exit_code == 0 and "! running as root" in result.output and "→ deploy/" in result.output
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert "✓ running as user 1000" in doctor(tmp_path / "data").output


@pytest.mark.long
def test_other_accounts_are_reported_unless_secrets_are_required(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two accounts with a shell can both act as the table: a warning names them and the key. Service accounts do
    not count."""
    made = [
        ("ann", 1000, "/bin/bash"),
        ("bo", 1001, "/bin/sh"),
        ("web", 1002, "/usr/sbin/nologin"),
        ("root", 0, "/bin/sh"),
    ]
    accounts = [pwd.struct_passwd((name, "x", uid, uid, "", "/", shell)) for name, uid, shell in made]
    monkeypatch.setattr("pwd.getpwall", lambda: accounts)
    result = doctor(tmp_path / "data")
    assert (
        result.exit_code == 0
        and "! ann, bo have an account" in result.output
        and "shared_machine" in result.output
    )
    assert (
        "have an account" not in doctor(tmp_path / "data", "[web]\nport = 0\nshared_machine = true\n").output
    )


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ('[source]\nkind = "serial"\n[source.serial]\nport = "/dev/serial/by-id/none"\n', "is missing"),
        ('[source]\nkind = "camera"\n[source.camera]\ndevices = ["/dev/video77"]\n', "camera /dev/video77"),
        ('[source]\nkind = "camera"\n[source.camera]\ndevices = ["0"]\n', "no calibration of cameras"),
        ('[broker]\nurl = "mqtt://127.0.0.1:1"\n', "no broker answers at 127.0.0.1:1"),
        ('[board]\nprofile = "unheard-of"\n', "no board profile 'unheard-of'"),
    ],
)
def test_a_missing_device_or_service_is_named_with_its_cure(tmp_path: Path, config: str, words: str) -> None:
    """A missing port, camera, calibration, broker or profile has a line with a cure, and the status is 1."""
    result = doctor(tmp_path / "data", config)
    assert result.exit_code == 1 and words in result.output and "→" in result.output


def test_the_doctor_finds_a_journal_that_does_not_replay(tmp_path: Path) -> None:
    """The doctor replays the journal that a start would resume, and does not change it."""
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "scharten.sqlite3"
    journal = Journal(path)
    journal.append(Record("m1", 1, "{}", "[]", "d", "not json", "{}"))
    journal.close()
    before = path.read_bytes()
    result = doctor(tmp_path / "data")
    assert result.exit_code == 1 and "does not replay" in result.output and path.read_bytes() == before


def test_a_taken_port_of_the_page_is_reported(tmp_path: Path) -> None:
    """The report names a program on the page's port: it may be Scharten itself."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = doctor(tmp_path / "data", f"[web]\nport = {taken.getsockname()[1]}\n")
    assert "serves 127.0.0.1" in result.output


def test_the_doctor_names_the_missing_library_of_a_granboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The status is 1, and the cure is the command that installs the library."""
    monkeypatch.setitem(sys.modules, "bleak", None)
    config = '[source]\nkind = "granboard"\n[board]\nprofile = "granboard"\n[web]\nport = 0\n'
    result = doctor(tmp_path / "data", config)
    assert result.exit_code == 1 and "pip install 'bleak>=1'" in result.output


@pytest.fixture
def silent_board(tmp_path: Path) -> Iterator[DaemonProcess]:
    """A daemon on a serial port at which no board answers."""
    master, slave = os.openpty()
    port = f'[source]\nkind = "serial"\n[source.serial]\nport = "{os.ttyname(slave)}"\n'
    process = DaemonProcess(tmp_path / "data", f"{port}[broker]\nport = 0\n[web]\nport = 0\n").start()
    yield process
    process.end()
    os.close(master)
    os.close(slave)


@pytest.mark.long
def test_the_doctor_asks_the_running_daemon(silent_board: DaemonProcess) -> None:
    """The port itself is in order, but the running daemon reports no answer from its board, which is a fault."""
    assert silent_board.running["pid"]
    command = ["doctor", "--config", str(silent_board.config), "--data", str(silent_board.folder), "--json"]

    def lost() -> str | None:
        findings = json.loads(CliRunner().invoke(build(), command).output)
        named = {finding["code"]: finding for finding in findings}
        assert named["port"]["weight"] == "good"
        return named["source_lost"]["weight"] if "source_lost" in named else None

    assert wait_for(lost, 60, "the doctor to report what the daemon misses") == "bad"
    silent_board.stop()
    result = CliRunner().invoke(build(), command[:-1])
    assert "no daemon runs on this folder" in result.output
