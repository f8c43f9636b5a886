"""A new game and the list of players while the figures of 3,600 darts are being computed."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.fakes import FakeHost
from browser.pages import PATIENCE_S, Pages
from browser.servers import Mosquitto, Served, served
from lab.figures_of_players import PLAYERS, save_game
from scharten.display.context import DaemonParts
from scharten.games import GAMES_BY_KEY
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore

DARTS = 3600


class SlowBook(PlayerBook):
    """A book that holds its lock and computes figures only once `go` is set, as on a slow machine."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "scharten.sqlite3", GAMES_BY_KEY)
        self.go = threading.Event()

    def sync(self) -> int:
        with self._lock:
            assert self.go.wait(PATIENCE_S)
            return super().sync()


@pytest.fixture
def book(tmp_path: Path) -> Iterator[SlowBook]:
    """Six players with 3,600 darts."""
    store, chance = PlayerStore(tmp_path), random.Random(1)
    for number in range(PLAYERS):
        store.save(Player(f"p{number}", Profile(name=f"Player {number}", stand_in=True), 1))
    for number in range(DARTS // 100):
        save_game(store, chance, number, 100)
    book = SlowBook(tmp_path)
    yield book
    book.go.set()


@pytest.fixture
def server(broker: Mosquitto, book: SlowBook) -> Iterator[Served]:
    """A display server with these players."""
    with served(broker.port, open_roles=("table",), daemon=DaemonParts(players=book)) as server:
        yield server


@pytest.mark.long
def test_figures_delay_neither_a_new_game_nor_the_list(
    host: FakeHost, pages: Pages, server: Served, book: SlowBook
) -> None:
    """During the computation a game of two players begins and the list shows names; afterwards it shows every dart."""
    host.state(phase="setup", match="", names={"white": "", "black": ""})
    page = pages.open(f"{server.url}/?role=table&lang=en")
    players = pages.open(f"{server.url}/players?lang=en")
    expect(players.get_by_role("link", name="Player 5")).to_be_visible()
    expect(players.locator(".link-state")).to_have_text("Working out the figures ...")
    page.locator("#play").click()
    page.locator("#new-white-player").select_option("kept-p1")
    page.locator("#new-black-player").select_option("kept-p2")
    page.locator("#start-game").click()
    order: dict[str, Any] = host.next_command("new_game")
    assert sorted(order["players"].values()) == ["p1", "p2"]
    expect(page.locator("dialog")).to_have_count(0)
    assert not book.go.is_set()
    book.go.set()
    expect(players.locator(".link-state")).to_be_hidden()
    darts = players.locator("tbody tr td:nth-child(3)").all_text_contents()
    assert sum(map(int, darts[:PLAYERS])) == DARTS
