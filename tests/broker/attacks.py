"""Attacks on a broker: each function tries, and counts the successes; used by the tests and `make trust`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from uuid import uuid4

from broker import rights
from broker.client import (
    Client,
    connect_packet,
    let_in,
    packet,
    publish_packet,
    raw,
)
from broker.floods import (
    half_open,
    malformed_packets,
    oversized_packets,
    packet_bombs,
    subscription_flood,
    too_many_clients,
)
from broker.running import TOPICS, Running
from lab.trust.rows import Attack
from scharten.club_broker.check import check_broker
from scharten.contract.roles import Account
from scharten.contract.topics import COMMAND_ROLES
from scharten.match.inputs import Command
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.mqtt.client import MqttClient
from scharten.mqtt.intake import CommandIntake

Who = Account | None


def everyone(running: Running) -> list[Who]:
    """Return every account and the client without an account."""
    return [*(item for item in Account if running.logins[item][0] is not None), None]


def _acts_as(who: Who) -> str:
    return "display" if who is None else who.value


@contextlib.contextmanager
def witnesses(running: Running) -> Iterator[Callable[[], set[tuple[str, bytes]]]]:
    """Read every topic that any account may read; yield a function that returns the messages so far."""
    readers = [Client(running, item).connect() for item in (Account.HOST, Account.WEB, Account.SIMULATOR)]
    for reader in readers:
        reader.subscribe("#")
    arrived: set[tuple[str, bytes]] = set()

    def tell() -> set[tuple[str, bytes]]:
        for reader in readers:
            while message := reader.next(0.25):
                arrived.add((message.topic, message.payload))
        return arrived

    try:
        yield tell
    finally:
        for reader in readers:
            reader.__exit__(None, None, None)


def forbidden_writes(running: Running) -> Attack:
    """Every account writes, retained and not, on every topic where it has no right."""
    tried: dict[tuple[str, bytes], Who] = {}
    with witnesses(running) as arrived:
        for who in everyone(running):
            with Client(running, who) as client:
                for topic in rights.TOPICS:
                    if not rights.may_write(_acts_as(who), topic):
                        for retain in (False, True):
                            mark = uuid4().hex.encode()
                            tried[topic, mark] = who
                            client.publish(topic, mark, retain=retain)
        through = arrived() & set(tried)
    return Attack(
        "writing where the role may not", len(tried), len(through) + _left_behind(running, set(tried))
    )


def _left_behind(running: Running, marks: set[tuple[str, bytes]]) -> int:
    """Return how many of the marks a later reader finds retained."""
    with witnesses(running) as arrived:
        return len(arrived() & marks)


def forbidden_reads(running: Running) -> Attack:
    """Every account subscribes to everything in several ways; only permitted messages arrive."""
    root = rights.ROOT
    filters = ["#", "+/+/#", f"{root}/#", f"{root}/+/+", "$SYS/#", *rights.TOPICS]
    tried = through = 0
    writers = [Client(running, item).connect() for item in (Account.HOST, Account.WEB)]
    for who in everyone(running):
        with Client(running, who) as spy:
            for item in filters:
                spy.subscribe(item)
            for topic in (*rights.OPEN, *rights.ANSWERS):
                writers[0].publish(f"{root}/{topic}", b"private", retain=topic in rights.OPEN)
            for topic in (*rights.COMMANDS, rights.THROW):
                writers[1].publish(f"{root}/{topic}", b"private")
            tried += len(filters)
            while got := spy.next(0.25):
                through += not rights.may_read(_acts_as(who), got.topic)
    for writer in writers:
        writer.__exit__(None, None, None)
    return Attack("reading what the role may not", tried, through)


def wrong_passwords(running: Running) -> Attack:
    """Every account tries no, an empty, a similar and another account's password; unknown names try too."""
    guesses: list[tuple[str | None, str | None]] = [
        ("root", "root"),
        ("admin", ""),
        ("host' or 1=1", "x"),
    ]
    secrets = {name: secret for name, secret in running.logins.values() if name}
    for name, secret in secrets.items():
        other = next(item for item in secrets.values() if item != secret)
        guesses += [(name, None), (name, ""), (name, (secret or "")[:-1]), (name, (secret or "") + "x")]
        guesses += [(name, other)] if running.kind == "embedded" or not name.endswith("display") else []
    through = []
    for start in range(0, len(guesses), 16):
        batch = [(guess, raw(running.port)) for guess in guesses[start : start + 16]]
        for (name, password), sock in batch:
            sock.sendall(connect_packet(uuid4().hex, name, password, version=running.version))
        for guess, sock in batch:
            with sock, contextlib.suppress(OSError):
                through += [guess] if let_in(sock) else []
    return Attack(
        "logging in with a wrong password", len(guesses), len(through), f"{through}" if through else ""
    )


def client_id_theft(running: Running) -> Attack:
    """A thief takes the host's client id: with wrong passwords, without an account, and with other accounts.

    Mosquitto knows no owner of a client id: there the host's id is random, so that a thief can only guess.
    """
    known = f"scharten-{uuid4().hex[:16]}"
    accounts = [item for item in everyone(running) if item is not Account.HOST]
    stolen = tried = 0
    with Client(running, Account.HOST, client_id=known) as host, Client(running, Account.ARBITER) as arbiter:
        host.subscribe(TOPICS.command("+"))
        for number in range(2 * len(accounts)):
            who = accounts[number // 2]
            wrong = number % 2 == 0
            theirs = known if wrong or running.kind == "embedded" else f"scharten-{uuid4().hex[:16]}"
            tried += 1
            with Client(
                running, Account.HOST if wrong else who, client_id=theirs, password="wrong" if wrong else None
            ):
                mark = uuid4().hex.encode()
                arbiter.publish(TOPICS.command("arbiter"), mark)
                got = host.next()
                stolen += not host.alive or got is None or got.payload != mark
    return Attack("taking over the host's client id", tried, stolen)


def last_wills(running: Running) -> Attack:
    """Every account hides a message for a topic that it may not write in its last will, and breaks off."""
    marks: set[tuple[str, bytes]] = set()
    with witnesses(running) as arrived:
        for who in everyone(running):
            for item in ("command/arbiter", "state", "answer/table", rights.THROW):
                topic = f"{rights.ROOT}/{item}"
                if rights.may_write(_acts_as(who), topic):
                    continue
                mark = uuid4().hex.encode()
                marks.add((topic, mark))
                name, secret = running.logins[who] if who else (None, None)
                with raw(running.port) as sock:
                    sock.sendall(
                        connect_packet(uuid4().hex, name, secret, 60, (topic, mark), running.version)
                    )
                    with contextlib.suppress(OSError):
                        sock.recv(4)
        through = arrived() & marks
    return Attack(
        "smuggling a message in a last will", len(marks), len(through) + _left_behind(running, marks)
    )


def retained_commands(running: Running) -> Attack:
    """Commands retained while the host was away are cleared, not played."""
    order = b'{"v":1,"id":"old","match":"m","seq":1,"type":"resign","side":"white"}'
    for role in COMMAND_ROLES:
        with Client(running, Account(role)) as client:
            client.publish(TOPICS.command(role), order, retain=True)
    name, secret = running.logins[Account.HOST]
    played: list[Command] = []
    link = MqttClient(BrokerAddress("127.0.0.1", running.port, account=Credentials(name or "", secret or "")))
    CommandIntake(
        link,
        TOPICS,
        emit=lambda command: played.append(command) is None,
        publish=lambda *_: None,
        refusal=lambda _: None,
        now_ms=lambda: 0,
        seed=lambda: 0,
    )
    link.start()
    left, end = True, time.monotonic() + 40
    while left and time.monotonic() < end:
        with Client(running, Account.HOST) as later:
            later.subscribe(TOPICS.command("+"))
            left = later.next(0.3) is not None
    link.stop()
    return Attack("retained commands", len(COMMAND_ROLES), len(played) + left)


def commands_without_account(running: Running) -> Attack:
    """A client without an account sends commands in every way of MQTT to a running host; the host's check
    reports 'closed'."""
    topic = TOPICS.command("arbiter")
    marks: set[bytes] = set()
    with Client(running, Account.HOST) as host, contextlib.ExitStack() as strangers:
        host.subscribe(topic)
        for name in (None, "arbiter", "anonymous", ""):
            for flags in (0, 1, 2, 3, 4, 5):  # each QoS, not retained and retained
                mark = uuid4().hex.encode()
                marks.add(mark)
                message = publish_packet(running.version, topic, mark, flags >> 1, 7, retain=bool(flags & 1))
                with contextlib.suppress(OSError):
                    sock = strangers.enter_context(raw(running.port))
                    hello = connect_packet(uuid4().hex, name, None, version=running.version)
                    sock.sendall(hello + message + packet(0x62, b"\0\7"))
        time.sleep(0.5)
        received = 0
        while (got := host.next(0.3)) is not None:
            received += got.payload in marks
    name, secret = running.logins[Account.HOST]
    login = Credentials(name or "", secret or "")
    closed = check_broker(BrokerAddress("127.0.0.1", running.port, account=login), TOPICS, 20.0).closed
    figure = "found closed by the host's own check" if closed else "not found closed by the host's own check"
    return Attack(
        "commands of the arbiter without an account", len(marks), received + (closed is not True), figure
    )


ATTACKS: tuple[Callable[[Running], Attack], ...] = (
    forbidden_writes,
    forbidden_reads,
    wrong_passwords,
    client_id_theft,
    last_wills,
    retained_commands,
    oversized_packets,
    commands_without_account,
    malformed_packets,
    half_open,
    too_many_clients,
    subscription_flood,
    packet_bombs,
)
