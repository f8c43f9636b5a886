"""The adviser and a registered player's darts on the page of a real daemon with its simulated board."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from browser.pages import Pages
from browser.test_archive import asked
from lab.daemon_process import FAST, DaemonProcess
from lab.scripted_game import board_listens
from scharten.config import JOURNAL
from scharten.games import GAMES_BY_KEY
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[DaemonProcess]:
    """A daemon for one test, on which no game has begun."""
    made = DaemonProcess(tmp_path, FAST).start()
    yield made
    made.end()


def fits_and_is_accessible(page: Page) -> None:
    """Check that nothing is cut off at the side of the smallest phone, and that axe finds nothing."""
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    inside = (
        "[...document.querySelectorAll('dialog *')].filter(e => e.getBoundingClientRect().right > 361).length"
    )
    assert page.evaluate(inside) == 0
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.set_viewport_size({"width": 1280, "height": 900})


@pytest.mark.long
@pytest.mark.browser
def test_practice_on_the_board_before_any_game(daemon: DaemonProcess, pages: Pages) -> None:
    """The page chooses an exercise, the serial line carries the dart, the host counts it for the player."""
    bob = PlayerBook(daemon.folder, JOURNAL, GAMES_BY_KEY).save({"name": "Bob"})
    assert isinstance(bob, Player)
    peer = daemon.peer("table")
    board_listens(peer)
    url = daemon.running["web"]
    page = pages.open(f"{url}/practice?lang=en&player={bob.id}", (1280, 900))
    expect(page.locator("#practice-player")).to_have_value(bob.id)
    page.locator('[data-exercise="warm_up"]').click()
    expect(page.locator(".bed.free")).to_have_count(2)
    peer.throw(x_mm=1.0, y_mm=1.0)
    expect(page.get_by_text("1 of 1 hit, 1 in a row, best 1")).to_be_visible()
    page.locator("#practice-missed").click()
    expect(page.get_by_text("1 of 2 hit, 0 in a row, best 1")).to_be_visible()
    page.locator("#practice-fix").click()
    page.locator('.heat [data-bed="BULL"]').click()
    expect(page.get_by_text("2 of 2 hit, 2 in a row, best 2")).to_be_visible()
    page.locator("#practice-fix").click()
    page.locator("#practice-missed").click()
    expect(page.get_by_text("1 of 2 hit, 0 in a row, best 1")).to_be_visible()
    fits_and_is_accessible(page)
    statistics = json.loads(asked(f"{url}/player/{bob.id}.json")[1])
    assert statistics["purposes"]["warm_up"]["thrown"] == 2 and statistics["beds"] == {"BULL": 1, "MISS": 1}
    page.locator("#practice-stop").click()
    expect(page.get_by_text("Choose a practice")).to_be_visible()
    peer.close()


@pytest.mark.long
@pytest.mark.browser
def test_the_adviser_says_where_to_aim_and_the_dart_is_counted(daemon: DaemonProcess, pages: Pages) -> None:
    """The page asks for advice, draws it, and hides it after the turn. The dart is on the player's page at once."""
    ann = PlayerBook(daemon.folder, JOURNAL, GAMES_BY_KEY).save({"name": "Ann"})
    assert isinstance(ann, Player)
    peer = daemon.peer("table")
    board_listens(peer)
    peer.new_game(players={"white": ann.id}, names={"white": "Ann", "black": "Guest"})
    url = daemon.running["web"]
    page = pages.open(f"{url}/?lang=en", (1280, 900))
    page.locator("#advice").click()
    expect(page.locator(".advice-words .headline").first).to_contain_text("% counts", timeout=60_000)
    expect(page.locator("#board .aims .advised")).to_have_count(2)
    expect(page.locator("dialog, #advice-card .dartboard")).to_have_count(0)
    expect(page.locator(".advice-words")).to_contain_text("beginner's scatter of 30 mm")
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.locator(".advice-fields li").first).to_contain_text("to hit it")
    before = peer.state["turns"]
    peer.throw(x_mm=0.0, y_mm=-77.0)
    peer.wait(lambda state: state["turns"] == before + 1)
    statistics = json.loads(asked(f"{url}/player/{ann.id}.json")[1])
    assert (
        statistics["darts"]["thrown"] == 1
        and statistics["beds"] == {"L3": 1}
        and statistics["scatter"]["darts"] == 1
    )
    expect(page.locator("#board .aims, #advice-card")).to_have_count(0)
    page.locator("#advice").click()
    expect(page.locator("#advice-card")).to_contain_text("thinking")
    expect(page.locator(".advice-words .headline").first).to_contain_text("% counts", timeout=60_000)
    page.keyboard.press("Escape")
    peer.new_game(kind="loud", options={"rated": True})
    expect(page.locator("#advice")).to_have_count(0)
    assert peer.ask("advise")["code"] == "not_allowed"
    peer.close()
