"""Shatranj and Shakti against second generators that share nothing with the first, on positions that nobody chose."""

from __future__ import annotations

from types import ModuleType

from hypothesis import given, settings
from hypothesis import strategies as st

from games.any_game import BY_KEY, options, play, state
from games.shakti import naive as shakti_naive
from games.shatranj import naive as shatranj_naive
from scharten.errors import Problem
from scharten.game.protocol import AnyGame
from scharten.games.loud import SquareOptions

SPOTS = st.integers(0, 63)


def agree(game: AnyGame, chosen: SquareOptions, text: str, naive: ModuleType, position: object) -> None:
    """Moves, state and the count two turns deep are the same."""
    second = naive.read(text, swaps=True) if naive is shatranj_naive else naive.read(text)
    word, turns = naive.turns(second)
    found = game.situation(position, chosen)
    report = {"--"} if found.forced else set(found.moves)
    assert report == set(turns), text
    assert state(game, position, chosen) == word, text
    assert game.count(position, chosen, 2) == naive.perft(second, 2), text


@settings(max_examples=80, deadline=None)
@given(
    men=st.lists(st.tuples(SPOTS, st.sampled_from("GRNEPgrnep")), max_size=12),
    kings=st.tuples(SPOTS, SPOTS),
    side=st.sampled_from("wb"),
)
def test_shatranj_agrees_on_any_position(
    men: list[tuple[int, str]], kings: tuple[int, int], side: str
) -> None:
    """Whatever stands on the board, both generators know the same moves, the same state and the same count."""
    game = BY_KEY["shatranj"]
    chosen = options(game, pat_swap="on")
    letters = dict(men) | {kings[0]: "K", kings[1]: "k"}
    rows = ["".join(letters.get(8 * row + file, "1") for file in range(8)) for row in range(7, -1, -1)]
    text = f"{'/'.join(map(merged, rows))} {side} 0 1"
    position = game.read(text, chosen)
    if isinstance(position, Problem):
        assert position.code in {"kings", "pawn_on_last_row", "side_in_check"}
        return
    agree(game, chosen, text, shatranj_naive, position)


def merged(row: str) -> str:
    """Runs of free fields as one digit."""
    text = ""
    for sign in row:
        text = text[:-1] + str(int(text[-1]) + 1) if sign == "1" and text[-1:].isdigit() else text + sign
    return text


@settings(max_examples=120, deadline=None)
@given(
    gone=st.sets(st.integers(0, 48), max_size=44),
    men=st.permutations(range(49)).map(lambda spots: spots[:6]),
    many=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    side=st.sampled_from("wb"),
)
def test_shakti_agrees_on_any_position(
    gone: set[int], men: list[int], many: tuple[int, int], side: str
) -> None:
    """Whatever tiles are left, both generators know the same moves, the same state and the same count."""
    game = BY_KEY["shakti"]
    chosen = options(game)
    letters = dict.fromkeys(gone, "_") | {men[0]: "K", men[1]: "k"}
    letters |= dict.fromkeys(men[2 : 2 + many[0]], "W") | dict.fromkeys(men[4 : 4 + many[1]], "w")
    rows = ["".join(letters.get(7 * row + file, "1") for file in range(7)) for row in range(6, -1, -1)]
    text = f"{'/'.join(map(merged, rows))} {side} 1"
    position = game.read(text, chosen)
    if isinstance(position, Problem):
        assert position.code in {"kings_see", "side_in_check"}
        return
    agree(game, chosen, text, shakti_naive, position)


@settings(max_examples=10, deadline=None)
@given(key=st.sampled_from(["shatranj", "shakti"]), picks=st.lists(st.integers(0, 2**20), max_size=90))
def test_random_games_agree_all_the_way(key: str, picks: list[int]) -> None:
    """From the opening on, both generators agree before every turn of a game."""
    game = BY_KEY[key]
    naive: ModuleType = shatranj_naive if key == "shatranj" else shakti_naive
    chosen = options(game, **({"pat_swap": "on"} if key == "shatranj" else {}))
    position = game.begin(chosen)
    for pick in picks:
        found = game.situation(position, chosen)
        second = naive.read(found.text, swaps=True) if key == "shatranj" else naive.read(found.text)
        assert ({"--"} if found.forced else set(found.moves)) == set(naive.turns(second)[1]), found.text
        turns = sorted(found.moves) or (["--"] if found.forced else [])
        if not turns or found.end:
            break
        position = play(game, position, turns[pick % len(turns)], chosen).position
