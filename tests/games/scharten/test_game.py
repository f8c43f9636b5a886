"""Scharten asked through the protocol that the referee uses: fields by name, refusals as values."""

from __future__ import annotations

import pytest

from games.scharten.boards import LOUD, board
from scharten.dartboard.beds import parse_bed
from scharten.errors import Problem
from scharten.game.basics import (
    Drop,
    End,
    FieldName,
    Foul,
    Kind,
    LostDart,
    Pass,
    Reason,
    Side,
    move_from_text,
)
from scharten.game.options import FoulLimit
from scharten.game.protocol import Involved, Man
from scharten.games import GAMES, GAMES_BY_KEY
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.games.scharten.position_text import position_text

QUIET = Options(kind=Kind.SILENT)
THROWN = Options()
CHECKED = """
    8  . . . . . k . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . . . . . r . . . .
    2  . . . . . . . . . .
    1  . . . . . K r . . .
       o a b c d e f g h i"""


def effect_of(text: str, position: object, side: Side | None = None) -> tuple[str, str | None, str]:
    """Code, field and action of a dart in this bed when White sits at the 3."""
    bed = parse_bed(text)
    assert bed is not None
    found = SCHARTEN.throws.effect(position, THROWN, bed, 3, side=side)  # type: ignore[arg-type]
    return found.code, found.field, found.action.text


def test_scharten_is_the_first_game_and_is_found_by_its_key() -> None:
    """The table of games holds Scharten under its key, with a ring board of 80 fields."""
    assert GAMES[0] is GAMES_BY_KEY["scharten"] is SCHARTEN
    assert (SCHARTEN.layout.form, len(SCHARTEN.layout.fields)) == ("schartbord", 80)


def test_the_openings_situation() -> None:
    """White begins: the loud king may go to five fields, or a pawn is thrown; the silent opening has no throws."""
    loud = SCHARTEN.situation(SCHARTEN.begin(THROWN), THROWN)
    assert (loud.side, loud.number, loud.check, loud.end, loud.claims) == (Side.WHITE, 1, (), None, ())
    assert loud.moves == ("e1d1", "e1f1", "e1d2", "e1e2", "e1f2")
    assert len(loud.drops) == 35
    silent = SCHARTEN.situation(SCHARTEN.begin(QUIET), QUIET)
    assert (len(silent.moves), silent.drops) == (26, ())


@pytest.mark.parametrize(
    ("bed", "found"),
    [
        ("D7", ("placed", "c1", "@c1")),
        ("D3", ("occupied", "e1", "@-")),
        ("D20", ("outside_zone", "e8", "@-")),
        ("BULL", ("bull", None, "@-")),
        ("25", ("bull", None, "@-")),
        ("MISS", ("off_board", None, "@-")),
    ],
)
def test_what_a_dart_does(bed: str, found: tuple[str, str | None, str]) -> None:
    """Rules 6: in the own zone on a free field it places, anywhere else it is lost, each place by its name."""
    assert effect_of(bed, SCHARTEN.begin(THROWN)) == found


def test_a_dart_is_judged_for_either_side() -> None:
    """The other side's dart is judged by its own zone; with all pieces thrown a side has none."""
    opening = SCHARTEN.begin(THROWN)
    assert effect_of("D20", opening, Side.BLACK)[0] == "occupied"
    assert effect_of("D1", opening, Side.BLACK) == ("placed", "d8", "@d8")
    done = board(CHECKED.replace("r", "."), options=LOUD, placed="17/17")
    assert effect_of("D1", done, Side.BLACK)[0] == "outside_zone"


def test_a_dart_that_does_not_end_the_check_loses_at_once() -> None:
    """Rules 6: in check only a saving field counts; the lost dart leaves the position as it was."""
    position = board(CHECKED, options=LOUD, placed="0/2")
    assert SCHARTEN.situation(position, THROWN).check == ("e1",)
    assert effect_of("D7", position)[0] == "missed_in_check"
    lost = SCHARTEN.play(position, LostDart(Foul.MISSED_IN_CHECK), THROWN)
    assert not isinstance(lost, Problem)
    assert (lost.position, lost.end) == (position, End(Side.BLACK, Reason.MISSED_IN_CHECK))


def test_fogling_loses_and_is_a_draw_where_the_other_cannot_mate() -> None:
    """Rules 6: the third lost dart in a row loses, but a lone king against two cannot win by it."""
    strict = Options(foul_limit=FoulLimit(white=1, black=3))
    opening = SCHARTEN.begin(strict)
    lost = SCHARTEN.play(opening, LostDart(Foul.OFF_BOARD), strict)
    assert not isinstance(lost, Problem) and lost.end == End(Side.BLACK, Reason.FOGLING)
    bare = board(CHECKED.replace("r", "."), options=strict, placed="16/17")
    drawn = SCHARTEN.play(bare, LostDart(Foul.OFF_BOARD), strict)
    assert not isinstance(drawn, Problem) and drawn.end == End(None, Reason.FOGLING)


def test_when_nothing_is_thrown() -> None:
    """A silent game and a side that has thrown all its pieces are two reasons, in words."""
    silent = SCHARTEN.throws.refusal(SCHARTEN.begin(QUIET), QUIET)
    assert silent is not None and (silent.code, silent.words) == (
        "silent_game",
        "nothing is thrown in a silent game",
    )
    done = board(CHECKED.replace("r", "."), options=LOUD, placed="17/16")
    empty = SCHARTEN.throws.refusal(done, THROWN)
    assert empty is not None and (empty.code, empty.words) == (
        "no_pieces_left",
        "white has no pieces left to throw",
    )
    assert SCHARTEN.throws.refusal(SCHARTEN.begin(THROWN), THROWN) is None


def test_turns_are_played_written_and_refused_by_name() -> None:
    """A move, a placed piece and a lost dart have their notation; an illegal move its code and figures."""
    opening = SCHARTEN.begin(THROWN)
    placed = SCHARTEN.play(opening, Drop(FieldName("c2")), THROWN)
    assert not isinstance(placed, Problem) and placed.details == {"piece": "P"}
    assert SCHARTEN.write(opening, Drop(FieldName("c2")), THROWN) == "@c2"
    assert SCHARTEN.write(opening, LostDart(Foul.BULL, bed="25"), THROWN) == "@- {25}"
    assert SCHARTEN.write(opening, move_from_text("e1d2"), THROWN) == "Kd2"
    refused = SCHARTEN.play(opening, move_from_text("e1e3"), THROWN)
    assert isinstance(refused, Problem) and (refused.code, refused.args["move"]) == ("not_a_move", "e1e3")
    passed = SCHARTEN.play(opening, Pass(), THROWN)
    assert isinstance(passed, Problem)
    assert SCHARTEN.explain(opening, move_from_text("e1e3"), THROWN).args["reason"] == "castling"
    assert not SCHARTEN.explain(opening, move_from_text("z9e3"), THROWN).legal


def test_who_stands_where_and_what_a_move_touches() -> None:
    """Men by name; a capture names the captured man's field, castling its rook's."""
    position = board(
        """
        8  . . . . . k . . . .
        2  . . . . . . p . . .
        1  . . . . . K* . . R* .
           o a b c d e f g h i""",
    )
    assert SCHARTEN.man_at(position, FieldName("h1")) == Man(Side.WHITE, "R")
    assert SCHARTEN.man_at(position, FieldName("a1")) is None
    assert SCHARTEN.involved(position, move_from_text("e1f2"), QUIET) == Involved(captured=FieldName("f2"))
    assert SCHARTEN.involved(position, move_from_text("e1g1"), QUIET) == Involved(rook=FieldName("h1"))


def test_reading_refuses_what_cannot_be_played_on() -> None:
    """Reading returns the written position, and refuses a game ended by lost darts, naming the part."""
    opening = SCHARTEN.begin(THROWN)
    text = SCHARTEN.situation(opening, THROWN).text
    assert SCHARTEN.read(text, THROWN) == opening
    over = SCHARTEN.read(text.replace("0/0 0/0 1", "3/0 0/0 1"), THROWN)
    assert isinstance(over, Problem) and (over.code, over.args["part"]) == ("fouls", "FOULS")


def test_ends_and_claims() -> None:
    """The 50-count opens a claim, the 75-count ends the game; bare kings are dead before either."""
    opening = SCHARTEN.begin(QUIET)
    for clocks, end, claims in (
        ("99/149", None, ()),
        ("100/149", None, (Reason.FIFTY_MOVES,)),
        ("100/150", End(None, Reason.SEVENTY_FIVE_MOVES), (Reason.FIFTY_MOVES,)),
    ):
        text = position_text(opening).replace("0/0 0/0 1", f"0/0 {clocks} 1")
        position = SCHARTEN.read(text, QUIET)
        assert not isinstance(position, Problem)
        found = SCHARTEN.situation(position, QUIET)
        assert (found.end, found.claims) == (end, claims)
    bare = board(CHECKED.replace("r", "."))
    assert SCHARTEN.situation(bare, QUIET).end == End(None, Reason.DEAD_POSITION)


def test_counting_and_state_as_on_the_command_line() -> None:
    """Rules 11: the leaves after two turns, and the line on a position."""
    opening = SCHARTEN.begin(THROWN)
    assert SCHARTEN.count(opening, THROWN, 1) == 40
    assert SCHARTEN.status(opening, THROWN) == "check=0 moves=5 placements=35 state=ongoing"
    assert SCHARTEN.status(SCHARTEN.begin(QUIET), QUIET).startswith("check=0 moves=26")


def test_what_a_display_sees_of_the_opening() -> None:
    """The snapshot's `shown`: fouls, the next piece, how many are left, the zone and who has not moved."""
    shown = SCHARTEN.shown(SCHARTEN.begin(THROWN), THROWN)
    assert shown["fouls"] == {"white": 0, "black": 0}
    assert shown["next"] == {"white": "P", "black": "P"}
    assert shown["to_throw"] == {"white": 17, "black": 17}
    assert shown["unmoved"] == ["e1", "e8"]
    assert (shown["protected"], shown["must_throw"], shown["checkers"]) == ([], False, [])
    zone = shown["zone"]
    assert isinstance(zone, list) and len(zone) == 36
