"""Simulated power cuts in a recorded game: everything acknowledged to board and players is on the disk after any
cut."""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from lab.daemon_process import DaemonProcess
from lab.scripted_game import board_listens, play_turn
from lab.trust import cutdisk
from lab.trust.cutdisk import LINE, REPORTED, STATE, SYNC, WRITE, Operation
from lab.trust.rows import Fault
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import Journal, JournalReader, StoredInput
from scharten.journal.replay import replay
from scharten.match.inputs import Command, Input, receipt_of

ACK = re.compile(rb"\$A,(\d+)\*[0-9A-Fa-f]{4}\n")
PUBLISHED = re.compile(rb'"match":"([0-9a-f]+)","seq":(\d+)')
ACCEPTED = re.compile(rb'"id":"([^"]+)","accepted":true')
JOURNAL = "scharten.sqlite3"
Reported = int | str
"""An acknowledged input: the number of a board's line, or the id of a player's command."""
Replays = dict[tuple[str, tuple[StoredInput, ...]], list[Reported]]
"""Replays by their inputs: many cuts leave the same inputs, and only the inputs decide a replay."""


@dataclass(frozen=True)
class Verdict:
    """The outcome of the cuts: the inputs acknowledged in the recording, and the count of each fault."""

    cuts: int
    acknowledged: int
    missing: int
    doubled: int
    refused: int
    early: int
    refusals: tuple[str, ...] = ()
    """For each refused start: the number of operations before the cut, and the message."""

    @property
    def sound(self) -> bool:
        """Nothing acknowledged is lost or duplicated, every journal replays, and no acknowledgement came early."""
        return not (self.missing or self.doubled or self.refused or self.early)

    def __add__(self, other: Verdict) -> Verdict:
        return Verdict(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def rows(self) -> tuple[Fault, Fault]:
        """The cuts, and the acknowledgements in the recording."""
        return (
            Fault("power cut, unsynced sectors lost or torn", self.cuts, self.cuts - self.refused, self.missing,
                  self.doubled, "the journal replays each time"),
            Fault("fsync before each acknowledgement", self.acknowledged, self.acknowledged - self.early,
                  figure="lines of the board and commands of players"),
        )  # fmt: skip


NONE = Verdict(0, 0, 0, 0, 0, 0)


def record(daemon: DaemonProcess, library: Path, turns: int) -> list[Operation]:
    """Play a scripted game under the recorder; return all its operations on disk and line, in order."""
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
    """Cut the power at `cuts` random moments of a recording, and judge the disk each time."""
    chance, known = random.Random(seed), Replays()
    acks = _first_acknowledgements(done)
    places = [place for place, _ in acks]
    missing = doubled = 0
    refusals: list[str] = []
    for number in range(cuts):
        at = chance.randrange(len(done))
        reported = {ack for _, ack in acks[: bisect_right(places, at - 1)]}
        cutdisk.after_cut(done[:at], folder, chance)
        try:
            stored = stored_in(folder / JOURNAL, known)
        except SchartenError as error:
            refusals.append(f"cut {number} after {at} operations: {error.message}")
            continue
        missing += len(reported - set(stored))
        doubled += len(stored) - len(set(stored))
    early = _early(done, {place for place, _ in acks})
    return Verdict(cuts, len(acks), missing, doubled, len(refusals), early, tuple(refusals))


def published_before_stored(done: Sequence[Operation], folder: Path) -> Fault:
    """Cut the power just before each new state left the program: the disk must hold the input behind it."""
    seen: set[tuple[str, int]] = set()
    early = 0
    for place, item in enumerate(done):
        published = PUBLISHED.search(item.data) if item.op == STATE else None
        if published is None or b'"phase":"setup"' in item.data:
            continue
        state = published[1].decode(), int(published[2])
        if state in seen:
            continue
        seen.add(state)
        cutdisk.after_cut(done[:place], folder, cutdisk.AllLost())
        early += _stored_seq(folder / JOURNAL, state[0]) < state[1]
    return Fault("commit before each published state", len(seen), len(seen) - early, early)


def _stored_seq(path: Path, match: str) -> int:
    """Return the `seq` that a match has reached on the disk; -1 without the match."""
    if not path.exists() or not path.stat().st_size:
        return -1
    try:
        Journal(path).close()
        reader = JournalReader(path)
    except SchartenError:
        return -1
    try:
        stored = next((found for found in reader.matches() if found.id == match), None)
        steps = [done.match.seq for done in replay(reader, stored, GAMES_BY_KEY)] if stored else []
        return max(steps, default=-1)
    finally:
        reader.close()


def _first_acknowledgements(done: Sequence[Operation]) -> list[tuple[int, Reported]]:
    """Return when each input was first acknowledged: the broker passes an answer on, a board may ask again."""
    first: dict[Reported, int] = {}
    for place, item in enumerate(done):
        for reported in _acknowledged(item):
            first.setdefault(reported, place)
    return [(place, reported) for reported, place in first.items()]


def _acknowledged(operation: Operation) -> list[Reported]:
    if operation.op == LINE:
        return [int(found) for found in ACK.findall(operation.data)]
    return [found.decode() for found in ACCEPTED.findall(operation.data)] if operation.op == REPORTED else []


def stored_in(path: Path, known: Replays) -> list[Reported]:
    """Return the board's lines and players' commands in the journal after recovery, with every match replayed."""
    if not path.exists() or not path.stat().st_size:
        return []
    Journal(path).close()
    reader = JournalReader(path)
    found: list[Reported] = []
    try:
        for stored in reader.matches():
            rows = tuple(reader.inputs(stored.id))
            if (stored.start, rows) not in known:
                known[stored.start, rows] = [
                    reported
                    for done in replay(reader, stored, GAMES_BY_KEY, rows)
                    if (reported := _reported(done.given)) is not None
                ]
            found += known[stored.start, rows]
    finally:
        reader.close()
    return found


def _reported(given: Input) -> Reported | None:
    if isinstance(given, Command):
        return given.order.id
    receipt = receipt_of(given)
    return receipt.number if receipt else None


def _early(done: Sequence[Operation], acks: Collection[int]) -> int:
    """Return the acknowledgements without a sync of the journal between the row's last write and the byte."""
    unsynced = False
    early = 0
    for place, item in enumerate(done):
        if not item.path.endswith((JOURNAL, f"{JOURNAL}-wal")):
            early += unsynced and place in acks
        elif item.op == WRITE:
            unsynced = True
        elif item.op == SYNC:
            unsynced = False
    return early
