"""Laws of every game on squares, in every position of random games, silent and loud."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.any_game import SQUARES, options, successors
from scharten.errors import Problem
from scharten.game.basics import LostDart, Move, move_from_text
from scharten.game.protocol import AnyGame, Played
from scharten.games import GAMES
from scharten.games.loud import SquareOptions
from scharten.games.square_game import WHY, SquareGame

PICKS = st.lists(st.integers(0, 2**20), max_size=70)
VARIANTS: list[tuple[AnyGame, SquareOptions]] = [
    (game, options(game, kind=kind, **chosen))
    for game in SQUARES
    for kind in ("silent", "loud")
    for chosen in {
        "fischer_random": [{"opening_by": "number", "opening_number": 77}],
        "shatranj": [{"king_on": "d", "pat_swap": "on"}],
        "shakti": [{"corners": "bare", "check_miss": "loses"}],
    }.get(game.key, [{}])
]


def positions(game: AnyGame, chosen: SquareOptions, picks: list[int]) -> list[Any]:
    """The positions of the game that these numbers choose."""
    found = [game.begin(chosen)]
    for pick in picks:
        turns = successors(game, found[-1], chosen)
        if not turns:
            break
        played = game.play(found[-1], turns[pick % len(turns)], chosen)
        assert isinstance(played, Played)
        if played.end is not None:
            break
        found.append(played.position)
    return found


@settings(max_examples=40, deadline=None)
@given(variant=st.sampled_from(VARIANTS), picks=PICKS)
def test_text_notation_and_reasons_hold_together(
    variant: tuple[AnyGame, SquareOptions], picks: list[int]
) -> None:
    """The text reads back, every turn's notation reads back as itself, and each refusal has a reason."""
    game, chosen = variant
    assert isinstance(game, SquareGame)
    position = positions(game, chosen, picks)[-1]
    found = game.situation(position, chosen)
    repeated = game.read(found.text, chosen)
    assert not isinstance(repeated, Problem), repeated
    assert game.situation(repeated, chosen) == found
    assert game.count(position, chosen, 0) == 1
    assert game.count(position, chosen, 1) == len(found.moves) + (found.forced is not None)
    written = {}
    for turn in successors(game, position, chosen):
        text = game.write(position, turn, chosen)
        assert text not in written, f"{text} is {written.get(text)} and {turn.text}"
        written[text] = turn.text
        read = game.read_turn(position, text, chosen, "en")
        assert not isinstance(read, Problem)
        assert read.action.text == turn.text
        if isinstance(turn, Move):
            assert game.explain(position, turn, chosen).legal
            assert game.man_at(position, turn.origin).side is found.side
        if isinstance(turn, LostDart):
            assert text.endswith("@-")
    mine = [
        field
        for field in game.layout.fields
        if (man := game.man_at(position, field)) and man.side is found.side
    ]
    for origin in mine[:4]:
        for goal in game.layout.fields:
            why = game.explain(position, Move(origin, goal), chosen)
            assert why.legal == (f"{origin}{goal}" in found.moves)
            assert why.legal or why.code in WHY


@pytest.mark.parametrize("game", SQUARES, ids=lambda game: game.key)
@pytest.mark.parametrize("text", ["o7xi1", "e2e9", "e2", "j1a1", "e2e4z", "", "@c3", "e2e4qq"])
def test_another_games_move_form_is_refused_and_named(game: AnyGame, text: str) -> None:
    """A move that is none of this board is a Problem with a reason, whatever it looks like."""
    extra = {"opening_by": "number", "opening_number": 3} if game.key == "fischer_random" else {}
    chosen = options(game, **extra)
    found = game.play(game.begin(chosen), move_from_text(text), chosen)
    assert isinstance(found, Problem)
    assert found.code == "not_a_move" and found.args["reason"] in {
        "no_such_field",
        "no_such_promotion",
        "empty",
    }


@pytest.mark.parametrize("game", SQUARES, ids=lambda game: game.key)
def test_another_games_options_are_refused_and_named(game: AnyGame) -> None:
    """An option of another game is an error that names it; options of another game's model too."""
    own = game.options_model.model_fields
    foreign = next(name for other in GAMES for name in other.options_model.model_fields if name not in own)
    with pytest.raises(ValueError, match=foreign):
        game.options_model(**{foreign: "on"})
    other = next(item for item in GAMES if item.options_model is not game.options_model)
    with pytest.raises(ValueError, match=f"not options of {game.key}"):
        game.situation(game.begin(game.options_model()), other.options_model())


@pytest.mark.parametrize(
    ("key", "text", "spelling", "move"),
    [
        ("chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "0-0", "e1g1"),
        ("chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "o-o-o", "e1c1"),
        ("chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9", "exd6 e.p.", "e5d6"),
        ("chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9", "ed6", "e5d6"),
        ("chess", "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8=Q+", "a7a8q"),
        ("chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "Rah8", "not_a_move"),
        ("chess", "1k6/8/8/8/8/8/7K/R4R2 w - - 0 1", "Rc1", "ambiguous"),
        ("chess", "1k6/8/8/8/8/8/7K/R4R2 w - - 0 1", "R1c1?", "ambiguous"),
        ("chess", "1k6/8/8/8/8/8/7K/R4R2 w - - 0 1", "Rfc1", "f1c1"),
        ("chess", "1k6/8/8/8/8/8/7K/R4R2 w - - 0 1", "hello", "malformed"),
        ("shatranj", "8/4P3/8/8/k7/8/7r/K7 w 0 40", "e8", "e7e8"),
        ("shatranj", "8/4P3/8/8/k7/8/7r/K7 w 0 40", "e8=G", "e7e8"),
        ("shakti", "7/1w1k1w1/7/7/7/1W1K1W1/7 w 1", "Wbd4*c3", "b2d4"),
        ("shakti", "7/1w1k1w1/7/7/7/1W1K1W1/7 w 1", "Wd4*c3", "b2d4"),
        ("shakti", "7/1w1k1w1/7/7/7/1W1K1W1/7 w 1", "--", "not_a_move"),
    ],
)
def test_other_spellings_are_read(key: str, text: str, spelling: str, move: str) -> None:
    """Marks may be missing, castling is read three ways; what could be two moves or none is refused by name."""
    game = next(square for square in SQUARES if square.key == key)
    assert isinstance(game, SquareGame)
    chosen = options(game)
    position = game.read(text, chosen)
    found = game.read_turn(position, spelling, chosen, "en")
    assert (found.code if isinstance(found, Problem) else found.action.text) == move
