"""The Pico's USB: descriptors, serial number, halts, sleep and reset of the bus; the compiled program in rp2040js.

rp2040js knows no kinds of packet, halts or sleep: firmware/simulator/usb_host.mjs adds the host's side of them.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator

import pytest

from firmware.driver import BUILD, FIRMWARE, RP2040JS, make, need
from scharten.dartboard.lines import ack, query

pytestmark = pytest.mark.pico
MS = 16_000
"""A millisecond on the clock of the simulated electronics."""
OPEN = " ".join(["0"] * 17)
"""No contact is closed and no button is down."""
HALT, LINE_IN, LINE_OUT = 0, 0x82, 0x02


class Chip:
    """Run pico.mjs without the electronics: a host's requests to endpoint 0."""

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
        self.now = 0
        self._said = b""

    def tell(self, command: str) -> None:
        """Send a command that has no answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()

    def ask(self, command: str, *words: str) -> str:
        """Send a command; return the first line of the answer that begins with one of these words."""
        self.tell(command)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            kind, _, rest = line.strip().partition(" ")
            if kind == "o":
                self._said += bytes.fromhex(rest.split()[1])
            elif kind in words:
                return line.strip()
        raise AssertionError("the simulator ended")

    def run(self, ms: int) -> None:
        """Simulate this time."""
        self.now = int(self.ask(f"run {self.now + ms * MS}", "done").split()[1])

    def take(self) -> list[str]:
        """Return the lines that the host has read since the last call."""
        lines, _, self._said = self._said.rpartition(b"\n")
        return lines.decode("ascii").split("\n") if lines else []

    def press(self, drive: int, sense: int) -> None:
        """Press a contact for 20 ms, 2 ms from now."""
        rows = ["0"] * 17
        rows[drive] = str(1 << sense)
        self.tell(f"w {self.now + 2 * MS} {' '.join(rows)}")
        self.tell(f"w {self.now + 22 * MS} {OPEN}")

    def send(self, data: bytes) -> None:
        """Send bytes from the host."""
        self.tell(f"b {data.hex()}")

    def request(
        self, kind: int, number: int, value: int, length: int, data: str = "", index: int = 0
    ) -> bytes | None:
        """Return the answer to a request; None if the board refuses it."""
        packet = struct.pack("<BBHHH", kind, number, value, index, length).hex()
        answer = self.ask(f"setup {packet} {data}".strip(), "value").removeprefix("value").strip()
        self.now += 2 * MS
        return None if answer == "refused" else bytes.fromhex(answer)

    def read(self, number: int, value: int, length: int) -> bytes:
        """Return the answer to a standard request of the device, which must not be refused."""
        answer = self.request(0x80, number, value, length)
        assert answer is not None
        return answer

    def text(self, index: int) -> str:
        """Return a string of its description."""
        found = self.read(6, 0x0300 | index, 255)
        assert found[0] == len(found)
        return found[2:].decode("utf-16-le")

    def halted(self, address: int) -> bool:
        """Return whether the board reports an endpoint as halted."""
        answer = self.request(0x82, 0, 0, 2, index=address)
        assert answer is not None and answer[1] == 0
        return answer[0] == 1

    def wrong(self) -> int:
        """Return how many packets had another kind than the host expected."""
        return int(self.ask("wrong", "value").split()[1])

    def close(self) -> None:
        """Switch the chip off."""
        self._process.terminate()
        self._process.communicate(timeout=40)


@pytest.fixture
def chip() -> Iterator[Chip]:
    """A Pico after its enumeration."""
    chip = Chip()
    chip.run(50)
    yield chip
    chip.close()


def starts(lines: list[str], *kinds: str) -> list[str]:
    """Return the lines of these kinds, without numbers that change with time."""
    return [",".join(line.split(",")[:4]) for line in lines if line.startswith(kinds)]


def test_its_descriptors_are_those_of_a_serial_line(chip: Chip) -> None:
    """Device, configuration (whole and partial), strings, state and line coding, as a system requests them."""
    device = chip.read(6, 0x0100, 18)
    assert device[:2] == bytes([18, 1]) and struct.unpack_from("<HH", device, 8) == (0x2E8A, 0x000A)
    head = chip.read(6, 0x0200, 9)
    (total,) = struct.unpack_from("<H", head, 2)
    whole = chip.read(6, 0x0200, 255)
    assert len(head) == 9 and len(whole) == total and whole[:9] == head
    at = 0
    while at < total:
        at += whole[at]
    assert at == total and whole[1] == 2
    assert [chip.text(index) for index in (1, 2)] == ["Scharten", "Dartboard"]
    assert chip.read(8, 0, 1) == b"\x01"
    assert chip.read(0, 0, 2) == b"\x00\x00"
    chip.request(0x21, 0x20, 0, 7, "80250000000008")
    assert chip.request(0xA1, 0x21, 0, 7) == bytes.fromhex("80250000000008")


def test_its_serial_number_is_that_of_its_flash_chip(chip: Chip) -> None:
    """Two boards differ by their flash chips' numbers; a chip without a number leaves the board without one."""
    assert chip.read(6, 0x0100, 18)[16] == 3
    assert chip.text(3) == "E66058388334A82F"
    for number, wanted in (("0123456789abcdef", "0123456789ABCDEF"), ("", None)):
        chip.tell(f"flash {number}".strip())
        chip.tell("power 3")
        chip.run(50)
        index = chip.read(6, 0x0100, 18)[16]
        assert (chip.text(index) if index else None) == wanted
    assert chip.request(0x80, 6, 0x0303, 255) is None


def test_1200_baud_make_it_a_drive(chip: Chip) -> None:
    """Opened and closed at 1200 baud the board calls the ROM's boot loader; closed at 115200 it does not."""
    chip.request(0x21, 0x20, 0, 7, "00c20100000008")
    chip.request(0x21, 0x22, 1, 0)
    chip.request(0x21, 0x22, 0, 0)
    chip.request(0x21, 0x20, 0, 7, "b0040000000008")
    chip.request(0x21, 0x22, 1, 0)
    packet = struct.pack("<BBHHH", 0x21, 0x22, 0, 0, 0).hex()
    assert chip.ask(f"setup {packet}", "value", "crashed") == "crashed it became a drive"


def test_a_halted_endpoint_loses_nothing(chip: Chip) -> None:
    """SET_FEATURE(halt) stops each direction of the line; afterwards no byte is lost and DATA0 comes first."""
    chip.run(200)
    chip.take()
    assert chip.request(0x02, 3, HALT, 0, index=LINE_IN) is not None
    assert (chip.halted(LINE_IN), chip.halted(LINE_OUT)) == (True, False)
    chip.press(2, 3)
    chip.run(60)
    assert chip.take() == []
    chip.request(0x02, 1, HALT, 0, index=LINE_IN)
    assert not chip.halted(LINE_IN)
    chip.run(40)
    assert starts(chip.take(), "$H") == ["$H,1,2,3"]

    chip.request(0x02, 3, HALT, 0, index=LINE_OUT)
    chip.send(ack(1) + query())
    chip.run(60)
    assert chip.halted(LINE_OUT) and starts(chip.take(), "$I") == []
    chip.request(0x02, 1, HALT, 0, index=LINE_OUT)
    chip.run(60)
    (hello,) = [line for line in chip.take() if line.startswith("$I")]
    assert hello.split(",")[7:9] == ["2", "2"], "the acknowledgement has arrived too"
    assert chip.wrong() == 0


@pytest.mark.long
def test_a_toggle_that_a_host_resets_is_reset(chip: Chip) -> None:
    """After CLEAR_FEATURE(halt) on an endpoint that is not halted, and SET_INTERFACE, packets begin with DATA0."""
    chip.run(200)
    for kind, number, index in ((0x02, 1, LINE_OUT), (0x02, 1, LINE_IN), (0x01, 11, 1)):
        chip.take()
        assert chip.request(kind, number, 0, 0, index=index) is not None
        chip.send(query())
        chip.run(250)  # the board answers `?` at most five times a second
        assert len(starts(chip.take(), "$I")) == 1
    assert chip.wrong() == 0


@pytest.mark.parametrize(
    ("kind", "number", "value", "index"),
    [
        (0x00, 3, 1, 0),  # remote wake-up, which the board does not announce
        (0x02, 3, HALT, 0x83),  # an endpoint that the board lacks
        (0x02, 3, 1, LINE_IN),  # a feature that no endpoint has
        (0x00, 9, 2, 0),  # a second configuration
        (0x01, 11, 1, 1),  # a second setting
    ],
)
def test_an_unsupported_request_is_refused(
    chip: Chip, kind: int, number: int, value: int, index: int
) -> None:
    """The board refuses a request that it cannot carry out, instead of acknowledging it."""
    assert chip.request(kind, number, value, 0, index=index) is None


@pytest.mark.long
def test_a_bus_reset_leaves_no_old_packet(chip: Chip) -> None:
    """A packet that waits at a bus reset is not the host's first packet, since it would have the wrong kind."""
    chip.run(200)
    for number in (1, 2):  # an odd and an even count of packets before
        chip.tell("sleep")
        chip.run(5)
        chip.tell("wake")
        chip.run(60)
        chip.take()
        chip.tell("hold")
        chip.press(1, number)
        chip.run(60)
        chip.tell("busreset")
        chip.run(120)
        chip.send(query())
        chip.run(60)
        lines = chip.take()
        assert f"$H,{number},1,{number}" in starts(lines, "$H"), lines
        assert all(line.startswith("$") for line in lines)
        chip.send(ack(number))
        chip.run(20)
    assert chip.wrong() == 0


@pytest.mark.long
def test_a_sleeping_host_reads_no_old_line(chip: Chip) -> None:
    """While the host sleeps the lamp is dark and darts are stored. On waking it reads a hello and the darts only."""
    chip.send(b"$C,lamp,1*09D5\n")
    chip.run(200)
    chip.take()
    assert chip.ask("lamp", "value") == "value 1"
    chip.tell("sleep")
    chip.run(20)
    assert chip.ask("lamp", "value") == "value 0"
    chip.press(3, 4)
    chip.run(2200)
    assert chip.take() == []
    chip.tell("wake")
    chip.run(300)
    lines = chip.take()
    assert lines[0].startswith("$I,") and starts(lines, "$H")[0] == "$H,1,3,4"
    assert not starts(lines, "$P"), "a heartbeat of the sleep"
    assert chip.ask("lamp", "value") == "value 1"
    assert chip.wrong() == 0
