"""Rows of `make machine` about power and storage: power cuts, and full, damaged, late and slow disks."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Sequence

from lab.figures import percentile
from lab.kept import Results
from lab.kept import Row as Result
from lab.machine.evening import DATA, WAIT_S, Evening, Finding, bed_for, evening
from lab.machine.qemu import Machine
from lab.machine.size import Size

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


SLOW_S = 0.2
"""A worn card: seconds for each write and flush."""
BALLAST = f"{DATA}/ballast"
FULL = (
    f"dd if=/dev/zero of={BALLAST} bs=1M 2>/dev/null; dd if=/dev/zero of={BALLAST}2 bs=1k 2>/dev/null; sync"
)


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
