"""Light on a real dartboard: the projector announces each change, and keeps still while a dart is due."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import aiohttp
import cv2
import numpy as np
import pytest
from playwright.sync_api import Page, expect

from browser.fakes import LOUD, FakeHost
from browser.pages import PATIENCE_S, Pages, until
from browser.servers import Mosquitto, Served, served
from scharten.dartboard.beds import ALL_BEDS
from scharten.game.basics import FieldName
from scharten.games.loud import meets
from scharten_calibration.gray_code import Pattern, drawn

SIZE = (960, 600)
FIT = {"width": 960, "height": 600, "homography": [1.5, 0, 480, 0, -1.5, 300, 0, 0.0002, 1], "k1": 0.05}
THROW = {
    "phase": "throwing",
    "shown": {"zone": ["a1", "a2"], "fouls": {"white": 1, "black": 0}},
    "drops": ["a2"],
}
PLACED = LOUD.replace("5K*9k*4/20", "1P3K*9k*4/20", 1)


@pytest.fixture
def lit(pages: Pages, display: Served, host: FakeHost) -> Iterator[Callable[..., Page]]:
    """Open the view as a projector shows it; fail the test if the browser logged an error."""

    def opened(role: str = "table", fit: dict[str, Any] | None = None) -> Page:
        host.lights.clear()
        page = pages.open(f"{display.url}/?role={role}&lang=en&view=light", SIZE)
        page.locator("svg.light").wait_for(state="attached")
        if role != "display":
            said(page, host, 1)
        if fit:
            page.evaluate("fit => localStorage.setItem('scharten.light.fit', fit)", json.dumps(fit))
            page.reload()
            page.locator("svg.light").wait_for(state="attached")
            said(page, host, 3)
        host.lights.clear()
        return page

    yield opened
    assert not pages.console, pages.console


def said(page: Page, host: FakeHost, times: int) -> None:
    """Wait for this many notices of light changes; a page that comes or goes sends one too."""
    deadline = time.monotonic() + PATIENCE_S
    while len(host.lights) < times:
        assert time.monotonic() < deadline, f"{len(host.lights)} of {times} changes were announced"
        page.wait_for_timeout(20)


def announced(host: FakeHost) -> list[dict[str, Any]]:
    """Return the notices of new shapes; a page whose size settles after opening sends a longer notice."""
    return [notice for notice in host.lights if notice["back_ms"] - notice["at_ms"] < 500]


def box(page: Page, selector: str) -> list[float]:
    """Return the middle of the lit shape in pixels."""
    found = page.locator(selector).first.bounding_box()
    assert found is not None
    return [found["x"] + found["width"] / 2, found["y"] + found["height"] / 2]


def test_legal_beds_are_outlined_while_a_throw_is_due_and_nothing_else(
    host: FakeHost, lit: Callable[..., Page]
) -> None:
    """The board is black in the turn. From the announcement on the zone is dim, legal beds have outlines,
    fouls form a ring."""
    page = lit()
    expect(page.locator(".light path")).to_have_count(0)
    host.state(seq=2, **THROW)
    expect(page.locator(".lit-legal")).to_have_count(1)
    assert page.locator(".lit-zone").count() == 2 and page.locator(".lit-foul").count() == 1
    assert page.locator(".lit-left").count() == 2
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(0, 0, 0)"
    for part in ("#board", "#header", "#actions"):
        expect(page.locator(part)).to_be_hidden()
    (notice,) = announced(host)
    assert notice["by"] == "projector" and notice["at_ms"] < notice["back_ms"]


@pytest.mark.long
def test_nothing_moves_between_announcement_and_outcome(host: FakeHost, lit: Callable[..., Page]) -> None:
    """New states change nothing meanwhile. Then the page announces and shows the dart's outcome, then black."""
    page = lit()
    host.state(seq=2, **THROW)
    expect(page.locator(".lit-legal")).to_have_count(1)
    before = page.locator("svg.light").inner_html()
    host.state(seq=3, **{**THROW, "drops": ["a1", "a2", "b1"]})
    until(page, "document.title !== ''")
    page.wait_for_timeout(700)
    assert page.locator("svg.light").inner_html() == before and len(announced(host)) == 1
    last = {"by": "white", "text": "@a1", "move": "@a1", "fields": ["a1"], "bed": "D8", "x_mm": -140.0, "y_mm": -80.0,
            "foul": None, "dart": True}  # fmt: skip
    host.state(seq=4, phase="settling", turns=1, last=last, position=PLACED, side="black")
    expect(page.locator(".lit-dart")).to_have_count(2)
    assert page.locator(".light .sign").count() == 1
    assert len(announced(host)) == 2
    host.state(seq=5, phase="turn", turns=1, last=last, position=PLACED, side="black")
    expect(page.locator(".light path")).to_have_count(0)
    assert len(announced(host)) == 3


def test_a_lost_dart_is_marked_and_the_ring_has_one_more(host: FakeHost, lit: Callable[..., Page]) -> None:
    """The hit bed is red, no piece appears, and two of three parts of the ring are lit."""
    page = lit()
    last = {"by": "white", "text": "@-", "move": "@-", "fields": ["a1"], "bed": "D8", "x_mm": -140.0, "y_mm": -80.0,
            "foul": "outside_zone", "dart": True}  # fmt: skip
    host.state(
        seq=4, phase="settling", turns=1, last=last, side="black", shown={"fouls": {"white": 2, "black": 0}}
    )
    expect(page.locator(".lit-lost")).to_have_count(2)
    assert page.locator(".lit-foul").count() == 2 and page.locator(".light .sign").count() == 0


@pytest.mark.long
def test_the_advised_aim_is_lit_where_it_lies_and_only_for_its_turn(
    host: FakeHost, lit: Callable[..., Page]
) -> None:
    """A cross marks the advised millimetres once the throw is announced; the next turn has no cross."""
    page = lit()
    with page.expect_websocket() as connection:
        page.reload()
    host.state(seq=2)
    best = {"x_mm": -60.0, "y_mm": 80.0, "bed": "F9", "part": "middle", "words": "the middle of F9", "placed": 0.6,
            "lost": 0.4, "value": None}  # fmt: skip
    with connection.value.expect_event("framereceived", lambda frame: "middle of F9" in str(frame)):
        host.publish(
            "advice", {"v": 1, "match": "m1", "seq": 2, "advice": {"safe": best, "best": best, "fields": []}}
        )
    expect(page.locator(".light path")).to_have_count(0)
    host.state(seq=3, **THROW)
    expect(page.locator(".lit-aim")).to_have_count(1)
    x, y = box(page, ".lit-aim")
    assert abs(x - (480 - 60 * 600 / 370)) < 3 and abs(y - (300 - 80 * 600 / 370)) < 3
    host.state(seq=4, turns=1, side="black")
    expect(page.locator(".light path")).to_have_count(0)
    host.state(seq=5, turns=1, side="black", **THROW)
    expect(page.locator(".lit-legal")).to_have_count(1)
    assert page.locator(".lit-aim").count() == 0


@pytest.mark.long
def test_on_squares_the_beds_that_hit_the_field_of_the_move_are_outlined(
    host: FakeHost, lit: Callable[..., Page]
) -> None:
    """Loud chess outlines every bed of the wanted colour, or draws one circle where any bed hits."""
    page = lit()
    beds = [str(bed) for bed in ALL_BEDS if meets(bed, FieldName("d5"), "colour")]
    chess = {
        "game": {"key": "chess", "options": {"kind": "loud", "foul_limit": {"white": 3, "black": 3}},
                 "layout": {"form": "grid", "files": "abcdefgh", "rows": 8}},
        "position": "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        "phase": "throwing", "moves": [], "drops": [],
    }  # fmt: skip
    aim = {"move": "e4d5", "field": "d5", "colour": "light", "beds": beds}
    host.state(seq=2, **chess, shown={"aim": aim})
    expect(page.locator(".lit-legal")).to_have_count(len(beds))
    assert {shape.get_attribute("data-bed") for shape in page.locator(".lit-legal").all()} == set(beds)
    host.state(seq=3, **{**chess, "phase": "turn"})
    expect(page.locator(".light path")).to_have_count(0)
    every = [str(bed) for bed in ALL_BEDS if str(bed) != "MISS"]
    host.state(seq=4, turns=1, **chess, shown={"aim": {**aim, "colour": "any", "beds": every}})
    expect(page.locator(".lit-legal")).to_have_count(1)


def test_the_measured_map_places_light_until_a_hand_moves_a_corner(
    host: FakeHost, lit: Callable[..., Page]
) -> None:
    """A dart's ring lies where the map puts its millimetres. K and an arrow key replace the map by the corners."""
    page = lit(fit=FIT)
    last = {"by": "white", "text": "@a1", "move": "@a1", "fields": ["a1"], "bed": "D8", "x_mm": -140.0, "y_mm": 80.0,
            "foul": None, "dart": True}  # fmt: skip
    host.state(seq=4, phase="settling", turns=1, last=last, position=PLACED, side="black")
    expect(page.locator(".lit-dart")).to_have_count(2)
    x, y = box(page, ".lit-dart >> nth=1")
    w = 1 + 0.0002 * 80
    straight = np.array([(480 - 210) / w - 479.5, (300 - 120) / w - 299.5])
    r = math.hypot(*straight) / 480
    bent = straight * (r - 0.05 * r**3) / r
    assert abs(x - bent[0] - 480) < 2.5 and abs(y - bent[1] - 300) < 2.5
    page.keyboard.press("k")
    page.locator('[data-corner="top_left"]').focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Done").click()
    assert page.evaluate("localStorage.getItem('scharten.light.fit')") is None
    x, y = box(page, ".lit-dart >> nth=1")
    assert abs(x - (480 - 140 * 600 / 370)) < 3 and abs(y - (300 - 80 * 600 / 370)) < 3


def by_tool(display: Served, *orders: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the page's answers to a tool that asks through the server and disconnects."""

    async def tool() -> list[dict[str, Any]]:
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{display.url}/ws", headers={"Origin": display.url}) as socket,
        ):
            await socket.send_json({"v": 1, "role": "table"})
            for n, order in enumerate(orders, 1):
                await socket.send_json({"topic": "projector", "payload": {"v": 1, "n": n, **order}})
            answers = []
            while len(answers) < len(orders):
                message = await socket.receive_json(timeout=30)
                if message["topic"] == "projector":
                    answers.append(message["payload"])
            return answers

    with ThreadPoolExecutor(1) as beside:  # Playwright's loop runs in this thread
        return beside.submit(lambda: asyncio.run(tool())).result(60)


def test_stripes_are_shown_as_they_are_read_and_the_map_is_kept(
    host: FakeHost, display: Served, lit: Callable[..., Page]
) -> None:
    """A tool asks through the server: the screen shows just the pattern, pixel for pixel, and saves the tool's map."""
    page = lit()
    pattern = Pattern("x", 3, inverse=True)
    form = {"axis": pattern.axis, "bit": pattern.bit, "inverse": pattern.inverse}
    kept, shown = by_tool(display, {"keep": FIT}, {"show": form, "cell": 4})
    assert kept["kept"] == 1 and kept["sound"] and shown["shown"] == 2
    assert (shown["width"], shown["height"]) == SIZE
    seen = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert (np.abs(seen.astype(int) - drawn(pattern, SIZE)) < 10).all()
    assert json.loads(page.evaluate("localStorage.getItem('scharten.light.fit')")) == FIT


def test_stripes_of_a_gone_tool_are_removed_with_a_notice(
    host: FakeHost, display: Served, lit: Callable[..., Page]
) -> None:
    """After 20 s without the tool the page removes the pattern and announces it to the cameras."""
    page = lit()
    page.clock.install()
    by_tool(display, {"show": {"axis": "white"}, "cell": 4})
    expect(page.locator(".patterns")).to_be_visible()
    said(page, host, 1)
    page.clock.fast_forward(20_010)
    expect(page.locator(".patterns")).to_be_hidden()
    said(page, host, 2)
    assert {shape["by"] for shape in host.lights} == {"projector"}


@pytest.mark.long
def test_each_manual_change_is_announced_before_it_shows(host: FakeHost, lit: Callable[..., Page]) -> None:
    """Opening the grid, moving a corner, closing the grid and leaving the page are announced to the cameras."""
    page = lit()
    expect(page.locator(".projector-hint")).to_be_visible()
    page.wait_for_timeout(600)  # the announcement of the window's size has ended
    host.lights.clear()
    page.keyboard.press("k")
    page.locator(".board-grid").wait_for()
    said(page, host, 1)
    page.wait_for_timeout(600)
    page.locator('[data-corner="top_left"]').focus()
    page.keyboard.press("ArrowRight")
    said(page, host, 2)
    until(page, "JSON.parse(localStorage.getItem('scharten.light')).corners[0].x > 0.188")
    page.wait_for_timeout(600)
    page.keyboard.press("Escape")
    page.locator(".board-grid").wait_for(state="detached")
    said(page, host, 3)
    page.reload()
    said(page, host, 5)


def test_the_grid_is_the_dartboards_own(host: FakeHost, lit: Callable[..., Page]) -> None:
    """The double ring of the grid lies where beds are lit afterwards, and no panel covers the board."""
    page = lit()
    page.keyboard.press("k")
    page.locator(".board-grid").wait_for()
    mark = page.locator(".board-grid .mark").bounding_box()
    panel = page.locator(".projector-tools").bounding_box()
    last = {"by": "white", "text": "@a1", "move": "@a1", "fields": ["a1"], "bed": "D20", "x_mm": None, "y_mm": None,
            "foul": None, "dart": True}  # fmt: skip
    host.state(seq=4, phase="settling", turns=1, last=last, position=PLACED, side="black")
    expect(page.locator(".lit-dart")).to_have_count(1)
    lit_bed = page.locator(".lit-dart").bounding_box()
    assert mark and panel and lit_bed
    for side in ("x", "y", "width", "height"):
        assert abs(mark[side] - lit_bed[side]) < 4  # the line's own width
    assert panel["x"] + panel["width"] < 480 - 170 * 600 / 370


@pytest.mark.long
def test_where_every_dart_counts_the_beds_are_lit_in_the_turn(
    host: FakeHost, lit: Callable[..., Page]
) -> None:
    """With `arming` auto beds are lit without an announcement, as long as the side to move may throw."""
    page = lit()
    options = {"kind": "loud", "arming": "auto", "foul_limit": {"white": 3, "black": 3}}
    game = {"key": "scharten", "options": options, "layout": {"form": "schartbord"}}
    can = {"throw": True, "claim": [], "take_back": 0}
    host.state(seq=12, **{**THROW, "phase": "turn"}, game=game, can=can)
    expect(page.locator(".lit-legal")).to_have_count(1)
    assert page.locator(".lit-foul").count() == 1 and page.locator(".lit-aim").count() == 0
    best = {"x_mm": -60.0, "y_mm": 80.0, "bed": "F9", "part": "middle", "words": "the middle of F9", "placed": 0.6,
            "lost": 0.4, "value": None}  # fmt: skip
    host.publish(
        "advice", {"v": 1, "match": "m1", "seq": 12, "advice": {"safe": best, "best": best, "fields": []}}
    )
    expect(page.locator(".lit-aim")).to_have_count(1)
    host.state(seq=13, **{**THROW, "phase": "turn"}, game=game, turns=1, can={**can, "throw": False})
    expect(page.locator(".light path")).to_have_count(0)


def test_a_display_warns_that_cameras_get_no_notice_of_its_light(
    host: FakeHost, lit: Callable[..., Page]
) -> None:
    """With `role=display` the page draws and shows a warning, but publishes no notice on the broker."""
    page = lit(role="display")
    expect(page.locator(".projector-hint.lasting")).to_contain_text("role=table")
    host.state(seq=2, **THROW)
    expect(page.locator(".lit-legal")).to_have_count(1)
    assert host.lights == []


def test_a_projector_without_access_says_why(pages: Pages, broker: Mosquitto) -> None:
    """A projector at a display without a table's role shows the reason, not a black page."""
    with served(broker.port) as closed:
        page = pages.open(f"{closed.url}/?role=table&lang=en&view=light", SIZE)
        expect(page.locator(".projector-hint")).to_have_text("This display has no such role")
