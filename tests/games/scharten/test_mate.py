"""Could a side still mate (rules 7): the answer is proved, by a line of turns or by leaving nothing out."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given, settings

from games.scharten.asking import in_check
from games.scharten.boards import LOUD, SILENT, board
from games.scharten.games import PICKS, VARIANTS, random_game
from scharten.game.basics import Reason, Side, side_from_word
from scharten.game.flags import parse_flags
from scharten.games.scharten.actions import play
from scharten.games.scharten.board import CODES, KINDS, THROWS, K, Piece, PieceKind
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.geometry import NO_FIELD
from scharten.games.scharten.mate.front import BUDGET, could_mate, helpmate, proved_dead
from scharten.games.scharten.mate.goals import HEAVY_PIECES, goals
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, place_pieces
from scharten.games.scharten.position_text import parse_position
from scharten.games.scharten.status import State, status
from scharten.games.scharten.turns import Turns

HERE = Path(__file__).parent / "mate"
Row = tuple[Position, Side]


def kept(name: str) -> list[Row]:
    rows = []
    for text in (HERE / name).read_text(encoding="utf-8").splitlines():
        position_text, flags, word, _ = text.split("\t")
        options, side = parse_flags(flags, Options), side_from_word(word)
        assert isinstance(options, Options)
        assert side is not None
        position = parse_position(position_text, rules_of(options))
        assert isinstance(position, Position), position
        rows.append((position, side))
    return rows


@pytest.mark.long
def test_the_kept_list_of_true_positions_is_proved_by_lines() -> None:
    """Each kept position has a line of legal turns, replayed by the public rules, that ends in mate by that side."""
    rows = kept("true.tsv")
    assert len(rows) >= 30
    for position, side in rows:
        line = helpmate(position, side)
        assert line is not None, position
        last = position
        for action in line:
            stepped = play(last, action)
            assert isinstance(stepped, Position), stepped
            last = stepped
        assert status(last).state is State.CHECKMATE
        assert last.side is side.other


def test_the_kept_list_of_false_positions_is_proved() -> None:
    """Each kept position comes out as impossible, and no larger search finds a mate there."""
    rows = kept("false.tsv")
    assert len(rows) >= 30
    for position, side in rows:
        assert could_mate(position, side) is False, position
        assert helpmate(position, side, 4 * BUDGET) is None


def standing(held: dict[int, tuple[Side, PieceKind]]) -> Position:
    """Moved pieces on these fields, Black to move, nothing to throw."""
    board = [Piece(*held[field], moved=True) if field in held else None for field in range(80)]
    return place_pieces(rules_of(SILENT), tuple(board), Side.BLACK)


@pytest.mark.long
@pytest.mark.parametrize("minor", [PieceKind.BISHOP, PieceKind.KNIGHT])
def test_no_placement_of_a_lone_minor_piece_is_mate(minor: PieceKind) -> None:
    """King and bishop, or king and knight, against a bare king: no mate on any fields (rules 7, listed material)."""
    mates = 0
    # Without pawns the board looks alike from every sector: the mated king may stand on sector 5.
    for depth, (king, piece) in product(range(4), permutations(range(80), 2)):
        mated = depth * 20 + 5
        if mated in (king, piece):
            continue
        state = standing(
            {
                mated: (Side.BLACK, PieceKind.KING),
                king: (Side.WHITE, PieceKind.KING),
                piece: (Side.WHITE, minor),
            }
        )
        if in_check(state, Side.BLACK) and not in_check(state, Side.WHITE):
            mates += Turns(state).stuck
    assert mates == 0


@pytest.mark.parametrize("men", ["Q", "R", "BB", "NN", "BN"])
def test_every_goal_of_the_search_is_a_mate(men: str) -> None:
    """The patterns that the search steers to are checkmate at each of their 40 places, for such material."""
    codes = [CODES[PieceKind(letter)] for letter in men]
    held = {field: (Side.WHITE, KINDS[code]) for field, code in ((0, K), *enumerate(codes, start=1))}
    fitting = 0
    for goal in goals(standing({**held, 45: (Side.BLACK, PieceKind.KING)}), 0, 500):
        wanted = sorted(want.kinds for want in goal.wants if want.kinds != (K,))
        if not all(code in kinds for code, kinds in zip(sorted(codes), wanted, strict=False)):
            continue
        mate = {goal.king: (Side.BLACK, PieceKind.KING)}
        for want in goal.wants:
            code = next(code for code in (*codes, K) if code in want.kinds)
            mate[want.field] = (Side.WHITE, KINDS[code])
        turns = Turns(standing(mate))
        assert turns.checked
        assert turns.stuck
        fitting += 1
    assert fitting >= 40


@pytest.mark.parametrize(
    ("letter", "growing"), [("B", False), ("N", False), ("P", True), ("Q", True), ("R", True)]
)
def test_goals_are_those_of_the_material(letter: str, growing: bool) -> None:
    """A queen or rook is wanted where the side has one, or a pawn, or throws left; else only minor pieces are."""
    men = {0: (Side.WHITE, PieceKind.KING), 45: (Side.BLACK, PieceKind.KING)}
    silent = standing({**men, 1: (Side.WHITE, PieceKind(letter))})
    loud = silent._replace(rules=rules_of(LOUD))
    still_throwing = loud._replace(placed=(THROWS - 1, THROWS))
    all_thrown = loud._replace(placed=(THROWS, THROWS))
    for position, heavy in ((silent, growing), (still_throwing, True), (all_thrown, growing)):
        for goal in goals(position, 0, 500):
            assert any(want.kinds == HEAVY_PIECES for want in goal.wants) == heavy


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
    assert status(shut_in).state is State.CHECKMATE
    assert could_mate(shut_in, Side.BLACK) is True
    assert helpmate(shut_in, Side.BLACK) == ()
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
    assert could_mate(fewer, Side.BLACK) is False


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
    assert could_mate(position, Side.WHITE) is True
    assert could_mate(position, Side.BLACK) is False
    assert not proved_dead(position)
    assert could_mate(board(BARE, options=LOUD, placed="12/17"), Side.BLACK) is not False


def test_dead_positions_are_proved_dead() -> None:
    """Bare kings with nothing to throw are dead; with a rook on the board they are not."""
    assert proved_dead(board(BARE))
    assert not proved_dead(board(BARE.replace("3  . .", "3  R .")))


def turned(position: Position) -> Position:
    """The half-turn with colours swapped: sectors 10 on, White for Black."""
    cells = [position.piece_at(f // 20 * 20 + (f % 20 + 10) % 20) for f in range(80)]
    swapped = tuple(held and Piece(held.side.other, held.kind, held.moved) for held in cells)
    at = position.ep
    return place_pieces(
        position.rules,
        swapped,
        position.side.other,
        ep=at if at == NO_FIELD else at // 20 * 20 + (at % 20 + 10) % 20,
        placed=position.placed[::-1],
        fouls=position.fouls[::-1],
        clocks=position.clocks,
        move_number=position.move_number,
    )


@settings(max_examples=12, deadline=None)
@given(VARIANTS, PICKS)
def test_answers_never_contradict_each_other(options: Options, picks: list[int]) -> None:
    """The half-turned position with colours swapped may be harder to prove, but never proves the opposite."""
    played = random_game(options, picks)
    if not played or options.foul_limit.white != options.foul_limit.black:
        return
    position = played[-1][2]
    for side in Side:
        answers = {
            could_mate(position, side, 60),
            could_mate(turned(position), side.other, 60),
        }
        assert answers != {True, False}


@pytest.mark.long
@settings(max_examples=12, deadline=None)
@given(VARIANTS, PICKS)
def test_a_turn_never_makes_the_impossible_possible(options: Options, picks: list[int]) -> None:
    """Once a mate by one side is proved impossible, no later position of the game proves it possible."""
    impossible: set[Side] = set()
    for _, _, position in random_game(options, picks)[-4:]:
        for side in Side:
            answer = could_mate(position, side, 60)
            assert not (answer and side in impossible)
            if answer is False:
                impossible.add(side)


@pytest.mark.parametrize(
    "text",
    [
        "16K3/15k4/15q1q2/20 b - 17/17 0/0 0/0 1",
        "9K10/10k9/8q1q9/20 b - 17/17 0/0 0/0 1",
        "7K12/7pk11/7q12/20 b - 17/17 0/0 0/0 1",
    ],
)
def test_a_dead_position_is_proved_with_more_than_two_moves(text: str) -> None:
    """Five legal moves, and after each the little that can follow leads to no mate: the game is over (rules 7)."""
    position = parse_position(text, rules_of(SILENT))
    assert isinstance(position, Position)
    assert status(position).moves > 2
    assert status(position).state is State.ONGOING
    assert proved_dead(position)
    end = SCHARTEN.situation(position, SILENT).end
    assert end is not None and (end.winner, end.reason) == (None, Reason.DEAD_POSITION)
    assert [could_mate(position, side) for side in Side] == [False, False]
