"""The link to a broker that comes, goes, refuses and lags; the publisher on top of it."""

import queue
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from mqtt.client import Client, raw
from mqtt.running import TOPICS, Running, embedded, free_port, mosquitto
from scharten.contract.roles import Account
from scharten.contract.topics import Topic
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress, Credentials, parse_url, redacted
from scharten.mqtt.link import BrokerLink, LinkState, LinkStatus, Will
from scharten.mqtt.publisher import OFFLINE, Publisher

STATE, AVAILABILITY, EVENTS = TOPICS.of(Topic.STATE), TOPICS.of(Topic.AVAILABILITY), TOPICS.of(Topic.EVENTS)


def link_to(
    running: Running, heard: "queue.Queue[LinkStatus] | None" = None, password: str = ""
) -> BrokerLink:
    username, secret = running.logins[Account.HOST]
    return BrokerLink(
        BrokerAddress("127.0.0.1", running.port),
        Credentials(username or "", password or secret or ""),
        will=Will(AVAILABILITY, OFFLINE),
        on_status=heard.put if heard else None,
    )


def wait_for(link: BrokerLink, state: LinkState) -> None:
    for _ in range(600):
        if link.status.state is state:
            return
        time.sleep(0.01)
    raise AssertionError(f"{link.status} instead of {state}")


@pytest.fixture
def started(running: Running) -> Iterator[BrokerLink]:
    """A host's link that is connected."""
    link = link_to(running)
    link.start()
    wait_for(link, LinkState.CONNECTED)
    yield link
    link.stop()


def test_a_display_that_comes_late_sees_everything_retained(running: Running, started: BrokerLink) -> None:
    """State, sheet, health and availability wait for a display; events and hits do not."""
    publisher = Publisher(started, TOPICS)
    publisher.publish_state({"seq": 1})
    publisher.publish_state({"seq": 2, "names": {"white": "Zoë"}})
    publisher.publish_sheet({"entries": []})
    publisher.publish_health({"broker": "embedded"})
    assert publisher.publish_event({"seq": 2}) and publisher.publish_hit({"bed": "D20"})
    time.sleep(0.3)
    with Client(running, None) as display:
        display.subscribe(f"{TOPICS.root}/#")
        got = {one.topic: one.payload for one in (display.next() for _ in range(4)) if one}
        assert got == {
            AVAILABILITY: b"online",
            STATE: '{"seq":2,"names":{"white":"Zoë"}}'.encode(),
            TOPICS.of(Topic.SHEET): b'{"entries":[]}',
            TOPICS.of(Topic.HEALTH): b'{"broker":"embedded"}',
        }
        assert display.next(0.2) is None


def test_answers_reach_their_role_and_commands_the_host(running: Running) -> None:
    """A command is handed to the host's handler; the answer goes to that role and to nobody else."""
    heard: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
    link = link_to(running)
    link.subscribe(TOPICS.command("+"), lambda *one: heard.put(one))
    publisher = Publisher(link, TOPICS)
    link.start()
    wait_for(link, LinkState.CONNECTED)
    with Client(running, Account.SEAT1) as seat, Client(running, Account.SEAT2) as other:
        seat.subscribe(f"{TOPICS.root}/answer/#")
        other.subscribe(f"{TOPICS.root}/answer/#")
        seat.publish(TOPICS.command("seat1"), b"{}")
        assert heard.get(timeout=3) == (TOPICS.command("seat1"), b"{}", False)
        publisher.answer("seat1", {"v": 1, "id": "x"})
        assert (got := seat.next()) and got.payload == b'{"v":1,"id":"x"}'
        assert other.next(0.3) is None
    link.stop()


def test_gone_without_a_word_is_offline_and_so_is_a_farewell(running: Running) -> None:
    """A killed host is announced by its last will, a stopped one by its farewell."""
    with Client(running, None) as display:
        display.subscribe(AVAILABILITY)
        with Client(running, Account.HOST, will=AVAILABILITY) as host:
            host.kill()
            assert (got := display.next(5)) and got.payload == b"gone"
        link = link_to(running)
        Publisher(link, TOPICS)
        link.start()
        assert (got := display.next()) and got.payload == b"online"
        link.stop((AVAILABILITY, OFFLINE))
        assert (got := display.next()) and got.payload == b"offline"
        assert link.status.state is LinkState.STOPPED


@pytest.mark.parametrize("kind", ["embedded", pytest.param("mosquitto", marks=pytest.mark.mosquitto)])
def test_a_broker_that_restarts_gets_the_newest_of_everything(kind: str, tmp_path: Path) -> None:
    """What was published while the broker was away is not lost, nothing stale follows, and each change is told."""
    port = free_port()

    def start() -> AbstractContextManager[Running]:
        return embedded(port=port) if kind == "embedded" else mosquitto(tmp_path, port=port)

    heard: queue.Queue[LinkStatus] = queue.Queue()
    with start() as first:
        link = link_to(first, heard)
        publisher = Publisher(link, TOPICS)
        publisher.publish_state({"seq": 1})
        link.start()
        wait_for(link, LinkState.CONNECTED)
    for seq in range(2, 50):
        publisher.publish_state({"seq": seq})
        time.sleep(0.005)
    assert not publisher.publish_event({"seq": 3})
    wait_for(link, LinkState.UNREACHABLE)
    with start() as second:
        link._credentials = Credentials(
            *second.logins[Account.HOST]
        )  # the restarted test broker has new secrets
        with Client(second, None) as display:
            display.subscribe(f"{TOPICS.root}/#")
            got = [display.next(6) for _ in range(2)]
            assert {one.topic: one.payload for one in got if one} == {
                AVAILABILITY: b"online",
                STATE: b'{"seq":49}',
            }
            assert display.next(0.3) is None
        link.stop()
    states = [heard.get_nowait().state for _ in range(heard.qsize())]
    assert (
        states[0] is LinkState.CONNECTED
        and LinkState.UNREACHABLE in states
        and states[-1] is LinkState.STOPPED
    )


def test_a_wrong_password_is_said_in_words(running: Running) -> None:
    """The status names the account and the cure, and never the password."""
    link = link_to(running, password="not-the-password")
    link.start()
    wait_for(link, LinkState.REFUSED)
    assert "host" in link.status.words and "broker.credentials" in link.status.words
    assert "not-the-password" not in link.status.words and "not-the-password" not in repr(link._credentials)
    link.stop()


def test_a_broker_that_never_reads_does_not_slow_the_publisher() -> None:
    """Thousands of snapshots to a broker that accepts and then says nothing: what waits is bounded."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        link = BrokerLink(BrokerAddress("127.0.0.1", server.getsockname()[1]), None)
        publisher = Publisher(link, TOPICS)
        link.start()
        peer, _ = server.accept()
        peer.recv(1000)
        peer.sendall(b"\x20\x02\x00\x00")
        wait_for(link, LinkState.CONNECTED)
        snapshot = {"seq": 1, "filler": "x" * 10_000}
        for _ in range(2000):
            publisher.publish_state(snapshot)
            publisher.publish_event(snapshot)
        box = link._box
        assert link._unacknowledged <= 64 and len(box._row) <= 1000 and len(box._unsent) <= 2
        assert box.dropped > 0
        peer.close()
        link.stop()


@pytest.mark.parametrize("late_ms", [0, 1, 3, 10, 30])
def test_a_display_that_was_there_first_gets_the_first_state(running: Running, late_ms: int) -> None:
    """Whether it subscribes before, while or after the host connects, each display gets the state."""
    displays = [Client(running, None) for _ in range(4)]
    subscribed = [threading.Thread(target=lambda one=one: one.connect().subscribe(STATE)) for one in displays]
    link = link_to(running)
    Publisher(link, TOPICS).publish_state({"seq": 1})
    for thread in subscribed[:3]:
        thread.start()
    time.sleep(late_ms / 1000)
    link.start()
    subscribed[3].start()
    try:
        for thread in subscribed:
            thread.join(10)
        got = [one.next(10) for one in displays]
        assert [message and message.payload for message in got] == [b'{"seq":1}'] * 4
    finally:
        link.stop()
        for one in displays:
            one.__exit__(None, None, None)


def test_a_message_needs_no_other_thread(running: Running, started: BrokerLink) -> None:
    """While nobody else uses the connection it leaves in the caller's thread, without waking the link's."""
    with Client(running, None) as display:
        display.subscribe(STATE)
        time.sleep(0.3)  # what the start had to say has been acknowledged
        woken: list[bool] = []
        started._wake = lambda: woken.append(True)
        started.keep(STATE, b"{}")
        message = display.next(5)
    assert message is not None and message.payload == b"{}" and not woken


def test_many_threads_lose_nothing(running: Running, started: BrokerLink) -> None:
    """Messages from eight threads at once all arrive, those of each thread in their order."""

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
        got = [one.payload.decode().split() for one in (display.next(5) for _ in range(400)) if one]
    for name in range(8):
        assert [int(number) for who, number in got if who == str(name)] == list(range(50))


def test_a_link_that_stops_while_nobody_answers_ends() -> None:
    """Stopping is quick although no broker was ever reached."""
    link = BrokerLink(BrokerAddress("127.0.0.1", free_port()), None)
    link.start()
    wait_for(link, LinkState.UNREACHABLE)
    link.stop()
    assert link.status.state is LinkState.STOPPED
    assert not any(thread.name == "mqtt-scharten" for thread in threading.enumerate())


def test_a_retained_command_is_marked_when_the_host_connects(running: Running) -> None:
    """A command that someone retained before comes marked, so that the host can clear it."""
    heard: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
    with Client(running, Account.TABLE) as table:
        table.publish(TOPICS.command("table"), b"old", retain=True)
    link = link_to(running)
    link.subscribe(TOPICS.command("+"), lambda *one: heard.put(one))
    link.start()
    assert heard.get(timeout=3) == (TOPICS.command("table"), b"old", True)
    link.stop()


def test_a_retained_command_is_marked_while_the_host_listens(running: Running) -> None:
    """A command that is retained while the host listens comes marked too, so that it is cleared and not played."""
    heard: queue.Queue[tuple[str, bytes, bool]] = queue.Queue()
    username, password = running.logins[Account.HOST]
    link = BrokerLink(
        BrokerAddress("127.0.0.1", running.port),
        Credentials(str(username), str(password)),
        see_retained=True,
    )
    link.subscribe(TOPICS.command("+"), lambda *one: heard.put(one))
    link.start()
    wait_for(link, LinkState.CONNECTED)
    with Client(running, Account.TABLE) as table:
        table.publish(TOPICS.command("table"), b"bad", retain=True)
        table.publish(TOPICS.command("table"), b"good")
    assert heard.get(timeout=3) == (TOPICS.command("table"), b"bad", True)
    assert heard.get(timeout=3) == (TOPICS.command("table"), b"good", False)
    link.stop()


def test_a_broker_without_mqtt_5_is_spoken_to_in_3_1_1(tmp_path: Path) -> None:
    """The embedded broker refuses MQTT 5: the link falls back by itself."""
    with embedded() as running:
        username, password = running.logins[Account.HOST]
        link = BrokerLink(
            BrokerAddress("127.0.0.1", running.port),
            Credentials(str(username), str(password)),
            see_retained=True,
        )
        link.subscribe(TOPICS.command("+"), lambda *one: None)
        link.start()
        wait_for(link, LinkState.CONNECTED)
        link.stop()


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("mqtt://club", BrokerAddress("club", 1883)),
        ("mqtts://club/", BrokerAddress("club", 8883, True)),
        ("mqtt://[::1]:1884", BrokerAddress("::1", 1884)),
    ],
)
def test_an_address_is_read(url: str, address: BrokerAddress) -> None:
    """Scheme, host and port of a URL."""
    assert parse_url(url) == address


@pytest.mark.parametrize(
    "url", ["http://x", "mqtt://", "mqtt://me:secret@club", "mqtt://club:99999", "mqtt://a b"]
)
def test_an_address_that_is_none_is_refused_without_showing_a_password(url: str) -> None:
    """The error names the cure; a password in a URL is not repeated."""
    with pytest.raises(SchartenError) as error:
        parse_url(url)
    assert "secret" not in str(error.value) and "mqtt://host:1883" in str(error.value)
    assert redacted("mqtt://me:secret@club") == "mqtt://***@club"


def test_the_embedded_broker_says_who_has_its_port(running: Running) -> None:
    """Starting a second broker on the same port is an error with a cure."""
    with raw(running.port), pytest.raises(SchartenError, match=r"broker\.port"), embedded(port=running.port):
        pass
