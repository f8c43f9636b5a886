"""The review of a finished game in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.pages import Pages
from browser.servers import Mosquitto, served
from players.evening import ANN, BOB, played, store
from scharten.commands.reviews import stored_review
from scharten.display.context import DaemonParts
from scharten.games import GAMES_BY_KEY
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore
from scharten.review.page import cards

JOURNAL = "scharten.sqlite3"


def _answers(page: Page, made: str) -> None:
    """Answer the page's request for a review with these cards."""
    page.route("**/review/*.html*", lambda route: route.fulfill(body=made, content_type="text/html"))


@pytest.mark.long
def test_a_game_of_the_archive_and_of_a_player_is_reviewed(
    broker: Mosquitto, pages: Pages, tmp_path: Path
) -> None:
    """Both links lead to headline, graph, bars and the boards of deciding turns; nothing is wider than a phone.

    The review is made here: its process runs at idle priority, and waits for long beside other tests.
    """
    game = played(3, 25.0)
    game.ok("resign", "seat1")
    store(tmp_path / JOURNAL, game)
    register = PlayerStore(tmp_path)
    register.save(Player(ANN, Profile(name="Ann"), 1))
    register.save(Player(BOB, Profile(name="Bob"), 2))
    found = stored_review(game.match, tmp_path, (30.0, 30.0), lambda done, turns: None)
    book = PlayerBook(tmp_path, JOURNAL, GAMES_BY_KEY)
    with served(
        broker.port, open_roles=("table",), daemon=DaemonParts(tmp_path / JOURNAL, players=book)
    ) as server:
        page = pages.open(f"{server.url}/archive?lang=de#{game.match.id}", (375, 812))
        _answers(page, cards(found, "de"))
        page.locator("#review-link").click()
        expect(page.locator(".review .verdict")).to_contain_text("hat gewonnen")
        expect(page.locator(".decided .board")).to_have_count(len(found["decided"]))
        expect(page.locator(".decided .board .piece").first).to_be_visible()
        expect(page.locator("ul.decided")).to_have_css("list-style-type", "none")  # a turn has its own number
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
        page.unroute("**/review/*.html*")
        assert pages.console == []
