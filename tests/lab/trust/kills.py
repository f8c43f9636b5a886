"""A scripted game in which daemon, broker or simulated board are killed at random moments."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from lab.daemon_process import FAST, DaemonProcess, Peer, State, wait_for
from lab.figures import percentile
from lab.ports import free_port
from lab.programs import program
from lab.scripted_game import Throw, board_listens, next_action
from lab.trust.rows import Fault, show_progress
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import JournalReader
from scharten.journal.replay import replay
from scharten.match.inputs import receipt_of

PATIENCE_S = 40.0
AGAIN_AIM_S = 1.5
SETTLED_S = 1.0
"""After this long, each message that a client repeats to the returned broker has arrived."""


@dataclass(frozen=True)
class Ended:
    """The end of a scripted game: after how many kills it continued, and how many turns were lost or duplicated."""

    position: str
    turns: int
    kills: int
    lost: int
    doubled: int
    waits_s: tuple[float, ...]
    """Seconds from each kill of the daemon until a client that polls every 50 ms sees a dart of the board."""

    @property
    def waited(self) -> str:
        """The waiting times as text."""
        middle, most = percentile(self.waits_s, 50), max(self.waits_s)
        return f"plays again after p50 {middle:.1f} s, at most {most:.1f} s (aim {AGAIN_AIM_S} s)"


@dataclass
class Mosquitto:
    """A broker of the test on a fixed port, so that it can be killed and restarted."""

    folder: Path
    port: int = 0
    open_to_all: bool = True
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        """Start it, on a free port the first time, and wait until it listens."""
        if not self.port:
            self.port = free_port()
        conf = self.folder / "mosquitto.conf"
        conf.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous {str(self.open_to_all).lower()}\n")
        self.process = subprocess.Popen([program("mosquitto"), "-c", str(conf)], stderr=subprocess.DEVNULL)
        wait_for(self._listens, 40, "Mosquitto")

    def kill(self) -> None:
        """Send SIGKILL: everything retained is lost."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    @property
    def config(self) -> str:
        """The configuration of a daemon that uses this broker."""
        return FAST.replace("[broker]\nport = 0", f'[broker]\nurl = "mqtt://127.0.0.1:{self.port}"')

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


def killed(folder: Path, target: str, times: int) -> Fault:
    """SIGKILL one part of a scripted game this many times; the end must equal that of the undisturbed game."""
    broker = Mosquitto(folder) if target == "broker" else None
    try:
        if broker is not None:
            broker.start()
        calm = _game(folder / f"calm-{target}", broker, times + 4, 0, target)
        wild = _game(folder / f"wild-{target}", broker, times + 4, times, target)
    finally:
        if broker is not None:
            broker.kill()
    lost = wild.lost + (wild.position != calm.position)
    words = f"{wild.turns} turns, {'the same end as' if not lost else 'another end than'} the calm game"
    if target == "daemon":
        words += f"; {wild.waited}"
    return Fault(f"SIGKILL of the {target}", times, wild.kills, lost, wild.doubled, words)


def _game(folder: Path, broker: Mosquitto | None, turns: int, disturbed: int, target: str) -> Ended:
    daemon = DaemonProcess(folder, broker.config if broker else FAST)
    try:
        return scripted_game(daemon, turns, disturbed, 7, target, broker)
    finally:
        daemon.end()


def scripted_game(
    daemon: DaemonProcess,
    turns: int,
    kills: int,
    seed: int,
    target: str = "daemon",
    broker: Mosquitto | None = None,
) -> Ended:
    """Play `turns` turns; in `kills` of them `target` gets a SIGKILL up to 30 ms after the action.

    A turn is lost if the published state had it and it is missing after the kill, and duplicated if there is one
    more than was played.
    """
    chance = random.Random(seed)
    disturbed = set(chance.sample(range(turns), kills))
    peer = _begun(daemon)
    survived = lost = doubled = 0
    waits: list[float] = []
    for turn in range(turns):
        delay = chance.uniform(0, 0.03)
        if turn in disturbed:
            _act(peer)
            time.sleep(delay)
            seen = int(peer.state["turns"])
            killed_at = time.monotonic()
            peer, again_at = _disturb(daemon, peer, target, broker)
            waits.append(again_at - killed_at)
            peer.ask("explain", PATIENCE_S, move="e2e4", side="white")  # everything before it has been judged
            lost += max(0, seen - int(peer.state["turns"]))
        reach(peer, turn + 1)
        doubled += max(0, int(peer.state["turns"]) - turn - 1)
        survived += turn in disturbed
        if turn in disturbed and survived % 10 == 0:
            show_progress(f"the {target} was killed {survived} times of {kills}")
    state = peer.state
    peer.close()
    daemon.stop()
    doubled += doubled_lines(daemon)
    return Ended(str(state["position"]), int(state["turns"]), survived, lost, doubled, tuple(waits))


def doubled_lines(daemon: DaemonProcess) -> int:
    """Return how many lines of the board are twice in the journal, after replaying all of it."""
    reader = JournalReader(daemon.folder / "scharten.sqlite3")
    found = [done.given for match in reader.matches() for done in replay(reader, match, GAMES_BY_KEY)]
    reader.close()
    lines = [receipt for given in found if (receipt := receipt_of(given)) is not None]
    return len(lines) - len(set(lines))


def _disturb(daemon: DaemonProcess, peer: Peer, target: str, broker: Mosquitto | None) -> tuple[Peer, float]:
    """Kill the target; return a client of the continued game, and the time."""
    if target == "daemon":
        daemon.kill()
        peer.close()
        daemon.start()
        return _resumed(daemon)
    if target == "broker":
        assert broker is not None
        broker.kill()
        peer.last.pop("availability", None)  # the last topic that the host publishes again on return
        broker.start()
        wait_for(lambda: "availability" in peer.last, PATIENCE_S, "the host after the broker's restart")
        time.sleep(SETTLED_S)
        return peer, time.monotonic()
    pid = int((daemon.folder / "simulator.pid").read_text())
    since = _source_since(peer)
    os.kill(pid, signal.SIGKILL)
    wait_for(_another(daemon, pid), PATIENCE_S, "another simulated board")
    # Every line of the old board has been read before the new one is found.
    wait_for(
        lambda: peer.source == "found" and _source_since(peer) != since, PATIENCE_S, "the simulated board"
    )
    return peer, time.monotonic()


def _source_since(peer: Peer) -> int:
    return int(peer.last["health"]["sources"][0]["since_ms"])


def _another(daemon: DaemonProcess, pid: int) -> Callable[[], bool]:
    return lambda: int((daemon.folder / "simulator.pid").read_text() or pid) != pid


def _begun(daemon: DaemonProcess) -> Peer:
    daemon.start()
    peer = daemon.peer("table")
    board_listens(peer)
    peer.new_game()
    return peer


def _resumed(daemon: DaemonProcess) -> tuple[Peer, float]:
    peer = daemon.peer("table")
    peer.wait(lambda state: state["phase"] in ("paused", "finished"), PATIENCE_S)
    again_at = board_listens(peer)
    if peer.state["phase"] == "paused":
        assert peer.ask("resume")["accepted"]
        peer.wait(lambda state: state["phase"] != "paused")
    return peer, again_at


def _act(peer: Peer) -> None:
    action = next_action(peer.state)
    if isinstance(action, Throw):
        peer.throw(x_mm=action.x_mm, y_mm=action.y_mm)
    elif action is not None:
        peer.send_command("move", move=action.move)


def _reached(due: int, state: State) -> bool:
    return bool(state["turns"] >= due or state["result"] is not None)


def reach(peer: Peer, turns: int) -> State:
    """Repeat actions until the match has this many turns; an action accepted before a kill is not repeated."""
    deadline = time.monotonic() + PATIENCE_S
    while peer.state["turns"] < turns and peer.state["result"] is None:
        assert time.monotonic() < deadline, f"turn {turns} was not reached: {peer.state}"
        due = peer.state["turns"] + 1
        _act(peer)
        try:
            peer.wait(partial(_reached, due), 4)
        except AssertionError:
            continue
    return peer.state
