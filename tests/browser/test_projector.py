"""The projector's view: the board alone, bent to four corners, with every field in its visible place."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import until
from browser.test_fitness import serious

QUERY = "role=table&lang=en&view=projector"
SIZE = (1280, 800)
BENT = [{"x": 0.2, "y": 0.1}, {"x": 0.82, "y": 0.02}, {"x": 0.95, "y": 0.97}, {"x": 0.1, "y": 0.85}]
FIELDS = ("o1", "a2", "c3", "e4", "e5", "g6", "i7", "e8", "i1", "o8", "b4", "h2")


def open_bent(opened: Opener, turn: int = 0, mirror: bool = False, **context: Any) -> Page:
    """Open the view with corners as a projector on a shelf would need."""
    page = opened(QUERY, SIZE, **context)
    kept = json.dumps({"corners": BENT, "turn": turn, "mirror": mirror})
    page.evaluate("kept => localStorage.setItem('scharten.projector', kept)", kept)
    page.reload()
    page.locator(".piece").first.wait_for()
    until(page, "document.getElementById('board').style.transform.startsWith('matrix3d')")
    return page


def where(page: Page, field: str) -> dict[str, float]:
    """Return the screen position of a field's middle, by a separate computation of the four-corner map."""
    script = """async (field) => {
        const [g, k] = await Promise.all([import('/js/geometry.js'), import('/js/keystone.js')]);
        const kept = JSON.parse(localStorage.getItem('scharten.projector'));
        const corners = kept.corners.map(({x, y}) => ({x: x * innerWidth, y: y * innerHeight}));
        let turned = corners.map((_, i) => corners[(i + kept.turn) % 4]);
        if (kept.mirror) turned = [turned[1], turned[0], turned[3], turned[2]];
        const {x, y} = g.centre(field);
        return k.apply(k.mapping(k.square(1), turned), {x: x / g.SIZE + 0.5, y: y / g.SIZE + 0.5});
    }"""
    return page.evaluate(script, field)


def test_the_solver_finds_the_map_of_any_four_corners(host: FakeHost, opened: Opener) -> None:
    """Random convex corners: the map sends the four corners to their targets, and the inverse sends them back."""
    page = opened()
    chance = random.Random(7)
    upright = ((100, 100), (700, 90), (720, 610), (80, 590))
    shapes = [
        [{"x": x + chance.uniform(-90, 90), "y": y + chance.uniform(-90, 90)} for x, y in upright]
        for _ in range(200)
    ]  # fmt: skip
    script = """(shapes) => import('/js/keystone.js').then((k) => shapes.map((corners) => {
        const [there, back] = [k.mapping(k.square(500), corners), k.mapping(corners, k.square(500))];
        const arrived = k.square(500).map((p) => k.apply(there, p));
        const worst = arrived.map((p, i) => Math.hypot(p.x - corners[i].x, p.y - corners[i].y));
        const p = {x: 123, y: 321}; const q = k.apply(back, k.apply(there, p));
        return Math.max(...worst, Math.hypot(p.x - q.x, p.y - q.y));
    }))"""
    assert max(page.evaluate(script, shapes)) < 1e-6
    flat = (
        "() => import('/js/keystone.js').then((k) => k.convex([{x:0,y:0},{x:1,y:0},{x:0.2,y:0.1},{x:0,y:1}]))"
    )
    assert page.evaluate(flat) is False


def test_the_board_alone_and_black_round_it(host: FakeHost, opened: Opener) -> None:
    """No header, no panel, no scrolling; black outside the board."""
    page = opened(QUERY, SIZE)
    host.state(seq=2, phase="finished", result="1-0", reason="checkmate")
    expect(page.locator(".board-centre")).to_contain_text("1-0")
    for part in ("#header", "#player-white", "#actions", "#dart", "#sheet", "#end"):
        expect(page.locator(part)).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(0, 0, 0)"
    box = page.locator("#board").bounding_box()
    assert box is not None and abs(box["width"] - 800) < 1 and abs(box["x"] - 240) < 1 and abs(box["y"]) < 1
    assert page.evaluate("document.documentElement.scrollHeight") <= SIZE[1]
    assert serious(page) == []


@pytest.mark.parametrize(("turn", "mirror"), [(0, False), (1, False), (2, True)])
def test_each_field_lies_where_the_corners_put_it(
    host: FakeHost, opened: Opener, turn: int, mirror: bool
) -> None:
    """The map's point for a field hits that field: bent, turned and mirrored."""
    page = open_bent(opened, turn, mirror)
    for field in FIELDS:
        at = where(page, field)
        found = page.evaluate("(at) => document.elementFromPoint(at.x, at.y)?.dataset.field", at)
        assert found == field


def test_touch_and_drag_hit_the_right_field_on_a_bent_board(host: FakeHost, opened: Opener) -> None:
    """Two touches play a move; a drag moves the piece with the mouse and plays another."""
    page = open_bent(opened, has_touch=True)
    for field in ("e1", "f2"):
        at = where(page, field)
        page.touchscreen.tap(at["x"], at["y"])
    assert host.next_command("move")["move"] == "e1f2"
    start, end = where(page, "e1"), where(page, "d2")
    page.mouse.move(start["x"], start["y"])
    page.mouse.down()
    page.mouse.move((start["x"] + end["x"]) / 2, (start["y"] + end["y"]) / 2)
    page.mouse.move(end["x"], end["y"])
    box = page.locator(".piece.held").bounding_box()
    assert box is not None
    assert (
        abs(box["x"] + box["width"] / 2 - end["x"]) < 12 and abs(box["y"] + box["height"] / 2 - end["y"]) < 12
    )
    page.mouse.up()
    assert host.next_command("move")["move"] == "e1d2"


@pytest.mark.long
def test_corners_are_dragged_nudged_turned_and_saved(host: FakeHost, opened: Opener) -> None:
    """K opens the grid. Mouse and arrow keys move a corner, a folded shape is refused, a reload keeps everything."""
    page = opened(QUERY, SIZE)
    page.keyboard.press("k")
    expect(page.locator(".corner")).to_have_count(4)
    expect(page.locator(".test-grid")).to_be_visible()
    assert serious(page) == []
    corner = page.locator('[data-corner="top_left"]')
    box = corner.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(200, 80, steps=4)
    page.mouse.up()
    corner.focus()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowUp")
    kept = json.loads(page.evaluate("localStorage.getItem('scharten.projector')"))
    assert abs(kept["corners"][0]["x"] * 1280 - 210) < 1 and abs(kept["corners"][0]["y"] * 800 - 79) < 1
    page.mouse.move(210, 79)
    page.mouse.down()
    page.mouse.move(1000, 700, steps=3)
    page.mouse.up()
    folded = json.loads(page.evaluate("localStorage.getItem('scharten.projector')"))["corners"]
    assert folded[0]["x"] < 0.6
    page.get_by_role("button", name="Mirror").click()
    page.get_by_role("button", name="Quarter turn").click()
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".corner")).to_have_count(0)
    before = page.locator("#board").evaluate("(board) => board.style.transform")
    page.reload()
    page.locator(".piece").first.wait_for()
    until(page, "document.getElementById('board').style.transform !== ''")
    assert page.locator("#board").evaluate("(board) => board.style.transform") == before


@pytest.mark.long
def test_a_long_press_opens_the_adjustment_without_a_keyboard(host: FakeHost, opened: Opener) -> None:
    """A long press beside the fields opens the adjustment; a short tap or a press on a piece does not. None throws."""
    page = opened(QUERY, (844, 390), has_touch=True)
    page.touchscreen.tap(100, 100)
    expect(page.locator(".corner")).to_have_count(0)
    king = page.locator('[data-field="e1"]').bounding_box()
    assert king is not None
    page.mouse.move(king["x"] + king["width"] / 2, king["y"] + king["height"] / 2)
    page.mouse.down()
    page.wait_for_timeout(1100)
    page.mouse.up()
    expect(page.locator(".corner")).to_have_count(0)
    page.mouse.move(30, 30)
    page.mouse.down()
    expect(page.locator(".corner")).to_have_count(4)
    page.mouse.up()
    assert not host.throws and {command["type"] for _, command in host.commands} <= {"explain"}
    panel = page.locator(".projector-tools").bounding_box()
    assert panel is not None and panel["y"] >= 0 and panel["y"] + panel["height"] <= 390
