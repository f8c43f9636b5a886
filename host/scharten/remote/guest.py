"""The guest of a game between two boards: this machine's board plays at another host.

While the board plays elsewhere, its readings go to the host (`guest_line`) and not to the own referee.
"""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from scharten.errors import Problem
from scharten.match.inputs import Command
from scharten.remote.asking import Asking
from scharten.remote.files import GuestState, read_guest, write_guest
from scharten.remote.guest_line import GuestLine, GuestParts
from scharten.remote.home import note_due
from scharten.remote.invitation import read_link
from scharten.remote.messages import Accept
from scharten.system.secrets import new_secret
from scharten.system.worker import Worker

ROUND_S = 0.1
PATIENCE_S = 5.0
"""How long a board that leaves waits for the rest of its proof."""
FOR_GOOD = ("over", "lapsed", "given_up", "refused")
"""Reasons after which the game cannot go on another day."""


class RemoteGuest:
    """At most one game at a time."""

    def __init__(self, parts: GuestParts) -> None:
        self._at = parts
        self._state: GuestState | None = None
        self._line: GuestLine | None = None
        self._asking: Asking | None = None
        self._leaving = self._ending = ""
        self._end_by_s = 0.0
        self._work: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self.worker = Worker("remote-guest", self._run)

    def start(self) -> None:
        """Go on with a game that this machine was the guest of, and start the worker."""
        self._at.bring_home()
        self._state = read_guest(self._at.folder)
        if self._state is not None and self._state.away:
            self._go(self._state)
        self.worker.start()

    def stop(self) -> None:
        """Leave the host; the next start comes back to it."""
        self._stopping.set()
        self._work.put(lambda: None)
        self.worker.join(5)
        if self._line is not None:
            self._line.stop()
        if self._asking is not None:
            self._asking.close()

    @property
    def state(self) -> GuestState | None:
        """The game that this machine is the guest of, None without one."""
        return self._state if self._line is None else self._line.state

    @property
    def away(self) -> bool:
        """Whether the board plays at another host now."""
        return self._line is not None

    def is_of(self, text: str) -> bool:
        """Whether this machine accepted the invitation behind a link."""
        return self.state is not None and self.state.link == str(read_link(text))

    # --- for pages and commands; these wait for the network ---

    def ask(self, text: str) -> Problem | dict[str, Any]:
        """Read what an invitation offers."""
        link = read_link(text)
        if isinstance(link, Problem):
            return link
        if self._asking is not None:
            self._asking.close()
        self._asking = asking = Asking(link, self._at.settings)
        problem = asking.ask()
        if problem is not None or asking.found is None:
            asking.close()
            self._asking = None
            return problem or Problem("no_offer", "there is no offer")
        offer = asking.found.offer.model_dump(exclude={"proof", "v"})
        return {**offer, "host": f"{link.host}:{link.port}", "cameras": self._at.cameras}

    def accept(self, name: str = "", player: str = "") -> Problem | None:
        """Say yes to the invitation that was read, and give the board away."""
        asking = self._asking
        if asking is None or asking.found is None:
            return Problem("no_offer", "no invitation was read", cure="Enter the invitation again.")
        if self._at.match().under_way:
            return Problem("game_on", "a game is still going on at this board", cure="End it first.")
        if self.away:
            return Problem("guest_here", "this board plays at another host already", cure="Leave it first.")
        found, key = asking.found, new_secret()
        state = GuestState(
            link=str(asking.link),
            pin=found.pin,
            root=found.root,
            seat=found.offer.seat,
            key=key,
            by=found.offer.by,
            name=name,
            player=player,
            session=2**32 + secrets.randbits(31),
        )
        try:
            write_guest(self._at.folder, None)
            write_guest(self._at.folder, state)
        except OSError as error:
            return Problem(
                "disk", f"the game cannot be stored: {error.strerror or error}", cure="Make room on the disk."
            )
        asking.accept(Accept(key=key, name=name, cameras=self._at.cameras))
        self._go(state)
        return None

    def resume(self) -> Problem | None:
        """Go on with an adjourned game."""
        if self._state is None or self.away:
            return Problem("no_offer", "no game was adjourned")
        if self._at.match().under_way:
            return Problem("game_on", "a game is still going on at this board", cure="End it first.")
        state = self._state.model_copy(update={"away": True})
        write_guest(self._at.folder, state)
        self._go(state)
        return None

    def leave(self, *, for_good: bool = False) -> None:
        """Take the board back; the game can go on another day unless `for_good`."""
        self._leaving = "given_up" if for_good else "left"
        self._work.put(self._leave)

    def on_command(self, command: Command) -> None:
        """A page of this house commands while the board plays elsewhere."""
        if self._line is not None:
            self._line.on_command(command)

    def status(self) -> dict[str, Any] | None:
        """Return what the guest's pages show; None if this machine is nobody's guest."""
        state, line = self.state, self._line
        if state is None:
            return None
        best = line.offset.best if line else None
        return {
            "side": "guest",
            "state": line.state_name if line else "adjourned",
            "seat": state.seat,
            "match": state.match,
            "by": state.by,
            "signal_ms": line.signal_ms if line else None,
            "round_trip_ms": best.round_trip_ms if best else None,
            "offset_ms": line.offset.offset_ms if line else 0,
            "waiting": line.waiting if line else 0,
            "differs": line.differs if line else "",
            "sends": ["darts", "pictures"] if self._at.cameras else ["darts"],
        }

    # --- giving the board away and taking it back ---

    def _go(self, state: GuestState) -> None:
        self._leaving = self._ending = ""
        line = GuestLine(self._at, state, self._work.put, lambda why: self._end(line, why))
        self._state, self._line = state, line
        line.start()

    def _end(self, line: GuestLine | None, why: str) -> None:
        """Take the board back, as soon as the proof has the whole game."""
        if line is not self._line:
            return
        if not self._ending:
            self._end_by_s = time.monotonic() + PATIENCE_S
        if self._ending not in FOR_GOOD:
            self._ending = why
        self._end_if_whole()

    def _end_if_whole(self) -> None:
        """End the line that waits for the rest of its proof, unless more may come."""
        line, why = self._line, self._ending
        if why and (line is None or line.has_all or time.monotonic() > self._end_by_s):
            self._ending = ""
            self._take_back(line, why)

    def _take_back(self, line: GuestLine | None, why: str) -> None:
        """Take the board back; keep what a later day needs, unless the game is over."""
        state, self._line = self.state, None
        game_over = line is not None and line.game_over
        if line is not None:
            line.take_back()
        if state is not None and (game_over or why in FOR_GOOD):
            note_due(self._at.folder, state, state.player or self._at.registered(state.name))
            self._at.bring_home()
            state = None
        self._state = state.model_copy(update={"away": False}) if state is not None else None
        write_guest(self._at.folder, self._state)

    def _leave(self) -> None:
        why, self._leaving = self._leaving, ""
        if self.state is not None and why:
            if self._line is not None:
                self._line.leave()
            self._end(self._line, why)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.worker.rounds += 1
            try:
                with suppress(queue.Empty):
                    self._work.get(timeout=ROUND_S)()
                self._end_if_whole()
            except OSError as error:
                self._at.warn(
                    "remote", f"The game at the other board cannot be stored: {error.strerror or error}."
                )
            if (line := self._line) is not None:
                line.tick()
                if line.connected and self._asking is not None:
                    self._asking.close()  # its letters are used up
                    self._asking = None
