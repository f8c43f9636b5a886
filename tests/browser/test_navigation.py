"""The home page and the navigation line: one press to each page, with the same names and icons everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import Pages, still
from browser.scenes import scenes
from browser.servers import Mosquitto, Served, served

SIDE_PAGES = (
    "home",
    "practice",
    "problems",
    "openings",
    "learn",
    "endgames",
    "club",
    "status",
    "players",
    "archive",
    "setup",
)
# Links that nobody can press in their middle, among those shown without scrolling sideways.
OUT_OF_REACH = """() => [...document.querySelectorAll(".top .pages a")].filter((one) => {
    one.scrollIntoView({ block: "nearest", inline: "center" });
    const box = one.getBoundingClientRect();
    const found = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return !one.contains(found) || one.scrollWidth > one.clientWidth + 1;
}).map((one) => one.textContent)"""


@pytest.fixture(scope="module")
def bare(broker: Mosquitto) -> Iterator[Served]:
    """A page server without players, games and set-up."""
    features = ("scharten.display.features.links", "scharten.display.features.club")
    with served(broker.port, open_roles=("table",), features=features) as server:
        yield server


@pytest.mark.long
def test_each_page_has_the_same_links_and_marks_its_own(pages: Pages, display: Served) -> None:
    """Every page links to every other and marks its own, if it has a link; names are whole in each size."""
    page = pages.open(f"{display.url}/home?lang=en")
    expect(page.locator(".top .pages a").first).to_be_visible()
    names = page.locator(".top .pages a").all_text_contents()
    assert names[:4] == ["Play", "Practise", "Problems", "Learn"] and "Club" in names
    for lang in ("en", "nl", "de"):
        for name in SIDE_PAGES:
            page.goto(f"{display.url}/{name}?lang={lang}")
            links = page.locator(".top .pages a")
            expect(links).to_have_count(len(names))
            marked = page.locator(".top .pages [aria-current]")
            expect(marked).to_have_count(
                1 if name in ("practice", "problems", "learn", "endgames", "club") else 0
            )
            for size in ((320, 640), (390, 844), (820, 1180), (1280, 800)):
                page.set_viewport_size({"width": size[0], "height": size[1]})
                still(page)
                assert page.evaluate(OUT_OF_REACH) == [], (lang, name, size)
                assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (name, size)


def test_only_pages_of_this_server_are_linked(pages: Pages, bare: Served) -> None:
    """Without players, games and set-up no link leads to those pages."""
    page = pages.open(f"{bare.url}/home?lang=en")
    expect(page.locator(".top .pages a")).to_have_text(["Play", "Practise", "Learn", "Club"])


def test_links_keep_the_role(pages: Pages, display: Served) -> None:
    """A seat that opens the rules page returns to its seat."""
    page = pages.open(f"{display.url}/learn?role=seat1&lang=en")
    page.locator('.top .pages [data-page="play"]').click()
    expect(page.locator("body[data-role]")).to_have_attribute("data-role", "seat1")


@pytest.mark.long
def test_three_large_pictures_lead_on_from_home(host: FakeHost, pages: Pages, display: Served) -> None:
    """Play, practise and learn each have a drawing; the first shows the current players."""
    host.publish("state", scenes()["setup"])
    page = pages.open(f"{display.url}/home?lang=en")
    expect(page.locator(".tile strong")).to_have_text(["Play", "Practise", "Learn"])
    expect(page.locator(".tile-picture svg.board-drawing")).to_have_count(2)
    expect(page.locator(".tile-picture svg.dartboard")).to_have_count(1)
    expect(page.locator('[data-tile="play"] small')).to_contain_text("Two of you")
    host.publish("state", scenes()["turn"])
    expect(page.locator('[data-tile="play"] small')).to_have_text("Scharten, loud: Anna – Bert")
    for size in ((320, 640), (390, 844), (844, 390), (1280, 800), (1920, 1080), (3840, 2160)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        still(page)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, size
    page.locator('[data-tile="learn"]').click()
    page.wait_for_url("**/learn*")


@pytest.mark.long
def test_on_the_play_page_it_takes_no_room_that_is_needed(host: FakeHost, opened: Opener) -> None:
    """On a large screen the line is above the buttons, on a telephone in the settings; a wall has none."""
    host.publish("state", scenes()["turn"])
    page = opened()
    line = page.locator(".top .pages")
    expect(line).to_be_visible()
    for size in ((390, 844), (844, 390), (820, 1180)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        expect(line).to_be_hidden()
    page.locator("#settings").click()
    expect(page.locator("dialog .pages a").first).to_be_visible()
    page.get_by_role("button", name="Close").click()
    wall = opened("role=display&lang=en")
    expect(wall.locator(".top .pages")).to_be_hidden()
    host.publish("state", scenes()["setup"])
    for size in ((320, 640), (390, 844), (820, 1180), (1280, 800)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        still(page)
        expect(line).to_be_visible()  # before a game every role sees the links
        tool = page.locator("#settings").bounding_box()
        assert tool and tool["x"] >= 0 and tool["x"] + tool["width"] <= size[0], (size, tool)
