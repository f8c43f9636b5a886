"""Start, watch and restart the computer's processes, one for each seat that it plays.

`health` reports a process that breaks the rules: an illegal turn, a throw out of turn, another account's topic.
Referee and broker refuse all of these; a person decides who plays on.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scharten.contract.roles import Account
from scharten.match.codes import ComputerFault, Message, RefusalCode, WhyRefused
from scharten.match.events import Answered, Event, Happened
from scharten.match.orders import Engine, StandIn
from scharten.match.seats.computers import engine_of, level_of, stand_in_of
from scharten.match.state import Match
from scharten.match.white import Seat
from scharten.opponent.ready import ReadyProcess
from scharten.play.scatter import Hand
from scharten.system.secrets import write_private
from scharten.system.worker import Worker

log = logging.getLogger(__name__)

LOOK_S = 1.0
HANGS_S = 60.0
"""A process that does nothing in its turn for this long hangs."""
ENGINE_FAILED = 3
"""The exit status of a process whose chess engine does not play."""
DEATHS, DEATHS_WITHIN_S = 3, 60.0
"""A process that ends this often within this time, or without a change of the game, which a slow machine needs longer
for, is restarted only after a person chooses a level again."""
HANGS = 2
"""A process that hangs this often in a game is restarted only then too: players wait a minute for each."""

NO_ENGINE = Engine.model_construct(name="", strength=None)
"""Stands for the built-in player."""
ENDED = (ComputerFault.ENDS, ComputerFault.HANGS, ComputerFault.ENGINE)


class ComputerProcess:
    """The process of a seat, and the ends and faults of its predecessors."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.level, self.engine = 0, NO_ENGINE
        self.stand_in: StandIn | None = None
        self.engine_failed = False
        self.deaths: list[tuple[float, str, int]] = []
        """The time, the match and its `seq` of each."""
        self.hangs = 0
        self.fault: tuple[ComputerFault, str] | None = None
        self.restart = False

    @property
    def given_up(self) -> bool:
        """Whether it ended too often to be restarted before a person chooses again."""
        if self.hangs >= HANGS or (self.fault is not None and self.fault[0] in ENDED):
            return True
        now = time.monotonic()
        recent = [death for death in self.deaths if now - death[0] < DEATHS_WITHIN_S]
        same_state = [death for death in self.deaths if death[1:] == self.deaths[-1][1:]]
        return max(len(recent), len(same_state)) >= DEATHS

    def end(self) -> tuple[ComputerFault, str]:
        """Return the fault of a process that hung or ended too often."""
        if self.hangs >= HANGS:
            return ComputerFault.HANGS, f"it did nothing for {HANGS_S:.0f} s in its turn, {HANGS} times"
        if not self.engine_failed:
            return ComputerFault.ENDS, f"it ended {DEATHS} times"
        return ComputerFault.ENGINE, f"the engine {self.engine.name} failed {DEATHS} times (computer.log)"


class ComputerPlayers:
    """Keep one process per computer seat, in a thread of its own because a start takes a while.

    `warn` gets a warning's name and its text or None, `report` the contract's `health.computers`.
    """

    def __init__(
        self,
        folder: Path,
        endpoint: Callable[[str], Mapping[str, object]],
        match: Callable[[], Match],
        warn: Callable[[str, str | None], None],
        report: Callable[[list[dict[str, Any]]], object] = lambda troubles: None,
        config_file: Path | None = None,
        stand_in_refused: Callable[[str], str | None] = lambda player: None,
        hand_of: Callable[[str], Hand | None] = lambda player: None,
    ) -> None:
        """Processes find their engines in `config_file`, or in the data folder's.

        `stand_in_refused` returns why the computer may not play as this player, None if it may; `hand_of` how the
        player's darts land, None if unknown.
        """
        self._stand_in_refused, self._hand_of = stand_in_refused, hand_of
        self._folder, self._endpoint, self._match = folder, endpoint, match
        self._warn, self._report = warn, report
        self._reported: list[dict[str, Any]] = []
        self._players = {seat: ComputerProcess() for seat in Seat}
        self._seq: tuple[str, int] = ("", 0)
        self._since = time.monotonic()
        named = () if config_file is None else ("--config", str(config_file))
        parent = ("--data", str(folder), "--parent", str(os.getpid()), *named)
        self._command = (sys.executable, "-m", "scharten", "opponent", *parent)
        self._ready, self._wanted = ReadyProcess((*self._command, "--ready"), folder / "computer.log"), False
        self._wake, self._stopping = threading.Event(), threading.Event()
        self.worker = Worker("computers", self._run)

    def start(self) -> None:
        """Start the thread."""
        self.worker.start()

    def stop(self) -> None:
        """Stop the thread and all processes."""
        self._stopping.set()
        self._wake.set()
        self.worker.join(3)
        self._ready.stop()
        for player in self._players.values():
            _end(player)

    def prepare(self) -> None:
        """Start a process for a game that may begin soon; returns at once."""
        self._wanted = True
        self._wake.set()

    def on_event(self, event: Event) -> None:
        """Restart a computer that a person chooses again; note a fault when a command was refused."""
        if isinstance(event, Happened) and event.code in (Message.COMPUTER, Message.NEW_GAME):
            for seat, player in self._players.items():
                if event.args.get("seat") in (seat.value, None):
                    player.deaths.clear()
                    player.hangs = 0
                    player.restart, player.fault = player.fault is not None, None
            self._wake.set()
        elif isinstance(event, Answered) and (fault := fault_in(event.body)) is not None:
            self._blame(event.role, fault, str(event.body.get("words", "")))

    def on_denied(self, account: Account, topic: str) -> None:
        """Note a write that the broker denied; called by the broker's thread."""
        self._blame(account.value, ComputerFault.FOREIGN_TOPIC, f"it wrote on {topic[:80]!r}")

    def _blame(self, role: str, fault: ComputerFault, words: str) -> None:
        """Keep the first fault of a computer's seat until a person chooses again."""
        seat = next((seat for seat in Seat if seat.value == role), None)
        if seat is not None and level_of(self._match(), seat) and self._players[seat].fault is None:
            self._players[seat].fault = fault, words
            self._wake.set()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.worker.rounds += 1
            match = self._match()
            for seat, player in self._players.items():
                try:
                    self._look_after(match, seat, player)
                except OSError as error:
                    player.deaths.append((time.monotonic(), match.id, match.seq))
                    log.error("the computer at %s cannot be started: %s", seat, error)
            self._report_troubles(match)
            self._keep_ready()
            self._wake.wait(LOOK_S)
            self._wake.clear()

    def _keep_ready(self) -> None:
        wanted, self._wanted = self._wanted, False
        try:
            if wanted:
                self._ready.prepare()
            self._ready.end_unused()
        except OSError as error:
            log.warning("no computer can be prepared: %s", error)

    def _look_after(self, match: Match, seat: Seat, player: ComputerProcess) -> None:
        level, engine = level_of(match, seat), engine_of(match, seat) or NO_ENGINE
        stand_in = stand_in_of(match, seat) if level else None
        if not self._agreed(stand_in, player):
            return
        restart, player.restart = player.restart, False
        chosen = (level, engine, stand_in)
        if player.process is not None and (
            chosen != (player.level, player.engine, player.stand_in) or restart
        ):
            _end(player)
        if player.process is not None and self._hangs(match, seat):
            log.warning("the computer at %s hangs, so its process is ended", seat)
            _kill(player.process)
            player.hangs += 1
        if player.process is not None and player.process.poll() is not None:
            player.deaths.append((time.monotonic(), match.id, match.seq))
            player.engine_failed = player.process.returncode == ENGINE_FAILED
            player.process = None
        if level and player.process is None and not player.given_up and not self._stopping.is_set():
            player.level, player.engine, player.stand_in = chosen
            player.process = self._spawn(seat, level, engine, stand_in)
            self._since = time.monotonic()
        if player.given_up and player.fault is None:
            player.fault = player.end()

    def _agreed(self, stand_in: StandIn | None, player: ComputerProcess) -> bool:
        """Whether it may play as this player; else end its process, which may play again after a new agreement."""
        why = None if stand_in is None else self._stand_in_refused(stand_in.player)
        if why is not None:
            _end(player)
            player.fault = ComputerFault.STAND_IN, why
        elif player.fault is not None and player.fault[0] is ComputerFault.STAND_IN:
            player.fault = None
        return why is None

    def _report_troubles(self, match: Match) -> None:
        """Report the seats that have trouble, if they have changed."""
        troubles = []
        for seat, player in self._players.items():
            if player.fault is not None and level_of(match, seat):
                code, why = player.fault
                words = f"the computer at {seat.value}: {why}; choose a level again, or take its place"
                troubles.append({"seat": seat.value, "code": code.value, "words": words})
        if troubles != self._reported:
            before = {trouble["seat"] for trouble in self._reported}
            self._reported = troubles
            for trouble in troubles:
                self._warn(f"computer_{trouble['seat']}", trouble["words"])
            for seat_name in before - {trouble["seat"] for trouble in troubles}:
                self._warn(f"computer_{seat_name}", None)
            self._report(troubles)

    def _hangs(self, match: Match, seat: Seat) -> bool:
        """Whether its turn has lasted too long."""
        now = time.monotonic()
        at = (match.id, match.seq)
        if at != self._seq:
            self._seq, self._since = at, now
        its = match.under_way and match.side_of(seat) is match.side
        waits = match.question is not None or match.phase.name not in ("turn", "throwing")
        return its and not waits and now - self._since > HANGS_S

    def _spawn(
        self, seat: Seat, level: int, engine: Engine, stand_in: StandIn | None
    ) -> subprocess.Popen[bytes]:
        file = self._folder / f"computer-{seat.value}.json"
        write_private(file, json.dumps(self._endpoint(seat.value)))
        task = {"seat": seat.value, "level": level, "endpoint": str(file), "engine": engine.name}
        hand = None if stand_in is None else stand_in.mm
        known = None if stand_in is None else self._hand_of(stand_in.player)
        shape = None if known is None else known.as_list()
        ready = self._ready.take({**task, "strength": engine.strength, "hand": hand, "shape": shape})
        if ready is not None:
            return ready
        options = [word for name, value in task.items() for word in (f"--{name}", str(value))]
        if engine.strength is not None:
            options.append(f"--strength={engine.strength}")
        if hand is not None:
            options.append(f"--hand={hand}")
        if shape is not None:
            options.append(f"--shape={json.dumps(shape)}")
        with (self._folder / "computer.log").open("ab") as out:
            nowhere = subprocess.DEVNULL
            return subprocess.Popen(
                [*self._command, *options], stdin=nowhere, stdout=nowhere, stderr=out, process_group=0
            )


def fault_in(answer: Mapping[str, Any]) -> ComputerFault | None:
    """The fault behind a refusal, or None: a player that follows the snapshot never causes these, however late."""
    code = answer.get("code")
    if code == RefusalCode.ILLEGAL:
        return ComputerFault.ILLEGAL
    early = code == RefusalCode.WRONG_PHASE and answer.get("args", {}).get("type") == "virtual_throw"
    early = early or answer.get("args", {}).get("why") == WhyRefused.OTHER_THROWS
    return ComputerFault.OUT_OF_TURN if early or code == RefusalCode.NOT_YOUR_TURN else None


def _end(player: ComputerProcess) -> None:
    process, player.process = player.process, None
    if process is None:
        return
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(2)
        return
    _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and its engine, which are a group of their own."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
