"""Throwing at the board on the screen: which press is a dart, where it lands, and its announcement."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost
from browser.scenes import scenes
from scharten.dartboard.locate import bed_at

SIZES = [(390, 844), (844, 390), (820, 1180), (1366, 768), (1920, 1080), (3840, 2160)]
FIELDS_HIT = [("f2", "F17"), ("a4", "L8"), ("e8", "D20"), ("b6", "T4")]
MISSED = '#actions [data-command="miss"]'
POINTS_HIT = [((0, 0), "BULL"), ((0.05, 0.03), "25"), ((0.0, 0.96), "MISS")]


def field(page: Page, name: str) -> Any:
    """Return a field of the board."""
    return page.locator(f'#board [data-field="{name}"]')


def due(page: Page) -> None:
    """Wait until the page accepts a dart."""
    expect(page.locator("#board.takes-darts")).to_have_count(1)


def hit(host: FakeHost) -> str:
    """Return the bed of the next throw."""
    thrown = host.thrown()
    return str(bed_at(thrown["x_mm"], thrown["y_mm"]))


def press(page: Page, x: float, y: float) -> None:
    """Press the board at a point; the origin is its centre, its rim is at 1."""
    box = page.locator("#board").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * (0.5 + x / 2), box["y"] + box["height"] * (0.5 + y / 2))


@pytest.mark.long
def test_a_press_on_the_board_throws_there(host: FakeHost, opened: Opener) -> None:
    """A press announces and throws a dart into the pressed bed: fields, both bulls and the surround, on every
    screen."""
    page = opened()
    seq = 1
    for at, size in enumerate(SIZES):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        for place, bed in FIELDS_HIT[at % 3 : at % 3 + 2]:
            due(page)
            field(page, place).click()
            assert host.next_command("announce_throw")["seq"] == seq
            assert hit(host) == bed
            host.state(seq=(seq := seq + 2), turns=seq)
        (x, y), bed = POINTS_HIT[at % 3]
        due(page)
        press(page, x, y)
        assert host.next_command("announce_throw")["seq"] == seq
        assert hit(host) == bed
        host.state(seq=(seq := seq + 2), turns=seq)
    due(page)
    page.locator(MISSED).click()
    host.next_command("announce_throw")
    host.next_command("miss")


def test_a_press_while_the_last_turn_settles_is_a_dart(host: FakeHost, opened: Opener) -> None:
    """A dart pressed just as the turn settles is announced for the new state; the player need not press twice."""
    host.state(seq=5, phase="settling", turns=3)
    page = opened()
    due(page)

    def settles(role: str, command: dict[str, Any]) -> dict[str, Any]:
        if command["type"] != "announce_throw" or command["seq"] == 6:
            return {"accepted": True}
        host.state(seq=6, phase="turn", turns=3)
        return {"accepted": False, "code": "stale"}

    host.answers = settles
    field(page, "f2").click()
    assert hit(host) == "F17"
    assert [command["seq"] for _, command in host.commands] == [5, 6]
    expect(page.locator(".notice")).to_have_count(0)


def test_the_first_turn_explains_the_board_on_the_screen(host: FakeHost, opened: Opener) -> None:
    """A newcomer reads how to throw, on a phone and a small laptop too. After the first turn the text disappears."""
    page = opened()
    for size in ((375, 812), (1024, 768), (1280, 800)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        host.state()
        expect(page.locator(".virtual .help")).to_be_visible()
        host.state(turns=1, seq=2)
        expect(page.locator(".virtual .help")).to_be_hidden()


@pytest.mark.long
def test_an_undetected_dart_is_lost(host: FakeHost, opened: Opener) -> None:
    """A dart at the edge of the board is reported lost once, with the `seq` on the page."""
    host.state(seq=7, phase="throwing")
    page = opened()
    due(page)
    press(page, 0, 0.96)
    assert math.hypot(host.thrown()["x_mm"], 0) < 200
    assert host.next_command("miss")["seq"] == 7
    host.state(seq=8, side="black", phase="settling")
    page.wait_for_timeout(1000)
    assert not host.commands


def test_no_button_loses_a_dart_that_cannot_be_thrown(host: FakeHost, opened: Opener) -> None:
    """The button is hidden on the other's turn, and on squares before a move is entered."""
    host.state(seq=3)
    page = opened("role=seat1&lang=en")
    expect(page.locator(MISSED)).to_be_visible()
    host.state(seq=5, side="black")
    expect(page.locator(MISSED)).to_have_count(0)
    host.state(seq=7)
    expect(page.locator(MISSED)).to_be_visible()
    host.state(seq=9, can={"throw": False, "claim": [], "take_back": 0})
    expect(page.locator(MISSED)).to_have_count(0)


@pytest.mark.long
def test_the_screen_has_one_button_for_a_lost_dart(host: FakeHost, opened: Opener) -> None:
    """The simulated board has one button to lose a dart in every phase, and no button to remove one."""
    page = opened()
    lost = page.get_by_role("button", name=re.compile("miss|bounce|removed", re.IGNORECASE))
    seq = 3
    for arming in ("announce", "auto"):
        for phase in ("turn", "throwing", "settling"):
            host.state(seq=(seq := seq + 1), turns=seq, phase=phase, options={"arming": arming})
            expect(page.locator(".board-centre")).to_have_attribute("data-phase", phase)
            expect(lost).to_have_count(1)
            expect(lost).to_have_text("Missed")


def test_a_dart_of_the_draw_scatters_too(host: FakeHost, opened: Opener) -> None:
    """The chosen scatter also applies to darts that draw an opening."""
    draw = {"by": "darts", "number": None, "to_throw": "seat1", "steps": [], "digest": "ab", "seed": None}
    host.state(phase="drawing", shown={"draw": draw})
    page = opened()
    page.locator("#scatter").fill("40")
    bed = page.locator('#drawing .dartboard [data-bed="F6"]')
    bed.click()
    first = host.thrown()
    bed.click()
    assert host.thrown() != first


def test_a_press_on_a_piece_that_can_move_picks_it_up(host: FakeHost, opened: Opener) -> None:
    """A short press moves the piece, a long press throws at it. Once a throw is announced every press throws."""
    page = opened()
    field(page, "e1").click()
    expect(page.locator(".frame.chosen")).to_have_count(1)
    field(page, "e2").click()
    assert host.next_command("move")["move"] == "e1e2"
    field(page, "e1").click(delay=700)
    thrown = host.thrown()
    assert str(bed_at(thrown["x_mm"], thrown["y_mm"])) == "D3"
    host.state(seq=5, turns=5, phase="throwing")
    expect(page.locator(".board-centre")).to_contain_text("throws")
    field(page, "e1").click()
    thrown = host.thrown()
    assert str(bed_at(thrown["x_mm"], thrown["y_mm"])) == "D3"


def test_the_bed_and_its_effect_are_shown_before_the_throw(host: FakeHost, opened: Opener) -> None:
    """Hovering and the keyboard's focus show the bed, the field and the outcome."""
    page = opened()
    label = page.locator(".aim-label")
    for place, words in [
        ("f1", "D17, f1: white pawn"),
        ("e8", "D20, e8: the field is occupied"),
        ("c6", "outside"),
    ]:
        field(page, place).hover()
        expect(label).to_contain_text(words)
    field(page, "e1").hover()
    expect(label).to_be_hidden()
    field(page, "e2").focus()
    page.keyboard.press("ArrowUp")
    expect(label).to_have_text(re.compile("T3, e3: white pawn"))
    page.keyboard.press("Enter")
    thrown = host.thrown()
    assert math.hypot(thrown["x_mm"], thrown["y_mm"] + 103) < 2


@pytest.mark.long
def test_no_dart_is_thrown_while_none_is_due(host: FakeHost, opened: Opener) -> None:
    """No press throws during a question, from the waiting seat or from a display."""
    host.publish("state", scenes()["question"])
    page = opened()
    expect(page.locator(".picture")).to_have_count(2)
    assert not page.evaluate("document.querySelector('.aim-label:not([hidden])')")
    host.state(seq=60, side="white")
    other = opened("role=seat2&lang=en")
    field(other, "e3").click()
    display = opened("role=display&lang=en")
    press(display, 0, 0.6)
    page.wait_for_timeout(500)
    assert not host.throws and not host.commands


def luminance(colour: str) -> float:
    """Return the relative luminance of `rgb(r, g, b)` for a viewer without red-green vision (Machado 2009)."""
    r, g, b = (
        (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4)
        for value in (int(part) / 255 for part in re.findall(r"\d+", colour)[:3])
    )
    seen = (
        0.367322 * r + 0.860646 * g - 0.227968 * b,
        0.280085 * r + 0.672501 * g + 0.047413 * b,
        -0.011820 * r + 0.042940 * g + 0.968881 * b,
    )
    return sum(part * max(0.0, value) for part, value in zip((0.2126, 0.7152, 0.0722), seen, strict=True))


def test_rings_can_be_distinguished_without_red_and_green(host: FakeHost, opened: Opener) -> None:
    """Two thin lines mark the double and three the treble, visible on red and on green to a deuteranope."""
    page = opened()
    radii = page.locator("#board .ring-mark").evaluate_all("marks => marks.map((one) => one.r.baseVal.value)")
    assert [sum(432 < r < 510 for r in radii), sum(276 < r < 354 for r in radii)] == [2, 3]
    fill = "fields => getComputedStyle(fields).fill"
    line = luminance(page.locator("#board .ring-mark").first.evaluate("one => getComputedStyle(one).stroke"))
    for name in ("red", "green"):
        bed = luminance(page.locator(f"#board .field.{name}").first.evaluate(fill))
        assert (line + 0.05) / (bed + 0.05) > 4.5


def test_fields_are_at_least_26_px_on_a_phone(host: FakeHost, opened: Opener) -> None:
    """Across each field's middle and along its line, at 390 px, where the board fills the width."""
    page = opened(size=(390, 844))
    width = (page.locator("#board").bounding_box() or {})["width"]
    script = """import('/js/geometry.js').then((g) => g.RING_EDGES.slice(1).flatMap((inner, at) =>
        [g.RING_EDGES[at] - inner, (g.RING_EDGES[at] + inner) / 2 * Math.PI / 10]).map((size) => size / g.SIZE))"""
    assert min(page.evaluate(script)) * width >= 26
