"""A broker that restarts, is missing, slow, suspended or refuses, under a daemon with a board."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lab.daemon_process import DaemonProcess, Peer, wait_for
from lab.trust.board_trouble import PATIENCE_S, LiveBoard, at_the_board, bed_of_field, healthz
from lab.trust.kills import Mosquitto, doubled_lines
from lab.trust.rows import Fault
from scharten.journal.journal import JournalReader

NAMES = ("restarted", "gone", "slow", "standing-still", "refusing")
SLOW_S = 0.4
"""The time for which a slow broker's network delays every piece of a message, each way."""


def troubles(
    folder: Path, gone_s: float, wanted: Callable[[str], bool] = lambda row: True
) -> Iterator[tuple[str, Fault]]:
    """Cause each fault of the broker in turn, with one daemon that is never restarted, and throw a dart in each.

    A dart survived if it was stored during the fault, `/healthz` named the cause, and the state published on
    return has it. It is lost if the journal or that state lacks it. With `gone_s` 0 the broker is only restarted.
    """
    broker = Mosquitto(folder)
    broker.start()
    line = SlowLine(broker.port)
    try:
        config = broker.config.replace(str(broker.port), str(line.port))
        with at_the_board(folder / "club", config) as (daemon, board, peer):
            room = _Room(daemon, board, peer)
            for name, story in zip(
                NAMES, (_restarted, _gone, _slow, _standing_still, _refusing), strict=True
            ):
                if wanted(name) and (gone_s or name != "gone"):
                    yield name, story(room, broker, line, gone_s)
    finally:
        line.end()
        broker.kill()


@dataclass
class _Room:
    daemon: DaemonProcess
    board: LiveBoard
    peer: Peer
    stored: int = field(default=0)

    def throw(self) -> int:
        """Throw a dart into a free bed; return the number of turns that the game must have afterwards."""
        self.board.hit(bed_of_field(sorted(self.peer.state["drops"])[-1]))
        self.stored = self.board.thrown_count
        return int(self.peer.state["turns"]) + 1

    def dart_is_stored(self) -> None:
        """Return whether the journal has the dart, although no page can show it."""
        wait_for(lambda: darts_stored(self.daemon) == self.stored, PATIENCE_S, "the dart in the journal")

    def reported(self, words: str, seconds: float = 30) -> None:
        """Wait until `/healthz` is red and gives the reason."""
        wait_for(lambda: words in healthz(self.daemon)[1], seconds, f"{words!r} in healthz")

    def well(self, turns: int) -> None:
        """Wait until the state with the dart is published again, and `/healthz` is green."""
        self.peer.wait(lambda state: state["turns"] >= turns, 30, "the state on return")
        wait_for(lambda: healthz(self.daemon)[0] == 200, PATIENCE_S, "healthz to be green again")

    def fault(self, what: str, turns: int, figure: str) -> Fault:
        """Return the outcome, with lines lost and duplicated."""
        doubled = doubled_lines(self.daemon) + int(self.peer.state["turns"]) - turns
        return Fault(what, 1, 1, self.stored - darts_stored(self.daemon), doubled, figure)


def _restarted(room: _Room, broker: Mosquitto, line: SlowLine, gone_s: float) -> Fault:
    wait_for(lambda: healthz(room.daemon)[0] == 200, PATIENCE_S, "a green healthz")
    old = room.peer.state
    broker.kill()
    room.reported("broker")
    turns = room.throw()
    room.dart_is_stored()
    broker.start()
    room.well(turns)
    late = room.peer.ask("miss", side="black", seq=old["seq"])
    assert (late["accepted"], late["code"]) == (False, "stale")
    return room.fault("broker: restarted", turns, "the state is published again; an old command is stale")


def _gone(room: _Room, broker: Mosquitto, line: SlowLine, gone_s: float) -> Fault:
    broker.kill()
    room.reported("broker")
    turns = room.throw()
    room.dart_is_stored()
    time.sleep(gone_s)
    broker.start()
    room.well(turns)
    return room.fault(f"broker: gone for {gone_s:.0f} s", turns, "the state is published again")


def _slow(room: _Room, broker: Mosquitto, line: SlowLine, gone_s: float) -> Fault:
    line.delay_s = SLOW_S
    turns = room.throw()
    room.dart_is_stored()
    began = time.monotonic()
    room.well(turns)
    seconds = time.monotonic() - began
    line.delay_s = 0.0
    return room.fault(
        f"broker: slow, {SLOW_S:.1f} s each way", turns, f"stored at once, published after {seconds:.1f} s"
    )


def _standing_still(room: _Room, broker: Mosquitto, line: SlowLine, gone_s: float) -> Fault:
    assert broker.process is not None
    os.kill(broker.process.pid, signal.SIGSTOP)
    try:
        turns = room.throw()
        room.dart_is_stored()
        room.reported("broker")
    finally:
        os.kill(broker.process.pid, signal.SIGCONT)
    room.well(turns)
    return room.fault("broker: stands still (SIGSTOP)", turns, "noticed by its silence")


def _refusing(room: _Room, broker: Mosquitto, line: SlowLine, gone_s: float) -> Fault:
    broker.kill()
    broker.open_to_all = False
    broker.start()
    room.reported("uthori")
    wait_for(lambda: "refuses" in room.daemon.log.read_text(), PATIENCE_S, "the refusal in the log")
    turns = room.throw()
    room.dart_is_stored()
    broker.kill()
    broker.open_to_all = True
    broker.start()
    room.well(turns)
    return room.fault("broker: refuses the password", turns, "said by /healthz and by the log")


def darts_stored(daemon: DaemonProcess) -> int:
    """Return the number of board lines in the journal, read while the daemon writes."""
    reader = JournalReader(daemon.folder / "scharten.sqlite3")
    rows = [json.loads(row.body) for match in reader.matches() for row in reader.inputs(match.id)]
    reader.close()
    return sum(bool(row.get("receipt")) for row in rows)


class SlowLine:
    """A network between the house and its broker that passes each piece on after `delay_s`."""

    def __init__(self, broker_port: int) -> None:
        self.delay_s = 0.0
        self._to = broker_port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def end(self) -> None:
        """Stop accepting connections."""
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._to), 5)
            except OSError:
                near.close()
                continue
            far.settimeout(None)
            for source, goal in ((near, far), (far, near)):
                goal.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._carry, args=(source, goal), daemon=True).start()

    def _carry(self, source: socket.socket, goal: socket.socket) -> None:
        try:
            while piece := source.recv(65536):
                time.sleep(self.delay_s)
                goal.sendall(piece)
        except OSError:
            pass
        for item in (source, goal):
            item.close()
