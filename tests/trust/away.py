"""Darts that nobody heard: thrown while the daemon was killed, they wait in the board until it is back."""

from __future__ import annotations

import json
from pathlib import Path

from scharten.bench.room import Daemon, Peer, wait_for
from scharten.journal.journal import JournalReader
from trust.board_trouble import PATIENCE_S, at_the_board, bed_of_field, counts
from trust.kills import doubled_lines
from trust.rows import Fault

EACH_TIME = 3


def darts_of_the_meantime(folder: Path, starts: int) -> Fault:
    """So often: SIGKILL, three darts, start. Survived is a dart that is shown as not counted and leaves the game as it
    was; lost one that the journal lacks. After each start the table adds one of them, which then counts."""
    shown = 0
    with at_the_board(folder) as (daemon, board, first):
        peer = first
        for _ in range(starts):
            assert counts(board, peer)
            before = peer.state
            peer.close()
            daemon.kill()
            fields = sorted(before["placements"])[:EACH_TIME]
            beds = [bed_of_field(field) for field in fields]
            for bed in beds:
                board.hit(bed)
            daemon.start()
            peer = daemon.peer("table")
            wait_for(
                lambda one=peer: board.waiting == 0 and len(_readings(one)) >= EACH_TIME,
                PATIENCE_S,
                "the darts",
            )
            peer.wait(lambda state: state["phase"] == "paused")
            unchanged = peer.state["turns"] == before["turns"]
            last = [(one["bed"], one["counted"]) for one in _readings(peer)[-EACH_TIME:]]
            shown += sum(unchanged and one == (bed, False) for one, bed in zip(last, beds, strict=True))
            assert peer.ask("resume")["accepted"]
            peer.wait(lambda state: state["phase"] == "turn")
            assert peer.ask("add_dart", bed=beds[0])["accepted"]
            peer.wait(lambda state, turns=before["turns"] + 1: state["turns"] == turns)
        thrown = board.thrown
        peer.close()
    numbers = _stored(daemon)
    lost = len(set(range(1, thrown + 1)) - set(numbers))
    words = "stored and shown; each counts only when a person says so"
    return Fault(
        "darts while the daemon is away", EACH_TIME * starts, shown, lost, doubled_lines(daemon), words
    )


def _readings(peer: Peer) -> list[dict[str, object]]:
    return list(peer.last.get("health", {}).get("readings", []))


def _stored(daemon: Daemon) -> list[int]:
    reader = JournalReader(daemon.folder / "scharten.sqlite3")
    rows = [json.loads(row.body) for one in reader.matches() for row in reader.inputs(one.id)]
    reader.close()
    return [row["line"][1] for row in rows if row.get("line")]
