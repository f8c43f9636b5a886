"""Moments in which the page once misled users: doubts, Back, the end, two tabs, dead ends."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.conftest import Opener
from browser.fakes import LOWER, FakeHost
from browser.pages import Pages, until
from browser.scenes import position, scenes
from browser.servers import Served

LOST: dict[str, Any] = {
    "by": "white", "text": "@-", "move": "@-", "fields": [], "bed": "F1", "x_mm": None, "y_mm": None,
    "foul": "outside_zone", "dart": True,
}  # fmt: skip
FORGOTTEN = {
    "code": "lost",
    "args": {"side": "white", "foul": "outside_zone", "bed": "F1", "move_forgotten": True},
}


def lose_a_dart(host: FakeHost, seq: int) -> None:
    """Report a lost dart of White that would suit Black."""
    host.state(seq=seq, turns=seq, side="black", phase="settling", last=LOST, message=FORGOTTEN)


def test_a_dart_that_does_not_count_leaves_no_foul(host: FakeHost, wired: Opener) -> None:
    """The button takes the foul back. The other button leaves the foul and sends nothing."""
    page = wired()
    lose_a_dart(host, 2)
    page.locator("#doubt").get_by_role("button", name="The foul stands").click()
    expect(page.locator("#doubt")).to_be_hidden()
    assert not host.commands
    lose_a_dart(host, 3)
    page.locator("#doubt").get_by_role("button", name="It does not count").click()
    assert host.next_command("take_back")["turns"] == 1
    expect(page.locator("#doubt")).to_be_hidden()


def test_no_announcement_is_forgotten_on_the_screen(host: FakeHost, opened: Opener) -> None:
    """Where a press announces itself the page asks nothing after a lost dart."""
    page = opened()
    lose_a_dart(host, 2)
    expect(page.locator(".board-centre")).to_have_attribute("data-phase", "settling")
    expect(page.locator("#actions")).to_contain_text("lost a dart")
    expect(page.locator("#doubt")).to_be_hidden()


def test_the_zone_is_lit_whenever_the_side_may_throw(host: FakeHost, opened: Opener) -> None:
    """The zone is soft in the turn, strong once announced, and hidden while a piece is chosen. Labels name
    the zone."""
    page = opened()
    zone = page.locator("#board .field.zone")
    field = page.locator('#board [data-field="e2"]')
    expect(zone).to_have_count(len(LOWER))
    expect(page.locator("#board .dot.drop")).to_have_count(len(LOWER) - 1)
    expect(page.locator("#board.softly .zone-line")).to_have_count(1)
    expect(field).to_have_attribute("aria-label", "e2, empty, in the zone")
    field.hover()
    expect(page.locator("#board .aimed")).to_have_attribute("data-field", "e2")
    page.locator('#board [data-field="e1"]').click()
    expect(zone).to_have_count(0)
    host.state(seq=2, phase="throwing")
    expect(zone).to_have_count(len(LOWER))
    expect(page.locator("#board.softly")).to_have_count(0)
    host.state(seq=3, can={"throw": False, "claim": [], "take_back": 0})
    expect(zone).to_have_count(0)


def test_a_refusal_is_not_shown_as_a_lapse(host: FakeHost, opened: Opener) -> None:
    """The page of the requesting player shows that the other player refused."""
    page = opened("role=seat1&lang=en")
    host.state(seq=2, message={"code": "request_declined", "args": {"id": "r1", "by": "seat1"}})
    expect(page.locator(".notice")).to_have_text("The other player said no to the request.")


def test_mate_is_announced_and_keeps_the_focus(host: FakeHost, opened: Opener) -> None:
    """A screen reader announces the winner and the reason. The focus goes to the end, not to the page's body."""
    host.state(options={"arming": "auto"})
    page = opened()
    page.locator('[data-command="miss"]').focus()
    host.publish("state", scenes()["mate"] | {"match": "m1", "seq": 60})
    expect(page.locator("#live")).to_contain_text("Bert wins: checkmate")
    expect(page.locator("#end-title")).to_be_focused()


@pytest.mark.long
def test_back_closes_a_dialog_first(host: FakeHost, pages: Pages, display: Served) -> None:
    """Back closes the dialog and stays in the game. Without an open dialog it leaves the page."""
    page = pages.open(f"{display.url}/learn?lang=en")
    page.goto(f"{display.url}/?role=table&lang=en")
    page.locator(".piece").first.wait_for()
    for _ in range(2):
        page.locator("#settings").click()
        expect(page.locator("dialog")).to_be_visible()
        page.evaluate("history.back()")
        expect(page.locator("dialog")).to_have_count(0)
        expect(page.locator(".piece").first).to_be_visible()
    page.locator("#settings").click()
    page.get_by_role("button", name="Close").click()
    expect(page.locator("dialog")).to_have_count(0)
    until(page, "!history.state?.dialog")
    page.go_back()
    expect(page).to_have_url(re.compile("/learn"))


@pytest.mark.long
def test_back_closes_a_promotion(host: FakeHost, pages: Pages, display: Served) -> None:
    """Back closes the choice of a piece: the page sends no move and stays in the game."""
    host.state(position=position("Ke1 Pd7 kg8", "w - 17/17 0/0 0/0 9"), moves=["d7d8q", "d7d8n"])
    page = pages.open(f"{display.url}/learn?lang=en")
    page.goto(f"{display.url}/?role=table&lang=en")
    page.locator('[data-field="d7"]').click()
    page.locator('[data-field="d8"]').click()
    expect(page.locator("dialog.promotion")).to_be_visible()
    page.evaluate("history.back()")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".piece").first).to_be_visible()
    assert host.commands == []


@pytest.mark.long
def test_a_reload_with_an_open_dialog_leaves_no_history_entry(
    host: FakeHost, pages: Pages, display: Served
) -> None:
    """After a reload the dialog's history entry is removed, so one Back leaves the page."""
    page = pages.open(f"{display.url}/learn?lang=en")
    page.goto(f"{display.url}/?role=table&lang=en")
    page.locator("#settings").click()
    expect(page.locator("dialog")).to_be_visible()
    page.reload()
    until(page, "!history.state?.dialog && document.querySelector('#settings')")
    page.go_back()
    expect(page).to_have_url(re.compile("/learn"))


def test_notices_end_with_their_game(host: FakeHost, opened: Opener) -> None:
    """A notice about one game disappears with the next game."""
    host.answers = lambda role, command: {"accepted": False, "code": "stale", "args": {}}
    page = opened()
    page.locator('[data-command="announce_throw"]').click()
    expect(page.locator(".notice.refused")).to_have_count(1)
    host.state(match="m2", seq=1, names={"white": "Cor", "black": "Dirk"})
    expect(page.locator("#player-white .player-name")).to_have_text("Cor")
    expect(page.locator(".notice.refused")).to_have_count(0)


def test_seconds_are_shown_as_seconds(host: FakeHost, opened: Opener) -> None:
    """The list of the game's rules shows the settling time in seconds, as the dialog asks for it."""
    page = opened()
    page.locator("#drawer-handle").click()
    expect(page.locator(".facts.rules")).to_contain_text(re.compile("Seconds to settle ?1.5"))


def test_a_second_tab_of_a_seat_knows_its_own_pieces(host: FakeHost, opened: Opener) -> None:
    """After the turn was played in the other tab, the page says whose turn it is and sends no move."""
    page = opened("role=seat1&lang=en")
    page.locator('#board [data-field="e1"]').click()
    expect(page.locator(".frame.chosen")).to_have_count(1)
    host.state(seq=2, turns=1, side="black", moves=["e8e7"])
    expect(page.locator(".frame.chosen")).to_have_count(0)
    page.get_by_label("Type a move or a bed").fill("e1e2")
    page.keyboard.press("Enter")
    expect(page.locator(".notice")).to_have_text("It is Bert's turn.")
    assert not [command for _, command in host.commands if command["move"] == "e1e2"]


LUMINANCE = """(element) => {
    const parts = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number)
        .map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    const of = (colour) => parts(colour).reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
    const body = document.body.appendChild(document.createElement("i"));
    body.style.backgroundColor = `var(--${element.closest("#player-white") ? "white" : "black"}-body)`;
    return (of(getComputedStyle(body).backgroundColor) + 0.05) / (of(getComputedStyle(element).backgroundColor) + 0.05);
}"""


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_the_kings_beside_the_names_differ(host: FakeHost, opened: Opener, theme: str) -> None:
    """In each theme the white king is lighter than its background, and the black king is darker."""
    page = opened(f"role=table&lang=en&theme={theme}")
    assert page.locator("#player-white .player-glyph").evaluate(LUMINANCE) > 2
    assert page.locator("#player-black .player-glyph").evaluate(LUMINANCE) < 0.5


@pytest.mark.long
def test_no_page_is_a_dead_end(host: FakeHost, pages: Pages, wired_display: Served) -> None:
    """An unknown page, and a page with nothing for this visitor, link back to the board."""
    for path in ("nowhere?lang=en", "deep/er/nowhere", "evening?lang=en", "join?lang=en", "status?lang=en"):
        page = pages.open(f"{wired_display.url}/{path}")
        page.locator(".way-home a").click()
        expect(page.locator(".piece").first).to_be_visible()
    plain = page.request.get(f"{wired_display.url}/nowhere", headers={"Accept": "*/*"})
    assert plain.status == 404 and plain.text() == "There is no such page here.\n"


@pytest.mark.parametrize(("language", "words"), [("en", "23 Nov 2026"), ("nl", "23 nov 2026")])
def test_times_have_24_hours(
    host: FakeHost, pages: Pages, display: Served, language: str, words: str
) -> None:
    """Times have 24 hours in each language, whatever the browser's locale."""
    page = pages.open(
        f"{display.url}/?role=table&lang={language}", locale="en-US", timezone_id="Europe/Amsterdam"
    )
    page.locator(".piece").first.wait_for()
    shown = page.evaluate(
        "import('/js/words.js').then((w) => w.timeWords(Date.UTC(2026, 10, 23, 18, 5), { day: true }))"
    )
    assert words in shown and "19:05" in shown
