"""`scharten doctor` tells what is wrong and what to do about it."""

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
    """With nothing configured everything is in order, as any user: versions, folder, profile, embedded broker."""
    result = doctor(tmp_path / "data")
    assert result.exit_code == 0, result.output
    assert (
        "Nothing keeps a game from being played" in result.output
        and "board profile simulated" in result.output
    )


@pytest.mark.long
def test_being_root_warns_and_keeps_nobody_from_playing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root has a mark and a cure of its own, and the status stays 0; anyone else gets a tick."""
    monkeypatch.setattr("os.geteuid", lambda: 0)
    result = doctor(tmp_path / "data")
    assert result.exit_code == 0 and "! running as root" in result.output and "→ deploy/" in result.output
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert "✓ running as user 1000" in doctor(tmp_path / "data").output


@pytest.mark.long
def test_other_accounts_on_the_machine_are_reported_unless_it_asks_for_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two people with a shell can both play as the table: a warning with the key; services do not count."""
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
def test_what_is_missing_is_named_with_its_cure(tmp_path: Path, config: str, words: str) -> None:
    """A missing port, camera, broker or profile is a line with a cross and a cure, and the status is 1."""
    result = doctor(tmp_path / "data", config)
    assert result.exit_code == 1 and words in result.output and "→" in result.output


def test_a_journal_that_does_not_replay_is_found(tmp_path: Path) -> None:
    """The doctor replays the journal that a start would go on with, and only reads it."""
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "scharten.sqlite3"
    journal = Journal(path)
    journal.append(Record("m1", 1, "{}", "[]", "d", "not json", "{}"))
    journal.close()
    before = path.read_bytes()
    result = doctor(tmp_path / "data")
    assert result.exit_code == 1 and "does not replay" in result.output and path.read_bytes() == before


def test_a_taken_port_of_the_page_is_reported(tmp_path: Path) -> None:
    """The report names a program that serves the page's port already: it may be Scharten itself."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = doctor(tmp_path / "data", f"[web]\nport = {taken.getsockname()[1]}\n")
    assert "serves 127.0.0.1" in result.output


def test_a_granboard_without_its_library_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration that cannot work is a cross with the command that installs what is missing."""
    monkeypatch.setitem(sys.modules, "bleak", None)
    config = '[source]\nkind = "granboard"\n[board]\nprofile = "granboard"\n[web]\nport = 0\n'
    result = doctor(tmp_path / "data", config)
    assert result.exit_code == 1 and "pip install 'bleak>=1'" in result.output


@pytest.fixture
def unheard(tmp_path: Path) -> Iterator[DaemonProcess]:
    """A daemon whose board is a port at which nothing answers."""
    master, slave = os.openpty()
    port = f'[source]\nkind = "serial"\n[source.serial]\nport = "{os.ttyname(slave)}"\n'
    process = DaemonProcess(tmp_path / "data", f"{port}[broker]\nport = 0\n[web]\nport = 0\n").start()
    yield process
    process.end()
    os.close(master)
    os.close(slave)


@pytest.mark.long
def test_the_running_daemon_is_asked(unheard: DaemonProcess) -> None:
    """The port is in order for the files, but the daemon gets no answer from its board: a cross, and status 1."""
    assert unheard.running["pid"]
    command = ["doctor", "--config", str(unheard.config), "--data", str(unheard.folder), "--json"]

    def lost() -> str | None:
        findings = json.loads(CliRunner().invoke(build(), command).output)
        named = {finding["code"]: finding for finding in findings}
        assert named["port"]["weight"] == "good"
        return named["source_lost"]["weight"] if "source_lost" in named else None

    assert wait_for(lost, 60, "the doctor to report what the daemon misses") == "bad"
    unheard.stop()
    result = CliRunner().invoke(build(), command[:-1])
    assert "no daemon runs on this folder" in result.output
