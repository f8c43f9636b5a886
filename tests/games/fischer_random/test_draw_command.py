"""`scharten draw` as a person asks it: the arithmetic from the sheet alone, and what is wrong by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from scharten.cli import build
from scharten.dartboard.beds import ALL_BEDS
from scharten.errors import Problem, SchartenError
from scharten.games.draw import OpeningDraw, lot
from scharten.games.draw_sheet import check_draw, draw_headers

SEED = "0123456789abcdef0123456789abcdef"
ROWS = [
    line.split("\t")
    for line in (Path(__file__).parents[2] / "perft" / "games.tsv").read_text().splitlines()
    if line.split("\t")[3] == "draw"
]


def run(*words: str) -> str:
    """The output of the command; an error passes through."""
    found = CliRunner().invoke(build(), ["draw", *words], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.output


def sheet(folder: Path, headers: tuple[tuple[str, str], ...]) -> str:
    """A sheet with this head, as a file."""
    path = folder / "game.txt"
    path.write_text("\n".join(f'[{name} "{text}"]' for name, text in headers) + "\n\n1. e4 *\n")
    return str(path)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_a_published_draw(row: list[str]) -> None:
    """The rows of kind `draw` come out as the specification gives them."""
    _, throws, flags, _, answer = row
    assert run(throws, *flags.split()).strip() == answer


def test_after_a_classical_position_the_draw_goes_on() -> None:
    """518 is drawn again from the first step, and the head of the sheet tells both rounds without a mark."""
    assert run("dice 2,3,3,2,3,1,1,1,1,1").startswith("0 bbqnnrkr/")
    draw = OpeningDraw("dice")
    for value in (2, 3, 3, 2, 3, 1, 1, 1, 1, 1):
        found = draw.die(value)
        assert isinstance(found, OpeningDraw)
        draw = found
    assert dict(draw_headers("dice", 0, "", "", draw))["OpeningThrows"] == "2 3 3 2 3 1 1 1 1 1"


def test_a_sheet_is_repeated_from_its_head_alone(tmp_path: Path) -> None:
    """A lot, dice and darts are worked out again from what the sheet says, and the opening is printed."""
    number = lot(SEED)
    path = sheet(tmp_path, draw_headers("lot", number, "9f3c1a", SEED, None))
    assert run("--check", path).startswith(f"{number} ") and "is right" in run("--check", path)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"OpeningSeed": "1" * 32}, "not this envelope"),
        ({"OpeningSeed": "x"}, "32 hex digits"),
        ({"OpeningNumber": "17"}, "the sheet says 17"),
        ({"OpeningNumber": "1000"}, "0 to 959"),
        ({"Match": "other"}, "not this envelope"),
        ({"OpeningBy": "cards"}, "lot, dice, darts or number"),
    ],
)
def test_a_sheet_that_was_changed_is_found_out(tmp_path: Path, changed: dict[str, str], words: str) -> None:
    """Another seed, match, number or way is refused with what does not fit."""
    headers = dict(draw_headers("lot", lot(SEED), "9f3c1a", SEED, None)) | changed
    with pytest.raises(SchartenError, match=words):
        run("--check", sheet(tmp_path, tuple(headers.items())))


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["dice 1,1,1,1"], "4 of 5 steps"),
        (["dice 1,1,1,1,1,1"], "is drawn"),
        (["dice 1,1,7,1,1"], "1 to 6"),
        (["cards 1"], "dice or darts"),
        (["darts D20,F5,X9", "--envelope", "0,0,0,0,0"], "no bed 'X9'"),
        (["darts D20"], "five offsets"),
        (["darts D20", "--envelope", "0,0,0"], "five offsets"),
        (["dice 1", "--envelope", "0,0,0,0,0"], "no option"),
        ([], "throws or a sheet"),
        (["--check", "nowhere.txt"], "nowhere.txt cannot be read"),
    ],
)
def test_what_is_no_draw_is_refused_by_name(words: list[str], refusal: str) -> None:
    """Too few, too many or impossible throws, wrong envelopes and missing files each say what is wrong."""
    with pytest.raises(SchartenError, match=refusal):
        run(*words)


@given(st.lists(st.sampled_from(ALL_BEDS), min_size=30, max_size=80), st.sets(st.integers(0, 25), max_size=3))
def test_every_draw_of_darts_checks_from_its_head(beds: list[object], restarts: set[int]) -> None:
    """For any throws, and wherever a dart was taken back, the head of the sheet gives the same number."""
    draw = OpeningDraw("darts", SEED)
    for at, bed in enumerate(beds):
        if draw.number is None:
            found = draw.dart(bed)  # type: ignore[arg-type]
            assert isinstance(found, OpeningDraw)
            draw = found.next_round() if at in restarts and found.number is None and found.choices else found
    found_number = draw.number
    if found_number is None:
        return
    headers = dict(draw_headers("darts", found_number, "m", SEED, draw))
    assert check_draw(headers) == found_number
    assert isinstance(check_draw(headers | {"OpeningThrows": headers["OpeningThrows"] + " D1"}), Problem)
