"""A long evening in short: two thousand inputs through a real daemon (50,000 turns in `make trust`)."""

import pytest

from lab import soak


@pytest.mark.timeout(600)
def test_two_thousand_inputs_leave_memory_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    """Darts and moves at speed, every one stored: memory after the warm-up stays flat; the figures are printed."""
    found = soak.measure(2000)
    with capsys.disabled():
        for what, figure in found.figures():
            print(f"{what:16}{figure}")
    assert found.stored >= found.turns == 2000
    assert found.growth < 0.10  # the referee's tables, of bounded size, still fill
    assert 0 < found.journal / found.games < 200_000
