"""Names of every length in every size: whole words on at most two lines, the board whole, every button in reach."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import still
from browser.scenes import CLOCK, scenes
from browser.test_sizes import COVERED, IN_PLAY, resize, scrolls

SIZES = [
    (320, 568), (360, 740), (390, 844), (740, 360), (844, 390), (768, 1024), (800, 600), (1024, 768), (820, 1180),
    (1180, 820), (1280, 800), (1280, 960), (1366, 768), (1440, 900), (1440, 1080), (1600, 1200), (1080, 1920),
    (1920, 1080), (2560, 1440), (3840, 2160),
]  # fmt: skip
SAMPLE = ((360, 740), (1180, 820), (1440, 1080))
LETTERS = "Abcdefghijklmnopqrstuvwxyzabcdefghijklmn"
NAMES = (("Bas", "Anna Jansen"), ("Jan-Willem de Vries", LETTERS), (LETTERS, "Anna Jansen"))
CLOCKS = (None, CLOCK | {"since_ms": 2**42})
WRITTEN = """() => {
    const linesOf = (node, start, end) => {
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, end);
        return [...new Set([...range.getClientRects()].map((box) => Math.round(box.top)))];
    };
    const faults = [];
    const texts = [...document.querySelectorAll(".player-name > .name, .centre-text, .centre-small")];
    for (const node of texts.flatMap((place) => [...place.childNodes].filter((node) => node.data))) {
        const place = node.parentElement;
        if (!place.offsetParent) continue;
        const text = node.data;
        if (place.matches(".name") && linesOf(node, 0, text.length).length > 2) faults.push(["lines", text]);
        for (const word of text.matchAll(/[^\\s-]+/g)) {
            const end = word.index + word[0].length;
            if (linesOf(node, word.index, end).length > 1) faults.push(["broken", word[0], place.className]);
        }
        const room = (place.closest(".board-centre") ?? place.parentElement).getBoundingClientRect();
        const box = place.getBoundingClientRect();
        if (box.left < room.left - 1 || box.right > room.right + 1) faults.push(["wide", text, place.className]);
        if (place.scrollWidth > place.clientWidth + 1 && getComputedStyle(place).overflow === "visible")
            faults.push(["runs over", text, place.className]);
    }
    const hub = document.querySelector(".hub").getBoundingClientRect();
    const bull = document.querySelector(".bull.green").getBoundingClientRect();
    const wall = document.body.dataset.role === "display";
    for (const text of document.querySelectorAll(".centre-text, .centre-small")) {
        const range = document.createRange();
        range.selectNodeContents(text);
        for (const box of range.getClientRects()) {
            const across = Math.max(...[box.left, box.right].map((x) => Math.abs(x - hub.x - hub.width / 2)));
            const letters = [box.top + 0.15 * box.height, box.bottom - 0.15 * box.height];
            const up = Math.max(...letters.map((y) => Math.abs(y - hub.y - hub.height / 2)));
            if (Math.hypot(across, up) > hub.width / 2) faults.push(["leaves the hub", text.textContent]);
            const covers = letters[1] > bull.top && letters[0] < bull.bottom;
            if (covers && !wall) faults.push(["on the bull", text.textContent]);
        }
    }
    return faults;
}"""


def board_is_whole(page: Page, size: tuple[int, int]) -> bool:
    """Return whether the whole board is in the window."""
    box: Any = page.locator("#board").bounding_box()
    inside = box["x"] > -1 and box["x"] + box["width"] <= size[0] + 1
    return bool(inside and box["y"] > -1 and box["y"] + box["height"] <= size[1] + 1)


def check_names(
    host: FakeHost,
    page: Page,
    sizes: Iterable[tuple[int, int]],
    cases: Iterable[tuple[str, tuple[str, str], Any]],
) -> None:
    """Publish each case (scene, names, clock) and check it in each size."""
    faults = []
    for seq, (scene, (white, black), clock) in enumerate(cases, 100):
        names = {"white": white, "black": black}
        host.publish("state", scenes()[scene] | {"seq": seq, "names": names, "clock": clock})
        expect(page.locator("#player-white .player-name")).to_contain_text(white)
        expect(page.locator("#player-black .player-name")).to_contain_text(black)
        for size in sizes:
            resize(page, size)
            found = page.evaluate(WRITTEN) + page.evaluate(COVERED, [*IN_PLAY, ".slab .more"])
            if not board_is_whole(page, size):
                found.append("the board is cut off")
            if any(over > 0 for over in scrolls(page)):
                found.append("the page scrolls")
            faults += [(size, scene, white, bool(clock), fault) for fault in found]
    assert not faults, "\n".join(map(str, faults))


def test_names_stay_whole(host: FakeHost, opened: Opener) -> None:
    """On a phone, a tablet and a 4:3 window, with and without a clock, names stay whole and the hub's
    sentence fits."""
    page = opened("role=table&lang=de")
    check_names(host, page, SAMPLE, product(("turn",), NAMES[1:], CLOCKS))
    check_names(host, page, SAMPLE, [("deciding", NAMES[2], CLOCKS[1])])


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "nl", "de"])
def test_names_stay_whole_on_every_size(host: FakeHost, opened: Opener, language: str) -> None:
    """From 320 to 3840 px wide each name stays whole, with and without a clock, at a turn and in the draw for
    White."""
    page = opened(f"role=table&lang={language}")
    check_names(host, page, SIZES, product(("turn", "deciding"), NAMES, CLOCKS))


@pytest.mark.parametrize("language", ["en", "nl", "de"])
@pytest.mark.parametrize("role", ["table", "display"])
def test_the_words_of_every_moment_stay_in_the_hub(
    host: FakeHost, opened: Opener, role: str, language: str
) -> None:
    """The text fits the circle beside the bull. On a wall it has 4 % of the height for usual names."""
    page = opened(f"role={role}&lang={language}")
    faults = []
    for seq, (moment, (white, black)) in enumerate(product(scenes(), NAMES), 100):
        state = scenes()[moment] | {"seq": seq, "names": {"white": white, "black": black}}
        if state["phase"] == "setup":
            continue
        host.publish("state", state)
        expect(page.locator("#player-white .player-name")).to_contain_text(white)
        expect(page.locator("#player-black .player-name")).to_contain_text(black)
        expect(page.locator(".board-centre")).to_have_attribute("data-phase", state["phase"])
        still(page)
        faults += [(moment, white, fault) for fault in page.evaluate(WRITTEN)]
        size = page.locator(".centre-text").evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
        if role == "display" and LETTERS not in (white, black):
            assert size >= 0.04 * 800 - 0.5, (moment, white)
    assert not faults, "\n".join(map(str, faults))
