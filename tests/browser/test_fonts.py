"""Every page in a wide and in a narrow font, both common on the machines that show it: nothing is too wide."""

from __future__ import annotations

import subprocess

import pytest
from playwright.sync_api import Page

from browser.fakes import FakeHost
from browser.pages import Pages, still
from browser.servers import Served
from browser.test_sizes import COVERED, IN_PLAY

FONTS = ("Noto Sans", "DejaVu Sans")
SIZES = ((360, 740), (844, 390), (1366, 768))


def set_font(page: Page, font: str) -> None:
    """Draw the page in a font of this machine; skip the test if the font is missing."""
    found = subprocess.run(["fc-match", "-f", "%{family}", font], capture_output=True, text=True, check=True)
    if font not in found.stdout:
        pytest.skip(f"{font} is not installed: make tools")
    page.evaluate("(font) => document.documentElement.style.setProperty('--font', `'${font}'`)", font)
    assert font in page.evaluate("getComputedStyle(document.body).fontFamily")


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_play_page_fits_in_both_fonts(
    host: FakeHost, pages: Pages, display: Served, language: str
) -> None:
    """Nothing scrolls and nothing is covered, also in the language with the longest texts."""
    page = pages.open(f"{display.url}/?role=table&lang={language}", SIZES[0])
    page.locator(".piece").first.wait_for()
    for font in FONTS:
        set_font(page, font)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            still(page)
            wide, high = page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
            )
            assert (wide <= width, high <= height) == (True, True), (font, width)
            assert page.evaluate(COVERED, IN_PLAY) == [], (font, width)


@pytest.mark.parametrize("path", ["/learn", "/club", "/overlay", "/?view=projector"])
def test_the_other_pages_fit_in_both_fonts(host: FakeHost, pages: Pages, display: Served, path: str) -> None:
    """No page is wider than a phone, a tablet or a laptop."""
    page = pages.open(f"{display.url}{path}{'&' if '?' in path else '?'}lang=de", SIZES[0])
    still(page)
    for font in FONTS:
        set_font(page, font)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            still(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (font, width)
