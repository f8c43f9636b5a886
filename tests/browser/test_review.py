"""The review of a finished game in a real browser."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from browser.pages import Pages
from browser.servers import Mosquitto, served
from players.evening import ANN, BOB, played, store
from scharten.display.context import DaemonParts
from scharten.games import GAMES_BY_KEY
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore

JOURNAL = "scharten.sqlite3"


def test_a_game_of_the_archive_and_of_a_player_is_reviewed(
    broker: Mosquitto, pages: Pages, tmp_path: Path
) -> None:
    """Both links lead to the graph, the bars and the deciding turns; no console error, nothing wider than a phone."""
    game = played(3, 25.0)
    game.ok("resign", "seat1")
    store(tmp_path / JOURNAL, game)
    register = PlayerStore(tmp_path)
    register.save(Player(ANN, Profile(name="Ann"), 1))
    register.save(Player(BOB, Profile(name="Bob"), 2))
    book = PlayerBook(tmp_path, JOURNAL, GAMES_BY_KEY)
    with served(
        broker.port, open_roles=("table",), daemon=DaemonParts(tmp_path / JOURNAL, players=book)
    ) as server:
        page = pages.open(f"{server.url}/archive?lang=de#{game.match.id}", (375, 812))
        page.locator("#review-link").click()
        expect(page.locator(".review-graph .dot")).to_have_count(3)
        expect(page.locator(".review-graph li")).to_have_text(["100 %", "50 %", "0 %", "Zug 1", "Zug 3"])
        graph = page.locator(".review-graph svg").bounding_box()
        ends = [item.bounding_box() for item in page.locator(".review-turns li").all()]
        assert graph is not None and all(
            end is not None and end["y"] >= graph["y"] + graph["height"] for end in ends
        )
        expect(page.locator(".bars rect")).to_have_count(6)
        expect(page.locator(".review h2").first).to_have_text("Ann – Bob")
        turn = page.locator(".decided a").first
        turn.click()
        expect(page.locator("tr:target")).to_be_in_viewport()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.goto(f"{server.url}/players?lang=en&player={ANN}")
        page.locator(".review-link").click()
        expect(page.locator("header h1")).to_have_text("Review")
        expect(page.locator(".review-graph .dot")).to_have_count(3)
        assert pages.console == []
