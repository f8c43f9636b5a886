"""A long evening at speed: is memory flat, does the journal stay small, does a turn take as long at the end?"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from scharten.bench.figures import percentile
from scharten.bench.room import Daemon, Peer
from scharten.bench.script import board_listens, play_turn
from scharten.sinks.journal import JournalReader

GROWTH_AIM = 0.05
"""Memory after the warm-up may grow by this share, journal and sheet of the running game included.

The referee's tables, each of bounded size, fill during some 10,000 turns: only a long run has its warm-up behind it.
"""
DRIFT_AIM = 1.5
"""The median turn of the last tenth may take so many times that of the second tenth."""
TURNS_A_GAME = 120


@dataclass(frozen=True, slots=True)
class Tenth:
    """What one tenth of the run looked like: turn times in ms, and the daemon's memory in MB at its end."""

    turns_ms: tuple[float, ...]
    memory_mb: float


def run(inputs: int) -> int:
    """Play `inputs` turns in games of at most `TURNS_A_GAME` and print the figures beside the aims."""
    with tempfile.TemporaryDirectory(prefix="scharten-soak-") as folder:
        daemon = Daemon(Path(folder) / "data")
        try:
            daemon.start()
            peer = daemon.peer("table")
            board_listens(peer)
            games, tenths = _played(daemon, peer, inputs)
            peer.close()
            daemon.stop()
            path = daemon.folder / "scharten.sqlite3"
            journal = path.stat().st_size
            reader = JournalReader(path)
            stored = sum(one.inputs for one in reader.matches())
            reader.close()
        finally:
            daemon.end()
    return _print(f"{inputs} turns in {games} games, {stored} inputs stored", games, tenths, journal)


def _played(daemon: Daemon, peer: Peer, inputs: int) -> tuple[int, list[Tenth]]:
    games = 0
    tenths = []
    for tenth in range(10):
        times = []
        for number in range(inputs // 10):
            if not peer.state["match"] or peer.state["turns"] >= TURNS_A_GAME or peer.state["result"]:
                peer.new_game()
                games += 1
            began = time.monotonic()
            play_turn(peer, seed=games)
            times.append((time.monotonic() - began) * 1000)
            peer.forget()
            if number % 500 == 499:
                print(f"  {tenth * inputs // 10 + number + 1} turns, {games} games", flush=True)
        tenths.append(Tenth(tuple(times), _memory_mb(daemon)))
    return games, tenths


def _memory_mb(daemon: Daemon) -> float:
    assert daemon.process is not None
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    resident = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(resident.split()[1]) / 1024


def _print(what: str, games: int, tenths: list[Tenth], journal: int) -> int:
    first, last = tenths[1], tenths[-1]
    growth = last.memory_mb / first.memory_mb - 1
    drift = percentile(last.turns_ms, 50) / percentile(first.turns_ms, 50)
    print(what)
    print(f"  memory     {first.memory_mb:.1f} MB after a fifth, {last.memory_mb:.1f} MB at the end: "
          f"{growth:+.1%}, aim at most {GROWTH_AIM:+.0%}")  # fmt: skip
    print(f"  a turn     p50 {percentile(first.turns_ms, 50):.1f} ms in the second tenth, "
          f"{percentile(last.turns_ms, 50):.1f} ms in the last: x {drift:.2f}, aim at most x {DRIFT_AIM}")  # fmt: skip
    print(f"  journal    {journal / max(1, games) / 1024:.0f} kB a game")
    return 0 if growth <= GROWTH_AIM and drift <= DRIFT_AIM else 1
