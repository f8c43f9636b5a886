"""Two real daemons, the host of a game and its guest, and two people who play it, each at their own board."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lab.daemon_process import DaemonProcess, Peer, State, wait_for
from lab.random_game import READY, NextStep, next_step
from lab.scripted_game import aim_at_bed, board_listens
from scharten.commands.remote import ask

CONFIG = """
[game]
settle_ms = 0
arming = "auto"
[broker]
port = 0
[web]
port = 0
follow_delay_s = {follow_delay_s}
[remote]
host = "127.0.0.1"
address = "127.0.0.1{port}"
port = {door}
name = "Ann"
meeting = "{meeting}"
"""
SECONDS = 40.0


def config_of_guest(meeting: str = "", follow_delay_s: int = 60) -> str:
    """Return the configuration of a house that plays only as a guest."""
    return CONFIG.format(port="", door=0, meeting=meeting, follow_delay_s=follow_delay_s)


class TwoBoards:
    """`host` and `guest` are daemons, `at_host` and `at_guest` the tables of both houses."""

    def __init__(
        self, folder: Path, port: str = "", door: int = 0, meeting: str = "", follow_delay_s: int = 60
    ) -> None:
        host = CONFIG.format(port=port, door=door, meeting=meeting, follow_delay_s=follow_delay_s)
        guest = config_of_guest(meeting, follow_delay_s)
        self.host = DaemonProcess(folder / "host", host)
        self.guest = DaemonProcess(folder / "guest", guest)
        self.at_host: Peer
        self.at_guest: Peer

    def start(self) -> TwoBoards:
        """Start both daemons and wait for both boards."""
        self.host.start()
        self.guest.start()
        self.at_host, self.at_guest = self.host.peer(), self.guest.peer()
        board_listens(self.at_host)
        board_listens(self.at_guest)
        return self

    def end(self) -> None:
        """Stop both daemons."""
        self.host.end()
        self.guest.end()

    def invite(self, **order: Any) -> dict[str, Any]:
        """Invite the guest; return the host's status with link and letters."""
        body = {"type": "invite", "seat": "seat2", "order": {"abandon": True, **order}}
        return dict(ask(self.host.folder, body)["status"])

    def begin(self, *, by_letters: bool = False, **order: Any) -> State:
        """Start a game: the guest accepts the link, or the letters at the host's address."""
        before = self.at_host.state.get("match")
        status = self.invite(**order)
        link = status["address"] + "/" + status["letters"] if by_letters else status["link"]
        offer = ask(self.guest.folder, {"type": "ask", "link": link})["offer"]
        assert offer["by"] == "Ann", offer
        ask(self.guest.folder, {"type": "accept", "name": "Bob"})
        state = self.at_host.wait(
            lambda state: state["match"] != before and state["away"] == "seat2", SECONDS, "the game"
        )
        self.seen_by_both(state["match"])
        return state

    def seen_by_both(self, match: str) -> None:
        """Wait until the guest's house shows the host's game."""
        self.at_guest.wait(lambda state: state["match"] == match, SECONDS, "the host's game")

    def leave(self) -> None:
        """End the game for both: the guest resigns it, the host withdraws."""
        if self.status(self.guest)["side"] == "guest":
            ask(self.guest.folder, {"type": "leave", "for_good": True})
        ask(self.host.folder, {"type": "withdraw"})
        wait_for(
            lambda: self.status(self.guest)["side"] == "host", SECONDS, "the guest's board to be its own"
        )

    def status(self, daemon: DaemonProcess) -> dict[str, Any]:
        """Return the state of the line as a daemon's pages show it."""
        return dict(ask(daemon.folder, {"type": "status"})["status"])

    @contextmanager
    def frozen_host(self) -> Iterator[None]:
        """Suspend the host's process for the duration of a block, so that a dart waits at the guest's board."""
        assert self.host.process is not None
        self.host.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.host.process.send_signal(signal.SIGCONT)

    def at_turn(self, state: State) -> Peer:
        """Return the table of the player to act."""
        if state["phase"] == "drawing":
            drawn = self.at_host.state["shown"]["draw"]["steps"]
            return (self.at_host, self.at_guest)[len(drawn) % 2]
        guest_moves = state["seats"]["seat2"] == state["side"]
        return self.at_guest if guest_moves else self.at_host

    def play_on(
        self, turns: int, seed: int = 0, on_turn: Callable[[State], object] = lambda state: None
    ) -> bool:
        """Play this many more turns, each player at their own board; return False if the game is over."""
        state = self.at_host.wait(lambda state: state["phase"] in READY, SECONDS)
        goal = state["turns"] + turns
        while state["turns"] < goal and state["result"] is None:
            on_turn(state)
            state = self.play(state, next_step(state, seed))
        return state["result"] is None

    def play(self, state: State, due: NextStep) -> State:
        """Do the due action at the board of the player to act, and wait until both houses show it."""
        peer = self.at_turn(state)
        peer.wait(lambda item: (item["match"], item["seq"]) == (state["match"], state["seq"]), SECONDS)
        if due.bed:
            self._throw(peer, due.bed, state["seq"])
        else:
            answer = peer.ask("move", move=due.move) if due.move else peer.ask("die", value=due.die or None)
            assert answer["accepted"], answer
        return self.at_host.wait(
            lambda item: item["seq"] > state["seq"] and item["phase"] in READY,
            SECONDS,
            f"{due} at {peer.root}",
        )

    def _throw(self, peer: Peer, bed: str, seq: int) -> None:
        """Throw until the host shows it: a simulated board receives no dart before it has found the new broker."""
        target = aim_at_bed(bed)
        for _ in range(4):
            peer.throw(x_mm=target.x_mm, y_mm=target.y_mm)
            deadline = time.monotonic() + SECONDS / 4
            while self.at_host.state["seq"] <= seq and time.monotonic() < deadline:
                time.sleep(0.02)
            if self.at_host.state["seq"] > seq:
                return

    def resume(self) -> None:
        """Let both sides agree to continue after a pause."""
        deadline = time.monotonic() + SECONDS
        while self.at_host.state["phase"] == "paused":
            assert time.monotonic() < deadline, self.at_host.state
            state = self.at_host.state
            mine = [request for request in state["requests"] if request["by"] == "seat1"]
            if not mine:
                self.at_host.ask("resume")
                continue
            if self.at_guest.state.get("requests") == state["requests"]:
                self.at_guest.ask("confirm", request=mine[0]["id"])
            time.sleep(0.05)

    def guest_key(self) -> dict[str, Any]:
        """Return the guest machine's record of its place: root, seat, key, link."""
        return dict(json.loads((self.guest.folder / "remote-guest.json").read_text()))
