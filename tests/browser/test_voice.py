"""The caller's voice and the overlay in a real browser; only the speech synthesis is a fake that records its texts."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import Pages, until
from browser.servers import Served

VOICE = """
window.spoken = [];
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
Object.defineProperty(window, "speechSynthesis", { value: {
  pending: false, getVoices: () => [{ lang: "nl-NL", localService: true }, { lang: "de-DE", localService: true }],
  speak: (one) => window.mute ? setTimeout(() => one.onerror({ error: "not-allowed" }))
    : window.spoken.push(`${one.lang} ${one.volume} ${one.text}`),
  cancel: () => window.spoken.push("cancel"),
} });
"""


def said(words: str = "Outer three. Pawn on e2. Bas.", **changes: Any) -> dict[str, Any]:
    return {
        "v": 2, "match": "m1", "seq": 2, "code": "placed", "args": {}, "important": False, "stop": False,
        "words": {"en": words, "nl": f"NL {words}", "de": f"DE {words}"}, **changes,
    }  # fmt: skip


@pytest.fixture
def screen(opened: Opener, host: FakeHost) -> Any:
    """Open the play page with a fake voice and this device's settings."""

    def open_page(query: str, settings: str = "") -> Page:
        page = opened(query, script=VOICE)
        if settings:
            page.evaluate("(kept) => localStorage.setItem('scharten.settings', kept)", settings)
            page.reload()
            page.locator(".piece").first.wait_for()
        return page

    return open_page


def spoken(page: Page, count: int) -> list[str]:
    until(page, f"window.spoken.length >= {count}")
    return list(page.evaluate("window.spoken"))


def test_a_wall_screen_asks_for_a_tap_and_calls_everything(host: FakeHost, screen: Any) -> None:
    """While the browser mutes the page it asks for a tap. A tap speaks the newest message; a correction stops
    the voice."""
    page = screen("role=display&view=projector&lang=nl")
    page.evaluate("window.mute = true; addEventListener('pointerdown', () => { window.mute = false; })")
    host.publish("said", said("Old."), retain=False)
    host.publish("said", said("New."), retain=False)
    expect(page.locator("#sound-hint")).to_have_text("Tik één keer voor geluid")
    assert page.evaluate("window.spoken") == []
    host.state(seq=3, phase="throwing")
    expect(page.locator('.board-centre[data-phase="throwing"]')).to_have_count(
        1
    )  # so the newest message has come too
    page.mouse.click(5, 5)
    assert spoken(page, 1) == ["nl-NL 0.8 NL New."]
    expect(page.locator("#sound-hint")).to_have_count(0)
    host.publish("said", said("Correction.", stop=True, important=True), retain=False)
    assert spoken(page, 3)[1:] == ["cancel", "nl-NL 0.8 NL Correction."]


@pytest.mark.parametrize(
    ("talk", "expected"),
    [("all", ["Plain.", "Foul."]), ("important", ["Foul."]), ("off", [])],
)
def test_three_levels_of_talk_and_a_volume(
    host: FakeHost, screen: Any, talk: str, expected: list[str]
) -> None:
    """The levels speak everything, only important messages, or nothing, at the device's volume."""
    page = screen("role=table&lang=de", settings=f'{{"talk": "{talk}", "volume": 40}}')
    page.mouse.click(5, 5)
    host.publish("said", said("Plain."), retain=False)
    host.publish("said", said("Foul.", important=True), retain=False)
    host.publish("said", said("Stop.", stop=True), retain=False)
    found = spoken(page, len(expected) + 1)
    assert [text for text in found if text != "cancel" and "Stop" not in text] == [
        f"de-DE 0.4 DE {words}" for words in expected
    ]


def advised(darts: int, **changes: Any) -> dict[str, Any]:
    """Return the adviser's answer for White's dart: one in five for e2, eight in ten for e3."""
    aim = {"x_mm": 0.0, "y_mm": -134.0, "bed": "F3", "part": "middle", "words": "", "placed": 0.9, "lost": 0.1,
           "value": 0.1}  # fmt: skip
    fields = [
        {"field": field, "bed": bed, "hit": hit, "value": 0.0, "lost": 0.1, "x_mm": 0.0, "y_mm": 0.0}
        for field, bed, hit in (("e2", "F3", 0.21), ("e3", "T3", 0.8))
    ]
    return {
        "v": 2, "match": "m1", "seq": 2, "side": "white",
        "scatter": {"mm": 34.0, "low": 30.0, "high": 40.0, "darts": darts},
        "advice": {"safe": aim, "best": aim, "fields": fields}, **changes,
    }  # fmt: skip


HIT = {"side": "white", "field": "e2", "bed": "F3"}


@pytest.mark.parametrize(
    ("args", "darts", "called", "odds"),
    [
        (HIT, 80, True, "Een op de vijf, en hij zit."),
        ({**HIT, "field": "e3"}, 80, True, "Acht op de tien, en hij zit."),
        (HIT, 49, True, ""),
        ({**HIT, "side": "black"}, 80, True, ""),
        ({**HIT, "foul": "occupied"}, 80, True, ""),
        (HIT, 80, False, ""),
    ],
)
def test_the_caller_and_the_wall_announce_the_odds_of_a_hit(
    host: FakeHost, screen: Any, args: dict[str, Any], darts: int, called: bool, odds: str
) -> None:
    """With the setting, and a scatter from the thrower's own darts, a hit is called with its odds; else plainly."""
    host.state(seq=2, side="white", turns=0)
    page = screen(
        "role=display&view=projector&lang=nl", settings='{"talk": "all"%s}' % (', "called": true' * called)
    )
    page.mouse.click(5, 5)
    host.publish("advice", advised(darts))
    host.state(seq=3, side="black", turns=1)
    host.publish("said", said(args=args), retain=False)
    expected = "nl-NL 0.8 NL Outer three. Pawn on e2. Bas."
    assert spoken(page, 1) == [f"{expected} {odds}".strip()]
    wall = page.locator(".called-odds")
    if odds:
        expect(wall).to_be_visible()
        expect(wall).to_have_text(odds)
    expect(wall).to_have_count(int(bool(odds)))
    host.publish("advice", {"v": 2, "match": "m1", "seq": 3, "side": None, "scatter": None, "advice": None})


def test_the_settings_have_the_levels(host: FakeHost, opened: Opener) -> None:
    """The dialog offers three levels and the volume, and saves them."""
    page = opened()
    page.locator("#settings").click()
    page.locator("#set-talk").select_option("important")
    page.locator("#set-volume").fill("30")
    kept = page.evaluate("JSON.parse(localStorage.getItem('scharten.settings'))")
    assert (kept["talk"], kept["volume"]) == ("important", 30)


@pytest.mark.parametrize("board", ["", "board=board1&"])
def test_the_overlay_shows_players_clocks_fouls_and_the_last_dart(
    host: FakeHost, pages: Pages, display: Served, board: str
) -> None:
    """The overlay is transparent without buttons, and shows this server's board or a club's board by name."""
    host.state(
        shown={"fouls": {"white": 0, "black": 2}},
        clock={"white_ms": 61_000, "black_ms": 5_000, "running": None, "since_ms": 0, "stage": 1},
        last={"by": "black", "text": "@-", "move": "@-", "fields": [], "bed": "BULL", "x_mm": None, "y_mm": None,
              "foul": "bull", "dart": True},
    )  # fmt: skip
    page = pages.open(f"{display.url}/overlay?{board}lang=en")
    expect(page.locator('.slab[data-side="white"]')).to_have_class("slab at-move")
    expect(page.locator('.slab[data-side="white"]')).to_contain_text("1:01")
    expect(page.locator('.slab[data-side="black"]')).to_contain_text("2 of 3 fouls")
    expect(page.locator(".overlay .last")).to_have_text("Bull: the bull is not a field")
    assert page.locator("button, a, input").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
