"""Hand and head in the club's table, on the real service's pages: the organiser's and the TV's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.test_fitness import serious
from club.test_command import Club
from club.test_skills import configure, match, play_a_round

T = TypeVar("T")
__all__ = ("match",)  # a fixture
pytestmark = [pytest.mark.browser, pytest.mark.long]


def aside(work: Callable[[], T]) -> T:
    """Run a function in another thread: Playwright has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


@pytest.fixture
def club(match: str, tmp_path: Path) -> Iterator[Club]:
    """The service with the option, a season, and a game of two of its three members."""
    configure(tmp_path, skills=True)
    club = Club(tmp_path)
    aside(lambda: play_a_round(club))
    yield club
    club.end()


def opened(chromium: Browser, address: str, size: tuple[int, int]) -> Page:
    """A page in a separate context."""
    page = chromium.new_context(viewport={"width": size[0], "height": size[1]}).new_page()
    page.goto(address)
    return page


def test_both_pages_show_hand_and_head(chromium: Browser, club: Club) -> None:
    """The headings have three languages, figures have intervals or a dash without darts, and the TV uses one line."""
    url, secret = club.running["page"], club.secret("organiser")
    for language, heads in (
        ("en", ["Hand, mm", "Head, lost in 100 turns"]),
        ("nl", ["Hand, mm", "Hoofd, weg per 100 beurten"]),
        ("de", ["Hand, mm", "Kopf, verloren je 100 Züge"]),
    ):
        page = opened(chromium, f"{url}/evening?role=organiser&lang={language}#{secret}", (1280, 900))
        table = page.locator("[data-part=table] table")
        expect(table.locator("th").nth(4)).to_have_text(heads[0])
        expect(table.locator("th").nth(5)).to_have_text(heads[1])
        row = next(row for row in aside(club.evening)["table"] if row["name"] == "Ann")
        mm = row["hand"]
        ann = table.locator("tr", has_text="Ann").locator("td")
        expect(ann.nth(4)).to_have_text(f"{mm['mm']:.0f} ({mm['low']:.0f}–{mm['high']:.0f})")
        expect(ann.nth(5)).to_have_text("–")  # no review yet
        expect(table.locator("tr", has_text="Cas").locator("td").nth(4)).to_have_text("–")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert serious(page) == []
    tv = opened(chromium, f"{url}/club?lang=en&theme=light", (1920, 1080))
    expect(tv.locator("#slide")).to_be_visible()
    for _ in range(2):  # by board, by name, ranking
        tv.keyboard.press("ArrowRight")
    expect(tv.locator("#slide h2")).to_have_text("Autumn · Ranking · hand, head")
    line = tv.locator("#slide li", has_text="Ann")
    expect(line.locator("span")).to_have_text([str(row["place"]), "Ann", f"{mm['mm']:.0f} mm", "–", "1"])
    tops = line.locator("span").evaluate_all("all => all.map(e => e.getBoundingClientRect().top)")
    assert len(set(tops)) == 1
