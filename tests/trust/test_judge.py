"""The judge of histories finds each breach of the contract, and knows nothing of the program that it judges."""

import ast
from pathlib import Path
from typing import Any

import pytest

from lab.trust import judge
from lab.trust.history import recorded
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


def test_a_right_history_is_believed() -> None:
    """A race, a repeated command, a dart, a kill with an unanswered move: no rule objects."""
    assert judged(GOOD) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_each_rule_finds_its_breach(rule: Any) -> None:
    """A history with one breach, and an accepted move without a turn."""
    assert list(rule(BROKEN[rule.__name__]))
    assert judged([state(1, 0), move("a", 1), answer("a", True)])


def test_the_judge_imports_nothing_of_the_program() -> None:
    """A judge that shares code with what it judges shares its faults."""
    tree = ast.parse(Path(judge.__file__).read_text())
    names = [
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    ]
    assert names and {name.split(".")[0] for name in names} <= {"__future__", "collections", "typing"}


def test_three_clients_see_one_game_through_a_kill_and_a_cut(tmp_path: Path) -> None:
    """A scripted game with races, stale and repeated commands; its history has no breach (20 kills in `make trust`)."""
    fault = recorded(tmp_path, turns=8, kills=1, cuts=1)
    assert fault.tried == 2 and fault.harmless, fault
