"""Commands as bytes: any payload is a command or a refusal with a message, never an exception."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from scharten.contract.messages import COMMAND_TYPES, Throw, parse_command, parse_throw, refused
from scharten.contract.topics import COMMAND_LIMIT
from scharten.errors import Problem
from scharten.match.rights import RIGHTS

MOVE: dict[str, Any] = {"v": 1, "id": "a", "match": "m", "seq": 3, "type": "move", "move": "e2e4"}


def parsed(**changes: Any) -> Any:
    return parse_command(json.dumps({**MOVE, **changes}).encode())


def test_every_type_of_the_contract_has_a_model_and_a_right() -> None:
    """Every part of the program knows the same command types."""
    assert set(COMMAND_TYPES) == set(RIGHTS)
    assert len(COMMAND_TYPES) == 33


def test_a_right_command_is_read() -> None:
    """All its fields, as they were sent."""
    order = parsed()
    assert (order.type, order.id, order.match, order.seq, order.move) == ("move", "a", "m", 3, "e2e4")


@pytest.mark.parametrize(
    "changes",
    [
        {"v": 3},
        {"v": True},
        {"v": 1.0},
        {"id": ""},
        {"id": "x" * 65},
        {"id": 7},
        {"match": "x" * 65},
        {"seq": None},
        {"seq": -1},
        {"seq": 1.5},
        {"seq": "3"},
        {"seq": 2**60},
        {"move": "e2e0"},
        {"move": "e2e4kk"},
        {"move": ["e2e4"]},
        {"more": 1},
        {"side": "w"},
    ],
)
def test_a_wrong_field_is_malformed_and_named(changes: dict[str, Any]) -> None:
    """The reader guesses no types, bounds sizes and refuses unknown keys; the message names the field."""
    problem = parsed(**changes)
    assert isinstance(problem, Problem)
    assert problem.code == "malformed"
    assert next(iter(changes)) in problem.words
    assert refused(problem)["id"] == ("a" if "id" not in changes else None)


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "correct", "bed": "S20"},
        {"type": "correct", "bed": "T21"},
        {"type": "take_back", "turns": 0},
        {"type": "take_back", "turns": True},
        {"type": "touch", "fields": []},
        {"type": "touch", "fields": ["e1"] * 5},
        {"type": "set_result", "result": "2-0"},
        {"type": "set_position", "position": "x" * 401},
        {"type": "new_game", "names": {"white": "x" * 41}},
        {"type": "new_game", "options": {"x" * 33: 1}},
        {"type": "new_game", "options": {str(n): n for n in range(41)}},
        {"type": "new_game", "clock": {"stages": []}},
        {"type": "decide_white", "by": "luck"},
    ],
)
def test_impossible_values_are_malformed(fields: dict[str, Any]) -> None:
    """Lists and texts beyond their bounds, and values that no option has."""
    body = {"v": 1, "id": "a", "match": "m", "seq": 3, **fields}
    problem = parse_command(json.dumps(body).encode())
    assert isinstance(problem, Problem)
    assert problem.code == "malformed"


def test_both_versions_are_read_and_a_game_by_its_key() -> None:
    """`v` is 1 or 2. `new_game` may name its game; the referee checks whether it exists."""
    assert not isinstance(parsed(v=2), Problem)
    begin = {"v": 2, "id": "a", "type": "new_game", "kind": "loud", "options": {}}
    assert parse_command(json.dumps({**begin, "game": "scharten"}).encode()).game == "scharten"  # type: ignore[union-attr]
    problem = parse_command(json.dumps({**begin, "game": "Go!"}).encode())
    assert isinstance(problem, Problem)
    assert problem.code == "malformed" and "game" in problem.words


def test_an_unknown_type_has_its_own_code() -> None:
    """The answer has the id, so that its sender finds it."""
    problem = parsed(type="castle")
    assert isinstance(problem, Problem)
    assert (problem.code, refused(problem)["id"]) == ("unknown_type", "a")


def test_a_command_of_more_than_16_kb_is_too_large() -> None:
    """A byte over the limit is refused, and the payload is not parsed."""
    exact = json.dumps(MOVE).encode().ljust(COMMAND_LIMIT)
    assert not isinstance(parse_command(exact), Problem)
    problem = parse_command(exact + b" ")
    assert isinstance(problem, Problem)
    assert (problem.code, refused(problem)["id"]) == ("too_large", None)
    assert parse_command(b"x" * 1_000_000).code == "too_large"  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\nb", "\x00", "a\u202eb", "a\u2028b"])
def test_a_name_of_hidden_letters_is_refused_and_its_key_named(name: str) -> None:
    """Such a name would reach terminals, score sheets and lamps. Blanks, accents, joined signs and other
    scripts are valid."""
    begin = {"v": 2, "id": "a", "type": "new_game"}
    problem = parse_command(json.dumps({**begin, "names": {"black": name}}).encode())
    assert isinstance(problem, Problem) and problem.code == "malformed" and "names.black" in problem.words
    for good in ("", "Anneke de Vries", "Zoë", "עדי", "👩\u200d🚀", "O\u2019Neill <b>"):
        assert not isinstance(
            parse_command(json.dumps({**begin, "names": {"black": good}}).encode()), Problem
        )


def test_a_command_without_a_type_is_refused() -> None:
    """The refusal uses our message, not that of the library that reads it."""
    for fields in ({}, {"type": ["move"]}, {"type": None}):
        problem = parse_command(json.dumps({"v": 2, "id": "a", **fields}).encode())
        assert (
            isinstance(problem, Problem) and "has a type" in problem.words and refused(problem)["id"] == "a"
        )


HOSTILE = [
    b"",
    b"\xff\xfe",
    b"null",
    b"[]",
    b'"move"',
    b"[" * 16_000,
    b'{"a":' * 3_000,
    b'{"v":1,"id":"a","type":"resign","seq":NaN}',
    b'{"v":1,"id":"a","type":"resign","seq":Infinity}',
    b'{"v":1,"id":"a","type":"resign","seq":' + b"9" * 9_000 + b"}",
    b'{"v":1,"id":"\\ud800","type":"resign"}',
    b'{"v":1,"id":"a","match":"\\udfff","type":"resign"}',
    b'{"v":1,"id":"a","type":"new_game","clock":{"stages":[{"moves":null,"minutes":1e999}]}}',
    b'{"v":1,"id":"a","type":{"$ne":1}}',
    b"\xef\xbb\xbf{}",
]


@given(st.binary(max_size=400))
@example(b"{}")
def test_no_bytes_raise(data: bytes) -> None:
    """Random bytes are refused, with words and an answer that is JSON."""
    problem = parse_command(data)
    assert isinstance(problem, Problem)
    assert problem.words
    assert json.loads(json.dumps(refused(problem)))["accepted"] is False
    assert isinstance(parse_throw(data), Problem)


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_bytes_are_refused(data: bytes) -> None:
    """Deep nesting, huge numbers, lone surrogates, NaN: malformed, and the answer can be written as UTF-8."""
    problem = parse_command(data)
    assert isinstance(problem, Problem)
    assert problem.code == "malformed"
    json.dumps(refused(problem), ensure_ascii=False).encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.long
@settings(suppress_health_check=[HealthCheck.too_slow])  # a busy machine, not too much data
@given(
    st.sampled_from(COMMAND_TYPES),
    st.dictionaries(st.sampled_from(["move", "seq", "id", "side", "bed"]), JSON),
)
def test_mutated_commands_never_raise(type: str, changes: dict[str, Any]) -> None:
    """Any JSON value in any place gives a command or a refusal of at most 300 characters."""
    body = json.dumps({**MOVE, "type": type, **changes}).encode()
    read = parse_command(body)
    if isinstance(read, Problem):
        assert 0 < len(read.words) <= 300
    else:
        assert read.type == type


def test_a_throw_has_one_outcome() -> None:
    """A throw has millimetres, a miss, or a bounce-out with or without the place, and nothing else."""
    right = [
        {"x_mm": 3, "y_mm": -4.5},
        {"miss": True},
        {"bounce_out": True},
        {"x_mm": 1, "y_mm": 2, "bounce_out": True},
    ]
    for fields in right:
        assert isinstance(parse_throw(json.dumps({"v": 1, **fields}).encode()), Throw)
    wrong = [{}, {"x_mm": 1}, {"miss": True, "x_mm": 1, "y_mm": 1}, {"miss": True, "bounce_out": True}]
    wrong += [{"x_mm": 1e9, "y_mm": 0}, {"x_mm": "1", "y_mm": 0}]
    for fields in wrong:
        assert isinstance(parse_throw(json.dumps({"v": 1, **fields}).encode()), Problem)
