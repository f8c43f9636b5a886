"""The message `light`: what it takes, and what is no such message."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scharten.contract.light import LONGEST_MS, duration_ms, light_message, parse_light
from scharten.errors import Problem

GOOD = {"v": 2, "by": "projector", "at_ms": 1_795_190_400_000, "back_ms": 1_795_190_400_120}


def test_a_change_is_as_long_as_was_said() -> None:
    """Only the time between counts; one that is reported to take for ever is cut."""
    light = parse_light(json.dumps(GOOD).encode())
    assert not isinstance(light, Problem) and duration_ms(light) == 120
    assert duration_ms(light_message("lamps", 5, 10**9)) == LONGEST_MS


@pytest.mark.parametrize("ends_ms", [-1, -(10**9), LONGEST_MS + 1, 10**12])
def test_a_change_that_ends_before_it_begins_or_never_is_the_longest(ends_ms: int) -> None:
    """The light changes whatever was reported of its end: cameras that went on looking would be fooled."""
    light = parse_light(json.dumps({**GOOD, "back_ms": GOOD["at_ms"] + ends_ms}).encode())  # type: ignore[operator]
    assert not isinstance(light, Problem) and duration_ms(light) == LONGEST_MS


@pytest.mark.parametrize(
    "change",
    [
        {"by": ""},
        {"by": "A lamp"},
        {"v": 1},
        {"at_ms": "now"},
        {"more": 1},
    ],
)
def test_what_is_no_such_message_is_refused_in_words(change: dict[str, Any]) -> None:
    """Without a name, of another form."""
    light = parse_light(json.dumps({**GOOD, **change}).encode())
    assert isinstance(light, Problem) and light.code == "malformed"


@given(st.binary(max_size=2000))
def test_no_bytes_raise(data: bytes) -> None:
    """Whatever comes is a message or a problem."""
    assert isinstance(parse_light(data), Problem | dict)
