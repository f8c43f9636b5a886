"""Shatranj beside Fairy-Stockfish, whose few differences are named here and kept out of the way."""

from __future__ import annotations

import random

import pyffish
import pytest

from games.any_game import BY_KEY, options, play, stand

GAME = BY_KEY["shatranj"]
TEXT = {"G": "Q", "E": "B", "g": "q", "e": "b"}


def theirs(text: str) -> str:
    """The position text as Fairy-Stockfish reads it: general Q, elephant B."""
    pieces, side, clock, number = text.split()
    return f"{''.join(TEXT.get(sign, sign) for sign in pieces)} {side} - - {clock} {number}"


@pytest.mark.long
def test_the_same_moves_in_random_games() -> None:
    """Until somebody is bare, both know the same moves in every position of five games, and the same check."""
    chosen, chance = options(GAME), random.Random(11)
    compared = 0
    for _ in range(5):
        position = stand(GAME, "rnegkenr/pppppppp/8/8/8/8/PPPPPPPP/RNEGKENR w 0 1", chosen)
        for _ in range(120):
            found = GAME.situation(position, chosen)
            if found.end is not None or GAME.status(position, chosen).endswith("bared"):
                break
            known = pyffish.legal_moves("shatranj", theirs(found.text), [])
            # Their promotion names the general; ours has no letter.
            assert {move[:4] for move in known} == set(found.moves), found.text
            assert bool(pyffish.gives_check("shatranj", theirs(found.text), [])) == bool(found.check)
            compared += 1
            position = play(GAME, position, chance.choice(sorted(found.moves)), chosen).position
    assert compared > 300
