"""An interrupted mapping, kept as JSON beside the profile that it is to become."""

from __future__ import annotations

import json
import os
from pathlib import Path

from scharten.dartboard.beds import Bed, parse_bed
from scharten.dartboard.profile import Contact
from scharten_calibration.mapping import Phase, Wizard


def progress_file(profile: Path) -> Path:
    """Where the progress of the mapping to `profile` is kept."""
    return profile.with_name(f"{profile.name}.unfinished")


def keep(wizard: Wizard, path: Path) -> None:
    """Store the state, whole or not at all."""
    data = {
        "name": wizard.name,
        "drives": wizard.drives,
        "senses": wizard.senses,
        "seed": wizard.seed,
        "phase": wizard.phase,
        "separate": wizard.separate,
        "asked": [str(bed) for bed in wizard.asked],
        "pairs": _as_lists(wizard.pairs),
        "skipped": [str(bed) for bed in wizard.skipped],
        "verified": [str(bed) for bed in wizard.verified],
        "left_out": [str(bed) for bed in wizard.left_out],
        "done": [str(bed) for bed in wizard.done],
        "dead": list(wizard.dead),
        "last_round": wizard.last_round,
        "alike": list(wizard.alike),
        "moved": _as_lists(wizard.moved),
        "joined": _as_lists(wizard.joined),
        "rechecked": [str(bed) for bed in wizard.rechecked],
        "turned": wizard.turned,
        "strays": [[contact.drive, contact.sense] for contact in wizard.strays],
        "probed_again": wizard.probed_again,
    }
    write_whole(path, json.dumps(data))


def write_whole(path: Path, text: str) -> None:
    """Replace the file at once, so that a crash leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def resume(path: Path) -> Wizard | None:
    """The state that was kept; None if there is none or it cannot be understood."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Wizard(
            str(data["name"]),
            int(data["drives"]),
            int(data["senses"]),
            int(data["seed"]),
            Phase(data["phase"]),
            bool(data["separate"]),
            _beds(data["asked"]),
            _pairs(data["pairs"]),
            _beds(data["skipped"]),
            _beds(data["verified"]),
            _beds(data["left_out"]),
            _beds(data["done"]),
            tuple(int(number) for number in data["dead"]),
            bool(data["last_round"]),
            tuple(int(number) for number in data["alike"]),
            _pairs(data.get("moved", [])),
            _pairs(data.get("joined", [])),
            _beds(data.get("rechecked", [])),
            bool(data.get("turned", False)),
            tuple(Contact(int(drive), int(sense)) for drive, sense in data.get("strays", [])),
            bool(data.get("probed_again", False)),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _bed(text: object) -> Bed:
    bed = parse_bed(str(text))
    if bed is None:
        raise ValueError(text)
    return bed


def _as_lists(pairs: tuple[tuple[Contact, Bed], ...]) -> list[list[object]]:
    return [[contact.drive, contact.sense, str(bed)] for contact, bed in pairs]


def _pairs(rows: list[list[str | int]]) -> tuple[tuple[Contact, Bed], ...]:
    return tuple((Contact(int(drive), int(sense)), _bed(bed)) for drive, sense, bed in rows)


def _beds(texts: list[object]) -> tuple[Bed, ...]:
    return tuple(_bed(text) for text in texts)
