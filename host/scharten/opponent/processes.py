"""The computer's processes, one for each seat that it plays: started, watched, started again, and given up in words.

One that does what no honest player does is told of: an illegal turn, a throw out of turn, another's topic. The referee
and the broker refuse all of that, so no game comes to harm; a person decides who plays on.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scharten.contract.roles import Account
from scharten.match.codes import ComputerFault, Message, RefusalCode
from scharten.match.computers import level_of
from scharten.match.events import Answered, Event, Happened
from scharten.match.state import Match
from scharten.match.white import Seat
from scharten.mqtt.secrets import write_private

log = logging.getLogger(__name__)

LOOK_S = 1.0
HANGS_S = 60.0
"""Its turn, and nothing happens for so long: it hangs."""
DEATHS, DEATHS_WITHIN_S = 3, 60.0
"""So many ends in so short a time, and it is given up until a person says otherwise."""


class ComputerProcess:
    """One process, and what became of those before it."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.level = 0
        self.deaths: list[float] = []
        self.fault: tuple[ComputerFault, str] | None = None
        self.again = False

    @property
    def given_up(self) -> bool:
        """Whether it ended too often to be started once more."""
        return len([at for at in self.deaths if time.monotonic() - at < DEATHS_WITHIN_S]) >= DEATHS


class ComputerPlayers:
    """Keeps as many processes as the match has computers; a thread of its own, because a start takes a while.

    `warn` hears a warning's name and words or None, `report` the contract's `health.computers`.
    """

    def __init__(
        self,
        folder: Path,
        endpoint: Callable[[str], Mapping[str, object]],
        match: Callable[[], Match],
        warn: Callable[[str, str | None], None],
        report: Callable[[list[dict[str, Any]]], object] = lambda troubles: None,
    ) -> None:
        self._folder, self._endpoint, self._match = folder, endpoint, match
        self._warn, self._report = warn, report
        self._told: list[dict[str, Any]] = []
        self._players = {seat: ComputerProcess() for seat in Seat}
        self._seq: tuple[str, int] = ("", 0)
        self._since = time.monotonic()
        self._wake, self._stopping = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="computers", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End all of them."""
        self._stopping.set()
        self._wake.set()
        self._thread.join(3)
        for player in self._players.values():
            _end(player)

    def hear(self, event: Event) -> None:
        """A person who chooses a computer again has it started again; what was refused may be a fault."""
        if isinstance(event, Happened) and event.code in (Message.COMPUTER, Message.NEW_GAME):
            for seat, player in self._players.items():
                if event.args.get("seat") in (seat.value, None):
                    player.deaths.clear()
                    player.again, player.fault = player.fault is not None, None
            self._wake.set()
        elif isinstance(event, Answered) and (fault := fault_in(event.body)) is not None:
            self._blame(event.role, fault, str(event.body.get("words", "")))

    def hear_denied(self, account: Account, topic: str) -> None:
        """The broker dropped what an account wrote where it may not; from the broker's thread."""
        self._blame(account.value, ComputerFault.FOREIGN_TOPIC, f"it wrote on {topic[:80]!r}")

    def _blame(self, role: str, fault: ComputerFault, words: str) -> None:
        """The first fault of a seat that the computer plays stands until a person chooses."""
        seat = next((seat for seat in Seat if seat.value == role), None)
        if seat is not None and level_of(self._match(), seat) and self._players[seat].fault is None:
            self._players[seat].fault = fault, words
            self._wake.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            match = self._match()
            for seat, player in self._players.items():
                try:
                    self._look_after(match, seat, player)
                except OSError as error:
                    player.deaths.append(time.monotonic())
                    log.error("the computer at %s cannot be started: %s", seat, error)
            self._tell(match)
            self._wake.wait(LOOK_S)
            self._wake.clear()

    def _look_after(self, match: Match, seat: Seat, player: ComputerProcess) -> None:
        level = level_of(match, seat)
        again, player.again = player.again, False
        if player.process is not None and (level != player.level or again):
            _end(player)
        if player.process is not None and self._hangs(match, seat):
            log.warning("the computer at %s hangs and is started again", seat)
            player.process.kill()
            player.process.wait()
        if player.process is not None and player.process.poll() is not None:
            player.deaths.append(time.monotonic())
            player.process = None
        if level and player.process is None and not player.given_up and not self._stopping.is_set():
            player.level = level
            player.process = self._started(seat, level)
            self._since = time.monotonic()
        if player.given_up and player.fault is None:
            player.fault = ComputerFault.ENDS, f"it ended {DEATHS} times"
        elif not player.given_up and player.fault is not None and player.fault[0] is ComputerFault.ENDS:
            player.fault = None  # a minute later it is tried once more

    def _tell(self, match: Match) -> None:
        """Say which seats have trouble, if that has changed."""
        troubles = []
        for seat, player in self._players.items():
            if player.fault is not None and level_of(match, seat):
                code, why = player.fault
                words = f"the computer at {seat.value}: {why}; choose a level again, or take its place"
                troubles.append({"seat": seat.value, "code": code.value, "words": words})
        if troubles != self._told:
            before = {trouble["seat"] for trouble in self._told}
            self._told = troubles
            for trouble in troubles:
                self._warn(f"computer_{trouble['seat']}", trouble["words"])
            for seat_name in before - {trouble["seat"] for trouble in troubles}:
                self._warn(f"computer_{seat_name}", None)
            self._report(troubles)

    def _hangs(self, match: Match, seat: Seat) -> bool:
        """Whether it is its turn, and has been for too long."""
        now = time.monotonic()
        at = (match.id, match.seq)
        if at != self._seq:
            self._seq, self._since = at, now
        its = match.under_way and match.side_of(seat) is match.side
        waits = match.question is not None or match.phase.name not in ("turn", "throwing")
        return its and not waits and now - self._since > HANGS_S

    def _started(self, seat: Seat, level: int) -> subprocess.Popen[bytes]:
        file = self._folder / f"computer-{seat.value}.json"
        write_private(file, json.dumps(self._endpoint(seat.value)))
        command = [sys.executable, "-m", "scharten", "opponent", "--seat", seat.value]
        command += ["--level", str(level), "--endpoint", str(file), "--data", str(self._folder)]
        command += ["--parent", str(os.getpid())]
        with (self._folder / "computer.log").open("ab") as out:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=out)


def fault_in(answer: Mapping[str, Any]) -> ComputerFault | None:
    """What a refusal says of a player: who plays by the snapshot never asks for these, however late it comes."""
    code = answer.get("code")
    if code == RefusalCode.ILLEGAL:
        return ComputerFault.ILLEGAL
    early = code == RefusalCode.WRONG_PHASE and answer.get("args", {}).get("type") == "virtual_throw"
    return ComputerFault.OUT_OF_TURN if early or code == RefusalCode.NOT_YOUR_TURN else None


def _end(player: ComputerProcess) -> None:
    process, player.process = player.process, None
    if process is None:
        return
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(2)
        return
    process.kill()
    process.wait()
