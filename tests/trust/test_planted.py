"""The faults of `make trust ARGS=--planted`: each has its place in the program, and its row exists."""

import ast

import pytest

from lab.trust.parts import PARTS, ROWS
from lab.trust.planted import planted
from lab.trust.planted_faults import FAULTS, Planted


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_can_be_planted(fault: Planted) -> None:
    """Its text occurs in the program exactly once, the result is valid Python, and its row is in `make trust`."""
    ast.parse(planted(fault))
    part, _, row = fault.row.partition(":")
    assert part in PARTS and (not row or row in ROWS[part])


def test_there_are_at_least_thirty_faults() -> None:
    """Each fault has its own name."""
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30
