"""How games end (rules 6, 7): fouls, mate with throws counted, draws on the board, claims, flags, resignation."""

from __future__ import annotations

import pytest

from games.scharten.boards import LOUD, board
from match.driver import Table
from scharten.games.scharten.board import bed_of, parse_field
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import position_text

# White mates with Rg1 beside Ke1 (rules 4): black Kf1, white Ke1 and Rg1, Black to move (§8, figure 4).
FIGURE_4 = board("""
    8  . . . . . . . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . . . . . . . . . .
    2  . . . . . . . R . .
    1  . . . . . K k . . .
""")  # fmt: skip
KINGS_AND_PAWN = board("""
    8  . . . . . k . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . . . . . . . . . .
    2  . . . . . P . . . .
    1  . . . . . K . . . .
""")  # fmt: skip
LONE_TAKER = board("""
    8  . . . . . k . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . . . . . . . . . .
    2  . . . . . K p . . .
    1  . . . . . . . . . .
""")  # fmt: skip
SHUTTLE = ("e1d1", "e8d8", "d1e1", "d8e8")


def silent(position: Position | None = None, **game: object) -> Table:
    table = Table(kind="silent", **game)
    if position is not None:
        table.set_up(position)
    return table


def test_three_lost_darts_in_a_row_lose_and_correcting_the_last_undoes_it() -> None:
    """Fogling: announced fouls count up to the limit; correcting the last dart to another bed reopens the game."""
    table = Table()
    for n in range(3):
        table.throw("MISS")
        assert table.match.position.fouls[0] == n + 1
        if n < 2:
            table.move(("e8d8", "d8e8")[n])
    assert table.ended == ("0-1", "fogling")
    assert table.match.phase.name == "finished"
    table.ok("correct", bed="F3")
    assert table.ended == (None, None)
    assert table.match.phase.name == "turn"
    assert table.match.turns[-1].text == "@e2"
    assert table.match.position.fouls == (0, 0)
    assert table.match.side.word == "black"
    table.throw("F20")
    assert table.match.turns[-1].text == "@e7"


def test_fogling_against_a_side_that_cannot_mate_is_a_draw() -> None:
    """Black has a lone king and no pieces to throw, so White's lost darts cost only half a point."""
    table = Table(foul_limit={"white": 1, "black": 1})
    table.ok("set_position", "arbiter", position=position_text(KINGS_AND_PAWN).replace("17/17", "16/17"))
    table.throw("MISS")
    assert table.ended == ("½-½", "fogling")


def test_fouls_in_a_row_restart_after_a_move_or_a_placed_piece() -> None:
    """A completed move or a placed piece restarts the count."""
    for between in (lambda table: table.move("e1d1"), lambda table: table.throw("F2")):
        table = Table()
        for n in range(2):
            table.throw("MISS")
            table.move(("e8d8", "d8e8")[n])
        between(table)
        table.move("e8d8")
        table.throw("MISS")
        assert table.ended == (None, None)
        assert table.match.position.fouls[0] == 1


def test_each_player_has_a_personal_limit() -> None:
    """With limits of 1 and 5 White loses by the first lost dart, Black by the fifth."""
    table = Table(foul_limit={"white": 1, "black": 5})
    table.throw("MISS")
    assert table.ended == ("0-1", "fogling")
    other = Table(foul_limit={"white": 1, "black": 5}, arming="auto", settle_ms=0)
    for n in range(5):
        other.move(("e1d1", "d1e1")[n % 2])
        assert other.ended == (None, None)
        other.hit("MISS")
    assert other.ended == ("1-0", "fogling")


def test_checkmate_ends_the_game() -> None:
    """Figure 4 of the source: the rook on g1 mates beside a king that has no support to capture it."""
    table = silent(FIGURE_4)
    table.move("g2g1")
    assert table.ended == ("1-0", "checkmate")
    assert table.match.turns[-1].text == "Rg1#"


def test_a_mate_stands_until_a_turn_is_taken_back() -> None:
    """The referee adds no dart to a game that ended on the board."""
    table = Table()
    table.set_up(FIGURE_4)
    table.move("g2g1")
    answer = table.command("add_dart", bed="F3")
    assert (answer["code"], answer["args"]["why"]) == ("not_allowed", "over")
    table.ok("take_back", turns=1)
    assert table.ended == (None, None)


# Black has no move. A piece thrown into the Qo8's path along the double ring could end its check.
IN_CHECK = """
    8  Q . . . . . . . . .
    7  P . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  P . . . . . . R* . .
    2  . . . . . . . . . N
    1  . . . . . . . . k K
"""


def test_a_check_that_a_throw_could_end_is_not_mate() -> None:
    """With pieces left Black must throw: a saving dart continues the game, any other loses. With none left it
    is mate."""
    for act, ended in (
        (lambda table: table.throw("MISS"), ("1-0", "missed_in_check")),
        (
            lambda table: table.throw(str(bed_of(parse_field(table.match.situation.drops[0]), 3))),
            (None, None),
        ),
    ):
        table = Table()
        table.set_up(board(IN_CHECK, "b", LOUD, placed="17/11"))
        assert table.match.situation.moves == ()
        assert table.ended == (None, None)
        act(table)
        assert table.ended == ended
    mated = Table()
    mated.set_up(board(IN_CHECK, "b", LOUD))
    assert mated.ended == ("1-0", "checkmate")


# Black, not in check, has no move: his king is trapped on the double ring.
HEMMED_IN = """
    8  . . . . N k N . . .
    7  . . . . . B . P . .
    6  . . . K P . . . . .
    5  . P . . . . . . . .
    4  . . . . . . . . . .
    3  . . . . . . . . . .
    2  . . . . . . . . . .
    1  . . . . . . . . . .
"""


def test_stalemate_is_a_draw_unless_the_side_can_throw() -> None:
    """With all pieces placed the game is over. With a piece left the side must throw, even if only to lose
    the dart."""
    table = silent(board(HEMMED_IN, "b"))
    assert table.ended == ("½-½", "stalemate")
    loud = Table()
    loud.set_up(board(HEMMED_IN, "b", LOUD, placed="17/16"))
    assert loud.ended == (None, None)
    assert loud.match.situation.moves == ()
    loud.throw("MISS")
    assert loud.match.turns[-1].foul == "off_board"


def test_a_dead_position_is_a_draw() -> None:
    """King against king: neither side can mate."""
    table = silent(LONE_TAKER)
    table.move("e2f2")
    assert table.ended == ("½-½", "dead_position")


FORCED = """
    8  . . . . . . . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . Q . . . .
    4  . . . . k . . . . .
    3  . . . . K . . . . .
    2  . . . . . . . . . .
    1  . . . . . . . . . .
"""


def test_a_forced_draw_is_a_draw_at_once() -> None:
    """Black's only move takes the queen and leaves king against king: the position is proved dead."""
    table = silent(board(FORCED, "b"))
    assert len(table.match.situation.moves) == 1
    assert table.ended == ("½-½", "dead_position")


def test_the_same_position_five_times_is_a_draw_and_three_times_a_claim() -> None:
    """The player to move may claim at the third time; without a claim the fifth ends the game."""
    table = silent(KINGS_AND_PAWN)
    table.move(*SHUTTLE)
    assert table.refused("claim_draw", rule="repetition") == "not_allowed"
    table.move(*SHUTTLE)
    claimed = silent(KINGS_AND_PAWN)
    claimed.move(*SHUTTLE, *SHUTTLE)
    claimed.ok("claim_draw", "seat1", rule="repetition")
    assert claimed.ended == ("½-½", "repetition")
    table.move(*SHUTTLE)
    assert table.ended == (None, None)
    table.move(*SHUTTLE)
    assert table.ended == ("½-½", "repetition")


def test_a_claim_may_name_the_move_that_makes_it_true() -> None:
    """The stated move brings the position for the third time. The claim succeeds, and the move is not played."""
    table = silent(KINGS_AND_PAWN)
    table.move(*SHUTTLE, *SHUTTLE[:3])
    table.ok("claim_draw", rule="repetition", move="d8e8")
    assert table.ended == ("½-½", "repetition")
    assert len(table.match.turns) == 7


def test_a_wrong_claim_with_a_stated_move_plays_it() -> None:
    """The claim is refused, and the move stands on the sheet."""
    table = silent(KINGS_AND_PAWN)
    answer = table.command("claim_draw", rule="repetition", move="e1d1")
    assert (answer["accepted"], answer["code"]) == (False, "not_allowed")
    assert answer["args"]["played"] == "e1d1"
    assert table.match.turns[-1].short == "e1d1"
    assert table.refused("claim_draw", rule="fifty_moves", move="e8e1") == "illegal"


def _counted(fifty: int, seventy_five: int) -> str:
    return position_text(KINGS_AND_PAWN).replace("0/0 0/0 1", f"0/0 {fifty}/{seventy_five} 80")


def test_fifty_moves_are_claimed_and_seventy_five_end_the_game() -> None:
    """Half-moves 99 → 100 make the claim succeed; 149 → 150 of the other count end the game; a pawn move
    clears both."""
    table = silent()
    table.ok("set_position", "arbiter", position=_counted(99, 99))
    assert table.refused("claim_draw", rule="fifty_moves") == "not_allowed"
    table.move("e1d1")
    table.ok("claim_draw", rule="fifty_moves")
    assert table.ended == ("½-½", "fifty_moves")
    auto = silent()
    auto.ok("set_position", "arbiter", position=_counted(149, 149))
    auto.move("e1d1")
    assert auto.ended == ("½-½", "seventy_five_moves")
    pawn = silent()
    pawn.ok("set_position", "arbiter", position=_counted(149, 149))
    pawn.move("e2e3")
    assert pawn.ended == (None, None)


def test_a_lost_dart_counts_for_fifty_and_clears_seventy_five() -> None:
    """Any thrown dart restarts the 75-count, but only a placed piece restarts the 50-count."""
    table = Table()
    table.ok("set_position", "arbiter", position=_counted(98, 148).replace("17/17", "1/0"))
    table.throw("MISS")
    assert table.match.position.clocks == (99, 0)
    table.throw("MISS")
    assert table.match.position.clocks == (100, 0)
    table.throw("F2")
    assert table.match.position.clocks == (0, 0)


def test_either_side_may_resign_at_any_time() -> None:
    """A side may resign out of turn, while paused, and by its seat or named at the shared table."""
    table = Table()
    table.ok("resign", "seat2")
    assert table.ended == ("1-0", "resignation")
    paused = Table()
    paused.ok("pause")
    paused.ok("resign", side="white")
    assert paused.ended == ("0-1", "resignation")
    assert Table().refused("resign") == "malformed"


def test_resigning_against_a_side_that_cannot_mate_draws() -> None:
    """A lone king cannot mate a king and pawn by any series of moves."""
    table = silent(KINGS_AND_PAWN)
    table.ok("resign", side="white")
    assert table.ended == ("½-½", "resignation")


def test_a_draw_is_agreed_when_the_other_accepts() -> None:
    """Either side offers; only the other side accepts."""
    table = Table()
    table.ok("offer_draw", "seat1")
    assert table.match.draw_offer is not None
    assert table.refused("answer_draw", "seat1", accept=True) == "not_allowed"
    assert table.refused("offer_draw", "seat1") == "not_allowed"
    table.ok("answer_draw", "seat2", accept=True)
    assert table.ended == ("½-½", "agreement")
    both = Table()
    both.ok("offer_draw", side="white")
    both.ok("offer_draw", side="black")
    assert both.ended == ("½-½", "agreement")


def test_a_refusal_a_move_or_a_dart_declines_a_draw() -> None:
    """The offer stands after the offerer's move, with the mark on the sheet. The other side's turn declines it."""
    table = Table()
    assert table.refused("answer_draw", accept=True) == "not_allowed"
    table.ok("offer_draw", side="black")
    table.ok("answer_draw", accept=False)
    assert table.match.draw_offer is None
    table.ok("offer_draw", side="white")
    table.move("e1d1")
    assert table.match.turns[-1].text == "Kd1 (=)"
    assert table.match.draw_offer is not None
    table.throw("MISS")
    assert table.match.draw_offer is None


def test_an_offer_after_the_move_is_written_with_that_move() -> None:
    """Every sheet has the mark after the move with the offer, also when the offer came a moment later."""
    table = Table()
    table.move("e1d1")
    table.ok("offer_draw", side="white")
    assert [turn.text for turn in table.match.turns] == ["Kd1 (=)"]
    table.ok("answer_draw", side="black", accept=False)
    table.throw("MISS")
    table.move("d1e1")
    assert [turn.text.endswith("(=)") for turn in table.match.turns] == [True, False, False]


@pytest.mark.parametrize(
    ("sent", "result"),
    [
        ("1-0", "1-0"),
        ("0-1", "0-1"),
        ("1/2-1/2", "½-½"),
        ("½-½", "½-½"),
        ("0-0", "0-0"),
        ("1/2-0", "½-0"),
        ("0-½", "0-½"),
    ],
)
def test_the_arbiter_decides(sent: str, result: str) -> None:
    """Every result of rules 7, and null to reopen the game."""
    table = Table()
    table.ok("set_result", "arbiter", result=sent)
    assert table.ended == (result, "arbiter")
    table.ok("set_result", "arbiter", result=None)
    assert table.ended == (None, None)
    assert table.match.phase.name == "turn"


def test_a_position_with_other_fouls_is_not_a_repetition() -> None:
    """A loud game's position repeats only with equal FOULS and PLACED."""
    table = Table(arming="auto", settle_ms=0)
    table.move(*SHUTTLE)
    table.hit("MISS")
    table.hit("MISS")
    table.move(*SHUTTLE)
    assert table.refused("claim_draw", rule="repetition") == "not_allowed"
    assert LOUD.kind == "loud"
