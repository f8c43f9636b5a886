"""The host of a game between two boards: its invitation, and when its game begins, waits and ends.

Everything that the board publishes goes to the guest too, because `Publisher` passes it on here.
"""

from __future__ import annotations

import json
import logging
import queue
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from scharten.errors import Problem, SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import JournalReader
from scharten.journal.replay import replay
from scharten.match.inputs import Command, Reading, Receipt, Role
from scharten.match.phases import Finished
from scharten.match.state import Match
from scharten.remote.begin import begin_order
from scharten.remote.files import read_invitation, write_invitation
from scharten.remote.host_line import HostLine, HostParts
from scharten.remote.invitation import LAPSES_MS, Invitation
from scharten.remote.letters import digest_of, letters_from, spaced
from scharten.remote.messages import Accept
from scharten.remote.settings import RemoteSection
from scharten.system.worker import Worker

log = logging.getLogger(__name__)

ROUND_S = 0.25
GRACE_MS = 300_000
"""How long the line stays after the end of the game, for a correction of its last dart."""


class RemoteHost:
    """At most one invitation and one guest at a time."""

    def __init__(self, parts: HostParts, settings: RemoteSection) -> None:
        self._at, self._settings = parts, settings
        self._line: HostLine | None = None
        self._over_ms = 0
        self._challenge: Accept | None = None
        self._work: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self.worker = Worker("remote-host", self._run)

    def start(self) -> None:
        """Open the door again for an invitation that is still good, and start the worker."""
        self._at.publisher.also.append(self._relay)
        invitation = read_invitation(self._at.folder)
        if invitation is not None and self._is_behind(invitation.match):
            write_invitation(self._at.folder, None)
        elif invitation is not None:
            try:
                self._open(invitation)
            except SchartenError as error:
                log.error("%s", error)
                self._at.warn("remote", str(error))
        self.worker.start()

    def stop(self) -> None:
        """Close the door; the invitation stays good."""
        self._stopping.set()
        self._work.put(lambda: None)
        self.worker.join(5)
        self._close_door()

    @property
    def invitation(self) -> Invitation | None:
        """The open invitation, or that of the guest who plays."""
        return self._line.invitation if self._line is not None else None

    # --- for pages and commands; these may take a second ---

    def invite(
        self, seat: str, order: Mapping[str, Any], by: str, *, in_lobby: bool = False
    ) -> Problem | None:
        """Make an invitation to the game that `order` describes, in place of an earlier one."""
        if in_lobby and not self._settings.meeting:
            words = "no meeting place is configured"
            return Problem("no_meeting", words, cure="Set [remote] meeting to a centre.")
        if self.invitation is not None and self.invitation.guest and (self.playing or self.adjourned):
            return Problem("guest_here", "a guest plays already", cure="End that game first.")
        begun = begin_order(self._at.match(), seat, order, "invited")
        if isinstance(begun, Problem):
            return begun
        self._close_door()
        letters = letters_from(secrets.randbits(64))
        name = by or self._settings.name
        invitation = Invitation(
            letters, begun.away or "seat2", self._at.now_ms(), name, dict(order), open=in_lobby
        )
        try:
            self._open(invitation)
            write_invitation(self._at.folder, self.invitation)
        except (SchartenError, OSError) as error:
            self._close_door()
            write_invitation(self._at.folder, None)
            if isinstance(error, SchartenError):
                return error.problem("no_door")
            return Problem.reasoned("no_door", "system", error=error.strerror or str(error))
        return None

    def withdraw(self) -> None:
        """End the invitation or the game's line; the guest's board is its own again."""
        self._finish("left")

    @property
    def adjourned(self) -> bool:
        """Whether a game with a guest waits while this house plays another."""
        return self._line is not None and self._line.shelved

    def resume(self) -> Problem | None:
        """Go back to the adjourned game; both players agree on the page when it goes on."""
        line = self._line
        if line is None or not line.shelved:
            return Problem("no_offer", "no game was adjourned")
        if self._at.match().under_way:
            return Problem("game_on", "a game is still going on here", cure="End it first.")
        with closing(JournalReader(self._at.journal)) as reader:
            stored = next(stored for stored in reader.matches() if stored.id == line.invitation.match)
            *_, last = replay(reader, stored, GAMES_BY_KEY)
        self._at.go_back(last.match)
        return None

    @property
    def playing(self) -> bool:
        """Whether the game of the invitation goes on."""
        invitation, match = self.invitation, self._at.match()
        return bool(invitation and invitation.match and invitation.match == match.id and match.under_way)

    def status(self) -> dict[str, Any]:
        """Return what the host's pages show."""
        line = self._line
        if line is None:
            return {"side": "host", "state": "none"}
        hello, invitation, link = line.hello, line.invitation, line.link
        return {
            "side": "host",
            "state": self._state(line),
            "seat": invitation.seat,
            "match": invitation.match,
            "letters": spaced(invitation.letters) if not invitation.guest else None,
            "link": str(link) if not invitation.guest else None,
            "address": f"{link.host}:{link.port}",
            "until_ms": invitation.made_ms + LAPSES_MS,
            "name": invitation.name,
            "signal_ms": line.side.signal_ms or None,
            "round_trip_ms": hello.round_trip_ms,
            "offset_ms": hello.offset_ms,
            "sensors": [sensor.model_dump() for sensor in hello.sensors],
            "open": invitation.open,
            "back": line.side.up,
            "challenger": self._challenge.name if self._challenge else None,
            "meeting": line.meeting_words,
            "forged": line.side.forged,
            "differs": hello.differs,
        }

    def _state(self, line: HostLine) -> str:
        if not line.invitation.guest:
            return "invited"
        if line.shelved:
            return "adjourned"
        if not line.side.up:
            return "away"
        return "playing" if self.playing else "here"

    # --- the door ---

    def _open(self, invitation: Invitation) -> None:
        self._over_ms, self._challenge = 0, None
        self._line = HostLine(self._at, self._settings, invitation, self._work.put, self._accept)

    def _close_door(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            line.close()

    def _finish(self, why: str) -> None:
        """End the line and the invitation."""
        line, self._line = self._line, None
        if line is not None:
            line.end(why)
        write_invitation(self._at.folder, None)
        self._at.warn("remote", None)

    def _accept(self, accept: Accept) -> None:
        """Bind the invitation to this guest; somebody from the lobby waits for an answer first."""
        line = self._line
        if line is None or line.invitation.guest or line.invitation.lapsed(self._at.now_ms()):
            return
        if not line.invitation.open:
            self._bind(line, accept)
        elif self._challenge is None:
            self._challenge = accept

    def answer(self, *, yes: bool) -> None:
        """Accept or decline the challenger from the lobby."""
        line, accept, self._challenge = self._line, self._challenge, None
        if line is None or accept is None:
            return
        if yes:
            self._work.put(lambda: self._bind(line, accept))
        else:
            line.turn_away()

    def _bind(self, line: HostLine, accept: Accept) -> None:
        """From now on only this guest's key opens the door."""
        invitation = line.invitation
        game = begin_order(self._at.match(), invitation.seat, invitation.order, "invited")
        rated = not isinstance(game, Problem) and game.options.get("rated")
        if rated and not accept.cameras:
            words = "a rated game asks for cameras at both boards"
            self._at.warn("remote", f"{accept.name or 'The guest'} cannot play: {words}.")
            return
        invitation = invitation.accepted(digest_of(accept.key), accept.name)
        write_invitation(self._at.folder, invitation)
        line.bind(invitation)

    # --- the worker ---

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.worker.rounds += 1
            try:
                self._work.get(timeout=ROUND_S)()
            except queue.Empty:
                pass
            except OSError as error:
                self._at.warn("remote", f"The invitation cannot be stored: {error.strerror or error}.")
            if (line := self._line) is not None:
                self._look(line)

    def _look(self, line: HostLine) -> None:
        """Begin the game, notice silence, and end what is over."""
        now, invitation, match = self._at.now_ms(), line.invitation, self._at.match()
        if invitation.lapsed(now):
            return self._finish("lapsed")
        if invitation.guest and not invitation.match:
            return self._begin(line, match, now)
        if not invitation.match:
            return None
        if match.id != invitation.match:
            return self._shelve(line)
        if line.shelved:
            line.unshelve()
        if isinstance(match.stable_phase, Finished):
            self._over_ms = self._over_ms or now
            return self._finish("over") if now - self._over_ms > GRACE_MS else None
        self._over_ms = 0
        line.pictures.tick(match.id, now)
        if line.silent:
            line.guest_away()
        return None

    def _shelve(self, line: HostLine) -> None:
        """Another game began here: this one is adjourned, unless it is over."""
        if line.shelved:
            return line.guest_away() if line.silent else None
        if self._over_ms or self._has_result(line.invitation.match):
            return self._finish("over")
        line.shelve()
        return None

    def _is_behind(self, match: str) -> bool:
        """Whether this game is over, and another one stands on the board."""
        return match not in ("", self._at.match().id) and self._has_result(match)

    def _has_result(self, match: str) -> bool:
        with closing(JournalReader(self._at.journal)) as reader:
            stored = next((stored for stored in reader.matches() if stored.id == match), None)
            return stored is None or json.loads(stored.summary).get("result") is not None

    def _begin(self, line: HostLine, match: Match, now: int) -> None:
        """Begin the game once the guest is there; its order has one id, so that it begins once."""
        if not line.side.up:
            return
        invitation = line.invitation
        order_id = f"remote-{invitation.guest[:24]}"
        if match.start.away == invitation.seat and match.start.t_ms >= invitation.made_ms and match.under_way:
            invitation = invitation.begun(match.id)
            write_invitation(self._at.folder, invitation)
            line.begin(invitation)
            return
        names = {"name": invitation.name, "by": invitation.by}
        order = begin_order(match, invitation.seat, invitation.order, order_id, names)
        if isinstance(order, Problem):
            self._at.warn("remote", str(order))
            return
        self._at.take(Command(now, Role.TABLE, order, secrets.randbits(128)))

    # --- to the guest ---

    def acknowledge(self, receipt: Receipt) -> None:
        """The journal has the guest's reading."""
        if self._line is not None:
            self._line.acknowledge(receipt)

    def note(self, given: Reading) -> None:
        """A dart of this house's board is stored: its picture goes to the guest."""
        line = self._line
        if line is not None and line.invitation.match == self._at.match().id:
            line.pictures.note(given, given.at_ms, self._at.now_ms())

    def on_stored(self, match: str, body: str, events: str, digest: str, start: str) -> None:
        """A step of the game is stored: send it for the guest's proof."""
        if self._line is not None:
            self._line.on_stored(match, body, events, digest, start)

    def _relay(self, topic: str, payload: bytes, retained: bool) -> None:
        if self._line is not None:
            self._line.relay(topic, payload, retained)
