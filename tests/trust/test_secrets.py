"""Secrets stay in files of mode 600, and never reach a log, a topic or a page."""

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.daemon_process import FAST, DaemonProcess, wait_for
from lab.scripted_game import board_listens, play_turn

DEBUG = f'log_level = "debug"\n{FAST}'


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[DaemonProcess]:
    """A daemon that logs everything."""
    process = DaemonProcess(tmp_path / "data", DEBUG)
    yield process.start()
    process.end()


@pytest.mark.long
def test_scharten_links_prints_links_and_root_gets_a_warning(daemon: DaemonProcess) -> None:
    """Every role except the display has a link with a secret; without a daemon there is an error. Root gets a
    warning in the log."""
    assert daemon.running["pid"]
    command = [sys.executable, "-m", "scharten", "links", "--data"]
    shown = subprocess.run([*command, str(daemon.folder)], capture_output=True, text=True)
    assert shown.returncode == 0
    for role in ("table", "seat1", "seat2", "arbiter"):
        assert f"?role={role}#{daemon.secrets[role]}" in shown.stdout
    assert re.search(r"role=display$", shown.stdout, re.MULTILINE)
    nowhere = subprocess.run([*command, str(daemon.folder / "none")], capture_output=True, text=True)
    assert nowhere.returncode == 1 and "No daemon plays in" in nowhere.stderr
    warned = "running as root is not needed and not safe" in daemon.log.read_text()
    assert warned == (os.geteuid() == 0)


@pytest.mark.long
def test_no_secret_is_readable_by_others(daemon: DaemonProcess) -> None:
    """After an evening in debug, with wrong logins, no log, topic or page holds a secret. The files that do have
    mode 600."""
    peer = daemon.peer("arbiter")
    board_listens(peer)
    peer.new_game()
    assert play_turn(peer)
    wrong = daemon.peer("nobody")
    web = daemon.running["web"]
    pages = [fetched(f"{web}{path}") for path in ("/", "/healthz", "/metrics", "/running.json")]
    wait_for(lambda: "health" in peer.last, 40, "the health")
    reported = json.dumps(peer.last)
    wrong.close()
    peer.close()
    secrets = daemon.secrets.values()
    daemon.stop()
    assert len(set(secrets)) >= 5
    holding = {}
    for file in sorted(daemon.folder.rglob("*")):
        if file.is_file() and any(secret.encode() in file.read_bytes() for secret in secrets):
            holding[file.name] = file.stat().st_mode & 0o777
    assert set(holding) == {"secrets.json", "simulator.json"} and set(holding.values()) == {0o600}
    assert not [file for file in daemon.folder.rglob("*") if file.is_file() and readable(file)]
    for text in (reported, *pages):
        assert not any(secret in text for secret in secrets)


def readable(file: Path) -> bool:
    """Return whether others may read a file that the daemon wrote."""
    return file.name != "test.toml" and bool(file.stat().st_mode & 0o077)


def fetched(url: str) -> str:
    """Return the server's answer to an unauthenticated client, for any status."""
    try:
        with urllib.request.urlopen(url, timeout=40) as answer:
            return str(answer.read())
    except urllib.error.HTTPError as error:
        return str(error.read())
