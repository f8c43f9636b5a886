"""An invitation to one seat, and the link that carries it. Pure."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter

from scharten.errors import Problem
from scharten.match.orders import SeatName
from scharten.remote.letters import read_letters

LAPSES_MS = 3_600_000
"""An invitation that nobody accepted lapses after an hour."""
PORT, MEETING_PORT = 8884, 8885
LONGEST_LINK = 400


@dataclass(frozen=True)
class Invitation:
    """An invitation: `order` has the fields of the `new_game` that begins when the guest accepts.

    `guest` is the digest of the secret of the guest who accepted, "" before. `match` is the game that began with it,
    `port` that of the door, which stays the same for as long as the link is good. `open`: it stands in the lobby,
    and the host answers the player who takes it up.
    """

    letters: str
    seat: SeatName
    made_ms: int
    by: str = ""
    order: dict[str, Any] = field(default_factory=dict)
    guest: str = ""
    name: str = ""
    match: str = ""
    port: int = 0
    open: bool = False

    def lapsed(self, now_ms: int) -> bool:
        """Whether nobody accepted it in time."""
        return not self.guest and not 0 <= now_ms - self.made_ms < LAPSES_MS

    def accepted(self, guest: str, name: str) -> Invitation:
        """The invitation after a guest said yes."""
        return replace(self, guest=guest, name=name)

    def begun(self, match: str) -> Invitation:
        """The invitation once its game has begun."""
        return replace(self, match=match)


INVITATION: TypeAdapter[Invitation] = TypeAdapter(Invitation)


@dataclass(frozen=True, slots=True)
class Link:
    """Where the host listens, the letters, and its certificate's fingerprint ("" if only the letters were read out).

    With `meets`, `host` and `port` are the broker at which both meet.
    """

    host: str
    port: int
    letters: str
    fingerprint: str = ""
    meets: bool = False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        pinned = f"#{self.fingerprint}" if self.fingerprint else ""
        return f"{MEETS if self.meets else DIRECT}://{host}:{self.port}/{self.letters}{pinned}"


DIRECT, MEETS = "scharten", "scharten-meet"
_LINK = re.compile(
    r"(?:(?P<scheme>scharten|scharten-meet|meet)://)?(?P<host>\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]{1,253})(?::(?P<port>\d{1,5}))?"
    r"/(?P<letters>[A-Za-z -]{8,12})"
    r"(?:#(?P<pin>[A-Za-z0-9_-]{43}))?"
)


def read_link(text: str) -> Link | Problem:
    """Read a link, or an address and the letters that were read out (`host:port/ABCD EFGH`, `meet://broker/...`)."""
    found = _LINK.fullmatch(text.strip()) if len(text) <= LONGEST_LINK else None
    letters = read_letters(found["letters"]) if found else None
    meets = found is not None and found["scheme"] in (MEETS, "meet")
    port = int(found["port"] or (MEETING_PORT if meets else PORT)) if found else 0
    if found is None or letters is None or not 0 < port < 65536:
        return Problem(
            "bad_link", "this is not an invitation", cure="Copy the whole link that begins with scharten://"
        )
    return Link(found["host"].strip("[]"), port, letters, found["pin"] or "", meets)


def fingerprint_text(sha256: bytes) -> str:
    """Return a fingerprint as a link carries it."""
    return base64.urlsafe_b64encode(sha256).decode().rstrip("=")
