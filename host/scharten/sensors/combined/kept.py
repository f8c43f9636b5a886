"""What was learnt of a board's contacts and of the cameras' time, kept in one file of the data folder.

A file that is damaged is refused whole and set aside; play goes on with what is known of any board, and that is said.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from scharten.dartboard.profile import BoardProfile
from scharten.mqtt.secrets import write_private
from scharten.sensors.combined import contacts, moments
from scharten.sensors.combined.contacts import ContactTable
from scharten.sensors.combined.moments import Moments

FILE = "contacts.json"
_VERSION = 1


@dataclass(frozen=True)
class Learnt:
    """The table of contacts and the measured moments; `words` say why an earlier file was not used."""

    table: ContactTable
    moments: Moments
    words: str = ""


def text(table: ContactTable, measured: Moments) -> str:
    """The file's text."""
    body = {
        "v": _VERSION,
        "profile": _of(table.profile),
        **contacts.dictionary(table),
        **moments.dictionary(measured),
    }
    return json.dumps({**body, "digest": _digest(body)}, indent=1, sort_keys=True) + "\n"


def read(written: str, profile: BoardProfile) -> Learnt | str:
    """What `text` wrote for this board; words where it is damaged. Of another board nothing is used."""
    try:
        raw = json.loads(written)
        digest = raw.pop("digest")
        if digest != _digest(raw):
            return "its digest does not fit"
        if raw["v"] != _VERSION:
            return f"its version is {raw['v']!r}"
        if raw["profile"] != _of(profile):
            fresh = "contacts.json is of another board profile: the contacts are learnt anew."
            return Learnt(ContactTable(profile), Moments(), fresh)
        return Learnt(contacts.parse(profile, raw), moments.parse(raw))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return f"it cannot be read: {error}"


def load(folder: Path, profile: BoardProfile) -> Learnt:
    """What is kept in a data folder, or what is known of any board."""
    path, fresh = folder / FILE, Learnt(ContactTable(profile), Moments())
    try:
        found = read(path.read_text(encoding="utf-8"), profile)
    except FileNotFoundError:
        return fresh
    except (OSError, UnicodeDecodeError) as error:
        found = str(error)
    if isinstance(found, Learnt):
        return found
    aside = path.with_name(f"{FILE}.damaged")
    try:
        path.replace(aside)
        where = f"it is kept as {aside.name}"
    except OSError as error:
        where = f"it cannot be set aside: {error.strerror}"
    words = f"{path} is damaged and not used ({found}); {where}, and the contacts are learnt anew."
    return Learnt(fresh.table, fresh.moments, words)


def save(folder: Path, table: ContactTable, measured: Moments) -> None:
    """Replace the file at once, so that a crash leaves the old one or the new one; OSError where there is no room."""
    write_private(folder / FILE, text(table, measured))


def _of(profile: BoardProfile) -> dict[str, object]:
    """What makes counts of one board worthless for another: its contacts and their beds."""
    return {"name": profile.name, "beds": {str(contact): str(bed) for contact, bed in profile.beds.items()}}


def _digest(body: object) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
