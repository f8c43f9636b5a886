"""Meet at a broker that both sides reach, so that neither opens a port: its topics, and how to log in there.

The bytes of the guest's TLS connection to the host's door go through the broker (`tunnel`). The broker sees neither
letters nor darts, because the certificate of the door is pinned as on a direct line.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from scharten.mqtt.address import BrokerAddress, account_at
from scharten.mqtt.pinned import ANY
from scharten.remote.invitation import MEETING_PORT, Link
from scharten.remote.settings import RemoteSection

ROOT = "meet"
SLOTS = 1024
"""Places in the lobby; an entry's place follows from its room."""
_ROOM = re.compile(r"[0-9a-f]{32}")
_COST = 2**14


@lru_cache(maxsize=16)  # a slow hash
def room_of(letters: str) -> str:
    """Return the room of an invitation, which nobody finds without its letters. It takes about 50 ms."""
    made = hashlib.scrypt(letters.encode(), salt=b"scharten-meeting", n=_COST, r=8, p=1, dklen=16)
    return made.hex()


def lobby_topic(room: str) -> str:
    """Return the topic on which an open invitation waits."""
    return f"{ROOT}/lobby/{int(room[:8], 16) % SLOTS}"


def is_room_topic(topic: str) -> bool:
    """Whether a topic carries one direction of a connection: `meet/<room>/<guest>/<connection>/in` or `out`."""
    levels = topic.split("/")
    named = len(levels) == 5 and levels[0] == ROOT and _ROOM.fullmatch(levels[1]) is not None
    return named and levels[4] in ("in", "out")


def is_lobby_topic(topic: str) -> bool:
    """Whether a topic is a place in the lobby."""
    levels = topic.split("/")
    place = levels[2] if len(levels) == 3 and levels[:2] == [ROOT, "lobby"] else ""
    return place.isascii() and place.isdigit() and len(place) <= 4 and int(place) < SLOTS


def own_meeting_place(settings: RemoteSection) -> BrokerAddress | None:
    """Return the configured meeting place, with its login; None without one."""
    if not settings.meeting:
        return None
    ca_file = Path(settings.meeting_ca_file) if settings.meeting_ca_file else None
    password = Path(settings.meeting_password_file) if settings.meeting_password_file else None
    address = account_at(settings.meeting, ca_file, password, "guest")
    if re.search(r":\d+/?$", settings.meeting) is None:
        address = replace(address, port=MEETING_PORT)
    # A centre has a certificate of its own making; a login is given only to a broker whose certificate is verified.
    unverified = address.tls and address.account is None and ca_file is None
    return replace(address, pinned=ANY) if unverified else address


def meeting_place(link: Link, settings: RemoteSection) -> BrokerAddress:
    """Return the broker of a link, with the configured login if it is the configured one."""
    own = own_meeting_place(settings)
    if own is not None and (own.host, own.port) == (link.host, link.port):
        return own
    return BrokerAddress(link.host, link.port, tls=True, pinned=ANY)
