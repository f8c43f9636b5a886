"""No attack on either broker gets through."""

from collections.abc import Callable

import pytest

from lab.trust.rows import Attack
from mqtt.attacks import ATTACKS
from mqtt.running import Running


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: one.__name__)
def test_an_attack_gets_nowhere(running: Running, attack: Callable[[Running], Attack]) -> None:
    """Tried many times, succeeded never; the figure is printed for whoever reads the log."""
    row = attack(running)
    print(f"{running.kind}: {row.what}: tried {row.tried}, succeeded {row.succeeded} {row.figure}")
    assert row.tried > 0
    assert row.succeeded == 0, row
