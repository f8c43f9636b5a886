"""A club's broker that dies, comes back and refuses passwords, under a daemon that plays on."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from broker.client import Client
from broker.running import SECRETS, TOPICS, Running, mosquitto
from lab.daemon_process import DaemonProcess, wait_for
from lab.ports import free_port
from scharten.contract.roles import Account
from scharten.contract.topics import Topic

pytestmark = pytest.mark.mosquitto
CONFIG = """
[broker]
url = "mqtt://127.0.0.1:{port}"
credentials = "{folder}"
[web]
port = 0
"""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[tuple[DaemonProcess, int]]:
    """A daemon for a Mosquitto that does not run yet."""
    for name, account in (("host", Account.HOST), ("web", Account.WEB)):
        (tmp_path / f"board1-{name}").write_text(SECRETS[account] + "\n")
        (tmp_path / f"board1-{name}").chmod(0o600)
    port = free_port()
    started = DaemonProcess(tmp_path / "data", CONFIG.format(port=port, folder=tmp_path))
    yield started, port
    started.end()


class Table:
    """The shared screen, with the club's account."""

    def __init__(self, running: Running) -> None:
        self.client = Client(running, Account.TABLE).connect()
        self.client.subscribe(f"{TOPICS.root}/#")
        self.last: dict[str, Any] = {}

    def until(self) -> dict[str, Any]:
        """The newest state, once one has come."""
        self._wait(lambda: {"state", "availability"} <= set(self.last), "a state")
        return dict(self.last["state"])

    def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Sends a command for the newest state and gives its answer."""
        state, name = self.last["state"], uuid4().hex
        body = {"v": 1, "id": name, "type": kind, "match": state["match"], "seq": state["seq"], **fields}
        self.client.publish(TOPICS.command("table"), json.dumps(body).encode())
        wait_for(
            lambda: self._read() or self.last.get("answer/table", {}).get("id") == name,
            10,
            f"an answer to {kind}",
        )
        while self._read():
            pass
        return dict(self.last["answer/table"])

    def _wait(self, true: Callable[[], bool], what: str) -> None:
        """Reads until it is true, and then all that is there."""
        wait_for(lambda: (self._read(), true())[1], 10, what)
        while self._read():
            pass

    def _read(self) -> bool:
        message = self.client.next(0.1)
        if message is None:
            return False
        with_words = message.topic != TOPICS.path(Topic.AVAILABILITY)
        text = message.payload.decode()
        self.last[message.topic.removeprefix(TOPICS.root + "/")] = json.loads(text) if with_words else text
        return True


@pytest.mark.long
def test_play_goes_on_when_the_broker_dies_and_pages_catch_up(
    daemon: tuple[DaemonProcess, int], tmp_path: Path
) -> None:
    """The daemon starts without a broker, serves when it comes, survives its death, and tells everything again."""
    started, port = daemon
    place = tmp_path / "mosquitto"
    place.mkdir()
    started.start()
    assert started.running["pid"]
    with mosquitto(place, port=port) as running:
        table = Table(running)
        table.until()
        assert table.ask("new_game")["accepted"]
        state = table.until()
        assert table.ask("move", move=state["moves"][0], side="white")["accepted"]
        played = table.until()
        assert played["side"] == "black" and table.last["availability"] == "online"
    time.sleep(0.5)
    assert started.process is not None and started.process.poll() is None
    with mosquitto(place, port=port) as running:
        new_table = Table(running)
        back = new_table.until()
        assert (back["match"], back["position"]) == (played["match"], played["position"])
        assert new_table.last["availability"] == "online"
        new_table.last["state"] = {**back, "seq": back["seq"] - 1}
        late = new_table.ask("move", move=back["moves"][0], side="black")
        assert (late["accepted"], late["code"]) == (False, "stale")
        new_table.last["state"] = back
        assert new_table.ask("move", move=back["moves"][0], side="black")["accepted"]


@pytest.mark.long
def test_a_refused_password_is_said_and_play_is_possible_once_it_is_right(
    daemon: tuple[DaemonProcess, int], tmp_path: Path
) -> None:
    """The daemon runs on, its log names the account and the cure, and never the password."""
    started, port = daemon
    place = tmp_path / "mosquitto"
    place.mkdir()
    (tmp_path / "board1-host").write_text("a-wrong-password\n")
    with mosquitto(place, port=port) as running:
        started.start()
        assert started.running["pid"]
        wait_for(lambda: "refuses board1-host" in started.log.read_text(), 40, "the word about the password")
        assert (
            "broker.credentials" in started.log.read_text()
            and "a-wrong-password" not in started.log.read_text()
        )
        with Client(running, None) as display:
            display.subscribe(TOPICS.path(Topic.STATE))
            assert display.next(0.3) is None
        assert started.stop() == 0
        (tmp_path / "board1-host").write_text(SECRETS[Account.HOST] + "\n")
        started.start()
        Table(running).until()
