"""The computer on the page of a real daemon: begun in one tap, seen thinking and playing, its place taken."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser.pages import Pages, ask_for_a_game
from lab.daemon_process import FAST, DaemonProcess


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A daemon that has just been started."""
    daemon = DaemonProcess(tmp_path_factory.mktemp("daemon"), FAST).start()
    yield daemon
    daemon.end()


@pytest.fixture
def first_page(pages: Pages, fresh: DaemonProcess) -> Page:
    """Its page."""
    return pages.open(f"{fresh.running['web']}/?lang=en", (1440, 900))


@pytest.mark.browser
def test_a_newcomer_plays_the_computer_in_one_tap(first_page: Page) -> None:
    """One tap begins; after the person's dart the page says that the computer thinks, and its turn follows."""
    page = first_page
    page.locator("#play-computer").click()
    expect(page.locator("#board.takes-darts")).to_have_count(1)
    page.locator('#board [data-field="c3"]').click()
    expect(page.get_by_text("Black: the computer thinks")).to_be_visible(timeout=30_000)
    expect(page.get_by_text("White: throw")).to_be_visible(timeout=60_000)


@pytest.mark.browser
def test_the_dialog_offers_the_computer_and_a_person_takes_its_place(first_page: Page) -> None:
    """Chosen for White at a level the computer begins; one tap gives its turn to a person."""
    page = first_page
    ask_for_a_game(page)
    page.get_by_label("White is played by").select_option("4")
    page.get_by_label("Black is played by").select_option("")
    page.locator("#start-game").click()
    page.locator("#take-its-place").click()
    expect(page.locator("#take-its-place")).to_have_count(0)
    page.locator("#new-game").click()
    expect(page.get_by_label("White is played by")).to_have_value("")
    expect(page.get_by_label("Black is played by")).to_have_value("")
