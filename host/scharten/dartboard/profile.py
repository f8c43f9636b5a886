"""Board profiles: which contact of the matrix is which bed, as TOML.

    name = "reference-8x11"
    drives = 8
    senses = 11
    separate_singles = true
    [settings]
    knock_threshold = 80
    [beds]
    "0,0" = "D20"

A profile with an unknown, impossible or repeated entry is refused whole, with the reason.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeGuard

from scharten.dartboard.beds import ALL_BEDS, MISS, SHARED_BEDS, Bed, BedKind, parse_bed
from scharten.errors import Problem

MAX_LINES = 16
"""The most drive or sense lines that the firmware scans."""

SETTING_RANGES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"knock_threshold": (0, 1023), "knock_window_ms": (0, 1000), "vote_window_ms": (0, 50)}
)
"""The settings that a profile may give the board with `$C`, with their least and greatest value."""

NAME = re.compile(r"[A-Za-z0-9_-]{1,16}")
_CONTACT = re.compile(r"(0|[1-9][0-9]?),(0|[1-9][0-9]?)")
_KEYS = {"name", "drives", "senses", "separate_singles", "settings", "beds"}


@dataclass(frozen=True, order=True)
class Contact:
    """One crossing of the matrix, as the board sends it: both count from 0."""

    drive: int
    sense: int

    def __str__(self) -> str:
        return f"{self.drive},{self.sense}"


@dataclass(frozen=True)
class BoardProfile:
    """One dartboard's electronics."""

    name: str
    drives: int
    senses: int
    separate_singles: bool
    settings: Mapping[str, int]
    beds: Mapping[Contact, Bed]

    def bed(self, contact: Contact) -> Bed | None:
        """The bed behind a contact, or None when the profile does not know it: reported, never guessed."""
        return self.beds.get(contact)

    def contact_of(self, bed: Bed) -> Contact | None:
        """The contact that a dart in `bed` closes, or None; a shared single answers for both its readings."""
        shared = Bed(BedKind.SINGLE, bed.number) if bed.kind in (BedKind.FAT, BedKind.LITTLE) else bed
        return next((contact for contact, mine in self.beds.items() if mine in (bed, shared)), None)

    def missing(self) -> tuple[Bed, ...]:
        """The beds of a whole board of this kind that no contact stands for yet."""
        known = set(self.beds.values())
        return tuple(bed for bed in expected_beds(self.separate_singles) if bed not in known)


def expected_beds(separate_singles: bool) -> tuple[Bed, ...]:
    """The beds of a whole board, in the order of asking: 82 contacts, or 62 with shared singles."""
    singles = (BedKind.FAT, BedKind.LITTLE)
    if separate_singles:
        return tuple(bed for bed in ALL_BEDS if bed != MISS)
    others = (bed for bed in ALL_BEDS if bed.kind not in singles and bed != MISS)
    return (*SHARED_BEDS, *others)


def parse_profile(toml_text: str) -> BoardProfile | Problem:
    """Read a profile; anything ambiguous is a `Problem`."""
    try:
        data = tomllib.loads(toml_text)
    except (ValueError, RecursionError) as error:  # also what is nested, or counted, without end
        return Problem.reasoned("wrong_profile", "profile_toml", error=str(error))
    unknown = sorted(set(data) - _KEYS)
    if unknown:
        known = ", ".join(sorted(_KEYS))
        return Problem.reasoned("wrong_profile", "profile_key", key=unknown[0], known=known)
    head = _head(data)
    if isinstance(head, Problem):
        return head
    settings = _settings(data.get("settings", {}))
    if isinstance(settings, Problem):
        return settings
    name, drives, senses, separate = head
    beds = _beds(data.get("beds", {}), drives, senses, separate)
    if isinstance(beds, Problem):
        return beds
    return BoardProfile(name, drives, senses, separate, MappingProxyType(settings), MappingProxyType(beds))


def _head(data: Mapping[str, object]) -> tuple[str, int, int, bool] | Problem:
    name, separate = data.get("name"), data.get("separate_singles")
    if not isinstance(name, str) or NAME.fullmatch(name) is None:
        return Problem.reasoned("wrong_profile", "profile_name")
    if not isinstance(separate, bool):
        return Problem.reasoned("wrong_profile", "profile_singles")
    lines: list[int] = []
    for key in ("drives", "senses"):
        count = data.get(key)
        if not _is_int(count) or not 1 <= count <= MAX_LINES:
            return Problem.reasoned("wrong_profile", "profile_lines", key=key, most=MAX_LINES)
        lines.append(count)
    return (name, lines[0], lines[1], separate)


def _is_int(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _settings(table: object) -> dict[str, int] | Problem:
    if not isinstance(table, dict):
        return Problem.reasoned("wrong_profile", "profile_table", key="settings")
    for key, value in table.items():
        if key not in SETTING_RANGES:
            known = ", ".join(SETTING_RANGES)
            return Problem.reasoned("wrong_profile", "profile_setting", key=key, known=known)
        low, high = SETTING_RANGES[key]
        if not _is_int(value) or not low <= value <= high:
            limits = {"low": low, "high": high}
            return Problem.reasoned("wrong_profile", "profile_range", key=key, given=str(value), **limits)
    return dict(table)


def _beds(table: object, drives: int, senses: int, separate: bool) -> dict[Contact, Bed] | Problem:
    if not isinstance(table, dict):
        return Problem.reasoned("wrong_profile", "profile_table", key="beds")
    beds: dict[Contact, Bed] = {}
    for key, text in table.items():
        match = _CONTACT.fullmatch(key)
        if match is None:
            return Problem.reasoned("wrong_profile", "profile_contact", contact=key)
        contact = Contact(int(match[1]), int(match[2]))
        if contact.drive >= drives or contact.sense >= senses:
            size = f"{drives} x {senses}"
            return Problem.reasoned("wrong_profile", "profile_outside", contact=str(contact), size=size)
        bed = parse_bed(text) if isinstance(text, str) else None
        if bed is None:
            return Problem.reasoned("wrong_profile", "profile_bed", contact=str(contact), bed=str(text))
        wrong = _misplaced(bed, contact, separate, beds)
        if wrong is not None:
            return wrong
        beds[contact] = bed
    return beds


def _misplaced(bed: Bed, contact: Contact, separate: bool, beds: Mapping[Contact, Bed]) -> Problem | None:
    if separate and bed.kind is BedKind.SINGLE:
        return Problem.reasoned("wrong_profile", "profile_shared", contact=str(contact), bed=str(bed))
    if not separate and bed.kind in (BedKind.FAT, BedKind.LITTLE):
        return Problem.reasoned("wrong_profile", "profile_separate", contact=str(contact), bed=str(bed))
    first = next((other for other, known in beds.items() if known == bed and bed != MISS), None)
    if first is None:
        return None
    contacts = {"first": str(first), "second": str(contact)}
    return Problem.reasoned("wrong_profile", "profile_twice", bed=str(bed), **contacts)


def profile_text(profile: BoardProfile) -> str:
    """The profile as TOML; `parse_profile` gives it back unchanged."""
    import tomlkit  # noqa: PLC0415  (only calibration writes profiles, and it takes 50 ms to load)

    values = {
        "name": profile.name,
        "drives": profile.drives,
        "senses": profile.senses,
        "separate_singles": profile.separate_singles,
        "settings": dict(profile.settings),
        "beds": {str(contact): str(bed) for contact, bed in sorted(profile.beds.items())},
    }
    return tomlkit.dumps(values)
