"""MQTT 5's additions, on the embedded broker and on Mosquitto: reason codes, limits, options, properties."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from uuid import uuid4

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from broker.client import (
    Client,
    connect_packet,
    logged_in,
    publish_packet,
    raw,
    subscribe_packet,
    take_packet,
    unsubscribe_packet,
)
from broker.running import TOPICS, Running, embedded, mosquitto
from scharten.broker import connection
from scharten.broker.limits import BrokerLimits
from scharten.contract.roles import Account
from scharten.contract.topics import BROADCAST, Topic

STATE, EVENTS, AVAILABILITY = (
    TOPICS.path(Topic.STATE),
    TOPICS.path(Topic.EVENTS),
    TOPICS.path(Topic.AVAILABILITY),
)
COMMAND = TOPICS.command("table")


@pytest.fixture(params=["embedded", pytest.param("mosquitto", marks=pytest.mark.mosquitto)])
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    """A broker whose clients use MQTT 5."""
    with embedded() if request.param == "embedded" else mosquitto(tmp_path) as server:
        server.version = 5
        yield server


def living(seconds: int) -> Properties:
    properties = Properties(PacketTypes.PUBLISH)
    properties.MessageExpiryInterval = seconds
    return properties


def test_a_refused_message_has_its_reason(running: Running) -> None:
    """PUBACK and PUBREC have 0x87 without the right and success with it; no client receives a refused message."""
    with Client(running, Account.HOST) as host, logged_in(running, Account.TABLE) as table:
        host.subscribe(f"{TOPICS.root}/#")
        for qos, first in ((1, 0x40), (2, 0x50)):
            table.sendall(publish_packet(5, TOPICS.command("arbiter"), b"theirs", qos, 7))
            assert take_packet(table) == (first, b"\0\7\x87")
            table.sendall(publish_packet(5, COMMAND, b"mine", qos, 8))
            assert take_packet(table) == (first, b"\0\x08")
        table.sendall(b"\x62\2\0\x08")
        assert take_packet(table) == (0x70, b"\0\x08")
        assert [host.next().payload, host.next().payload] == [b"mine", b"mine"]
        assert host.next(0.3) is None


def test_a_refused_subscription_has_its_reason() -> None:
    """0x87 for another role's answers, 0x8F for a wrong filter, 0x9E for a shared filter, 0x97 for one too many."""
    with embedded() as running:
        running.version = 5
        with Client(running, Account.TABLE) as table:
            assert table.subscribe(TOPICS.answer("arbiter")) == [0x87]
            assert table.subscribe(f"$share/all/{STATE}") == [0x9E]
            table.unsubscribe("never/subscribed")
        levels = [(level, "+") for level in TOPICS.root.split("/")]
        names = [*(item.value for item in BROADCAST), "+", "answer/table", "answer/+", "+/table"]
        filters = ["/".join(item) + end for item in product(*levels, names) for end in ("", "/#")]
        with logged_in(running, Account.TABLE) as sock:
            sock.sendall(
                subscribe_packet(5, 1, ("a/#/b", 1), ("a+", 1), *((item, 1) for item in filters[:65]))
            )
            _, body = take_packet(sock)
            assert (body[3:5], set(body[5:-1]), body[-1]) == (b"\x8f\x8f", {1}, 0x97)


def test_a_client_with_all_its_subscriptions_may_renew_one_and_replace_one() -> None:
    """A full client changes the QoS of a filter that it has, and gets a new filter only after it gives one up."""
    with embedded(BrokerLimits(subscriptions=2)) as running:
        running.version = 5
        with (
            Client(running, Account.HOST) as host,
            Client(running, None) as display,
            Client(running, None) as second,
        ):
            codes = [display.subscribe(item) for item in (STATE, EVENTS, AVAILABILITY)]
            assert codes == [[1], [1], [0x97]]
            assert display.subscribe(STATE, 0) == [0]
            host.publish(STATE, b"1")
            assert (got := display.next()) and (got.topic, got.qos) == (STATE, 0)
            assert second.subscribe(AVAILABILITY) == [1]
            display.unsubscribe(EVENTS)
            assert [display.subscribe(item) for item in (AVAILABILITY, EVENTS)] == [[1], [0x97]]


def test_unsuback_tells_a_known_filter_from_an_unknown_one(running: Running) -> None:
    """0 for a filter that the client had, 0x11 for one that it never had or gave up before."""
    with logged_in(running, Account.TABLE) as sock:
        sock.sendall(subscribe_packet(5, 1, (STATE, 1)))
        assert take_packet(sock)[0] == 0x90
        for number, reasons in ((2, b"\0\x11"), (3, b"\x11\x11")):
            sock.sendall(unsubscribe_packet(5, number, STATE, EVENTS))
            assert take_packet(sock) == (0xB0, bytes((0, number, 0)) + reasons)


def test_connack_names_the_limits() -> None:
    """CONNACK lists the embedded broker's limits, an assigned client id and a shortened keep-alive."""
    with embedded() as running:
        running.version = 5
        with Client(running, Account.TABLE) as table:
            assert table.offered == {
                "SessionExpiryInterval": 0,
                "ReceiveMaximum": 20,
                "MaximumPacketSize": 65_536,
                "SubscriptionIdentifierAvailable": 0,
                "SharedSubscriptionAvailable": 0,
            }
        name, secret = running.logins[Account.HOST]
        with raw(running.port) as sock:
            sock.sendall(connect_packet("", name, secret, 0, version=5))
            terms = Properties(PacketTypes.CONNACK)
            terms.unpack(take_packet(sock)[1][2:])
            words = terms.json()
        assert (words["MaximumPacketSize"], words["ServerKeepAlive"]) == (1 << 20, 600)
        assert str(words["AssignedClientIdentifier"]).startswith("auto-")


def test_a_refused_client_has_its_reason(running: Running) -> None:
    """A wrong secret is 0x87 (0x86 would reveal more); another account's client id is 0x85 on our broker."""
    with Client(running, Account.TABLE, password="wrong") as client:
        assert client.code == 0x87
    if running.kind == "embedded":
        with (
            Client(running, Account.HOST, client_id="the-host"),
            Client(running, Account.TABLE, client_id="the-host") as thief,
        ):
            assert thief.code == 0x85


def test_a_dropped_client_gets_the_reason() -> None:
    """Silent 0x8D, taken over 0x8E, too large 0x95, malformed 0x81, not offered (Mosquitto 2.0 reports less)."""
    with embedded() as running:
        running.version = 5
        with logged_in(running, Account.TABLE, keepalive=1) as sock:
            assert take_packet(sock) == (0xE0, b"\x8d")
        old = logged_in(running, Account.TABLE, client_id="twice")
        with old, logged_in(running, Account.TABLE, client_id="twice"):
            assert take_packet(old) == (0xE0, b"\x8e")
        for data, reason in (
            (publish_packet(5, COMMAND, b"x" * 70_000), b"\x95"),
            (b"\x36\x02ab", b"\x81"),
            (publish_packet(5, COMMAND, b"", properties=b"\x23\0\1"), b"\x94"),
            (subscribe_packet(5, 1, (STATE, 1), properties=b"\x0b\1"), b"\xa1"),
            (b"".join(publish_packet(5, COMMAND, b"", 2, number) for number in range(1, 30)), b"\x93"),
        ):
            with logged_in(running, Account.TABLE) as sock:
                sock.sendall(data[:100_000])
                while (found := take_packet(sock))[0] != 0xE0:
                    pass
                assert found[1] == reason


def test_a_dropped_client_that_still_sends_can_read_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that has sent a megabyte after its fault reads 0x93 last, and no reset before."""
    monkeypatch.setattr(connection, "_LINGER_S", 60.0)  # for a machine that stands still meanwhile
    with embedded() as running:
        running.version = 5
        with logged_in(running, Account.TABLE) as sock:
            sender = threading.Thread(target=_flood, args=(sock,))
            sender.start()
            sender.join(0.5)  # its bytes wait unread at the broker
            found = [take_packet(sock)]
            while found[-1][0] != 0xE0:
                found.append(take_packet(sock))
            assert found[-1] == (0xE0, b"\x93")
            sock.shutdown(socket.SHUT_RDWR)
            sender.join(40)
            assert not sender.is_alive()


def _flood(sock: socket.socket) -> None:
    packets = b"".join(publish_packet(5, COMMAND, b"x" * 99, 2, number) for number in range(1, 30))
    with contextlib.suppress(OSError):
        sock.sendall(packets + b"\xc0\0" * 500_000)


@pytest.mark.parametrize(("handling", "times"), [(0, [1, 1]), (1, [1, 0]), (2, [0, 0])])
def test_retained_messages_follow_the_subscription_options(
    running: Running, handling: int, times: list[int]
) -> None:
    """They come at every subscription, at a new one only, or never."""
    with Client(running, Account.HOST) as host, Client(running, None) as display:
        host.publish(STATE, b"1", retain=True)
        for count in times:
            display.subscribe(STATE, options=SubscribeOptions(1, retainHandling=handling))
            assert len(list(iter(lambda: display.next(0.3), None))) == count


def test_a_client_may_decline_its_own_messages(running: Running) -> None:
    """With no-local its own messages do not return, but those of others arrive."""
    with Client(running, Account.HOST) as host, Client(running, Account.WEB) as web:
        host.subscribe(COMMAND, options=SubscribeOptions(1, noLocal=True))
        host.publish(COMMAND, b"own")
        web.publish(COMMAND, b"other")
        assert (got := host.next()) and got.payload == b"other" and host.next(0.2) is None


def test_the_retain_flag_stays_as_published_on_request(running: Running) -> None:
    """A live message is marked only for a subscriber with that option."""
    with (
        Client(running, Account.HOST) as host,
        Client(running, None) as plain,
        Client(running, None) as marked,
    ):
        plain.subscribe(STATE)
        marked.subscribe(STATE, options=SubscribeOptions(1, retainAsPublished=True))
        host.publish(STATE, b"1", retain=True)
        assert [item and item.retained for item in (plain.next(), marked.next())] == [False, True]


@pytest.mark.long
def test_a_retained_message_expires(running: Running) -> None:
    """A subscriber in time gets the message with the seconds left; a later subscriber gets nothing."""
    with Client(running, Account.HOST) as host, Client(running, None) as display:
        host.publish(STATE, b"1", retain=True, properties=living(5))
        display.subscribe(STATE)
        assert (got := display.next()) and got.properties["MessageExpiryInterval"] in range(1, 6)
    time.sleep(6.2)
    with Client(running, None) as late:
        late.subscribe(STATE)
        assert late.next(0.3) is None


def test_a_message_with_properties_reaches_both_versions(running: Running) -> None:
    """Subscribers of MQTT 5 and of 3.1.1 get the payload; the expiry stays, other properties may be dropped."""
    with (
        Client(running, Account.HOST) as host,
        Client(running, None) as display,
        Client(running, None, version=4) as older,
    ):
        display.subscribe(EVENTS)
        older.subscribe(EVENTS)
        properties = Properties(PacketTypes.PUBLISH)
        properties.ContentType, properties.ResponseTopic, properties.CorrelationData = "json", "a/b", b"\0\1"
        properties.UserProperty = [("a", "1"), ("a", "2")]
        properties.MessageExpiryInterval = 60
        host.publish(EVENTS, b"1", properties=properties)
        assert (got := display.next()) and got.payload == b"1"
        assert got.properties["MessageExpiryInterval"] in (59, 60)
        assert (got := older.next()) and got.payload == b"1" and got.properties == {}


def test_a_will_with_a_delay_is_published_when_its_session_ends() -> None:
    """A session ends with its connection here, and so does the delay [3.1.2.5]; DISCONNECT 0x04 publishes the will."""
    with embedded() as running:
        running.version = 5
        delayed_will(running)


def delayed_will(running: Running) -> None:
    username, secret = running.logins[Account.HOST]
    assert username and secret
    topic, delay = AVAILABILITY.encode(), b"\5\x18\0\0\0\x3c"
    for goodbye in (b"", b"\xe0\1\4"):
        mark = uuid4().hex.encode()
        body = b"\0\4MQTT\5\xc6\0\x3c\0\0\1a" + delay + len(topic).to_bytes(2) + topic
        for item in (mark, username.encode(), secret.encode()):
            body += len(item).to_bytes(2) + item
        with Client(running, None) as display, raw(running.port) as sock:
            display.subscribe(AVAILABILITY)
            sock.sendall(b"\x10" + bytes([len(body) & 0x7F | 0x80, len(body) >> 7]) + body)
            assert take_packet(sock)[1][1] == 0
            sock.sendall(goodbye)
            sock.close()
            assert (
                (got := display.next()) and got.payload == mark and "WillDelayInterval" not in got.properties
            )
