"""The Pico's own parts: its boot, its line over USB, its watchdog; the compiled program (the UF2) in rp2040js.

What it shares with the Arduinos is in test_tables.py and the conformance suite, which run on it too.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator

import pytest

from firmware import measure
from firmware.conftest import fresh
from firmware.driver import BUILD, FIRMWARE, FULL, RP2040JS, Board, brief, events, hellos, make, need
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
    """Presses of 1 to 5 ms with up to 0.8 ms of bounce: none missed, none doubled, none wrong, the line in time."""
    pico.set("vote_window_ms", window)
    count = 30 if FULL else 3
    found = measure.random_presses(pico, count, (1, 5), 0.8, inside=False, seed=window + 1)
    assert (found.pressed, found.missed, found.doubled, found.wrong) == (count, 0, 0, 0)
    assert found.percentile(0.99) < (12 if window else 6)


def test_the_scan_is_quick_and_never_reads_too_early(pico: Board) -> None:
    """A pass takes under 0.5 ms, no line is read before it settled, none is ever driven high."""
    figures = measure.scan_figures(pico, 300 if FULL else 140)
    assert figures["pass_max_us"] <= 500
    assert (figures["early_reads"], figures["driven_high"]) == (0, 0)


def test_memory_outlives_a_reset_and_not_the_power(pico: Board) -> None:
    """RESET: the same session and the same hit again, the clock not back; power: another session, from number 1."""
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
    """In an endless loop: a reset within 0.3 s, through boot2 and USB again; hits kept, and a notice."""
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
    """With both heads of the ring damaged a reset begins a new session, and says so."""
    pico.damage_memory()
    pico.reset()
    pico.run(200)
    assert Notice("memory_lost", 1) in [item.line for item in pico.take()]


def test_a_closed_port_is_silent_and_an_opened_one_greeted(pico: Board) -> None:
    """With a closed port the board sends nothing and keeps darts; it sends hello and the darts once the port opens."""
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
    """4 kB of junk at once lose nothing behind them: USB holds the host back."""
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


class Chip:
    """pico.mjs without the electronics: requests of a host to endpoint 0."""

    def __init__(self) -> None:
        need("pico")
        make("build/pico.uf2")
        pins = [
            ",".join(map(str, range(8))),
            ",".join(map(str, range(8, 19))),
            "19,20,21",
            "22,27,28",
            "0",
            "15",
        ]
        command = [
            "node",
            str(FIRMWARE / "simulator" / "pico.mjs"),
            str(RP2040JS),
            str(BUILD / "pico.uf2"),
            *pins,
        ]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command: str, *words: str) -> str:
        """A command, and the first line of the answer that begins with one of these words."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        return next(line.strip() for line in self._process.stdout if line.startswith(words))

    def request(self, kind: int, number: int, value: int, length: int, data: str = "") -> bytes:
        """The answer to a request."""
        packet = struct.pack("<BBHHH", kind, number, value, 0, length).hex()
        return bytes.fromhex(
            self.ask(f"setup {packet} {data}".strip(), "value").removeprefix("value").strip()
        )

    def close(self) -> None:
        """Switch it off."""
        self._process.terminate()
        self._process.communicate(timeout=40)


@pytest.fixture
def chip() -> Iterator[Chip]:
    """A Pico that has been enumerated."""
    chip = Chip()
    chip.ask("run 800000", "done")
    yield chip
    chip.close()


def test_its_descriptors_are_those_of_a_serial_line(chip: Chip) -> None:
    """Device, configuration (whole, and as much as asked for), strings, state and line coding, as a system asks."""
    device = chip.request(0x80, 6, 0x0100, 18)
    assert device[:2] == bytes([18, 1]) and struct.unpack_from("<HH", device, 8) == (0x2E8A, 0x000A)
    head = chip.request(0x80, 6, 0x0200, 9)
    (total,) = struct.unpack_from("<H", head, 2)
    whole = chip.request(0x80, 6, 0x0200, 255)
    assert len(head) == 9 and len(whole) == total and whole[:9] == head
    lengths, at = [], 0
    while at < total:
        lengths.append(whole[at])
        at += whole[at]
    assert at == total and whole[1] == 2
    for index, words in ((1, "Scharten"), (2, "Dartboard")):
        text = chip.request(0x80, 6, 0x0300 | index, 255)
        assert text[0] == len(text) and text[2:].decode("utf-16-le") == words
    assert chip.request(0x80, 8, 0, 1) == b"\x01"
    assert chip.request(0x80, 0, 0, 2) == b"\x00\x00"
    chip.request(0x21, 0x20, 0, 7, "80250000000008")
    assert chip.request(0xA1, 0x21, 0, 7).hex() == "80250000000008"


def test_1200_baud_make_it_a_drive(chip: Chip) -> None:
    """Opened and closed at 1200 baud it calls the ROM's boot loader; closed at 115200 it does not."""
    chip.request(0x21, 0x20, 0, 7, "00c20100000008")
    chip.request(0x21, 0x22, 1, 0)
    chip.request(0x21, 0x22, 0, 0)
    chip.request(0x21, 0x20, 0, 7, "b0040000000008")
    chip.request(0x21, 0x22, 1, 0)
    packet = struct.pack("<BBHHH", 0x21, 0x22, 0, 0, 0).hex()
    assert chip.ask(f"setup {packet}", "value", "crashed") == "crashed it became a drive"
