"""A long evening at speed: memory must stay flat, the journal small, and a turn must not become slower."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.daemon_process import DaemonProcess, Peer
from lab.figures import percentile
from lab.process_figures import cpu_s, memory_mb
from lab.scripted_game import board_listens, play_turn
from scharten.journal.journal import JournalReader

GROWTH_AIM = 0.05
"""The share by which memory may grow after the warm-up, including journal and sheet of the running game. The
referee's tables, each of bounded size, fill during some 5,000 turns: a shorter run never leaves its warm-up."""
WARM_UP = 2
"""Tenths of the run that are the warm-up."""
DRIFT_AIM = 1.5
"""The allowed ratio of a turn's CPU time in the last tenth to that in the second. CPU time, because other programs
make every turn wait longer, but not work more."""
TURNS_A_GAME = 120


@dataclass(frozen=True, slots=True)
class Tenth:
    """One tenth of the run: turn times in ms, the daemon's CPU time of a turn, and its memory in MB at the end."""

    turns_ms: tuple[float, ...]
    cpu_ms: float
    memory_mb: float


@dataclass(frozen=True, slots=True)
class Soaked:
    """A whole run: played and stored turns, its tenths, and the journal's size in bytes."""

    turns: int
    games: int
    stored: int
    tenths: tuple[Tenth, ...]
    journal: int

    @property
    def growth(self) -> float:
        """The share by which memory grew after the warm-up."""
        return self.tenths[-1].memory_mb / self.tenths[WARM_UP - 1].memory_mb - 1

    @property
    def drift(self) -> float:
        """The ratio of a turn's CPU time at the end to that at the beginning."""
        return self.tenths[-1].cpu_ms / self.tenths[1].cpu_ms

    @property
    def flat(self) -> bool:
        """Whether both aims are met."""
        return self.growth <= GROWTH_AIM and self.drift <= DRIFT_AIM

    def figures(self) -> Iterator[tuple[str, str]]:
        """Each figure beside its aim."""
        warm, end = self.tenths[WARM_UP - 1].memory_mb, self.tenths[-1].memory_mb
        yield "long run", f"{self.turns:,} turns in {self.games} games, {self.stored:,} inputs stored"
        yield "memory", (f"{warm:.1f} MB after {WARM_UP} tenths, {end:.1f} MB at the end: {self.growth:+.1%}, "
                         f"aim at most {GROWTH_AIM:+.0%}")  # fmt: skip
        yield "memory by tenth", ", ".join(f"{tenth.memory_mb:.1f}" for tenth in self.tenths) + " MB"
        second, last = self.tenths[1], self.tenths[-1]
        yield "a turn", (f"{second.cpu_ms:.2f} ms of CPU in the second tenth, {last.cpu_ms:.2f} ms in the last: "
                         f"x {self.drift:.2f}, aim at most x {DRIFT_AIM}")  # fmt: skip
        waited = [percentile(tenth.turns_ms, 50) for tenth in (second, last)]
        yield "by the wall", f"p50 {waited[0]:.1f} ms in the second tenth, {waited[1]:.1f} ms in the last"
        yield "journal", f"{self.journal / max(1, self.games) / 1024:.0f} kB a game"


def run(inputs: int) -> int:
    """Play `inputs` turns and print the figures beside the aims; return 0 if they are met."""
    found = measure(inputs)
    for what, figure in found.figures():
        print(f"{what:16}{figure}")
    return 0 if found.flat else 1


def measure(inputs: int) -> Soaked:
    """Play `inputs` turns in games of at most `TURNS_A_GAME`."""
    with tempfile.TemporaryDirectory(prefix="scharten-soak-") as folder:
        daemon = DaemonProcess(Path(folder) / "data")
        try:
            daemon.start()
            peer = daemon.peer("table")
            board_listens(peer)
            games, tenths = _played(daemon, peer, inputs)
            peer.close()
            daemon.stop()
            path = daemon.folder / "scharten.sqlite3"
            reader = JournalReader(path)
            stored = sum(match.inputs for match in reader.matches())
            reader.close()
            return Soaked(inputs, games, stored, tuple(tenths), path.stat().st_size)
        finally:
            daemon.end()


def _played(daemon: DaemonProcess, peer: Peer, inputs: int) -> tuple[int, list[Tenth]]:
    games = 0
    tenths = []
    assert daemon.process is not None
    pid = daemon.process.pid
    for tenth in range(10):
        times, cpu_before = [], cpu_s(pid)
        for number in range(inputs // 10):
            if not peer.state["match"] or peer.state["turns"] >= TURNS_A_GAME or peer.state["result"]:
                peer.new_game()
                games += 1
            began = time.monotonic()
            play_turn(peer, seed=games)
            times.append((time.monotonic() - began) * 1000)
            peer.forget()
            if number % 500 == 499:
                done = tenth * inputs // 10 + number + 1
                print(f"  {done} turns, {games} games", file=sys.stderr, flush=True)
        cpu_ms = (cpu_s(pid) - cpu_before) * 1000 / len(times)
        tenths.append(Tenth(tuple(times), cpu_ms, memory_mb(pid)))
    return games, tenths
