"""The drawing order of the page: it shows a dart before all details and leaves unchanged parts alone."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost, snapshot
from browser.scenes import ENTRIES, position

KEEP_SOCKET = """
const Plain = window.WebSocket;
window.WebSocket = class extends Plain {
  constructor(...args) { super(...args); window.line = this; }
};
window.hear = (topic, payload) => window.line.onmessage({ data: JSON.stringify({ topic, payload }) });
"""
LAST = {
    "by": "white",
    "text": "@c3",
    "move": "@c3",
    "fields": ["c3"],
    "bed": "F7",
    "x_mm": None,
    "y_mm": None,
    "foul": None,
}
AFTER = snapshot(
    seq=2,
    side="black",
    turns=1,
    last={**LAST, "dart": True},
    position=position("Ke1 Pc3 ke8", "b - 1/0 0/0 0/0 1"),
)


@pytest.fixture
def page(host: FakeHost, opened: Opener) -> Page:
    """A table's page that receives messages between two frames."""
    page = opened(script=KEEP_SOCKET)
    expect(page.locator('[data-command="announce_throw"]')).to_be_visible()
    return page


def test_the_board_is_drawn_at_once_and_the_panels_after_it(page: Page) -> None:
    """The piece is on its field before the message has been handled; the texts follow by themselves."""
    seen: dict[str, Any] = page.evaluate(
        """(state) => {
          const words = document.querySelector(".moment").textContent;
          window.hear("state", state);
          const piece = document.querySelector('.piece[data-at="c3"]');
          return { piece: piece !== null, same: document.querySelector(".moment").textContent === words };
        }""",
        AFTER,
    )
    assert seen == {"piece": True, "same": True}
    expect(page.locator(".moment")).to_contain_text("pawn on c3")


def test_a_new_piece_is_seen_from_its_first_frame(page: Page) -> None:
    """A new piece may grow and fade in, but is visible from its first frame."""
    opacity = page.evaluate(
        """(state) => {
          window.hear("state", state);
          return Number(getComputedStyle(document.querySelector('.piece[data-at="c3"]')).opacity);
        }""",
        AFTER,
    )
    assert 0.5 <= opacity < 1  # below 1: the sample was taken during the animation, not after it


def test_a_button_speaks_of_the_state_that_it_was_drawn_for(host: FakeHost, page: Page) -> None:
    """A button pressed while the board is newer than the panels sends the `seq` of the older state."""
    page.evaluate(
        """(state) => {
          window.hear("state", state);
          document.querySelector('[data-command="announce_throw"]').click();
        }""",
        AFTER,
    )
    assert host.next_command("announce_throw")["seq"] == 1


def test_a_new_turn_leaves_the_rows_of_the_sheet_alone(host: FakeHost, opened: Opener) -> None:
    """The sheet gets one more row and the mark of the current turn moves; the other rows stay the same elements."""
    page = opened()
    rows = page.locator("#sheet .moves li")
    host.publish("sheet", {"v": 1, "match": "m1", "entries": ENTRIES[:-1]})
    expect(rows).to_have_count(len(ENTRIES) - 1)
    page.evaluate("document.querySelectorAll('#sheet .moves li').forEach((row, at) => (row.known = at))")
    host.publish("sheet", {"v": 1, "match": "m1", "entries": ENTRIES})
    expect(rows).to_have_count(len(ENTRIES))
    known = page.evaluate(
        "[...document.querySelectorAll('#sheet .moves li')].map((row) => row.known ?? null)"
    )
    assert known == [*range(len(ENTRIES) - 2), None, None]
    expect(rows.locator(".here")).to_have_count(1)
