"""The schartbord as files for a printer."""

import math
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scharten.cli import build
from scharten.display.generated.print_board import (
    A4,
    COLOURS,
    MARGIN,
    OVERLAP,
    PrintedText,
    Slice,
    shapes,
    widest_foot,
    windows,
)
from scharten.display.generated.table import GENERATED
from scharten.games.scharten.board import FIELDS, field_name


@pytest.mark.parametrize("size", [400.0, 500.0])
def test_the_tiles_cover_the_board_and_meet_edge_on_edge(size: float) -> None:
    """Every point of the board is on a tile inside its marks, and neighbouring tiles share a cutting line."""
    tiles = windows(size, tiles=True)
    cut = [
        (
            tile.left + MARGIN,
            tile.bottom + MARGIN + OVERLAP,
            tile.left + tile.width - MARGIN - OVERLAP,
            tile.bottom + tile.height - MARGIN,
        )
        for tile in tiles
    ]
    for turn in range(360):
        x, y = size / 2 * math.cos(math.radians(turn)), size / 2 * math.sin(math.radians(turn))
        assert any(x1 - 0.01 <= x <= x2 + 0.01 and y1 - 0.01 <= y <= y2 + 0.01 for x1, y1, x2, y2 in cut)
    verticals = sorted({round(x, 3) for x1, _, x2, _ in cut for x in (x1, x2)})
    columns = len({tile.name[1:] for tile in tiles})
    assert len(verticals) == columns + 1 and all((tile.width, tile.height) == A4 for tile in tiles)


def test_every_field_is_drawn_once_with_its_name() -> None:
    """The board has eighty slices and eighty names, and every field has room for the widest foot."""
    drawn = list(shapes(500.0))
    texts = [getattr(shape, "text", "") for shape in drawn]
    assert sum(isinstance(shape, Slice) for shape in drawn) == 80
    assert all(texts.count(field_name(field)) == 1 for field in FIELDS)
    smallest = min(shape.outer - shape.inner for shape in drawn if isinstance(shape, Slice))
    assert 25 < widest_foot(500.0) <= smallest


def test_names_are_upright_and_beds_have_a_dartboards_colours() -> None:
    """No name is turned for White; D20 and T20 are red, F20 and L20 black."""
    drawn = list(shapes(500.0))
    texts = [shape for shape in drawn if isinstance(shape, PrintedText)]
    names = [text for text in texts if re.fullmatch("[a-io][1-8]", text.text)]
    assert len(names) == 80 and all(name.turn == 0 for name in names)
    over_the_twenty = [shape.fill for shape in drawn if isinstance(shape, Slice) and shape.angle % 360 == 90]
    assert over_the_twenty == [COLOURS[name] for name in ("black", "red", "black", "red")][::-1]


def test_the_files_have_their_true_size(tmp_path: Path) -> None:
    """The command writes SVG and PDF in mm: the PDF's pages are A4, the sheet is the board with its margin."""
    runner = CliRunner()
    for arguments in (["--size", "50"], ["--size", "40", "--paper", "sheet"]):
        done = runner.invoke(build(), ["print-board", *arguments, "--out", str(tmp_path)])
        assert done.exit_code == 0 and "ninth pawn" in done.output, done.output
    sheet = (tmp_path / "schartbord-40cm-sheet.svg").read_text()
    assert 'width="420.00mm" height="420.00mm"' in sheet
    assert len(list(tmp_path.glob("schartbord-50cm-a4-*.svg"))) == 6
    if shutil.which("pdfinfo"):
        shown = subprocess.run(
            ["pdfinfo", str(tmp_path / "schartbord-50cm-a4.pdf")], capture_output=True, text=True
        )
        assert re.search(r"Page size:\s+595\.\d+ x 841\.\d+ pts \(A4\)", shown.stdout)
    assert (tmp_path / "schartbord-50cm-a4.pdf").read_bytes().count(b"/MediaBox") == 6


def test_another_size_is_refused(tmp_path: Path) -> None:
    """An error names the sizes that exist, and nothing is written."""
    done = CliRunner().invoke(build(), ["print-board", "--size", "45", "--out", str(tmp_path)])
    assert done.exit_code == 1 and "40 or 50" in str(done.exception) and not list(tmp_path.iterdir())


def test_its_text_is_printed_in_three_languages(tmp_path: Path) -> None:
    """The command and the page's links print English, Dutch and German; another language is an error."""
    for language, words in (
        ("en", "White sits below"),
        ("nl", "Wit zit beneden"),
        ("de", "Weiß sitzt unten"),
    ):
        options = ["print-board", "--paper", "sheet", "--language", language, "--out", str(tmp_path)]
        assert CliRunner().invoke(build(), options).exit_code == 0
        assert words in (tmp_path / "schartbord-50cm-sheet.svg").read_text(encoding="utf-8")
        assert words in GENERATED[f"/schartbord/schartbord-50cm-{language}.svg"][1]().decode()
    assert CliRunner().invoke(build(), ["print-board", "--language", "fr"]).exit_code != 0
