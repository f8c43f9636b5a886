"""Short forms of `make -C firmware bench`: the counts that must be zero or complete, on the compiled program."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from firmware import measure
from firmware.conftest import KINDS_BY_NAME, fresh
from firmware.driver import Board, brief, events, hellos

pytestmark = pytest.mark.avr


@pytest.fixture(scope="module")
def large(tools: None) -> Iterator[Board]:
    """The reference board built for 16 x 16."""
    board = Board(*KINDS_BY_NAME["large"])
    yield fresh(board)
    board.close()


@pytest.mark.parametrize("window", [5, 0])
def test_bouncing_presses_on_random_contacts(mega: Board, window: int) -> None:
    """Presses of 1 to 5 ms with up to 0.8 ms of bounce: none missed, none doubled, none wrong."""
    mega.set("vote_window_ms", window)
    found = measure.random_presses(mega, 40, (1, 5), 0.8, inside=False, seed=window + 1)
    assert (found.pressed, found.missed, found.doubled, found.wrong) == (40, 0, 0, 0)


def test_every_clean_closure_of_1_ms_is_seen(mega: Board) -> None:
    """At any moment of the scan."""
    assert measure.clean_closures(mega, 1.0, 24) == 24


def test_the_largest_matrix_works_to_its_corners(large: Board) -> None:
    """16 x 16: contacts in all four corners hit, closures of 1.0 ms are seen, and no line is read before it settled."""
    for corner in ((0, 0), (0, 15), (15, 0), (15, 15)):
        large.press(*corner, 1)
        large.run(70)
    assert [brief(hit) for hit in events(large.take())] == ["H 0,0", "H 0,15", "H 15,0", "H 15,15"]
    assert measure.clean_closures(large, 1.0, 12) == 12
    figures = measure.scan_figures(large, 300)
    assert (figures["early_reads"], figures["driven_high"]) == (0, 0)


def test_a_bad_line_and_a_host_that_goes_away(mega: Board) -> None:
    """2 % of bytes damaged both ways and the host away for 2 s: every hit arrives once, in order."""
    found = measure.through_noise(mega, 40, away_ms=2000)
    assert (found.in_order, found.other, found.lost) == (40, 0, 0)
    assert found.damaged_bytes > 20


def test_a_reset_at_any_moment_loses_nothing_that_was_told(mega: Board) -> None:
    """Resets at random microseconds around the writing of a hit keep session, numbers and hits."""
    assert measure.resets(mega, 6) == 6


def test_lost_memory_is_a_new_session(mega: Board) -> None:
    """Off and on again: another session id each time, numbers from 1; a reset alone keeps both."""
    sessions = set()
    for power in (11, 12, 13):
        mega.power(power)
        mega.run(150)
        (hello,) = hellos(mega.take())
        assert (hello.first_seq, hello.next_seq) == (1, 1)
        sessions.add(hello.session)
    mega.reset()
    mega.run(100)
    assert len(sessions) == 3 and hellos(mega.take())[0].session == hello.session


def test_the_clock_goes_on_after_a_reset(mega: Board) -> None:
    """A reset sets the clock forward by the boot loader's time, never back: stamps of before stay in the past."""
    mega.press(1, 1, 1)
    mega.run(500)
    before = events(mega.take())[0].t_ms
    mega.reset()
    mega.run(100)
    said = mega.take()
    assert events(said)[0].t_ms == before
    assert before < hellos(said)[0].t_ms < before + 4000
