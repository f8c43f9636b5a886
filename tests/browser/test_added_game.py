"""A game from another package at the real daemon: its page, its texts, the computer, the archive."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.pages import Pages, ask_for_a_game
from lab.daemon_process import FAST, DaemonProcess, Peer, State

ADDED = Path(__file__).parents[1] / "games" / "added"

READ = """
import sys
from scharten.journal.records import read_record, replayed
match = replayed(read_record(sys.stdin.buffer.read()))
assert match.game.key == "racing_kings", match
"""
"""The steps of the many-clubs archive, with the same package, for the record of a finished game."""


@pytest.fixture
def racing(tmp_path: Path) -> Iterator[DaemonProcess]:
    """A daemon with the package of Racing Kings on its path."""
    daemon = DaemonProcess(tmp_path, FAST, {"PYTHONPATH": str(ADDED)}).start()
    yield daemon
    daemon.end()


def press(page: Page, move: str) -> None:
    """Press the piece, then its target field."""
    page.locator(f'#board [data-field="{move[:2]}"]').click()
    expect(page.locator("#board .frame.chosen")).to_have_count(1)
    page.locator(f'#board [data-field="{move[2:4]}"]').click()


def set_up(arbiter: Peer, position: str) -> None:
    """Set up a position of the current game."""
    assert arbiter.ask("set_position", position=position)["accepted"]
    arbiter.wait(lambda state: state["position"] == position, what=position)


def record_of(peer: Peer, match: str) -> State:
    """Return the record of a finished game that the broker retains."""

    def records() -> list[State]:
        return [record for topic, record in [*peer.last.items()] if topic.startswith("finished/")]

    peer.wait(lambda _: any(record["match"] == match for record in records()), what="the record")
    return next(record for record in records() if record["match"] == match)


@pytest.mark.long
@pytest.mark.browser
def test_an_added_game_is_played_on_the_page(racing: DaemonProcess, pages: Pages) -> None:
    """The dialog offers Racing Kings by name. The page refuses a check, and shows the end and the archive."""
    page = pages.open(f"{racing.running['web']}/?lang=en", (1366, 768))
    ask_for_a_game(page)
    page.locator("#new-game-key").select_option(label="Racing Kings")
    page.locator("#new-kind").select_option("silent")
    page.locator("#start-game").click()
    expect(page.locator("#board .piece")).to_have_count(16)
    arbiter = racing.peer("arbiter")
    state = arbiter.wait(lambda state: state.get("game", {}).get("key") == "racing_kings", what="the game")
    assert state["kind"] == "silent"
    set_up(arbiter, "8/6K1/8/8/k7/8/8/6R1 w - - 0 1")
    expect(page.locator("#board .piece")).to_have_count(3)
    press(page, "g1a1")
    expect(page.locator("body")).to_contain_text("In Racing Kings no move may give check.")
    press(page, "g7g8")
    ended = arbiter.wait(lambda state: state["result"] is not None, what="the end")
    assert (ended["result"], ended["reason"]) == ("1-0", "goal")
    read = [sys.executable, "-c", READ]
    record = json.dumps(record_of(arbiter, ended["match"])).encode()
    assert subprocess.run(read, input=record, env=racing.environment, timeout=60).returncode == 0
    expect(page.locator("body")).to_contain_text("the goal is reached")
    archive = pages.open(f"{racing.running['web']}/archive?lang=nl")
    archive.locator(f'a[href="#{ended["match"]}"]').click()
    expect(archive.locator("body")).to_contain_text("Koningsrace")
    expect(archive.locator(".archive-game .move")).to_have_count(ended["turns"])


@pytest.mark.long
@pytest.mark.browser
def test_the_computer_plays_an_added_game(racing: DaemonProcess) -> None:
    """The computer plays legal turns of Racing Kings at both seats, and the journal replays every game."""
    table = racing.peer("table")
    table.wait(bool)
    table.new_game(game="racing_kings", kind="silent", computers={"seat1": 1, "seat2": 1})
    state = table.wait(lambda state: state["turns"] >= 2, 120, what="two turns of the computer")
    assert (
        state["game"]["key"] == "racing_kings"
        and state["position"].split()[0] != "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ"
    )
    table.close()
    assert racing.stop() == 0
    command = [sys.executable, "-m", "scharten", "replay", "--data", str(racing.folder)]
    replayed = subprocess.run(command, env=racing.environment, capture_output=True, text=True, timeout=120)
    assert replayed.returncode == 0, replayed.stderr
    assert f"{state['match']}" in replayed.stdout and "digests agree" in replayed.stdout
