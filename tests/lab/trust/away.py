"""Darts thrown while the daemon is dead wait in the board until the daemon is back."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from lab.daemon_process import DaemonProcess, Peer, State, wait_for
from lab.trust.board_trouble import PATIENCE_S, LiveBoard, at_the_board, bed_of_field, counts
from lab.trust.kills import doubled_lines
from lab.trust.rows import Fault
from scharten.journal.journal import JournalReader

EACH_TIME = 3


def darts_of_the_meantime(folder: Path, starts: int) -> Fault:
    """Repeat `starts` times: SIGKILL, three darts, start.

    A dart survived if it is shown as not counted and leaves the game unchanged; it is lost if the journal lacks
    it. After each start the table adds one of them, which then counts.
    """
    shown = 0
    with at_the_board(folder) as (daemon, board, first):
        peer = first
        for _ in range(starts):
            assert counts(board, peer)
            before = peer.state
            peer.close()
            daemon.kill()
            fields = sorted(before["drops"])[:EACH_TIME]
            beds = [bed_of_field(field) for field in fields]
            for bed in beds:
                board.hit(bed)
            daemon.start()
            peer = daemon.peer("table")
            wait_for(
                partial(_all_read, board, peer),
                PATIENCE_S,
                "the darts",
            )
            peer.wait(lambda state: state["phase"] == "paused")
            unchanged = peer.state["turns"] == before["turns"]
            last = [(reading["bed"], reading["counted"]) for reading in _readings(peer)[-EACH_TIME:]]
            shown += sum(unchanged and item == (bed, False) for item, bed in zip(last, beds, strict=True))
            assert peer.ask("resume")["accepted"]
            peer.wait(lambda state: state["phase"] == "turn")
            assert peer.ask("add_dart", bed=beds[0])["accepted"]
            peer.wait(partial(_played, before["turns"] + 1))
        thrown = board.thrown_count
        peer.close()
    numbers = _stored(daemon)
    lost = len(set(range(1, thrown + 1)) - set(numbers))
    words = "stored and shown; each counts only when a person says so"
    return Fault(
        "darts while the daemon is away", EACH_TIME * starts, shown, lost, doubled_lines(daemon), words
    )


def darts_after_the_pause(folder: Path, starts: int) -> Fault:
    """Repeat `starts` times: SIGKILL, a dart, start, resume. Only then the board sends the dart, which is too old
    to count."""
    kept = 0
    with at_the_board(folder) as (daemon, board, first):
        peer = first
        for _ in range(starts):
            assert counts(board, peer)
            before = peer.state
            peer.close()
            daemon.kill()
            board.holding = True
            bed = bed_of_field(sorted(before["drops"])[0])
            board.hit(bed)
            daemon.start()
            peer = daemon.peer("table")
            peer.wait(lambda state: state["phase"] == "paused")
            wait_for(partial(_found, peer), PATIENCE_S, "the board")
            assert peer.ask("resume")["accepted"]
            peer.wait(lambda state: state["phase"] == "turn")
            board.holding = False
            wait_for(lambda: not board.waiting, PATIENCE_S, "the dart")
            wait_for(lambda: _readings(peer), PATIENCE_S, "the dart in health")  # noqa: B023
            shown = _readings(peer)[-1]
            unchanged = peer.state["turns"] == before["turns"]
            kept += unchanged and (shown["bed"], shown["counted"]) == (bed, False)
        peer.close()
    words = "a dart that comes after the pause is shown, and does not count"
    return Fault("darts while the daemon is away", starts, kept, doubled=doubled_lines(daemon), figure=words)


def _found(peer: Peer) -> bool:
    return peer.source == "found"


def _all_read(board: LiveBoard, peer: Peer) -> bool:
    return board.waiting == 0 and len(_readings(peer)) >= EACH_TIME


def _played(turns: int, state: State) -> bool:
    return bool(state["turns"] == turns)


def _readings(peer: Peer) -> list[dict[str, object]]:
    return list(peer.last.get("health", {}).get("readings", []))


def _stored(daemon: DaemonProcess) -> list[int]:
    reader = JournalReader(daemon.folder / "scharten.sqlite3")
    rows = [json.loads(row.body) for match in reader.matches() for row in reader.inputs(match.id)]
    reader.close()
    return [row["receipt"][1] for row in rows if row.get("receipt")]
