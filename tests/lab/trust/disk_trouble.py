"""A disk that is full, read-only, failing or hanging under a real daemon: its effect on play and on the journal."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from lab.daemon_process import DaemonProcess, Peer, State, wait_for
from lab.scripted_game import aim, board_listens, play_turn
from lab.supervisor import Supervisor
from lab.trust import cutdisk
from lab.trust.board_trouble import healthz
from lab.trust.kills import doubled_lines
from lab.trust.rows import Fault
from scharten.journal.journal import Journal

FAILS, READ_ONLY = "CUTDISK_FAIL", "CUTDISK_READONLY"
NAMES = {FAILS: "disk: fsync fails", READ_ONLY: "disk: it becomes read-only in the middle of a game"}


class NeedsRootError(Exception):
    """This machine does not let the test mount a disk."""


def stops_storing(daemon: DaemonProcess, recorder: Path, folder: Path, fault: str) -> Fault:
    """fsync fails or the disk is read-only: a dart waits, display and `/healthz` give the reason, then it counts
    once."""
    failing = folder / "failing"
    daemon.environment |= cutdisk.environment(recorder, daemon.folder, folder / "log") | {fault: str(failing)}
    systemd = Supervisor(folder)
    daemon.environment |= systemd.environment
    peer = _game(daemon)
    play_turn(peer)
    turns = peer.state["turns"]
    failing.touch()
    _throw(peer)
    peer.wait(lambda state: state["message"]["code"] == "journal_failed")
    assert peer.ask("resign", side="white")["code"] == "paused"
    assert peer.last["health"]["playable"] is False and peer.state["turns"] == turns
    assert peer.last["health"]["cure"]
    wait_for(lambda: healthz(daemon)[0] == 503, 40, "healthz to be red")
    assert "did not store the journal" in healthz(daemon)[1]

    def said() -> list[bool]:
        lines = [line for line in systemd.lines if line.startswith("STATUS=")]
        return [still for still, _ in groupby("play stands still" in line for line in lines)]

    wait_for(lambda: said()[-1:] == [True], 40, "systemd to be informed of the trouble")
    failing.unlink()
    peer.wait(lambda state: state["turns"] > turns)
    wait_for(lambda: healthz(daemon)[0] == 200, 40, "healthz to be green again")
    wait_for(lambda: said() == [False, True, False], 40, "systemd to be informed of both")
    systemd.end()
    later = int(peer.state["turns"])
    peer.close()
    daemon.kill()
    doubled = doubled_lines(daemon) + later - turns - 1
    return Fault(NAMES[fault], 1, 1, 0, doubled, "play stops with the reason; then the dart counts")


def fills_up(disk: Path, log: Path) -> Fault:
    """A file system without room: play pauses with a message, the journal stays sound, and play continues when
    there is room."""
    daemon = DaemonProcess(disk / "data")
    daemon.log = log
    try:
        peer = _game(daemon)
        filler = disk / "filler"
        _fill(filler)
        thrown = 0
        while peer.state["message"]["code"] != "journal_failed":
            assert thrown < 200, "the disk is not full"
            before = peer.state["turns"]
            _throw(peer)
            thrown += 1
            peer.wait(partial(_goes_on_or_stops, before))
            if not peer.state["drops"]:
                peer.new_game()
        assert "full" in peer.state["message"]["args"]["message"]
        assert _sound(daemon), "the journal is damaged"
        turns = peer.state["turns"]
        filler.unlink()
        peer.wait(lambda state: state["turns"] > turns and state["message"]["code"] != "journal_failed")
        doubled = int(peer.state["turns"]) - turns - 1
        peer.close()
        assert daemon.stop() == 0
        doubled += doubled_lines(daemon)
    finally:
        daemon.end()
    return Fault("disk: it is full", 1, 1, 0, doubled, f"after {thrown} darts; nothing half-written")


def refuses_to_start(disk: Path, log: Path, with_journal: bool) -> Fault:
    """A start on a read-only disk: the daemon names the disk and the cure and ends. No byte changes."""
    daemon = DaemonProcess(disk / "data")
    daemon.log = log
    if with_journal:
        Journal(daemon.folder / "scharten.sqlite3").close()
    before = sorted((path.name, path.stat().st_size) for path in daemon.folder.iterdir())
    remount = ["mount", "-o", "remount,ro", str(disk)]
    if subprocess.run(remount, capture_output=True).returncode:
        raise NeedsRootError("cannot make the small disk read-only: this needs root")
    daemon.start()
    assert daemon.process is not None and daemon.process.wait(40) == 1
    reported = daemon.log.read_text()
    assert "ead-only" in reported and "Traceback" not in reported, reported
    assert sorted((path.name, path.stat().st_size) for path in daemon.folder.iterdir()) == before
    words = "with a journal" if with_journal else "without a journal"
    return Fault(f"disk: a start on a read-only one, {words}", 1, 1, figure="refused in words")


def full_while_starting(disk: Path, log: Path, rooms: Sequence[int] = (4, 16, 32, 48, 96)) -> Fault:
    """First starts on a disk with this many kB of room: each plays, or ends with a message and no traceback."""
    filler, harm, tried = disk / "filler", 0, 0
    for room in rooms:
        daemon = DaemonProcess(disk / "data")
        daemon.log = log
        log.write_bytes(b"")
        _fill(filler)
        with filler.open("r+b") as file:
            file.truncate(max(0, filler.stat().st_size - room * 1024))
        daemon.start()
        assert daemon.process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            daemon.process.wait(8)
        reported = log.read_text()
        ended = daemon.process.poll()
        in_words = "\nscharten: " in reported and "Make room" in reported
        harm += "Traceback" in reported or (ended is not None and (ended != 1 or not in_words))
        tried += 1
        daemon.end()
        filler.unlink()
        shutil.rmtree(disk / "data")
    return Fault("disk: it fills while starting", tried, tried - harm, figure="plays, or ends in words")


def hangs(daemon: DaemonProcess, recorder: Path, folder: Path) -> Fault:
    """A sync never returns: systemd receives no more watchdog messages on a real notify socket, until the disk
    answers."""
    hanging, systemd = folder / "hanging", Supervisor(folder)
    daemon.environment |= cutdisk.environment(recorder, daemon.folder, folder / "log") | systemd.environment
    daemon.environment |= {"CUTDISK_HANG": str(hanging), "WATCHDOG_USEC": "2000000"}
    daemon.start()
    peer = daemon.peer("table")
    board_listens(peer)
    wait_for(lambda: systemd.times_sent("READY=1") and systemd.times_sent("WATCHDOG=1"), 40, "a live referee")
    hanging.touch()
    peer.send_command("new_game")
    wait_for(lambda: systemd.silent_for(2.0), 40, "the watchdog to be fed no more")
    hanging.unlink()
    peer.wait(lambda state: state["phase"] == "turn")
    wait_for(lambda: not systemd.silent_for(2.0), 40, "a live referee again")
    systemd.end()
    peer.close()
    return Fault(
        "referee stopped by a disk that hangs", 1, 1, figure="systemd's watchdog trips, on a real socket"
    )


@contextlib.contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """Mount a file system of 1 MB that can really fill up. Raises `NeedsRootError` if it cannot be mounted."""
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], capture_output=True
    )
    if mounted.returncode:
        raise NeedsRootError("cannot mount a small disk: this needs root")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)])


def _game(daemon: DaemonProcess) -> Peer:
    peer = daemon.start().peer("table")
    board_listens(peer)
    peer.new_game()
    return peer


def _goes_on_or_stops(turns: int, state: State) -> bool:
    return bool(state["turns"] > turns or state["message"]["code"] == "journal_failed")


def _throw(peer: Peer) -> None:
    target = aim(peer.state["drops"][0])
    peer.throw(x_mm=target.x_mm, y_mm=target.y_mm)


def _sound(daemon: DaemonProcess) -> bool:
    with sqlite3.connect(f"file:{daemon.folder / 'scharten.sqlite3'}?mode=ro", uri=True) as db:
        return bool(db.execute("PRAGMA integrity_check").fetchone() == ("ok",))


def _fill(path: Path) -> None:
    """Write until the disk is full; a page or two may stay free."""
    try:
        with path.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
    except OSError:
        return
