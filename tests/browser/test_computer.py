"""The computer on the page of a real daemon: one tap starts it, the page shows it think and play, and a
person replaces it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.pages import Pages, ask_for_a_game
from lab.daemon_process import FAST, DaemonProcess, Peer, wait_for


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[DaemonProcess]:
    """A daemon for one test, on which no game has begun."""
    daemon = DaemonProcess(tmp_path, FAST).start()
    yield daemon
    daemon.end()


def opponents(daemon: DaemonProcess) -> list[int]:
    """Return the daemon's child processes that play the computer or wait to."""
    children = Path(f"/proc/{daemon.running['pid']}/task").glob("*/children")
    pids = [int(pid) for listed in children for pid in listed.read_text().split()]
    return [pid for pid in pids if b"opponent" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.fixture
def first_page(pages: Pages, fresh: DaemonProcess) -> Page:
    """Open the first page of that daemon."""
    return pages.open(f"{fresh.running['web']}/?lang=en", (1440, 900))


@pytest.mark.long
@pytest.mark.browser
def test_a_newcomer_plays_the_computer_in_one_tap(first_page: Page, fresh: DaemonProcess) -> None:
    """One tap begins. After the person's dart the page reports that the computer thinks, and its turn
    follows. It plays in the process that was started in advance."""
    page = first_page
    (ready,) = wait_for(lambda: opponents(fresh), 60, "a process that is ready")
    page.locator("#play-computer").click()
    expect(page.locator("#board.takes-darts")).to_have_count(1)
    page.locator('#board [data-field="c3"]').click()
    expect(page.get_by_text("Black: the computer is thinking")).to_be_visible()
    expect(page.get_by_text("White: throw")).to_be_visible(timeout=60_000)
    assert f"process {ready} plays seat" in (fresh.folder / "computer.log").read_text()


@pytest.fixture
def cheat(fresh: DaemonProcess) -> Iterator[Peer]:
    """A client with the account of Black's seat, which the computer plays, in a loud game."""
    table, cheat = fresh.peer(), fresh.peer("seat2")
    table.wait(bool)
    begun = table.new_game(kind="loud", seats={"seat1": "white"}, computers={"seat1": None, "seat2": 10})
    table.close()
    cheat.wait(lambda state: state["match"] == begun["match"])
    yield cheat
    cheat.close()


def start_again(page: Page, words: str) -> None:
    """Check that the page names the fault with two ways out; one tap restarts the computer and clears the fault."""
    expect(page.get_by_role("alert")).to_have_text(re.compile(words))
    expect(page.locator("#take-its-place")).to_be_visible()
    page.locator("#start-it-again").click()
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.long
@pytest.mark.browser
def test_a_computer_that_cheats_is_reported_and_can_be_restarted(first_page: Page, cheat: Peer) -> None:
    """A throw out of turn, a command on the other seat's topic and an illegal move: each is refused and reported."""
    page, before = first_page, cheat.state
    assert cheat.ask("virtual_throw", x_mm=0, y_mm=0)["code"] == "wrong_phase"
    start_again(page, "The computer of Black tried to play out of turn")
    cheat.publish("command/seat1", json.dumps({"v": 2, "id": "x" * 8, "type": "resign"}))
    start_again(page, "The computer of Black tried to act for somebody else")
    assert cheat.state["position"] == before["position"] and cheat.state["result"] is None
    page.locator('#board [data-field="c3"]').click()
    cheat.wait(lambda state: state["side"] == "black")
    answer = cheat.ask(
        "move", move="e2e4"
    )  # before the real computer, which looks at the board for a moment first
    assert answer["code"] in ("illegal", "stale", "not_your_turn")
    expect(page.get_by_role("alert")).to_have_text(re.compile("The computer of Black tried"))
    page.locator("#take-its-place").click()
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.long
@pytest.mark.browser
def test_the_dialog_offers_the_computer_and_a_person_takes_its_place(first_page: Page) -> None:
    """The computer plays White at the chosen level and begins; one tap gives its turn to a person."""
    page = first_page
    ask_for_a_game(page)
    page.get_by_label("White is played by").select_option("4")
    page.get_by_label("Black is played by").select_option("")
    page.locator("#start-game").click()
    page.locator("#take-its-place").click()
    expect(page.locator("#take-its-place")).to_have_count(0)
    page.locator("#new-game").click()
    expect(page.get_by_label("White is played by")).to_have_value("")
    expect(page.get_by_label("Black is played by")).to_have_value("")


@pytest.fixture
def with_engine(pages: Pages, tmp_path: Path) -> Iterator[Page]:
    """The page of a daemon that has an additional engine."""
    fake = Path(__file__).parents[1] / "lab" / "fake_engine.py"
    table = f'[opponent.engines.fake]\ncommand = ["{sys.executable}", "{fake}", "honest"]\n'
    daemon = DaemonProcess(tmp_path, f"{FAST}\n{table}").start()
    yield pages.open(f"{daemon.running['web']}/?lang=en", (1440, 900))
    daemon.end()


@pytest.mark.long
@pytest.mark.browser
def test_the_dialog_seats_an_engine_at_a_strength_of_its_range(with_engine: Page) -> None:
    """The dialog offers the engine with its range for games that it knows. It plays, and the page names it."""
    page = with_engine
    ask_for_a_game(page)
    engine, strength = page.locator("#new-white-engine"), page.locator("#new-white-strength")
    page.get_by_label("White is played by").select_option("4")
    page.locator("#new-game-key").select_option("shakti")
    expect(engine).to_be_hidden()
    page.locator("#new-game-key").select_option("chess")
    expect(engine).to_be_visible()
    engine.select_option("fake")
    expect(page.get_by_label("Strength (1000 to 2000)")).to_be_visible()
    strength.fill("700")
    page.locator("#start-game").click()
    expect(engine).to_be_visible()  # 700 is outside its range
    strength.fill("1200")
    page.locator("#start-game").click()
    expect(page.locator("#player-white .you")).to_have_text("the computer fake 1200 · 4 · plays for fun")
    expect(page.locator("#sheet")).to_contain_text("a3")
