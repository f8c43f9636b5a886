"""All attacks as one table, printed; ends with 1 if one succeeded.

`PYTHONPATH=tests .venv/bin/python -m broker.table [--commands N]`
"""

from __future__ import annotations

import argparse
import logging
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from broker.attacks import Row, attack_all
from broker.host_attacks import HOST_ATTACKS, random_commands
from broker.running import embedded, mosquitto
from scharten.bench.figures import commit
from scharten.bench.room import Daemon


def rows(commands: int) -> Iterator[tuple[str, Row]]:
    """Each attack's row with what was attacked, as soon as it is known."""
    with embedded() as running:
        for row in attack_all(running):
            yield "embedded broker", row
    if shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin"):
        with tempfile.TemporaryDirectory() as folder, mosquitto(Path(folder)) as running:
            for row in attack_all(running):
                yield "Mosquitto", row
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(Path(folder)).start()
        try:
            for attack in HOST_ATTACKS:
                yield (
                    "daemon",
                    (partial(attack, count=commands) if attack is random_commands else attack)(daemon),
                )
        finally:
            daemon.end()


def main() -> int:
    """Prints the table; 1 when an attack succeeded."""
    logging.disable(logging.CRITICAL)  # what the brokers say to an attack is not the table
    parser = argparse.ArgumentParser(description="Attack both brokers and a running daemon.")
    parser.add_argument(
        "--commands", type=int, default=2000, help="random and mutated commands (by hand: 100000)"
    )
    wanted = parser.parse_args()
    machine = f"{platform.machine()}, Python {platform.python_version()}, commit {commit()}"
    table = Table(title=f"Attacks, {time.strftime('%Y-%m-%d')}, {machine}", title_justify="left")
    for head in ("on", "attack", "tried", "succeeded", "figure"):
        table.add_column(head, justify="right" if head in ("tried", "succeeded") else "left")
    succeeded = 0
    for where, row in rows(wanted.commands):
        print(
            f"{where}: {row.name}: {row.tried} tried, {row.succeeded} succeeded", file=sys.stderr, flush=True
        )
        table.add_row(where, row.name, str(row.tried), str(row.succeeded), row.figure)
        succeeded += row.succeeded
    Console(width=140).print(table)
    return 1 if succeeded else 0


if __name__ == "__main__":
    sys.exit(main())
