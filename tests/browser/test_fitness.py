"""For everyone and for slow lines: accessibility by axe-core, the page's weight, no address elsewhere."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.scenes import ENTRIES, scenes


def serious(page: Page) -> list[str]:
    """What axe-core calls serious or critical, with the elements it means."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {[node['html'][:160] for node in rule['nodes'][:4]]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]


def test_axe_finds_nothing_serious_in_any_scene_or_theme(host: FakeHost, opened: Opener) -> None:
    """Every scene, and the fullest one in the other themes: contrast, names, roles, focus."""
    host.publish("sheet", {"v": 1, "match": "m1", "start": "", "entries": ENTRIES})
    page = opened("role=arbiter&lang=en&theme=light")
    for name, state in scenes().items():
        host.publish("state", state)
        page.wait_for_timeout(300)
        assert serious(page) == [], name
    host.publish("state", scenes()["question"])
    for theme in ("dark", "contrast"):
        page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
        page.wait_for_timeout(300)
        assert serious(page) == [], theme


@pytest.mark.parametrize(
    "openers",
    [
        ["#new-game"], ["#settings"], ["#last-dart"], ["#arbiter"], ["#player-white .more"],
        ["#arbiter", "text=Set up a position"],
    ],
)  # fmt: skip
def test_axe_finds_nothing_serious_in_any_dialog(host: FakeHost, opened: Opener, openers: list[str]) -> None:
    """Dialogs are labelled, their fields too, and they read well on a phone."""
    host.publish("state", scenes()["turn"])
    page = opened("role=arbiter&lang=en", size=(360, 740))
    for selector in openers:
        page.locator(selector).last.click()
    assert serious(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360, "the page can be pushed sideways"


@pytest.mark.parametrize("size", [(360, 740), (820, 1180), (1280, 800), (1920, 1080), (3840, 2160)])
def test_the_page_fits_every_screen(host: FakeHost, opened: Opener, size: tuple[int, int]) -> None:
    """From 360 px to 4K nothing sticks out sideways and the whole board is in view."""
    host.publish("state", scenes()["throwing"])
    page = opened(size=size)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    box = page.locator("#board").bounding_box()
    assert box is not None
    assert box["x"] >= 0 and box["x"] + box["width"] <= size[0] and box["y"] + box["height"] <= size[1]
    assert box["width"] > 0.6 * min(size)


def test_the_page_weighs_less_than_250_kb_and_comes_from_here_alone(host: FakeHost, opened: Opener) -> None:
    """All that the play page loads, unpacked, from one address: it works without internet."""
    page = opened()
    sizes = page.evaluate(
        "performance.getEntries().filter((e) => e.decodedBodySize).map((e) => [e.name, e.decodedBodySize])"
    )
    origin = page.evaluate("location.origin")
    assert all(name.startswith(origin) for name, _ in sizes)
    assert 50_000 < sum(size for _, size in sizes) < 250_000
