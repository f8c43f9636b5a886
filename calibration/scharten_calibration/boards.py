"""Known boards by maker, tails and matrix, and a name for any board's wiring that needs no photograph.

The name of a wiring encodes which beds share a line, either way the tails are plugged in: two boards of one make have
the same name although their lines are numbered otherwise, so that a profile can be found, or shared, by it.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from importlib.resources import files

from scharten.dartboard.beds import Bed
from scharten.dartboard.profile import BoardProfile
from scharten.sensors.profiles import installed_profiles, load_profile


@dataclass(frozen=True, slots=True)
class KnownBoard:
    """One make: `tails` are the lines of each ribbon, `profile` a map that comes with the program, if there is one.

    `maker` and `source` are the last words of the texts `calibrate.boards.maker` and `calibrate.boards.source`.
    """

    maker: str
    tails: str
    drives: int
    senses: int
    separate_singles: bool
    source: str
    profile: str = ""


def known_boards() -> tuple[KnownBoard, ...]:
    """The library that comes with the program."""
    text = (files(__package__) / "known_boards.toml").read_text(encoding="utf-8")
    return tuple(KnownBoard(**entry) for entry in tomllib.loads(text)["board"])


def of_size(lines: tuple[int, int]) -> tuple[KnownBoard, ...]:
    """The known boards with this matrix, whichever tail is which."""
    return tuple(board for board in known_boards() if sorted((board.drives, board.senses)) == sorted(lines))


def wiring_name(profile: BoardProfile) -> str:
    """Two groups of four hex digits, equal for boards whose beds share lines in the same way."""
    lines: dict[tuple[str, int], set[Bed]] = defaultdict(set)
    for contact, bed in profile.beds.items():
        lines["drive", contact.drive].add(bed)
        lines["sense", contact.sense].add(bed)
    sides = (
        sorted(_beds(beds) for (kind, _), beds in lines.items() if kind == side)
        for side in ("drive", "sense")
    )
    digest = hashlib.sha256("|".join(sorted(";".join(lines) for lines in sides)).encode()).hexdigest()
    return f"{digest[:4]}-{digest[4:8]}"


def _beds(beds: set[Bed]) -> str:
    return ",".join(sorted(map(str, beds)))


def same_wiring(profile: BoardProfile) -> str | None:
    """The installed profile whose board is wired like this one, or None."""
    name = wiring_name(profile)
    return next((known for known in installed_profiles() if wiring_name(load_profile(known)) == name), None)
