"""Accessibility by axe-core, and slow lines: the page's weight and no address elsewhere."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import still
from browser.scenes import ENTRIES, scenes

DIALOGS = [
    ["#new-game"], ["#settings"], ["#last-dart"], ["#arbiter"], ["#player-white .more"],
    ["#arbiter", "text=Set up a position"],
]  # fmt: skip


def serious(page: Page) -> list[str]:
    """Return the violations that axe-core calls serious or critical, with their elements."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {[node['html'][:160] for node in rule['nodes'][:4]]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]


@pytest.mark.long
def test_axe_finds_nothing_serious_in_any_scene_or_theme(host: FakeHost, opened: Opener) -> None:
    """Axe checks contrast, names, roles and focus in every scene, and the fullest scene in the other themes."""
    host.publish("sheet", {"v": 1, "match": "m1", "start": "", "entries": ENTRIES})
    page = opened("role=arbiter&lang=en&theme=light")
    for name, state in scenes().items():
        host.publish("state", state)
        expect(page.locator(".board-centre")).to_have_attribute("data-phase", state["phase"])
        still(page)
        assert serious(page) == [], name
    host.publish("state", scenes()["question"])
    for theme in ("dark", "contrast"):
        page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
        still(page)
        assert serious(page) == [], theme


@pytest.mark.long
def test_axe_finds_nothing_serious_in_any_dialog(host: FakeHost, opened: Opener) -> None:
    """Dialogs and their fields have labels, and dialogs fit a phone."""
    host.publish("state", scenes()["turn"])
    page = opened("role=arbiter&lang=en", size=(360, 740))
    for openers in DIALOGS:
        for number, selector in enumerate(openers, start=1):
            page.locator(selector).last.click()
            expect(page.locator("dialog[open]")).to_have_count(
                number
            )  # the page fetches the dialog's script first
        assert serious(page) == [], openers
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360, f"the page can be pushed sideways with {openers} open"
        while page.locator("dialog[open]").count():
            page.keyboard.press("Escape")


def test_the_page_weighs_at_most_120_kb_and_comes_from_here_alone(host: FakeHost, opened: Opener) -> None:
    """Everything that the play page loads comes from one address, so it works without internet."""
    page = opened(
        extra_http_headers={"X-New": "1"}
    )  # a page of the pool may have cached everything, and would load nothing
    sizes = page.evaluate(
        "performance.getEntries().filter((e) => e.encodedBodySize).map((e) => [e.name, e.encodedBodySize])"
    )
    origin = page.evaluate("location.origin")
    assert all(name.startswith(origin) for name, _ in sizes)
    assert 50_000 < sum(size for _, size in sizes) <= 120_000, sizes
