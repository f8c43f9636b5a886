"""The club's page: every board on one broker, live, and marked as offline when it goes away."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.fakes import FakeHost, snapshot
from browser.pages import Pages
from browser.scenes import scenes
from browser.servers import Mosquitto, Served
from browser.test_fitness import serious
from lab.daemon_process import FAST, DaemonProcess
from scharten.contract.topics import NAME


@pytest.fixture(scope="module")
def second_host(broker: Mosquitto) -> Iterator[FakeHost]:
    """A fake host at another board; afterwards the broker has no trace of it."""
    second = FakeHost(broker.port, "scharten/home/board2")
    yield second
    for topic in ("state", "health", "availability"):
        second.publish(topic, "", raw=True)
    second.stop()


@pytest.fixture
def hosts(host: FakeHost, second_host: FakeHost) -> tuple[FakeHost, FakeHost]:
    """Two boards with fake hosts on one broker."""
    return host, second_host


@pytest.fixture
def club(pages: Pages, display: Served) -> Page:
    """The club's page in English."""
    return pages.open(f"{display.url}/club?lang=en&theme=light")


def card(page: Page, board: str) -> str:
    """Wait for a board's card and return its selector."""
    selector = f'.club-card[data-board="{board}"]'
    page.locator(selector).wait_for()
    return selector


def test_every_board_with_names_fouls_clock_and_electronics(
    club: Page, hosts: tuple[FakeHost, FakeHost]
) -> None:
    """Two hosts give two cards: pieces, names, pips, running clock, the turn, and faults of the machine."""
    first, second = hosts
    now = int(time.time() * 1000)
    middle = scenes()["turn"]
    first.publish("state", middle | {"clock": middle["clock"] | {"since_ms": now}})
    first.publish("health", {"v": 1, "playable": True, "sources": [{"name": "serial", "state": "found"}]})
    second.publish("state", snapshot(names={"white": "Cleo", "black": "Dirk"}, board="board2"))
    second.publish("health", {"v": 1, "playable": True, "sources": [{"name": "serial", "state": "lost"}]})
    left, right = card(club, "board1"), card(club, "board2")
    expect(club.locator(f"{left} .piece")).to_have_count(29)
    expect(club.locator(left)).to_contain_text("Anna")
    expect(club.locator(f"{left} .club-player.white .pip.on")).to_have_count(1)
    expect(club.locator(f"{left} .club-player.white .club-clock.running")).to_have_text(
        re.compile(r"^10:\d\d$")
    )
    expect(club.locator(f"{left} .club-game")).to_have_text("Scharten, loud")
    expect(club.locator(f"{left} .club-machine")).to_have_text("Electronics in order")
    expect(club.locator(right)).to_contain_text("Cleo")
    expect(club.locator(f"{right} .club-machine")).to_have_text("The dartboard is not connected")
    second.publish("state", snapshot(board="board2", result="1-0", reason="checkmate", phase="finished"))
    expect(club.locator(f"{right} .pill")).to_have_text("1-0")
    first.publish("state", scenes()["throwing"])
    expect(club.locator(f"{left} .pill")).to_have_text("Anna throws a rook")
    assert serious(club) == []
    for width, height in ((360, 740), (3840, 2160)):
        club.set_viewport_size({"width": width, "height": height})
        assert club.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_can_only_look(club: Page, hosts: tuple[FakeHost, FakeHost]) -> None:
    """A command that a club page sends reaches no board."""
    card(club, "board1")
    hosts[0].commands.clear()
    club.evaluate("""() => new Promise((done) => {
        const socket = new WebSocket(`ws://${location.host}/ws`);
        socket.onopen = () => {
            socket.send(JSON.stringify({ v: 1, role: "display", club: true }));
            socket.send(JSON.stringify({ topic: "command", payload: { v: 1, id: "x", type: "resign" } }));
            setTimeout(done, 500);
        };
    })""")
    assert hosts[0].commands == []


def test_strange_topics_make_no_card(club: Page, broker: Mosquitto, hosts: tuple[FakeHost, FakeHost]) -> None:
    """The page ignores an invalid board name and a payload that is not JSON."""
    card(club, "board1")
    bad = FakeHost(broker.port, "scharten/Not A Board")
    bad.publish("state", "{", raw=True)
    hosts[1].publish("state", "{", raw=True)
    hosts[1].publish("state", snapshot(names={"white": "Eva", "black": ""}))
    expect(club.locator(card(club, "board2"))).to_contain_text("Eva")
    boards = club.locator(".club-card").evaluate_all("cards => cards.map((card) => card.dataset.board)")
    assert {"board1", "board2"} <= set(boards), boards
    assert all(NAME.fullmatch(board) for board in boards), boards
    bad.publish("availability", "", raw=True)
    bad.stop()


@pytest.mark.long
def test_a_host_that_freezes_is_shown_offline_within_ten_seconds(
    club: Page, broker: Mosquitto, tmp_path: Path
) -> None:
    """A real `scharten run` plays on the club's broker. When its process is frozen, its card shows it as offline."""
    config = tmp_path / "club.toml"
    config.write_text(
        f'[broker]\nurl = "mqtt://127.0.0.1:{broker.port}"\n[board]\nid = "oche3"\n'
        '[source]\nkind = "serial"\n[source.serial]\nport = "/dev/none"\n'
    )
    command = [
        sys.executable, "-m", "scharten", "run", "--data", str(tmp_path / "d"), "--config", str(config),
        "--port", "0", "--no-browser",
    ]  # fmt: skip
    host = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        selector = card(club, "oche3")
        expect(club.locator(f"{selector} .pill")).to_have_text("free")
        expect(club.locator(f"{selector} .club-machine")).to_contain_text("not connected")
        os.kill(host.pid, signal.SIGSTOP)
        frozen = time.monotonic()
        expect(club.locator(f"{selector} .pill")).to_have_text("offline")
        print(f"offline after {time.monotonic() - frozen:.1f} s, target 10 s")
        os.kill(host.pid, signal.SIGCONT)
        expect(club.locator(f"{selector} .pill")).to_have_text("free")
    finally:
        os.kill(host.pid, signal.SIGCONT)
        host.terminate()
        host.wait(40)


@pytest.mark.long
def test_a_daemon_with_its_own_broker_shows_its_one_board(pages: Pages, tmp_path: Path) -> None:
    """`scharten run` alone: the club's page shows that board, and the arbiter's secret opens its status page."""
    daemon = DaemonProcess(
        tmp_path, FAST + '[source]\nkind = "serial"\n[source.serial]\nport = "/dev/none"\n'
    )
    try:
        url = daemon.start("--port", "0").running["web"]
        page = pages.open(f"{url}/club?lang=en")
        expect(page.locator(f"{card(page, 'board1')} .pill")).to_have_text("free")
        assert page.locator(".club-card").count() == 1
        page.goto(f"{url}/status?lang=en#secret={daemon.secrets['arbiter']}")
        expect(page.locator('[data-part="play"]')).to_contain_text("The board is ready to play.")
        expect(page.locator('[data-part="sources"]')).to_contain_text("serial board: not connected")
        with page.expect_download() as waiting:
            page.locator("#diagnostics").click()
        text = waiting.value.path().read_text(encoding="utf-8")
        assert '"config"' in text and "/dev/none" in text
        assert not [name for name, secret in daemon.secrets.items() if secret in text]
    finally:
        daemon.end()


def test_the_boards_come_back_after_the_broker_was_away(
    club: Page, broker: Mosquitto, hosts: tuple[FakeHost, FakeHost]
) -> None:
    """The page reports that the broker is away. Afterwards it shows the boards again without a reload."""
    hosts[0].publish("state", snapshot())
    first = card(club, "board1")
    broker.stop()
    expect(club.locator("#header .link-state")).to_contain_text("broker")
    broker.start()
    for host in hosts:
        host.publish("availability", "online", raw=True)
        host.publish("state", snapshot(names={"white": "Again", "black": ""}))
    expect(club.locator(first)).to_contain_text("Again")
    expect(club.locator(f"{first} .pill")).to_have_text("Again: throw a pawn, or move")
    expect(club.locator("#header .link-state")).to_be_hidden()
