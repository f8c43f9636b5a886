"""The panels beside the board: the moves with the captured men, and the dartboard of a throw on squares."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.pages import still
from browser.scenes import ENTRIES, MIDDLE, judged, position, scenes
from browser.test_sheet import WHOLE
from browser.test_sizes import resize

AFTER_E4_D5 = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
LIGHT_BEDS = [f"{ring}{number}" for number in (1, 4, 5, 6, 9, 11, 15, 16, 17, 19) for ring in "FLTD"]
TAKEN = (
    position("Ke1 Pe2* Qd2 ke8 pd7 nc6", "b - 1/0 0/0 0/0 1"),
    position("Ke1 Pe2* nd2 ke8 pd7", "w - 1/0 0/0 0/0 2"),
    position("Kd2 Pe2* ke8 pd7", "b - 1/0 0/0 0/0 2"),
)


def squares(**changes: Any) -> dict[str, Any]:
    """A game of chess after 1. e4 d5."""
    turn = scenes()["turn"]
    layout = {"form": "grid", "files": "abcdefgh", "rows": 8, "chequered": True}
    shown = turn["shown"] | {"zone": [], "next": {}, "to_throw": {}, "protected": [], "checkers": []}
    game = {"game": turn["game"] | {"key": "chess", "layout": layout}, "position": AFTER_E4_D5}
    rest = {"moves": ["e4d5", "e4e5"], "drops": [], "last": None, "check": [], "shown": shown}
    return turn | game | rest | changes


def throw_on_squares() -> dict[str, Any]:
    """Return the throw for e4xd5, which needs a light bed."""
    aim = {"move": "e4d5", "colour": "light", "beds": [*LIGHT_BEDS, "25", "BULL"]}
    return squares(phase="throwing", shown=squares()["shown"] | {"aim": aim})


def entries() -> list[dict[str, Any]]:
    """Return three turns: two captures after a first move."""
    texts = (("white", "Qd2"), ("black", "Nxd2"), ("white", "Kxd2"))
    return [
        {"n": 1 + at // 2, "side": side, "text": text, "fields": [], "bed": None, "at_ms": 0, "position": TAKEN[at]}
        for at, (side, text) in enumerate(texts)
    ]  # fmt: skip


def box(page: Page, selector: str) -> dict[str, float]:
    """Return the place of an element."""
    found = page.locator(selector).bounding_box()
    assert found is not None, selector
    return dict(found)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["silent", "loud"])
def test_the_moves_are_in_view_without_a_press(host: FakeHost, opened: Opener, kind: str) -> None:
    """From a small laptop to a wall the moves stand beside the board and cover nothing; a telephone has a drawer."""
    host.publish("state", scenes()["turn"] | {"kind": kind, "match": "m1"})
    host.publish("sheet", WHOLE | {"start": MIDDLE, "entries": entries()})
    page = opened()
    moves = page.locator("#sheet .moves")
    expect(moves.locator("button")).to_have_count(3)
    for size in ((1024, 768), (1280, 800), (1366, 768), (1600, 900), (1920, 1080)):
        if kind == "loud" and size < (1280, 800):
            continue  # the controls of the simulated board need that space
        page.set_viewport_size({"width": size[0], "height": size[1]})
        still(page)
        expect(moves).to_be_visible()
        panel, below = box(page, "#sheet"), box(page, "#player-white")
        assert panel["y"] + panel["height"] <= below["y"] + 1, size
        assert panel["x"] >= box(page, "#board")["x"] + box(page, "#board")["width"] - 1, size
    page.set_viewport_size({"width": 390, "height": 844})
    expect(moves).to_be_hidden()
    page.locator("#drawer-handle").click()
    expect(moves).to_be_visible()


def test_captured_men_are_drawn_and_named(host: FakeHost, opened: Opener) -> None:
    """The page lists each side's captures from the entries. While looking back it lists the earlier captures."""
    host.publish("state", scenes()["turn"] | judged(MIDDLE) | {"kind": "silent"})
    host.publish("sheet", WHOLE | {"start": MIDDLE, "entries": entries()})
    page = opened()
    men = page.locator(".captured-men")
    expect(men.nth(0)).to_have_text("Anna has captured: black knight")
    expect(men.nth(1)).to_have_text("Bert has captured: white queen")
    expect(men.nth(0).locator(".piece-drawing")).to_have_count(1)
    expect(page.locator("#sheet h2")).to_have_text("Scharten, silent")
    page.locator("#sheet .moves button").nth(1).click()
    expect(men.nth(0)).to_have_text("")
    expect(men.nth(1)).to_have_text("Bert has captured: white queen")


def test_a_throw_on_squares_has_its_dartboard_beside_the_chessboard(host: FakeHost, opened: Opener) -> None:
    """In no size does either board cover the other. The move's squares stay lit, and a press there throws a dart."""
    host.publish("state", throw_on_squares())
    page = opened()
    expect(page.locator("#second .bed.asked")).to_have_count(42)
    expect(page.locator("#board .frame.chosen")).to_have_count(1)
    expect(page.locator("#board .frame.capture")).to_have_count(1)
    for size in ((320, 640), (390, 844), (820, 1180), (1024, 768), (844, 390), (1280, 800), (1920, 1080)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        still(page)
        darts, board = box(page, "#second .dartboard"), box(page, "#board")
        beside = darts["x"] >= board["x"] + board["width"] - 1
        below = darts["y"] >= board["y"] + board["height"] - 1
        assert beside if size[0] > size[1] else below, (size, darts, board)
        assert darts["width"] > 0.35 * min(size), (size, darts)
        assert darts["y"] + darts["height"] <= size[1] and darts["x"] + darts["width"] <= size[0], size
    wall = opened("role=display&lang=en", size=(1920, 1080))
    expect(wall.locator("#second .bed.asked")).to_have_count(42)
    assert box(wall, "#second .dartboard")["width"] > 0.45 * 1080
    expect(wall.locator("#board .board-centre")).to_be_hidden()  # squares have no hub for words
    page.locator('#second [data-bed="F1"]').click()
    assert host.thrown()["v"] == 1


def test_the_newest_move_stays_in_view_when_the_window_turns(host: FakeHost, opened: Opener) -> None:
    """After a tablet is turned and turned back the list shows its end, or the move that the user selected."""
    host.publish("state", scenes()["turn"] | {"match": "m1"})
    host.publish("sheet", {"v": 1, "match": "m1", "start": "", "entries": ENTRIES})
    page = opened(size=(1280, 800))
    moves = page.locator("#sheet .moves button")
    expect(moves).to_have_count(len(ENTRIES))
    for move in (moves.last, moves.nth(3)):
        move.click()
        for size in ((800, 1280), (1280, 800)):
            resize(page, size)
        expect(move).to_have_attribute("aria-current", "step")
        expect(move).to_be_in_viewport(ratio=1)
