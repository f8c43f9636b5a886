"""Kept throws for people to look at again: which there are, their pictures on the board's plane, a file of each."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from scharten.dartboard.beds import Bed
from scharten.sensors.given_throws import gift
from scharten.sensors.kept_throws import GAME, TRUTH, camera_numbers
from scharten.sensors.throw_files import RESULT, add_package, package_name, read_part, view_name

MOST = 60
"""Throws that are listed, the newest."""


@dataclass(frozen=True)
class ShownThrows:
    """The packages of a folder, by the time of the throw in Unix ms; None for a missing or damaged one."""

    folder: Path

    def list(self, match: str) -> list[dict[str, Any]]:
        """List the throws of a game with their results, the newest first."""
        files = sorted(self.folder.glob(f"*/{GAME}"), reverse=True)
        theirs = (file.parent for file in files if _object(file).get("match") == match)
        return list(islice((throw for package in theirs if (throw := _as_json(package)) is not None), MOST))

    def about(self, at_ms: int) -> dict[str, Any] | None:
        """A throw's result: its beds with their probabilities, its truth, its cameras, its game."""
        return _as_json(self.folder / package_name(at_ms))

    def picture(self, at_ms: int, camera: int) -> bytes | None:
        """The board's plane by one camera, as JPEG."""
        return read_part(self.folder / package_name(at_ms) / view_name(camera))

    def packed(self, at_ms: int) -> bytes | None:
        """Everything of a throw as one ZIP file, as `scharten detect --replay` reads it when unpacked."""
        package = self.folder / package_name(at_ms)
        if not (package / RESULT).is_file():
            return None
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as file:
            add_package(package, file)
        return packed.getvalue()

    def gift(self, at_ms: int, bed: Bed) -> bytes | None:
        """Return a throw as a gift to the project, with this bed as its truth (`sensors.given_throws`)."""
        package = self.folder / package_name(at_ms)
        return gift(package, bed) if (package / RESULT).is_file() else None


def kept_games(folder: Path) -> dict[str, list[Path]]:
    """The packages of each game that has some, the oldest first."""
    games: dict[str, list[Path]] = {}
    for path in sorted(folder.glob(f"*/{GAME}")):
        if isinstance(match := _object(path).get("match"), str):
            games.setdefault(match, []).append(path.parent)
    return games


def _object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(read_part(path) or b"{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _as_json(package: Path) -> dict[str, Any] | None:
    result = _object(package / RESULT)
    if not result:
        return None
    truth, pictures = _object(package / TRUTH), len(list(package.glob(view_name("*"))))
    numbers = camera_numbers(result, pictures)
    return {
        "at_ms": result.get("at_ms"),
        "news": result.get("news"),
        "beds": result.get("beds", []),
        "segment": result.get("segment"),
        "x_mm": result.get("x_mm"),
        "y_mm": result.get("y_mm"),
        "truth": (truth["segment"] or "MISS") if "segment" in truth else None,
        "match": _object(package / GAME).get("match"),
        "cameras": len(numbers),
        "numbers": numbers,
    }
