"""Simulated power cuts in a recorded game: what board and players were told is stored is on the disk after any cut."""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.daemon_process import DaemonProcess
from lab.scripted_game import board_listens, play_turn
from lab.trust import cutdisk
from lab.trust.cutdisk import LINE, SYNC, TOLD, WRITE, Operation
from lab.trust.rows import Fault, say
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import Journal, JournalReader
from scharten.journal.replay import replay
from scharten.match.inputs import Command, receipt_of

ACK = re.compile(rb"\$A,(\d+)\*[0-9A-Fa-f]{4}\n")
ACCEPTED = re.compile(rb'"id":"([^"]+)","accepted":true')
JOURNAL = "scharten.sqlite3"
Told = int | str
"""What was acknowledged: the number of a board's line, or the id of a player's command."""


@dataclass(frozen=True)
class Verdict:
    """What came of the cuts: how many inputs were acknowledged in the recording, and what was wrong how often."""

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

    def rows(self) -> tuple[Fault, Fault]:
        """The cuts, and the acknowledgements in the recording."""
        return (
            Fault("power cut, unsynced sectors lost or torn", self.cuts, self.cuts - self.refused, self.missing,
                  self.doubled, "the journal replays each time"),
            Fault("fsync before each acknowledgement", self.acknowledged, self.acknowledged - self.early,
                  figure="lines of the board and commands of players"),
        )  # fmt: skip


def record(daemon: DaemonProcess, library: Path, turns: int) -> list[Operation]:
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
    acks = _first_acknowledgements(done)
    places = [place for place, _ in acks]
    missing = doubled = refused = 0
    for number in range(cuts):
        at = chance.randrange(len(done))
        told = {one for _, one in acks[: bisect_right(places, at - 1)]}
        cutdisk.after_cut(done[:at], folder, chance)
        try:
            stored = _stored(folder / JOURNAL)
        except SchartenError:
            refused += 1
            continue
        missing += len(told - set(stored))
        doubled += len(stored) - len(set(stored))
        if number % 100 == 99:
            say(f"the power was cut {number + 1} times of {cuts}")
    return Verdict(cuts, len(acks), missing, doubled, refused, _early(done, {place for place, _ in acks}))


def _first_acknowledgements(done: Sequence[Operation]) -> list[tuple[int, Told]]:
    """When each input was acknowledged for the first time: the broker passes an answer on, a board may ask again."""
    first: dict[Told, int] = {}
    for place, one in enumerate(done):
        for told in _acknowledged(one):
            first.setdefault(told, place)
    return [(place, told) for told, place in first.items()]


def _acknowledged(one: Operation) -> list[Told]:
    if one.op == LINE:
        return [int(found) for found in ACK.findall(one.data)]
    return [found.decode() for found in ACCEPTED.findall(one.data)] if one.op == TOLD else []


def _stored(path: Path) -> list[Told]:
    """Lines of the board and commands of players in the journal after recovery; every match in it is replayed."""
    if not path.exists() or not path.stat().st_size:
        return []
    Journal(path).close()
    reader = JournalReader(path)
    found: list[Told] = []
    try:
        for stored in reader.matches():
            for done in replay(reader, stored, GAMES_BY_KEY):
                if isinstance(done.given, Command):
                    found.append(done.given.order.id)
                elif (receipt := receipt_of(done.given)) is not None:
                    found.append(receipt.number)
    finally:
        reader.close()
    return found


def _early(done: Sequence[Operation], acks: Collection[int]) -> int:
    """Acknowledgements for which no sync of the journal came between the row's last write and the byte."""
    unsynced = False
    early = 0
    for place, one in enumerate(done):
        if one.op == WRITE and JOURNAL in one.path and not one.path.endswith(".lock"):
            unsynced = True
        elif one.op == SYNC and JOURNAL in one.path:
            unsynced = False
        elif place in acks:
            early += unsynced
    return early
