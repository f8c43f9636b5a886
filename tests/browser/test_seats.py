"""Rights on the pages of a seat, the table and a display."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Opener
from browser.fakes import FakeHost, snapshot
from browser.scenes import scenes


def field(page: Page, name: str) -> Any:
    """Return a field of the schartbord."""
    return page.locator(f'#board [data-field="{name}"]')


def test_the_other_seat_agrees_to_a_request(host: FakeHost, opened: Opener) -> None:
    """The requesting seat waits; the other seat has the button."""
    request = {"id": "r1", "by": "seat1", "type": "take_back", "args": {"turns": 1}, "until_ms": 2**42}
    host.state(requests=[request])
    asker = opened("role=seat1&lang=en")
    expect(asker.locator(".ask")).to_contain_text("Anna asks: take back 1")
    expect(asker.locator(".ask button")).to_have_count(0)
    other = opened("role=seat2&lang=en")
    other.get_by_role("button", name="Agree").click()
    command = host.next_command("confirm")
    assert (command["role"], command["request"]) == ("seat2", "r1")


@pytest.mark.long
def test_a_request_for_a_new_game_shows_the_game(host: FakeHost, opened: Opener) -> None:
    """The other seat reads the game and its kind before it agrees."""
    wanted = {"game": "shakti", "kind": "loud", "names": {"white": "", "black": ""}}
    host.state(requests=[{"id": "r1", "by": "seat1", "type": "new_game", "args": wanted, "until_ms": 2**42}])
    page = opened("role=seat2&lang=en")
    expect(page.locator(".ask")).to_contain_text("Anna asks: a new game: Shakti, loud")


def test_a_game_offers_the_claims_that_it_knows(host: FakeHost, opened: Opener) -> None:
    """Shatranj counts seventy moves, and the page offers that claim but not fifty."""
    host.state(game=snapshot()["game"] | {"claim_rules": ["repetition", "seventy_moves"]})
    page = opened()
    page.get_by_role("button", name="Anna: resign").click()
    expect(page.get_by_role("button", name="Claim: fifty")).to_have_count(0)
    page.get_by_role("button", name="Claim: seventy moves").click()
    assert host.next_command("claim_draw")["rule"] == "seventy_moves"


@pytest.mark.long
def test_an_open_dialog_keeps_its_game(host: FakeHost, opened: Opener) -> None:
    """A resignation begun in one game and sent after another began names the first, so that the host refuses it."""
    page = opened()
    page.get_by_role("button", name="Anna: resign").click()
    host.state(match="m2", names={"white": "Cor", "black": "Dirk"})
    expect(page.locator("#player-white .player-name")).to_have_text("Cor")
    page.get_by_role("button", name="Resign", exact=True).click()
    page.get_by_role("button", name="Yes, Anna resigns").click()
    assert host.next_command("resign")["match"] == "m1"


def test_a_display_only_looks(host: FakeHost, opened: Opener) -> None:
    """No button that acts, no field that takes the focus."""
    host.publish("state", scenes()["question"])
    page = opened("role=display&lang=en")
    expect(page.locator("#question")).to_be_visible()
    assert page.locator(".picture:enabled, #new-game, #take-back, .more, .virtual:visible").count() == 0
    field(page, "e2").click(force=True)
    assert page.locator("#board [tabindex]").count() == 0
    assert not host.commands


def test_draws_claims_and_resigning(host: FakeHost, opened: Opener) -> None:
    """The shared table names the side of each; resigning asks for confirmation."""
    host.state(seq=2, draw_offer="white")
    page = opened()
    page.get_by_role("button", name="Decline").click()
    assert (host.next_command("answer_draw") | {"id": 0})["accept"] is False
    page.get_by_role("button", name="Bert: resign").click()
    page.get_by_role("button", name="Offer a draw").click()
    assert host.next_command("offer_draw")["side"] == "black"
    page.get_by_role("button", name="Anna: resign").click()
    page.get_by_label("With my next move").fill("e1e2")
    page.get_by_role("button", name="Claim: fifty").click()
    claim = host.next_command("claim_draw")
    assert (claim["rule"], claim["move"]) == ("fifty_moves", "e1e2")
    page.get_by_role("button", name="Anna: resign").click()
    expect(page.get_by_role("button", name="the other's time")).to_have_count(0)
    page.get_by_role("button", name="Resign", exact=True).click()
    assert not host.commands
    page.get_by_role("button", name="Yes, Anna resigns").click()
    assert host.next_command("resign")["side"] == "white"
