"""The Pico's own parts: its boot, its watchdog, its open and closed port; the compiled program (the UF2) in rp2040js.

Its USB is in test_pico_usb.py. What it shares with the Arduinos is in test_tables.py and the conformance suite, which
run on it too.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from firmware import measure
from firmware.conftest import fresh
from firmware.driver import FULL, Board, brief, events, hellos
from scharten.dartboard.lines import Notice, ack, query

pytestmark = pytest.mark.pico


@pytest.fixture(scope="module")
def running_pico() -> Iterator[Board]:
    """The Pico, started once."""
    board = Board("pico", 8, 11)
    yield board
    board.close()


@pytest.fixture
def pico(running_pico: Board) -> Board:
    """The Pico, just plugged in, its port open."""
    running_pico.tell("line 1")
    return fresh(running_pico)


@pytest.mark.parametrize("window", [5, 0])
def test_bouncing_presses_on_random_contacts(pico: Board, window: int) -> None:
    """Presses of 1 to 5 ms with up to 0.8 ms of bounce: none missed, duplicated or wrong, each line in time."""
    pico.set("vote_window_ms", window)
    count = 30 if FULL else 3
    found = measure.random_presses(pico, count, (1, 5), 0.8, inside=False, seed=window + 1)
    assert (found.pressed, found.missed, found.doubled, found.wrong) == (count, 0, 0, 0)
    assert found.percentile(0.99) < (12 if window else 6)


def test_the_scan_is_quick_and_never_reads_too_early(pico: Board) -> None:
    """A pass takes under 0.5 ms, each line settles before it is read, and none is ever driven high."""
    figures = measure.scan_figures(pico, 300 if FULL else 140)
    assert figures["pass_max_us"] <= 500
    assert (figures["early_reads"], figures["driven_high"]) == (0, 0)


def test_memory_outlives_a_reset_and_not_the_power(pico: Board) -> None:
    """After RESET session and hit stay and the clock does not go back; after a power cycle a new session
    starts at 1."""
    pico.press(3, 4, 1)
    pico.run(60)
    before = pico.take()
    pico.reset()
    pico.run(300)
    later = pico.take()
    assert (
        [brief(event) for event in events(later)] == ["H 3,4"] == [brief(event) for event in events(before)]
    )
    pico.send(query())
    pico.run(60)
    (hello,) = hellos(pico.take())
    assert hello.t_ms > events(before)[0].t_ms
    sessions = set()
    for power in (11, 12):
        pico.power(power)
        pico.run(100)
        (cold,) = hellos(pico.take())
        assert (cold.first_seq, cold.next_seq) == (1, 1)
        sessions.add(cold.session)
    assert len(sessions | {hello.session}) == 3


def test_the_watchdog_starts_a_program_gone_astray(pico: Board) -> None:
    """An endless loop leads to a reset within 0.3 s, through boot2 and USB again; hits stay, and a notice is sent."""
    pico.press(1, 1, 1)
    pico.run(60)
    pico.send(query())
    pico.run(40)
    (hello,) = hellos(pico.take())
    pico.tell("hang")
    pico.run(600)
    said = pico.take()
    assert hellos(said)[0].session == hello.session
    assert [brief(event) for event in events(said)] == ["H 1,1"]
    assert Notice("restarts", 1) in [item.line for item in said]


def test_damaged_memory_is_discarded_and_reported(pico: Board) -> None:
    """With both heads of the ring damaged a reset begins a new session, and a notice reports it."""
    pico.damage_memory()
    pico.reset()
    pico.run(200)
    assert Notice("memory_lost", 1) in [item.line for item in pico.take()]


def test_a_closed_port_is_silent_and_an_opened_one_greeted(pico: Board) -> None:
    """With a closed port the board sends nothing and stores darts. It sends hello and the darts once the port
    opens."""
    pico.tell("line 0")
    pico.run(20)
    pico.take()
    pico.press(2, 2, 1)
    pico.press(5, 5, 150)
    pico.run(1050)
    assert pico.take() == []
    pico.tell("line 1")
    pico.run(300)
    said = pico.take()
    assert said[0].text.startswith("$I,")
    assert [brief(event) for event in events(said)] == ["H 2,2", "H 5,5"]


def test_a_flood_from_the_host_waits_in_the_host(pico: Board) -> None:
    """4 kB of junk at once lose no later byte: USB holds the host back."""
    pico.press(2, 2, 1)
    pico.run(60)
    pico.take()
    pico.send(b"!" * 4000 + b"\n" + ack(1) + query())
    pico.run(300)
    (hello,) = hellos(pico.take())
    assert (hello.first_seq, hello.next_seq) == (2, 2)


def test_the_lamp_lights_its_own_pins(pico: Board) -> None:
    """Green for `throw now`, dark at 0."""
    pico.set("lamp", 1)
    assert pico.tell("lamp")["first"] == 1
    pico.set("lamp", 0)
    assert pico.tell("lamp")["first"] == 0
