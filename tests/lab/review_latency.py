"""The extra delay of a command while a finished game is reviewed: the real daemon, and the page's own process.

Blocks with and without the review alternate, so that other load on the machine affects both. Aim: the 95th
percentile grows by at most 5 ms.
"""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from lab.daemon_process import FAST, DaemonProcess, Peer, wait_for
from lab.figures import percentile
from players.evening import played, store
from scharten.display.features.review import COMMAND

LATER_MS = 5.0
BLOCK = 10
"""Commands of a block."""
DARTS = 400
"""Turns of the reviewed game, long enough for its review to outlast every block."""


def run(commands: int) -> int:
    """Print the figures of this many commands with and without a review; return 1 if the aim was missed."""
    with tempfile.TemporaryDirectory(prefix="scharten-review-") as place:
        folder = Path(place)
        game = played(DARTS, 25.0)
        game.ok("resign", "seat1")
        store(folder / "scharten.sqlite3", game)
        daemon = DaemonProcess(folder, FAST)
        try:
            daemon.start()
            peer = daemon.peer("table")
            alone, beside = _measured(peer, folder, game.match.id, commands)
            peer.close()
            daemon.stop()
        finally:
            daemon.end()
    for times, words in ((alone, "alone"), (beside, "beside a review")):
        print(
            f"{len(times)} commands {words}: p50 {percentile(times, 50):.1f} ms, p95 {percentile(times, 95):.1f} ms"
        )
    later = percentile(beside, 95) - percentile(alone, 95)
    print(f"later by a review: p95 {later:+.1f} ms ({LATER_MS:.0f})")
    return int(later > LATER_MS)


def _measured(peer: Peer, folder: Path, match: str, commands: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of each answer, alone and beside a review, which is suspended meanwhile."""
    alone, beside = list[float](), list[float]()
    chance = random.Random(1)
    peer.wait(lambda state: state["phase"] == "finished")
    review = _started(folder, match)
    try:
        while len(beside) < commands:
            review.send_signal(signal.SIGSTOP)
            alone += _answered(peer, chance)
            review.send_signal(signal.SIGCONT)
            found = _answered(peer, chance)
            if review.poll() is None:
                beside += found
            else:
                review = _started(folder, match)
    finally:
        review.kill()
        review.wait()
    return alone, beside


def _started(folder: Path, match: str) -> subprocess.Popen[bytes]:
    """Start the review from scratch, as the page does; return it once its first turn is done."""
    shutil.rmtree(folder / "reviews", ignore_errors=True)
    with (folder / "reviewed").open("wb") as printed:
        review = subprocess.Popen((*COMMAND, match, "--data", str(folder)), stdout=printed)
    wait_for(lambda: (folder / "reviewed").stat().st_size, 120, "the first turn")
    return review


def _answered(peer: Peer, chance: random.Random) -> list[float]:
    """Return the milliseconds of a block of moves at the pace of quick players."""
    found = []
    for _ in range(BLOCK):
        if peer.state["phase"] != "turn" or not peer.state["moves"]:
            peer.new_game(game="chess", kind="silent")
        turns = peer.state["turns"]
        time.sleep(chance.uniform(0.02, 0.05))
        began = time.perf_counter()
        answer = peer.ask("move", move=chance.choice(peer.state["moves"]))
        found.append(1000 * (time.perf_counter() - began))
        assert answer["accepted"], answer
        peer.wait(lambda state, turns=turns: state["turns"] > turns or state["result"] is not None)  # type: ignore[misc]
        peer.forget()
    return found
