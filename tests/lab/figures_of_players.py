"""The time a page waits for the players, with many darts in the tables: names, figures after a dart, all figures."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from lab.figures import commit, percentile
from scharten.dartboard.beds import ALL_BEDS
from scharten.games import GAMES_BY_KEY
from scharten.players.book import PlayerBook
from scharten.players.darts import PlayedGame, ThrownDart
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore

NAMES_MS, LIST_MS = 50.0, 300.0
PLAYERS: Final = 6
DAY_MS: Final = 86_400_000


def run(darts: int, times: int) -> int:
    """Measure; return 1 if a figure misses its target."""
    with tempfile.TemporaryDirectory() as folder:
        store, chance = PlayerStore(Path(folder)), random.Random(1)
        for player in range(PLAYERS):
            store.save(Player(f"p{player}", Profile(name=f"Player {player}"), 1))
        for number in range(darts // 100):
            save_game(store, chance, number, 100)
        book = PlayerBook(Path(folder), "scharten.sqlite3", GAMES_BY_KEY)
        book.overview()
        names, listed = [], []
        for count in range(1, times + 1):
            save_game(store, chance, darts, count)
            names.append(_ms(book.to_choose))
            listed.append(_ms(book.overview))
        whole = _ms(book.all)
    print(f"players at {commit()}: {darts} darts of {PLAYERS} players, {times} times after a further dart")
    rows = (("names to choose from", names, NAMES_MS), ("list with figures", listed, LIST_MS))
    for what, found, target in rows:
        print(f"  {what:24} p95 {percentile(found, 95):7.1f} ms (target {target:.0f})")
    print(f"  {'figures of everybody':24}     {whole:7.1f} ms (no target: the page shows the list meanwhile)")
    return int(any(percentile(found, 95) > target for _, found, target in rows))


def _ms(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def save_game(store: PlayerStore, chance: random.Random, number: int, darts: int) -> None:
    """Store a game between two of the players with this many darts."""
    pair = chance.sample(range(PLAYERS), 2)
    thrown = [
        ThrownDart(
            f"p{pair[dart % 2]}", dart, number * DAY_MS + dart * 1000, "place", str(chance.choice(ALL_BEDS[:82])),
            None, None, "", sum(1 << bed for bed in chance.sample(range(80), 12)),
        )
        for dart in range(darts)
    ]  # fmt: skip
    ids = (f"p{pair[0]}", f"p{pair[1]}")
    game = PlayedGame(
        f"m{number}", number * DAY_MS, 1, "scharten", "loud", ids, ("A", "B"), "1-0", "mate", 50, {}
    )
    store.save_game("journal", darts, game, thrown)
