"""Break parts of a real daemon in a loud game, and measure the time until play is possible again."""

from __future__ import annotations

import json
import platform
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from lab.daemon_process import DaemonProcess, Peer, wait_for
from lab.scripted_game import aim, board_listens, play_turn
from lab.trust.rows import Fault
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import JournalReader
from scharten.journal.replay import replay

TARGET_S = 5.0
FAULTY = Path(__file__).parents[1] / "daemon" / "faulty_daemon.py"
MENDED = {
    "referee raises": ("referee", "restarted"),
    "rules raise": ("referee", "faulty"),
    "listener raises": ("announcer", "faulty"),
    "announcer raises": ("announcer", "restarted"),
    "publisher ends": ("publisher", "restarted"),
    "publisher's socket": ("publisher", "restarted"),
    "broker's socket": ("broker", "restarted"),
    "page's socket": ("page", "restarted"),
    "sensor raises": ("sensors", "restarted"),
    "sensor ends": ("sensors", "restarted"),
    "computers raise": ("computers", "restarted"),
    "adviser raises": ("adviser", "restarted"),
    "finished raises": ("finished", "restarted"),
    "rounds raise": ("rounds", "restarted"),
}
"""Faults after which a part is restarted: the part's name and its state in `health.parts`."""
REPLACED = {
    "referee hangs": "referee hangs",
    "listener hangs": "announcer hangs",
    "publisher hangs": "publisher hangs",
    "broker hangs": "broker hangs",
    "page hangs": "page hangs",
    "sensor hangs": "sensors hangs",
    "journal raises": "referee ended",
}
"""Faults after which the process restarts: the beginning of the reason in `health.parts`."""
REPLACED_S = 10.0
"""The target for those: 2 s until the fault is certain, a start, and the search for the board."""


class Evening:
    """A faulty daemon with a loud game, and the faults that health showed before."""

    def __init__(self, daemon: DaemonProcess) -> None:
        self.daemon = daemon
        daemon.program = [str(FAULTY)]
        self.peer: Peer = daemon.start().peer("table")
        board_listens(self.peer)
        self.peer.new_game()
        self.seen: dict[str, int] = {}
        self._restarted = False
        self.play(2)

    def break_part(self, fault: str) -> None:
        """Make a part fail, and throw a dart at once."""
        file = self.daemon.folder / "fault"
        file.with_suffix(".new").write_text(fault)
        file.with_suffix(".new").rename(file)
        wait_for(lambda: not file.exists(), 40, f"{fault} to happen")
        if drops := self.peer.state["drops"]:
            dart = aim(drops[0])
            self.peer.throw(x_mm=dart.x_mm, y_mm=dart.y_mm)

    def shown(self, name: str, state: str) -> bool:
        """Return whether health shows one more fault of the part."""
        for fault in self.peer.last.get("health", {}).get("parts", []):
            if (fault["name"], fault["state"]) == (name, state) and fault["count"] > self.seen.get(name, 0):
                self.seen[name] = fault["count"]
                return True
        return False

    def process_restarted(self, reason: str) -> bool:
        """Return whether health shows a restart of the process for this reason."""
        parts = self.peer.last.get("health", {}).get("parts", [])
        self._restarted = any(
            fault["state"] == "process_restarted" and fault["words"].startswith(reason) for fault in parts
        )
        return self._restarted

    def resume(self) -> None:
        """Continue the game once the host is online and the board receives throws."""
        if (
            self._restarted
        ):  # the answer of the new process comes after its state; the last one may be the old one's
            self.peer.ask("explain", move="e1e2")
            self._restarted = False
        wait_for(lambda: self.peer.last["availability"]["text"] == "online", 40, "the host to be online")

        def playing() -> bool:
            if self.peer.state["phase"] == "paused":  # once more if the board is lost again
                self.wait_for_board()
                self.peer.ask("resume")
            return self.peer.state["phase"] in ("turn", "throwing")

        wait_for(playing, 60, "the game to continue")

    def wait_for_board(self) -> None:
        """Throw at the bull until the board, whose connection was lost too, reports it."""
        before = len(self.peer.hits)

        def board_answers() -> bool:
            self.peer.throw(x_mm=0.0, y_mm=0.0)
            return any(hit["bed"] == "BULL" for hit in self.peer.hits[before:])

        wait_for(board_answers, 40, "the board to report throws")

    def play(self, turns: int) -> None:
        """Play turns."""
        for _ in range(turns):
            assert play_turn(self.peer)

    def end(self) -> list[dict[str, Any]]:
        """Stop the daemon; check that the journal replays with each board line once, and return its inputs."""
        assert self.daemon.stop() == 0
        position = self.peer.state["position"]  # read last, because a late dart may have changed it
        self.peer.close()
        with closing(JournalReader(self.daemon.folder / "scharten.sqlite3")) as reader:
            rows = [json.loads(row.body) for match in reader.matches() for row in reader.inputs(match.id)]
            game = reader.going_on()
            assert game is not None
            assert list(replay(reader, game, GAMES_BY_KEY))[-1].match.situation.text == position
        lines = [tuple(row["receipt"]) for row in rows if row.get("receipt")]
        for session in {session for session, _ in lines}:
            numbers = [number for found, number in lines if found == session]
            assert numbers == list(range(1, len(numbers) + 1))
        return rows


def _is_reported(evening: Evening, fault: str) -> bool:
    if fault in MENDED:
        return evening.shown(*MENDED[fault])
    return evening.process_restarted(REPLACED[fault])


def broken(evening: Evening, fault: str) -> Fault:
    """Break a part; health must name it, the next turn must come within the target, then `/healthz` must be green.

    Until a process that must restart has done so, `/healthz` must be red or unanswered.
    """
    page = evening.daemon.running["web"]  # while the process restarts, no file names it
    evening.break_part(fault)
    began = time.monotonic()
    looks: list[int] = []

    def is_reported() -> bool:
        if fault in REPLACED:
            looks.append(_status(page))
        return _is_reported(evening, fault)

    wait_for(is_reported, 60, f"{fault} in health")
    evening.resume()
    evening.play(1)
    taken = time.monotonic() - began
    wait_for(lambda: _status(page) == 200, 40, "a green /healthz")
    aim = REPLACED_S if fault in REPLACED else TARGET_S
    red = fault in MENDED or any(status != 200 for status in looks)
    how = (
        MENDED[fault][1]
        if fault in MENDED
        else f"the process restarted, /healthz was {'red' if red else 'GREEN'}"
    )
    words = f"health: {how}; the next turn after {taken:.1f} s (aim {aim:.0f} s)"
    return Fault(f"part: {fault}", 1, int(taken < aim and red), figure=words)


def _status(page: str) -> int:
    """Return the status of `/healthz`; 0 without an answer within half a second."""
    try:
        with urllib.request.urlopen(f"{page}/healthz", timeout=0.5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def run() -> int:
    """Break each part and print the seconds until a turn is played again, beside the target; 0 when all meet it."""
    print(f"from a fault to the next turn, on {platform.machine()}; target {TARGET_S:.0f} s")
    worst = 0.0
    with tempfile.TemporaryDirectory(prefix="scharten-restarts-") as folder:
        daemon = DaemonProcess(Path(folder))
        try:
            evening = Evening(daemon)
            for fault in (*MENDED, *REPLACED):
                evening.break_part(fault)
                began = time.monotonic()
                wait_for(partial(_is_reported, evening, fault), 60, f"{fault} in health")
                evening.resume()
                evening.play(1)
                taken = time.monotonic() - began
                worst = max(worst, taken)
                print(f"  {fault:20} {taken:5.2f} s", flush=True)
            evening.end()
        finally:
            daemon.end()
    return 0 if worst < TARGET_S else 1
