"""The page of practice: its dartboard throws for an exercise, never into a game."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.fakes import FakeHost
from browser.pages import Pages
from browser.servers import Served

PRACTICE: dict[str, Any] = {
    "exercise": "warm_up", "player": None, "targets": ["25", "BULL"], "thrown": 0, "hit": 0, "run": 0,
    "best_run": 0, "of": 20, "over": False, "last": None, "doubt": [],
}  # fmt: skip


@pytest.fixture
def practice(pages: Pages, display: Served, host: FakeHost) -> Page:
    """The page of practice during a game."""
    page = pages.open(f"{display.url}/practice?lang=en")
    expect(page.locator(".dead-board")).to_contain_text("A game is under way")
    return page


def press(page: Page) -> None:
    """Press the middle of the dartboard, as a finger does, whatever element is on top."""
    box = page.locator("#practice .dartboard").bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2 + box["height"] / 5)


@pytest.mark.browser
def test_the_dartboard_throws_for_an_exercise_only(practice: Page, host: FakeHost) -> None:
    """During a game, and before or after an exercise, a press throws nothing and the board says why."""
    expect(practice.locator(".dartboard.active")).to_have_count(0)
    press(practice)
    host.state(seq=2, phase="setup", match="")
    expect(practice.locator(".dead-board")).to_contain_text("waits for a practice")
    press(practice)
    host.state(seq=3, phase="setup", match="", practice=PRACTICE)
    expect(practice.locator(".dartboard.active")).to_have_count(1)
    expect(practice.locator(".dead-board")).to_be_hidden()
    press(practice)
    assert "practice" not in host.thrown()
    host.state(seq=4, phase="setup", match="", practice={**PRACTICE, "over": True})
    expect(practice.locator(".dead-board")).to_contain_text("Done")
    press(practice)
    host.state(seq=5, phase="setup", match="")
    expect(practice.locator(".dead-board")).to_contain_text("waits for a practice")
    assert host.throws == [] and host.commands == []


@pytest.mark.browser
def test_the_server_refuses_a_practice_dart_in_a_game(practice: Page, host: FakeHost) -> None:
    """The server refuses a practice dart just as a game begins, but accepts the play page's dart."""
    replies = practice.evaluate(
        """() => new Promise((done) => {
          const socket = new WebSocket(`ws://${location.host}/ws`);
          const replies = [];
          const send = (payload) => socket.send(JSON.stringify({topic: "simulator/throw", payload}));
          socket.onopen = () => socket.send(JSON.stringify({v: 1, role: "table"}));
          socket.onmessage = ({data}) => {
            const {topic, payload} = JSON.parse(data);
            if (topic === "state") {
              send({v: 1, id: "a", practice: true, x_mm: 1, y_mm: 1});
              send({v: 1, x_mm: 2, y_mm: 2});
              setTimeout(() => send({v: 1, id: "b", practice: true, x_mm: 3, y_mm: 3}));
            }
            if (topic === "answer") replies.push(payload);
            if (replies.length === 2) done(replies);
          };
        })"""
    )
    assert [(reply["id"], reply["code"]) for reply in replies] == [("a", "no_practice"), ("b", "no_practice")]
    assert host.thrown() == {"v": 1, "x_mm": 2, "y_mm": 2} and host.throws == []
