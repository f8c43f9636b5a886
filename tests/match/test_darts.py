"""Darts: the field that each hits, when it counts, when the referee asks a person, and when it is only shown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from games.scharten.boards import LOUD, board
from match.driver import Table
from scharten.dartboard.profile import Contact
from scharten.game.basics import Drop
from scharten.games import GAMES_BY_KEY
from scharten.match.events import HitReport
from scharten.match.inputs import ContactStuck, ReadingsLost, SensorChanged, SensorNews, SensorState
from scharten.match.referee import digest, lamp, new_match
from scharten.match.settings import MatchSettings

# White's zone is a1 to i4; the Ke1 and the pawn on e2 stand in it. Black has one pawn.
BEGUN = board("""
    8  . . . . . k* . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . . p* . . .
    4  . . . . . . . . . .
    3  . . . . . . . . . .
    2  . . . . . P* . . . .
    1  . . . . . K* . . . .
""", options=LOUD, placed="1/1")  # fmt: skip
ALL_PLACED = board("""
    8  . . . . . k . . . .
    7  . . . . . p . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . . . . . . . . . .
    2  . . . . . P . . . .
    1  . . . . . K . . . .
""", options=LOUD)  # fmt: skip


def begun(**game: object) -> Table:
    table = Table(**game)
    table.set_up(BEGUN)
    return table


@pytest.mark.parametrize(
    ("bed", "foul"),
    [
        ("F20", "outside_zone"),  # e7
        ("D11", "outside_zone"),  # o1: the o-line belongs to neither side
        ("D3", "occupied"),  # e1
        ("F3", "occupied"),  # e2
        ("25", "bull"),
        ("BULL", "bull"),
        ("MISS", "off_board"),
    ],
)
def test_a_dart_outside_an_empty_field_of_the_zone_is_lost(bed: str, foul: str) -> None:
    """For each way to lose a dart the turn ends, the foul counts, and the board stays."""
    table = begun()
    assert table.throw(bed) == ""
    last = table.match.turns[-1]
    assert (last.short, last.foul, str(last.bed)) == ("@-", foul, bed)
    assert table.match.position.fouls == (1, 0)
    assert table.match.position.sets == BEGUN.sets
    assert table.match.side.word == "black"


def test_a_dart_on_an_empty_field_of_the_zone_places_the_next_piece() -> None:
    """The second dart is an unmoved pawn too, on the field that it hit; it restarts the count of fouls in a row."""
    table = begun()
    table.throw("MISS")
    table.move("e8d8")
    table.throw("T17")
    last = table.match.turns[-1]
    assert (last.text, last.short, str(last.bed)) == ("@f3", "@f3", "T17")
    assert table.match.position.placed == (2, 1)
    assert table.match.position.fouls == (0, 0)


def test_white_may_sit_at_the_20() -> None:
    """With `white_sits_at` = 20 the double 20 is e1 and the double 3 is e8."""
    table = Table(begin=False)
    table.match = new_match(
        MatchSettings(white_sits_at=20, options={"scharten": {"arming": "auto", "settle_ms": 0}}),
        GAMES_BY_KEY,
    )
    table.ok("new_game")
    table.hit("F20")
    assert table.match.turns[-1].text == "@e2"


def test_a_knock_and_the_miss_button_lose_the_announced_dart() -> None:
    """A knock without a contact is `bounce_out`; the miss button and `miss` are `declared`."""
    for act, foul in (
        (lambda table: table.knock(), "bounce_out"),
        (lambda table: table.press("miss"), "declared"),
        (lambda table: table.ok("miss", "seat1"), "declared"),
    ):
        table = begun()
        table.ok("announce_throw")
        act(table)
        assert (table.match.turns[-1].foul, table.match.turns[-1].bed) == (foul, None)
        assert table.match.turns[-1].text == "@-"


@pytest.mark.parametrize("arming", ["announce", "auto"])
def test_a_seat_cannot_declare_the_dart_of_the_other_lost(arming: str) -> None:
    """Only the throwing seat, the table and the arbiter may. A game of the third edition replays as it was played."""
    table = begun(arming=arming)
    if arming == "announce":
        table.ok("announce_throw")
    assert table.refused("miss", "seat2") == "not_allowed"
    assert table.command("miss", "seat2")["args"]["why"] == "other_throws"
    old = replace(table.match, start=table.match.start.model_copy(update={"edition": 3}))
    for role in ("seat1", "table", "arbiter"):
        now = table.match
        assert table.ok("miss", role)
        table.match = now
    table.match = old
    assert table.ok("miss", "seat2")


def test_before_the_game_the_other_seat_cannot_end_a_throw() -> None:
    """The referee refuses `miss` of the waiting seat, for a dart for White and for one that draws the opening."""
    toss = Table(white_by="dart")
    draw = Table(begin=False)
    draw.ok("new_game", game="fischer_random", options={"opening_by": "darts"})
    for table in (toss, draw):
        assert table.match.phase.name in ("deciding", "drawing")
        for _ in range(3):
            assert table.command("miss", "seat2")["args"]["why"] == "other_throws"
        assert table.ok("miss", "seat1")
    assert toss.command("miss", "seat1")["args"]["why"] == "other_throws"
    assert toss.ok("miss", "seat2")


def test_a_dart_that_cameras_saw_fall_is_a_bounce_out() -> None:
    """Without `bounce_counts` a dart that cameras saw fall is lost; with it, its bed counts."""
    for counts, kind in ((False, "LostDart"), (True, "Drop")):
        table = begun(bounce_counts=counts)
        table.ok("announce_throw")
        table.seen("T17", bounced=True)
        assert type(table.match.turns[-1].action).__name__ == kind
    contact = begun(bounce_counts=False)
    contact.throw("T17")
    assert type(contact.match.turns[-1].action) is Drop


@pytest.mark.parametrize(
    ("beds", "confidence"), [(("F17", "T17"), 0.5), (("T17", "F20"), 0.89), (("T17",), 0.89)]
)
def test_a_dart_in_doubt_is_asked_about(beds: tuple[str, ...], confidence: float) -> None:
    """Below 0.90 the question lists every possible bed, the likeliest first, if a bed among them would place
    a piece."""
    table = begun()
    table.ok("announce_throw")
    assert table.seen(*beds, confidence=confidence) == "in_doubt"
    assert table.match.question is not None
    assert [str(choice.bed) for choice in table.match.question.choices] == list(beds)
    assert len(table.match.turns) == 0


def test_a_sure_dart_counts_although_other_beds_are_possible() -> None:
    """From 0.90 on the likeliest bed counts; the report gives the other beds with their probabilities."""
    table = begun()
    table.ok("announce_throw")
    assert table.seen("T17", "F20", "T2", confidence=0.9) == ""
    assert str(table.match.turns[-1].bed) == "T17"
    (report,) = (event for event in table.events if isinstance(event, HitReport))
    assert [str(bed) for bed in report.beds] == ["T17", "F20", "T2"]
    assert report.probabilities == (0.9, 0.05, 0.05)


def test_legality_alone_never_decides() -> None:
    """T17 would place and F20 would be lost. Although only T17 is legal, a person decides."""
    table = begun()
    table.ok("announce_throw")
    table.seen("T17", "F20", confidence=0.6)
    table.ok("choose_bed", bed="F20")
    assert table.match.turns[-1].foul == "outside_zone"
    assert table.match.question is None


def test_a_dart_in_doubt_is_lost_without_asking_when_every_reading_is() -> None:
    """A shared single of the 20 is e7 or e5, both outside White's zone: the dart is lost either way."""
    table = begun()
    table.ok("announce_throw")
    assert table.hit("S20") == ""
    assert table.match.turns[-1].foul == "outside_zone"


def test_while_a_dart_is_in_doubt_nothing_counts() -> None:
    """Further darts are only shown. Moves, announcements and the miss button wait for the answer."""
    table = begun()
    table.ok("announce_throw")
    table.hit("S17")
    assert table.hit("T17") == "question_open"
    table.knock()
    table.press("miss")
    assert table.refused("move", move="e1d1") == "wrong_phase"
    assert table.refused("cancel_throw") == "wrong_phase"
    assert table.refused("miss") == "wrong_phase"
    assert len(table.match.turns) == 0
    table.ok("choose_bed", bed="L17")
    assert table.match.turns[-1].text == "@f4"


def test_a_person_may_say_that_the_dart_in_doubt_does_not_count() -> None:
    """`choose_bed` with null, or delete_dart, closes the question, and the same player throws again."""
    for type, fields in (("choose_bed", {"bed": None}), ("delete_dart", {})):
        table = begun()
        table.ok("announce_throw")
        table.hit("S17")
        table.ok(type, **fields)
        assert table.match.question is None
        assert table.match.phase.name == "throwing"
        assert table.match.side.word == "white"


def test_an_unannounced_dart_is_shown_and_not_counted() -> None:
    """In announce mode a dart in `turn` is shown with the reason; after a dart it asks whether a move is missing."""
    table = begun()
    assert table.hit("T17") == "not_announced"
    assert table.message == "not_announced"
    table.throw("T17")
    assert table.hit("F20") == "move_forgotten"
    assert table.message == "move_forgotten"
    table.ok("add_dart", bed="F20")
    assert table.match.turns[-1].text == "@e7"


def test_a_lost_dart_that_suits_the_other_side_asks_about_a_move() -> None:
    """In auto White's dart on a free field of Black's zone counts, and the message asks whether a move is missing."""
    table = begun(arming="auto", settle_ms=0)
    table.hit("F20")
    assert table.match.turns[-1].foul == "outside_zone"
    assert table.match.message.args["move_forgotten"] is True
    table.hit("MISS")
    assert table.match.message.args["move_forgotten"] is False


def test_a_dart_is_judged_by_when_it_happened() -> None:
    """A dart from before the announcement is stale, whenever it arrives; a person may add it."""
    table = begun()
    table.wait()
    table.ok("announce_throw")
    assert table.hit("T17", later_ms=100, ago=200) == "stale"
    assert table.message == "stale"
    assert table.match.phase.name == "throwing"
    assert table.hit("T17", later_ms=100, ago=50) == ""


def test_darts_thrown_while_the_host_was_away_do_not_count() -> None:
    """After a restart the game is paused. A dart thrown meanwhile is only shown, and is stale after `resume`."""
    table = begun(arming="auto", settle_ms=0)
    table.restart()
    assert table.hit("T17", later_ms=10, ago=5000) == "paused"
    table.ok("resume")
    assert table.hit("T17", later_ms=10, ago=5000) == "stale"
    assert table.hit("T17") == ""


def test_a_dart_with_a_future_time_counts_as_of_its_arrival() -> None:
    """A dart whose time is later than its arrival gets the time of its arrival."""
    table = begun(arming="auto", settle_ms=1500)
    assert table.hit("T17", ago=-60_000) == ""
    assert table.due == 1500


def test_without_a_wait_the_next_dart_counts_at_once() -> None:
    """`settle_ms` = 0 in auto leads straight to the other side's turn."""
    table = begun(arming="auto", settle_ms=0)
    table.hit("T17", later_ms=1)
    assert table.match.phase.name == "turn"
    table.hit("T1", later_ms=1)
    assert [turn.text for turn in table.match.turns] == ["@f3", "@d6"]


def test_in_a_silent_game_darts_are_shown_and_ignored() -> None:
    """In a silent game no dart is a foul, and the refusal of an announcement gives the reason."""
    table = Table(kind="silent", arming="auto")
    assert table.hit("T17") == "silent_game"
    assert table.match.position.fouls == (0, 0)
    assert table.refused("announce_throw") == "not_allowed"
    assert table.refused("miss") == "not_allowed"
    table.press("ready")
    assert table.match.phase.name == "turn"


def test_with_no_pieces_left_a_dart_is_shown_and_ignored() -> None:
    """A player who has placed all 17 pieces cannot lose a dart."""
    table = Table(arming="auto")
    table.set_up(ALL_PLACED)
    assert table.hit("T17") == "no_pieces_left"
    assert table.message == "no_pieces_left"
    assert table.match.turns == ()


def test_a_contact_that_the_profile_does_not_know_is_reported() -> None:
    """The referee does not guess the bed."""
    table = begun(arming="auto")
    assert table.hit(None) == "unknown_contact"
    assert table.match.message.args == {"source": "board", "drive": 1, "sense": 2}


def test_the_lamp_shows_the_board_s_state() -> None:
    """0 off, 1 throw now, 2 counted, 3 lost (protocol)."""
    table = begun()
    assert lamp(table.match) == 0
    table.ok("announce_throw")
    assert lamp(table.match) == 1
    table.hit("T17")
    assert lamp(table.match) == 2
    table.ok("announce_throw")
    table.hit("MISS")
    assert lamp(table.match) == 3
    assert lamp(begun(arming="auto").match) == 1


def test_events_of_a_source_leave_the_game_unchanged() -> None:
    """Stuck contacts and lost sources are events; the display also shows dropped hits."""
    table = begun()
    before = digest(table.match)
    table.give(SensorNews(table.t, "board", ContactStuck(Contact(1, 2), None, True)))
    assert table.event_codes() == ["contact_stuck"]
    table.give(SensorNews(table.t, "board", SensorChanged(SensorState.LOST, "unplugged")))
    assert table.event_codes() == ["source"]
    assert digest(table.match) == before
    table.give(SensorNews(table.t, "board", ReadingsLost(3)))
    assert table.message == "hits_lost"


def test_an_unclear_change_is_asked_about_and_takes_any_bed() -> None:
    """A change without a bed opens a question without choices. The bed that a person names counts, or no dart does."""
    table = begun(arming="auto")
    assert table.seen_unclear() == "in_doubt"
    question = table.match.question
    assert question is not None and question.choices == ()
    table.command("choose_bed", bed=None)
    assert table.match.turns == () and table.match.question is None
    table.seen_unclear()
    table.command("choose_bed", bed="MISS")
    assert len(table.match.turns) == 1


def test_an_unclear_change_during_a_takeout_asks_nothing() -> None:
    """In settling a change without a dart opens no question."""
    table = begun(arming="auto")
    table.hit("MISS")
    assert table.seen_unclear(later_ms=100) == "still_settling"
    assert table.match.question is None
