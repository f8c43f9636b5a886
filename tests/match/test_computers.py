"""A seat that the computer plays: the roles that may seat it, its darts, and the same result from a replay."""

from __future__ import annotations

from typing import Any

from match.driver import Table
from scharten.contract.snapshot import snapshot
from scharten.games import GAMES_BY_KEY
from scharten.match.referee import begin, begun_by, digest, step

HALF = {"x_mm": 0.0, "y_mm": -90.0}
"""The inner single 3: e4, in White's half."""


def test_a_game_begins_with_the_computer_and_a_person_takes_its_place() -> None:
    """`new_game` and `set_computer` seat the computer and the snapshot shows it. The next game chooses again."""
    table = Table(begin=False)
    table.ok("new_game", computers={"seat2": 5})
    assert snapshot(table.match, table.t)["computers"] == {"seat1": None, "seat2": 5}
    table.ok("set_computer", seat="seat2", level=None)
    table.ok("set_computer", "arbiter", seat="seat1", level=1)
    assert snapshot(table.match, table.t)["computers"] == {"seat1": 1, "seat2": None}
    table.ok("new_game", abandon=True)
    assert table.match.computers == (0, 0)


def test_a_seat_asks_the_other_before_the_computer_takes_it() -> None:
    """A player alone cannot put the computer in the other player's place."""
    table = Table()
    answer = table.command("set_computer", "seat1", seat="seat2", level=10)
    assert answer["pending"] and table.match.computers == (0, 0)


def test_the_computer_s_dart_counts_and_can_be_corrected() -> None:
    """A virtual dart places a piece, is on the sheet with its millimetres, and can be corrected like any dart."""
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


def test_other_seats_throw_no_virtual_darts() -> None:
    """A person's seat, and the computer out of turn, are refused and nothing changes."""
    table = Table(begin=False)
    table.ok("new_game", computers={"seat2": 3})
    table.ok("announce_throw", "seat1")
    before = digest(table.match)
    assert table.refused("virtual_throw", "seat1", **HALF) == "not_allowed"
    assert table.refused("virtual_throw", "seat2", **HALF) == "not_your_turn"
    assert table.refused("virtual_throw", "table", **HALF) == "not_allowed"
    assert digest(table.match) == before


def test_the_computer_throws_for_white_in_its_turn() -> None:
    """Where darts decide who has White, its dart counts when its seat throws, and not before."""
    table = Table(begin=False)
    table.ok("new_game", options={"white_by": "dart"}, computers={"seat2": 3})
    assert table.refused("virtual_throw", "seat2", x_mm=1.0, y_mm=1.0) == "not_your_turn"
    table.hit("F20")
    table.ok("virtual_throw", "seat2", x_mm=1.0, y_mm=1.0)
    assert table.match.white.value == "seat2"


def test_a_replay_gives_the_same_digests() -> None:
    """A replay of the journal's record of a game with the computer gives every digest again."""
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


ANN = {"player": "ann00", "mm": 34.5}


def test_the_computer_plays_as_a_player_at_a_free_seat() -> None:
    """The snapshot names the player. A stand-in without a level, or at a registered player's seat, is refused."""
    table = Table(begin=False)
    refused: dict[str, dict[str, Any]] = {
        "stand_in_alone": {},
        "stand_in_seated": {"computers": {"seat2": 4}, "players": {"seat2": "bob00"}},
    }
    for why, fields in refused.items():
        answer = table.command("new_game", stand_ins={"seat2": ANN}, options={"white_by": "agreed"}, **fields)
        assert answer["args"]["why"] == why
    table.ok("new_game", computers={"seat2": 4}, stand_ins={"seat2": ANN}, players={"seat1": "bob00"})
    assert snapshot(table.match, table.t)["stand_ins"] == {"seat1": None, "seat2": ANN}
    assert "ann00" not in table.match.start.players
    answer = table.command("set_computer", seat="seat1", level=3, stand_in=ANN)
    assert answer["args"]["why"] == "stand_in_seated"
    table.ok("set_computer", seat="seat2", level=3)
    assert "stand_ins" not in snapshot(table.match, table.t)


def test_a_replay_gives_the_same_stand_in() -> None:
    """The digest covers the stand-in, and the replayed inputs give the same stand-in."""
    table = Table(begin=False)
    table.ok("new_game", computers={"seat2": 4}, stand_ins={"seat2": ANN})
    as_ann = digest(table.match)
    table.ok("set_computer", seat="seat2", level=4, stand_in={"player": "ann00", "mm": 20})
    assert digest(table.match) != as_ann
    match = Table(begin=False).match
    for given in table.inputs:
        match = step(match, given)[0]
    assert digest(match) == digest(table.match) and match.stand_ins == table.match.stand_ins
