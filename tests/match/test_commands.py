"""Commands: the roles that may give them, stale and repeated ones, agreement of two seats, and the options."""

from __future__ import annotations

import pytest

from games.scharten.boards import board
from match.driver import Table
from scharten.match.inputs import Role
from scharten.match.referee import deadline, digest
from scharten.match.rights import RIGHTS

ALL = ("seat1", "seat2", "table", "arbiter")
FIELDS: dict[str, dict[str, object]] = {
    "decide_white": {"by": "lot"},
    "move": {"move": "e1d1"},
    "choose_bed": {"bed": None},
    "correct": {"bed": "F17"},
    "add_dart": {"bed": "F3"},
    "take_back": {"turns": 1},
    "confirm": {"request": "x"},
    "answer_draw": {"accept": True},
    "claim_draw": {"rule": "repetition"},
    "touch": {"fields": ["e1"]},
    "let_go": {"origin": "e1", "to": "d1"},
    "set_result": {"result": "1-0"},
    "set_position": {"position": "5K*9k*4/20/20/20 w - 0/0 0/0 0/0 1"},
    "explain": {"move": "e1d1"},
    "set_computer": {"seat": "seat2", "level": 3},
    "practice": {"exercise": "doubles"},
    "practice_dart": {"bed": "D3"},
    "virtual_throw": {"x_mm": 0.0, "y_mm": -90.0},
}
# The column "who" of docs/contract.md: the roles that may give the command.
WHO: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("new_game", "decide_white", "die", "move", "announce_throw", "cancel_throw", "ready", "miss"), ALL
    ),
    **dict.fromkeys(("choose_bed", "correct", "delete_dart", "add_dart", "take_back", "explain"), ALL),
    **dict.fromkeys(("resign", "offer_draw", "answer_draw", "claim_draw", "claim_flag"), ALL),
    **dict.fromkeys(("confirm", "virtual_throw"), ("seat1", "seat2")),
    **dict.fromkeys(("set_computer", "advise", "practice", "practice_dart"), ALL),
    **dict.fromkeys(("touch", "let_go", "adoube", "set_clock", "set_result", "set_position"), ("arbiter",)),
    **dict.fromkeys(("pause", "resume"), ALL),
}


def test_the_column_who_is_complete() -> None:
    """Every command type has its row here and in the referee."""
    assert set(WHO) == set(RIGHTS)


@pytest.mark.parametrize("role", ALL)
@pytest.mark.parametrize("type", sorted(WHO))
def test_only_the_roles_of_the_contract_may_give_a_command(type: str, role: str) -> None:
    """Other roles get `not_allowed` in every phase; the permitted roles are refused for other reasons only."""
    for begin in (True, False):
        table = Table(begin=begin)
        before = digest(table.match)
        answer = table.command(type, role, **FIELDS.get(type, {}))
        forbidden = answer["code"] == "not_allowed" and answer["args"].get("why") == "role"
        assert forbidden == (role not in WHO[type])
        if forbidden:
            assert digest(table.match) == before


@pytest.mark.parametrize("type", ["move", "announce_throw", "claim_draw"])
def test_only_the_seat_to_move_moves_and_announces(type: str) -> None:
    """The other seat, and a named side that is not to move, are refused with the name of the side to move."""
    table = Table()
    fields = FIELDS.get(type, {})
    assert table.refused(type, "seat2", **fields) == "not_your_turn"
    assert table.refused(type, "table", side="black", **fields) == "not_your_turn"
    assert table.refused(type, "seat1", side="black", **fields) == "not_allowed"


def test_seats_play_the_colours_that_the_game_gives_them() -> None:
    """After a rematch with swapped seats seat 2 moves first with the same accounts."""
    table = Table()
    table.ok("resign", side="white")
    table.ok("new_game", seats={"seat1": "black", "seat2": "white"}, names={"seat1": "Ann", "seat2": "Bob"})
    assert table.refused("move", "seat1", move="e1d1") == "not_your_turn"
    table.ok("move", "seat2", move="e1d1")
    names = {side.word: table.match.name_of(side) for side in type(table.match.side)}
    assert names == {"white": "Bob", "black": "Ann"}
    assert table.refused("new_game", seats={"seat1": "white", "seat2": "white"}, abandon=True) == "malformed"


@pytest.mark.parametrize("type", [type for type, right in RIGHTS.items()])
def test_an_old_seq_is_stale_where_the_contract_says_so(type: str) -> None:
    """The column `seq`: these commands refer to the state that their sender saw; the others do not."""
    table = Table(touch_move="on")
    answer = table.command(type, "arbiter", **{**FIELDS.get(type, {}), "seq": table.match.seq + 1})
    needs = {
        "move",
        "announce_throw",
        "cancel_throw",
        "ready",
        "miss",
        "choose_bed",
        "correct",
        "delete_dart",
    }
    needs |= {"add_dart", "take_back", "claim_draw", "touch", "let_go", "adoube", "advise"}
    out_of_phase = answer["code"] == "wrong_phase"
    assert (answer["code"] == "stale" or (out_of_phase and type in needs)) == (type in needs)


def test_a_command_for_another_game_is_refused() -> None:
    """`no_such_match` names the current game."""
    table = Table()
    answer = table.command("move", move="e1d1", match="0123")
    assert (answer["code"], answer["args"]["match"]) == ("no_such_match", table.match.id)
    assert table.refused("resign", side="white", match=None) == "no_such_match"
    assert table.match.turns == ()


def test_a_repeated_command_gets_its_first_answer_and_does_nothing_twice() -> None:
    """The first answer, accepted or refused, also holds later in the game. The same id from another role is
    another command."""
    table = Table()
    first = table.ok("move", "seat1", move="e1d1", id="same")
    table.move("e8d8")
    before = digest(table.match)
    repeated = table.command("move", "seat1", move="d1e1", id="same")
    assert repeated == first
    assert digest(table.match) == before
    refused = table.command("move", "seat2", move="d8e8", id="same")
    assert refused["code"] == "not_your_turn"
    table.move("d1e1")
    assert table.command("move", "seat2", move="d8e8", id="same") == refused


def test_the_memory_of_answers_is_bounded() -> None:
    """The host remembers 64 answers per role, so that no client fills its memory with commands."""
    table = Table()
    for n in range(200):
        table.command("explain", "seat1", move="e1d1", id=f"x{n}")
    table.ok("pause")
    kept = [name for role, name, _ in table.match.passing if role == "seat1"]
    assert kept == [f"x{n}" for n in range(136, 200)]
    assert any(role == "table" for role, _, _ in table.match.answers)


def test_a_seat_s_request_waits_for_the_other_seat() -> None:
    """The answer is `accepted` with `pending`. Nothing happens until the other seat confirms; the sender cannot."""
    table = Table()
    table.throw("F3")
    asked = table.ok("take_back", "seat1", turns=1)
    assert asked["pending"]
    assert len(table.match.turns) == 1
    assert table.refused("confirm", "seat1", request=asked["id"]) == "not_allowed"
    assert table.refused("confirm", "seat2", request="other") == "not_allowed"
    table.ok("confirm", "seat2", request=asked["id"])
    assert table.match.turns == ()
    assert table.match.requests == ()


def test_the_other_seat_may_decline() -> None:
    """With `accept` false the request is dropped, nothing happens, and an event informs its sender."""
    table = Table()
    table.throw("F3")
    asked = table.ok("take_back", "seat1", turns=1)
    table.ok("confirm", "seat2", request=asked["id"], accept=False)
    assert len(table.match.turns) == 1
    assert table.match.requests == ()
    assert "request_declined" in table.event_codes() and "request_lapsed" not in table.event_codes()


def test_requests_lapse_after_thirty_seconds() -> None:
    """A tick is due then; a later confirm is refused."""
    table = Table()
    table.throw("F3")
    asked = table.ok("delete_dart", "seat2")
    assert table.due == 30_000
    table.wait(30_000)
    assert table.event_codes() == ["request_lapsed"]
    assert deadline(table.match) is None
    assert table.refused("confirm", "seat1", request=asked["id"]) == "not_allowed"


def test_a_request_is_for_the_state_that_its_sender_saw() -> None:
    """The request lapses when the game continues. A newer request of the same seat replaces the older."""
    table = Table()
    table.throw("F3")
    first = table.ok("take_back", "seat1", turns=1)
    second = table.ok("correct", "seat1", bed="F17")
    assert [request.order.id for request in table.match.requests] == [second["id"]]
    table.move("e8d8")
    assert table.match.requests == ()
    for asked in (first, second):
        assert table.refused("confirm", "seat2", request=asked["id"]) == "not_allowed"


def test_an_impossible_request_is_refused_at_once() -> None:
    """A seat cannot request a correction or a take-back before the first turn."""
    table = Table()
    assert table.refused("correct", "seat1", bed="F3") == "not_allowed"
    assert table.refused("take_back", "seat1", turns=1) == "not_allowed"


def test_two_seats_begin_a_game_together() -> None:
    """`new_game` from a seat begins when the other seat confirms, with the options of the request."""
    table = Table(begin=False)
    asked = table.ok("new_game", "seat1", kind="silent", names={"white": "Ann"})
    assert table.match.phase.name == "setup"
    table.ok("confirm", "seat2", request=asked["id"])
    assert (table.match.phase.name, table.match.options.kind) == ("turn", "silent")


def test_a_new_game_fills_gaps_from_the_configuration() -> None:
    """The command's options replace the configured ones; the others stay. An invalid value is refused with a
    message."""
    table = Table(begin=False, support="count", arming="auto", settle_ms=7)
    table.ok("new_game", options={"zones": "home", "foul_limit": {"white": 1, "black": 2}})
    game = table.match.options
    assert (game.support, game.zones, game.arming, game.settle_ms) == ("count", "home", "auto", 7)
    assert (game.foul_limit.white, game.foul_limit.black, game.protection) == (1, 2, None)
    own_last_row = {"zones": {"white": ["e8"], "black": ["e5"]}}
    assert table.refused("new_game", options=own_last_row, abandon=True) == "malformed"
    clock = {"stages": [{"moves": None}]}
    assert table.refused("new_game", clock=clock, abandon=True) == "malformed"


def test_an_illegal_move_says_why() -> None:
    """The reason and its figures: no support, a protected piece, a blocked path, no such move, a king in check."""
    drawn = board("""
    8  . . . . . k . r . .
    7  . . . . . . . . . .
    6  . . . p p* . . . . .
    5  . . . . . . . . . .
    4  . . . . . . . . . .
    3  . . . . . . . . . .
    2  . . . . . P . . . .
    1  . . . R R K . . . .
""")
    table = Table(kind="silent", protection="until_moved")
    table.set_up(drawn)
    expected = {
        "c1c6": {"why": "no_support", "value": 3, "support": 0},
        "d1d6": {"why": "protected", "field": "d6"},
        "c1c7": {"why": "blocked", "field": "c6"},
        "e1e3": {"why": "not_a_move"},
        "e1g1": {"why": "not_a_move"},
    }
    for move, figures in expected.items():
        assert table.refused("move", move=move) == "illegal"
        answer = table.command("move", move=move)
        assert figures.items() <= answer["args"].items()
        assert answer["words"]
    assert table.match.turns == ()


def test_explain_gives_the_reason_and_changes_nothing() -> None:
    """Every role in any phase may ask: legal or not, with the codes of the refusal."""
    table = Table()
    before = digest(table.match)
    for role in Role:
        assert table.ok("explain", role.value, move="e1d1")["args"]["legal"] is True
        explained = table.ok("explain", role.value, move="e1e5")["args"]
        assert (explained["legal"], explained["why"]) == (False, "not_a_move")
    assert digest(table.match) == before
    assert Table(begin=False).ok("explain", move="e1d1")["args"]["legal"] is True
    assert table.ok("explain", match=None, move="e1d1")["args"]["legal"] is True, (
        "as the example of the contract asks"
    )
    assert table.refused("explain", match="another", move="e1d1") == "no_such_match"


def test_a_pause_stops_the_clock_and_refuses_play() -> None:
    """Players' commands get `paused`. After the pause the phase continues, with no time lost."""
    table = Table(begin=False)
    table.ok("new_game", clock={"stages": [{"moves": None, "minutes": 10}], "increment_s": 0})
    table.ok("announce_throw")
    table.ok("pause")
    left = table.match.clock.white.left_ms
    table.t += 600_000
    assert table.refused("move", move="e1d1") == "paused"
    assert table.refused("offer_draw", side="white") == "paused"
    assert table.refused("pause") == "paused"
    table.ok("resume")
    assert table.match.phase.name == "throwing"
    assert table.match.clock.white.left_ms == left
    assert table.match.clock.running.word == "white"
    assert table.refused("resume") == "wrong_phase"


def test_after_a_restart_the_game_is_paused_at_the_last_stored_time() -> None:
    """The time in which the host was away costs neither side. Setup and finished stay as they are."""
    table = Table(begin=False)
    table.ok("new_game", clock={"stages": [{"moves": None, "minutes": 10}]})
    table.t += 4_990
    table.move("e1d1")
    left = (table.match.clock.white.left_ms, table.match.clock.black.left_ms)
    assert left == (595_000, 600_000)
    table.restart()
    assert table.match.phase.name == "paused"
    table.ok("resume")
    assert (table.match.clock.white.left_ms, table.match.clock.black.left_ms) == left
    assert table.match.clock.running.word == "black"
    for phase in ("setup", "finished"):
        other = Table(begin=phase == "finished")
        if phase == "finished":
            other.ok("resign", side="white")
        other.restart()
        assert other.match.phase.name == phase


def test_the_arbiter_sets_clocks_and_positions() -> None:
    """Both clocks take ms. An impossible position is refused with a message, a valid one starts a new sheet."""
    table = Table(begin=False)
    table.ok("new_game", clock={"stages": [{"moves": None, "minutes": 10}]})
    table.ok("set_clock", "arbiter", white_ms=1000, black_ms=2000)
    assert (table.match.clock.white.left_ms, table.match.clock.black.left_ms) == (1000, 2000)
    table.move("e1d1")
    assert table.refused("set_position", "arbiter", position="nonsense") == "malformed"
    wrong = "5K*9k*4/20/20/20 w - 0/0 3/0 0/0 1"
    assert table.refused("set_position", "arbiter", position=wrong) == "malformed"
    table.ok("set_position", "arbiter", position="5K*9k*4/20/20/20 b - 0/0 2/0 0/0 7")
    assert (table.match.side.word, table.match.turns) == ("black", ())
    assert table.match.clock.running.word == "black"


def test_a_touched_piece_must_be_moved() -> None:
    """With touch_move other moves and throws are refused; J'adoube lifts the next touch. Without it both are
    refused."""
    table = Table(kind="silent", touch_move="on")
    table.ok("touch", "arbiter", fields=["e2"])
    answer = table.command("move", move="d2d4")
    assert (answer["code"], answer["args"]["why"]) == ("not_allowed", "touched")
    assert set(answer["args"]["moves"]) == {"e2e3", "e2e4"}
    table.move("e2e4")
    table.ok("adoube", "arbiter")
    table.ok("touch", "arbiter", fields=["e7"])
    table.move("d7d5")
    loud = Table(touch_move="on")
    loud.ok("touch", "arbiter", fields=["e1"])
    assert loud.refused("announce_throw") == "not_allowed"
    assert Table().refused("touch", "arbiter", fields=["e1"]) == "not_allowed"
