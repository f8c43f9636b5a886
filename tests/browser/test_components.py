"""The page of components: it exists in development only, and shows each component that other pages use."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser.pages import Pages, still
from browser.servers import Mosquitto, Served, served
from browser.test_fitness import serious


@pytest.mark.long
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_components_fit_and_axe_finds_nothing_serious(
    pages: Pages, broker: Mosquitto, monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    """Each component has a card, from a phone to 4K, in light and dark; a dialog opens from its card."""
    monkeypatch.setenv("SCHARTEN_DEVELOPMENT", "1")
    with served(broker.port) as server:
        page = pages.open(f"{server.url}/components?lang=de&theme={theme}", (320, 640))
        expect(page.locator("#components > .card").nth(5)).to_be_visible()
        for width, height in ((320, 640), (820, 1180), (3840, 2160)):
            page.set_viewport_size({"width": width, "height": height})
            still(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert serious(page) == []
        page.locator("#components button").first.click()
        expect(page.locator("dialog[open]")).to_be_visible()


def test_a_player_never_meets_the_components(pages: Pages, display: Served) -> None:
    """Outside development the address leads to the page for unknown addresses, with the way back."""
    page = pages.open(f"{display.url}/components?lang=en")
    expect(page.locator("#components")).to_have_count(0)
    expect(page.locator("a").first).to_be_visible()
