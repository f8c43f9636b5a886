"""Meeting at a centre, without an open port: its rooms, its lobby, and a game of two daemons through it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lab.daemon_process import wait_for
from lab.ports import free_ports
from lab.raw_guest import guest_darts
from lab.scripted_game import aim_at_bed
from lab.two_boards import SECONDS, TwoBoards
from scharten.cli import build
from scharten.commands.remote import ask
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.client import MqttClient
from scharten.mqtt.pinned import ANY
from scharten.remote.centre import Centre
from scharten.remote.invitation import Link, read_link
from scharten.remote.meeting import is_lobby_topic, is_room_topic, lobby_topic, room_of
from scharten.system.loop_thread import LoopThread


@pytest.fixture(scope="module")
def centre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Centre]:
    """A running centre on a free port of this machine."""
    thread = LoopThread(Centre(tmp_path_factory.mktemp("centre"), "127.0.0.1", 0), "centre")
    thread.start()
    try:
        yield thread.server
    finally:
        thread.stop()


@pytest.fixture
def boards(centre: Centre, tmp_path: Path) -> Iterator[TwoBoards]:
    """Two daemons that name the centre as their meeting place."""
    both = TwoBoards(tmp_path, meeting=f"mqtts://127.0.0.1:{centre.port}")
    try:
        yield both.start()
    finally:
        both.end()


def doctor(folder: Path, link: str) -> tuple[int, str]:
    """Return exit status and output of `scharten doctor --remote`."""
    done = CliRunner().invoke(
        build(),
        ["doctor", "--remote", link, "--data", str(folder), "--config", str(folder / "test.toml")],
    )
    return done.exit_code, done.output


def client_at(centre: Centre, topic_filter: str, received: list[tuple[str, bytes]]) -> MqttClient:
    """Return a connected client of the centre that records its messages."""
    address = BrokerAddress("127.0.0.1", centre.port, tls=True, pinned=ANY)
    client = MqttClient(address, name="test", quiet=True)
    client.subscribe(topic_filter, lambda topic, payload, _retained: received.append((topic, payload)))
    client.start()
    wait_for(lambda: client.status.connected, SECONDS, "the centre")
    return client


def test_rooms_and_places_have_names_of_one_shape() -> None:
    """A room's name follows from the letters; other topics belong neither to a room nor to the lobby."""
    room = room_of("ABCDEFGH")
    assert room == room_of("ABCDEFGH") != room_of("ABCDEFGJ")
    assert is_room_topic(f"meet/{room}/a/b/in")
    assert is_lobby_topic(lobby_topic(room))
    for topic in (
        f"meet/{room}/a/in",
        f"meet/{room[:-1]}/a/b/in",
        f"meet/{room}/a/b/c",
        "scharten/a/b/state",
    ):
        assert not is_room_topic(topic), topic
    for topic in ("meet/lobby/1024", "meet/lobby/-1", "meet/lobby/²", "meet/lobby", "meet/lobby/1/2"):
        assert not is_lobby_topic(topic), topic
    link = Link("centre.example", 8885, "ABCDEFGH", "A" * 43, meets=True)
    assert read_link(str(link)) == link
    assert read_link("meet://centre.example/abcd efgh") == Link(
        "centre.example", 8885, "ABCDEFGH", meets=True
    )


def test_a_room_cannot_be_found_and_nothing_in_it_is_stored(centre: Centre) -> None:
    """A wildcard for rooms brings nothing. A message in a named room arrives once, and none later."""
    room, everything, named = room_of("ABCDEFGH"), list[tuple[str, bytes]](), list[tuple[str, bytes]]()
    spy, guest = (
        client_at(centre, "meet/+/+/+/in", everything),
        client_at(centre, f"meet/{room}/+/+/in", named),
    )
    guest.publish(f"meet/{room}/a/b/in", b"hello", retain=True)
    wait_for(lambda: named, SECONDS, "the message in the room")
    later: list[tuple[str, bytes]] = []
    late = client_at(centre, f"meet/{room}/+/+/in", later)
    late.publish(f"meet/{room}/a/b/in", b"second")
    wait_for(lambda: later, SECONDS, "the second message")
    assert [payload for _, payload in later] == [b"second"]
    assert not everything
    for client in (spy, guest, late):
        client.stop()


@pytest.mark.long
def test_a_game_through_a_centre_needs_no_open_port(boards: TwoBoards, centre: Centre) -> None:
    """Invited by letters at the centre, the game runs through it; the door is open to this machine only."""
    status = boards.invite()
    link = read_link(status["link"])
    assert isinstance(link, Link)
    assert (link.meets, link.port) == (True, centre.port)
    code, words = doctor(boards.guest.folder, status["link"])
    assert code == 0, words
    assert f"✓ centre 127.0.0.1:{centre.port}: the host waits there" in words
    wrong = str(Link(link.host, link.port, "AAAAAAAA", link.fingerprint, meets=True))
    code, words = doctor(boards.guest.folder, wrong)
    assert code == 1
    assert "nobody waits there with these letters" in words
    ask(boards.guest.folder, {"type": "ask", "link": f"meet://{status['address']}/{status['letters']}"})
    ask(boards.guest.folder, {"type": "accept", "name": "Bob"})
    state = boards.at_host.wait(lambda state: state["away"] == "seat2", SECONDS, "the game")
    boards.seen_by_both(state["match"])
    assert boards.play_on(6, seed=4)
    assert boards.status(boards.guest)["differs"] == ""


@pytest.mark.long
def test_the_lobby_shows_waiting_hosts_and_the_host_answers(boards: TwoBoards) -> None:
    """An open invitation is listed, a challenger waits for the host's yes, and the entry disappears with it."""
    assert ask(boards.guest.folder, {"type": "lobby"})["offer"]["entries"] == []
    body = {"type": "invite", "seat": "seat2", "order": {"abandon": True}, "by": "Ann", "lobby": True}
    ask(boards.host.folder, body)
    entries = wait_for(
        lambda: ask(boards.guest.folder, {"type": "lobby"})["offer"]["entries"], SECONDS, "the entry"
    )
    assert [(entry["by"], entry["game"]) for entry in entries] == [("Ann", "scharten")]
    offer = ask(boards.guest.folder, {"type": "ask", "link": entries[0]["link"]})["offer"]
    assert offer["asks"]
    ask(boards.guest.folder, {"type": "accept", "name": "Bob"})
    wait_for(lambda: boards.status(boards.host)["challenger"] == "Bob", SECONDS, "the challenger")
    assert boards.status(boards.guest)["state"] == "asked"
    assert boards.at_host.state["away"] is None
    ask(boards.host.folder, {"type": "answer", "yes": True})
    boards.at_host.wait(lambda state: state["away"] == "seat2", SECONDS, "the game")
    assert ask(boards.guest.folder, {"type": "lobby"})["offer"]["entries"] == []


@pytest.mark.long
def test_the_command_runs_a_centre_until_it_is_stopped(tmp_path: Path) -> None:
    """`scharten centre` prints the line for the configuration, and ends cleanly on SIGTERM."""
    command = [sys.executable, "-m", "scharten", "centre", "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen([*command, "--data", str(tmp_path / "centre")], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        process.terminate()
        assert process.wait(SECONDS) == 0
    assert '[remote] meeting = "mqtts://NAME:' in line


@pytest.mark.long
def test_a_dart_thrown_while_the_centre_is_dead_is_stored_once(tmp_path: Path) -> None:
    """The centre is killed during a game and restarts: the guest's dart arrives once, and the game continues."""
    port = free_ports(1)[0]
    running = run_centre(tmp_path, port)
    boards = TwoBoards(tmp_path, meeting=f"mqtts://127.0.0.1:{port}").start()
    try:
        ask(boards.guest.folder, {"type": "ask", "link": boards.invite()["link"]})
        ask(boards.guest.folder, {"type": "accept", "name": "Bob"})
        state = boards.at_host.wait(lambda state: state["away"] == "seat2", SECONDS, "the game")
        boards.seen_by_both(state["match"])
        while boards.at_turn(boards.at_host.state) is not boards.at_guest:
            assert boards.play_on(1, seed=4)
        before = guest_darts(boards)
        running.kill()
        running.wait(SECONDS)
        wait_for(lambda: boards.status(boards.guest)["state"] == "away", SECONDS, "the line to be down")
        target = aim_at_bed("F18")
        boards.at_guest.throw(x_mm=target.x_mm, y_mm=target.y_mm)
        wait_for(lambda: boards.status(boards.guest)["waiting"], SECONDS, "the dart at the guest's board")
        running = run_centre(tmp_path, port)
        wait_for(lambda: len(guest_darts(boards)) == len(before) + 1, 2 * SECONDS, "the dart in the journal")
        wait_for(lambda: not boards.status(boards.guest)["waiting"], SECONDS, "its acknowledgement")
        boards.resume()
        assert boards.play_on(2, seed=4)
        darts = guest_darts(boards)
        assert len(set(darts)) == len(darts)
        assert boards.status(boards.guest)["differs"] == ""
    finally:
        boards.end()
        running.kill()
        running.wait(SECONDS)


def run_centre(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """Run `scharten centre` as a separate process; return once it listens."""
    command = [sys.executable, "-m", "scharten", "centre", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen([*command, "--data", str(folder / "centre")], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline()
    return process
