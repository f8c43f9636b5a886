"""The message `light`: valid fields and rejected forms."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scharten.contract.light import LONGEST_MS, duration_ms, light_message, parse_light
from scharten.errors import Problem

GOOD = {"v": 2, "by": "projector", "at_ms": 1_795_190_400_000, "back_ms": 1_795_190_400_120}


def test_a_change_lasts_as_long_as_reported() -> None:
    """Only the time between counts; a reported endless change is cut."""
    light = parse_light(json.dumps(GOOD).encode())
    assert not isinstance(light, Problem) and duration_ms(light) == 120
    assert duration_ms(light_message("lamps", 5, 10**9)) == LONGEST_MS


@pytest.mark.parametrize("ends_ms", [-1, -(10**9), LONGEST_MS + 1, 10**12])
def test_a_change_that_ends_before_it_begins_or_never_is_the_longest(ends_ms: int) -> None:
    """The light changes whatever end was reported, and would fool cameras that continued to look."""
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
def test_another_form_is_refused_in_words(change: dict[str, Any]) -> None:
    """The message needs a name and the right form."""
    light = parse_light(json.dumps({**GOOD, **change}).encode())
    assert isinstance(light, Problem) and light.code == "malformed"


@given(st.binary(max_size=2000))
def test_no_bytes_raise(data: bytes) -> None:
    """Any bytes give a message or a problem."""
    assert isinstance(parse_light(data), Problem | dict)
