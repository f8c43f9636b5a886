"""A newcomer's first sight: no text is cut off, nothing jumps, and words replace notation."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import Pages, still
from browser.scenes import LAST, MIDDLE, judged, scenes

# For each text on the rim: the distance of its nearest and its farthest corner from the board's middle.
ON_RIM = """() => [...document.querySelectorAll("#board .number, #board .line-letter")].map((text) => {
    const { x, y, width, height } = text.getBBox();
    const trim = height * 0.2;  // above and below the digits a line of text is empty
    const far = [x, x + width].flatMap((a) => [y + trim, y + height - trim].map((b) => Math.hypot(a, b)));
    return [text.textContent, Math.min(...far), Math.max(...far)];
})"""
CUT = """(selector) => [...document.querySelectorAll(selector)].filter((one) => one.offsetParent)
    .filter((one) => {
        const box = one.getBoundingClientRect();
        const room = one.closest(".top, .middle").getBoundingClientRect();
        return one.scrollWidth > one.clientWidth + 1 || box.left < room.left - 0.5 || box.right > room.right + 0.5;
    }).map((one) => one.textContent || one.id)"""
NARROW = ((360, 740), (390, 740), (820, 1180), (1024, 768), (1180, 820), (1280, 800), (1366, 768))
FULLEST = """(wider) => {
    for (const one of document.querySelectorAll(".tools button")) one.style.letterSpacing = wider;
    for (const one of document.querySelectorAll("#results, #redo")) one.hidden = false;
}"""
PLACES = """() => [".tools", "#player-white", "#player-black", "#actions", "#dart", "#board"].map((selector) => {
    const { x, y, width, height } = document.querySelector(selector).getBoundingClientRect();
    return [selector, x, y, width, height];
})"""


def health(**more: Any) -> dict[str, Any]:
    """Return the health of a sound machine with the test's changes."""
    return {"v": 1, "version": "1", "playable": True, "sources": [], **more}


def test_numbers_stand_on_the_rim(host: FakeHost, opened: Opener) -> None:
    """No number of a sector or letter of a line reaches into a bed or over the board's edge."""
    host.publish("state", scenes()["turn"])
    page = opened()
    edges = page.evaluate("import('/js/geometry.js').then((g) => [g.RING_EDGES[0], g.RIM])")
    for text, nearest, farthest in page.evaluate(ON_RIM):
        assert nearest > edges[0] - 1 and farthest < edges[1] + 1, (text, nearest, farthest, edges)


def test_names_are_read_where_no_piece_stands(host: FakeHost, opened: Opener) -> None:
    """A field's name is dark on cream and light on other colours; a piece hides it wholly."""
    host.publish("state", scenes()["turn"])
    page = opened(size=(1600, 900))
    names = page.locator("#board .field-names text")
    seen = dict(
        names.evaluate_all("all => all.map((one) => [one.textContent, getComputedStyle(one).visibility])")
    )
    held = set(page.locator("#board .piece").evaluate_all("all => all.map((one) => one.dataset.at)"))
    assert {name for name, state in seen.items() if state == "hidden"} == held
    colours = dict(
        names.evaluate_all("all => all.map((one) => [one.textContent, getComputedStyle(one).fill])")
    )
    assert colours["e4"] != colours["d4"]  # black and cream


@pytest.mark.parametrize(
    ("lang", "placed", "took"),
    [
        ("en", "Bert: rook on b7", "Anna: knight from c4 takes on g3"),
        ("nl", "Bert: toren op b7", "Anna: paard van c4 slaat op g3"),
        ("de", "Bert: Turm auf b7", "Anna: Springer von c4 schlägt auf g3"),
    ],
)
def test_the_last_turn_is_shown_in_words(
    host: FakeHost, opened: Opener, lang: str, placed: str, took: str
) -> None:
    """The line beside the board names darts and captures in words; the score sheet keeps notation."""
    host.publish("state", scenes()["turn"])
    page = opened(f"role=table&lang={lang}")
    expect(page.locator(".moment")).to_have_text(placed)
    expect(page.locator("#last-dart")).not_to_contain_text("@")
    capture = {
        "by": "white",
        "text": "Nxg3",
        "move": "c4g3",
        "fields": ["c4", "g3"],
        "bed": None,
        "dart": False,
    }
    host.publish("state", scenes()["turn"] | judged(MIDDLE) | {"seq": 50, "last": LAST | capture})
    expect(page.locator(".moment")).to_have_text(took)


@pytest.mark.long
def test_a_fault_moves_no_panel(host: FakeHost, opened: Opener) -> None:
    """A fault that comes and goes is in full view, and leaves every panel and button in place."""
    host.publish("state", scenes()["turn"])
    page = opened()
    for size in ((1280, 800), (1366, 768), (1920, 1080), (820, 1180)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        still(page)
        before = page.evaluate(PLACES)
        host.publish(
            "health", health(playable=False, reason="the disk is full and nothing can be written to it")
        )
        expect(page.locator(".link-state")).to_be_visible()
        assert page.evaluate(PLACES) == before, size
        assert page.evaluate(CUT, ".link-state, .tools button") == [], size
        host.publish("health", health())
        expect(page.locator(".link-state")).to_be_hidden()
        assert page.evaluate(PLACES) == before, size


@pytest.mark.long
@pytest.mark.parametrize("role", ["table", "arbiter"])
def test_no_button_is_cut_off(host: FakeHost, opened: Opener, role: str) -> None:
    """The tools at the top and the buttons of a draw for White fit in each language, from a phone to a wide screen."""
    for lang in ("en", "nl", "de"):
        host.publish("state", scenes()["turn"])
        page = opened(f"role={role}&lang={lang}")
        for scene in ("turn", "deciding", "fogling"):
            state = scenes()[scene]
            host.publish("state", state)
            expect(page.locator(".board-centre")).to_have_attribute("data-phase", state["phase"])
            for size in NARROW:
                page.set_viewport_size({"width": size[0], "height": size[1]})
                still(page)
                assert page.evaluate(CUT, ".tools button, #actions button, #end button") == [], (
                    lang,
                    scene,
                    size,
                )


@pytest.mark.long
@pytest.mark.parametrize("role", ["table", "arbiter", "seat1"])
def test_the_fullest_top_line_is_whole_in_a_wide_font(host: FakeHost, opened: Opener, role: str) -> None:
    """With earlier results, a move to replay and letters a sixth wider every tool is in view."""
    host.publish("state", scenes()["fogling"])  # a finished game gives the page its list of results
    for lang in ("en", "nl", "de"):
        page = opened(f"role={role}&lang={lang}")
        host.publish("state", scenes()["turn"])
        expect(page.locator(".board-centre")).to_have_attribute("data-phase", "turn")
        for size in NARROW:
            page.set_viewport_size({"width": size[0], "height": size[1]})
            for wider in ("0", "0.1em"):
                page.evaluate(FULLEST, wider)
                still(page)
                assert page.evaluate(CUT, ".tools button") == [], (lang, size, wider)


def opens(page: Page, button: str) -> None:
    """Open a dialog and wait until it is shown."""
    page.locator(button).first.click()
    expect(page.locator("dialog")).to_be_visible()


@pytest.mark.parametrize("size", [(390, 740), (820, 1180), (1280, 800), (1920, 1080)])
def test_a_dart_is_put_right_without_scrolling(host: FakeHost, opened: Opener, size: tuple[int, int]) -> None:
    """The dialog shows neighbouring beds and the whole dartboard at once."""
    host.publish("state", scenes()["turn"])
    page = opened(size=size)
    opens(page, "#last-dart")
    assert page.locator("dialog").evaluate("e => e.scrollHeight <= e.clientHeight + 1")
    board = page.locator("dialog .dartboard").bounding_box()
    assert board is not None and board["width"] >= 200


def test_two_presses_open_one_dialog(host: FakeHost, opened: Opener, pages: Pages) -> None:
    """The first press fetches the script; a second press opens no second dialog. The page reports a missing server."""
    page = opened()
    assert not page.evaluate(
        "performance.getEntriesByType('resource').filter((one) => one.name.includes('new-game'))"
    )
    page.evaluate("document.getElementById('new-game').click(); document.getElementById('new-game').click()")
    expect(page.locator("#start-game")).to_have_count(1)
    page.get_by_role("button", name="Close").click()
    expect(page.locator("dialog")).to_have_count(0)
    page.route("**/dialogs/settings.js", lambda route: route.abort())
    page.locator("#settings").click()
    expect(page.locator(".notice.refused")).to_be_visible()
    page.unroute("**/dialogs/settings.js")
    pages.console.clear()  # the browser logs it as well


@pytest.mark.parametrize("lang", ["en", "nl", "de"])
def test_a_long_name_stays_in_the_hub(host: FakeHost, opened: Opener, lang: str) -> None:
    """The hub shows the whole instruction above the bull, also with a name of forty letters."""
    name = "Maximiliaan-Alexander van der Heijden-Vos"
    host.publish("state", scenes()["turn"] | {"names": {"white": name, "black": "Bert"}})
    page = opened(f"role=table&lang={lang}")
    expect(page.locator(".centre-text")).to_contain_text(name)
    for size in ((390, 740), (1280, 800)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        still(page)
        words, hub = page.locator(".centre-text").bounding_box(), page.locator("#board .hub").bounding_box()
        bull = page.locator("#board .bull.green").bounding_box()
        assert words and hub and bull
        assert words["y"] > hub["y"] and words["y"] + words["height"] < bull["y"] + 1, (
            size,
            words,
            hub,
            bull,
        )


@pytest.mark.long
def test_a_computer_shows_its_level_at_its_seat(host: FakeHost, opened: Opener) -> None:
    """Seat and hub show the level's number, name and scatter. Choosing the computer clears a person's name."""
    host.publish("state", scenes()["turn"] | {"computers": {"seat1": None, "seat2": 4}})
    page = opened()
    expect(page.locator("#player-black .you")).to_have_text("the computer 4 · plays for fun, 36 mm")
    expect(page.locator("#player-white .you")).to_have_text("")
    host.publish("state", scenes()["turn"] | {"seq": 50, "computers": {"seat1": 3, "seat2": None}})
    expect(page.locator(".centre-small")).to_have_text("3 · a beginner, 42 mm")
    host.publish(
        "state", scenes()["turn"] | {"seq": 51, "computers": {"seat1": 3, "seat2": None}, "kind": "silent"}
    )
    expect(page.locator("#player-white .you")).to_have_text("the computer 3 · a beginner")
    page.set_viewport_size({"width": 1280, "height": 800})
    for seen in (scenes()["turn"], scenes()["start"]):  # with a clock and without
        host.publish("state", seen | {"seq": 60, "computers": {"seat1": None, "seat2": 10}, "names": {}})
        expect(page.locator("#player-black .you")).to_have_text("the computer 10 · as good as it gets, 9 mm")
        name = page.locator("#player-black .player-name > span").last
        expect(name).to_have_text("Black")
        assert name.evaluate("e => e.offsetHeight <= 1.3 * parseFloat(getComputedStyle(e).fontSize)")
    host.publish("state", scenes()["turn"])
    expect(page.locator("#player-black .player-name > span").last).to_have_text("Bert")
    opens(page, "#new-game")
    page.get_by_label("Black is played by").select_option("5")
    expect(page.get_by_label("Black's name")).to_have_value("")
    expect(page.get_by_label("White's name")).to_have_value("Anna")


def test_a_request_names_the_player_of_the_seat(host: FakeHost, opened: Opener) -> None:
    """A request shows its sender and the seat concerned by name, not by the seat's identifier."""
    asked = {"id": "r9", "by": "seat2", "type": "set_computer", "args": {"seat": "seat1", "level": 5}}
    host.publish("state", scenes()["turn"] | {"requests": [asked | {"until_ms": 2**42}]})
    page = opened("role=seat1&lang=en")
    expect(page.locator(".ask p")).to_have_text("Bert asks: another player in place of Anna")
