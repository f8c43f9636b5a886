"""Messages of a GranBoard over Bluetooth: `row.col@` for a dart, `OUT@` for a miss, `BTN@` for its button.

As its owners have published it; not tried on the device by this project. The profile `granboard` maps row and column.
"""

from __future__ import annotations

import re
from enum import Enum

from scharten.dartboard.profile import Contact

SERVICE = "442f1570-8a00-9a28-cbe1-e1d4212d53eb"
NOTIFY = "442f1571-8a00-9a28-cbe1-e1d4212d53eb"
MAX_MESSAGE = 32
"""The longest accepted message in bytes; real ones have six at most."""

_CONTACT = re.compile(rb"([0-9]|1[0-5])\.([0-9]|1[0-5])")


class Other(Enum):
    """Messages that are not contacts."""

    OUT = b"OUT"
    BUTTON = b"BTN"


class MessageReader:
    """Turn bytes of notifications into messages; anything else is dropped."""

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, data: bytes) -> tuple[Contact | Other, ...]:
        """Return the messages that `data` completes; keep at most 31 bytes."""
        *whole, rest = (self._pending + data).split(b"@")
        self._pending = rest if len(rest) < MAX_MESSAGE else b""
        return tuple(message for message in map(_message, whole) if message is not None)


def _message(text: bytes) -> Contact | Other | None:
    contact = _CONTACT.fullmatch(text)
    if contact is not None:
        return Contact(int(contact[1]), int(contact[2]))
    return next((other for other in Other if other.value == text), None)
