"""Requests of pages and commands about a game between two boards: one request and one answer, both JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scharten.errors import Problem, SchartenError, sentences
from scharten.remote.guest import RemoteGuest
from scharten.remote.host import RemoteHost
from scharten.remote.lobby import read_lobby
from scharten.remote.meeting import own_meeting_place
from scharten.remote.pictures import RemoteThrows
from scharten.remote.settings import RemoteSection

LONGEST = 400


class RemoteControl:
    """The host and the guest of this machine. `request` may wait for the network."""

    def __init__(
        self, host: RemoteHost, guest: RemoteGuest, settings: RemoteSection, throws: RemoteThrows
    ) -> None:
        self._host, self._guest, self._settings, self.throws = host, guest, settings, throws
        self._actions: Mapping[str, Callable[[Mapping[str, Any]], Problem | Mapping[str, Any] | None]] = {
            "status": lambda body: None,
            "invite": self._invite,
            "answer": lambda body: self._host.answer(yes=body.get("yes") is True),
            "lobby": lambda body: self._lobby(),
            "withdraw": lambda body: self._host.withdraw(),
            "ask": lambda body: self._guest.ask(_text(body, "link")),
            "accept": lambda body: self._guest.accept(_text(body, "name")[:40], _text(body, "player")[:16]),
            "join": self._join,
            "resume": lambda body: self._host.resume() if self._host.adjourned else self._guest.resume(),
            "leave": lambda body: self._guest.leave(for_good=body.get("for_good") is True),
        }

    def status(self) -> Mapping[str, Any]:
        """Return what every page may know, and the letters and the link, which only some may see."""
        return {**(self._guest.status() or self._host.status()), "meets": bool(self._settings.meeting)}

    def request(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Do what a page or a command asks, and answer."""
        action = self._actions.get(_text(body, "type"))
        try:
            done = action(body) if action else Problem("malformed", "no such request")
        except SchartenError as error:
            done = error.problem("failed")
        if isinstance(done, Problem):
            whole = sentences(done.words, done.cure)
            return {"accepted": False, "code": done.code, "words": whole, "args": dict(done.args)}
        return {"accepted": True, **({"offer": done} if done else {}), "status": self.status()}

    def _invite(self, body: Mapping[str, Any]) -> Problem | None:
        order, seat = body.get("order"), body.get("seat", "seat2")
        if not isinstance(order, dict) or seat not in ("seat1", "seat2"):
            return Problem("malformed", "an invitation names a seat and the game's order")
        if self._guest.away:
            return Problem("guest_here", "this board plays at another host", cure="Leave it first.")
        return self._host.invite(str(seat), order, _text(body, "by")[:40], in_lobby=body.get("lobby") is True)

    def _join(self, body: Mapping[str, Any]) -> Problem | None:
        """Read an invitation and accept it at once: somebody has agreed to it already."""
        link = _text(body, "link")
        if self._guest.away and self._guest.is_of(link):
            return None  # asked again, because the first answer was lost
        asked = self._guest.ask(link)
        if isinstance(asked, Problem):
            return asked
        return self._guest.accept(_text(body, "name")[:40], _text(body, "player")[:16])

    def _lobby(self) -> Problem | dict[str, Any]:
        place = own_meeting_place(self._settings)
        if place is None:
            words = "no meeting place is configured"
            return Problem("no_meeting", words, cure="Set [remote] meeting to a centre.")
        found = read_lobby(place)
        return found if isinstance(found, Problem) else {"entries": found}


def _text(body: Mapping[str, Any], key: str) -> str:
    value = body.get(key)
    return value[:LONGEST] if isinstance(value, str) else ""
