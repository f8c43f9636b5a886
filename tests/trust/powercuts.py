"""Simulated power cuts in a recorded game: what the board was told is stored must be on the disk after any cut."""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scharten.bench.room import Daemon
from scharten.bench.script import board_listens, play_turn
from scharten.desk.replay import replay
from scharten.errors import SchartenError
from scharten.sinks.journal import Journal, JournalReader
from trust import cutdisk
from trust.cutdisk import LINE, SYNC, WRITE, Operation

ACK = re.compile(rb"\$A,(\d+)\*[0-9A-Fa-f]{4}\n")
JOURNAL = "scharten.sqlite3"


@dataclass(frozen=True)
class Verdict:
    """What came of the cuts: each figure must be 0 but the first two."""

    cuts: int
    acknowledged: int
    missing: int
    doubled: int
    refused: int
    early: int

    @property
    def sound(self) -> bool:
        """Nothing acknowledged was lost, nothing is there twice, every journal replays, no early byte."""
        return not (self.missing or self.doubled or self.refused or self.early)


def record(daemon: Daemon, library: Path, turns: int) -> list[Operation]:
    """Play a scripted game under the recorder; gives everything it did to disk and line, in order."""
    log = daemon.folder.parent / "operations"
    daemon.environment.update(cutdisk.environment(library, daemon.folder, log))
    daemon.start()
    peer = daemon.peer("table")
    board_listens(peer)
    peer.new_game()
    for turn in range(turns):
        if not play_turn(peer, seed=turn // 40):
            peer.new_game()
    peer.close()
    daemon.kill()
    return cutdisk.read(log)


def cut(done: Sequence[Operation], cuts: int, folder: Path, seed: int) -> Verdict:
    """Cut the power at `cuts` random moments of a recording and judge what is left on the disk each time."""
    chance = random.Random(seed)
    acks = [(place, ack) for place, one in enumerate(done) if one.op == LINE for ack in _acks(one.data)]
    places = [place for place, _ in acks]
    missing = doubled = refused = 0
    for _ in range(cuts):
        at = chance.randrange(len(done))
        told = acks[: bisect_right(places, at - 1)]
        cutdisk.after_cut(done[:at], folder, chance)
        try:
            stored = _stored(folder / JOURNAL)
        except SchartenError:
            refused += 1
            continue
        missing += bool(told) and told[-1][1] not in stored
        doubled += len(stored) != len(set(stored))
    return Verdict(cuts, len(acks), missing, doubled, refused, _early(done))


def _acks(data: bytes) -> list[int]:
    return [int(found) for found in ACK.findall(data)]


def _stored(path: Path) -> list[int]:
    """The numbers of the board's lines in the journal after recovery; every match in it is replayed."""
    if not path.exists() or not path.stat().st_size:
        return []
    Journal(path).close()
    reader = JournalReader(path)
    try:
        lines = []
        for stored in reader.matches():
            for done in replay(reader, stored):
                line = getattr(done.given, "line", None)
                if line is not None:
                    lines.append(line.number)
    finally:
        reader.close()
    return lines


def _early(done: Sequence[Operation]) -> int:
    """Acknowledgements for which no sync of the journal came between the row's last write and the byte."""
    unsynced = False
    early = 0
    for one in done:
        if one.op == WRITE and JOURNAL in one.path and not one.path.endswith(".lock"):
            unsynced = True
        elif one.op == SYNC and JOURNAL in one.path:
            unsynced = False
        elif one.op == LINE and _acks(one.data):
            early += unsynced
    return early
