"""The n-th write, sync, open or allocation fails, for every n of a short game: what is acknowledged is stored.

As SQLite tests itself: the same game is played again and again by a child of one prepared process
(`python -m lab.trust.nth_failure`, with the shim preloaded), each time with another call that fails, once or for a
while. A refusal must come in words, and a fresh start must find everything that was acknowledged, once.
"""

from __future__ import annotations

import _sqlite3
import argparse
import ctypes
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lab import ENVIRONMENT
from lab.programs import shared_library
from lab.trust.powercuts import JOURNAL, Replays, stored_in
from lab.trust.rows import Fault, show_progress
from scharten.contract.messages import parse_command
from scharten.daemon import referee_loop
from scharten.daemon.announcer import Announcer
from scharten.daemon.checks import open_journal
from scharten.daemon.health import MachineHealth
from scharten.daemon.referee_loop import RefereeLoop
from scharten.dartboard.profile import Contact
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.board import bed_of, parse_field
from scharten.match.dart import Dart
from scharten.match.inputs import Command, Input, Reading, ReadingsLost, Receipt, Role, SensorNews
from scharten.match.referee import new_match
from scharten.match.seen import SeenCommands
from scharten.match.settings import MatchSettings

KINDS = ("write", "sync", "open", "allocation")
TIMES = (1, 7)
"""A call fails once, or as often as on a disk that stays full for a while."""
ALLOCATIONS_APART = 10
"""Calls skipped in the short form: there are thousands, most of them of the same statements."""
MOST_STARTS = 20
LONGEST_S = 60
"""An evening that takes longer hangs for good, and is ended."""
EVENING = (("order", "new_game"), ("dart", "a1"), ("dart", "a8"), ("order", "pause"), ("restart", ""),
           ("order", "resume"), ("lost", ""), ("dart", "b1"), ("dart", "h8"))  # fmt: skip


def build(folder: Path) -> Path:
    """Compile the shim into a folder and return the library for LD_PRELOAD."""
    return shared_library(Path(__file__).with_name("failnth.c"), folder, "-U_FILE_OFFSET_BITS")


def each_nth(folder: Path, step: int, kinds: Sequence[str] = KINDS) -> list[Fault]:
    """Return one row for each kind of call: every `step`-th fails, once and for a while."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "lab.trust.nth_failure", str(folder / "game"), str(step), *kinds]
    environment = {**ENVIRONMENT, "LD_PRELOAD": str(build(folder))}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True)
    return [Fault(**load) for load in json.loads(done.stdout)]


class _Evening:
    """A referee with a journal, which records its acknowledgements and answers."""

    def __init__(self, folder: Path, reported: list[int | str], words: list[str]) -> None:
        self.path, self.reported, self.words = folder / JOURNAL, reported, words
        self.t_ms, self.number = 1_700_000_000_000, 0

    def play(self) -> None:
        """Play the whole evening; repeat every refused start, as people do."""
        self._start()
        for what, name in EVENING:
            self.t_ms, self.number = self.t_ms + 10, self.number + 1
            if what == "restart":
                self.journal.close()
                self._start()
                continue
            self.loop._process(self._input(what, name))
            self.journal.settle()
        self.journal.close()

    def _start(self) -> None:
        for _ in range(MOST_STARTS):
            try:
                self.journal, match = open_journal(
                    self.path, MachineHealth({"simulated": ("board",)}, 0), SeenCommands()
                )
                break
            except (SchartenError, OSError) as error:  # the daemon reports an OSError of its start
                self.words.append(str(error))
        else:
            raise SchartenError(f"{MOST_STARTS} starts were refused: {self.words[-1]}")
        settings = MatchSettings(board="board1", white_sits_at=3, game="scharten", options={})
        match = match or new_match(settings, GAMES_BY_KEY)
        publisher: Any = self
        self.loop = RefereeLoop(
            match, self.journal, publisher, Announcer(publisher), lambda: self.t_ms, settings=settings
        )
        self.loop.sensor = self

    def _input(self, what: str, name: str) -> Input:
        if what == "lost":
            return SensorNews(self.t_ms, "board", ReadingsLost(2, (9, 2)), None)
        if what == "dart":
            field = parse_field(name)
            assert field is not None
            dart = Dart(((bed_of(field, 3), 1.0),), contact=Contact(1, 2))
            return Reading(self.t_ms, self.t_ms, "board", dart, Receipt(9, self.number))
        match = self.loop.match
        body = {"v": 2, "id": f"c{self.number}", "match": match.id, "seq": match.seq, "type": name}
        return Command(self.t_ms, Role.TABLE, parse_command(json.dumps(body).encode()), 7)  # type: ignore[arg-type]

    def acknowledge(self, receipt: Receipt) -> None:
        self.reported.append(receipt.number)

    def answer(self, role: str, answer: Mapping[str, Any]) -> None:
        if answer["accepted"]:
            self.reported.append(answer["id"])

    def __getattr__(self, name: str) -> Any:
        """Ignore every other call, such as a state to publish or the board's lamp."""
        return lambda *_args: None


def _child(shim: ctypes.CDLL, library: int, folder: Path, kind: int, n: int, times: int, out: int) -> None:
    reported: list[int | str] = []
    words: list[str] = []
    crash, count = "", 0
    signal.alarm(LONGEST_S)
    shim.fail_from(kind, n, times, str(folder).encode(), ctypes.c_void_p(library))
    try:
        _Evening(folder, reported, words).play()
    except BaseException:
        crash = traceback.format_exc()
    finally:
        count = shim.fail_count(max(kind, 0))
    os.write(out, json.dumps({"reported": reported, "words": words, "crash": crash, "count": count}).encode())
    os._exit(0)


class _Runs:
    """Play the evening in a child, and judge what is stored."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.known = folder, Replays()
        self.shim = ctypes.CDLL(None)
        self.shim.fail_count.restype = ctypes.c_long
        self.shim.fail_from.argtypes = (
            ctypes.c_int,
            ctypes.c_long,
            ctypes.c_long,
            ctypes.c_char_p,
            ctypes.c_void_p,
        )
        opened = ctypes.CDLL(_sqlite3.__file__).sqlite3_open_v2
        self.library = ctypes.cast(opened, ctypes.c_void_p).value or 0

    def once(self, kind: int, n: int, times: int) -> dict[str, Any]:
        """Return the reports and messages of an evening in which the n-th call failed."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        received, out = os.pipe()
        child = os.fork()
        if not child:
            _child(self.shim, self.library, self.folder, kind, n, times, out)
        os.close(out)
        with os.fdopen(received, "rb") as said:
            text = said.read()
        os.waitpid(child, 0)
        return (
            dict(json.loads(text))
            if text
            else {"reported": [], "words": [], "crash": "killed, or stood still", "count": 0}
        )

    def row(self, kind: int, step: int) -> dict[str, Any]:
        """Fail every `step`-th call of a kind."""
        count = max(self.once(kind, 0, 0)["count"], 0)
        tried = survived = lost = doubled = 0
        for n in range(1, count + 1, step):
            for times in TIMES:
                came = self.once(kind, n, times)
                try:
                    stored = stored_in(self.folder / JOURNAL, self.known)
                except SchartenError as error:
                    came["crash"] = came["crash"] or f"the next start is refused: {error}"
                    stored = []
                lost += len(set(came["reported"]) - set(stored))
                doubled += len(stored) - len(set(stored))
                tried, survived = tried + 1, survived + (not came["crash"] and all(came["words"]))
                if came["crash"]:
                    show_progress(f"{KINDS[kind]} {n} of {count} failed {times} times: {came['crash']}")
        which = f"each {step}. of" if step > 1 else "each of"
        words = f"{which} {count:,}, once and {TIMES[1]} times in a row"
        return {"what": f"the n-th {KINDS[kind]} fails, for every n", "tried": tried, "survived": survived,
                "lost": lost, "doubled": doubled, "figure": words}  # fmt: skip


def _rows(folder: Path, step: int, kinds: Sequence[str]) -> Iterator[dict[str, Any]]:
    runs = _Runs(folder)
    for name in kinds:
        apart = ALLOCATIONS_APART if name == "allocation" and step > 1 else 1
        yield runs.row(KINDS.index(name), step * apart)


def main() -> None:
    """Print the rows as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("step", type=int)
    parser.add_argument("kinds", nargs="*", default=KINDS)
    given = parser.parse_args()
    referee_loop.RETRY_S = 0.001
    logging.disable()
    print(json.dumps(list(_rows(given.folder.resolve(), given.step, given.kinds))))


if __name__ == "__main__":
    main()
