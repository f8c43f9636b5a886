"""Fischer Random's draw and loud captures on the page of a real daemon with the simulated board."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.pages import Pages
from lab.daemon_process import DaemonProcess, Peer


@pytest.fixture(scope="module")
def table(daemon: DaemonProcess) -> tuple[DaemonProcess, Peer]:
    """The daemon, and a table at it."""
    peer = daemon.peer("table")
    peer.wait(lambda state: "match" in state, what="the board")
    return daemon, peer


@pytest.fixture
def page(pages: Pages, table: tuple[DaemonProcess, Peer]) -> Page:
    """The table's page in English."""
    return pages.open(f"{table[0].running['web']}/?lang=en", (1440, 900))


def begin(peer: Peer, options: dict[str, Any], game: str = "fischer_random", kind: str = "silent") -> None:
    """Start a new game of Anna at seat 1 against Bert."""
    before = peer.state["match"]
    names = {"white": "Anna", "black": "Bert"}
    chosen = {"white_by": "agreed", **options}
    answer = peer.ask("new_game", abandon=True, game=game, kind=kind, options=chosen, names=names)
    assert answer["accepted"], answer
    peer.wait(lambda state: state["match"] != before)


def drawn(page: Page, peer: Peer) -> None:
    """Wait until the draw has ended: the page shows the number and all eight men."""
    state = peer.wait(
        lambda seen: seen["phase"] in ("turn", "settling") and seen["shown"]["draw"]["number"] is not None
    )
    expect(page.locator(".opening-said")).to_have_text(f"Opening number {state['shown']['draw']['number']}")
    expect(page.locator(".opening-row .piece-drawing")).to_have_count(8)


def test_by_lot_the_number_and_the_opened_envelope_are_shown(table: Any, page: Page) -> None:
    """The page shows number, row, digest and seed of the lot at once, until the first turn."""
    peer = table[1]
    begin(peer, {"opening_by": "lot"})
    drawn(page, peer)
    draw = peer.state["shown"]["draw"]
    expect(page.locator("#drawing .digest")).to_have_text(draw["digest"])
    expect(page.locator("#drawing .seed")).to_have_text(draw["seed"])
    assert peer.ask("move", move=peer.state["moves"][0])["accepted"]
    expect(page.locator("#drawing")).to_be_hidden()


@pytest.mark.long
def test_with_dice_players_tap_what_they_threw_or_the_host_throws(table: Any, page: Page) -> None:
    """Players tap 1 1, throw a six again, and the host throws the rest. The page shows each step with its thrower."""
    peer = table[1]
    begin(peer, {"opening_by": "dice"})
    expect(page.locator("#drawing h2")).to_have_text("The opening is drawn with dice")
    expect(page.locator(".opening-said")).to_have_text("Anna throws a die for the bishop on a dark field")
    page.get_by_label("A die that shows 1").click()
    expect(page.locator(".opening-said")).to_have_text("Bert throws a die for the bishop on a light field")
    expect(page.locator(".opening-row .piece-drawing")).to_have_count(1)
    page.get_by_label("A die that shows 6").click()
    expect(page.locator(".opening-steps li")).to_have_text(
        ["Anna: 1, so free field 1: a1", "Bert: 6, thrown again"]
    )
    for _ in range(60):
        if peer.state["phase"] != "drawing":
            break
        steps = len(peer.state["shown"]["draw"]["steps"])
        expect(page.locator(".opening-steps li")).to_have_count(
            steps
        )  # a press refers to the state that the button was drawn for
        page.locator("#host-throws").click()
        peer.wait(lambda seen, n=steps: len(seen["shown"]["draw"]["steps"]) > n or seen["phase"] != "drawing")
    drawn(page, peer)
    assert page.locator("#drawing .envelope").inner_text() == ""


def test_with_darts_the_seats_throw_in_turn_at_the_simulated_board(table: Any, page: Page) -> None:
    """Presses on the dartboard draw the men. The digest shows from the first dart on, the seed only at the end."""
    peer = table[1]
    begin(peer, {"opening_by": "darts"})
    digest = peer.state["shown"]["draw"]["digest"]
    expect(page.locator("#drawing .digest")).to_have_text(digest)
    expect(page.locator("#drawing .seed")).to_have_count(0)
    expect(page.locator(".opening-said")).to_have_text("Anna throws a dart for the bishop on a dark field")
    for number in range(1, 30):
        if peer.state["phase"] != "drawing":
            break
        steps = len(peer.state["shown"]["draw"]["steps"])
        expect(page.locator(".opening-steps li")).to_have_count(steps)
        page.locator(f'#drawing .dartboard [data-bed="F{number % 20 + 1}"]').click()
        peer.wait(lambda seen, n=steps: len(seen["shown"]["draw"]["steps"]) > n)
    drawn(page, peer)
    expect(page.locator("#drawing .digest")).to_have_text(digest)
    expect(page.locator("#drawing .seed")).to_have_text(re.compile("^[0-9a-f]{32}$"))
    assert page.locator(".opening-steps li").first.inner_text().startswith("Anna: ")


def test_the_draws_darts_scatter_as_all_others_do(table: Any, page: Page) -> None:
    """A dart at the bull with a scatter of 40 mm lands beside it, in a number that counts."""
    peer = table[1]
    page.evaluate("localStorage.setItem('scharten.settings', JSON.stringify({ scatter: 40 }))")
    page.reload()
    begin(peer, {"opening_by": "darts"})
    expect(page.locator("#drawing .dartboard.active")).to_be_visible()
    page.evaluate("{ const row = [0.85, 0.85, 0.85, 0.7]; let at = 0; Math.random = () => row[at++ % 4]; }")
    page.locator('#drawing .dartboard [data-bed="BULL"]').click()
    state = peer.wait(lambda seen: seen["shown"]["draw"]["steps"])
    (step,) = state["shown"]["draw"]["steps"]
    assert step["bed"] != "BULL" and step["choice"] is not None
    page.evaluate("localStorage.clear()")


def test_an_agreed_number_needs_no_draw(table: Any, page: Page) -> None:
    """The opening is complete at once without a draw; the page refuses 518 by name."""
    peer = table[1]
    begin(peer, {"opening_by": "number", "opening_number": 0})
    assert peer.state["position"].startswith("bbqnnrkr/")
    expect(page.locator(".moment")).to_contain_text("Anna begins")
    expect(page.locator("#drawing")).to_be_hidden()
    refused = peer.ask("new_game", abandon=True, game="fischer_random",
                       options={"opening_by": "number", "opening_number": 518})  # fmt: skip
    assert not refused["accepted"] and "518" in refused["words"]


@pytest.mark.long
def test_a_display_and_a_projector_show_the_draw_too(table: Any, pages: Pages) -> None:
    """Neither shows buttons or a dartboard; both show whose turn it is."""
    daemon, peer = table
    begin(peer, {"opening_by": "dice"})
    for query in ("role=display&lang=en", "role=display&lang=en&view=projector"):
        shown = pages.open(f"{daemon.running['web']}/?{query}")
        expect(shown.locator(".opening-said")).to_be_visible()
        expect(shown.locator(".opening-said")).to_contain_text("Anna throws a die")
        assert shown.locator("#drawing button").count() == 0


def test_a_loud_capture_is_announced_by_its_move_and_in_words(table: Any, page: Page) -> None:
    """e4xd5: the page asks for a light bed by its numbers. The player can cancel, miss, or play another move."""
    peer = table[1]
    begin(peer, {}, game="chess", kind="loud")
    for move in ("e2e4", "d7d5"):
        assert peer.ask("move", move=move)["accepted"]
        peer.wait(lambda state, done=move: (state["last"] or {}).get("move") == done)
    assert peer.ask("move", move="e4d5")["throw"] is True
    expect(page.locator("#aim h2")).to_have_text("Anna throws for e4–d5: hit a light bed")
    expect(page.locator(".aim-hint")).to_have_text("light: 1 4 5 6 9 11 15 16 17 19, or the bull")
    page.locator('[data-command="cancel_throw"]').click()
    expect(page.locator("#aim")).to_be_hidden()
    peer.wait(lambda state: state["phase"] == "turn")
    assert peer.ask("move", move="e4d5")["accepted"]
    expect(page.locator("#aim")).to_be_visible()
    page.locator('[data-command="miss"]').click()
    state = peer.wait(lambda seen: (seen["last"] or {}).get("foul"))
    assert state["shown"]["fouls"] == {"white": 1, "black": 0} and state["side"] == "black"
    expect(page.locator("#aim")).to_be_hidden()
    assert peer.ask("move", move="a7a6")["accepted"]
    peer.wait(lambda seen: seen["side"] == "white")
    assert peer.ask("move", move="e4d5")["accepted"]
    expect(page.locator('.second-dartboard .bed.asked[data-bed="F1"]')).to_have_count(1)
    page.locator('.second-dartboard [data-bed="F1"]').click()
    state = peer.wait(lambda seen: seen["last"]["move"] == "e4d5")
    assert (state["last"]["bed"], state["last"]["text"]) == ("F1", "exd5")
    expect(page.locator('#board .piece[data-at="d5"]')).to_have_count(1)
