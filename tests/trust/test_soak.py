"""A long evening in short: two thousand inputs through a real daemon (50,000 turns in `make trust`)."""

import re

import pytest

from scharten.bench import soak


@pytest.mark.timeout(600)
def test_two_thousand_inputs_leave_memory_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    """Darts and moves at speed, every one stored: memory after the warm-up stays flat; the figures are printed."""
    soak.run(2000)
    told = capsys.readouterr().out
    with capsys.disabled():
        print(told)
    stored = re.search(r"(\d+) inputs stored", told)
    growth = re.search(r"at the end: ([-+][\d.]+)%", told)
    assert stored and int(stored[1]) >= 2000
    assert growth and float(growth[1]) < 15  # the referee's tables, of bounded size, still fill
