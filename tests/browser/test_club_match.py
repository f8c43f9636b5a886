"""A match between two clubs on real pages: invite by the form, paste the text, play, and both see the score."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.test_fitness import serious
from lab.club_match import Table, TwoHalls
from lab.hall import Hall

pytestmark = [pytest.mark.browser, pytest.mark.mosquitto, pytest.mark.long]
MEMBERS = {"home": "Anna Jansen", "visitors": "Jan-Willem de Vries"}
PATIENCE_MS = 60_000


@pytest.fixture
def halls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoHalls]:
    """Two clubs, each with one real board."""
    both = TwoHalls(tmp_path_factory.mktemp("match"), 1)
    try:
        both.start()
        yield both
    finally:
        both.end()


def organisers_page(chromium: Browser, hall: Hall, language: str) -> Page:
    """Open the organiser's page of a club with one member."""
    page = chromium.new_context(viewport={"width": 1280, "height": 900}).new_page()
    secret = json.loads((hall.folder / "club" / "club-secrets.json").read_text())["organiser"]
    page.goto(f"http://127.0.0.1:{hall.web_port}/evening?role=organiser&lang={language}&theme=light#{secret}")
    page.fill("#member-name", MEMBERS[hall.folder.name])
    page.click("[data-part=members] button")
    expect(page.locator(".present li")).to_have_count(1)
    return page


def test_a_match_by_the_pages_alone(halls: TwoHalls, chromium: Browser) -> None:
    """One club invites in English, the other accepts in Dutch. Both pages, the TV and a phone show the game."""
    home = organisers_page(chromium, halls.home, "en")
    visitors = organisers_page(chromium, halls.visitors, "nl")
    home.click("#match-invite")
    home.fill("#match-home", "Haarlem")
    home.fill("#match-visitors", "Leiden")
    home.select_option("#match-game", "chess")
    home.select_option("#match-kind", "silent")
    home.click("dialog button.primary")
    expect(home.locator("#match-text")).to_contain_text("scharten://", timeout=PATIENCE_MS)
    invitation = home.locator("#match-text").input_value()
    visitors.click("#match-accept")
    visitors.fill("#match-pasted", "Hallo!\n\n> " + invitation.replace("\n", "\n> "))
    expect(visitors.locator("#match-seat-1")).to_have_value(key_of(halls.visitors))
    expect(visitors.locator("dialog label").last).to_contain_text("Anna Jansen")
    visitors.click("dialog button.primary")
    for page, words in ((home, "plays"), (visitors, "speelt")):
        expect(page.locator("[data-match-table='1']")).to_contain_text(words, timeout=PATIENCE_MS)
        expect(page.locator("[data-match-table='1']")).to_contain_text(
            MEMBERS["visitors"], timeout=PATIENCE_MS
        )
        assert serious(page) == []
    wall = chromium.new_context(viewport={"width": 1920, "height": 1080}).new_page()
    wall.goto(f"http://127.0.0.1:{halls.home.web_port}/club?lang=en")
    expect(wall.locator("#slide")).to_contain_text("Haarlem 0 – 0 Leiden", timeout=PATIENCE_MS)
    phone = chromium.new_context(viewport={"width": 390, "height": 844}).new_page()
    secret = json.loads((halls.visitors.folder / "club" / "club-secrets.json").read_text())["member"]
    phone.goto(f"http://127.0.0.1:{halls.visitors.web_port}/join?role=member&lang=en#{secret}")
    phone.select_option("#who", label=MEMBERS["visitors"])
    expect(phone.locator(".call")).to_contain_text(f"{MEMBERS['home']} (Haarlem)")
    table = Table(halls, "board1", "board1")
    assert table.finish(4, seed=1) == "0-1"
    table.close()
    for page in (home, visitors):
        title = page.locator("[data-part=match] h2")
        expect(title).to_have_text("Haarlem 0 – 1 Leiden", timeout=PATIENCE_MS)
    home.click("#match-end")
    home.click("#match-end-yes")
    expect(home.locator("#match-invite")).to_be_visible()


def key_of(hall: Hall) -> str:
    """Return the key of the club's only member."""
    import urllib.request  # noqa: PLC0415

    with urllib.request.urlopen(f"http://127.0.0.1:{hall.web_port}/evening.json") as answer:
        return str(json.loads(answer.read())["members"][0]["key"])
