"""The short form of `make trust`: kills, power cuts and a disk that fails, against the real daemon."""

import shutil
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scharten.bench.room import Daemon, wait_for
from scharten.bench.script import aim, board_listens, play_turn
from scharten.desk.replay import replay
from scharten.sinks.journal import Journal, JournalReader
from trust import cutdisk
from trust.board_trouble import healthz
from trust.powercuts import cut, record


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled shim that records what reaches disk and line."""
    if not shutil.which("gcc"):
        pytest.skip("gcc is missing: apt install gcc")
    return cutdisk.build(tmp_path_factory.mktemp("shim"))


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path / "data")
    yield made
    made.end()


def test_after_a_power_cut_nothing_acknowledged_is_missing(
    daemon: Daemon, recorder: Path, tmp_path: Path
) -> None:
    """150 cuts of a recorded game, unsynced sectors lost or torn: no acknowledged line is missing, none is doubled,
    every journal replays, and each acknowledgement byte follows a sync (1,000 cuts in `make trust`)."""
    done = record(daemon, recorder, turns=30)
    verdict = cut(done, 150, tmp_path / "cut", seed=1)
    assert verdict.acknowledged >= 15
    assert verdict.sound, verdict


def test_the_judge_of_power_cuts_can_find_a_fault(daemon: Daemon, recorder: Path, tmp_path: Path) -> None:
    """The same recording with its syncs taken out is found unsound: the test above is able to fail."""
    done = record(daemon, recorder, turns=12)
    unsynced = [one for one in done if one.op != cutdisk.SYNC]
    assert not cut(unsynced, 60, tmp_path / "cut", seed=1).sound


@pytest.mark.parametrize("fault", ["CUTDISK_FAIL", "CUTDISK_READONLY"])
def test_a_disk_that_does_not_store_stops_play_and_then_play_goes_on(
    daemon: Daemon, recorder: Path, tmp_path: Path, fault: str
) -> None:
    """fsync fails, or the disk became read-only: the dart waits, the display says why and `/healthz` is red with the
    reason; when the disk works the dart counts, once."""
    failing = tmp_path / "failing"
    daemon.environment.update(
        cutdisk.environment(recorder, daemon.folder, tmp_path / "log") | {fault: str(failing)}
    )
    daemon.start()
    peer = daemon.peer("table")
    board_listens(peer)
    peer.new_game()
    play_turn(peer)
    turns = peer.state["turns"]
    failing.touch()
    target = aim(peer.state["placements"][0])
    peer.throw(x_mm=target.x_mm, y_mm=target.y_mm)
    peer.wait(lambda state: state["message"]["code"] == "journal_failed")
    assert peer.ask("resign", side="white")["code"] == "paused"
    assert peer.last["health"]["playable"] is False and peer.state["turns"] == turns
    assert peer.last["health"]["cure"]
    wait_for(lambda: healthz(daemon)[0] == 503, 5, "healthz to be red")
    assert "did not store the journal" in healthz(daemon)[1]
    failing.unlink()
    peer.wait(lambda state: state["turns"] == turns + 1)
    wait_for(lambda: healthz(daemon)[0] == 200, 5, "healthz to be green again")
    daemon.kill()
    reader = JournalReader(daemon.folder / "scharten.sqlite3")
    lines = [done.given.line for one in reader.matches() for done in replay(reader, one) if _line(done.given)]
    assert len(lines) == len(set(lines))


def _line(given: object) -> object:
    return getattr(given, "line", None)


def test_the_watchdog_trips_when_the_referee_hangs(daemon: Daemon, recorder: Path, tmp_path: Path) -> None:
    """On a real notify socket systemd hears READY and a live referee; when a sync never returns it hears no more."""
    hanging, address = tmp_path / "hanging", tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(address))
        daemon.environment.update(cutdisk.environment(recorder, daemon.folder, tmp_path / "log"))
        daemon.environment |= {"CUTDISK_HANG": str(hanging), "NOTIFY_SOCKET": str(address)}
        daemon.environment["WATCHDOG_USEC"] = "4000000"
        daemon.start()
        peer = daemon.peer("table")
        board_listens(peer)
        systemd.settimeout(10)
        assert systemd.recv(999).startswith(b"READY=1")
        assert systemd.recv(999) == b"WATCHDOG=1"
        hanging.touch()
        peer.say("new_game")
        assert heard_for(systemd, 2.5) and not heard_for(systemd, 4.0), "the watchdog was still fed"
        hanging.unlink()
        peer.wait(lambda state: state["phase"] == "turn")
        assert b"WATCHDOG=1" in heard_for(systemd, 4.0)


def heard_for(systemd: socket.socket, seconds: float) -> list[bytes]:
    """What systemd hears within so many seconds."""
    heard = []
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        systemd.settimeout(left)
        try:
            heard.append(systemd.recv(999))
        except TimeoutError:
            break
    return heard


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB, really full when it is full."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("cannot mount a small disk: this needs root")
    yield place
    subprocess.run(["umount", "-l", str(place)])


def test_a_full_disk_stops_play_with_the_reason_and_leaves_nothing_half_written(
    small_disk: Path, tmp_path: Path
) -> None:
    """A really full file system: play stops in words, the journal stays sound, and play goes on when there is room."""
    daemon = Daemon(small_disk / "data")
    daemon.log = tmp_path / "daemon.log"
    try:
        daemon.start()
        peer = daemon.peer("table")
        board_listens(peer)
        peer.new_game()
        filler = small_disk / "filler"
        _fill(filler)
        for _ in range(200):
            before = peer.state["turns"]
            target = aim(peer.state["placements"][0])
            peer.throw(x_mm=target.x_mm, y_mm=target.y_mm)
            peer.wait(
                lambda state, n=before: state["turns"] > n or state["message"]["code"] == "journal_failed"
            )
            if peer.state["message"]["code"] == "journal_failed":
                break
            if not peer.state["placements"]:
                peer.new_game()
        assert "full" in peer.state["message"]["args"]["message"]
        turns = peer.state["turns"]
        with sqlite3.connect(f"file:{daemon.folder / 'scharten.sqlite3'}?mode=ro", uri=True) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        filler.unlink()
        peer.wait(lambda state: state["turns"] == turns + 1 and state["message"]["code"] != "journal_failed")
        peer.close()
        assert daemon.stop() == 0
    finally:
        daemon.end()


@pytest.mark.parametrize("with_journal", [True, False])
def test_a_start_on_a_read_only_disk_is_refused_in_words(
    small_disk: Path, tmp_path: Path, with_journal: bool
) -> None:
    """With and without a journal on it: the daemon names the disk and the cure and ends; no byte of it changes."""
    daemon = Daemon(small_disk / "data")
    daemon.log = tmp_path / "daemon.log"
    if with_journal:
        Journal(daemon.folder / "scharten.sqlite3").close()
    before = sorted((one.name, one.stat().st_size) for one in daemon.folder.iterdir())
    remount = ["mount", "-o", "remount,ro", str(small_disk)]
    if subprocess.run(remount, capture_output=True).returncode:
        pytest.skip("cannot make the small disk read-only: this needs root")
    daemon.start()
    assert daemon.process is not None and daemon.process.wait(30) == 1
    told = daemon.log.read_text()
    assert "ead-only" in told and "Traceback" not in told, told
    assert sorted((one.name, one.stat().st_size) for one in daemon.folder.iterdir()) == before


def _fill(path: Path) -> None:
    """Write until the disk is full; a page or two may stay free."""
    try:
        with path.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
    except OSError:
        return
