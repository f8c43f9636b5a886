"""PGN of chess and Fischer Random, both ways, and as python-chess alone reads it (games 7)."""

from __future__ import annotations

import io
import random

import chess.pgn
import pytest

from games.any_game import BY_KEY, options, stand, successors
from scharten.errors import Problem
from scharten.game.basics import Foul, LostDart, Move
from scharten.game.protocol import Played
from scharten.games.chess import CHESS, Chess
from scharten.games.pgn import read_pgn, write_pgn
from scharten.games.sheet import ScoreSheet, SheetTurn


def random_paper(key: str, kind: str, seed: int) -> ScoreSheet:
    """A random game with hits and lost darts, from an opening or, in chess, sometimes a position."""
    game, chance = BY_KEY[key], random.Random(seed)
    assert isinstance(game, Chess)
    extra = {"opening_by": "number", "opening_number": 77 + seed} if key == "fischer_random" else {}
    chosen = options(game, kind=kind, foul_limit={"white": 99, "black": 99}, **extra)
    position = start = game.begin(chosen)
    turns: list[SheetTurn] = []
    for _ in range(120):
        choice = successors(game, position, chosen)
        if not choice:
            break
        action = chance.choice(choice)
        played = game.play(position, action, chosen)
        assert isinstance(played, Played)
        hit = isinstance(action, Move) and action.text in game.situation(position, chosen).needs_dart
        bed = "F1" if isinstance(action, LostDart) else "BULL" if hit else None
        turns.append(SheetTurn(action, bed=bed))
        position = played.position
    headers = {"Event": "A", "White": "B", "Black": "C", "Round": "?", "Site": "?", "Date": "2026.11.22"}
    return ScoreSheet(game, options(game, kind=kind), start, tuple(turns), tuple(headers.items()), "½-½")


@pytest.mark.parametrize("kind", ["silent", "loud"])
@pytest.mark.parametrize("key", ["chess", "fischer_random"])
def test_a_game_goes_through_pgn_and_back(key: str, kind: str) -> None:
    """Turns, beds, lost darts, opening, headers and result come back; python-chess reads the text without error."""
    for seed in range(6):
        paper = random_paper(key, kind, seed)
        limit = {"foul_limit": {"white": 99, "black": 99}}
        patient = paper.options.model_validate({**paper.options.model_dump(mode="json"), **limit})
        text = write_pgn(
            ScoreSheet(paper.game, patient, paper.start, paper.entries, paper.headers, paper.result)
        )
        back = read_pgn(text)
        assert isinstance(back, ScoreSheet), back
        assert back.game is paper.game and back.result == paper.result and back.options.kind == kind
        assert [(turn.action, turn.bed) for turn in back.entries] == [
            (turn.action, turn.bed) for turn in paper.entries
        ]
        assert back.game.text(back.start, patient) == paper.game.text(paper.start, patient)
        assert dict(back.headers) == dict(paper.headers)
        theirs = chess.pgn.read_game(io.StringIO(text))
        assert theirs is not None and theirs.errors == []
        assert theirs.headers.get("Variant") == ("Chess960" if key == "fischer_random" else None)


@pytest.mark.parametrize(("end", "result"), [("1-o", "1-0"), ("o-1 \n", "0-1")])
def test_a_result_may_have_the_letter_o(end: str, result: str) -> None:
    """`1-o` at the end, as the source writes it, is the result; within the moves it is none."""
    paper = read_pgn(f"1. e4 e5 2. Nf3 {end}", "chess")
    assert isinstance(paper, ScoreSheet), paper
    assert (paper.result, len(paper.entries)) == (result, 3)
    assert isinstance(read_pgn(f"1. e4 {end} e5 *", "chess"), Problem)


def test_a_dart_lost_in_check_stands_behind_the_move_before() -> None:
    """The turn goes on, so there is no null move, and an en passant capture after it can still be written."""
    chosen = options(CHESS, kind="loud")
    start = stand(CHESS, "8/8/8/2k5/4p3/8/3P4/4K3 w - - 0 9 0/0", chosen)
    lost = LostDart(Foul.WRONG_COLOUR, Move("e4", "d3"), "F4")  # type: ignore[arg-type]
    moves = [Move("d2", "d4"), Move("e4", "d3")]  # type: ignore[arg-type]
    turns = (SheetTurn(moves[0]), SheetTurn(lost, bed="F4"), SheetTurn(moves[1], bed="D20"))
    text = write_pgn(ScoreSheet(CHESS, chosen, start, turns))
    assert "--" not in text.replace("[%", "") and "[%lost e4d3 F4]" in text
    back = read_pgn(text)
    assert isinstance(back, ScoreSheet) and back.entries == turns


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("1. e4 e5 2. Ke3 *", "turn"),
        ("1. e4 -- 2. d4 *", "turn"),
        ("1. e4 Ke4 ) 2. Nf3 *", "turn"),
        ('[Variant "Atomic"]\n\n1. e4 *', "variant"),
        ('[Kind "soft"]\n\n1. e4 *', "header"),
        ('[FEN "8/8/8/8/8/8/8/K7 w - - 0 1"]\n[SetUp "1"]\n\n*', "kings"),
        ("1. e4 {[%bed X9]} *", "turn"),
        ("x" * 400_001, "too_long"),
    ],
)
def test_what_is_no_game_is_refused_by_name(text: str, code: str) -> None:
    """Illegal turns, unknown variants, null moves without a dart and impossible positions are Problems."""
    found = read_pgn(text)
    assert isinstance(found, Problem) and found.code == code and found.words
