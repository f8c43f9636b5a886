"""The computer's processes, one for each seat that it plays: started, watched, started again, and given up in words."""

from __future__ import annotations

import contextlib
import json
import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from scharten.match.codes import Message
from scharten.match.events import Event, Happened
from scharten.match.state import Match
from scharten.match.white import Seat
from scharten.mqtt.secrets import write_private

log = logging.getLogger(__name__)

LOOK_S = 1.0
HANGS_S = 60.0
"""Its turn, and nothing happens for so long: it hangs."""
DEATHS, DEATHS_WITHIN_S = 3, 60.0
"""So many ends in so short a time, and it is given up until a person says otherwise."""


class PlayerProcess:
    """One process, and what became of those before it."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.level = 0
        self.deaths: list[float] = []
        self.warned = False

    @property
    def given_up(self) -> bool:
        """Whether it ended too often to be started once more."""
        return len([at for at in self.deaths if time.monotonic() - at < DEATHS_WITHIN_S]) >= DEATHS


class ComputerPlayers:
    """Keeps as many processes as the match has computers; a thread of its own, because a start takes a while."""

    def __init__(
        self,
        folder: Path,
        endpoint: Callable[[str], Mapping[str, object]],
        match: Callable[[], Match],
        warn: Callable[[str, str | None], None],
    ) -> None:
        self._folder, self._endpoint, self._match, self._warn = folder, endpoint, match, warn
        self._players = {seat: PlayerProcess() for seat in Seat}
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
        """A person who chooses a computer again has it started again."""
        if isinstance(event, Happened) and event.code in (Message.COMPUTER, Message.NEW_GAME):
            for player in self._players.values():
                player.deaths.clear()
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
            self._wake.wait(LOOK_S)
            self._wake.clear()

    def _look_after(self, match: Match, seat: Seat, player: PlayerProcess) -> None:
        level = match.computers[0 if seat is Seat.SEAT1 else 1]
        if player.process is not None and level != player.level:
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
        if (warns := bool(level and player.given_up)) is not player.warned:
            player.warned = warns
            words = (
                f"the computer at {seat.value} ended {DEATHS} times: choose a level again, or take its place"
            )
            self._warn(f"computer_{seat.value}", words if warns else None)

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
        command += ["--level", str(level), "--endpoint", str(file), "--data", str(self._folder), "--child"]
        with (self._folder / "computer.log").open("ab") as out:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=out)


def _end(player: PlayerProcess) -> None:
    process, player.process = player.process, None
    if process is None:
        return
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(2)
        return
    process.kill()
    process.wait()
