"""Rules 10, the position string: both ways, and what is wrong with a bad one."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from games.scharten.asking import under
from games.scharten.boards import LOUD, SILENT, game_options
from games.scharten.positions import played_position, random_options, random_position
from scharten.errors import Problem
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import (
    LOUD_OPENING,
    SILENT_OPENING,
    finished_by_fouls,
    parse_position,
    position_text,
)


@pytest.mark.parametrize(("text", "options"), [(SILENT_OPENING, SILENT), (LOUD_OPENING, LOUD)])
def test_the_openings_read_and_written(text: str, options: Options) -> None:
    """The two openings of section 10, character for character."""
    position = parse_position(text, rules_of(options))
    assert isinstance(position, Position)
    assert position_text(position) == text


@settings(deadline=None)
@given(st.integers(0, 2**32), st.booleans())
def test_string_and_position_are_inverse(seed: int, played: bool) -> None:
    """For random and for played positions of every option: parse and write give back the same."""
    rng = random.Random(seed)
    options = random_options(rng)
    position = played_position(rng, options, 40) if played else random_position(rng, options)
    text = position_text(position)
    assert parse_position(text, rules_of(options)) == position
    assert position_text(position) == text


K = "5K9k4"
BAD = [
    ("", SILENT, "parts", "seven parts"),
    (f"{K}/20/20/20 w - 17/17 0/0 0/0", SILENT, "parts", "this has 6"),
    (f"{K}/20/20 w - 17/17 0/0 0/0 1", SILENT, "rings", "four rings"),
    (f"{K}/20/19/20 w - 17/17 0/0 0/0 1", SILENT, "ring_length", "treble ring has 19"),
    (f"{K}/20/20/21 w - 17/17 0/0 0/0 1", SILENT, "ring_length", "little ring has 21"),
    (f"{K}/1010/20/20 w - 17/17 0/0 0/0 1", SILENT, "pieces", "fat ring"),
    (f"{K}/020/20/20 w - 17/17 0/0 0/0 1", SILENT, "pieces", "fat ring"),
    (f"{K}/19X/20/20 w - 17/17 0/0 0/0 1", SILENT, "pieces", "'X'"),
    (f"{K}/*20/20/20 w - 17/17 0/0 0/0 1", SILENT, "pieces", "'*'"),
    (f"{K}/P**19/20/20 w - 17/17 0/0 0/0 1", SILENT, "pieces", "'*'"),
    (f"{K}/20/20/20 x - 17/17 0/0 0/0 1", SILENT, "side", "'x'"),
    (f"{K}/20/20/20 w e9 17/17 0/0 0/0 1", SILENT, "en_passant", "'e9'"),
    (f"{K}/20/20/20 w - 17 0/0 0/0 1", SILENT, "placed", "'17'"),
    (f"{K}/20/20/20 w - 17/17 0/-1 0/0 1", SILENT, "fouls", "'0/-1'"),
    (f"{K}/20/20/20 w - 17/17 0/0 a/0 1", SILENT, "clocks", "'a/0'"),
    (f"{K}/20/20/20 w - 17/17 0/0 0/0 0", SILENT, "move_number", "'0'"),
    ("5K14/20/20/20 w - 17/17 0/0 0/0 1", SILENT, "kings", "black has 0 kings"),
    (f"{K}/K19/20/20 w - 17/17 0/0 0/0 1", SILENT, "kings", "white has 2 kings"),
    ("5K9kP3/20/20/20 w - 17/17 0/0 0/0 1", SILENT, "pawn_on_last_row", "f8"),
    ("p4K9k4/20/20/20 w - 17/17 0/0 0/0 1", SILENT, "pawn_on_last_row", "o1"),
    (f"{K}/20/20/3N16 b c4 17/17 0/0 0/0 1", SILENT, "en_passant", "c4 is occupied"),
    (f"{K}/20/20/3P16 b b3 17/17 0/0 0/0 1", SILENT, "en_passant", "b3"),
    (f"{K}/20/20/3P*16 b c3 17/17 0/0 0/0 1", SILENT, "en_passant", "no moved white pawn"),
    (f"{K}/20/20/3P16 w c3 17/17 0/0 0/0 1", SILENT, "en_passant", "no moved black pawn"),
    (f"{K}/20/20/20 w - 18/17 0/0 0/0 1", LOUD, "placed", "18"),
    (f"{K}/20/20/20 w - 17/16 0/0 0/0 1", SILENT, "placed", "black has 16"),
    (f"{K}/20/20/20 w - 0/0 0/4 0/0 1", LOUD, "fouls", "limit of 3"),
    ("5KkR12/20/20/20 w - 17/17 0/0 0/0 1", SILENT, "side_in_check", "black is in check"),
]


@pytest.mark.parametrize(("text", "options", "code", "words"), BAD)
def test_what_is_wrong_is_named(text: str, options: Options, code: str, words: str) -> None:
    """Every error of section 10 and of the form, each with its code and words that say where."""
    found = parse_position(text, rules_of(options))
    assert isinstance(found, Problem)
    assert found.code == code
    assert words in found.words


def test_a_white_pawn_on_row_one_is_legal() -> None:
    """Over the seam, or thrown there."""
    assert isinstance(parse_position("4PK9k4/20/20/20 w - 17/17 0/0 0/0 1", rules_of(SILENT)), Position)


def test_fouls_at_the_limit_belong_to_a_game_that_is_over() -> None:
    """Such a position is read, but a reader that needs a running game refuses it."""
    text = "5K9k4/20/20/20 w - 0/0 0/{} 0/0 1"
    over = parse_position(text.format(3), rules_of(LOUD))
    assert isinstance(over, Position)
    refusal = finished_by_fouls(over)
    assert refusal is not None
    assert "black has 3 lost darts" in refusal.words
    going_on = parse_position(text.format(2), rules_of(LOUD))
    assert isinstance(going_on, Position)
    assert finished_by_fouls(going_on) is None
    assert finished_by_fouls(under(over, game_options(loud=True, foul_limit=(3, 5)))) is None


def test_side_in_check_depends_on_the_options() -> None:
    """With `count` a rook on a treble field alone gives no sufficient support against a king on a treble."""
    text = "20/20/2R2k5R8/14K5 w - 17/17 0/0 0/0 1"
    assert isinstance(parse_position(text, rules_of(SILENT)), Problem)
    assert isinstance(parse_position(text, rules_of(game_options(support="count"))), Position)


@settings(deadline=None)
@given(st.text(max_size=80))
@example("20/20/20/20 w - 17/17 0/0 0/0 1")
@example("²0/20/20/20 w - 17/17 0/0 0/0 1")
@example("9" * 1000)
@example("99999999999999999999/20/20/20 w - 17/17 0/0 0/0 1")
@example(f"{K}/20/20/20 w - 17/17 0/0 0/0 99999999999")
def test_no_text_makes_the_reader_fail(text: str) -> None:
    """Whatever comes in, the answer is a value."""
    assert isinstance(parse_position(text, rules_of(SILENT)), Position | Problem)
