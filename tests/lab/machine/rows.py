"""The rows of `make machine`: each is one function, and one line in `ROWS`. It gets a machine that has just booted."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.daemon_process import wait_for
from lab.figures import percentile
from lab.kept import Results
from lab.kept import Row as Result
from lab.machine.board import UsbBoard
from lab.machine.cameras import Cameras
from lab.machine.chips import CH340, FTDI, MEGA, PICO, UNO, ZIGBEE
from lab.machine.evening import DATA, WAIT_S, Evening, Finding, bed_for, evening
from lab.machine.image import LATER
from lab.machine.qemu import Machine

OUT_S = 4.0
"""The time in s for which a cable stays unplugged."""
ASLEEP_S = 30.0
PACE_S = 3.0
"""Between two turns of a whole game; the board of a busy bench dates its darts up to three seconds early."""
SLOW_S = 0.2
"""A worn card: seconds for each write and flush."""
DPKG_S = 3600.0
"""The longest wait for dpkg, which compiles the modules: minutes on an emulated machine, more on a busy one."""
WRONG_CLOCK = "2001-01-01T00:00:00"
BALLAST = f"{DATA}/ballast"
FULL = (
    f"dd if=/dev/zero of={BALLAST} bs=1M 2>/dev/null; dd if=/dev/zero of={BALLAST}2 bs=1k 2>/dev/null; sync"
)


@dataclass(frozen=True)
class Size:
    """The size of a run."""

    cuts: int = 50
    unplugs: int = 20
    turns: int = 80


SHORT = Size(cuts=1, unplugs=3, turns=40)


def game(machine: Machine, size: Size) -> Finding:
    """One game is played from its first dart to its result."""
    with evening(machine) as night:
        night.pace_s = PACE_S
        night.begin()
        night.play(size.turns)
        answer = night.peer.ask("resign", WAIT_S, side="white")
        assert answer["accepted"], answer
        state = night.peer.wait(lambda state: state["result"] is not None, WAIT_S, "the result")
        night.found.note = f"{state['turns']} turns, {len(night.board.pressed)} darts, {state['result']}"
        return night.judge()


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


CUT_S = 0.5
"""The longest time from a dart to a power cut: until then an emulated machine has stored it."""
CARD_S = 0.03
"""Each write and flush of a card in use; a quick disk is hardly ever caught between the two."""
CUTS_OF_A_GAME = 10
"""After this many power cuts a new game begins, so that none ends under the bench."""
WHOLE_BOOT = 10
"""Each power cut of such a number is followed by a whole boot; the others start when the disk of the games comes."""
LOOP = "import time; began = time.time(); sum(n * n for n in range(1000000)); print(time.time() - began)"


def power_cut(machine: Machine, size: Size) -> Finding:
    """The plug is pulled at a random moment around a dart; the disk forgets what was not flushed."""
    kept = Results(machine.image.folder / "power-cuts.jsonl")
    head: Result = {"accelerator": machine.accelerator}
    machine.prepare_booted()
    while (done := len(kept.rows_of(head))) < size.cuts:
        machine.seed = done
        with evening(machine) as night:
            night.begin()
            for number in range(done, min(size.cuts, done + CUTS_OF_A_GAME)):
                kept.add({**head, "number": number, **_cut(night, number)})
    return power_cuts(kept.rows_of(head)[: size.cuts])


def _cut(night: Evening, number: int) -> Result:
    """Cut the power once, and play again."""
    machine, chance, found = night.machine, random.Random(number), night.found
    lost, doubled, refused = found.lost, found.doubled, found.refused
    slower = _loop_s(machine) / _loop_s()  # beside other work a single one says little
    assert machine.disk is not None
    machine.disk.delay_s = CARD_S
    night.board.press(bed_for(night.dart()))
    time.sleep(chance.uniform(0, CUT_S))
    survived, gone = machine.power_cut()
    night.board.unplug()
    night.reconnect()
    with night.play_again():
        machine.start_booted() if number % WHOLE_BOOT else machine.start_cold()
        night.plug()
    night.judge()
    return {
        "lost": found.lost - lost,
        "doubled": found.doubled - doubled,
        "refused": found.refused - refused,
        "again_s": found.again_s[-1],
        "slower": slower,
        "survived": survived,
        "gone": gone,
        "date": time.strftime("%Y-%m-%d"),
    }


def _loop_s(machine: Machine | None = None) -> float:
    """The seconds of a loop of Python in the machine, or here."""
    if machine is not None:
        return float(machine.sh(f"python3 -c '{LOOP}'"))
    return float(subprocess.run([sys.executable, "-c", LOOP], capture_output=True, check=True).stdout)


def power_cuts(rows: Sequence[Result]) -> Finding:
    """Join the power cuts of all runs into one finding."""

    def total(name: str) -> int:
        return sum(int(row[name]) for row in rows)

    times = [float(row["again_s"]) for row in rows]
    slower = percentile([float(row["slower"]) for row in rows], 50)
    whole = [float(row["again_s"]) for row in rows if int(row["number"]) % WHOLE_BOOT == 0]
    dates = sorted({str(row["date"]) for row in rows})
    note = (
        f"{total('gone')} unflushed sectors lost, {total('survived')} kept; {len(whole)} times a whole boot, at most "
        f"{max(whole):.0f} s; this machine is {slower:.0f} times slower than its host: there p50 "
        f"{percentile(times, 50) / slower:.0f} s, at most {max(times) / slower:.0f} s (aim 20 s); {' and '.join(dates)}"
    )
    return Finding(len(rows), total("lost"), total("doubled"), total("refused"), times, note)


def full_disk(machine: Machine, size: Size) -> Finding:
    """The disk is full: play pauses with a message, and the dart thrown meanwhile counts once there is room."""
    with evening(machine) as night:
        night.begin()
        machine.sh(FULL, check=False)
        _stored_later(night, f"rm -f {BALLAST}*")
        return night.judge()


def _stored_later(night: Evening, cure: str, *, restarts: bool = False) -> None:
    """Throw darts until one is not stored, cure the disk, and measure until a dart has counted."""
    for _ in range(40):
        turns = night.peer.state["turns"]
        night.board.press(bed_for(night.dart()))
        try:
            _wait_for_turn(night, turns, 30)
        except AssertionError:
            break
    else:
        night.found.note = "40 darts found room"
        return
    with night.play_again():
        night.machine.sh(cure, WAIT_S * 3)
        if restarts:
            night.reconnect()
        night.wait_for_board()
        if not restarts:
            _wait_for_turn(night, turns, WAIT_S)


def _wait_for_turn(night: Evening, turns: int, seconds: float) -> None:
    night.peer.wait(lambda state: bool(state["turns"] > turns), seconds, "the dart")


READ_ONLY = f"mount -o remount,errors=remount-ro {DATA} && echo 1 > /sys/fs/ext4/vdb/trigger_fs_error"
MENDED = (
    f"systemctl stop scharten; umount {DATA}; e2fsck -fy /dev/vdb; mount {DATA} && systemctl start scharten"
)


def read_only(machine: Machine, size: Size) -> Finding:
    """The kernel finds an error on the data disk and makes it read-only; it is checked, and mounted as before."""
    with evening(machine) as night:
        night.begin()
        machine.sh(READ_ONLY)
        _stored_later(night, MENDED, restarts=True)
        return night.judge()


PATIENCE_S = 20
GIVEN_UP = 2
"""The number of times systemd gives up waiting for the disk before it appears."""
IMPATIENT = f"sed -i 's/device-timeout=[0-9]*/device-timeout={PATIENCE_S}/' /etc/fstab && sync"
WAITED = f"""\
for n in $(seq 900); do
    test "$(journalctl -b -u scharten --no-pager | grep -c 'Dependency failed')" -ge {GIVEN_UP} && exit 0
    sleep 1
done; exit 1
"""


def late_disk(machine: Machine, size: Size) -> Finding:
    """The disk of the games appears after the boot, when systemd has given up waiting for it twice."""
    with evening(machine) as night:
        night.begin()
        machine.sh(IMPATIENT)
        night.board.unplug()
        machine.power_cut()
        night.reconnect()
        machine.start_cold(data=False)
        machine.sh(WAITED, WAIT_S * 3)
        with night.play_again():
            machine.plug_disk()
            night.plug()
        night.found.note = f"systemd had given up the wait of {PATIENCE_S} s {GIVEN_UP} times"
        return night.judge()


def slow_disk(machine: Machine, size: Size) -> Finding:
    """A worn card: every write and flush takes 200 ms."""
    with evening(machine) as night:
        night.begin()
        assert machine.disk is not None
        machine.disk.delay_s = SLOW_S
        with night.play_again():
            night.play(4)
        night.found.note = f"{SLOW_S * 1000:.0f} ms for each write; the time is that of five turns"
        machine.disk.delay_s = 0.0
        return night.judge()


def network_gone(machine: Machine, size: Size) -> Finding:
    """The home's network fails during play: the board plays on."""
    with evening(machine) as night:
        night.begin()
        machine.cable(False)
        with night.play_again():
            night.play(3)
        machine.cable(True)
        night.found.note = "the time is that of four turns without the network"
        return night.judge()


def wrong_clock(machine: Machine, size: Size) -> Finding:
    """The machine boots with the date of 2001 and without a network: it reports the date, and plays."""
    with evening(machine) as night:
        night.begin()
        night.board.unplug()
        machine.power_cut()
        night.reconnect()
        with night.play_again():
            machine.start_cold(WRONG_CLOCK, cable=False)
            night.plug()
        date = machine.sh("date -u +%F")
        codes = {item["code"] for item in night.peer.last["health"].get("notices", [])}
        night.found.note = f"the machine's date is {date}; reported: {', '.join(sorted(codes)) or 'nothing'}"
        night.found.refused += int("date" not in codes)
        return night.judge()


def suspend(machine: Machine, size: Size) -> Finding:
    """The machine sleeps (S3) while a dart is thrown; the cable is out, because USB/IP would keep it awake."""
    with evening(machine) as night:
        night.begin()
        turn = bed_for(night.dart())
        night.board.unplug()
        machine.suspend()
        night.board.press(turn)
        time.sleep(ASLEEP_S)
        with night.play_again():
            machine.wake()
            night.plug()
        night.found.note = f"{ASLEEP_S:.0f} s of sleep"
        return night.judge()


DARTS = 6
"""Throws at rendered boards; after each second one a hand takes the darts out."""


def cameras(machine: Machine, size: Size) -> Finding:
    """Two cameras show rendered throws: each dart is reported once, in its bed."""
    with evening(machine) as night:
        seen = Cameras(machine)
        seen.plug()
        night.reconnect()
        night.wait_for_board()
        night.peer.new_game(WAIT_S, names={"white": "Ilse", "black": "Cas"})
        found, first = night.found, len(night.peer.hits)
        for number in range(DARTS):
            aim = night.dart()
            hits = len(night.peer.hits)
            began = time.monotonic()
            seen.throw(aim)
            try:
                wait_for(lambda hits=hits: len(night.peer.hits) > hits, WAIT_S / 4, "the dart")  # type: ignore[misc]
            except AssertionError:
                found.lost += 1
            else:
                found.again_s.append(time.monotonic() - began)
                found.refused += int(night.peer.hits[hits]["bed"] != bed_for(aim))
            if number % 2:
                seen.take_out()
                time.sleep(OUT_S)
        found.tries = DARTS
        found.doubled = max(0, len(night.peer.hits) - first - DARTS)
        found.note = "the time is that from the first picture of a dart to its report"
        return found


def upgrade(machine: Machine, size: Size) -> Finding:
    """The package is upgraded twice in the middle of a game, and downgraded again."""
    with evening(machine) as night:
        night.begin()
        for package in (*(f"{number}.deb" for number in LATER), "1.deb"):
            night.reconnect()
            with night.play_again():
                machine.sh(f"DEBIAN_FRONTEND=noninteractive dpkg -i /root/{package}", DPKG_S)
        night.found.tries = len(LATER) + 1
        night.found.note = "with the time of dpkg"
        return night.judge()


def purge(machine: Machine, size: Size) -> Finding:
    """`apt purge` keeps the games where it can ask no question; after a new installation the same game continues."""
    with evening(machine) as night:
        night.begin()
        night.reconnect()
        config = machine.sh("cat /etc/scharten/scharten.toml")
        machine.sh("DEBIAN_FRONTEND=noninteractive apt-get purge -y -q scharten", DPKG_S)
        left = machine.sh(
            "ls -d /usr/lib/scharten /etc/scharten /etc/default/scharten 2>/dev/null", check=False
        )
        with night.play_again():
            machine.sh("mkdir -p /etc/scharten; cat > /etc/scharten/scharten.toml", stdin=config + "\n")
            machine.sh("DEBIAN_FRONTEND=noninteractive dpkg --force-confold -i /root/1.deb", DPKG_S)
        night.found.refused += int(bool(left))
        night.found.note = f"left behind: {left}" if left else "with the time of dpkg"
        return night.judge()


Row = Callable[[Machine, Size], Finding]
ROWS: dict[str, Row] = {
    "game": game,
    "chips": chips,
    "unplug": unplug,
    "other-port": other_port,
    "zigbee": zigbee,
    "two-boards": two_boards,
    "chosen": chosen,
    "brown-out": brown_out,
    "power-cut": power_cut,
    "full-disk": full_disk,
    "read-only-disk": read_only,
    "late-disk": late_disk,
    "slow-disk": slow_disk,
    "network-gone": network_gone,
    "wrong-clock": wrong_clock,
    "suspend": suspend,
    "cameras": cameras,
    "upgrade": upgrade,
    "purge": purge,
}
