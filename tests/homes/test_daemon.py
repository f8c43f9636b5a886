"""The whole daemon with lamp, webhook and Home Assistant, through MQTT, HTTP and the command line."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from homes.receiver import Receiver
from homes.test_home_assistant import rendered
from homes.test_webhooks import SECRET, documented_verify
from lab.daemon_process import FAST, DaemonProcess, wait_for
from lab.scripted_game import board_listens
from scharten.config import parse
from scharten.contract.light import parse_light
from scharten.errors import Problem
from scharten.homes.process import start_homes
from scharten.homes.settings import HomesSection

HOMES = """
[homes]
home_assistant = true
buttons = "seat1"
[[homes.lamps]]
name = "oche"
url = "{lamp}"
idle = 1
presets = {{ new_game = 9, placed = 2, lost = 3 }}
hold_s = 0.5
[[homes.lamps]]
name = "dead"
url = "http://127.0.0.1:1"
idle = 1
presets = {{ placed = 2 }}
[[homes.webhooks]]
name = "club"
url = "{hook}/scharten"
secret_file = "hook-secret"
events = ["placed", "lost", "game_over"]
"""


class Home:
    """A daemon, a lamp, a webhook's receiver, and a player."""

    def __init__(self, folder: Path, lamp: Receiver, hook: Receiver) -> None:
        self.lamp, self.hook = lamp, hook
        self.daemon = DaemonProcess(folder, FAST + HOMES.format(lamp=lamp.url, hook=hook.url))
        (folder / "hook-secret").write_text(SECRET)
        (folder / "hook-secret").chmod(0o600)
        self.start()

    def start(self) -> None:
        """Start the daemon and connect the player."""
        self.daemon.start()
        self.peer = self.daemon.peer("table")
        board_listens(self.peer)

    def presets(self) -> list[int]:
        """The presets that the lamp received so far."""
        return [json.loads(post.body)["ps"] for post in self.lamp.posts]

    def child(self) -> int:
        """The process of lamps and webhooks."""
        assert self.daemon.process is not None
        tasks = Path(f"/proc/{self.daemon.process.pid}/task").glob("*/children")
        for pid in (pid for children in tasks for pid in children.read_text().split()):
            if b"\0homes\0" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return int(pid)
        return 0

    def tell(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """`scharten homes` in this folder."""
        command = [sys.executable, "-m", "scharten", "homes", "--data", str(self.daemon.folder)]
        command += ["--config", str(self.daemon.config), *arguments]
        return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A home for the whole module."""
    with Receiver() as lamp, Receiver() as hook:
        made = Home(tmp_path_factory.mktemp("home"), lamp, hook)
        try:
            yield made
        finally:
            made.daemon.end()


def begin(home: Home) -> None:
    """A game whose beginning the lamp has shown, so that all is connected."""

    def shown() -> bool:
        home.peer.new_game()
        return wait_briefly(lambda: 9 in home.presets())

    wait_for(shown, 60, "the lamp to show the new game")
    wait_for(lambda: home.presets()[-1] == 1, 40, "the lamp to go back")
    home.lamp.posts.clear()
    home.hook.posts.clear()


def wait_briefly(found: Any) -> bool:
    """Whether it comes within two seconds."""
    try:
        return bool(wait_for(found, 2, "it"))
    except AssertionError:
        return False


@pytest.mark.long
def test_a_dart_lights_the_lamp_and_is_posted(home: Home) -> None:
    """A lost dart: `light` before the preset and before idle, a post that verifies; the dead lamp harms nothing."""
    begin(home)
    home.peer.last.pop("light", None)
    home.peer.throw(x_mm=0.0, y_mm=0.0)
    wait_for(lambda: home.presets() == [3, 1], 40, "the lamp")
    light = home.peer.last["light"]
    assert not isinstance(parse_light(json.dumps(light).encode()), Problem)
    assert light["by"] == "lamp-oche" and light["at_ms"] / 1000 <= home.lamp.posts[1].at - 0.05
    wait_for(lambda: home.hook.posts, 40, "the post")
    (posted,) = home.hook.posts
    assert posted.path == "/scharten" and documented_verify()(SECRET, posted.headers, posted.body)
    data = json.loads(posted.body)
    assert (data["type"], data["data"]["match"]) == ("lost", home.peer.state["match"])
    assert home.peer.state["turns"] == 1


@pytest.mark.long
def test_a_press_of_home_assistants_button_is_a_command(home: Home) -> None:
    """The host accepts a button's command, rendered from the retained state and sent with the seat's account."""
    begin(home)
    seat = home.daemon.peer("seat1")
    topic = "homeassistant/device/scharten_home_board1/config"
    found: list[bytes] = []
    seat._client.message_callback_add(topic, lambda _c, _u, item: found.append(item.payload))
    seat._client.subscribe("homeassistant/+/+/config", 1)
    wait_for(lambda: found, 40, "the message for Home Assistant")
    button = json.loads(found[0])["components"]["scharten_home_board1_button_offer_draw"]
    state = seat.wait(lambda item: item["phase"] == "turn")
    shown = json.loads(rendered(button["json_attributes_template"], state))
    pressed = rendered(button["command_template"], this=SimpleNamespace(attributes=SimpleNamespace(**shown)))
    assert button["command_topic"] == f"{seat.root}/command/seat1"
    seat.publish("command/seat1", pressed)
    id_ = json.loads(pressed)["id"]
    wait_for(lambda: id_ in seat.answers, 40, "the answer")
    assert seat.answers[id_]["accepted"]
    seat.wait(lambda item: item["draw_offer"] is not None)
    seat.close()


@pytest.mark.long
def test_the_command_says_and_tries_what_is_configured(home: Home) -> None:
    """The list names all; a trial shows and posts, and ends with 1 because of the dead lamp; no address, no secret."""
    begin(home)
    listed = home.tell()
    assert listed.returncode == 0 and "Home Assistant: announced" in listed.stdout
    assert 'as seat1; its password is "seat1" in' in listed.stdout
    assert "webhook club: placed, lost, game_over" in listed.stdout
    home.peer.last.pop("light", None)
    tried = home.tell("--try", "placed")
    assert tried.returncode == 1, tried
    assert "✓ lamp oche: preset 2, and back to 1" in tried.stdout
    assert "✗ lamp dead: preset 2, and back to 1 → no answer" in tried.stdout
    assert "✓ webhook club: placed" in tried.stdout
    assert home.presets() == [2, 1] and json.loads(home.hook.posts[0].body)["data"]["test"] is True
    assert home.peer.last["light"]["by"].startswith("lamp-")
    log = home.daemon.log.read_text() + tried.stdout + tried.stderr
    assert SECRET not in log and base64.b64decode(SECRET[6:]).hex() not in log and home.hook.url not in log


@pytest.mark.long
def test_the_game_goes_on_when_the_process_ends(home: Home) -> None:
    """Killed, the game does not notice, and it is started again and serves; stopped with the daemon."""
    begin(home)
    pid = home.child()
    os.kill(pid, signal.SIGKILL)
    home.peer.throw(x_mm=0.0, y_mm=0.0)
    home.peer.wait(lambda item: item["turns"] == 1)
    wait_for(lambda: home.child() not in (0, pid), 60, "another process")
    begin(home)
    repeated = home.child()
    assert home.daemon.stop() == 0
    assert not Path(f"/proc/{repeated}").exists()
    home.peer.close()
    home.start()  # for the tests that come later in this run


def test_without_the_secret_the_game_is_played_all_the_same(tmp_path: Path) -> None:
    """A webhook whose secret is not there: a warning for every page instead of a process, and the start goes on."""
    warned: dict[str, str | None] = {}
    homes = parse(HOMES.format(lamp="http://127.0.0.1:1", hook="http://127.0.0.1:1")).homes
    assert start_homes(tmp_path, homes, {}, warned.__setitem__) is None
    assert "hook-secret cannot be read" in str(warned["homes"])
    assert start_homes(tmp_path, HomesSection(), {}, warned.__setitem__) is None
