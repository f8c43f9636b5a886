"""Any correction leaves the state of a game played with the corrected turns; one test per former fault."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.scharten.boards import LOUD, board
from match.driver import Table
from match.random_inputs import Intent, as_input, intents
from scharten.game.basics import LostDart, Move
from scharten.games import GAMES_BY_KEY
from scharten.journal.sheets import sheet_text
from scharten.match.phases import Deciding, Finished, Setup
from scharten.match.referee import begin, begun_by, digest, step
from scharten.match.settings import Start
from scharten.match.state import Match

CHECKED = board("""
    8  . . . . . k . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . P K . . r .
    3  . . . . . . . . . .
    2  . . . . . . . . . .
    1  . . . . . . . . . .
""", options=LOUD, placed="1/12")  # fmt: skip
# Rg1 is mate: the black king on f1 stands beside the white one.
MATE = board("""
    8  . . . . . . . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . . . . . . . R . .
    2  . . . . . . . . . .
    1  . . . . . K k . . .
""")  # fmt: skip


def lost(limit: int) -> Table:
    """Return a game that White has just lost by darts."""
    table = Table(arming="auto", settle_ms=0, foul_limit={"white": limit, "black": limit})
    for n in range(limit):
        table.hit("MISS")
        if n + 1 < limit:
            table.hit("F20")
    assert table.ended == ("0-1", "fogling")
    return table


def test_a_dart_is_not_added_to_a_game_that_lost_darts_ended() -> None:
    """The losing dart must be taken back first; the fouls stay at the limit and the winner stays."""
    for limit in (1, 3):
        table = lost(limit)
        before = digest(table.match)
        answer = table.command("add_dart", bed="F3")
        assert (answer["code"], answer["args"]["why"]) == ("not_allowed", "over")
        assert digest(table.match) == before
        sides = [turn.side for turn in table.match.turns]
        assert all(side is not next_side for side, next_side in pairwise(sides))
        assert sheet_text(table.match, "en").rstrip().endswith("}")
        table.ok("take_back", turns=1)
        table.ok("add_dart", bed="F3")
        assert table.match.turns[-1].text == "@e2"
        assert table.match.position.fouls[0] == 0


def test_an_end_on_the_sheet_is_not_lifted_by_a_result_of_null() -> None:
    """An end by a missed dart in check, lost darts or mate needs a take-back; null lifts only a ruling."""
    missed = Table(arming="auto", settle_ms=0)
    missed.set_up(CHECKED)
    missed.hit("MISS")
    assert missed.ended == ("0-1", "missed_in_check")
    mated = Table(kind="silent")
    mated.set_up(MATE)
    mated.move("g3g1")
    for table in (missed, mated, lost(3)):
        ended = table.ended
        answer = table.command("set_result", "arbiter", result=None)
        assert (answer["code"], answer["args"]["why"]) == ("not_allowed", "over")
        table.ok("set_result", "arbiter", result="1/2-1/2")
        assert table.ended == ("½-½", "arbiter")
        table.ok("set_result", "arbiter", result=None)
        assert table.ended == ended
    given_up = Table()
    given_up.ok("resign", side="white")
    given_up.ok("set_result", "arbiter", result=None)
    assert (given_up.ended, given_up.match.phase.name) == ((None, None), "turn")


def test_a_claim_with_a_move_waits_for_a_dart_in_doubt() -> None:
    """The claim is refused, with or without a move; the dart and its question stay."""
    table = Table(arming="auto", settle_ms=0)
    table.hit("F3")
    table.hit("F20")
    table.hit("S17")
    for fields in ({"move": "e1d1"}, {}):
        answer = table.command("claim_draw", rule="repetition", **fields)
        assert (answer["code"], answer["args"]["why"]) == ("wrong_phase", "question_open")
        assert table.match.question is not None
    assert len(table.match.turns) == 2
    table.ok("choose_bed", bed="F17")
    assert table.match.turns[-1].text == "@f2"


def test_a_claim_whose_stated_move_mates_is_a_win() -> None:
    """Mate comes before a draw (§8), also where the claim would succeed."""
    table = Table(kind="silent")
    table.ok("set_position", "arbiter", position=table_text(MATE, clocks="99/99"))
    answer = table.command("claim_draw", rule="fifty_moves", move="g3g1")
    assert answer["accepted"]
    assert table.ended == ("1-0", "checkmate")
    assert table.match.turns[-1].text.endswith("#")


def table_text(position: object, clocks: str) -> str:
    parts = GAMES_BY_KEY["scharten"].situation(position, Table(kind="silent").match.options).text.split(" ")
    parts[5] = clocks
    return " ".join(parts)


class TestTheDartsForWhite:
    """The darts for White can be corrected until a turn is completed."""

    def decided(self, **game: object) -> Table:
        table = Table(white_by="dart", **game)
        table.hit("D20")
        table.hit("BULL")
        assert table.match.white == "seat2"
        return table

    def test_the_deciding_dart_is_corrected(self) -> None:
        """The other seat has White, or both throw again; a pause remains a pause."""
        for arming in ("announce", "auto"):
            table = self.decided(arming=arming)
            table.ok("correct", bed="MISS")
            assert (table.match.white, table.match.turns) == ("seat1", ())
            table.ok("correct", bed="D3")
            assert isinstance(table.match.phase, Deciding)
            assert table.match.clock is None
            table.hit("T20")
            table.hit("F20")
            assert table.match.white == "seat1"
            table.ok("pause")
            table.ok("correct", bed="BULL")
            assert (table.match.phase.name, table.match.white) == ("paused", "seat2")

    def test_the_deciding_dart_is_deleted_and_thrown_again(self) -> None:
        """delete_dart and take_back return to the darts for White. add_dart then counts for White, not as a turn."""
        for type, fields in (("delete_dart", {}), ("take_back", {"turns": 1})):
            table = self.decided()
            table.ok(type, **fields)
            assert isinstance(table.match.phase, Deciding)
            assert [str(dart.bed) for dart in table.match.toss.darts] == ["D20"]
            table.ok("add_dart", bed="MISS")
            assert (table.match.white, table.match.turns) == ("seat1", ())

    def test_no_dart_is_added_while_a_dart_for_white_is_in_the_board(self) -> None:
        """After the takeout an added dart is White's first turn."""
        table = self.decided()
        answer = table.command("add_dart", bed="MISS")
        assert (answer["code"], answer["args"]["why"]) == ("not_allowed", "dart_for_white")
        table.ok("ready")
        table.ok("add_dart", bed="F3")
        assert [turn.text for turn in table.match.turns] == ["@e2"]

    def test_the_darts_for_white_stand_after_a_turn(self) -> None:
        """Then `correct` refers to the game's last dart, and a take-back leaves the colours."""
        table = self.decided()
        table.ok("ready")
        table.move("e1d1")
        assert table.refused("correct", bed="MISS") == "not_allowed"
        table.ok("take_back", turns=1)
        assert table.match.white == "seat2"


def test_a_repeated_new_game_after_a_restart_gets_its_first_answer() -> None:
    """The repeated command begins no game: the journal keeps the answer with the game's start."""
    table = Table(begin=False)
    first = table.command("new_game", names={"white": "Ann"})
    order = table.inputs[-1]
    start = Start.model_validate_json(table.match.start.model_dump_json())
    begun = begun_by(begin(start, GAMES_BY_KEY), order)
    assert digest(begun) == digest(table.match)
    repeated, events = step(begun, order)
    assert repeated == begun
    assert [dict(event.body) for event in events] == [first]


PLENTY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.long
@PLENTY
@given(
    st.lists(intents(), min_size=10, max_size=60),
    st.sampled_from([1, 2, 3]),
    st.sampled_from(["agreed", "dart"]),
)
def test_the_state_equals_a_game_of_the_turns_on_the_sheet(
    evening: list[Intent], limit: int, white_by: str
) -> None:
    """After any inputs in any order position, side, fouls and result follow from the turns; the sides alternate."""
    table = Table(arming="auto", settle_ms=0, foul_limit={"white": limit, "black": limit}, white_by=white_by)
    match, t = table.match, table.t
    for n, intent in enumerate(evening):
        t += intent.elapsed_ms
        match, _ = step(match, as_input(intent, match, t, n))
        if match.game.key != "scharten":
            break  # in other games a lost dart in check leaves the turn with the thrower
        if isinstance(match.stable_phase, Setup | Deciding):
            assert not match.turns
            continue
        _agrees(match)


def _agrees(match: Match) -> None:
    sides = [turn.side for turn in match.turns]
    assert all(side is not next_side for side, next_side in pairwise(sides))
    game = json.loads(match.options.model_dump_json())
    table = Table(**{**game, "white_by": "agreed", "arming": "auto", "settle_ms": 0, "touch_move": "off"})
    table.ok("set_position", "arbiter", position=match.opening.situation.text)
    for turn in match.turns:
        assert table.match.under_way, turn
        if isinstance(turn.action, Move):
            table.ok("move", move=turn.action.text)
        else:
            bed = "MISS" if turn.bed is None else str(turn.bed)
            table.ok("add_dart", bed=bed)
            assert isinstance(table.match.turns[-1].action, LostDart) == isinstance(turn.action, LostDart)
    assert table.match.situation.text == match.situation.text
    assert table.match.side is match.side
    by_turns = table.ended
    if by_turns != (None, None):
        assert isinstance(match.stable_phase, Finished)
        ruled = match.reason in ("arbiter", "resignation", "agreement", "flag")
        assert (match.result, match.reason) == by_turns or ruled
