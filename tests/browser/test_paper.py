"""A finished game on paper: the archive's data on one printed page."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from browser.pages import Pages
from browser.servers import Mosquitto, Served, served
from browser.test_archive import KEPT
from scharten.display.context import DaemonParts


@pytest.fixture(scope="module")
def kept(broker: Mosquitto, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the journal of two finished games."""
    journal = Path(shutil.copy(KEPT, tmp_path_factory.mktemp("paper")))
    with served(broker.port, open_roles=("table",), daemon=DaemonParts(journal)) as server:
        yield server


def games(server: Served) -> list[dict[str, Any]]:
    """Return the archive's games in full."""
    with urlopen(f"{server.url}/archive/games.json", timeout=40) as answer:
        listed = json.load(answer)["games"]
    found = []
    for entry in listed:
        with urlopen(f"{server.url}/archive/{entry['match']}.json", timeout=40) as answer:
            found.append(json.load(answer)["game"])
    return found


def test_a_game_is_printed_with_its_moves_position_and_darts(pages: Pages, kept: Served) -> None:
    """Names, result, a line for each move number, the last position, and heat maps with a scale; no tools."""
    game = next(
        kept_game for kept_game in games(kept) if any(entry["bed"] for entry in kept_game["sheet"]["entries"])
    )
    page = pages.open(f"{kept.url}/print?lang=en#{game['match']}", (1000, 900))
    expect(page.locator("h1")).to_contain_text(f"{game['names']['white']} – {game['names']['black']}")
    entries = game["sheet"]["entries"]
    expect(page.locator(".paper-moves li")).to_have_count(len({entry["n"] for entry in entries}))
    men = sum(sign.isalpha() for sign in entries[-1]["position"].split()[0])
    expect(page.locator(".paper-board .piece")).to_have_count(men)
    beds = {
        side: {e["bed"] for e in entries if e["bed"] and e["side"] == side} for side in ("white", "black")
    }
    for place, side in enumerate(beds):
        expect(page.locator(".heat-map").nth(place).locator(".heat-bed")).to_have_count(len(beds[side]))
    expect(page.locator(".heat-scale")).to_contain_text("Darts in a bed: 1")
    columns = page.locator(".paper-moves li").evaluate_all(
        "all => new Set(all.map((one) => one.offsetLeft)).size"
    )
    assert columns == 2
    expect(page.locator("#print")).to_be_visible()
    page.emulate_media(media="print")
    expect(page.locator("#print")).to_be_hidden()
    page.emulate_media(media="screen")


def test_an_unknown_game_says_so(pages: Pages, kept: Served) -> None:
    """A wrong address shows the way back to the list."""
    page = pages.open(f"{kept.url}/print?lang=en#nothing")
    page.get_by_role("link", name="Archive").click()
    expect(page.locator("#games")).to_be_visible()


@pytest.mark.parametrize("asked", ["", "#m-unknown"])
def test_without_a_game_the_page_offers_finished_games(pages: Pages, kept: Served, asked: str) -> None:
    """One press prints a game, and the page reports an unknown game. Board and archive are one press away."""
    over = [game for game in games(kept) if game["sheet"]["result"]]
    page = pages.open(f"{kept.url}/print?lang=nl{asked}", (390, 844))
    expect(page.locator("h1")).to_have_text("Een partij afdrukken")
    expect(page.locator(".missing")).to_have_count(1 if asked else 0)
    expect(page.locator(".rows a")).to_have_count(len(over))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(".action-row a").evaluate_all(
        "all => all.map((one) => one.getAttribute('href'))"
    ) == [
        "archive",
        "./",
    ]
    page.locator(".rows a").first.click()
    expect(page.locator("#print")).to_be_visible()
    expect(page.locator(".paper-board .piece").first).to_be_visible()
    page.get_by_role("link", name="Archief").click()
    expect(page.locator("#game h2")).to_be_visible()


def test_before_the_first_game_the_page_says_so(pages: Pages, display: Served) -> None:
    """A server without games shows a message and a link to the board, no empty sheet."""
    page = pages.open(f"{display.url}/print?lang=en")
    expect(page.get_by_text("No game is over yet")).to_be_visible()
    expect(page.locator(".action-row a")).to_have_count(2)
