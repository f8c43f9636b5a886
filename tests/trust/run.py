"""`make trust`: every fault and every attack, and one table of what came of them.

PYTHONPATH=tests python tests/trust/run.py [--short] [--no-soak] [--noise-mb N] [--only PART]
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from broker import running
from broker.attacks import attack_all
from broker.host_attacks import HOST_ATTACKS, random_commands
from scharten.bench import display, soak
from scharten.bench.figures import commit, percentile
from scharten.bench.room import FAST, Daemon
from trust import board_trouble, cutdisk, powercuts
from trust.kills import Ended, Mosquitto, scripted_game

KILLS = {"daemon": 34, "board": 33, "broker": 33}
CUTS = 1000
COMMANDS = 100_000
TURNS = 50_000
NOISE_MB = 10
NOISE_GROWTH_MB = 10
ASKED = 5000
PAGES = 200


@dataclass(frozen=True)
class Line:
    """One row of the table: how often something was tried, and how often it did harm."""

    what: str
    tried: int
    harm: int
    more: str = ""


@dataclass(frozen=True)
class Size:
    """How much of everything: the whole divided by `share`, and how many MB of noise on the line."""

    share: int
    noise_mb: int


Part = Callable[[Path, Size], Iterator[Line]]


def main() -> int:
    """Run it all; 0 when nothing did harm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a tenth of everything")
    parser.add_argument("--no-soak", action="store_true", help="leave the long run out")
    parser.add_argument("--noise-mb", type=int, default=0, help="random bytes on the line: 10 MB, or so many")
    parser.add_argument("--only", choices=[*PARTS, "load"], help="one part alone")
    asked = parser.parse_args()
    share = 10 if asked.short else 1
    size = Size(share, asked.noise_mb or max(1, NOISE_MB // share))
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="scharten-trust-") as folder:
        for name, part in PARTS.items():
            for line in part(Path(folder), size) if asked.only in (None, name) else ():
                print(f"… {line.what}: {line.tried} tried, {line.harm} did harm", flush=True)
                lines.append(line)
    print(f"\n{'fault or attack':52} tried  harm")
    for line in lines:
        print(f"{line.what:52} {line.tried:5} {line.harm:5}  {line.more}")
    for words in load(size) if asked.only in (None, "load") else ():
        print(f"load held: {words}", flush=True)
    print(f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, commit {commit()}\n")
    harmed = any(line.harm for line in lines)
    return int(harmed or (not (asked.no_soak or asked.only) and soak.run(TURNS // share)))


def kills(folder: Path, size: Size) -> Iterator[Line]:
    """SIGKILL of each part in a scripted game; the end must be that of the undisturbed game."""
    for target, most in KILLS.items():
        times = max(1, most // size.share)
        broker = Mosquitto(folder) if target == "broker" else None
        if broker is not None:
            broker.start()
        calm = _game(folder / f"calm-{target}", broker, times + 4, 0, target)
        wild = _game(folder / f"wild-{target}", broker, times + 4, times, target)
        if broker is not None:
            broker.kill()
        harm = wild.doubled + (wild.position != calm.position)
        yield Line(f"SIGKILL of the {target}", times, harm, f"{wild.turns} turns, same end as the calm game")


def _game(folder: Path, broker: Mosquitto | None, turns: int, disturbed: int, target: str) -> Ended:
    daemon = Daemon(folder, broker.config if broker else FAST)
    try:
        return scripted_game(daemon, turns, disturbed, 7, target, broker)
    finally:
        daemon.end()


def power_cuts(folder: Path, size: Size) -> Iterator[Line]:
    """Simulated power cuts of a recorded game."""
    library = cutdisk.build(folder)
    daemon = Daemon(folder / "recorded" / "data")
    try:
        done = powercuts.record(daemon, library, turns=max(30, 120 // size.share))
    finally:
        daemon.end()
    found = powercuts.cut(done, CUTS // size.share, folder / "cut", seed=int(time.time()))
    yield Line("power cut: an acknowledged line is missing", found.cuts, found.missing)
    yield Line("power cut: a line is there twice", found.cuts, found.doubled)
    yield Line("power cut: the journal does not replay", found.cuts, found.refused)
    yield Line("acknowledgement before the sync", found.acknowledged, found.early)


def board_troubles(folder: Path, size: Size) -> Iterator[Line]:
    """A board that misbehaves in every way, and noise on its line."""
    with board_trouble.at_the_board(folder / "board-trouble") as (daemon, board, peer):
        for told in board_trouble.troubles(board, peer):
            words = f"told in words after {told.seconds:.1f} s (aim {board_trouble.AIM_S:.0f} s)"
            yield Line(f"board: {told.name}", 1, int(not told.counted), words)
        noise = board_trouble.random_bytes(daemon, board, peer, size.noise_mb)
        words = f"MB in {noise.seconds:.0f} s, memory grew by {noise.grown_mb:.1f} MB, then a dart counted"
        harm = int(not noise.counted or noise.grown_mb > NOISE_GROWTH_MB)
        yield Line("board: megabytes of random bytes", noise.megabytes, harm, words)


def load(size: Size) -> Iterator[str]:
    """What one machine carries: commands answered by a daemon, displays served by a page's server."""
    with tempfile.TemporaryDirectory(prefix="scharten-load-") as folder:
        daemon = Daemon(Path(folder) / "data")
        try:
            peer = daemon.start().peer("table")
            peer.wait(lambda state: state["phase"] == "setup")
            peer.new_game()
            times = []
            for _ in range(ASKED // size.share):
                began = time.perf_counter()
                peer.ask("explain", move="e2e4", side="white")
                times.append((time.perf_counter() - began) * 1000)
                peer.forget()
            peer.close()
            daemon.stop()
        finally:
            daemon.end()
    rate = 1000 * len(times) / sum(times)
    p50, p99 = percentile(times, 50), percentile(times, 99)
    yield f"{rate:.0f} commands a second, one after another: p50 {p50:.1f} ms, p99 {p99:.1f} ms"
    late = display.crowd_only(50 // size.share + 5, PAGES)
    p50, p99 = percentile(late, 50), percentile(late, 99)
    yield f"{PAGES} displays at one server: a state after p50 {p50:.0f} ms, p99 {p99:.0f} ms"


def broker_attacks(folder: Path, size: Size) -> Iterator[Line]:
    """Attacks on each broker."""
    place = folder / "mosquitto"
    place.mkdir()
    with running.embedded() as embedded, running.mosquitto(place) as mosquitto:
        for one in (embedded, mosquitto):
            for row in attack_all(one):
                yield Line(f"{one.kind}: {row.name}", row.tried, row.succeeded, row.figure)


def host_attacks(folder: Path, size: Size) -> Iterator[Line]:
    """Attacks on a running daemon."""
    daemon = Daemon(folder / "attacked")
    try:
        daemon.start()
        for attack in HOST_ATTACKS:
            many = attack is random_commands
            row = random_commands(daemon, COMMANDS // size.share) if many else attack(daemon)
            yield Line(f"daemon: {row.name}", row.tried, row.succeeded, row.figure)
        daemon.stop()
    finally:
        daemon.end()


PARTS: dict[str, Part] = {
    "kills": kills,
    "power_cuts": power_cuts,
    "board": board_troubles,
    "broker": broker_attacks,
    "host": host_attacks,
}


if __name__ == "__main__":
    sys.exit(main())
