"""The simulated board as a process: one loop over the pty, the throws of the broker, and the script."""

from __future__ import annotations

import contextlib
import logging
import os
import random
import select
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from scharten.dartboard.beds import MISS, Bed
from scharten.dartboard.locate import bed_at, centre_of
from scharten.dartboard.profile import BoardProfile, Contact
from scharten.errors import Problem, SchartenError
from scharten.sensors.simulator.board import SimulatedBoard
from scharten.sensors.simulator.player import ScriptPlayer
from scharten.sensors.simulator.port import PtyPort
from scharten.sensors.simulator.script import (
    AtPoint,
    ContactAction,
    Deed,
    InBed,
    Plain,
    Push,
    ScriptLine,
    Tap,
    TouchedContact,
    Wait,
    parse_line,
)

_LOG = logging.getLogger(__name__)
_BOUNCE_PEAK = 800
_WATCH_MS = 20  # how often an unopened port is looked at
_LAMPS = ("off", "throw now", "counted", "lost", "fault")
MAX_WAITING = 1000
"""Throws that may wait to be thrown; more are refused, for nobody throws so fast."""


@dataclass(frozen=True)
class Habits:
    """How the simulated board behaves: scatter in mm (one standard deviation), its chance, and when it gives up."""

    scatter_mm: float = 0.0
    seed: int | None = None
    linger_s: float | None = None


def _now() -> int:
    return time.monotonic_ns() // 1_000_000


class Simulator:
    """Owns the board, the port and the clock. `throw` may be called from any thread; all else is the loop's."""

    def __init__(
        self,
        profile: BoardProfile,
        port: PtyPort,
        habits: Habits,
        *,
        steps: tuple[ScriptLine, ...] = (),
        typed: bool = False,
        say: Callable[[str], None] = print,
    ) -> None:
        self._profile, self._port, self._habits, self._say = profile, port, habits, say
        self._chance = random.Random(habits.seed)
        self._throws: deque[Deed] = deque()  # no lock: a signal handler throws too
        self._wake_out, self._wake_in = os.pipe()
        os.set_blocking(self._wake_in, False)
        self._typed = typed
        self._half = ""
        self._lines = 0
        self._ended = False
        self._lamp = 0
        self._connected_ms = _now()
        self._listening = False
        self._player = ScriptPlayer(steps, _now())
        port.plug()
        self._board = self._powered(frozenset())

    def throw(self, deed: Deed) -> None:
        """Somebody throws a dart, or pulls or plugs the cable; from any thread, never blocks."""
        if len(self._throws) >= MAX_WAITING:
            _LOG.warning("more than %d throws are waiting; one was left out", MAX_WAITING)
            return
        self._throws.append(deed)
        with contextlib.suppress(BlockingIOError):  # the pipe is full: the loop is awake
            os.write(self._wake_in, b"!")

    def run(self) -> None:
        """Until the script or a lonely board's patience ends."""
        try:
            while not self._ended:
                self._once()
        finally:
            self._port.unplug()

    def stop(self) -> None:
        """End the loop at the next chance."""
        self.throw(Plain.END)

    def _powered(self, held: frozenset[Contact]) -> SimulatedBoard:
        name, drives, senses = self._profile.name, self._profile.drives, self._profile.senses
        session = self._chance.randrange(1, 1 << 16)
        return SimulatedBoard(name, drives, senses, session, _now(), held)

    def _once(self) -> None:
        now = _now()
        for deed in self._player.play(now, self._over):
            self._do(deed, now)
        self._board.tick(now)
        listening = self._listen(now)
        reads = [self._wake_out]
        if listening:
            reads.append(self._port.fileno())
        if self._typed:
            reads.append(sys.stdin.fileno())
        poll = select.poll()
        for descriptor in reads:
            poll.register(descriptor, select.POLLIN)
        self._take_in([descriptor for descriptor, _ in poll.poll(self._pause(listening))])

    def _listen(self, now: int) -> bool:
        """Write pending lines to the program that has the port open; without one they are dropped."""
        output = self._board.take()
        listening = self._port.listening()
        if listening and not self._listening:
            self._board.opened(now)
            output = self._board.take()
        self._listening = listening
        if listening:
            self._connected_ms = now
            if output:
                self._port.write(output)
        elif self._habits.linger_s is not None and now - self._connected_ms > self._habits.linger_s * 1000:
            self._say(f"nobody opened the port for {self._habits.linger_s:g} s; the simulated board ends")
            self._ended = True
        return listening

    def _pause(self, listening: bool) -> int:
        dues = [self._board.due() if self._port.plugged else _now() + 1000]
        script = self._player.due()
        if script is not None:
            dues.append(script)
        pause = max(0, min(dues) - _now())
        return pause if listening else min(pause, _WATCH_MS)

    def _take_in(self, ready: list[int]) -> None:
        now = _now()
        if self._port.plugged and self._port.fileno() in ready:
            self._board.receive(self._port.read(), now)
            self._show_lamp()
        if self._typed and sys.stdin.fileno() in ready:
            self._read_typed(now)
        if self._wake_out in ready:
            os.read(self._wake_out, 4096)
            while self._throws:  # one that came meanwhile happened after `now`
                self._do(self._throws.popleft(), _now())
        for deed in self._player.play(now, self._over):
            self._do(deed, now)
        if self._port.listening():
            self._port.write(self._board.take())

    def _read_typed(self, now: int) -> None:
        data = os.read(sys.stdin.fileno(), 4096)
        if not data:
            self._typed = False
            return
        *lines, self._half = (self._half + data.decode("utf-8", "replace")).split("\n")
        for line in lines:
            self._lines += 1
            step = parse_line(line, self._lines)
            if isinstance(step, Problem):
                raise SchartenError.coded("script_line", why=step)
            if step is not None:
                self._player.add(step, now)

    def _show_lamp(self) -> None:
        lamp = self._board.settings["lamp"]
        if lamp != self._lamp:
            self._lamp = lamp
            self._say(f"lamp: {_LAMPS[lamp]}")

    def _over(self, wait: Wait) -> bool:
        if wait is Wait.HOST:
            return self._board.questions > 0
        return self._board.unacknowledged == 0

    def _do(self, deed: Deed, now: int) -> None:
        match deed:
            case AtPoint(x_mm, y_mm):
                self._dart(x_mm, y_mm, now)
            case InBed(bed):
                self._dart(*centre_of(bed), now)
            case Push(button):
                self._board.button(button, now)
            case Tap(peak):
                self._board.knock(peak, now)
            case TouchedContact(touch, at):
                self._touched(touch, at, now)
            case Plain():
                self._plain(deed, now)
            case Wait():
                raise AssertionError("the player keeps the waits to itself")
            case _:
                assert_never(deed)

    def _dart(self, x_mm: float, y_mm: float, now: int) -> None:
        scatter = self._habits.scatter_mm
        bed = bed_at(x_mm + self._chance.gauss(0, scatter), y_mm + self._chance.gauss(0, scatter))
        contact = None if bed == MISS else self._profile.contact_of(bed)
        if contact is not None and self._port.plugged:
            self._board.press(contact, now)

    def _touched(self, touch: ContactAction, at: Contact | Bed, now: int) -> None:
        contact = self._profile.contact_of(at) if isinstance(at, Bed) else at
        if contact is None:
            return
        match touch:
            case ContactAction.PRESS:
                self._board.press(contact, now)
            case ContactAction.HOLD:
                self._board.close(contact, now)
            case ContactAction.FREE:
                self._board.open(contact, now)

    def _plain(self, deed: Plain, now: int) -> None:
        match deed:
            case Plain.MISS:
                pass  # the electronics of a real board notice nothing either
            case Plain.BOUNCE_OUT:
                self._board.knock(max(_BOUNCE_PEAK, self._board.settings["knock_threshold"]), now)
            case Plain.UNPLUG:
                self._port.unplug()
                self._say("unplugged")
            case Plain.REPLUG:
                self._port.unplug()
                self._port.plug()
                self._board = self._powered(self._board.closed)
                self._say(f"plugged in at {self._port.name}")
            case Plain.RESET:
                self._board.reset(now)
            case Plain.END:
                self._ended = True
