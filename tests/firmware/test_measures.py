"""Short forms of `make -C firmware bench`: counts that must be zero or complete, on the compiled program."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from firmware import measure
from firmware.conftest import KINDS_BY_NAME, fresh
from firmware.driver import Board, Said, board_pins, brief, elf, events, hellos
from scharten.dartboard.lines import Notice, query

pytestmark = pytest.mark.avr


@pytest.fixture(scope="module")
def large() -> Iterator[Board]:
    """The reference board built for 16 x 16."""
    board = Board(*KINDS_BY_NAME["large"])
    yield fresh(board)
    board.close()


@pytest.mark.parametrize("window", [5, 0])
def test_bouncing_presses_on_random_contacts(mega: Board, window: int) -> None:
    """Presses of 1 to 5 ms with up to 0.8 ms of bounce: none missed, duplicated or wrong."""
    mega.set("vote_window_ms", window)
    found = measure.random_presses(mega, 40, (1, 5), 0.8, inside=False, seed=window + 1)
    assert (found.pressed, found.missed, found.doubled, found.wrong) == (40, 0, 0, 0)


def test_every_clean_closure_of_1_ms_is_seen(mega: Board) -> None:
    """The closure may begin at any moment of the scan."""
    assert measure.clean_closures(mega, 1.0, 24) == 24


def test_the_largest_matrix_works_to_its_corners(large: Board) -> None:
    """16 x 16: contacts in all four corners hit, closures of 1.0 ms are seen, and each line settles before it
    is read."""
    for corner in ((0, 0), (0, 15), (15, 0), (15, 15)):
        large.press(*corner, 1)
        large.run(130)
    assert [brief(hit) for hit in events(large.take())] == ["H 0,0", "H 0,15", "H 15,0", "H 15,15"]
    assert measure.clean_closures(large, 1.0, 12) == 12
    figures = measure.scan_figures(large, 300)
    assert (figures["early_reads"], figures["driven_high"]) == (0, 0)


def test_the_unos_stack_stays_within_half_of_its_free_memory() -> None:
    """Half a second full of darts uses at most half of the RAM that the program leaves free."""
    uno = Board("uno", 8, 8)
    uno.settle()
    deepest = measure.scan_figures(uno, 500)["stack"]
    uno.close()
    sizes = subprocess.run(["avr-size", elf("uno")], check=True, capture_output=True, text=True).stdout
    free = board_pins.load_board("uno").flash.ram_bytes - sum(map(int, sizes.splitlines()[1].split()[1:3]))
    assert 0 < deepest <= free / 2


def test_a_bad_line_and_a_host_that_goes_away(mega: Board) -> None:
    """2 % of bytes damaged both ways, 8 hits a second, the host away for 5 s: every hit arrives once, in order."""
    found = measure.through_noise(mega, 120)
    assert (found.in_order, found.other, found.lost) == (120, 0, 0)
    assert found.damaged_bytes > 20


def test_a_reset_at_any_moment_loses_no_reported_hit(mega: Board) -> None:
    """Resets at random microseconds around the storing of a hit preserve session, numbers and hits."""
    assert measure.resets(mega, 6) == 6


def test_lost_memory_is_a_new_session(mega: Board) -> None:
    """After each power cycle the session id is new and numbers start at 1; a reset alone preserves both."""
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


def test_the_watchdog_restarts_a_hanging_program_without_loss(mega: Board) -> None:
    """In an endless loop the watchdog's interrupt restarts the program within 0.3 s without a reset of the
    chip. Session and hits stay, a notice is sent, and the next dart counts."""
    mega.press(1, 1, 1)
    mega.run(100)
    before = mega.take()
    mega.tell("hang")
    mega.run(320)
    (hello,) = hellos(mega.take())
    mega.run(100)
    mega.press(2, 2, 1)
    mega.run(400)
    said = mega.take()
    assert [brief(event) for event in events([*before, *said])] == ["H 1,1", "H 2,2"]
    assert {event.seq for event in events(said)} == {1, 2}, "the first is still to be acknowledged"
    mega.send(query())
    mega.run(80)
    said = mega.take()
    assert hellos(said)[0].session == hello.session
    assert Notice("restarts", 1) in [item.line for item in said]


def test_damaged_memory_is_discarded_and_reported(mega: Board) -> None:
    """With both heads of the ring damaged a reset begins a new session, and a notice reports the lost memory.
    A power-up, which finds random memory, sends no notice."""
    mega.press(1, 1, 1)
    mega.run(100)
    session = hellos(ask(mega))[0].session
    mega.damage_memory()
    mega.reset()
    mega.run(150)
    said = mega.take()
    assert hellos(said)[0].session != session and hellos(said)[0].next_seq == 1
    assert Notice("memory_lost", 1) in [item.line for item in said]
    mega.power(5)
    mega.run(150)
    assert not any(isinstance(item.line, Notice) for item in mega.take())


def ask(board: Board) -> list[Said]:
    """Return the board's answer to `?`."""
    board.take()
    board.send(query())
    board.run(80)
    return board.take()


def test_the_matrix_size_survives_a_power_cycle(mega: Board) -> None:
    """The board scans the matrix that a host once set."""
    mega.set("drives", 16)
    mega.run(100)
    mega.take()
    mega.power(9)
    mega.run(150)
    (hello,) = hellos(mega.take())
    mega.set("drives", 8)
    assert (hello.drives, hello.senses) == (16, 11)


def test_the_clock_continues_after_a_reset(mega: Board) -> None:
    """A reset sets the clock forward by the boot loader's time, never back, so earlier stamps stay in the past."""
    mega.press(1, 1, 1)
    mega.run(500)
    before = events(mega.take())[0].t_ms
    mega.reset()
    mega.run(100)
    said = mega.take()
    assert events(said)[0].t_ms == before
    assert before < hellos(said)[0].t_ms < before + 4000


def test_no_reset_sets_the_clock_back(mega: Board) -> None:
    """60 resets a few ms apart, at varied microseconds: each hello is later than the one before."""
    clock = -1
    for n in range(60):
        mega.run(9 + 0.0137 * n)
        mega.reset()
        mega.run(14)
        (hello,) = hellos(mega.take())
        assert hello.t_ms > clock, n
        clock = hello.t_ms
