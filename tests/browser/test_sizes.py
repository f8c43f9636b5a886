"""The play view on every screen: nothing scrolls, nothing is covered, and the important parts are large enough."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import Pages, still
from browser.scenes import scenes
from browser.servers import Mosquitto, Served, served
from browser.test_archive import KEPT
from scharten.display.context import DaemonParts

SIZES = [(360, 740), (390, 844), (844, 390), (820, 1180), (1366, 768), (1920, 1080), (3840, 2160)]
WALLS = SIZES[-3:]
LONG = "Maximiliaan-Alexander van der Heijden-Vos"

# For each element: whether it is on top at its middle, and whether it is within the window.
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
    "#scatter",
]


@pytest.fixture
def kept_games(broker: Mosquitto, tmp_path: Path) -> Iterator[Served]:
    """A display server with an archive, to which the end of a game links."""
    path = Path(shutil.copy(KEPT, tmp_path))
    with served(broker.port, open_roles=("table",), daemon=DaemonParts(path)) as server:
        yield server


def scrolls(page: Page) -> list[int]:
    """Return how much wider and higher the page is than its window."""
    return page.evaluate(
        "[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
    )


def resize(page: Page, size: tuple[int, int]) -> None:
    """Resize the window and wait until it is drawn."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    still(page)


@pytest.mark.long
def test_nothing_scrolls_and_nothing_is_covered(host: FakeHost, opened: Opener) -> None:
    """At the start, at a move, throwing, settling and in check, in each size and theme: the board is whole,
    the rest in view."""
    host.publish("state", scenes()["turn"])
    page = opened("role=table&lang=en")
    for name in ("start", "turn", "throwing", "settling_lost", "check"):
        host.publish("state", scenes()[name])
        expect(page.locator(".board-centre")).to_have_attribute("data-phase", scenes()[name]["phase"])
        for size, theme in product(SIZES, ("light", "dark")):
            page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
            resize(page, size)
            about = (name, size, theme)
            assert all(over <= 0 for over in scrolls(page)), (about, scrolls(page))
            assert page.evaluate(COVERED, IN_PLAY) == [], about
            board = page.locator("#board").bounding_box()
            assert board is not None
            assert min(board["x"], board["y"]) > -1, about
            assert board["x"] + board["width"] <= size[0] + 1, about
            assert board["y"] + board["height"] <= size[1] + 1, about
            assert board["width"] > 0.6 * min(size), about


@pytest.mark.parametrize(("role", "least"), [("display", 0.88), ("table", 0.77), ("arbiter", 0.77)])
def test_on_an_upright_tablet_the_board_takes_what_the_panels_leave(
    host: FakeHost, opened: Opener, role: str, least: float
) -> None:
    """In a silent game the board has nearly the whole width and every button is in view, also during a draw offer."""
    silent = scenes()["turn"] | {"kind": "silent"}
    host.publish("state", silent)
    page = opened(f"role={role}&lang=en")
    resize(page, (820, 1180))
    expect(page.locator("#scatter")).to_be_hidden()
    board = page.locator("#board").bounding_box()
    assert board is not None and board["width"] >= least * 820 and board["x"] >= -1, board
    for state in (silent, silent | {"draw_offer": "white", "seq": silent["seq"] + 1}):
        host.publish("state", state)
        still(page)
        assert page.evaluate(COVERED, IN_PLAY) == [] and all(over <= 0 for over in scrolls(page))


@pytest.mark.long
def test_the_wall_screen_reads_from_afar(host: FakeHost, opened: Opener) -> None:
    """Names have at least 5 % of the height and clocks 9 % in each resolution; a long name wraps and stays whole."""
    state = scenes()["turn"]
    host.publish("state", state | {"names": {"white": LONG, "black": "Bas"}})
    page = opened("role=display&lang=en")
    name = page.locator("#player-white .player-name")
    expect(name).to_contain_text(LONG)
    for size in WALLS:
        resize(page, size)
        for selector, least in ((".player-name", 0.05), (".slab .clock", 0.09)):
            for element in page.locator(selector).all():
                height = float(element.evaluate("e => parseFloat(getComputedStyle(e).fontSize)"))
                assert height >= least * size[1] - 0.5, (selector, size)
        assert name.evaluate("e => e.scrollWidth <= e.clientWidth && e.scrollHeight <= 1.05 * e.clientHeight")
        assert page.evaluate(COVERED, [".player-name", ".clock", ".fouls", ".next-piece"]) == [], size
        assert all(over <= 0 for over in scrolls(page)), size
    assert page.locator("#drawer, .tools").evaluate_all("all => all.every((one) => !one.offsetParent)")


@pytest.mark.long
def test_an_answer_needs_no_scrolling(host: FakeHost, opened: Opener) -> None:
    """The buttons of a draw offer and of the other seat's request, the throw and the last dart are in view."""
    request = {"id": "r1", "by": "seat1", "type": "take_back", "args": {"turns": 1}, "until_ms": 2**42}
    host.publish("state", scenes()["turn"] | {"draw_offer": "white", "requests": [request]})
    page = opened("role=seat2&lang=en")
    expect(page.locator(".ask")).to_have_count(2)
    for size in SIZES:
        resize(page, size)
        assert page.evaluate(COVERED, [".ask button", "#last-dart", ".slab .clock"]) == [], size
        assert all(over <= 0 for over in scrolls(page)), size


@pytest.mark.long
def test_a_notice_covers_no_field(host: FakeHost, opened: Opener) -> None:
    """A short notice stands beside or below the board, within the window."""
    host.answers = lambda role, command: {"accepted": False, "code": "stale", "args": {"seq": 9}}
    page = opened()
    for size in SIZES:
        resize(page, size)
        page.locator('[data-command="announce_throw"]').click()
        note, board = page.locator(".notice").last.bounding_box(), page.locator("#board").bounding_box()
        assert note is not None and board is not None
        beside = note["x"] >= board["x"] + board["width"] - 1 or note["y"] >= board["y"] + board["height"] - 1
        assert beside and note["y"] + note["height"] <= size[1], (size, note)


@pytest.mark.long
@pytest.mark.parametrize("role", ["table", "display"])
def test_the_end_leaves_the_board_in_view(host: FakeHost, opened: Opener, role: str) -> None:
    """The winner stands beside the board on a table and on the wall; no field is covered."""
    host.publish("state", scenes()["fogling"])
    page = opened(f"role={role}&lang=en")
    expect(page.locator("#end")).to_contain_text("Bert wins")
    for size in SIZES:
        resize(page, size)
        end, board = page.locator("#end h2").bounding_box(), page.locator("#board").bounding_box()
        assert end is not None and board is not None
        beside = end["x"] >= board["x"] + board["width"] - 1 or end["y"] >= board["y"] + board["height"] - 1
        assert beside, size
        assert page.evaluate(COVERED, ["#end h2"]) == [], size
        if size in WALLS and (role == "display" or size[0] >= 1920):  # nobody scrolls a wall
            assert page.evaluate(COVERED, ["#end .heat-map", "#end .figure"]) == [], size


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "nl", "de"])
def test_the_buttons_after_a_game_are_in_view_on_a_phone(
    host: FakeHost, pages: Pages, kept_games: Served, language: str
) -> None:
    """Rematch, correction, review and the game's pictures are reached without scrolling."""
    page = pages.open(f"{kept_games.url}/?role=table&lang={language}")
    for name in ("mate", "fogling"):
        host.publish("state", scenes()[name] | {"seq": 50 + len(name)})
        expect(page.locator("#end [data-picture=gif]")).to_be_visible()
        for size in ((320, 640), (360, 740), (375, 667), (390, 844), (820, 1180), (844, 390)):
            resize(page, size)
            assert page.locator("#end :is(button, .button)").count() == 6
            assert page.evaluate(COVERED, ["#end :is(button, .button)"]) == [], (size, name)


@pytest.mark.parametrize("language", ["en", "nl", "de"])
@pytest.mark.parametrize("role", ["table", "display"])
def test_a_question_leaves_the_board_in_view(
    host: FakeHost, opened: Opener, role: str, language: str
) -> None:
    """Upright, the question stands below the board and the player's slab, with each answer whole and in view."""
    host.publish("state", scenes()["question"])
    page = opened(f"role={role}&lang={language}")
    for size in ((320, 640), (390, 844), (820, 1180)):
        resize(page, size)
        boxes = [page.locator(name).bounding_box() for name in ("#board", "#player-white", "#question")]
        for above, below in pairwise(boxes):
            assert above and below and above["y"] + above["height"] <= below["y"] + 1, (size, boxes)
        for answer in page.locator(".picture, .picture-none").all():
            box = answer.bounding_box()
            assert box and box["y"] + box["height"] <= size[1] and box["x"] >= 0, (size, box)


def test_four_buttons_stand_two_by_two(host: FakeHost, opened: Opener) -> None:
    """In the draw for White no button is alone on its row, and the rows have equal widths."""
    host.publish("state", scenes()["deciding"])
    page = opened("role=table&lang=de")
    for size in ((320, 640), (390, 844), (1280, 800), (1920, 1080)):
        resize(page, size)
        found: Any = [button.bounding_box() for button in page.locator("#actions button").all()]
        rows = [[box for box in found if box["y"] == y] for y in sorted({box["y"] for box in found})]
        assert [len(row) for row in rows] == [2, 2], (size, found)
        assert len({round(row[-1]["x"] + row[-1]["width"]) for row in rows}) == 1, (size, rows)


def test_the_settings_are_in_view_at_once(host: FakeHost, opened: Opener) -> None:
    """In a laptop's window the dialog shows all its lines, to the last link."""
    page = opened("role=table&lang=de")
    page.locator("#settings").click()
    expect(page.locator(".other-pages a").last).to_be_visible()
    assert page.locator(".sheet-dialog").evaluate("e => e.scrollHeight <= e.clientHeight")
