"""Former faults of the page, each with a test that keeps it from returning."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from browser.conftest import Opener
from browser.fakes import FakeHost, snapshot
from browser.scenes import ENTRIES, LAST, position, scenes


def reading(**changes: Any) -> dict[str, Any]:
    """Return a reading of a dart in game m1 that was shown but did not count."""
    return {
        "v": 2, "at_ms": 1, "source": "board", "bed": "F7", "beds": ["F7"], "probabilities": [1.0], "counted": False,
        "why": "not_announced", "confidence": 1.0, "x_mm": None, "y_mm": None, "drive": 1, "sense": 1,
        "match": "m1", "seq": 1, **changes,
    }  # fmt: skip


@pytest.mark.long
def test_a_correction_left_open_never_changes_a_later_dart(host: FakeHost, opened: Opener) -> None:
    """The dialog closes when another dart becomes the last. Until then it refers to the newest state."""
    host.publish("state", scenes()["turn"])
    page = opened()
    page.locator("#last-dart").click()
    expect(page.locator("dialog.correction")).to_be_visible()
    host.publish("state", scenes()["turn"] | {"seq": 42, "phase": "settling"})
    expect(page.locator(".board-centre")).to_have_attribute("data-phase", "settling")
    page.locator('.bed-choice[data-bed="T4"]').click()
    assert host.next_command("correct")["seq"] == 42
    page.locator("#last-dart").click()
    expect(page.locator("dialog.correction")).to_be_visible()
    host.publish("state", scenes()["turn"] | {"seq": 43, "turns": 15, "last": LAST | {"bed": "F1"}})
    expect(page.locator("dialog.correction")).to_have_count(0)


def test_an_unannounced_dart_says_what_is_known(host: FakeHost, wired: Opener) -> None:
    """The page says that "throw" was not pressed, and each outcome is a button."""
    host.state(side="black", turns=1)
    page = wired()
    host.publish("hits", reading(why="move_forgotten", beds=["F7", "T7"]), retain=False)
    doubt = page.locator("#doubt")
    expect(doubt).to_contain_text("nobody announced a throw. Count it for Bert?")
    expect(doubt).not_to_contain_text("other side")
    expect(doubt.get_by_role("button")).to_have_text([
        "Count it in 7 (outer): pawn on c2", "Count it in T7: pawn on c3", "A move is missing",
        "It does not count",
    ])  # fmt: skip
    doubt.get_by_role("button", name="T7").click()
    assert host.next_command("add_dart")["bed"] == "T7"


def test_a_dart_after_the_end_is_forgotten_with_its_game(host: FakeHost, wired: Opener) -> None:
    """The page offers no dart of the last game in the next one, and none once the turn has passed."""
    host.publish("state", scenes()["fogling"])
    page = wired()
    host.publish("hits", reading(why="game_over"), retain=False)
    host.state(match="m2", seq=1)
    expect(page.locator("#end")).to_be_hidden()
    expect(page.locator("#doubt")).to_be_hidden()
    host.publish("hits", reading(match="m1", why="game_over"), retain=False)
    page.wait_for_timeout(300)
    expect(page.locator("#doubt")).to_be_hidden()
    host.publish("hits", reading(match="m2"), retain=False)
    expect(page.locator("#doubt")).to_be_visible()
    host.state(match="m2", seq=2, turns=1, side="black")
    expect(page.locator("#doubt")).to_be_hidden()


def test_a_silent_game_does_not_speak_of_throwing(host: FakeHost, opened: Opener) -> None:
    """A silent game's texts never mention throwing, not even at its start."""
    host.state(kind="silent", can={"throw": False, "claim": [], "take_back": 0})
    page = opened()
    expect(page.locator("#actions")).to_contain_text("Anna begins")
    shown = page.locator("body").inner_text().lower()
    assert "throw" not in shown and "dart" not in shown


def test_a_refused_position_says_why(host: FakeHost, opened: Opener) -> None:
    """The page shows the answer's message where it has no text of its own for the refusal."""
    words = "Look at the part rings: ring 2 has 21 fields."
    known = {"set_position": {"why": "ring_too_long", "part": "rings"}}
    host.answers = lambda role, command: {
        "accepted": False, "code": "malformed", "words": words, "args": known.get(command["type"], {}),
    }  # fmt: skip
    page = opened("role=arbiter&lang=en")
    page.locator("#arbiter").click()
    page.get_by_role("button", name="Set up a position").click()
    page.get_by_role("button", name="Play from this position").click()
    expect(page.locator(".notice.refused")).to_have_text(words)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Declare this result").click()
    expect(page.locator(".notice.refused").last).to_have_text(words)


def test_a_click_beside_the_dialog_throws_nothing_away(host: FakeHost, opened: Opener) -> None:
    """The text typed for a new game stays; a click beside a dialog without input closes it."""
    page = opened()
    page.locator("#new-game").click()
    page.get_by_label("White's name").fill("Cor")
    page.mouse.click(5, 5)
    expect(page.get_by_label("White's name")).to_have_value("Cor")
    page.get_by_role("button", name="Close").click()
    page.locator("#settings").click()
    expect(page.locator("dialog")).to_be_visible()
    page.mouse.click(5, 5)
    expect(page.locator("dialog")).to_have_count(0)


def test_the_arrow_keys_step_and_a_new_turn_ends_the_look_back(host: FakeHost, opened: Opener) -> None:
    """The arrow keys step back, forward, to the start and to the present. A new turn ends the look back."""
    first = position("Ke1 Pe2* ke8", "b - 1/0 0/0 0/0 1")
    host.publish("state", scenes()["turn"])
    entries = [ENTRIES[0] | {"position": first}, *ENTRIES[1:]]
    host.publish("sheet", {"v": 2, "match": "m1", "start": snapshot()["position"], "entries": entries})
    page = opened()
    expect(page.locator(".moves button")).to_have_count(len(entries))
    page.keyboard.press("Home")
    expect(page.locator(".piece")).to_have_count(2)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".piece")).to_have_count(3)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".piece")).to_have_count(2)
    host.publish("state", scenes()["turn"] | {"seq": 42, "turns": 15})
    expect(page.locator(".piece")).to_have_count(29)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    expect(page.locator(".moves .here")).to_have_count(1)


def test_no_sign_on_a_button_needs_a_font(host: FakeHost, opened: Opener) -> None:
    """Every button without text has a drawing and a name."""
    host.publish("state", scenes()["turn"])
    page = opened("role=arbiter&lang=en")
    expect(page.locator("#last-dart")).to_contain_text("b7")  # the panels are drawn after the board
    signs = page.locator("button").evaluate_all(
        "all => all.filter((b) => !b.closest('.moves') && !/[a-z]/i.test(b.textContent))"
        ".filter((b) => !b.querySelector('.piece-drawing'))"
        ".map((b) => [b.querySelectorAll('svg path').length, b.textContent, b.getAttribute('aria-label')])"
    )
    assert len(signs) >= 6
    assert all(paths == 1 and not text and label for paths, text, label in signs), signs
