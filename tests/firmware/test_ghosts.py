"""A law for any pattern of contacts: a hit was really closed, and a throw gives at most one hit."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firmware.conftest import fresh
from firmware.driver import Board, events
from scharten.dartboard.lines import HitLine

CLOSURE = st.tuples(
    st.integers(0, 3), st.integers(0, 3), st.floats(0, 60), st.floats(0.05, 40)
)  # few lines, so that rectangles are common


@given(st.lists(CLOSURE, min_size=1, max_size=9), st.sampled_from([0, 5]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_ghost_is_ever_a_hit(
    running_core: Board, closures: list[tuple[int, int, float, float]], window: int
) -> None:
    """Every hit names a contact that was closed just before the report, for any order of closures."""
    board = fresh(running_core)
    board.set("vote_window_ms", window)
    start = board.now_us
    for drive, sense, from_ms, lasts_ms in closures:
        board.press(drive, sense, from_ms, lasts_ms)
    board.run(200)
    first: dict[int, tuple[float, HitLine]] = {}
    for said in board.take():
        if isinstance(said.line, HitLine):
            first.setdefault(said.line.seq, (said.from_us, said.line))
    for sent_us, hit in first.values():
        own = [(f, f + d) for dr, se, f, d in closures if (dr, se) == (hit.contact.drive, hit.contact.sense)]
        sent_ms = (sent_us - start) / 1000
        # The board decides at most a window, two passes and a few queued lines after it saw the closure.
        assert any(begin <= sent_ms and sent_ms - 6 - 3 * len(first) <= end + 1 for begin, end in own), (
            hit,
            own,
        )


@given(st.lists(CLOSURE, min_size=1, max_size=9))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_hits_are_100_ms_apart(running_core: Board, closures: list[tuple[int, int, float, float]]) -> None:
    """Two hits are two darts: their stamps differ by at least 95 ms (the vote may take 5 ms)."""
    board = fresh(running_core)
    for drive, sense, from_ms, lasts_ms in closures:
        board.press(drive, sense, from_ms, lasts_ms)
    board.run(200)
    stamps = [event.t_ms for event in events(board.take()) if isinstance(event, HitLine)]
    assert all(abs(stamp - other) >= 95 for i, stamp in enumerate(stamps) for other in stamps[:i])
