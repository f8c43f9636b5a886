"""The screen on the wall: each moment has its picture, large enough to read from the oche."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import Pages, still
from browser.scenes import ENTRIES, MIDDLE, scenes
from browser.servers import Mosquitto, Served, served
from browser.test_archive import KEPT
from browser.test_beside import throw_on_squares
from browser.test_sizes import resize
from scharten.display.context import DaemonParts

WALLS = ((1920, 1080), (3840, 2160))
LEAST = 0.04
LONG_CLUB = "Dart- und Schachverein Tungsten Amsterdam-Noord"
WALL = "role=display&lang=en"
# The height of each visible text's letters, as a share of the window's height.
HEIGHTS = """(selectors) => selectors.flatMap((selector) => [...document.querySelectorAll(selector)]
    .filter((one) => one.offsetParent && one.textContent.trim()).map((one) =>
        [selector, one.textContent, parseFloat(getComputedStyle(one).fontSize) / innerHeight]))"""
# Texts of the hub that reach over its edge.
OVER_THE_EDGE = """() => {
    const hub = document.querySelector(".board-centre").getBoundingClientRect();
    const range = document.createRange();
    return [...document.querySelectorAll(".centre-text, .centre-small")].filter((one) => {
        range.selectNodeContents(one);
        return [...range.getClientRects()].some(({ left, right, top, bottom }) =>
            left < hub.left || right > hub.right || top < hub.top || bottom > hub.bottom);
    }).map((one) => one.textContent);
}"""

# Top and bottom of each visible part of the idle wall.
IDLE_PARTS = """() => [...document.querySelector("#idle").children].map((one) => one.getBoundingClientRect())
    .filter(({ height }) => height).map(({ top, bottom }) => [top, bottom])"""
# Texts and pictures that extend beyond their card.
OUT_OF_CARD = """() => [...document.querySelectorAll("#idle .card :is(p, small, strong, span, img, svg)")]
    .filter((one) => {
    const card = one.closest(".card").getBoundingClientRect(), box = one.getBoundingClientRect();
    return box.height && (box.top < card.top || box.bottom > card.bottom || box.right > card.right);
}).map((one) => one.textContent || one.tagName)"""

END_ABOVE_SLAB = """() => document.querySelector("#end").getBoundingClientRect().bottom
    <= document.querySelector("#player-white").getBoundingClientRect().top + 1"""


@pytest.fixture(scope="module")
def in_the_network(broker: Mosquitto) -> Iterator[Served]:
    """A server that phones can reach at the address in its links."""
    with served(broker.port, open_roles=("table",)) as server:
        server.server._web._names = ("192.168.1.9",)
        yield server


def shown(host: FakeHost, page: Page, name: str, **changes: Any) -> None:
    """Show a scene on the wall."""
    state = scenes()[name] | changes
    host.publish("state", state)
    expect(page.locator("#board .board-centre")).to_have_attribute("data-phase", state["phase"])
    still(page)


@pytest.mark.long
def test_hub_fouls_and_question_are_read_from_the_oche(host: FakeHost, opened: Opener) -> None:
    """At 1080p and 4K each has at least 4 % of the height in each moment, and the hub's text stays within the hub."""
    host.publish("state", scenes()["turn"])
    page = opened(WALL)
    texts = [
        ".centre-text",
        ".centre-small",
        ".fouls",
        ".moment",
        ".next-piece",
        ".ask p",
        ".aim h2",
        ".aim p",
        ".question h2",
        ".picture",
        ".end h2",
        ".end-reason",
    ]
    names = {"white": "Anna", "black": "Jan-Willem de Vries"}
    for size in WALLS:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        for name in (
            "turn",
            "throwing",
            "settling_lost",
            "question",
            "check",
            "asked",
            "mate",
            "fogling",
            "paused",
            "deciding",
        ):
            shown(host, page, name, names=names)
            found = page.evaluate(HEIGHTS, texts)
            assert found, name
            assert [text for text in found if text[2] < LEAST] == [], (size, name)
            assert page.evaluate(OVER_THE_EDGE) == [], (size, name)
        host.publish("state", throw_on_squares() | {"names": names})
        expect(page.locator("#aim .aim-hint")).to_be_visible()
        still(page)
        assert [text for text in page.evaluate(HEIGHTS, texts) if text[2] < LEAST] == [], size
        box = page.locator(".second-dartboard .dartboard").bounding_box()
        slab = page.locator("#player-white").bounding_box()
        assert box and slab and box["height"] > 0.3 * size[1] and box["y"] + box["height"] <= slab["y"], box


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "nl", "de"])
def test_a_wall_of_16_10_and_an_upright_one_are_whole(host: FakeHost, opened: Opener, language: str) -> None:
    """In each language the text stays in the hub and the end above the slab; beds and dartboard are in view."""
    host.publish("state", scenes()["turn"])
    page = opened(f"role=display&lang={language}", (1280, 800))
    for name in ("turn", "settling_lost", "question", "mate", "fogling"):
        shown(host, page, name)
        assert page.evaluate(OVER_THE_EDGE) == [], name
        if name in ("mate", "fogling"):
            expect(page.locator("#end .end-facts")).to_be_attached()
            assert page.evaluate(END_ABOVE_SLAB), name
    page.set_viewport_size({"width": 390, "height": 844})
    shown(host, page, "question")
    for bed in page.locator(".question .picture").all():
        box = bed.bounding_box()
        assert box and box["y"] + box["height"] <= 844, box
    page.set_viewport_size({"width": 820, "height": 1180})
    host.publish("state", throw_on_squares())
    expect(page.locator(".second-dartboard .dartboard")).to_be_visible()
    still(page)
    box = page.locator(".second-dartboard .dartboard").bounding_box()
    assert box and box["y"] + box["height"] <= 1180 and box["height"] > 200, box


@pytest.mark.long
def test_two_boards_stand_beside_the_schartbord(host: FakeHost, opened: Opener) -> None:
    """In a game at two boards each player's board is whole in each size, with the last darts and the side to throw."""
    away = {"away": "seat2", "names": {"white": "Anna", "black": "Jan-Willem de Vries"}}
    host.publish("sheet", {"v": 1, "match": "m1", "start": MIDDLE, "entries": ENTRIES})
    host.publish("state", scenes()["throwing"] | away)
    page = opened("role=display&lang=de", WALLS[0])
    boards = page.locator(".small-board")
    anna, bert = (boards.filter(has_text=name) for name in ("Anna", "Jan-Willem de Vries"))
    expect(anna.locator(".dart")).to_have_count(3)
    expect(bert.locator(".dart")).to_have_count(3)
    expect(bert.locator(".dart.lost")).to_have_count(1)  # the bull
    expect(anna.locator(".last-bed")).to_contain_text("am Wurf")
    expect(bert.locator(".last-bed")).to_have_text("4 (außen)")
    for scene in (scenes()["throwing"], throw_on_squares()):
        host.publish("state", scene | away)
        expect(page.locator("#board .board-centre")).to_have_attribute("data-phase", scene["phase"])
        expect(boards.locator(".bed.asked")).to_have_count(len(scene["shown"].get("aim", {}).get("beds", [])))
        for width, height in (*WALLS, (1280, 720), (820, 1180)):
            page.set_viewport_size({"width": width, "height": height})
            still(page)
            foot = page.locator("#player-white").bounding_box()
            assert foot, scene
            for board in boards.locator(".dartboard").all():
                box = board.bounding_box()
                lowest = foot["y"] if width > height else height
                assert box and box["height"] > 0.15 * height and box["y"] + box["height"] <= lowest, (
                    width,
                    box,
                )
    host.publish("state", scenes()["settling_lost"] | away)
    expect(bert).to_have_class("small-board due")
    expect(anna).to_have_class("small-board")
    host.publish("state", scenes()["turn"])
    expect(page.locator("#two-boards")).to_be_hidden()


def test_a_question_stops_the_wall(host: FakeHost, opened: Opener) -> None:
    """The hub asks to wait and names both beds, instead of the throw."""
    page = opened(WALL, (1920, 1080))
    shown(host, page, "question")
    expect(page.locator(".centre-text")).to_have_text("Wait")
    expect(page.locator(".centre-small")).to_have_text("Outer 7 or Treble 7?")
    expect(page.locator(".question h2")).to_have_text("Which bed is the dart in?")
    shown(host, page, "throwing")
    expect(page.locator(".centre-text")).to_have_text("Anna throws a rook")


def test_the_end_stands_in_hub_and_column(host: FakeHost, opened: Opener) -> None:
    """Both places show winner, result and reason."""
    page = opened(WALL, (1920, 1080))
    shown(host, page, "fogling")
    for place in (".board-centre", "#end"):
        for words in ("0-1", "Bert wins", "Anna lost three darts in a row"):
            expect(page.locator(place)).to_contain_text(words)


@pytest.mark.long
def test_the_end_on_a_wall_has_links_for_a_mouse_alone(
    host: FakeHost, pages: Pages, broker: Mosquitto, tmp_path: Path
) -> None:
    """The end links to archive, review and pictures: always at a table, on a display only while a mouse moves
    over it."""
    daemon = DaemonParts(Path(shutil.copy(KEPT, tmp_path)))
    with served(broker.port, open_roles=("table",), daemon=daemon) as server:
        host.publish("state", scenes()["fogling"])
        links = "#end .end-below a"
        table = pages.open(f"{server.url}/?role=table&lang=en", (1920, 1080))
        expect(table.locator(links).first).to_be_visible()
        wall = pages.open(f"{server.url}/?role=display&lang=de", (1920, 1080))
        expect(wall.locator("#end .end-facts")).to_be_attached()
        expect(wall.locator("#end :is(a, button)").locator("visible=true")).to_have_count(0)
        pair = {"round": 2, "table": 3, "names": {"white": "Wilhelmina", "black": "Jan-Willem de Vries"}}
        for next_pair in (None, pair):
            host.publish("next", {"v": 2, "pair": next_pair})
            expect(wall.locator(".end-next")).to_have_count(1 if next_pair else 0)
            for size in ((1280, 800), (1920, 1080), (820, 1180)):
                resize(wall, size)
                middle = wall.locator(".middle")
                assert middle.evaluate("e => e.scrollHeight <= e.clientHeight"), (size, next_pair)
        host.publish("next", {"v": 2, "pair": None})
        wall.mouse.move(100, 100)
        wall.mouse.move(120, 100)
        expect(wall.locator(links).first).to_be_visible()


@pytest.mark.long
def test_an_idle_wall_has_the_last_game_and_a_code(
    host: FakeHost, pages: Pages, in_the_network: Served
) -> None:
    """Before a game the wall shows the last result, and a code to watch where phones reach the server. A
    table shows its pictures."""
    host.publish("state", scenes()["fogling"] | {"match": "idle1"})
    page = pages.open(f"{in_the_network.url}/?{WALL}", (1920, 1080))
    expect(page.locator("#end")).to_be_visible()
    host.publish("state", scenes()["setup"])
    expect(page.locator(".idle-last")).to_contain_text("Anna – Bert 0-1")
    expect(page.locator("#idle img.qr")).to_be_visible()
    expect(page.locator("#idle h2")).to_have_text("Scharten")
    for width, height in WALLS:
        page.set_viewport_size({"width": width, "height": height})
        still(page)
        found = page.evaluate(HEIGHTS, ["#idle h2", ".idle-last", ".idle-last small", ".phone-link strong"])
        assert len(found) >= 5 and [text for text in found if text[2] < LEAST] == [], (width, height, found)
        box = page.locator("#idle").bounding_box()
        assert box and box["y"] >= 0 and box["y"] + box["height"] <= height, (width, height, box)
    table = pages.open(f"{in_the_network.url}/?role=table&lang=en", (1920, 1080))
    expect(table.locator(".tile").first).to_be_visible()
    expect(table.locator("#idle")).to_be_hidden()


@pytest.mark.parametrize("size", [(390, 844), (820, 1180), (1280, 800), (1920, 1080)])
def test_the_day_problem_alone_fills_its_card(
    host: FakeHost, pages: Pages, broker: Mosquitto, size: tuple[int, int]
) -> None:
    """On a server that knows no last game, the position takes most of the card's width, with its text below."""
    host.publish("state", scenes()["setup"])
    with served(broker.port, open_roles=("table",)) as server:
        page = pages.open(f"{server.url}/?role=display&lang=de", size)
        expect(page.locator("#idle .idle-day .piece").first).to_be_visible()
        problem_fills_its_card(page)


def problem_fills_its_card(page: Page) -> None:
    """Check the card of the day's problem."""
    still(page)
    card, position, words = (
        page.locator(f".idle-{name}").bounding_box() for name in ("day", "position", "problem")
    )
    assert card and position and words
    assert position["width"] > 0.6 * card["width"], (card, position)
    assert words["y"] >= position["y"] + position["height"], (words, position)
    assert page.evaluate(OUT_OF_CARD) == []


@pytest.mark.long
@pytest.mark.parametrize(("language", "club"), [("en", ""), ("nl", LONG_CLUB), ("de", LONG_CLUB)])
def test_the_idle_wall_is_filled_from_top_to_bottom(
    host: FakeHost, pages: Pages, broker: Mosquitto, language: str, club: str
) -> None:
    """Club, next pair, last result, the day's problem and the code stand whole below each other and fill the
    column."""
    with served(broker.port, open_roles=("table",), club=club) as server:
        server.server._web._names = ("192.168.1.9",)
        idle_wall_is_filled(host, pages, f"{server.url}/?role=display&lang={language}")


def idle_wall_is_filled(host: FakeHost, pages: Pages, url: str) -> None:
    """Check the wall at `url` after a game, with and without a next pair, in five sizes."""
    host.publish("state", scenes()["fogling"] | {"match": "idle2"})
    page = pages.open(url, WALLS[0])
    expect(page.locator("#end")).to_be_visible()
    host.publish("state", scenes()["setup"])
    expect(page.locator("#idle .idle-last")).to_be_visible()
    expect(page.locator("#idle .idle-day .piece").first).to_be_visible()
    names = {"white": "Wilhelmina", "black": "Jan-Willem de Vries"}
    for pair in (None, {"round": 2, "table": 3, "names": names}):
        host.publish("next", {"v": 2, "pair": pair})
        expect(page.locator("#idle .idle-next")).to_have_count(1 if pair else 0)
        for width, height in (*WALLS, (1280, 800), (820, 1180), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            still(page)
            boxes = page.evaluate(IDLE_PARTS)
            assert len(boxes) >= 4 and boxes[-1][1] <= height, (width, boxes)
            assert all(above[1] <= below[0] for above, below in pairwise(boxes)), (width, boxes)
            assert sum(bottom - top for top, bottom in boxes) >= 0.8 * height, (width, boxes)
            assert page.evaluate(OUT_OF_CARD) == [], (width, pair)
    host.publish("next", {"v": 2, "pair": None})


def test_the_clubs_page_shows_fouls_as_pips(host: FakeHost, pages: Pages, display: Served) -> None:
    """A board's card has a pip for each foul of the limit; each foul lights one."""
    host.publish("state", scenes()["turn"])
    page = pages.open(f"{display.url}/club?lang=en")
    card = page.locator('[data-board="board1"]')
    for side, lit in (("white", 1), ("black", 2)):
        pips = card.locator(f".club-player.{side} .pip")
        expect(pips).to_have_count(3)
        expect(card.locator(f".club-player.{side} .pip.on")).to_have_count(lit)
        assert all(pip.bounding_box()["width"] > 10 for pip in pips.all()), side  # type: ignore[index]
