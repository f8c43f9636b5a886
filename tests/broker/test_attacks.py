"""No attack on either broker gets through."""

from collections.abc import Callable

import pytest

from broker.attacks import ATTACKS
from broker.running import Running
from lab.trust.rows import Attack


@pytest.mark.long
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda item: item.__name__)
def test_an_attack_gets_nowhere(running: Running, attack: Callable[[Running], Attack]) -> None:
    """None of many attempts succeeds; the test prints the figure."""
    row = attack(running)
    print(f"{running.kind}: {row.what}: tried {row.tried}, succeeded {row.succeeded} {row.figure}")
    assert row.tried > 0
    assert row.succeeded == 0, row
