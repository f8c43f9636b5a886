"""Pictures of games: every piece, every board, and an animation small enough to send."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops
from typer.testing import CliRunner

from browser.fakes import SILENT
from scharten.cli import build
from scharten.display.pictures import game as pictures
from scharten.display.pictures.board import BoardPicture, Men, piece_picture, read_position, writable
from scharten.display.pictures.outlines import drawings, lines_of

KEPT = Path(__file__).parents[1] / "journal" / "kept" / "schema4-evening.sqlite3"
RINGS = {"form": "schartbord"}
SQUARES = {"form": "grid", "files": "abcdefgh", "rows": 8, "chequered": False}


def shown(turns: int) -> dict[str, Any]:
    """Return a game in the archive's form, in which a king walks round the board."""
    entries = [
        {
            "n": turn,
            "text": "Ke2",
            "fields": ["e1"],
            "position": f"{turn}K{19 - turn}/20/20/20 w - 0/0 0/0 0/0 1",
        }
        for turn in range(turns)
    ]
    sheet = {"start": SILENT, "entries": entries, "result": "1-0"}
    names = {"white": "Jürgen Müller", "black": ""}
    return {"white_sits_at": 3, "names": names, "game": {"layout": RINGS}, "sheet": sheet}


def test_every_piece_is_drawn_in_both_colours() -> None:
    """Each letter has a unique picture: no two kinds and no two sides look alike."""
    letters = "".join(drawings()["bodies"])
    pictured = [piece_picture(letter, 40).tobytes() for letter in letters + letters.lower()]
    assert set(letters) == set("KQRBNPEGW") and len(set(pictured)) == len(pictured)


def test_the_elephant_is_seen_from_the_front() -> None:
    """Two mirrored ears reach to both sides, and a trunk hangs down between them."""
    left, right, trunk, _foot = (lines_of(body)[0] for body in drawings()["bodies"]["E"])
    mirrored = [complex(100 - point.real, point.imag) for point in left]
    assert right == pytest.approx(mirrored)
    assert min(point.real for point in left) < 10 and max(point.real for point in right) > 90
    assert min(point.real for point in trunk) > 25 and max(point.real for point in trunk) < 75
    assert max(point.imag for point in trunk) > max(point.imag for point in left) + 10


@pytest.mark.parametrize(
    ("layout", "text", "men"),
    [
        (RINGS, SILENT, {"e1": "K", "e8": "k", "a1": "R", "d2": "P", "d7": "p"}),
        (SQUARES, "rne1kenr/8/8/8/4_3/8/8/RNE1KENR w", {"e1": "K", "e8": "k", "c1": "E", "a8": "r"}),
    ],
)
def test_men_stand_where_the_text_places_them(layout: dict[str, Any], text: str, men: dict[str, str]) -> None:
    """A field differs from the empty board exactly where the text has a piece."""
    read = read_position(text, layout)
    assert men.items() <= read.pieces.items()
    board = BoardPicture(layout, 300)
    empty = board.with_men(Men())
    for field, letter in men.items():
        alone = board.with_men(Men({field: letter}))
        box = ImageChops.difference(alone, empty).getbbox()
        assert box is not None and box[2] - box[0] < 45 and box[3] - box[1] < 45


def test_an_animation_has_every_position_and_keeps_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game too large for the limit gets smaller pictures, not fewer."""
    whole = pictures.animation(shown(5))
    monkeypatch.setattr(pictures, "MOST_BYTES", len(whole) // 3)
    packed = pictures.animation(shown(5))
    assert len(packed) <= len(whole) // 3
    with Image.open(io.BytesIO(packed)) as image:
        assert image.n_frames == 6 and image.width < pictures.ANIMATION_PX


def test_an_animation_marks_the_fields_of_each_turn() -> None:
    """From the first turn on the edge is golden, as in the picture of the end; the start has no golden edge."""

    def golden(frame: Image.Image) -> int:
        red, green, blue = (channel.tobytes() for channel in frame.convert("RGB").split())
        return sum(r > 230 and 180 < g < 225 and b < 110 for r, g, b in zip(red, green, blue, strict=True))

    edge = golden(Image.open(io.BytesIO(pictures.picture(shown(3)))))
    assert edge > 100
    with Image.open(io.BytesIO(pictures.animation(shown(3)))) as film:
        found = []
        for number in range(4):
            film.seek(number)
            found.append(golden(film))
    assert found[0] == 0 and min(found[1:]) > edge / 4, (found, edge)


def test_names_use_only_the_letters_of_the_typeface() -> None:
    """Umlauts stay; other accents are dropped; a letter of another script becomes a question mark, never an
    empty box."""
    assert writable("Jürgen Češka – Ли") == "Jürgen Ceska – ??"


def test_the_command_line_draws_a_game(tmp_path: Path) -> None:
    """`scharten games --picture` writes a file in the format of its ending; for an unknown ending it names
    the cure."""
    journal = tmp_path / "journal.sqlite3"
    shutil.copy(KEPT, journal)
    listed = json.loads(CliRunner().invoke(build(), ["games", str(journal), "--json"]).output)
    picture, match = tmp_path / "game.png", listed[0]["id"]
    command = ["games", str(journal), "--picture", match]
    assert CliRunner().invoke(build(), [*command, "--out", str(picture)]).exit_code == 0
    with Image.open(picture) as image:
        assert image.format == "PNG" and image.width == pictures.PICTURE_PX
    refused = CliRunner().invoke(build(), [*command, "--out", str(tmp_path / "game.bmp")])
    assert refused.exit_code == 1
