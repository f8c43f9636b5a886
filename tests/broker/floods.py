"""Attacks by mass on a broker: oversized, broken, excessive or endless input."""

from __future__ import annotations

import contextlib
import random
import resource
import socket
import time
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

from broker.client import (
    Client,
    closed_within,
    connect_packet,
    logged_in,
    packet,
    publish_packet,
    raw,
    subscribe_packet,
    unsubscribe_packet,
)
from broker.running import TOPICS, Running
from lab.trust.rows import Attack
from scharten.contract.roles import Account
from scharten.contract.topics import Topic


def oversized_packets(running: Running) -> Attack:
    """Packets that declare up to 256 MB, before and after CONNECT, are cut off soon, whatever follows."""
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
    """Send without end; return how much the other side took before it closed."""
    sent, chunk = 0, b"\0" * 65536
    sock.settimeout(1)
    with contextlib.suppress(OSError):
        sock.sendall(head)
        while sent < limit:
            sent += sock.send(chunk)
    return sent


def malformed_packets(running: Running, count: int = 300, seed: int = 1) -> Attack:
    """Send truncated, mutated and random packets; afterwards a correct client still gets its messages."""
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
    """Subscribe the display to events and clear what an earlier attack retained; both clients must be accepted."""
    assert (host.code, display.code) == (0, 0), "a healthy client was not let in"
    host.publish(TOPICS.path(Topic.EVENTS), b"", retain=True)
    display.subscribe(TOPICS.path(Topic.EVENTS))


def _receives(display: Client, payload: bytes) -> bool:
    """Return whether the message comes; a message that an earlier attack retained may come first."""
    while (got := display.next(20.0)) is not None:
        if got.payload == payload:
            return True
    return False


def half_open(running: Running, count: int = 1000) -> Attack:
    """Open connections that send nothing, or half a CONNECT. Meanwhile messages pass and the host reconnects.
    Our broker also accepts a new player; on a club's Mosquitto the boards have a separate listener for
    that."""
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
                host.publish(TOPICS.path(Topic.EVENTS), str(number).encode())
                received = _receives(display, str(number).encode())
                late.append(time.perf_counter() - started)
                lost += not received
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
        host.publish(TOPICS.path(Topic.EVENTS), b"still here")
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
    """A client subscribes to thousands of filters and leaves QoS 2 unfinished; the others notice nothing."""
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
            host.publish(TOPICS.path(Topic.EVENTS), str(number).encode())
            lost += display.next() is None
    return Attack("floods of subscriptions and unfinished messages", count, lost)


def packet_bombs(running: Running, count: int = 40) -> Attack:
    """Packets cost the reader far more than the sender: 60 kB of properties or 12,000 filters. The others
    still receive."""
    five = replace(running, version=5)
    properties = (b"\x26" + b"\0\1k\0\1v") * 9000
    bombs = (
        publish_packet(5, TOPICS.command("table"), b"{}", properties=properties),
        subscribe_packet(5, 1, *[("a", 0)] * 12_000),
    )
    longest, lost = 0.0, 0
    with Client(running, Account.HOST) as host, Client(running, None) as display:
        _listens(host, display)
        for number in range(count):
            with logged_in(five, Account.TABLE) as sock, contextlib.suppress(OSError):
                sock.settimeout(2)
                sock.sendall(bombs[number % 2] * 10)
                began = time.perf_counter()
                host.publish(TOPICS.path(Topic.EVENTS), str(number).encode())
                lost += display.next() is None
                longest = max(longest, time.perf_counter() - began)
    words = f"a healthy client waited {1000 * longest:.0f} ms at most"
    return Attack("packets of properties and filters without measure", count * 10, lost, words)


def resident_kb() -> int:
    """Return the memory of this process, in which the embedded broker runs."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
