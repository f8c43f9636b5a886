"""Could a side still mate (rules 7): what is said is proved, by a line of turns or by leaving nothing out."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given, settings

from games.scharten.boards import LOUD, SILENT, board
from games.scharten.games import PICKS, VARIANTS, random_game
from scharten.game.basics import Side, side_from_word
from scharten.games.scharten import kernel
from scharten.games.scharten.board import Kind
from scharten.games.scharten.mate import BUDGET, could_mate, helpmate, proved_dead
from scharten.games.scharten.mate_goals import goals
from scharten.games.scharten.options import RuleOptions, parse_flags
from scharten.games.scharten.outcome import State, status
from scharten.games.scharten.position import Position, parse_position
from scharten.games.scharten.turn import play
from scharten.games.scharten.turns import Turns

HERE = Path(__file__).parent / "mate"
Row = tuple[Position, RuleOptions, Side]


def kept(name: str) -> list[Row]:
    rows = []
    for text in (HERE / name).read_text(encoding="utf-8").splitlines():
        position_text, flags, word, _ = text.split("\t")
        options, side = parse_flags(flags), side_from_word(word)
        assert isinstance(options, RuleOptions)
        assert side is not None
        position = parse_position(position_text, options)
        assert isinstance(position, Position), position
        rows.append((position, options, side))
    return rows


def test_the_kept_list_of_true_positions_is_proved_by_lines() -> None:
    """Each kept position has a line of legal turns, replayed by the public rules, that ends in mate by that side."""
    rows = kept("true.tsv")
    assert len(rows) >= 30
    for position, options, side in rows:
        line = helpmate(position, side, options)
        assert line is not None, position
        last = position
        for action in line:
            after = play(last, action, options)
            assert isinstance(after, Position), after
            last = after
        assert status(last, options).state is State.CHECKMATE
        assert last.side is side.other


def test_the_kept_list_of_false_positions_is_proved() -> None:
    """Each kept position comes out as impossible, and no larger search finds a mate there."""
    rows = kept("false.tsv")
    assert len(rows) >= 30
    for position, options, side in rows:
        assert could_mate(position, side, options) is False, position
        assert helpmate(position, side, options, 4 * BUDGET) is None


@pytest.mark.parametrize("minor", [kernel.B, kernel.N])
def test_no_placement_of_a_lone_minor_piece_is_mate(minor: int) -> None:
    """King and bishop, or king and knight, against a bare king: no mate on any fields (rules 7, listed material)."""
    tables = kernel.tables(SILENT)
    mates = 0
    # Without pawns the board looks alike from every sector: the mated king may stand on sector 5.
    for depth, (king, piece) in product(range(4), permutations(range(80), 2)):
        mated = depth * 20 + 5
        if mated in (king, piece):
            continue
        state = kernel.State(tables, 1, -1, (17, 17))
        state.put(1, kernel.K, mated, False)
        state.put(0, kernel.K, king, False)
        state.put(0, minor, piece, False)
        if kernel.in_check(state, 1) and not kernel.in_check(state, 0):
            mates += Turns(state).stuck
    assert mates == 0


@pytest.mark.parametrize("men", ["Q", "R", "BB", "NN", "BN"])
def test_every_goal_of_the_search_is_a_mate(men: str) -> None:
    """The patterns that the search steers to are checkmate at each of their 40 places, for such material."""
    codes = [kernel.CODES[Kind(letter)] for letter in men]
    start = kernel.State(kernel.tables(SILENT), 1, -1, (17, 17))
    for field, code in ((0, kernel.K), *enumerate(codes, start=1)):
        start.put(0, code, field, False)
    start.put(1, kernel.K, 45, False)
    fitting = 0
    for goal in goals(start, 0, 500):
        wanted = sorted(want.kinds for want in goal.wants if want.kinds != (kernel.K,))
        if not all(code in kinds for code, kinds in zip(sorted(codes), wanted, strict=False)):
            continue
        state = kernel.State(kernel.tables(SILENT), 1, -1, (17, 17))
        state.put(1, kernel.K, goal.king, False)
        for want in goal.wants:
            state.put(0, next(code for code in (*codes, kernel.K) if code in want.kinds), want.field, False)
        turns = Turns(state)
        assert turns.checked
        assert turns.stuck
        fitting += 1
    assert fitting >= 40


def test_a_bare_king_can_mate_a_king_shut_in_by_its_own_men() -> None:
    """Ke4 among its own d3 f3 d5 e5 f5, mated by a bare king on e3; one man fewer makes it impossible (rules 7)."""
    shut_in = board("""
        8  . . . . . . . . . .
        7  . . . . . . . . . .
        6  . . . . . . . . . .
        5  . . . . P P P . . .
        4  . . . . . K . . . .
        3  . . . . P k P . . .
        2  . . . . . . . . . .
        1  . . . . . . . . . .
    """)  # fmt: skip
    assert status(shut_in, SILENT).state is State.CHECKMATE
    assert could_mate(shut_in, Side.BLACK, SILENT) is True
    assert helpmate(shut_in, Side.BLACK, SILENT) == ()
    fewer = board("""
        8  . . . . . . . . . .
        7  . . . . . . . . . .
        6  . . . . . . . . . .
        5  . . . . P P . . . .
        4  . . . . . K . . . .
        3  . . . . P k P . . .
        2  . . . . . . . . . .
        1  . . . . . . . . . .
    """)  # fmt: skip
    assert could_mate(fewer, Side.BLACK, SILENT) is False


BARE = """
    8  . . . . . . . . . .
    7  . . . . . k . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . . . . . . . . . .
    2  . . . . . . . . . .
    1  . . . . . K . . . .
"""


def test_pieces_still_to_throw_count() -> None:
    """Bare kings with throws left are not lost for either side, and never dead (rules 6, 7)."""
    position = board(BARE, options=LOUD, placed="13/17")
    assert could_mate(position, Side.WHITE, LOUD) is True
    assert could_mate(position, Side.BLACK, LOUD) is False
    assert not proved_dead(position, LOUD)
    assert could_mate(board(BARE, options=LOUD, placed="12/17"), Side.BLACK, LOUD) is not False


def test_dead_positions_are_proved_dead() -> None:
    """Bare kings with nothing to throw are dead; with a rook on the board they are not."""
    assert proved_dead(board(BARE), SILENT)
    assert not proved_dead(board(BARE.replace("3  . .", "3  R .")), SILENT)


def turned(position: Position) -> Position:
    """The half-turn with colours swapped: sectors 10 on, White for Black."""
    cells = [position.board[f // 20 * 20 + (f % 20 + 10) % 20] for f in range(80)]
    swapped = tuple(held and type(held)(held.side.other, held.kind, held.moved) for held in cells)
    ep = (
        None
        if position.ep is None
        else type(position.ep)(position.ep // 20 * 20 + (position.ep % 20 + 10) % 20)
    )
    (white, black), (first, second) = position.placed, position.fouls
    return Position(
        swapped,
        position.side.other,
        ep,
        (black, white),
        (second, first),
        position.clocks,
        position.move_number,
    )


@settings(max_examples=12, deadline=None)
@given(VARIANTS, PICKS)
def test_answers_never_contradict_each_other(options: RuleOptions, picks: list[int]) -> None:
    """The half-turned position with colours swapped may be harder to prove, but never proves the opposite."""
    played = random_game(options, picks)
    if not played or options.foul_limit[0] != options.foul_limit[1]:
        return
    position = played[-1][2]
    for side in Side:
        answers = {
            could_mate(position, side, options, 60),
            could_mate(turned(position), side.other, options, 60),
        }
        assert answers != {True, False}


@settings(max_examples=12, deadline=None)
@given(VARIANTS, PICKS)
def test_a_turn_never_makes_the_impossible_possible(options: RuleOptions, picks: list[int]) -> None:
    """Once a mate by one side is proved impossible, no later position of the game proves it possible."""
    impossible: set[Side] = set()
    for _, _, position in random_game(options, picks)[-4:]:
        for side in Side:
            answer = could_mate(position, side, options, 60)
            assert not (answer and side in impossible)
            if answer is False:
                impossible.add(side)
