"""Three real Mosquittos, two clubs and a centre, as the commands configure them."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion
from typer.testing import CliRunner

from lab.daemon_process import wait_for
from lab.ports import free_port
from lab.programs import program
from scharten.cli import build
from scharten.club_broker.federation import Centre
from scharten.club_broker.mosquitto_folder import write_centre
from scharten.mqtt.network_thread import stop_thread

pytestmark = pytest.mark.mosquitto


class Broker:
    """A Mosquitto with the files of a folder, which can be killed and started again."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Run it until it listens."""
        conf = self.folder / "running.conf"
        user = pwd.getpwuid(os.getuid()).pw_name
        first, bridge, rest = (
            (self.folder / "mosquitto.conf").read_text().partition("\n# Made by 'scharten broker-config --b")
        )
        conf.write_text(f"{first}\nuser {user}\n{bridge}{rest}")
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([program("mosquitto"), "-c", str(conf)], stdout=log, stderr=log)

    def stop(self) -> None:
        """Kill it."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def client(self, account: str, ca_file: Path | None = None) -> Listener:
        """Somebody with an account of this broker, over TLS where there is an authority."""
        return Listener(self.port, account, (self.folder / "secrets" / account).read_text().strip(), ca_file)


class Listener:
    """A client that keeps the newest of each topic."""

    def __init__(self, port: int, account: str, secret: str, ca_file: Path | None) -> None:
        self.last: dict[str, bytes] = {}
        self._up = threading.Event()
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.username_pw_set(account, secret)
        if ca_file is not None:
            self._client.tls_set(str(ca_file))
        self._client.on_connect = lambda client, *_: (client.subscribe("scharten/#", 1), self._up.set())
        self._client.on_message = lambda _client, _data, message: self.last.update(
            {message.topic: message.payload}
        )
        self._client.reconnect_delay_set(1, 1)
        wait_for(lambda: self._opened(port), 40, "a broker")
        self._client.loop_start()
        assert self._up.wait(40)

    def _opened(self, port: int) -> bool:
        try:
            self._client.connect("127.0.0.1", port)
        except OSError:
            return False
        return True

    def say(self, topic: str, value: Any, retain: bool = True) -> None:
        """Publish, and wait until the broker has it."""
        self._client.publish(topic, json.dumps(value), 1, retain).wait_for_publish(10)

    def expect(self, topic: str, value: Any) -> None:
        """Wait for a value on a topic."""
        wait_for(lambda: self.last.get(topic) == json.dumps(value).encode(), 40, f"{value} on {topic}")

    def close(self) -> None:
        """Leave."""
        self._client.disconnect()
        stop_thread(self._client)


@pytest.fixture
def brokers(tmp_path: Path) -> Iterator[Callable[[str], Broker]]:
    """The centre and two clubs with a board each, over TLS, running."""
    made: dict[str, Broker] = {}
    port = free_port()
    run("centre-config", "--clubs", "haarlem:board1,leiden", "--out", tmp_path / "centre", "--port", port,
        "--tls", "127.0.0.1", "--bind", "127.0.0.1")  # fmt: skip
    made["centre"] = Broker(tmp_path / "centre", port)
    for club in ("haarlem", "leiden"):
        own = free_port()
        run("broker-config", "--boards", "board1", "--club", club, "--out", tmp_path / club, "--port", own,
            "--bind", "127.0.0.1", "--bridge", f"mqtts://club-{club}@127.0.0.1:{port}",
            "--bridge-password", tmp_path / "centre" / "secrets" / f"club-{club}",
            "--bridge-ca", tmp_path / "centre" / "tls" / "ca.pem")  # fmt: skip
        made[club] = Broker(tmp_path / club, own)
    for item in made.values():
        item.start()
    yield made.__getitem__
    for item in made.values():
        item.stop()


def run(*arguments: object) -> str:
    """A command of ours."""
    done = CliRunner().invoke(build(), [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_clubs_push_and_nothing_comes_back(brokers: Callable[[str], Broker]) -> None:
    """Both clubs' states reach the centre, a bridge that was away catches up, and nothing there commands a board."""
    centre, haarlem, leiden = (brokers(name) for name in ("centre", "haarlem", "leiden"))
    hosts = {item.folder.name: item.client("board1-host") for item in (haarlem, leiden)}
    far = centre.client("archive", centre.folder / "tls" / "ca.pem")
    for name, host in hosts.items():
        host.say(f"scharten/{name}/board1/state", {"seq": 1})
        far.expect(f"scharten/{name}/board1/state", {"seq": 1})

    far.say("scharten/haarlem/board1/command/arbiter", {"type": "resign"}, retain=False)
    far.say("scharten/haarlem/board1/state", {"seq": 99})
    hosts["haarlem"].say("scharten/leiden/board1/state", {"seq": 98})  # of a board that is not its own

    far.close()
    centre.stop()  # away, while a game ends and another is played
    hosts["haarlem"].say("scharten/haarlem/board1/finished/0", {"match": "m1"})
    for seq in range(2, 40):
        hosts["haarlem"].say("scharten/haarlem/board1/state", {"seq": seq})
    centre.start()
    late_archive = centre.client("archive", centre.folder / "tls" / "ca.pem")
    late_archive.expect("scharten/haarlem/board1/state", {"seq": 39})
    late_archive.expect("scharten/haarlem/board1/finished/0", {"match": "m1"})
    late_archive.expect("scharten/leiden/board1/state", {"seq": 1})
    time.sleep(0.2)
    assert not [topic for topic in hosts["haarlem"].last if "command" in topic]

    club = centre.client("club-haarlem", centre.folder / "tls" / "ca.pem")
    for topic in (
        "board9/state",
        "board1/finished/8",
        "board1/forgotten/x",
        "board9/finished/0",
        "board1/finished/7",
    ):
        club.say(f"scharten/haarlem/{topic}", {"seq": 1})
    late_archive.expect("scharten/haarlem/board1/finished/7", {"seq": 1})
    kept = {topic for topic in late_archive.last if topic.startswith("scharten/haarlem")}
    assert kept == {f"scharten/haarlem/board1/{name}" for name in ("state", "finished/0", "finished/7")}
    assert "memory_limit" in (centre.folder / "mosquitto.conf").read_text()
    for item in (late_archive, *hosts.values()):
        item.close()


def test_a_bridge_without_an_account_is_refused_in_words(tmp_path: Path) -> None:
    """Nobody's password is guessed: the cure names the file."""
    from scharten.errors import SchartenError  # noqa: PLC0415

    with pytest.raises(SchartenError, match="account at the centre"):
        run("broker-config", "--boards", "b", "--out", tmp_path / "x", "--bridge", "mqtt://centre")


@pytest.mark.parametrize("tls", [(), ("centre.example",)])
def test_the_printed_command_of_a_club_is_complete(tmp_path: Path, tls: tuple[str, ...]) -> None:
    """With TLS each club's command names the centre's certificate, without which the bridge trusts nobody."""
    words = write_centre(("haarlem",), tmp_path, tls, Centre(("haarlem",)))
    (command,) = (line for line in words.splitlines() if "broker-config" in line)
    assert ("--bridge-ca ca.pem" in command) is bool(tls)
