"""The wall between games: the club, the next pairing by name, and letters legible from the oche."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import Pages, still
from browser.scenes import scenes
from browser.test_wall import HEIGHTS, LEAST, WALLS
from lab.daemon_process import FAST, DaemonProcess
from scharten.games import GAMES_BY_KEY
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player

SIT = """async ([seats]) => {
    const socket = new WebSocket(location.origin.replace("http", "ws") + "/ws");
    await new Promise((done) => { socket.onmessage = done; socket.onopen = () =>
        socket.send(JSON.stringify({v: 1, role: "table"})); });
    seats.forEach((player, index) => socket.send(JSON.stringify({topic: "players",
        payload: {id: `sit${index}`, type: "sit", seat: `seat${index + 1}`, player}})));
}"""
"""Seat two players, as the pages of the seats do."""


@pytest.mark.long
@pytest.mark.browser
def test_the_idle_wall_names_the_club_and_who_plays_next(pages: Pages, tmp_path: Path) -> None:
    """On a real daemon with a club's name two registered players sit down. The wall shows both, large enough."""
    daemon = DaemonProcess(tmp_path, FAST + '[board]\nclub = "DC Tungsten"\n').start()
    try:
        book = PlayerBook(daemon.folder, "scharten.sqlite3", GAMES_BY_KEY)
        ann, bob = book.save({"name": "Ann"}), book.save({"name": "Bob"})
        assert isinstance(ann, Player) and isinstance(bob, Player)
        page = pages.open(f"{daemon.running['web']}/?role=display&lang=en", WALLS[0])
        expect(page.locator("#idle h2")).to_have_text("DC Tungsten")
        expect(page.locator(".idle-next")).to_have_count(0)
        page.evaluate(SIT, [[ann.id, bob.id]])
        expect(page.locator(".idle-next")).to_have_text("NextAnn – Bob")
        for width, height in WALLS:
            page.set_viewport_size({"width": width, "height": height})
            still(page)
            found = page.evaluate(HEIGHTS, ["#idle h2", ".idle-next", ".idle-next small"])
            assert len(found) == 3 and [text for text in found if text[2] < LEAST] == [], found
    finally:
        daemon.end()


PAIR = {"round": 2, "table": 3, "names": {"white": "Wilhelmina", "black": "Jan-Willem de Vries"}}
NEXT = {
    "en": "Next · round 2, table 3",
    "nl": "Hierna · ronde 2, tafel 3",
    "de": "Nächstes · Runde 2, Tisch 3",
}


@pytest.fixture
def paired(host: FakeHost) -> Iterator[FakeHost]:
    """A board with a pair from its club's evening; afterwards the broker holds none."""
    host.publish("next", {"v": 2, "pair": PAIR})
    yield host
    host.publish("next", {"v": 2, "pair": None})


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize("language", sorted(NEXT))
def test_the_wall_names_the_next_pair_of_the_clubs_evening(
    paired: FakeHost, opened: Opener, language: str
) -> None:
    """The wall shows round, table and both names before a game and below a result, and hides them with the pair."""
    paired.publish("state", scenes()["mate"])
    page = opened(f"role=display&lang={language}", WALLS[0])
    words = f"{NEXT[language]}Wilhelmina – Jan-Willem de Vries"
    expect(page.locator("#end .end-next")).to_contain_text(words)
    for name, place in (("mate", ".end-next"), ("setup", ".idle-next")):
        paired.publish("state", scenes()[name])
        expect(page.locator(place)).to_contain_text(words)
        for width, height in WALLS:
            page.set_viewport_size({"width": width, "height": height})
            still(page)
            found = page.evaluate(HEIGHTS, [place, f"{place} small"])
            assert len(found) == 2 and [text for text in found if text[2] < LEAST] == [], found
            box = page.locator(place).bounding_box()
            assert box and box["y"] >= 0 and box["y"] + box["height"] <= height, (name, width, box)
    paired.publish("next", {"v": 2, "pair": None})
    expect(page.locator(".idle-next")).to_have_count(0)
