"""The draw of Fischer Random's opening (games 3): even, sealed, and the same from the sheet alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import product

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scharten.dartboard.beds import ALL_BEDS, parse_bed
from scharten.errors import Problem
from scharten.games.draw import CHOICES, CLASSICAL, OpeningDraw, digest_of, lot, number_of, offset, row_of
from scharten.games.fischer_random import FISCHER_RANDOM

SEED = "0123456789abcdef0123456789abcdef"
EVERY = tuple(product(*map(range, CHOICES)))


def diced(*values: int) -> OpeningDraw:
    """A draw with these dice."""
    draw = OpeningDraw("dice")
    for value in values:
        found = draw.die(value)
        assert isinstance(found, OpeningDraw)
        draw = found
    return draw


def test_every_position_comes_from_two_of_1920_throws() -> None:
    """Each of the 960 numbers comes up exactly twice, and python-chess sets up the same row for it."""
    numbers = Counter(map(number_of, EVERY))
    assert set(numbers) == set(range(960)) and set(numbers.values()) == {2}
    for choices in EVERY:
        theirs = chess.Board.from_chess960_pos(number_of(choices)).board_fen()
        assert theirs.split("/")[0] == "".join(row_of(choices))


def test_the_steps_of_the_source() -> None:
    """1 1 1 1 1 gives number 0; 2 3 3 2 3 the classical position, and so the next round."""
    assert diced(1, 1, 1, 1, 1).number == 0
    repeated = diced(2, 3, 3, 2, 3)
    assert (repeated.number, repeated.round, repeated.choices) == (None, 2, ())
    assert number_of((1, 2, 2, 1, 2)) == CLASSICAL


def test_dice_that_are_too_high_are_thrown_again() -> None:
    """5 and 6 do not count in steps 1, 2 and 5, a 6 not in step 4; in step 3 every die counts."""
    draw = diced(5, 6, 1, 6, 1, 6, 6, 5, 5, 4)
    assert [throw.choice for throw in draw.throws] == [None, None, 0, None, 0, 5, None, 4, None, 3]
    assert draw.number is not None
    assert draw.counted == 5
    assert isinstance(diced(1).die(7), Problem)
    assert isinstance(draw.die(1), Problem)


def test_the_check_seed() -> None:
    """The offsets of the published seed, in both rounds, and the envelope's digest."""
    assert [[offset(SEED, turn, step) for step in range(1, 6)] for turn in (1, 2)] == [
        [1, 2, 0, 3, 0],
        [0, 1, 3, 1, 1],
    ]
    assert digest_of("9f3c1a", SEED) == hashlib.sha256(f"9f3c1a:{SEED}".encode()).hexdigest()


@pytest.mark.parametrize("bed", ["25", "BULL", "MISS"])
def test_bulls_and_misses_are_thrown_again(bed: str) -> None:
    """A dart without a number is shown and does not count."""
    draw = OpeningDraw("darts", SEED).dart(parse_bed(bed))
    assert isinstance(draw, OpeningDraw) and draw.choices == () and draw.throws[0].shown == bed


@given(st.lists(st.sampled_from(ALL_BEDS), min_size=5, max_size=40), st.integers(0, 2**128 - 1))
def test_darts_and_seed_alone_decide(beds: list[object], seed: int) -> None:
    """Any darts give the same draw from the same seed, choices stay in range, and 518 never comes out."""
    draws = []
    for _ in range(2):
        draw = OpeningDraw("darts", f"{seed:032x}")
        for bed in beds:
            if draw.number is None:
                found = draw.dart(bed)  # type: ignore[arg-type]
                assert isinstance(found, OpeningDraw)
                draw = found
        draws.append(draw)
    assert draws[0] == draws[1]
    assert draws[0].number != CLASSICAL
    assert all(choice < CHOICES[step] for step, choice in enumerate(draws[0].choices))


@pytest.mark.parametrize("number", range(1, 21))
def test_who_aims_at_one_number_steers_nothing(number: int) -> None:
    """With every dart in the same bed, 400 envelopes give every choice of the first step about as often."""
    bed = parse_bed(f"T{number}")
    first = Counter(OpeningDraw("darts", f"{seed:032x}").dart(bed).choices for seed in range(400))
    assert set(first) == {(0,), (1,), (2,), (3,)} and max(first.values()) < 150


def test_the_lot_never_gives_the_classical_position() -> None:
    """12,000 seeds give each number from 0 to 959, but never 518."""
    numbers = {lot(f"{seed:032x}") for seed in range(12_000)}
    assert numbers == set(range(960)) - {CLASSICAL}


def test_the_board_shows_the_draw_as_it_happens() -> None:
    """After each step the men that are placed stand on the board, on both sides."""
    position = FISCHER_RANDOM.partly((1, 2))
    assert position.board.board_fen() == "2b2b2/pppppppp/8/8/8/8/PPPPPPPP/2B2B2"
    for choices in EVERY[::97]:
        for step in range(5):
            assert FISCHER_RANDOM.partly(choices[:step]).board.is_valid() is False
        assert FISCHER_RANDOM.partly(choices).board.board_fen() == (
            FISCHER_RANDOM.opening(number_of(choices)).board.board_fen()
        )
