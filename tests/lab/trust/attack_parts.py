"""The parts of `make trust` that attack: brokers, the daemon, its page, a game between two boards, the parsers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from broker import running
from broker.attacks import ATTACKS
from lab.daemon_process import wait_for
from lab.trust import board_trouble, fuzz, remote_trouble
from lab.trust.page_attacks import PAGE_ATTACKS, attack_page
from lab.trust.page_messages import MESSAGE_ATTACKS
from lab.trust.part import Size, row_name, running_daemon
from lab.trust.rows import Row
from mqtt.host_attacks import HOST_ATTACKS, random_commands

COMMANDS = 100_000
EXAMPLES = 2000


def broker_attacks(folder: Path, size: Size) -> Iterator[Row]:
    """Attacks on each broker."""
    with running.embedded() as embedded, running.mosquitto(folder) as mosquitto:
        for item in (embedded, mosquitto):
            for attack in ATTACKS:
                if size.wants(row_name(attack)):
                    row = attack(item)
                    yield replace(row, what=f"{item.kind}: {row.what}", row=row_name(attack))


def host_attacks(folder: Path, size: Size) -> Iterator[Row]:
    """Attacks on a running daemon through its broker."""
    with running_daemon(folder) as daemon:
        for attack in HOST_ATTACKS:
            if size.wants(row_name(attack)):
                many = attack is random_commands
                row = random_commands(daemon, COMMANDS // size.share) if many else attack(daemon)
                yield replace(row, what=f"daemon: {row.what}", row=row_name(attack))


def page_attacks(folder: Path, size: Size) -> Iterator[Row]:
    """Attacks on a running daemon through its page."""
    with running_daemon(folder) as daemon:
        wait_for(lambda: board_trouble.healthz(daemon)[0] == 200, 40, "a green healthz")
        for attack in (*PAGE_ATTACKS, *MESSAGE_ATTACKS):
            if size.wants(row_name(attack)):
                yield replace(attack_page(daemon, attack), row=row_name(attack))


def remote(folder: Path, size: Size) -> Iterator[Row]:
    """A game between two boards: bad input of the guest, and machines that fail."""
    yield from remote_trouble.attacks(folder / "attacks", size.wants)
    yield from remote_trouble.troubles(folder, size.wants)


def parsers(folder: Path, size: Size) -> Iterator[Row]:
    """Every parser of outside input, fuzzed and overloaded."""
    if size.wants("fuzz"):
        yield replace(fuzz.fuzzed(EXAMPLES // size.share), row="fuzz")
    if size.wants("megabytes"):
        yield replace(fuzz.swamped(), row="megabytes")
