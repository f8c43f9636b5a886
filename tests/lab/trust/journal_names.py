"""During play, another program renames, removes, truncates, exchanges or links the files of a journal."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Timer

from lab.daemon_process import FAST, DaemonProcess, Peer
from lab.scripted_game import board_listens, play_turn
from lab.trust.rows import Fault, show_progress
from scharten.daemon.rounds import ROUND_S
from scharten.store.files import mark_of, wal_of

NAME = "scharten.sqlite3"
COPIED, BEFORE, AFTER = 2, 4, 7
"""Turns at which a copy is made, the story happens, and the daemon is killed."""
PATIENCE_S = 40.0
Story = Callable[[Path, Path], object]
"""A story changes a data folder; the second folder is an older copy of it."""


def _exchange(folder: Path, older: Path) -> None:
    folder.rename(folder.with_name("moved"))
    shutil.copytree(older, folder)


def _file(folder: Path, _older: Path) -> None:
    """A file replaces the folder, for more than two of the daemon's checks of its parts."""
    folder.rename(folder.with_name("moved"))
    folder.write_text("not a folder")
    Timer(2.5 * ROUND_S, folder.unlink).start()


def _half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


STORIES: dict[str, Story] = {
    "its folder is renamed": lambda folder, older: folder.rename(folder.with_name("moved")),
    "its folder is an older copy": _exchange,
    "its folder is a file for a while": _file,
    "its log is removed": lambda folder, older: wal_of(folder / NAME).unlink(),
    "its log is emptied": lambda folder, older: os.truncate(wal_of(folder / NAME), 0),
    "its log is cut in half": lambda folder, older: _half(wal_of(folder / NAME)),
    "it is removed": lambda folder, older: (folder / NAME).unlink(),
    "it is emptied": lambda folder, older: os.truncate(folder / NAME, 0),
    "its mark is removed": lambda folder, older: mark_of(folder / NAME).unlink(),
    "its lock is removed": lambda folder, older: (folder / f"{NAME}.lock").unlink(),
}


def in_use(folder: Path, share: int = 1) -> Fault:
    """Play each story in its own game: a kill afterwards loses no turn. A second daemon at a hard link is refused."""
    chosen = dict(list(STORIES.items())[:: max(1, min(share, 3))])
    lost = sum(not _kept(folder / str(number), what) for number, what in enumerate(chosen))
    refused = _link_is_refused(folder / "link")
    tried = len(chosen) + 1
    words = "play stops in words and goes on; after a kill every turn is there"
    return Fault(
        "journal: its files exchanged in play", tried, tried - lost - (not refused), lost, figure=words
    )


def _kept(place: Path, what: str) -> bool:
    """Return whether, after the story and a SIGKILL, the same game is present or the loss of a truncation is
    reported."""
    daemon = DaemonProcess(place / "data")
    daemon.log = place / "daemon.log"
    try:
        peer = _game(daemon, COPIED)
        shutil.copytree(daemon.folder, place / "older", ignore=shutil.ignore_patterns("simulated-board"))
        _play(peer, BEFORE)
        board = int((daemon.folder / "simulator.pid").read_text())
        STORIES[what](daemon.folder, place / "older")
        _play(peer, AFTER)
        before = peer.state["match"], peer.state["turns"], peer.state["position"]
        peer.close()
        daemon.kill()
        with suppress(OSError):
            os.kill(board, signal.SIGKILL)  # the renamed folder hides it
        daemon.config.write_text(FAST)
        peer = daemon.start().peer("table")
        peer.wait(lambda state: state["match"] == before[0], PATIENCE_S, "the game after the kill")
        later = peer.state["match"], peer.state["turns"], peer.state["position"]
        peer.close()
    except AssertionError as error:
        show_progress(f"{what}: {error}")
        return False
    finally:
        daemon.end()
    return before == later


def _link_is_refused(place: Path) -> bool:
    first, second = DaemonProcess(place / "first"), DaemonProcess(place / "second")
    try:
        peer = _game(first, COPIED)
        os.link(first.folder / NAME, second.folder / NAME)
        second.start()
        assert second.process is not None
        ended = second.process.wait(30)
        reported = second.log.read_text()
        _play(peer, BEFORE)
        peer.close()
    finally:
        first.end()
        second.end()
    return ended == 1 and "hard link" in reported and "Traceback" not in reported


def _game(daemon: DaemonProcess, turns: int) -> Peer:
    peer = daemon.start().peer("table")
    board_listens(peer)
    peer.new_game()
    _play(peer, turns)
    return peer


def _play(peer: Peer, turns: int) -> None:
    """Play until this many turns are done; a dart that waits while play is paused counts when play continues."""
    while peer.state["turns"] < turns:
        before = peer.state["turns"]
        play_turn(peer)
        peer.wait(lambda state, before=before: state["turns"] > before)  # type: ignore[misc]
