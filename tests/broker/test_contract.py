"""Duties of every broker under Scharten: the same tests on our broker and on Mosquitto, in MQTT 3.1.1 and 5."""

from itertools import product
from uuid import uuid4

import pytest

from broker.client import (
    Client,
    closed_within,
    connect_packet,
    let_in,
    logged_in,
    publish_packet,
    raw,
    subscribe_packet,
)
from broker.running import TOPICS, Running, embedded
from scharten.contract.roles import Account
from scharten.contract.topics import Topic

STATE, AVAILABILITY, EVENTS = (
    TOPICS.path(Topic.STATE),
    TOPICS.path(Topic.AVAILABILITY),
    TOPICS.path(Topic.EVENTS),
)


def test_retained_messages_come_only_to_subscribers(running: Running) -> None:
    """A client without subscriptions gets nothing, although others' filters match retained messages."""
    with Client(running, Account.HOST) as host, Client(running, Account.TABLE) as table:
        table.subscribe(f"{TOPICS.root}/#")
        host.publish(STATE, b"1", retain=True)
        assert (got := table.next()) and got.payload == b"1"
        with Client(running, Account.SEAT1) as silent:
            assert silent.next(0.4) is None


def test_a_retained_message_comes_once_and_marked(running: Running) -> None:
    """A subscriber gets the last retained payload at once, marked as retained, then live ones unmarked."""
    with Client(running, Account.HOST) as host, Client(running, None) as display:
        host.publish(STATE, b"old", retain=True)
        host.publish(STATE, b"new", retain=True)
        display.subscribe(STATE)
        first = display.next()
        assert first and (first.payload, first.retained) == (b"new", True)
        host.publish(STATE, b"newer", retain=True)
        second = display.next()
        assert second and (second.payload, second.retained) == (b"newer", False)
        assert display.next(0.2) is None


def test_a_silent_client_is_dropped_and_its_last_will_published(running: Running) -> None:
    """After 1.5 keep-alives of silence the connection closes, and the will is published and retained."""
    with Client(running, None) as display:
        display.subscribe(AVAILABILITY)
        sock = logged_in(running, Account.HOST, keepalive=1, will=(AVAILABILITY, b"offline"))
        got = display.next(40)
        assert got and got.payload == b"offline"
        assert closed_within(sock, 40)
    with Client(running, None) as later:
        later.subscribe(AVAILABILITY)
        kept = later.next()
        assert kept and kept.payload == b"offline" and kept.retained


def test_a_disconnect_keeps_the_last_will_silent(running: Running) -> None:
    """DISCONNECT, even straight after CONNECT, does not publish the will."""
    with Client(running, None) as display:
        display.subscribe(AVAILABILITY)
        username, password = running.logins[Account.HOST]
        with raw(running.port) as sock:
            hello = connect_packet("a", username, password, 5, (AVAILABILITY, b"offline"), running.version)
            sock.sendall(hello + b"\xe0\x00")
            assert closed_within(sock, 40)
        assert display.next(0.5) is None


def test_acknowledged_messages_before_a_disconnect_arrive(running: Running) -> None:
    """Subscribers receive each message sent right before DISCONNECT."""
    with Client(running, None) as display:
        display.subscribe(EVENTS)
        username, password = running.logins[Account.HOST]
        with raw(running.port) as sock:
            burst = b"".join(publish_packet(running.version, EVENTS, bytes([n])) for n in range(50))
            hello = connect_packet("b", username, password, version=running.version)
            sock.sendall(hello + burst + b"\xe0\x00")
            assert closed_within(sock, 40)
        got = [display.next() for _ in range(50)]
        assert [item.payload for item in got if item] == [bytes([n]) for n in range(50)]


def test_a_wrong_password_with_a_known_client_id_is_harmless(running: Running) -> None:
    """The real client keeps its connection and its subscriptions."""
    with Client(running, Account.HOST, client_id="the-host") as host, Client(running, Account.TABLE) as table:
        host.subscribe(TOPICS.command("table"))
        with Client(running, Account.HOST, client_id="the-host", password="wrong") as thief:
            assert thief.code
        table.publish(TOPICS.command("table"), b"{}")
        assert (got := host.next()) and got.payload == b"{}"
        assert host.alive


def test_a_second_connection_replaces_the_first(running: Running) -> None:
    """With the same account and client id the old connection closes, and the new one receives."""
    with Client(running, Account.HOST, client_id="the-host") as old:
        old.subscribe(TOPICS.command("+"))
        with (
            Client(running, Account.HOST, client_id="the-host") as new,
            Client(running, Account.TABLE) as table,
        ):
            assert old.lost.wait(40)
            assert new.code == 0
            new.subscribe(TOPICS.command("+"))
            table.publish(TOPICS.command("table"), b"{}")
            assert (got := new.next()) and got.payload == b"{}"
            assert new.next(0.2) is None


def test_a_second_subscription_with_a_higher_qos_holds(running: Running) -> None:
    """After a subscription at QoS 0 and another at 1, messages of QoS 1 come at 1, once."""
    with Client(running, Account.HOST) as host, Client(running, None) as display:
        assert display.subscribe(EVENTS, 0) == [0]
        assert display.subscribe(EVENTS, 1) == [1]
        host.publish(EVENTS, b"1")
        got = display.next()
        assert got and got.qos == 1
        assert display.next(0.2) is None


def test_a_message_comes_at_the_lower_qos_of_message_and_subscription(running: Running) -> None:
    """Each of the nine pairs of QoS 0, 1 and 2, retained and then live: no receiver gets a QoS above either."""
    with Client(running, Account.HOST) as host, Client(running, None) as display:
        for wanted, sent in product(range(3), repeat=2):
            payload = f"{wanted}{sent}".encode()
            host.publish(STATE, payload, sent, retain=True)
            host.publish(
                AVAILABILITY, payload
            )  # once this message is acknowledged, the first is retained as well
            assert display.subscribe(STATE, wanted) == [wanted]
            kept = display.next()
            host.publish(STATE, payload, sent)
            live = display.next()
            assert kept and live
            assert [(got.payload, got.qos) for got in (kept, live)] == [(payload, min(wanted, sent))] * 2
            display.unsubscribe(STATE)


@pytest.mark.parametrize("version", [4, 5])
def test_of_two_filters_the_higher_qos_counts(version: int) -> None:
    """Two filters match one message: it comes at the higher QoS, in either order of subscribing.

    Mosquitto takes the first filter's in 3.1.1, and in MQTT 5 it brings the message twice.
    """
    with embedded() as running:
        running.version = version
        with Client(running, Account.HOST) as host:
            for wanted in product(range(3), repeat=2):
                with Client(running, None) as display:
                    filters = zip((EVENTS, f"{TOPICS.root}/#"), wanted, strict=True)
                    assert [display.subscribe(*item) for item in filters] == [[qos] for qos in wanted]
                    host.publish(EVENTS, b"1", 2)
                    assert (got := display.next()) and got.qos == max(wanted)


def test_qos_two_passes_a_message_on_once(running: Running) -> None:
    """Both halves of QoS 2 are exchanged, to the broker and from it."""
    with Client(running, Account.HOST) as host, Client(running, None) as display:
        display.subscribe(EVENTS, 2)
        host.publish(EVENTS, b"1", qos=2)
        got = display.next()
        assert got and (got.payload, got.qos) == (b"1", 2)
        assert display.next(0.2) is None


def test_a_message_sent_with_connect_delays_no_client(running: Running) -> None:
    """CONNECT and half a QoS 2 message arrive together; the same client can reconnect at once, repeatedly."""
    username, password = running.logins[Account.TABLE]
    half = publish_packet(running.version, TOPICS.command("table"), b"{}", 2)
    for _ in range(5):
        with raw(running.port) as sock:
            sock.sendall(connect_packet("hasty", username, password, version=running.version) + half)
            assert let_in(sock)


def test_an_unsubscribed_client_receives_nothing_more(running: Running) -> None:
    """UNSUBSCRIBE ends a subscription, and overlapping filters deliver a message once.

    Mosquitto brings it twice in MQTT 5, which leaves that to the broker [3.3.4].
    """
    with Client(running, Account.HOST) as host, Client(running, None) as display:
        display.subscribe(EVENTS)
        display.subscribe(f"{TOPICS.root}/#")
        host.publish(EVENTS, b"1")
        assert display.next()
        twice = running.kind == "mosquitto" and running.five
        assert display.next() if twice else display.next(0.2) is None
        for item in (EVENTS, f"{TOPICS.root}/#"):
            display.unsubscribe(item)
        host.publish(EVENTS, b"2")
        assert display.next(0.4) is None


def test_a_client_that_never_reads_is_bounded_and_harmless(running: Running) -> None:
    """32 MB for a subscriber that does not read: a correct subscriber gets every message, the other is dropped."""
    with Client(running, Account.HOST) as host, Client(running, None) as healthy:
        healthy.subscribe(EVENTS)
        stalled = logged_in(running, Account.TABLE)
        stalled.sendall(subscribe_packet(running.version, 1, (EVENTS, 1)))
        payload = b"x" * 32_000
        for start in range(0, 1000, 20):
            for number in range(start, start + 20):
                host.send(EVENTS, payload + str(number).encode())
            got = [healthy.next() for _ in range(20)]
            assert [item and item.payload[32_000:] for item in got] == [
                b"%d" % n for n in range(start, start + 20)
            ]
        received = 0
        stalled.settimeout(0.5)
        try:
            while chunk := stalled.recv(1 << 16):
                received += len(chunk)
        except OSError:
            pass
        assert received < 20_000_000


def test_another_accounts_client_id_cannot_be_guessed(running: Running) -> None:
    """Random client ids (16 hex letters) keep other accounts from taking over a connection on Mosquitto."""
    with Client(running, Account.HOST, client_id=f"scharten-{uuid4().hex[:16]}") as host:
        for guess in ("host", "scharten", "scharten-host"):
            with Client(running, Account.SEAT1, client_id=guess):
                assert host.alive
