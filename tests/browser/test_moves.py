"""Moving pieces on the page by touch, mouse, drag, keyboard and keypad; reasons for refusals; whose turn it is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.scenes import position, scenes
from scharten.dartboard.locate import bed_at

SIZES = [(360, 740), (820, 1180), (3840, 2160)]
TOUCH = {"has_touch": True, "is_mobile": True}


def field(page: Page, name: str) -> Any:
    """Return a field of the schartbord."""
    return page.locator(f'#board [data-field="{name}"]')


def test_a_move_by_touch_mouse_drag_and_keyboard(host: FakeHost, opened: Opener) -> None:
    """The same move four ways, at phone, tablet and 4K size, each with the `seq` that the page shows."""
    page = opened(**TOUCH)
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        field(page, "e1").tap()
        expect(page.locator(".dot.destination")).to_have_count(5)
        field(page, "e2").tap()
        command = host.next_command("move")
        assert (command["role"], command["move"], command["seq"], command["match"]) == (
            "table",
            "e1e2",
            1,
            "m1",
        )
        field(page, "e1").click()
        field(page, "d1").click()
        assert host.next_command("move")["move"] == "e1d1"
        field(page, "e1").drag_to(field(page, "f2"))
        assert host.next_command("move")["move"] == "e1f2"
        field(page, "e1").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        assert host.next_command("move")["move"] == "e1f2"
        assert not host.commands


def test_a_promotion_asks_for_the_piece(host: FakeHost, opened: Opener) -> None:
    """Four moves that differ in their last letter become four drawings to choose from."""
    text = position("Ke1 Pd7 kg8", "w - 17/17 0/0 0/0 9")
    host.state(position=text, moves=["d7d8q", "d7d8r", "d7d8b", "d7d8n"])
    page = opened()
    expect(page.locator(".piece")).to_have_count(3)
    field(page, "d7").click()
    field(page, "d8").click()
    page.get_by_role("button", name="white knight").click()
    assert host.next_command("move")["move"] == "d7d8n"
    field(page, "d7").click()
    field(page, "d8").click()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    assert not host.commands


@pytest.mark.long
def test_a_capture_without_support_is_explained_and_marked(host: FakeHost, opened: Opener) -> None:
    """The page asks the host about each enemy piece, marks those that lack support, and shows the figures on a tap."""

    def answer(role: str, command: dict[str, Any]) -> dict[str, Any]:
        if command["type"] != "explain":
            return {"accepted": True}
        args = {"move": command["move"], "legal": False, "why": "not_a_move"}
        if command["move"] == "g3f6":
            args |= {
                "why": "no_support",
                "field": "f6",
                "value": 3,
                "support": 1,
                "needed": 2,
                "supporters": ["f4"],
            }
        return {"accepted": True, "args": args}

    host.answers = answer
    host.publish("state", scenes()["turn"])
    page = opened()
    expect(page.locator(".piece")).to_have_count(29)
    field(page, "g3").click()
    expect(page.locator(".frame.unsupported")).to_have_count(1)
    expect(page.locator("#board .support-count text")).to_have_text("1 of 2")
    expect(page.locator("#board .support-line")).to_have_count(1)
    expect(field(page, "f6")).to_have_attribute("aria-label", re.compile("lacks support"))
    field(page, "f6").click()
    expect(page.locator(".notice.why")).to_have_text("f6 is worth 3: the capture needs support 2 and has 1.")
    assert {command["type"] for _, command in host.commands} == {"explain"}


def test_a_dropped_piece_goes_home_when_the_host_refuses(host: FakeHost, opened: Opener) -> None:
    """The host refuses a move: the page changes nothing and gives the reason."""
    host.answers = lambda role, command: {"accepted": False, "code": "stale", "args": {"seq": 9}}
    page = opened()
    home = page.locator('.piece[data-at="e1"]').bounding_box()
    field(page, "e1").drag_to(field(page, "e2"))
    expect(page.locator(".notice.refused")).to_contain_text("The board has just changed")
    assert page.locator('.piece[data-at="e1"]').bounding_box() == home


def test_a_seat_moves_only_its_own_pieces_on_its_own_turn(host: FakeHost, opened: Opener) -> None:
    """Black's page cannot move on White's turn, and says whose turn it is."""
    page = opened("role=seat2&lang=en")
    field(page, "e1").click()
    expect(page.locator(".notice")).to_contain_text("Anna's turn")
    expect(page.locator(".dot.destination")).to_have_count(0)
    expect(page.locator("#actions button")).to_have_count(0)


def test_a_keypad_beside_the_board_announces_loses_and_readies(host: FakeHost, wired: Opener) -> None:
    """`+` and `-` press the button of the moment. They do nothing without one or while a person types."""
    page = wired()
    expect(page.locator('[data-command="announce_throw"]')).to_be_visible()
    page.keyboard.press("-")
    page.keyboard.press("NumpadAdd")
    assert host.next_command("announce_throw")["role"] == "table"
    host.state(phase="throwing", seq=2)
    expect(page.locator('[data-command="miss"]')).to_be_visible()
    page.keyboard.press("NumpadSubtract")
    assert host.next_command("miss")["seq"] == 2
    host.state(phase="settling", seq=3)
    expect(page.locator('[data-command="ready"]')).to_be_visible()
    page.keyboard.press("+")
    assert host.next_command("ready")["seq"] == 3
    assert not host.commands


@pytest.mark.long
def test_the_lens_tells_a_capture_with_enough_support(host: FakeHost, opened: Opener) -> None:
    """The lens shows support and need, with a line from each supporter; dropping the piece hides it."""
    args = {"legal": True, "field": "f6", "value": 3, "support": 2, "needed": 2, "supporters": ["f4", "e2"]}
    host.answers = lambda role, command: {
        "accepted": True, "args": args if command.get("move") == "g3f6" else {"legal": True},
    }  # fmt: skip
    host.publish("state", scenes()["turn"])
    page = opened()
    field(page, "g3").click()
    expect(page.locator("#board .support-count.enough text")).to_have_text("2 of 2")
    expect(page.locator("#board .support-line")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator("#board .support-count, #board .support-line")).to_have_count(0)


def test_moves_and_darts_can_be_typed(host: FakeHost, opened: Opener) -> None:
    """The field takes a move or a bed and refuses other text. On a phone it appears when the keyboard reaches it."""
    page = opened(size=(390, 844))
    typed = page.locator("#typed")
    assert typed.evaluate(
        "e => document.elementFromPoint(...Object.values(e.getBoundingClientRect().toJSON())) !== e"
    )
    for text, move in (("e1e2", "e1e2"), ("E1-D1", "e1d1")):
        typed.focus()
        typed.fill(text)
        page.keyboard.press("Enter")
        assert host.next_command("move")["move"] == move
    typed.fill("d20")
    page.keyboard.press("Enter")
    host.next_command("announce_throw")
    thrown = host.thrown()
    assert str(bed_at(thrown["x_mm"], thrown["y_mm"])) == "D20"
    typed.fill("hello")
    page.keyboard.press("Enter")
    expect(page.locator(".notice.refused")).to_contain_text("Type a move such as e2e4")
    box = typed.bounding_box()
    assert box is not None and box["width"] > 50 and box["y"] + box["height"] <= 844


def test_the_focus_ring_is_whole_and_only_the_keyboards(host: FakeHost, opened: Opener) -> None:
    """The ring follows the field's outline above its neighbours; the mouse leaves no ring."""
    page = opened()
    field(page, "e1").focus()
    page.keyboard.press("ArrowUp")
    ring = page.locator("#board .focus-line")
    expect(ring).to_have_count(1)
    assert ring.get_attribute("d") == field(page, "e2").get_attribute("d")
    above = "ring => [...ring.ownerSVGElement.querySelectorAll('.field')].every((one) =>" + (
        " one.compareDocumentPosition(ring) & Node.DOCUMENT_POSITION_FOLLOWING)"
    )
    assert ring.evaluate(above)
    field(page, "d3").click()
    expect(ring).to_have_count(0)
