"""Counts and states of the four games on squares, row by row as the specification gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.any_game import BY_KEY, options, stand

ROWS = [
    line.split("\t")
    for line in (Path(__file__).parents[1] / "perft" / "games.tsv").read_text().splitlines()
    if line and line.split("\t")[3] != "draw"
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]}-{row[3]}-{row[1][:12]}")
def test_a_published_row(row: list[str]) -> None:
    """Each row's count or status is what the game answers."""
    key, text, flags, what, answer = row
    game = BY_KEY[key]
    chosen = options(
        game,
        **({"kind": "loud"} if "--loud" in flags else {}),
        **({"pat_swap": "on"} if "--pat-swap" in flags else {}),
    )
    position = stand(game, text, chosen)
    found = (
        game.status(position, chosen) if what == "status" else str(game.count(position, chosen, int(what)))
    )
    assert found == answer
