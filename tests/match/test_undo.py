"""Corrections: correct, delete and add darts, take turns back, answer questions."""

from __future__ import annotations

import pytest

from match.driver import Table
from scharten.games.scharten.position_text import LOUD_OPENING

CLOCK = {"stages": [{"moves": None, "seconds": 600}], "increment_s": 5}


def test_the_last_dart_is_judged_again_in_another_bed() -> None:
    """A pawn on e2 becomes a pawn on f2, a lost dart, and a pawn again, without traces of the others."""
    table = Table()
    table.throw("F3")
    for bed, text in (("F17", "@f2"), ("F20", "@- {F20}"), ("F3", "@e2")):
        table.ok("correct", bed=bed)
        assert [turn.text for turn in table.match.turns] == [text]
        assert table.match.side.word == "black"
    assert table.match.position.fouls == (0, 0)
    assert table.match.position.placed == (1, 0)


def test_a_dart_with_turns_after_it_is_not_corrected() -> None:
    """The refusal gives the number of turns to take back first."""
    table = Table()
    assert table.refused("correct", bed="F2") == "not_allowed"
    table.throw("F3")
    table.move("e8d8", "e1d1")
    answer = table.command("correct", bed="F17")
    assert (answer["code"], answer["args"]["turns"]) == ("not_allowed", 2)
    assert "take back 2 turns first" in answer["words"]
    assert table.refused("delete_dart") == "not_allowed"
    table.ok("take_back", turns=2)
    table.ok("correct", bed="F17")
    assert table.match.turns[-1].text == "@f2"


def test_a_deleted_dart_gives_the_turn_back() -> None:
    """The thrower may move or throw again."""
    table = Table()
    table.throw("MISS")
    table.ok("delete_dart")
    assert table.text == LOUD_OPENING
    assert table.match.turns == ()
    assert table.match.phase.name == "turn"


def test_an_added_dart_counts_for_the_side_to_move() -> None:
    """Announced or not, the dart counts; it is refused where no throw is possible."""
    table = Table()
    table.ok("add_dart", bed="F3")
    table.ok("announce_throw")
    table.ok("add_dart", bed="F20")
    assert [turn.text for turn in table.match.turns] == ["@e2", "@e7"]
    assert table.match.phase.name == "turn"
    assert Table(kind="silent").refused("add_dart", bed="F3") == "not_allowed"


def test_turns_are_taken_back_one_or_many() -> None:
    """Position, sheet, side and fouls are restored; taking back more turns than were played is refused."""
    table = Table()
    states = [table.text]
    for act in (
        lambda: table.throw("F3"),
        lambda: table.throw("MISS"),
        lambda: table.move("e1d1"),
        lambda: table.throw("MISS"),
    ):
        act()
        states.append(table.text)
    assert table.refused("take_back", turns=5) == "not_allowed"
    table.ok("take_back", turns=1)
    assert table.text == states[3]
    table.ok("take_back", turns=3)
    assert table.text == states[0]


def test_a_finished_game_opens_again() -> None:
    """A finished game reopens when its end is taken back or deleted, or when a dart is added after a resignation."""
    for type, fields in (("take_back", {"turns": 1}), ("delete_dart", {}), ("correct", {"bed": "F3"})):
        table = Table(foul_limit={"white": 1, "black": 1})
        table.throw("MISS")
        assert table.ended == ("0-1", "fogling")
        table.ok(type, **fields)
        assert table.ended == (None, None)
        assert table.match.phase.name == "turn"
    table = Table()
    table.throw("F3")
    table.ok("resign", side="black")
    table.ok("add_dart", bed="F20")
    assert table.ended == (None, None)
    assert len(table.match.turns) == 2


def test_correcting_a_dart_that_still_loses_ends_the_game_again() -> None:
    """Another bed outside the zone is another lost dart."""
    table = Table(foul_limit={"white": 1, "black": 1})
    table.throw("MISS")
    table.ok("correct", bed="F20")
    assert table.ended == ("0-1", "fogling")
    assert table.match.turns[-1].foul == "outside_zone"


def test_a_correction_in_a_pause_keeps_the_pause() -> None:
    """After `resume` the right side is to move."""
    for type, fields, side in (
        ("correct", {"bed": "F17"}, "black"),
        ("take_back", {"turns": 1}, "white"),
        ("delete_dart", {}, "white"),
        ("add_dart", {"bed": "F20"}, "white"),
    ):
        table = Table(begin=False)
        table.ok("new_game", clock=CLOCK)
        table.throw("F3")
        table.ok("pause")
        table.ok(type, **fields)
        assert table.match.phase.name == "paused"
        assert table.match.clock.running is None
        table.ok("resume")
        assert table.match.phase.name == "turn"
        assert (table.match.side.word, table.match.clock.running.word) == (side, side)


def test_used_time_stays_used() -> None:
    """A take-back does not return the time, but removes the turn's increment; the clock runs for the side to move."""
    table = Table(begin=False)
    table.ok("new_game", clock=CLOCK)
    table.t += 99_990
    table.move("e1d1")
    clock = table.match.clock
    assert (clock.white.left_ms, clock.running.word) == (505_000, "black")
    table.t += 49_990
    table.ok("take_back", turns=1)
    clock = table.match.clock
    assert (clock.white.left_ms, clock.black.left_ms) == (500_000, 550_000)
    assert (clock.white.turns, clock.running.word) == (0, "white")


def test_correcting_leaves_the_opponent_s_clock_running() -> None:
    """The time of the dart stays; only its bed changes."""
    table = Table(begin=False)
    table.ok("new_game", clock=CLOCK)
    table.throw("F3")
    before = table.match.clock
    table.t += 29_990
    table.ok("correct", bed="F17")
    clock = table.match.clock
    assert clock.running is before.running
    assert clock.white.left_ms == before.white.left_ms
    assert clock.white.turns == before.white.turns == 1


def test_in_auto_a_corrected_dart_may_be_taken_out_first() -> None:
    """A dart still in the board gives contacts that do not count; after settling a correction needs no wait."""
    table = Table(arming="auto", settle_ms=1500)
    table.hit("F3")
    table.ok("correct", bed="F17")
    assert (table.match.phase.name, table.due) == ("settling", 1500)
    table.ok("delete_dart")
    assert table.match.phase.name == "settling"
    assert table.hit("F17", later_ms=100) == "still_settling"
    table.wait()
    table.hit("F3")
    table.wait()
    table.ok("correct", bed="F17")
    assert table.match.phase.name == "turn"


def test_the_undo_button_asks_first() -> None:
    """Only take_back takes the turn back; choose_bed with null refuses."""
    table = Table()
    table.press("undo")
    assert (table.match.question, table.message) == (None, "nothing_to_take_back")
    table.throw("F3")
    table.press("undo")
    assert table.match.question.code == "take_back"
    assert len(table.match.turns) == 1
    assert table.refused("choose_bed", bed="F3") == "not_allowed"
    table.ok("choose_bed", bed=None)
    assert table.match.question is None
    table.press("undo")
    table.ok("take_back", turns=1)
    assert table.match.turns == ()
    assert table.match.question is None


@pytest.mark.parametrize(("bed", "text"), [("MISS", "@-"), ("F3", "@e2"), (None, None)])
def test_the_miss_button_before_an_announcement_asks(bed: str | None, text: str | None) -> None:
    """A person answers: a lost dart, a dart in a bed, or no dart."""
    table = Table()
    table.press("miss")
    assert table.match.question.code == "lost_dart"
    table.ok("choose_bed", bed=bed)
    assert [turn.text for turn in table.match.turns] == ([text] if text else [])
    assert table.match.question is None
    if bed == "MISS":
        assert table.match.turns[-1].foul == "declared"


def test_buttons_wait_while_a_dart_is_in_doubt() -> None:
    """Undo and ready open no second question before the first is answered."""
    table = Table(arming="auto", settle_ms=0)
    table.hit("F3")
    table.hit("F20")
    table.hit("S17")
    for button in ("undo", "miss", "ready"):
        table.press(button)
        assert table.match.question.code == "which_bed"
        assert table.message == "question_open"


def test_the_miss_button_reports_where_no_throw_is_possible() -> None:
    """In a silent game no dart is lost."""
    table = Table(kind="silent")
    table.press("miss")
    assert (table.message, table.match.question) == ("silent_game", None)


@pytest.mark.parametrize("arming", ["announce", "auto"])
def test_a_late_button_does_nothing_except_undo(arming: str) -> None:
    """A late `miss` or `ready` belongs to an earlier turn and is ignored; a late `undo` still asks."""
    table = Table(arming=arming, settle_ms=0)
    table.throw("F3")
    for button in ("miss", "ready"):
        began = table.match.since_ms
        before = table.match
        table.press(button, ago=table.t + 5000 - began + 1)
        assert (table.event_codes(), table.match.phase) == (["button"], before.phase)
        assert table.match.seq == before.seq
    table.press("undo", ago=table.t + 5000 - table.match.since_ms + 1)
    assert table.match.question.code == "take_back"
    table.ok("choose_bed", bed=None)
    table.press("miss", ago=table.t + 5000 - table.match.since_ms)
    assert table.match.question.code == "lost_dart"


def test_seq_grows_with_each_of_two_commands_in_one_millisecond() -> None:
    """`seq` depends on the change, not on the time: a dart for White or a piece in another bed."""

    def at_once(table: Table, type: str, **fields: object) -> None:
        before = table.match
        table.t -= 10  # the driver lets 10 ms pass before each command
        table.ok(type, **fields)
        assert (table.match.since_ms, table.match.seq) == (before.since_ms, before.seq + 1)

    table = Table(white_by="dart", arming="auto", settle_ms=0)
    table.ok("add_dart", bed="D20")
    at_once(table, "correct", bed="T20")
    table = Table()
    table.ok("add_dart", bed="F3")
    at_once(table, "correct", bed="F17")


def test_seq_grows_when_a_question_is_asked_replaced_and_closed() -> None:
    """A command sent before its sender saw the question is stale, since it may refer to another question."""
    table = Table()
    table.ok("move", move="e1d1")
    seqs = [table.match.seq]
    for button, code in (("miss", "lost_dart"), ("undo", "take_back")):
        table.press(button)
        assert table.match.question.code == code
        seqs.append(table.match.seq)
    table.ok("choose_bed", bed=None)
    assert table.match.question is None
    assert [*seqs, table.match.seq] == list(range(seqs[0], seqs[0] + 4))


def test_a_move_closes_the_question_of_a_button() -> None:
    """A move needs no answer to a button; only a dart in doubt blocks the game."""
    table = Table()
    table.press("miss")
    table.move("e1d1")
    assert table.match.question is None
    assert table.refused("choose_bed", bed="MISS") == "not_allowed"


class TestWhoHasWhite:
    """The darts for White can be corrected as well (rules 8)."""

    def deciding(self) -> Table:
        return Table(white_by="dart", arming="auto", settle_ms=0)

    def test_the_nearer_dart_has_white(self) -> None:
        """Seat 1 throws first; the bull beats the double."""
        table = self.deciding()
        table.hit("D20")
        table.hit("BULL")
        assert (table.match.white, table.match.phase.name) == ("seat2", "turn")
        assert table.match.turns == ()

    def test_equally_near_darts_are_thrown_again(self) -> None:
        """Two trebles decide nothing; a miss is farther from the centre than any bed."""
        table = self.deciding()
        table.hit("T20")
        table.hit("T3")
        assert (table.match.phase.name, table.message) == ("deciding", "deciding_again")
        table.hit("F1")
        table.press("miss")
        assert table.match.white == "seat1"

    def test_a_shared_single_is_asked_about(self) -> None:
        """The little ring is nearer than the fat ring, so a person names the bed."""
        table = self.deciding()
        assert table.hit("S20") == "in_doubt"
        assert table.match.question.code == "which_bed"
        table.ok("choose_bed", bed="L20")
        table.hit("F3")
        assert table.match.white == "seat1"

    def test_a_dart_for_white_that_fell_counts_as_a_miss(self) -> None:
        """Cameras saw the dart in the bull before it fell: any bed is nearer."""
        table = Table(white_by="dart", arming="auto", settle_ms=0, bounce_counts=False)
        assert table.seen("BULL", bounced=True) == ""
        table.seen("D20")
        assert table.match.white == "seat2"

    def test_darts_for_white_are_corrected_added_and_taken_back(self) -> None:
        """correct, delete_dart, add_dart and take_back refer to these darts during the toss."""
        table = self.deciding()
        assert table.refused("correct", bed="F3") == "not_allowed"
        table.hit("D20")
        table.ok("correct", bed="T20")
        table.ok("delete_dart")
        assert table.refused("take_back", turns=1) == "not_allowed"
        table.ok("add_dart", bed="F20")
        table.ok("add_dart", bed="L20")
        assert table.match.white == "seat2"

    def test_in_announce_mode_the_deciding_dart_is_removed_first(self) -> None:
        """White may move or announce meanwhile."""
        table = Table(white_by="dart")
        table.hit("D20")
        table.hit("BULL")
        assert table.match.phase.name == "settling"
        table.ok("announce_throw", "seat2")

    def test_a_dart_that_decides_in_a_pause_keeps_the_pause(self) -> None:
        """A manual correction does not resume the game without the arbiter."""
        table = self.deciding()
        table.hit("D20")
        table.ok("pause")
        table.ok("add_dart", bed="BULL")
        assert (table.match.phase.name, table.match.white) == ("paused", "seat2")
        table.ok("resume")
        assert table.match.phase.name == "turn"

    def test_the_lot_is_drawn_from_the_seed(self) -> None:
        """Twenty games that begin at different times draw each seat at least once."""
        seats = set()
        for n in range(20):
            table = Table(begin=False, white_by="lot")
            table.t += n
            table.ok("new_game")
            seats.add(table.match.white.value)
            assert table.match.phase.name == "turn"
        assert seats == {"seat1", "seat2"}

    def test_white_can_be_agreed_or_drawn_during_the_toss(self) -> None:
        """decide_white: `agreed` names the seat, `lot` draws, `dart` restarts. A seat needs the other seat's
        confirm."""
        table = self.deciding()
        table.hit("D20")
        assert table.refused("decide_white", by="agreed") == "malformed"
        table.ok("decide_white", by="dart")
        assert table.match.toss.darts == ()
        asked = table.ok("decide_white", "seat1", by="agreed", white="seat2")
        assert asked["pending"]
        table.ok("confirm", "seat2", request=asked["id"])
        assert (table.match.white, table.match.phase.name) == ("seat2", "turn")
