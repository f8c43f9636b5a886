"""The machine's date is set during a game, as a time service does on a machine without a clock."""

from __future__ import annotations

import signal
import time
from pathlib import Path

from lab.daemon_process import DaemonProcess, Peer, wait_for
from lab.programs import shared_library
from lab.scripted_game import board_listens, play_turn
from lab.trust.kills import reach
from lab.trust.rows import Fault

CLOCK = {"stages": [{"moves": None, "minutes": 5}], "increment_s": 0}

PAST_2262 = 24 * 365 * 300
"""Hours to a date beyond Python's range."""


def build(folder: Path) -> Path:
    """Compile the shim into a folder and return the library for LD_PRELOAD."""
    return shared_library(Path(__file__).with_name("stepdate.c"), folder)


def steps(
    daemon: DaemonProcess, folder: Path, hours: tuple[int, ...] = (1, -2, 24 * 365, PAST_2262)
) -> Fault:
    """The date jumps by hours, with five minutes on each clock; a turn is played after each jump.

    No flag falls, the clocks lose seconds at most, and the display reports the changed date. Time lost from a
    clock counts as lost.
    """
    step = folder / "step"
    daemon.environment |= {"LD_PRELOAD": str(build(folder)), "STEPDATE": str(step)}
    peer = daemon.start().peer("arbiter")
    board_listens(peer)
    peer.new_game(clock=CLOCK)
    play_turn(peer)
    harm = 0
    for hour in hours:
        step.write_text(str(hour * 3600))
        wait_for(lambda: _reported(peer), 40, "words about the date")
        before = peer.state["turns"]
        play_turn(peer)
        clock = peer.state["clock"]
        harm += peer.state["turns"] != before + 1 or any(clock["flags"].values())
        harm += min(clock["white_ms"], clock["black_ms"]) < 240_000
        claimed = peer.ask("claim_flag", side="white")
        harm += bool(claimed["accepted"])
        step.write_text("0")
        wait_for(lambda: not _reported(peer), 40, "the words to go")
    peer.close()
    daemon.stop()
    words = "no flag falls, no dart is stale, the display says so"
    return Fault(
        "clock: the date is set in play", len(hours), len(hours) - min(harm, len(hours)), harm, figure=words
    )


def stands_still(daemon: DaemonProcess, seconds: float) -> Fault:
    """Suspend the daemon in play and continue it: time lost from the clock of the side to move counts as lost."""
    peer = daemon.start().peer("arbiter")
    board_listens(peer)
    peer.new_game(clock=CLOCK)
    play_turn(peer)
    assert daemon.process is not None
    before = min(peer.state["clock"]["white_ms"], peer.state["clock"]["black_ms"])
    daemon.process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    daemon.process.send_signal(signal.SIGCONT)
    wait_for(lambda: _reported(peer, "this program stood still"), 40, "words about standing still")
    began = time.monotonic()
    reach(peer, 3)
    awake = (time.monotonic() - began) * 1000
    charged = before - min(peer.state["clock"]["white_ms"], peer.state["clock"]["black_ms"]) - awake
    peer.close()
    daemon.stop()
    words = f"stopped for {seconds:.0f} s, no clock is charged for it, the display says so"
    harm = int(charged > seconds * 500)
    return Fault("clock: the daemon stands still in play", 1, 1 - harm, harm, figure=words)


def starts_late(daemon: DaemonProcess, folder: Path) -> Fault:
    """A machine whose date is in the year 2326 plays a turn and writes the log."""
    step = folder / "step"
    step.write_text(str(PAST_2262 * 3600))
    daemon.environment |= {"LD_PRELOAD": str(build(folder)), "STEPDATE": str(step)}
    peer = daemon.start().peer("arbiter")
    board_listens(peer)
    peer.new_game(clock=CLOCK)
    survived = int(play_turn(peer) is not None and "2262-" in daemon.log.read_text())
    peer.close()
    return Fault("clock: a start past the year 2262", 1, survived, 1 - survived, figure="a turn is played")


def _reported(peer: Peer, words: str = "the date of this machine") -> bool:
    return any(words in item for item in peer.last.get("health", {}).get("warnings", []))
