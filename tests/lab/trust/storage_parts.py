"""The parts of `make trust` about storage: power cuts, damaged files, failing calls, restores, long journals."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from lab.daemon_process import DaemonProcess
from lab.trust import (
    archive_damage,
    club_damage,
    cutdisk,
    journal_damage,
    journal_names,
    long_journal,
    nth_failure,
    powercuts,
    restore_kills,
)
from lab.trust.part import Size
from lab.trust.rows import Fault, Row, show_progress

RECORDINGS, CUTS = 10, 1000
DAMAGES = 10_000
DATABASES = 2000
CLUB_DAMAGES = 1000
HOSTILE_MESSAGES = 5000


def power_cuts(folder: Path, size: Size) -> Iterator[Row]:
    """Simulated power cuts of recorded games, including the creation of the journal."""
    library, seed = cutdisk.build(folder), int(time.time())
    verdicts: list[powercuts.Verdict] = []
    ordered: list[Fault] = []
    for number in range(max(1, RECORDINGS // size.share)):
        daemon = DaemonProcess(folder / f"recorded{number}" / "data")
        try:
            done = powercuts.record(daemon, library, turns=30)
        finally:
            daemon.end()
        if size.wants("cuts"):
            verdicts.append(powercuts.cut(done, CUTS, folder / "cut", seed + number))
            show_progress(f"recording {number + 1}: {verdicts[-1]}")
        if size.wants("order"):
            ordered.append(powercuts.published_before_stored(done, folder / "cut"))
    if verdicts:
        yield from (replace(row, row="cuts") for row in sum(verdicts, start=powercuts.NONE).rows())
    if ordered:
        tried, early = sum(row.tried for row in ordered), sum(row.lost for row in ordered)
        yield Fault(ordered[0].what, tried, tried - early, early, row="order")


def journal(folder: Path, size: Size) -> Iterator[Row]:
    """Damage to the journal's files before a start, fuzzed databases, and files exchanged in play."""
    seed = int(time.time())
    if size.wants("damage"):
        row = journal_damage.damaged(folder / "damage", DAMAGES // size.share, seed)
        yield replace(row, row="damage")
    if size.wants("fuzz"):
        row = journal_damage.fuzzed(folder / "fuzz", DATABASES // size.share, seed)
        yield replace(row, row="fuzz")
    if size.wants("changed"):
        yield replace(journal_damage.changed(folder / "changed", 400 // size.share, seed), row="changed")
    if size.wants("cut"):
        yield replace(journal_damage.cut(folder / "cut", 400 // size.share, seed), row="cut")
    if size.wants("foreign"):
        yield replace(journal_damage.foreign(folder / "foreign", 200 // size.share, seed), row="foreign")
    if size.wants("digests"):
        yield replace(journal_damage.digests(folder / "digests", 200 // size.share, seed), row="digests")
    if size.wants("names"):
        yield replace(journal_names.in_use(folder / "names", size.share), row="names")


def club(folder: Path, size: Size) -> Iterator[Row]:
    """Damage to the club's file before a start, and hostile boards in its evening."""
    seed = int(time.time())
    if size.wants("damage"):
        row = club_damage.damaged(folder / "damage", CLUB_DAMAGES // size.share, seed)
        yield replace(row, row="damage")
    if size.wants("boards"):
        row = club_damage.hostile_boards(folder / "boards", HOSTILE_MESSAGES // size.share, seed)
        yield replace(row, row="boards")


def archive(folder: Path, size: Size) -> Iterator[Row]:
    """Damage to the archive's file before a start."""
    yield archive_damage.damaged(folder / "damage", CLUB_DAMAGES // size.share, int(time.time()))


def restores(folder: Path, size: Size) -> Iterator[Row]:
    """A restore killed before each of its calls."""
    moments, harmed = restore_kills.killed_restores(folder)
    yield Fault("SIGKILL of a restore, before each call", moments, moments - len(harmed), len(harmed))


def start(folder: Path, size: Size) -> Iterator[Row]:
    """The time of a start with a very long journal."""
    if size.wants("old-games"):
        yield replace(long_journal.start(folder / "old", 1_000_000 // size.share), row="old-games")
    if size.wants("one-game"):
        for row in long_journal.one_game(folder / "one", 500_000 // size.share):
            yield replace(row, row="one-game")


def calls(folder: Path, size: Size) -> Iterator[Row]:
    """Each write, sync, open and allocation of a short game fails in turn."""
    kinds = [kind for kind in nth_failure.KINDS if size.wants(kind)]
    for kind, row in zip(kinds, nth_failure.each_nth(folder, size.share, kinds), strict=True):
        yield replace(row, row=kind)
