"""The play view on every screen: nothing scrolls, nothing is covered, and what matters is large enough to read."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.scenes import scenes

SIZES = [(390, 844), (844, 390), (820, 1180), (1366, 768), (1920, 1080), (3840, 2160)]
LONG = "Maximiliaan-Alexander van der Heijden-Vos"

# Of each element: whether the point in its middle belongs to it, and whether it is within the window.
COVERED = """(selectors) => selectors.flatMap((selector) => [...document.querySelectorAll(selector)]
    .filter((one) => one.offsetParent).map((one) => {
        const box = one.getBoundingClientRect();
        const found = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        const inside = box.x >= -1 && box.y >= -1 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1;
        return [selector, inside && (found === one || one.contains(found)), JSON.stringify(box)];
    })).filter(([, good]) => !good)"""
IN_PLAY = [
    ".player-name",
    ".clock",
    ".fouls",
    ".next-piece",
    "#actions button",
    ".tools button",
    "#last-dart",
]


def scrolls(page: Page) -> list[int]:
    """How much wider and higher the page is than its window."""
    return page.evaluate(
        "[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_scrolls_and_nothing_is_covered(
    host: FakeHost, opened: Opener, size: tuple[int, int], theme: str
) -> None:
    """At move, throwing, settling, in check: the board whole, the slabs, buttons and the last dart in view."""
    host.publish("state", scenes()["turn"])
    page = opened(f"role=table&lang=en&theme={theme}", size)
    for name in ("turn", "throwing", "settling_lost", "check"):
        host.publish("state", scenes()[name])
        expect(page.locator(".board-centre")).to_have_attribute("data-phase", scenes()[name]["phase"])
        page.wait_for_timeout(150)
        assert all(over <= 0 for over in scrolls(page)), (name, scrolls(page))
        assert page.evaluate(COVERED, IN_PLAY) == [], name
        board = page.locator("#board").bounding_box()
        assert board is not None
        assert min(board["x"], board["y"]) > -1
        assert board["x"] + board["width"] <= size[0] + 1 and board["y"] + board["height"] <= size[1] + 1


@pytest.mark.parametrize("size", [(1366, 768), (1920, 1080), (3840, 2160)])
def test_the_wall_screen_reads_from_afar(host: FakeHost, opened: Opener, size: tuple[int, int]) -> None:
    """Names are at least 5 % of the height, clocks 9 %, whatever the resolution; a long name wraps and is whole."""
    state = scenes()["turn"]
    host.publish("state", state | {"names": {"white": LONG, "black": "Bas"}})
    page = opened("role=display&lang=en", size)
    for selector, least in ((".player-name", 0.05), (".slab .clock", 0.09)):
        for one in page.locator(selector).all():
            assert (
                float(one.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")) >= least * size[1] - 0.5
            )
    name = page.locator("#player-white .player-name")
    assert name.evaluate("e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= 1.05 * e.clientHeight")
    expect(name).to_contain_text(LONG)
    assert page.evaluate(COVERED, [".player-name", ".clock", ".fouls", ".next-piece"]) == []
    assert all(over <= 0 for over in scrolls(page))
    assert page.locator("#drawer, .tools").evaluate_all("all => all.every((one) => !one.offsetParent)")


@pytest.mark.parametrize("size", SIZES)
def test_the_end_leaves_the_board_in_view(host: FakeHost, opened: Opener, size: tuple[int, int]) -> None:
    """Who won stands beside the board, on a table and on the wall; no field is covered."""
    host.publish("state", scenes()["fogling"])
    for role in ("table", "display"):
        page = opened(f"role={role}&lang=en", size)
        expect(page.locator("#end")).to_contain_text("Bert wins")
        end, board = page.locator("#end h2").bounding_box(), page.locator("#board").bounding_box()
        assert end is not None and board is not None
        beside = end["x"] >= board["x"] + board["width"] - 1 or end["y"] >= board["y"] + board["height"] - 1
        assert beside
        assert page.evaluate(COVERED, ["#end h2"]) == []
