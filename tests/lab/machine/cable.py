"""Rows of `make machine` about the board's cable: chips, ports, other devices and the hub."""

from __future__ import annotations

import random
import time

from lab.machine.board import UsbBoard
from lab.machine.chips import CH340, FTDI, MEGA, PICO, UNO, ZIGBEE
from lab.machine.evening import WAIT_S, Evening, Finding, bed_for, evening
from lab.machine.qemu import Machine
from lab.machine.size import OUT_S, Size

UNTIL = "for n in $(seq 500); do test {test} && exit 0; sleep 0.5; done; exit 1"
HELLO = """
import serial, time
with serial.Serial("/dev/{tty}", 115200, timeout=20) as line:
    time.sleep(1.5)
    line.write(b"?\\n")
    end = time.monotonic() + 20
    said = b""
    while b"$I," not in said or not said.endswith(b"\\n"):
        said = line.readline()
        if time.monotonic() > end: break
    print(said.decode("ascii", "replace"))
"""


def chips(machine: Machine, size: Size) -> Finding:
    """Each kind of board gets its right name, and sends a hello when opened; DTR resets it."""
    expected = {MEGA: "ttyACM", UNO: "ttyACM", PICO: "ttyACM", CH340: "", FTDI: ""}
    machine.start_warm()
    wrong = []
    for chip, link in expected.items():
        night = Evening(machine, chip)
        machine.sh("systemctl stop scharten")
        night.plug()
        tty = "ttyACM0" if link else "ttyUSB0"
        machine.sh(UNTIL.format(test=f"-c /dev/{tty}"))
        machine.sh("udevadm settle")
        shown = machine.sh("readlink /dev/scharten-board", check=False)
        said = machine.sh("/usr/lib/scharten/bin/python -", stdin=HELLO.format(tty=tty))
        if bool(shown) != bool(link) or "$I,1," not in said:
            wrong.append(f"{chip.name}: link {shown!r}, said {said[:40]!r}")
        night.end()
        machine.sh(UNTIL.format(test=f"! -c /dev/{tty}"))
    machine.end()
    return Finding(
        tries=len(expected),
        refused=len(wrong),
        note="; ".join(wrong) or "links, drivers and hello as they should be",
    )


def unplug(machine: Machine, size: Size) -> Finding:
    """The cable is unplugged while a dart is being read, and plugged in again."""
    with evening(machine) as night:
        night.begin()
        chance = random.Random(1)
        for _ in range(size.unplugs):
            _pulled_in_a_dart(night, chance.uniform(0, 30))
            with night.play_again():
                night.plug()
        night.found.tries = size.unplugs
        night.found.note = "the board has a supply of its own"
        return night.judge()


def _pulled_in_a_dart(night: Evening, after_ms: float) -> None:
    """Throw a dart and pull the cable this long after its contact closed; the board keeps the dart."""
    night.board.press(bed_for(night.dart()))
    time.sleep(after_ms / 1000)
    night.board.unplug()
    time.sleep(OUT_S)


def other_port(machine: Machine, size: Size) -> Finding:
    """The cable is plugged into another port, because a Zigbee stick took the first one."""
    with evening(machine) as night:
        night.begin()
        stick = _stick(night)
        for _ in range(max(1, size.unplugs // 3)):
            night.board.unplug()
            time.sleep(OUT_S)
            stick.unplug() if stick.plugged else night.plug(stick)
            with night.play_again():
                night.plug()
        night.found.tries = max(1, size.unplugs // 3)
        stick.close()
        return night.judge()


def _stick(night: Evening) -> UsbBoard:
    """Return a Zigbee stick; a board's firmware behind it represents a device that would answer if it were opened."""
    return UsbBoard(night.server, "1-2", ZIGBEE, seed=2)


def zigbee(machine: Machine, size: Size) -> Finding:
    """A Zigbee stick is plugged in before the board: the service does not open it, and finds the board."""
    with evening(machine) as night:
        stick = _stick(night)
        night.plug(stick)
        night.begin()
        opened = night.machine.sh(
            "fuser /dev/ttyUSB0 2>/dev/null || find /proc/[0-9]*/fd -lname /dev/ttyUSB0 2>/dev/null",
            check=False,
        )
        link = night.machine.sh("readlink /dev/scharten-board")
        night.found.refused += int(bool(opened)) + int(not link.startswith("ttyACM"))
        night.found.note = (
            f"/dev/scharten-board is {link}; {'opened' if opened else 'nobody opened'} the stick"
        )
        stick.close()
        return night.judge()


def two_boards(machine: Machine, size: Size) -> Finding:
    """A second board is plugged in during play, and taken away: the game stays at the first."""
    with evening(machine) as night:
        night.begin()
        second = UsbBoard(night.server, "1-2", UNO, seed=2)
        night.plug(second)
        night.play(2)
        second.unplug()
        night.play(2)
        second.close()
        return night.judge()


CHOSEN = """
from scharten.sensors.ports import hello_of, ports
found = {}
for port in ports():
    if "FT232R" in port.title:
        found[port.path] = hello_of(port.path, 115200, 60).board
assert list(found.values()) == ["scharten-mega"], found
print(*found)
"""
"""Choose the board's port as the set-up page does: by the list, and by the hello of the chosen one."""


def chosen(machine: Machine, size: Size) -> Finding:
    """A board with an FTDI chip is chosen once, by its hello; then a Zigbee stick takes its tty, and the board is
    still found."""
    with evening(machine, FTDI) as night:
        night.plug()
        machine.sh(UNTIL.format(test="-c /dev/ttyUSB0"))
        machine.sh("udevadm settle && systemctl stop scharten")
        port = machine.sh("/usr/lib/scharten/bin/python -", WAIT_S, stdin=CHOSEN)
        machine.sh(f"sed -i 's#^port = .*#port = \"{port}\"#' /etc/scharten/scharten.toml")
        machine.sh("systemctl start scharten", WAIT_S)
        night.begin(plugged=True)
        night.board.unplug()
        time.sleep(OUT_S)
        stick = _stick(night)
        night.plug(stick)
        machine.sh(UNTIL.format(test="-c /dev/ttyUSB0"))
        with night.play_again():
            night.plug()
        tty = machine.sh(f"readlink {port}")
        night.found.refused += int(FTDI.strings[2] not in port or tty.endswith("ttyUSB0"))
        night.found.note = f"kept as {port.rpartition('/')[2]}, now {tty.rpartition('/')[2]}"
        stick.close()
        return night.judge()


def brown_out(machine: Machine, size: Size) -> Finding:
    """The hub's voltage dips: every device goes at once, and the board's memory with it."""
    with evening(machine) as night:
        stick = _stick(night)
        night.plug(stick)
        night.begin()
        for device in (night.board, stick):
            device.unplug()
        night.board.lose_power()
        time.sleep(OUT_S)
        with night.play_again():
            night.plug(stick)
            night.plug()
        stick.close()
        return night.judge()
