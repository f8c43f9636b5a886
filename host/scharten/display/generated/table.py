"""The table of files that the page's server makes on the first request, by address."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from scharten.contract.schema import reference
from scharten.display.generated.lessons import lessons_json
from scharten.display.generated.print_board import shapes, windows, write_pdf, write_svg
from scharten.display.generated.square_lessons import LESSON_GAMES, square_lessons_json
from scharten.play.levels import LEVELS
from scharten.words import AREAS, LANGUAGES, area

EVERYWHERE = ("language", "game", "games", "play")
"""The areas of texts that every page loads."""


def _texts(language: str, *areas: str) -> bytes:
    """The texts of these areas as one JSON object."""
    merged = {key: words for name in areas for key, words in area(language, name).items()}
    return json.dumps(merged, ensure_ascii=False, separators=(",", ":")).encode()


def _board(size_cm: int, tiles: bool, language: str) -> bytes:
    """Draw the schartbord for printing: A4 tiles as one PDF, or one sheet as SVG."""
    pages, drawn = windows(size_cm * 10.0, tiles, language), list(shapes(size_cm * 10.0, language=language))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "board"
        if tiles:
            write_pdf(path, pages, drawn)
        else:
            write_svg(path, pages[0], drawn)
        return path.read_bytes()


def _reference() -> bytes:
    """The reference data outside the snapshots, with the scatter in mm of each of the computer's levels."""
    levels = {number: level.scatter[0] for number, level in LEVELS.items()}
    whole = {**reference(), "lessons": LESSON_GAMES, "levels": levels}
    return json.dumps(whole, separators=(",", ":")).encode()


GENERATED: Mapping[str, tuple[str, Callable[[], bytes]]] = {
    "/lessons.json": (".json", lessons_json),
    **{f"/lessons/{key}.json": (".json", partial(square_lessons_json, key)) for key in LESSON_GAMES},
    "/lessons/games.json": (".json", lambda: json.dumps(LESSON_GAMES).encode()),
    **{
        f"/texts/{language}.json": (".json", partial(_texts, language, *EVERYWHERE)) for language in LANGUAGES
    },
    **{
        f"/texts/{language}/{name}.json": (".json", partial(_texts, language, name))
        for language in LANGUAGES
        for name in AREAS
        if name not in EVERYWHERE
    },
    "/reference.json": (".json", _reference),
    **{
        f"/schartbord/schartbord-{size}cm{'-a4' if tiles else ''}-{language}{suffix}": (
            suffix,
            partial(_board, size, tiles, language),
        )
        for language in LANGUAGES
        for size, tiles, suffix in ((50, True, ".pdf"), (40, True, ".pdf"), (50, False, ".svg"))
    },
}
