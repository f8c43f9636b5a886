"""A long evening in short: three hundred turns through a real daemon (50,000 in `make trust`)."""

import pytest

from lab import soak


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_fast_evening_is_stored_and_leaks_no_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """Every dart and move is stored, memory grows by less than 20 %, and a game takes under 200 kB. Figures are
    printed."""
    found = soak.measure(300)
    with capsys.disabled():
        for what, figure in found.figures():
            print(f"{what:16}{figure}")
    assert found.stored >= found.turns == 300
    assert found.growth < 0.20  # the referee's tables, of bounded size, still fill
    assert 0 < found.journal / found.games < 200_000
