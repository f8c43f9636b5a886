"""A broker for a test: ours, or a real Mosquitto with the configuration that `scharten broker-config` writes."""

from __future__ import annotations

import contextlib
import os
import pwd
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lab.ports import free_port
from lab.programs import program
from scharten.broker.accounts import Accounts
from scharten.broker.embedded import EmbeddedBroker
from scharten.broker.limits import BrokerLimits
from scharten.club_broker.mosquitto import ClubBroker, acl_text, conf_text, password_text, username
from scharten.contract.roles import Account, Acl
from scharten.contract.topics import Topics
from scharten.system.loop_thread import LoopThread
from scharten.system.secrets import WITH_SECRET, new_secret

TOPICS = Topics("scharten", "home", "board1")
SECRETS = {account: new_secret() for account in Account}
"""One set for the whole run, so that a restarted broker knows its accounts."""


@dataclass
class Running:
    """A running broker: its address, each account's login, and the MQTT version of the tests' clients (4 is 3.1.1)."""

    kind: str
    port: int
    logins: dict[Account, tuple[str | None, str | None]]
    log: Path | None = None
    board_two: dict[Account, tuple[str | None, str | None]] = field(default_factory=dict)
    version: int = 4
    house_port: int = 0
    """The port for the boards' own machines, if it differs."""

    def port_of(self, account: Account | None) -> int:
        """Return the port for this account."""
        house = account in (Account.HOST, Account.WEB, Account.SIMULATOR)
        return self.house_port if house and self.house_port else self.port

    @property
    def five(self) -> bool:
        """Return whether the tests' clients use MQTT 5."""
        return self.version == 5


@contextlib.contextmanager
def embedded(
    limits: BrokerLimits | None = None, anonymous_display: bool = True, port: int = 0
) -> Iterator[Running]:
    """Run the embedded broker in a separate thread."""
    secrets = {account: SECRETS[account] for account in WITH_SECRET}
    broker = EmbeddedBroker(Accounts(secrets, anonymous_display), Acl(TOPICS), port=port, limits=limits)
    thread = LoopThread(broker, "broker")
    thread.start()
    logins: dict[Account, tuple[str | None, str | None]] = {
        item: (item.value, secret) for item, secret in secrets.items()
    }
    try:
        yield Running("embedded", broker.port, logins | {Account.DISPLAY: (None, None)})
    finally:
        thread.stop()


@contextlib.contextmanager
def mosquitto(folder: Path, anonymous_display: bool = True, port: int | None = None) -> Iterator[Running]:
    """Run a real Mosquitto for two boards; skip the test where it is not installed."""
    command = program("mosquitto")
    port = port or free_port()
    club = ClubBroker(
        ("board1", "board2"),
        port=port,
        house_port=port + 1,
        anonymous_display=anonymous_display,
    )
    passwords = {username(board, item): SECRETS[item] for board in club.boards for item in Account}
    conf = folder / "mosquitto.conf"
    (folder / "passwords").write_text(password_text(passwords, {name: os.urandom(12) for name in passwords}))
    (folder / "acl").write_text(acl_text(club))
    conf.write_text(conf_text(club, folder / "passwords", folder / "acl"))
    with running_mosquitto(command, conf, folder, club.port, club.house_port):
        logins = {
            board: {item: (username(board, item), passwords[username(board, item)]) for item in Account}
            for board in club.boards
        }
        yield Running(
            "mosquitto",
            club.port,
            dict(logins["board1"]),
            folder / "log",
            dict(logins["board2"]),
            house_port=club.house_port,
        )


@contextlib.contextmanager
def running_mosquitto(command: str, conf: Path, folder: Path, *ports: int) -> Iterator[None]:
    """Run the process; yield once it listens on all ports, and wait for its end."""
    # Without root's rights it might not read its files: another run of the tests closes the folder above them.
    own = folder / "own.conf"
    own.write_text(f"{conf.read_text()}\nuser {pwd.getpwuid(os.getuid()).pw_name}\n")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([command, "-c", str(own)], stdout=log, stderr=log)
    try:
        for port in ports:
            wait_for_port(port, process, folder / "log")
        yield
    finally:
        process.terminate()
        process.wait(40)


def wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return when a server answers on the port."""
    end = time.monotonic() + 40
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5):
            return
        if process.poll() is not None:
            raise AssertionError(f"mosquitto ended: {log.read_text()}")
        time.sleep(0.02)
    raise AssertionError(f"mosquitto does not listen: {log.read_text()}")
