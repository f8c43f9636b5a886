"""A phone of 375 px: the top line, the overlay and a dialog."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import Pages, still
from browser.scenes import scenes
from browser.servers import Served

PHONE = (375, 812)


def box(page: Page, selector: str) -> Any:
    """Return the place of an element."""
    found = page.locator(selector).bounding_box()
    assert found is not None, selector
    return found


def test_a_warning_leaves_the_settings_on_the_first_line(pages: Pages, wired_display: Served) -> None:
    """With a long warning the settings stay beside the name, and the whole warning is below."""
    page = pages.open(f"{wired_display.url}/setup?role=seat1&lang=de", PHONE)
    expect(page.locator(".link-state")).to_be_visible()
    brand, settings, warning = (
        box(page, "#header .brand"),
        box(page, "#settings"),
        box(page, ".link-state"),
    )
    assert abs(brand["y"] + brand["height"] / 2 - settings["y"] - settings["height"] / 2) < 12
    assert warning["y"] >= settings["y"] + settings["height"] - 1
    assert warning["x"] >= 0 and warning["x"] + warning["width"] <= PHONE[0]


def test_the_overlay_keeps_names_whole(host: FakeHost, pages: Pages, display: Served) -> None:
    """Upright too, a name of one word takes one line."""
    host.publish("state", scenes()["turn"] | {"names": {"white": "Wilhelmina", "black": "Bert"}})
    page = pages.open(f"{display.url}/overlay?lang=nl", PHONE)
    name = page.locator(".slab .name").first
    expect(name).to_have_text("Wilhelmina")
    for size in (PHONE, (1080, 1920), (1920, 1080)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        still(page)
        lines = name.evaluate(
            "e => e.getClientRects().length * e.offsetHeight / parseFloat(getComputedStyle(e).fontSize)"
        )
        assert lines < 2, size
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_a_label_of_the_correction_has_the_width_of_its_dialog(host: FakeHost, opened: Opener) -> None:
    """The text beside the choice of another bed is not squeezed into a column of single words."""
    host.publish("state", scenes()["turn"])
    page = opened("role=table&lang=de", PHONE)
    page.locator("#last-dart").click()
    label = page.locator(".correction .field-row > span")
    expect(label).to_be_visible()
    assert label.evaluate("e => e.offsetWidth / e.closest('.dialog-body').clientWidth") > 0.8
