"""Two boards on real pages: an invitation by letters, a game, an adjournment, and the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser.pages import Pages, ask_for_a_game
from lab.daemon_process import wait_for
from lab.two_boards import SECONDS, TwoBoards


@pytest.fixture
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoBoards]:
    """Two daemons for this test only."""
    both = TwoBoards(tmp_path_factory.mktemp("two-pages"))
    try:
        yield both.start()
    finally:
        both.end()


@pytest.mark.long
def test_two_houses_play_one_game_from_the_letters_to_its_end(boards: TwoBoards, pages: Pages) -> None:
    """Letters, offer and yes. Both houses' pages and walls show the game; leaving and resuming need no new letters."""
    houses = [boards.host.running["web"], boards.guest.running["web"]]
    ann, bob = (pages.open(f"{url}/?role=table&lang=en") for url in houses)
    walls = [pages.open(f"{url}/?role=display&lang=en") for url in houses]
    ask_for_a_game(ann)
    ann.get_by_label("White's name").fill("Ann")
    ann.locator("#invite").click()
    letters = ann.locator("#letters").inner_text()
    address = f"127.0.0.1:{boards.status(boards.host)['address'].rpartition(':')[2]}"
    expect(walls[0].locator("#remote")).to_contain_text("An invitation is open")
    expect(walls[0].locator("body")).not_to_contain_text(letters)

    bob.locator("#play-there").click()
    bob.locator("#guest-link").fill(f"{address}/AAAAAAAA")
    bob.locator("#guest-look").click()
    expect(bob.locator("#guest-status")).to_contain_text("used, lapsed or withdrawn")
    bob.locator("#guest-link").fill(f"{address}/{letters.lower()}")
    bob.locator("#guest-name").fill("Bob")
    bob.locator("#guest-look").click()
    expect(bob.locator("#offer")).to_contain_text("Ann")
    bob.locator("#guest-yes").click()

    expect(ann.locator("#remote")).to_contain_text("Bob plays at another board")
    expect(bob.locator("#remote")).to_contain_text("This board plays with Ann")
    expect(ann.locator("dialog")).to_have_count(0)
    match = boards.at_host.wait(lambda state: state["away"] == "seat2", SECONDS)["match"]
    boards.seen_by_both(match)
    assert boards.play_on(4, seed=4)
    turns, position = boards.at_host.state["turns"], boards.at_host.state["position"]
    pieces = sum(letter.isalpha() for letter in position.split()[0])
    for page in (ann, bob, *walls):
        expect(page.locator("#board .piece")).to_have_count(pieces)
    both_dartboards_hang(walls, boards)

    bob.locator("[data-remote=leave]").click()
    expect(bob.locator("#remote")).to_contain_text("adjourned")
    expect(ann.locator("#remote")).to_contain_text("No sign of life from Bob")
    bob.locator("[data-remote=go_on]").click()
    expect(bob.locator("#remote")).to_contain_text("This board plays with Ann")
    boards.at_host.wait(lambda state: state["message"]["code"] == "link_back", SECONDS)
    ann.locator('[data-command="resume"]').click()
    bob.get_by_role("button", name="Agree").click()
    state = boards.at_host.wait(lambda state: state["phase"] == "turn", SECONDS)
    assert (state["match"], state["turns"]) == (match, turns)

    boards.at_guest.wait(lambda item: item["seq"] == state["seq"], SECONDS)
    assert boards.at_guest.ask("resign")["accepted"]
    for page in (ann, bob, *walls):
        expect(page.locator("#end")).to_be_visible()


def both_dartboards_hang(walls: list[Page], boards: TwoBoards) -> None:
    """Each house's wall has a small dartboard for Ann and for Bob, with the darts of their last throws."""
    state = boards.at_host.state
    sheet = boards.at_host.last
    wait_for(lambda: len(sheet["sheet"]["entries"]) == state["turns"], SECONDS, "the sheet of the last turn")
    entries = sheet["sheet"]["entries"]
    for wall in walls:
        for side, name in state["names"].items():
            own = [entry["bed"] for entry in entries if entry["side"] == side and entry["bed"]][-3:]
            board = wall.locator(".small-board").filter(has_text=name)
            assert own, entries
            expect(board.locator(".dart")).to_have_count(sum(bed != "MISS" for bed in own))
            due = state["can"]["throw"] and state["side"] == side
            expect(board).to_have_class("small-board due" if due else "small-board")
