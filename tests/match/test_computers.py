"""A seat that the computer plays: who says so, its darts, and that a replay gives the same."""

from __future__ import annotations

from match.driver import Table
from scharten.contract.snapshot import snapshot
from scharten.games import GAMES_BY_KEY
from scharten.match.referee import begin, begun_by, digest, step

HALF = {"x_mm": 0.0, "y_mm": -90.0}
"""The inner single 3: e4, in White's half."""


def test_a_game_begins_with_the_computer_and_a_person_takes_its_place() -> None:
    """`new_game` and `set_computer` say who plays; the snapshot shows it; the next game chooses again."""
    table = Table(begin=False)
    table.ok("new_game", computers={"seat2": 5})
    assert snapshot(table.match, table.t)["computers"] == {"seat1": None, "seat2": 5}
    table.ok("set_computer", seat="seat2", level=None)
    table.ok("set_computer", "arbiter", seat="seat1", level=1)
    assert snapshot(table.match, table.t)["computers"] == {"seat1": 1, "seat2": None}
    table.ok("new_game", abandon=True)
    assert table.match.computers == (0, 0)


def test_a_seat_asks_the_other_before_the_computer_sits_down() -> None:
    """One player alone cannot put the computer in the other's place."""
    table = Table()
    answer = table.command("set_computer", "seat1", seat="seat2", level=10)
    assert answer["pending"] and table.match.computers == (0, 0)


def test_its_dart_counts_like_any_other_and_can_be_put_right() -> None:
    """A virtual dart places a piece, stands on the sheet with its millimetres, and is corrected as any dart."""
    table = Table(begin=False)
    table.ok("new_game", computers={"seat1": 3})
    assert table.refused("virtual_throw", "seat1", **HALF) == "wrong_phase"
    table.ok("announce_throw", "seat1")
    table.ok("virtual_throw", "seat1", **HALF)
    last = table.match.turns[-1]
    assert (last.short, str(last.bed)) == ("@e4", "L3")
    assert last.dart is not None and (last.dart.x_mm, last.dart.y_mm) == (0.0, -90.0)
    table.ok("correct", bed="F3")
    assert table.match.turns[-1].short == "@e2"
    table.ok("take_back", turns=1)
    assert not table.match.turns


def test_nobody_else_throws_virtual_darts() -> None:
    """A person's seat, and the computer out of turn, are refused and nothing changes."""
    table = Table(begin=False)
    table.ok("new_game", computers={"seat2": 3})
    table.ok("announce_throw", "seat1")
    before = digest(table.match)
    assert table.refused("virtual_throw", "seat1", **HALF) == "not_allowed"
    assert table.refused("virtual_throw", "seat2", **HALF) == "not_your_turn"
    assert table.refused("virtual_throw", "table", **HALF) == "not_allowed"
    assert digest(table.match) == before


def test_it_throws_for_white_in_its_turn() -> None:
    """Where darts decide who has White its dart counts when its seat throws, and not before."""
    table = Table(begin=False)
    table.ok("new_game", options={"white_by": "dart"}, computers={"seat2": 3})
    assert table.refused("virtual_throw", "seat2", x_mm=1.0, y_mm=1.0) == "not_your_turn"
    table.hit("F20")
    table.ok("virtual_throw", "seat2", x_mm=1.0, y_mm=1.0)
    assert table.match.white.value == "seat2"


def test_a_replay_gives_the_same_digests() -> None:
    """Replaying the journal's record of a game with the computer gives every digest again."""
    table = Table(begin=False)
    table.ok("new_game", computers={"seat1": 3})
    start, begun, kept = table.match.start, table.inputs[-1], len(table.inputs)
    table.ok("announce_throw", "seat1")
    table.ok("virtual_throw", "seat1", **HALF)
    table.ok("set_computer", seat="seat1", level=None)
    table.ok("set_computer", seat="seat2", level=9)
    match = begun_by(begin(type(start).model_validate_json(start.model_dump_json()), GAMES_BY_KEY), begun)
    for given in table.inputs[kept:]:
        match, _ = step(match, given)
    assert digest(match) == digest(table.match)
    assert match.computers == (0, 9)
