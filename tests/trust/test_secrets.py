"""Secrets stay where they belong: in files of mode 600, and in nothing that is logged, published or printed."""

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
def test_the_links_are_for_the_owner_and_root_is_warned(daemon: DaemonProcess) -> None:
    """`scharten links` prints a link with a secret for each role but the display; without a daemon it says so.
    A daemon that runs as root says that it need not."""
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
def test_no_secret_is_in_anything_that_others_may_read(daemon: DaemonProcess) -> None:
    """After an evening in debug, with a wrong password and a wrong secret: no log, topic or page holds a secret, the
    files that do are for their owner only, and `scharten links` is how the owner gets at them."""
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
    """Whether others may read a file that the daemon wrote."""
    return file.name != "test.toml" and bool(file.stat().st_mode & 0o077)


def fetched(url: str) -> str:
    """The server's answer to an unauthenticated client, for any status."""
    try:
        with urllib.request.urlopen(url, timeout=40) as answer:
            return str(answer.read())
    except urllib.error.HTTPError as error:
        return str(error.read())
