"""The organiser's arrangements on real pages: start list, pairs by hand, forbidden pairs, byes by phone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.servers import Mosquitto, served_club
from browser.test_club_evening import SECRETS, link, opened
from browser.test_fitness import serious
from scharten.club.server import ClubServer
from scharten.tournament.entries import ENTRIES

pytestmark = pytest.mark.browser
NAMES = ("Anna", "Bram", "Carla", "Dirk", "Eva", "Frits")


@pytest.fixture
def club(broker: Mosquitto, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClubServer]:
    """The server of a club with six members and a Swiss season."""
    with served_club(broker.port, tmp_path_factory.mktemp("club"), SECRETS) as server:
        page: list[dict[str, object]] = [
            {"type": "member", "key": f"p{at}", "name": name, "rating": 2000 - at} for at, name in enumerate(NAMES)
        ]  # fmt: skip
        for fields in (*page, {"type": "season", "name": "Autumn", "options": {"system": "swiss"}}):
            assert server.service.enter(ENTRIES.validate_python(fields)) is None
        yield server


def chosen(page: Page, button: str, **choices: str) -> None:
    """Fill in the dialog behind a button and send it."""
    page.locator(f"[data-part=arrange] #{button}").click()
    for name, label in choices.items():
        box = page.locator(f"#{name.replace('_', '-')}")
        box.fill(label) if name == "bye_round" else box.select_option(label=label)
    assert serious(page) == []
    page.locator(".sheet-dialog form button.primary").click()
    expect(page.locator(".sheet-dialog")).to_have_count(0)


def pairs(page: Page) -> list[set[str]]:
    """Return the pairs on the organiser's page."""
    rows = page.locator("[data-part=round] tbody tr").all()
    return [set(row.locator("td.who").all_inner_texts()) for row in rows]


@pytest.mark.long
def test_an_organiser_settles_a_round_and_members_ask_for_byes(chromium: Browser, club: ClubServer) -> None:
    """Page and TV show the start list. A bye, a ban and a manual pair hold in the draw; each can be undone."""
    page = opened(chromium, link(club, "organiser"), (1280, 900))
    page.locator("#start-list").click()
    page.locator(".sheet-dialog").get_by_label("Frits", exact=True).uncheck()
    page.locator(".sheet-dialog form button.primary").click()
    page.locator("[data-part=table] button", has_text="Start list").click()
    tv = opened(chromium, f"{club.url}/club?lang=en&theme=light", (1920, 1080))
    expect(page.locator("[data-part=table] tbody tr")).to_have_count(5)
    expect(page.locator("[data-part=table] tbody tr").first).to_have_text("1Anna2000")
    page.locator("#open-evening").click()
    for name in NAMES:
        page.get_by_label(name, exact=True).check()
    expect(page.locator("[data-part=table] tbody tr")).to_have_count(6)
    tv.reload()
    expect(tv.locator("#slide h2")).to_have_text(re.compile(r"^Autumn · (Start list|Ranking)$"))
    expect(tv.locator("#slide li")).to_have_count(6)
    phone = opened(chromium, link(club, "member"), (390, 800))
    phone.select_option("#who", label="Eva")
    phone.get_by_role("button", name="Ask for a bye in round 1").click()
    expect(phone.locator("#byes")).to_contain_text("You have asked for a bye in round 1.")
    assert serious(phone) == []
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    arranged = page.locator("[data-part=arrange] li")
    expect(arranged).to_have_text(re.compile("Round 1: Eva has asked for a bye"))
    chosen(page, "forbid-pair", forbid_first="Anna", forbid_second="Carla")
    chosen(page, "fix-pair", fix_white="Dirk", fix_black="Anna", fix_round="1")
    chosen(page, "ask-bye", bye_member="Anna", bye_round="3")
    expect(arranged).to_have_count(4)
    page.locator("#pair").click()
    expect(page.locator("[data-part=round] tbody tr")).to_have_count(2)
    assert {"Dirk", "Anna"} in pairs(page)
    expect(page.locator("[data-part=round]")).to_contain_text("Eva: excused")
    expect(phone.locator(".call")).to_have_text("excused")
    expect(page.locator("#start-list")).to_have_count(0)
    chosen(page, "fix-pair", fix_white="Frits", fix_black="Dirk", fix_round="1")
    expect(page.locator("[data-part=round] tr", has_text="Frits")).to_contain_text("Dirk")
    assert {"Frits", "Dirk"} in pairs(page)
    chosen(page, "fix-pair", fix_white="Anna", fix_black="Carla", fix_round="1")
    expect(page.locator("[data-part=actions] .problem")).to_have_text(
        "These two never meet: allow the pair first."
    )
    page.get_by_role("button", name="Remove: Anna and Carla never meet").click()
    expect(arranged.filter(has_text="never meet")).to_have_count(0)
    assert club.service.club.season.forbidden == frozenset()
    chosen(page, "fix-pair", fix_white="Anna", fix_black="Carla", fix_round="1")
    expect(page.locator("[data-part=round] tr", has_text="Anna")).to_contain_text("Carla")
    assert serious(page) == []
    for context in (page, tv, phone):
        context.context.close()


def test_pairings_by_board_number_boards_only(chromium: Browser, club: ClubServer) -> None:
    """The TV's slide by board shows a board's name or a dash, never a table's number. Boards come first."""
    tv = opened(chromium, f"{club.url}/club?lang=en&theme=light", (1920, 1080))
    expect(tv.locator("#slide")).to_be_attached()
    first = tv.evaluate(
        """async () => {
            const { Slides } = await import("./js/club/slides.js");
            const place = document.querySelector("#slide");
            const slides = new Slides(place, () => {});
            slides.hold(false);
            const boards = ["board10", null, "board2", null];
            const pairings = boards.map((board, n) => ({ table: n + 1, board, left: null, result: null,
                names: { white: "W" + (n + 1), black: "B" } }));
            slides.take({ season: { name: "S" }, table: [], start_list: [],
                rounds: [{ number: 1, tonight: true, pairings, unpaired: [] }] }, []);
            return [...place.querySelectorAll("li")].map((line) => [...line.children].map((cell) => cell.textContent));
        }"""
    )
    assert [row[:2] for row in first] == [
        ["board2", "W3 – B"],
        ["board10", "W1 – B"],
        ["–", "W2 – B"],
        ["–", "W4 – B"],
    ]
    tv.context.close()


@pytest.mark.long
@pytest.mark.parametrize("language", ["nl", "de"])
def test_the_arrangements_fit_a_phone_in_other_languages(
    chromium: Browser, club: ClubServer, language: str
) -> None:
    """The organiser's card and its dialogs fit a phone's width and contain no English words."""
    page = opened(chromium, link(club, "organiser", language), (390, 800))
    heading = page.locator("[data-part=arrange] h2")
    expect(heading).to_have_text({"nl": "Voor de indeling", "de": re.compile("der Auslosung$")}[language])
    for button in ("fix-pair", "ask-bye", "forbid-pair", "start-list"):
        page.locator(f"#{button}").click()
        expect(page.locator(".sheet-dialog")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.keyboard.press("Escape")
        expect(page.locator(".sheet-dialog")).to_have_count(0)
    page.context.close()
