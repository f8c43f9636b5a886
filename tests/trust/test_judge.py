"""The judge of histories finds each breach of the contract, and shares no code with the judged program."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.trust import judge
from lab.trust.history import record
from lab.trust.judge import RULES, Event, judged


def state(seq: int, turns: int, client: str = "table", phase: str = "turn", **fields: Any) -> Event:
    position = fields.pop("position", f"p{turns}")
    side = "black" if turns % 2 else "white"
    return {"kind": "state", "client": client, "match": "m", "seq": seq, "turns": turns, "phase": phase,
            "side": side, "position": position, "result": None}  # fmt: skip


def move(name: str, seq: int, client: str = "table") -> Event:
    return {"kind": "command", "client": client, "id": name, "type": "move", "match": "m", "seq": seq}


def answer(name: str, accepted: bool, code: str | None = None, client: str = "table") -> Event:
    return {"kind": "answer", "client": client, "id": name, "accepted": accepted, "code": code}


KILL: Event = {"kind": "kill"}
DART: Event = {"kind": "dart", "match": "m"}
GOOD = [
    *(state(1, 0), state(1, 0, "display"), move("a", 1), move("b", 1, "arbiter"), answer("a", True)),
    *(state(2, 1), state(2, 1, "display"), answer("b", False, "stale", "arbiter"), move("a", 1)),
    *(answer("a", True), DART, state(3, 2), move("c", 3), KILL, state(4, 3, phase="paused")),
    *(state(4, 3, "display", "paused"), state(5, 3), state(5, 3, "display")),
]
BROKEN: dict[str, list[Event]] = {
    "never_back": [state(2, 1), state(1, 0)],
    "nothing_published_is_lost": [state(1, 0), state(2, 1, "display"), KILL, state(1, 0, phase="paused")],
    "one_state_for_each_seq": [state(1, 0), state(1, 0, "display", position="other")],
    "turns_are_accounted_for": [state(1, 0), DART, state(2, 1), state(3, 2)],
    "accepted_is_stored": [state(1, 0), move("a", 1), answer("a", True), KILL, state(1, 0, phase="paused")],
    "one_turn_at_a_time": [state(1, 0), DART, DART, state(2, 2)],
    "one_command_for_each_seq": [
        state(1, 0),
        move("a", 1),
        move("b", 1),
        answer("a", True),
        answer("b", True),
    ],
    "late_commands_are_stale": [state(1, 0), DART, state(2, 1), move("a", 1), answer("a", True)],
    "a_repeated_id_has_its_first_answer": [move("a", 1), answer("a", True), answer("a", False, "illegal")],
    "a_restart_pauses": [state(1, 0), KILL, state(2, 0)],
}


def test_a_correct_history_breaks_no_rule() -> None:
    """It has a race, a repeated command, a dart, and a kill with an unanswered move."""
    assert judged(GOOD) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_each_rule_finds_its_breach(rule: Any) -> None:
    """Each rule finds the breach in its history; an accepted move without a turn is a breach, too."""
    assert list(rule(BROKEN[rule.__name__]))
    assert judged([state(1, 0), move("a", 1), answer("a", True)])


def test_the_judge_imports_nothing_from_the_program() -> None:
    """A judge that shares code with the program shares its faults."""
    tree = ast.parse(Path(judge.__file__).read_text())
    names = [
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    ]
    assert names and {name.split(".")[0] for name in names} <= {
        "__future__",
        "collections",
        "itertools",
        "typing",
    }


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """A recorded game with races, stale and repeated commands, a kill and a cut."""
    return record(tmp_path_factory.mktemp("history"), turns=10, kills=1, cuts=1)


def test_three_clients_see_one_game_through_a_kill_and_a_cut(history: list[Event]) -> None:
    """The recorded history has every kind of event and breaks no rule (20 kills in `make trust`)."""
    assert judged(history) == []
    assert {event["kind"] for event in history} == {"command", "answer", "dart", "state", "kill"}
    assert {event["accepted"] for event in history if event["kind"] == "answer"} == {True, False}


def _later(history: list[Event], place: int, **fields: int) -> list[Event]:
    """Add to the numbers of each state of the same match from this place on."""
    match = next(event["match"] for event in history[place:] if event["kind"] == "state")
    changed = [
        {**event, **{name: event[name] + more for name, more in fields.items()}}
        if event["kind"] == "state" and event["match"] == match
        else event
        for event in history[place:]
    ]
    return [*history[:place], *changed]


def _place(history: list[Event], kind: str, **fields: Any) -> int:
    """Return the place of the first event of this kind with these fields."""
    return next(
        place
        for place, event in enumerate(history)
        if event["kind"] == kind and all(event.get(name) == value for name, value in fields.items())
    )


def _answered_move(history: list[Event], code: str | None) -> int:
    """Return the place of the first answer to a move with this code, or of the first acceptance for None."""
    moves = {event["id"] for event in history if event["kind"] == "command" and event["type"] == "move"}
    return next(
        place
        for place, event in enumerate(history)
        if event["kind"] == "answer"
        and event["id"] in moves
        and (event["accepted"] if code is None else event.get("code") == code)
    )


def lost_dart(history: list[Event]) -> list[Event]:
    """Remove the last turn before the kill from the states after it."""
    return _later(history, _place(history, "kill"), turns=-1, seq=-1)


def doubled_dart(history: list[Event]) -> list[Event]:
    """Make the first dart count as two turns."""
    return _later(history, _place(history, "dart"), turns=1, seq=1)


def answer_before_store(history: list[Event]) -> list[Event]:
    """Kill the host between the answer and the disk: no client saw the move's state, and it is lost."""
    place = _answered_move(history, None)
    match = next(event["match"] for event in reversed(history[:place]) if event["kind"] == "state")
    answered = history[place]
    asked = next(event for event in history if event["kind"] == "command" and event["id"] == answered["id"])
    known = [event for event in history if event["kind"] == "state" and event["match"] == match]
    before = [event for event in known if event["seq"] <= asked["seq"]]
    cut = history[: history.index(asked) + 1]
    cut = [event for event in cut if event["kind"] != "state" or event in before]
    return [*cut, answered, {"kind": "kill"}, {**before[-1], "phase": "paused"}]


def stale_state(history: list[Event]) -> list[Event]:
    """Send an old state to a client once more."""
    old = history[_place(history, "state", client="display")]
    newest = [event for event in history if event["kind"] == "state" and event["client"] == "display"][-1]
    return [*history, {**old, "match": newest["match"], "seq": newest["seq"] - 1}]


def wrong_answer(history: list[Event]) -> list[Event]:
    """Accept the last stale move, whose sender has seen a later state; others may have crossed one on the way."""
    place = len(history) - 1 - _answered_move(history[::-1], "stale")
    return [*history[:place], {**history[place], "accepted": True, "code": None}, *history[place + 1 :]]


def lost_move(history: list[Event]) -> list[Event]:
    """Make an accepted move give no turn; all later states are as if it had not been."""
    answer = history[_answered_move(history, None)]
    move = next(event for event in history if event["kind"] == "command" and event["id"] == answer["id"])
    return [
        {**event, "turns": event["turns"] - 1}
        if event["kind"] == "state" and event["match"] == move["match"] and event["seq"] > move["seq"]
        else event
        for event in history
    ]


def two_boards(history: list[Event]) -> list[Event]:
    """Show one client another position than the others."""
    place = _place(history, "state", client="display")
    return [*history[:place], {**history[place], "position": "another"}, *history[place + 1 :]]


PLANTED = (lost_dart, doubled_dart, answer_before_store, stale_state, wrong_answer, lost_move, two_boards)


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_the_judge_finds_a_fault_planted_in_a_recorded_history(
    history: list[Event], plant: Callable[[list[Event]], list[Event]]
) -> None:
    """It accepts the recorded history, and finds each planted fault."""
    spoilt = plant(history)
    assert spoilt != history
    assert judged(spoilt), plant.__doc__
