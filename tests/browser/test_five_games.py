"""Each of the five games at the real daemon, silent and loud: moves and darts on the screen, to the end."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.pages import Pages
from lab.daemon_process import DaemonProcess, Peer
from scharten.games import GAMES_BY_KEY

ENDINGS = {
    "scharten": ("1R*1B*3B*br5Q2kr*/4P*1K9nR2/2b2PPP1p5p4/Q2Np1p4pp4p2 w - 17/17 0/0 0/0 44", "o4h7"),
    "chess": ("1r2N3/2p2kr1/2P3pQ/2b3P1/6P1/7p/4R3/1b3KN1 w - - 11 66", "h6g7"),
    "fischer_random": ("1r2N3/2p2kr1/2P3pQ/2b3P1/6P1/7p/4R3/1b3KN1 w - - 11 66", "h6g7"),
    "shatranj": ("g7/8/k7/P7/8/3K3g/8/3g4 b 2 170", "a6a5"),
    "shakti": ("W1____1/1___1_1/1_____1/_______/1____W_/1__4/1K__2k w 78", "f3f2"),
}
"""The last position and move of a random game."""
OPENINGS = {
    "chess": "3qk3/8/8/3p4/4P3/8/8/4K2Q w - - 0 1 0/0",
    "fischer_random": "3qk3/8/8/3p4/4P3/8/8/4K2Q w - - 0 1 0/0",
    "shatranj": "3rk3/8/8/3p4/4P3/8/8/4K2R w 0 1 0/0",
    "shakti": "7/1w1k1w1/7/7/7/1W1K1W1/7 w 1 0/0",
}
"""A position in which White and then Black can take or remove a piece."""


@pytest.fixture
def page(pages: Pages, daemon: DaemonProcess) -> Page:
    """The table's page."""
    return pages.open(f"{daemon.running['web']}/?lang=en", (1366, 768))


def begin(arbiter: Peer, key: str, kind: str, position: str, limit: int = 3) -> dict[str, Any]:
    """Start a new game in this position and return its state."""
    options: dict[str, Any] = {"foul_limit": {"white": limit, "black": limit}, "settle_ms": 0}
    if key == "fischer_random":
        options |= {"opening_by": "number", "opening_number": 100}
    names = {"white": "Anna", "black": "Bert"}
    arbiter.wait(lambda state: "match" in state, what="the board")
    arbiter.new_game(game=key, kind=kind, options=options, names=names, clock=None)
    answer = arbiter.ask("set_position", position=position)
    assert answer["accepted"], answer
    return arbiter.wait(lambda state: state["position"] == position, what=position)


def move(page: Page, text: str) -> None:
    """Press the piece, then the field."""
    page.locator(f'#board [data-field="{text[:2]}"]').click()
    expect(page.locator("#board .frame.chosen")).to_have_count(1)
    page.locator(f'#board [data-field="{text[2:4]}"]').click()


@pytest.mark.parametrize("key", ENDINGS)
def test_a_silent_game_is_played_to_its_end(page: Page, daemon: DaemonProcess, key: str) -> None:
    """Two presses on the game's board play the last move: the page shows the result and the pieces."""
    arbiter = daemon.peer("arbiter")
    position, last = ENDINGS[key]
    state = begin(arbiter, key, "silent", position)
    form = "schartbord" if key == "scharten" else "grid"
    expect(page.locator(f'#board[data-form="{form}"]')).to_have_count(1)
    letters = sum(sign.isalpha() for sign in position.split()[0])
    expect(page.locator("#board .piece")).to_have_count(letters)
    expect(page.locator("#board .field.gone")).to_have_count(position.split()[0].count("_"))
    assert last in state["moves"]
    move(page, last)
    ended = arbiter.wait(lambda state: state["result"] is not None, what="the end")
    assert ended["last"]["move"] == last
    expect(page.locator("body")).to_contain_text(ended["result"])


@pytest.mark.parametrize("key", OPENINGS)
def test_a_loud_game_on_squares_is_played_to_its_end(page: Page, daemon: DaemonProcess, key: str) -> None:
    """A hit plays the entered move; a lost dart ends the game at a limit of one. Each throw shows the dartboard."""
    arbiter = daemon.peer("arbiter")
    game = GAMES_BY_KEY[key]
    state = begin(arbiter, key, "loud", OPENINGS[key], limit=1)
    for hits in (True, False):
        options = game.options_model.model_validate(state["game"]["options"])
        position = game.read(state["position"], options)
        wanted = sorted(game.situation(position, options).needs_dart)[0]
        move(page, wanted)
        board = page.locator("#second")
        expect(board.locator(".dartboard.active")).to_be_visible()
        lit = board.locator(".bed.asked").evaluate_all("beds => beds.map((bed) => bed.dataset.bed)")
        bed = next(bed for bed in ("F20", "F1") if (bed in lit) is hits)
        board.locator(f'[data-bed="{bed}"]').click()
        turns = state["turns"]
        state = arbiter.wait(lambda now, turns=turns: now["turns"] > turns, what="the dart")
        assert (state["last"]["foul"] is None) is hits
        expect(board).to_be_hidden()
    assert (state["result"], state["reason"]) == ("1-0", "fogling")
    expect(page.locator("body")).to_contain_text("1-0")


@pytest.mark.long
def test_no_dart_with_a_scatter_of_20_mm_is_without_effect(page: Page, daemon: DaemonProcess) -> None:
    """Eight darts at one field of the schartbord each make a turn, also when they miss the board."""
    arbiter = daemon.peer("arbiter")
    key = "scharten"
    arbiter.wait(lambda state: "match" in state, what="the board")
    arbiter.new_game(game=key, kind="loud", options={"foul_limit": {"white": 9, "black": 9}}, clock=None)
    page.evaluate("localStorage.setItem('scharten.settings', JSON.stringify({ scatter: 20 }))")
    page.reload()
    for dart in range(1, 9):
        expect(page.locator("#board.takes-darts")).to_have_count(1)
        page.locator(f'#board [data-field="{"d1" if dart % 2 else "d8"}"]').click(delay=480)
        arbiter.wait(lambda state, dart=dart: state["turns"] == dart, what=f"dart {dart}")


@pytest.mark.parametrize(("key", "onto"), [("chess", "g1"), ("chess", "h1"), ("fischer_random", "h1")])
def test_castling_is_entered_either_way(page: Page, daemon: DaemonProcess, key: str, onto: str) -> None:
    """Castling is the same move as a king's step of two or as the king onto his rook."""
    arbiter = daemon.peer("arbiter")
    begin(arbiter, key, "silent", "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1")
    expect(page.locator("#board .piece")).to_have_count(22)
    page.locator('#board [data-field="e1"]').click()
    expect(page.locator("#board .frame.chosen")).to_have_count(1)
    page.locator(f'#board [data-field="{onto}"]').click()
    state = arbiter.wait(lambda state: state["turns"] == 1, what="the castling")
    assert state["last"]["text"] == "O-O"
    expect(page.locator('#board .piece[data-at="f1"]')).to_have_count(1)
