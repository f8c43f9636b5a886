"""`make trust`: every fault and every attack, and one table of what came of them.

PYTHONPATH=tests python tests/trust/run.py [--short]
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
from scharten.bench import soak
from scharten.bench.figures import commit
from scharten.bench.room import FAST, Daemon
from trust import cutdisk, powercuts
from trust.kills import Ended, Mosquitto, scripted_game

KILLS = {"daemon": 34, "board": 33, "broker": 33}
CUTS = 1000
COMMANDS = 100_000
TURNS = 50_000


@dataclass(frozen=True)
class Line:
    """One row of the table: how often something was tried, and how often it did harm."""

    what: str
    tried: int
    harm: int
    more: str = ""


Part = Callable[[Path, int], Iterator[Line]]


def main() -> int:
    """Run it all; 0 when nothing did harm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a tenth of everything")
    parser.add_argument("--no-soak", action="store_true", help="leave the long run out")
    asked = parser.parse_args()
    share = 10 if asked.short else 1
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="scharten-trust-") as folder:
        for part in (kills, power_cuts, broker_attacks, host_attacks):
            for line in part(Path(folder), share):
                print(f"… {line.what}: {line.tried} tried, {line.harm} did harm", flush=True)
                lines.append(line)
    print(f"\n{'fault or attack':52} tried  harm")
    for line in lines:
        print(f"{line.what:52} {line.tried:5} {line.harm:5}  {line.more}")
    print(f"{time.strftime('%Y-%m-%d')}, {platform.machine()}, commit {commit()}\n")
    harmed = any(line.harm for line in lines)
    return int(harmed or (not asked.no_soak and soak.run(TURNS // share)))


def kills(folder: Path, share: int) -> Iterator[Line]:
    """SIGKILL of each part in a scripted game; the end must be that of the undisturbed game."""
    for target, most in KILLS.items():
        times = max(1, most // share)
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


def power_cuts(folder: Path, share: int) -> Iterator[Line]:
    """Simulated power cuts of a recorded game."""
    library = cutdisk.build(folder)
    daemon = Daemon(folder / "recorded" / "data")
    try:
        done = powercuts.record(daemon, library, turns=max(30, 120 // share))
    finally:
        daemon.end()
    found = powercuts.cut(done, CUTS // share, folder / "cut", seed=int(time.time()))
    yield Line("power cut: an acknowledged line is missing", found.cuts, found.missing)
    yield Line("power cut: a line is there twice", found.cuts, found.doubled)
    yield Line("power cut: the journal does not replay", found.cuts, found.refused)
    yield Line("acknowledgement before the sync", found.acknowledged, found.early)


def broker_attacks(folder: Path, share: int) -> Iterator[Line]:
    """Attacks on each broker."""
    place = folder / "mosquitto"
    place.mkdir()
    with running.embedded() as embedded, running.mosquitto(place) as mosquitto:
        for one in (embedded, mosquitto):
            for row in attack_all(one):
                yield Line(f"{one.kind}: {row.name}", row.tried, row.succeeded, row.figure)


def host_attacks(folder: Path, share: int) -> Iterator[Line]:
    """Attacks on a running daemon."""
    daemon = Daemon(folder / "attacked")
    try:
        daemon.start()
        for attack in HOST_ATTACKS:
            many = attack is random_commands
            row = random_commands(daemon, COMMANDS // share) if many else attack(daemon)
            yield Line(f"daemon: {row.name}", row.tried, row.succeeded, row.figure)
        daemon.stop()
    finally:
        daemon.end()


if __name__ == "__main__":
    sys.exit(main())
