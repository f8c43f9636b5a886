"""Attacks on a broker, each a function that tries and counts what got through; used by the tests and `make trust`."""

from __future__ import annotations

import contextlib
import random
import resource
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

from lab.trust.rows import Attack
from mqtt.client import (
    Client,
    closed_within,
    connect_packet,
    let_in,
    logged_in,
    packet,
    publish_packet,
    raw,
    subscribe_packet,
    unsubscribe_packet,
)
from mqtt.running import TOPICS, Running
from scharten.contract.roles import Account, Acl, discovery_topic
from scharten.contract.topics import COMMAND_ROLES, Topic, Topics
from scharten.match.inputs import Command
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.mqtt.check import check_broker
from scharten.mqtt.client import MqttClient
from scharten.mqtt.command_intake import CommandIntake

ACL = Acl(TOPICS)
COMMANDS = [TOPICS.command(role) for role in (*COMMAND_ROLES, "host", "display", "arbiter/x")]
ANSWERS = [TOPICS.answer(role) for role in COMMAND_ROLES]
PUBLIC = [TOPICS.of(one) for one in Topic if one not in (Topic.COMMAND, Topic.ANSWER, Topic.THROW)]
THROW = TOPICS.of(Topic.THROW)
ELSEWHERE = [
    Topics("scharten", "home", "board2").command("arbiter"),
    Topics("scharten", "home", "board2").of(Topic.STATE),
    discovery_topic(Topics("scharten", "home", "board2")),
    f"/{TOPICS.command('arbiter')}",
    f"{TOPICS.command('arbiter')}/",
    "state",
]
TOPIC_LIST = [*PUBLIC, *COMMANDS, *ANSWERS, THROW, discovery_topic(TOPICS), *ELSEWHERE]


Who = Account | None


def everyone(running: Running) -> list[Who]:
    """Every account and the stranger without one."""
    return [*(one for one in Account if running.logins[one][0] is not None), None]


def _acts_as(who: Who) -> Account:
    return Account.DISPLAY if who is None else who


@contextlib.contextmanager
def witnesses(running: Running) -> Iterator[Callable[[], set[tuple[str, bytes]]]]:
    """Readers of every topic that anyone may read; the function tells what has arrived up to now."""
    readers = [Client(running, one).connect() for one in (Account.HOST, Account.WEB, Account.SIMULATOR)]
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
    """Every account writes, retained and not, on every topic that it may not."""
    tried: dict[tuple[str, bytes], Who] = {}
    with witnesses(running) as arrived:
        for who in everyone(running):
            with Client(running, who) as client:
                for topic in TOPIC_LIST:
                    if not ACL.may_publish(_acts_as(who), topic):
                        for retain in (False, True):
                            mark = uuid4().hex.encode()
                            tried[topic, mark] = who
                            client.publish(topic, mark, retain=retain)
        through = arrived() & set(tried)
    return Attack(
        "writing where the role may not", len(tried), len(through) + _left_behind(running, set(tried))
    )


def _left_behind(running: Running, marks: set[tuple[str, bytes]]) -> int:
    """How many of the marks a reader who comes later finds retained."""
    with witnesses(running) as arrived:
        return len(arrived() & marks)


def forbidden_reads(running: Running) -> Attack:
    """Every account asks for everything in several ways, and is sent only what it may read."""
    filters = ["#", "+/+/#", f"{TOPICS.root}/#", f"{TOPICS.root}/+/+", "$SYS/#", *TOPIC_LIST]
    tried = through = 0
    writers = [Client(running, one).connect() for one in (Account.HOST, Account.WEB)]
    for who in everyone(running):
        with Client(running, who) as spy:
            for one in filters:
                spy.subscribe(one)
            for topic in (*PUBLIC, *ANSWERS):
                writers[0].publish(topic, b"private", retain=topic in PUBLIC)
            for topic in (*COMMANDS[: len(COMMAND_ROLES)], THROW):
                writers[1].publish(topic, b"private")
            tried += len(filters)
            while got := spy.next(0.25):
                through += not ACL.may_receive(_acts_as(who), got.topic)
    for writer in writers:
        writer.__exit__(None, None, None)
    return Attack("reading what the role may not", tried, through)


def wrong_passwords(running: Running) -> Attack:
    """Every account with no, an empty, a near and another account's password; names that do not exist."""
    guesses: list[tuple[str | None, str | None]] = [
        ("root", "root"),
        ("admin", ""),
        ("host' or 1=1", "x"),
    ]
    secrets = {name: secret for name, secret in running.logins.values() if name}
    for name, secret in secrets.items():
        other = next(one for one in secrets.values() if one != secret)
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
    accounts = [one for one in everyone(running) if one is not Account.HOST]
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
            for topic in (TOPICS.command("arbiter"), TOPICS.of(Topic.STATE), TOPICS.answer("table"), THROW):
                if ACL.may_publish(_acts_as(who), topic):
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
    """Commands retained while the host was away are neither played nor left standing."""
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
        answer=lambda *_: None,
        now_ms=lambda: 0,
        seed=lambda: 0,
    )
    link.start()
    for _ in range(500):
        if link.status.connected:
            break
        time.sleep(0.01)
    time.sleep(0.3)
    link.stop()
    with Client(running, Account.HOST) as later:
        later.subscribe(TOPICS.command("+"))
        left = 1 if later.next(0.3) else 0
    return Attack("retained commands", len(COMMAND_ROLES), len(played) + left)


def oversized_packets(running: Running) -> Attack:
    """Packets that declare up to 256 MB, before and after CONNECT: cut off soon, whatever is sent on."""
    tried = through = 0
    before = resident_kb()
    for first in (0x10, 0x30, 0x32, 0x82, 0xA2):
        for declared in (2_000_000, 268_435_455):
            for known in (False, True):
                tried += 1
                with logged_in(running, Account.TABLE) if known else raw(running.port) as sock:
                    sent = _pour(sock, packet(first, b"\0\4aaaa", declared), 8_000_000)
                    through += sent >= 8_000_000 or not closed_within(sock, 12)
    grown = max(0, resident_kb() - before)
    return Attack(
        "oversized packets", tried, through, f"memory grew by {grown / 1024:.1f} MB in this process"
    )


def _pour(sock: socket.socket, head: bytes, limit: int) -> int:
    """Sends and sends; how much the other end took before it closed."""
    sent, chunk = 0, b"\0" * 65536
    sock.settimeout(1)
    with contextlib.suppress(OSError):
        sock.sendall(head)
        while sent < limit:
            sent += sock.send(chunk)
    return sent


def malformed_packets(running: Running, count: int = 300, seed: int = 1) -> Attack:
    """Truncated, mutated and random packets; after them a healthy client still gets its messages."""
    chance = random.Random(seed)
    name, secret = running.logins[Account.TABLE]
    version = running.version
    good = [
        connect_packet("x", name, secret, version=version),
        subscribe_packet(version, 1, (f"{TOPICS.root}/#", 1)),
        publish_packet(version, TOPICS.command("table"), b"{}", 1, 2),
        publish_packet(version, TOPICS.command("table"), b"{}", 2, 3),
        packet(0x62, b"\0\3"),
        packet(0x40, b"\0\1"),
        unsubscribe_packet(version, 4, "a/b"),
        publish_packet(version, "a" * 60_000, b""),
        subscribe_packet(version, 5, ("/".join("+" * 20_000), 1)),
        b"\xc0\0",
        b"\xf0\0",
        b"\0\0",
    ]
    with Client(running, Account.HOST) as host, Client(running, Account.TABLE) as table:
        host.subscribe(TOPICS.command("table"))
        for number in range(count):
            data = bytearray(b"".join([good[0] if number % 2 else b"", *chance.sample(good, 3)]))
            for _ in range(chance.randrange(1, 6)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            if number % 3 == 0:
                del data[chance.randrange(1, len(data)) :]
            with raw(running.port) as sock, contextlib.suppress(OSError):
                sock.sendall(bytes(data) if number % 5 else chance.randbytes(200))
        lost = 0
        for number in range(20):
            mark = f"after-{number}-{uuid4().hex}".encode()
            table.publish(TOPICS.command("table"), mark)
            while (got := host.next()) and got.payload != mark:
                pass
            lost += got is None
    return Attack("malformed packets", count, lost)


def _listens(host: Client, display: Client) -> None:
    """Has the display hear events, without what an earlier attack left retained there; both must have been let in."""
    assert (host.code, display.code) == (0, 0), "a healthy client was not let in"
    host.publish(TOPICS.of(Topic.EVENTS), b"", retain=True)
    display.subscribe(TOPICS.of(Topic.EVENTS))


def _hears(display: Client, payload: bytes) -> bool:
    """Whether the message comes; what an earlier attack left retained there may come before it."""
    while (got := display.next()) is not None:
        if got.payload == payload:
            return True
    return False


def strangers_commands(running: Running) -> Attack:
    """Without an account, in every way that MQTT has, while the host listens; the host's own check says 'closed'."""
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
        heard = 0
        while (got := host.next(0.3)) is not None:
            heard += got.payload in marks
    name, secret = running.logins[Account.HOST]
    login = Credentials(name or "", secret or "")
    closed = check_broker(BrokerAddress("127.0.0.1", running.port, account=login), TOPICS, 4.0).closed
    figure = "found closed by the host's own check" if closed else "not found closed by the host's own check"
    return Attack(
        "commands of the arbiter without an account", len(marks), heard + (closed is not True), figure
    )


def half_open(running: Running, count: int = 1000) -> Attack:
    """Connections that say nothing, or half a CONNECT; meanwhile messages pass and the host gets in anew, on ours also
    a new player; on a club's Mosquitto the boards have a listener of their own for that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < 4 * count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4 * count, hard), hard))
    opened: list[socket.socket] = []
    late: list[float] = []
    lost = 0
    with Client(running, Account.HOST) as host, Client(running, None) as display:
        _listens(host, display)
        for number in range(count):
            with contextlib.suppress(OSError):
                sock = raw(running.port, 1.0)
                opened.append(sock)
                if number % 2:
                    sock.sendall(b"\x10\x40\0\4MQ")
            if number % 10 == 0:
                started = time.perf_counter()
                host.publish(TOPICS.of(Topic.EVENTS), str(number).encode())
                heard = _hears(display, str(number).encode())
                late.append(time.perf_counter() - started)
                lost += not heard
        newcomers = (Account.HOST, Account.WEB, *((Account.SEAT1,) if running.kind == "embedded" else ()))
        for newcomer in newcomers:
            started = time.perf_counter()
            with contextlib.suppress(AssertionError, OSError):
                logged_in(running, newcomer).close()
                late.append(time.perf_counter() - started)
                continue
            lost += 1
    for sock in opened:
        sock.close()
    return Attack(
        "half-open connections",
        count,
        lost,
        f"a healthy client waited {1000 * max(late):.0f} ms at most (aim 100 ms)",
    )


def too_many_clients(running: Running, count: int = 300) -> Attack:
    """More players and displays than the broker takes: who is inside is not harmed, and the house's own accounts still
    get in; on ours some are refused; when the crowd has gone a display does.

    Mosquitto 2.0.11 miscounts once it has refused somebody (its issue 1460): then `max_connections` holds no longer.
    """
    with Client(running, Account.HOST) as host, Client(running, None) as display:
        _listens(host, display)
        opened = []
        for number in range(count):
            with contextlib.suppress(OSError, AssertionError):
                opened.append(logged_in(running, (Account.TABLE, Account.DISPLAY)[number % 2]))
        harm = 0
        if running.kind == "embedded":
            harm += len(opened) == count
        with Client(running, Account.WEB) as ours:
            harm += ours.code != 0
        host.publish(TOPICS.of(Topic.EVENTS), b"still here")
        harm += display.next() is None or not host.alive
        for sock in opened:
            sock.close()
        gone = time.perf_counter()
        while not _gets_in(running):
            assert time.perf_counter() - gone < 10, "nobody gets in although the crowd has gone"
    free = 1000 * (time.perf_counter() - gone)
    figure = f"{len(opened)} were let in beside two; a place was free again after {free:.0f} ms"
    return Attack("more clients than are allowed", count, harm, figure)


def _gets_in(running: Running) -> bool:
    with Client(running, None) as newcomer:
        return newcomer.code == 0


def subscription_flood(running: Running, count: int = 10_000) -> Attack:
    """One client subscribes to thousands of filters and leaves QoS 2 unfinished; others do not feel it."""
    with Client(running, Account.HOST) as host, Client(running, None) as display:
        _listens(host, display)
        with logged_in(running, Account.TABLE) as sock, contextlib.suppress(OSError):
            sock.settimeout(2)
            for start in range(0, count, 100):
                wanted = [(f"{TOPICS.root}/{n}/#", 1) for n in range(start, start + 100)]
                sock.sendall(subscribe_packet(running.version, 1, *wanted))
            for number in range(1, 1000):
                sock.sendall(publish_packet(running.version, TOPICS.command("table"), b"{}", 2, number))
        lost = 0
        for number in range(20):
            host.publish(TOPICS.of(Topic.EVENTS), str(number).encode())
            lost += display.next() is None
    return Attack("floods of subscriptions and unfinished messages", count, lost)


def resident_kb() -> int:
    """Memory of this process, in which the embedded broker runs."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


ATTACKS: tuple[Callable[[Running], Attack], ...] = (
    forbidden_writes,
    forbidden_reads,
    wrong_passwords,
    client_id_theft,
    last_wills,
    retained_commands,
    oversized_packets,
    strangers_commands,
    malformed_packets,
    half_open,
    too_many_clients,
    subscription_flood,
)
