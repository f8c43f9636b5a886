"""The rows of `make machine`: each is one function, and one line in `ROWS`. It gets a machine that has just booted."""

from __future__ import annotations

import time

from lab.daemon_process import wait_for
from lab.machine.cable import brown_out, chips, chosen, other_port, two_boards, unplug, zigbee
from lab.machine.cameras import Cameras
from lab.machine.card import card
from lab.machine.evening import WAIT_S, Finding, bed_for, evening
from lab.machine.image import LATER
from lab.machine.qemu import Machine
from lab.machine.size import OUT_S, Row, Size
from lab.machine.storage import full_disk, late_disk, power_cut, read_only, slow_disk

ASLEEP_S = 30.0
PACE_S = 3.0
"""Between two turns of a whole game; the board of a busy bench dates its darts up to three seconds early."""
DPKG_S = 3600.0
"""The longest wait for dpkg, which compiles the modules: minutes on an emulated machine, more on a busy one."""
WRONG_CLOCK = "2001-01-01T00:00:00"


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


def cameras(machine: Machine, size: Size) -> Finding:
    """Two cameras show rendered throws: each dart is reported once, in its bed."""
    with evening(machine) as night:
        seen = Cameras(machine)
        seen.plug()
        night.reconnect()
        night.wait_for_board()
        night.peer.new_game(WAIT_S, names={"white": "Ilse", "black": "Cas"})
        found, first = night.found, len(night.peer.hits)
        for number in range(size.throws):
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
        found.tries = size.throws
        found.doubled = max(0, len(night.peer.hits) - first - size.throws)
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
    "card": card,
}
LONG = ("late-disk", "wrong-clock", "upgrade", "purge", "card")
"""Rows with whole boots or dpkg, several minutes each on an emulated machine: a short run leaves them out."""
