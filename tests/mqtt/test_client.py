"""The client of a broker that comes, goes, refuses and lags; and the publisher that uses it."""

import contextlib
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from broker.client import Client
from broker.running import TOPICS, Running, embedded, mosquitto
from lab.ports import free_port
from scharten.contract.roles import Account, Acl
from scharten.contract.topics import Topic, Topics
from scharten.mqtt import client as mqtt_client
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.mqtt.client import ConnectionState, ConnectionStatus, MqttClient, Will
from scharten.mqtt.publisher import OFFLINE, AvailabilityKeeper, Publisher

STATE, AVAILABILITY, EVENTS = (
    TOPICS.path(Topic.STATE),
    TOPICS.path(Topic.AVAILABILITY),
    TOPICS.path(Topic.EVENTS),
)


def client_to(
    running: Running, received: "queue.Queue[ConnectionStatus] | None" = None, password: str = ""
) -> MqttClient:
    username, secret = running.logins[Account.HOST]
    return MqttClient(
        BrokerAddress(
            "127.0.0.1", running.port, account=Credentials(username or "", password or secret or "")
        ),
        will=Will(AVAILABILITY, OFFLINE),
        on_status=received.put if received else None,
        mqtt5=running.five,
    )


def wait_for(client: MqttClient, state: ConnectionState) -> None:
    for _ in range(4000):
        if client.status.state is state:
            return
        time.sleep(0.01)
    raise AssertionError(f"{client.status} instead of {state}")


def settle(client: MqttClient) -> None:
    """Wait until the broker has acknowledged everything that was published."""
    end = time.monotonic() + 40
    while client._queue.waiting or client._unacknowledged:
        assert time.monotonic() < end, "the broker acknowledges nothing"
        time.sleep(0.01)


def come(running: Running, found: Callable[[], bool]) -> None:
    """Wait for a condition that only MQTT 5 fulfils; in 3.1.1 check for a moment that it does not hold."""
    end = time.monotonic() + (40 if running.five else 0.4)
    while time.monotonic() < end and not (running.five and found()):
        time.sleep(0.01)


@pytest.fixture
def started(running: Running) -> Iterator[MqttClient]:
    """Yield a host's client that is connected."""
    client = client_to(running)
    client.start()
    wait_for(client, ConnectionState.CONNECTED)
    yield client
    client.stop()


def test_a_late_display_sees_everything_retained(running: Running, started: MqttClient) -> None:
    """State, sheet, health and availability wait for a display; events and hits do not."""
    publisher = Publisher(started, TOPICS)
    publisher.publish_state({"seq": 1})
    publisher.publish_state({"seq": 2, "names": {"white": "Zoë"}})
    publisher.publish_sheet({"entries": []})
    publisher.publish_health({"broker": "embedded"})
    assert publisher.publish_event({"seq": 2}) and publisher.publish_hit({"bed": "D20"})
    settle(started)
    with Client(running, None) as display:
        display.subscribe(f"{TOPICS.root}/#")
        got = {message.topic: message.payload for message in (display.next() for _ in range(4)) if message}
        assert got == {
            AVAILABILITY: b"online",
            STATE: '{"seq":2,"names":{"white":"Zoë"}}'.encode(),
            TOPICS.path(Topic.SHEET): b'{"entries":[]}',
            TOPICS.path(Topic.HEALTH): b'{"broker":"embedded"}',
        }
        assert display.next(0.2) is None


def test_answers_reach_their_role_and_commands_the_host(running: Running) -> None:
    """The host's handler gets the command; only that role gets the answer."""
    received: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
    client = client_to(running)
    client.subscribe(TOPICS.command("+"), lambda *fields: received.put(fields))
    publisher = Publisher(client, TOPICS)
    client.start()
    wait_for(client, ConnectionState.CONNECTED)
    with Client(running, Account.SEAT1) as seat, Client(running, Account.SEAT2) as other:
        seat.subscribe(f"{TOPICS.root}/answer/#")
        other.subscribe(f"{TOPICS.root}/answer/#")
        seat.publish(TOPICS.command("seat1"), b"{}")
        assert received.get(timeout=40) == (TOPICS.command("seat1"), b"{}", False)
        publisher.answer("seat1", {"v": 1, "id": "x"})
        assert (got := seat.next()) and got.payload == b'{"v":1,"id":"x"}'
        assert other.next(0.3) is None
    client.stop()


def test_a_killed_and_a_stopped_host_are_both_offline(running: Running) -> None:
    """The last will announces a killed host, a farewell a stopped host."""
    with Client(running, None) as display:
        display.subscribe(AVAILABILITY)
        with Client(running, Account.HOST, will=AVAILABILITY) as host:
            host.kill()
            assert (got := display.next(40)) and got.payload == b"gone"
        client = client_to(running)
        Publisher(client, TOPICS)
        client.start()
        assert (got := display.next()) and got.payload == b"online"
        client.stop((AVAILABILITY, OFFLINE))
        assert (got := display.next()) and got.payload == b"offline"
        assert client.status.state is ConnectionState.STOPPED


@pytest.mark.parametrize("kind", ["embedded", pytest.param("mosquitto", marks=pytest.mark.mosquitto)])
def test_a_broker_that_restarts_gets_the_newest_of_everything(kind: str, tmp_path: Path) -> None:
    """A broker that returns gets the newest state, no stale one and no old event; each change is reported."""
    port = free_port()

    def start() -> AbstractContextManager[Running]:
        return embedded(port=port) if kind == "embedded" else mosquitto(tmp_path, port=port)

    received: queue.Queue[ConnectionStatus] = queue.Queue()
    with start() as first:
        client = client_to(first, received)
        publisher = Publisher(client, TOPICS)
        publisher.publish_state({"seq": 1})
        client.start()
        wait_for(client, ConnectionState.CONNECTED)
    for seq in range(2, 50):
        publisher.publish_state({"seq": seq})
        time.sleep(0.005)
    assert not publisher.publish_event({"seq": 3})
    wait_for(client, ConnectionState.UNREACHABLE)
    with start() as second:
        with Client(second, None) as display:
            display.subscribe(f"{TOPICS.root}/#")
            got = [display.next(40) for _ in range(2)]
            assert {message.topic: message.payload for message in got if message} == {
                AVAILABILITY: b"online",
                STATE: b'{"seq":49}',
            }
            assert display.next(0.3) is None
        client.stop()
    states = [received.get_nowait().state for _ in range(received.qsize())]
    assert (
        states[0] is ConnectionState.CONNECTED
        and ConnectionState.UNREACHABLE in states
        and states[-1] is ConnectionState.STOPPED
    )


def test_a_wrong_password_is_reported(running: Running) -> None:
    """The status names the account and the cure, and never the password."""
    client = client_to(running, password="not-the-password")
    client.start()
    wait_for(client, ConnectionState.REFUSED)
    assert "host" in client.status.words and "broker.credentials" in client.status.words
    assert "not-the-password" not in client.status.words and "not-the-password" not in repr(client._address)
    client.stop()


def test_a_broker_that_never_reads_does_not_slow_the_publisher() -> None:
    """Thousands of snapshots to a broker that accepts and then reads nothing: the queue is bounded."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = MqttClient(BrokerAddress("127.0.0.1", server.getsockname()[1]), mqtt5=False)
        publisher = Publisher(client, TOPICS)
        client.start()
        peer, _ = server.accept()
        peer.recv(1000)
        peer.sendall(b"\x20\x02\x00\x00")
        wait_for(client, ConnectionState.CONNECTED)
        snapshot = {"seq": 1, "filler": "x" * 10_000}
        for _ in range(2000):
            publisher.publish_state(snapshot)
            publisher.publish_event(snapshot)
        box = client._queue
        assert client._unacknowledged <= 64 and len(box._once) <= 1000 and len(box._unsent) <= 2
        assert box.dropped > 0
        peer.close()
        client.stop()


@pytest.mark.parametrize("late_ms", [0, 1, 3, 10, 30])
def test_an_early_display_gets_the_first_state(running: Running, late_ms: int) -> None:
    """Whether it subscribes before, while or after the host connects, each display gets the state."""
    displays = [Client(running, None) for _ in range(4)]
    subscribed = [
        threading.Thread(target=lambda item=display: item.connect().subscribe(STATE)) for display in displays
    ]
    client = client_to(running)
    Publisher(client, TOPICS).publish_state({"seq": 1})
    for thread in subscribed[:3]:
        thread.start()
    time.sleep(late_ms / 1000)
    client.start()
    subscribed[3].start()
    try:
        for thread in subscribed:
            thread.join(40)
        got = [display.next(40) for display in displays]
        assert [message and message.payload for message in got] == [b'{"seq":1}'] * 4
    finally:
        client.stop()
        for display in displays:
            display.__exit__(None, None, None)


def test_a_message_needs_no_other_thread(running: Running, started: MqttClient) -> None:
    """While no other thread uses the connection the message leaves in the caller's thread, without waking the
    client's."""
    with Client(running, None) as display:
        display.subscribe(STATE)
        woken: list[bool] = []
        started._wake = lambda: woken.append(True)
        for number in range(50):  # the client's own thread may hold the connection just then
            settle(started)
            woken.clear()
            started.keep(STATE, b"%d" % number)
            message = display.next(40)
            assert message is not None and message.payload == b"%d" % number
            if not woken:
                break
    assert not woken


def test_messages_from_many_threads_all_arrive(running: Running, started: MqttClient) -> None:
    """Messages from eight threads at once all arrive, those of each thread in order."""

    def talk(name: int) -> None:
        for number in range(50):
            while not started.publish(EVENTS, f"{name} {number}".encode()):
                time.sleep(0.01)
            time.sleep(0.002)

    with Client(running, None) as display:
        display.subscribe(EVENTS)
        threads = [threading.Thread(target=talk, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        got = [
            message.payload.decode().split() for message in (display.next(40) for _ in range(400)) if message
        ]
    for name in range(8):
        assert [int(number) for who, number in got if who == str(name)] == list(range(50))


def test_a_client_that_never_connected_stops_quickly() -> None:
    """Stopping is quick although the client never reached a broker."""
    client = MqttClient(BrokerAddress("127.0.0.1", free_port()))
    client.start()
    wait_for(client, ConnectionState.UNREACHABLE)
    client.stop()
    assert client.status.state is ConnectionState.STOPPED
    assert not any(thread.name == "mqtt-scharten" for thread in threading.enumerate())


def test_a_retained_command_is_marked_when_the_host_connects(running: Running) -> None:
    """A command that was retained earlier arrives marked, so that the host can clear it."""
    received: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
    with Client(running, Account.TABLE) as table:
        table.publish(TOPICS.command("table"), b"old", retain=True)
    client = client_to(running)
    client.subscribe(TOPICS.command("+"), lambda *fields: received.put(fields))
    client.start()
    assert received.get(timeout=40) == (TOPICS.command("table"), b"old", True)
    client.stop()


def test_a_retained_command_is_marked_while_the_host_is_subscribed(running: Running) -> None:
    """A command that is retained while the host is subscribed is marked too, so that it is cleared and not played."""
    received: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
    username, password = running.logins[Account.HOST]
    client = MqttClient(
        BrokerAddress("127.0.0.1", running.port, account=Credentials(str(username), str(password))),
    )
    client.subscribe(TOPICS.command("+"), lambda *fields: received.put(fields))
    client.start()
    wait_for(client, ConnectionState.CONNECTED)
    with Client(running, Account.TABLE) as table:
        table.publish(TOPICS.command("table"), b"bad", retain=True)
        table.publish(TOPICS.command("table"), b"good")
    assert received.get(timeout=40) == (TOPICS.command("table"), b"bad", True)
    assert received.get(timeout=40) == (TOPICS.command("table"), b"good", False)
    client.stop()


@pytest.mark.parametrize("answer", [b"", b"\x20\2\0\1", b"\x20\3\0\x84\0"])
def test_a_broker_without_mqtt_5_gets_3_1_1(answer: bytes) -> None:
    """The broker closes CONNECT silently or refuses the version. The client reconnects in 3.1.1, later again in 5."""
    levels: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = MqttClient(BrokerAddress("127.0.0.1", server.getsockname()[1]))
        client.start()
        for _ in range(3):
            peer, _ = server.accept()
            with peer:
                levels.append(peer.recv(1000)[8])
                peer.sendall(answer if levels[-1] == 5 else b"\x20\2\0\0")
                if levels[-1] == 4:
                    wait_for(client, ConnectionState.CONNECTED)
                    assert not client.mqtt5
        client.stop()
    assert levels == [5, 4, 5]


def test_the_host_corrects_its_availability(running: Running) -> None:
    """The last will of an old connection comes late: the host receives "offline" and publishes "online"; its
    own end stands."""
    client, found = client_to(running), []
    keeper = AvailabilityKeeper(client, TOPICS, found.append)
    Publisher(client, TOPICS)
    client.start()
    wait_for(client, ConnectionState.CONNECTED)
    with Client(running, None) as display:
        display.subscribe(AVAILABILITY)
        assert (got := display.next()) and got.payload == b"online"
        old = Client(running, Account.HOST, will=AVAILABILITY).connect()
        old.kill()
        assert [item.payload for item in (display.next(40), display.next()) if item] == [b"gone", b"online"]
        keeper.leave()
        assert (got := display.next()) and got.payload == b"offline"
        assert display.next(0.3) is None and found == []


def test_two_hosts_of_one_board_notice_each_other(running: Running) -> None:
    """In MQTT 5 both know of the other until it leaves; then the remaining host is online and reports it."""
    first, second = client_to(running), client_to(running)
    seen: dict[str, list[bool]] = {"first": [], "second": []}
    keepers = [
        AvailabilityKeeper(item, TOPICS, seen[name].append)
        for item, name in ((first, "first"), (second, "second"))
    ]
    for item in (first, second):
        Publisher(item, TOPICS)
        item.start()
        wait_for(item, ConnectionState.CONNECTED)
    first.keep(STATE, b"the game")
    second.keep(STATE, b"no game")
    expected = {"first": [True], "second": [True]} if running.five else {"first": [], "second": []}
    come(running, lambda: seen == expected)
    assert seen == expected
    keepers[1].leave()
    come(running, lambda: seen["first"] == [True, False])
    with Client(running, None) as display:
        display.subscribe(AVAILABILITY)
        while (got := display.next()) and got.payload != b"online":
            pass
        assert got, "the one that stays did not correct it"
    with Client(running, None) as display:
        display.subscribe(STATE)
        got = display.next()
        assert got and got.payload == b"the game", "the one that left is still shown"
    assert seen["first"] == ([True, False] if running.five else [])
    keepers[0].leave()


def test_a_refused_subscription_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster that elects a new leader refuses for a while; later it grants, and messages arrive."""
    monkeypatch.setattr(mqtt_client, "ASK_AGAIN_S", 0.1)
    received: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    with embedded() as running, pytest.MonkeyPatch.context() as cluster:
        cluster.setattr(Acl, "may_subscribe", lambda *_: False)
        client = client_to(running)
        client.subscribe(TOPICS.command("table"), lambda _topic, payload, _retained: received.put(payload))
        client.start()
        wait_for(client, ConnectionState.CONNECTED)
        client.publish(TOPICS.command("table"), b"too early")
        cluster.undo()
        for _ in range(200):
            client.publish(TOPICS.command("table"), b"again")
            with contextlib.suppress(queue.Empty):
                assert received.get(timeout=0.15) == b"again"
                break
        else:
            raise AssertionError("never asked for again")
        client.stop()


def test_a_refusal_of_the_broker_is_logged(running: Running, caplog: pytest.LogCaptureFixture) -> None:
    """In MQTT 5 a message for another account's topic leaves a line in the log."""
    client = client_to(running)
    client.start()
    wait_for(client, ConnectionState.CONNECTED)
    assert client.publish(Topics("scharten", "home", "board2").path(Topic.STATE), b"x")
    come(running, lambda: "does not let this account write" in caplog.text)
    client.stop()
    assert ("does not let this account write" in caplog.text) is running.five
