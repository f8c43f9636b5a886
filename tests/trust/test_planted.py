"""Faults that `make trust ARGS=--planted` plants: each has its place, and its row exists."""

import ast

import pytest

from lab.trust.parts import PARTS, ROWS
from lab.trust.planted import planted
from lab.trust.planted_faults import FAULTS, Planted


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_can_be_planted(fault: Planted) -> None:
    """Its place stands in the program exactly once, what it makes is Python, and its row is one of `make trust`."""
    ast.parse(planted(fault))
    part, _, row = fault.row.partition(":")
    assert part in PARTS and (not row or row in ROWS[part])


def test_there_are_enough_of_them() -> None:
    """At least thirty, each with a name of its own."""
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30
