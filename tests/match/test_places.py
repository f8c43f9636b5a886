"""Two boards, one game: which board may place a piece, which seat the table acts for, and a broken connection."""

from __future__ import annotations

from typing import Any

from match.driver import Table
from scharten.dartboard.beds import parse_bed
from scharten.dartboard.profile import Contact
from scharten.game.basics import Side
from scharten.match.dart import Dart
from scharten.match.digest import digest
from scharten.match.events import HitReport
from scharten.match.inputs import Button, ButtonName, LinkChanged, Reading, Receipt
from scharten.match.places import EARLIEST_MS
from scharten.match.referee import begin, begun_by, step
from scharten.match.white import Seat

CLOCK = {"stages": [{"moves": None, "minutes": 10}], "increment_s": 0}
HERE, THERE = None, Seat.SEAT2
WHITE_BED, BLACK_BED = "F7", "F18"


def two_boards(**game: Any) -> Table:
    """Return a loud game with White at this board and Black at another."""
    table = Table(begin=False, arming="auto", settle_ms=2000)
    table.ok("new_game", away="seat2", **game)
    return table


def dart(table: Table, bed: str, place: Seat | None, later_ms: int = 5000, ago: int = 0) -> HitReport:
    """Throw a dart at either board; return its report."""
    table.t += later_ms
    found = parse_bed(bed)
    assert found is not None
    what = Dart(((found, 1.0),), contact=Contact(1, 2))
    given = Reading(table.t, table.t - ago, "board", what, Receipt(5, table.t), place=place)
    return next(event for event in table.give(given) if isinstance(event, HitReport))


def bed_for(table: Table) -> str:
    """Return a bed in which a dart of the side to move places a piece."""
    throws = table.match.game.throws
    assert throws is not None
    for number in range(1, 21):
        bed = parse_bed(f"F{number}")
        assert bed is not None
        effect = throws.effect(table.match.position, table.match.options, bed, 3, aim=None, side=None)
        if effect.code == "placed":
            return f"F{number}"
    raise AssertionError("no bed places a piece")


def test_a_dart_counts_only_at_the_board_of_the_player_to_throw() -> None:
    """A dart at the other board is shown with its place, and neither the position nor the clock changes."""
    table = two_boards()
    before = digest(table.match)
    stray = dart(table, bed_for(table), THERE)
    assert (stray.counted, stray.why, stray.place) == (False, "other_board", "seat2")
    assert digest(table.match) == before
    assert dart(table, bed_for(table), HERE).counted
    assert table.match.side is Side.BLACK
    stray = dart(table, bed_for(table), HERE)
    assert (stray.counted, stray.why, stray.place) == (False, "other_board", None)
    assert dart(table, bed_for(table), THERE).counted
    assert table.match.side is Side.WHITE


def test_a_dart_in_one_board_does_not_delay_the_other() -> None:
    """While White removes a dart here, Black's dart there counts at once; a rattling contact here does not."""
    table = two_boards()
    assert dart(table, bed_for(table), HERE).counted
    assert table.match.phase.name == "settling"
    assert dart(table, "F1", HERE, later_ms=100).why == "other_board"
    assert dart(table, bed_for(table), THERE, later_ms=100).counted


def test_buttons_of_the_waiting_board_do_nothing() -> None:
    """The guest's miss button does not lose the host's dart."""
    table = two_boards()
    before = digest(table.match)
    table.t += 5000
    press = Reading(table.t, table.t, "board", Button(ButtonName.MISS), Receipt(5, 1), place=THERE)
    table.give(press)
    assert digest(table.match) == before
    assert table.match.question is None


def test_without_a_guest_no_reading_of_another_board_counts() -> None:
    """A reading that names a place has no effect in a game at one board."""
    table = Table(arming="auto", settle_ms=0)
    assert dart(table, bed_for(table), THERE).why == "other_board"
    assert not table.match.turns


def test_the_clock_stops_at_the_hit_but_not_more_than_two_seconds_earlier() -> None:
    """A slow connection costs the thrower nothing; a forged time gains at most two seconds."""
    for ago, free in ((300, 300), (60_000, EARLIEST_MS)):
        table = two_boards(clock=CLOCK)
        assert dart(table, bed_for(table), HERE).counted
        began, spent = table.t, 70_000
        assert dart(table, bed_for(table), THERE, later_ms=spent, ago=ago).counted
        assert table.match.clock is not None
        assert table.match.clock.black.left_ms == 600_000 - (table.t - began - free)


def test_the_table_acts_for_its_own_seat_only() -> None:
    """The guest must confirm its corrections and pause. It cannot move for the guest, but may begin a game."""
    table = two_boards()
    assert dart(table, bed_for(table), HERE).counted
    assert table.refused("move", move="a1a2") == "not_your_turn"
    assert table.ok("take_back", turns=1)["pending"]
    assert len(table.match.turns) == 1
    table.ok("confirm", "seat2", request=table.match.requests[0].order.id)
    assert not table.match.turns
    assert table.ok("pause")["pending"]
    table.ok("new_game", abandon=True)
    assert table.match.start.away is None


def test_a_broken_link_pauses_and_asks_about_a_dart_thrown_meanwhile() -> None:
    """Clocks stop at the last sign of life. A dart thrown meanwhile is shown, and counts when the other seat
    agrees."""
    table = two_boards(clock=CLOCK)
    assert dart(table, bed_for(table), HERE).counted
    began, bed = table.t, bed_for(table)
    table.t += 9_000
    table.give(LinkChanged(table.t, THERE, False, table.t - 6_000))
    assert (table.match.phase.name, table.message) == ("paused", "link_lost")
    assert table.match.clock is not None
    assert table.match.clock.black.left_ms == 600_000 - 3_000
    table.t += 60_000
    table.give(LinkChanged(table.t, THERE, True, table.t))
    assert (table.match.phase.name, table.message) == ("paused", "link_back")
    thrown = dart(table, bed, THERE, later_ms=10, ago=30_000)
    assert (thrown.counted, thrown.why) == (False, "paused")
    request = table.match.requests[0]
    assert (request.by, request.order.type) == (THERE, "add_dart")
    table.ok("confirm", "seat1", request=request.order.id)
    assert len(table.match.turns) == 2
    assert table.match.phase.name == "paused"
    assert began < table.t
    resumed = table.ok("resume")
    assert resumed["pending"]
    table.ok("confirm", "seat2", request=table.match.requests[0].order.id)
    assert table.match.phase.name == "turn"


def test_a_game_of_two_boards_replays_to_the_same_digest() -> None:
    """The journal stores places, links and the seat that is away."""
    table = two_boards(clock=CLOCK)
    for place in (HERE, THERE, HERE):
        dart(table, bed_for(table), place)
    table.t += 9_000
    table.give(LinkChanged(table.t, THERE, False, table.t - 6_000))
    start = type(table.match.start).model_validate_json(table.match.start.model_dump_json())
    match = begun_by(begin(start, table.match.games), table.inputs[0])
    for given in table.inputs[1:]:
        match, _ = step(match, given)
    assert digest(match) == digest(table.match)
    assert match.start.away == "seat2"
