"""A lobby on real pages: two houses meet at a centre without an open port, and spectators follow their game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.pages import Pages, ask_for_a_game
from lab.two_boards import SECONDS, TwoBoards
from scharten.remote.centre import Centre
from scharten.system.loop_thread import LoopThread


@pytest.fixture
def boards(tmp_path: Path) -> Iterator[TwoBoards]:
    """Two daemons that meet at a centre; spectators are two seconds late."""
    thread = LoopThread(Centre(tmp_path / "centre", "127.0.0.1", 0), "centre")
    thread.start()
    both = TwoBoards(tmp_path, meeting=f"mqtts://127.0.0.1:{thread.server.port}", follow_delay_s=2)
    try:
        yield both.start()
    finally:
        both.end()
        thread.stop()


@pytest.mark.long
def test_a_challenge_from_the_lobby_becomes_a_game_that_others_follow(
    boards: TwoBoards, pages: Pages
) -> None:
    """The lobby lists the host after its choice, and the host accepts. `/follow` of either house shows the
    game without buttons."""
    houses = [boards.host.running["web"], boards.guest.running["web"]]
    ann, bob = (pages.open(f"{url}/?role=table&lang=en") for url in houses)
    bob.locator("#play-there").click()
    bob.locator("#lobby").click()
    expect(bob.locator("#guest-status")).to_contain_text("Nobody waits in the lobby")

    ask_for_a_game(ann)
    ann.get_by_label("White's name").fill("Ann")
    ann.locator("#in-lobby").check()
    ann.locator("#invite").click()
    expect(ann.locator("#remote")).to_contain_text("Your invitation stands in the lobby")
    ann.keyboard.press("Escape")

    bob.locator("#lobby").click()
    bob.locator(".lobby-entry", has_text="Ann").click()
    expect(bob.locator("#offer")).to_contain_text("The host answers within a minute")
    bob.locator("#guest-name").fill("Bob")
    bob.locator("#guest-yes").click()
    expect(ann.locator("#remote")).to_contain_text("Bob from the lobby challenges you")
    ann.locator("[data-remote=take_on]").click()
    state = boards.at_host.wait(lambda state: state["away"] == "seat2", SECONDS)
    boards.seen_by_both(state["match"])
    expect(bob.locator("#remote")).to_contain_text("This board plays with Ann")

    followers = [pages.open(f"{url}/follow") for url in houses]
    assert boards.play_on(3, seed=4)
    pieces = sum(letter.isalpha() for letter in boards.at_host.state["position"].split()[0])
    for follower in followers:
        expect(follower.locator("#board .piece")).to_have_count(pieces)
        expect(follower.locator("#actions button")).to_have_count(0)
        expect(follower.locator("#remote button")).to_have_count(0)
