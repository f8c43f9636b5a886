"""Rules 11, counting positions and their state, through the command line that a user uses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scharten.cli import build
from scharten.errors import SchartenError
from scharten.games.scharten.position_text import LOUD_OPENING, SILENT_OPENING

PERFT = Path(__file__).parents[2] / "perft"


def run(*words: str, stdin: str | None = None) -> list[str]:
    """The lines on standard output; a refusal is raised as the error that the command line prints."""
    result = CliRunner().invoke(build(), list(words), input=stdin)
    if isinstance(result.exception, SchartenError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def column(name: str, number: int) -> list[str]:
    """One column of a perft file."""
    return [line.split("\t")[number] for line in (PERFT / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.long
@pytest.mark.parametrize("name", ["given.tsv", "second.tsv"])
def test_counts_of_the_perft_files(name: str) -> None:
    """The given rows and those of the second generator, all depths and options."""
    assert run("perft", "--batch", str(PERFT / name)) == column(name, 3)


@pytest.mark.parametrize("name", ["given_status.tsv", "second_status.tsv"])
def test_states_of_the_status_files(name: str) -> None:
    """Check, numbers of turns and state of the given rows and of the second generator's."""
    assert run("status", "--batch", str(PERFT / name)) == column(name, 2)


def test_perft_as_a_user_types_it() -> None:
    """The whole program, in its own process: one number on standard output."""
    words = [sys.executable, "-m", "scharten", "perft", LOUD_OPENING, "2", "--loud"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("1600\n", "")


def test_a_refusal_as_a_user_sees_it() -> None:
    """Words on standard error, nothing on standard output, status 1."""
    words = [sys.executable, "-m", "scharten", "perft", "5K14/20/20/20 w - 17/17 0/0 0/0 1", "2"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "black has 0 kings" in done.stderr
    assert "Traceback" not in done.stderr


def test_depth_zero_counts_one() -> None:
    """The position itself."""
    assert run("perft", SILENT_OPENING, "0") == ["1"]
    assert run("perft", SILENT_OPENING, "0", "--divide") == ["total 1"]


def test_divide_adds_up() -> None:
    """One line per first turn, then the sum."""
    *lines, total = run("perft", LOUD_OPENING, "2", "--loud", "--zones", "home", "--divide")
    assert total == f"total {sum(int(line.split()[1]) for line in lines)}"
    assert [line.split()[0] for line in lines] == run("moves", LOUD_OPENING, "--loud", "--zones", "home")


def test_moves_are_sorted_coordinates() -> None:
    """Moves, promotions and placements in one sorted list."""
    position = "5K*9k4/10P9/20/20 w - 5/17 0/0 0/0 1"
    found = run("moves", position, "--loud", "--zones", "white=c3;black=a8", "--protection", "off")
    assert found == sorted(
        ["@c3", "e1d1", "e1d2", "e1e2", "e1f1", "e1f2", "o7o8b", "o7o8n", "o7o8q", "o7o8r"]
    )


def test_status_of_one_position() -> None:
    """The form of section 11."""
    assert run("status", "5KkR12/20/20/20 b - 17/17 0/0 0/0 1") == [
        "check=1 moves=0 placements=0 state=checkmate"
    ]


def test_options_change_the_counts() -> None:
    """Each option reaches the rules from the command line."""
    assert run("perft", LOUD_OPENING, "1", "--loud", "--zones", "half_with_o") == ["44"]
    pawn = "5K*9k*4/20/3P*16/20 w - 17/17 0/0 0/0 1"
    wide, narrow = run("perft", pawn, "1"), run("perft", pawn, "1", "--double-step", "home_row")
    assert int(wide[0]) == int(narrow[0]) + 1


def test_batch_from_standard_input_ignores_further_columns_and_empty_lines() -> None:
    """`-` reads rows as they come."""
    rows = f"{LOUD_OPENING}\t--loud\t1\t40\tanything\n\n{SILENT_OPENING}\t\t1\n"
    assert run("perft", "--batch", "-", stdin=rows) == ["40", "26"]
    assert run("status", "--batch", "-", stdin=f"{LOUD_OPENING}\t--loud\n") == [
        "check=0 moves=5 placements=35 state=ongoing"
    ]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("nothing", "line 2: 1 columns instead of 3"),
        (f"{SILENT_OPENING}\t\tdeep", "line 2: the depth is a whole number, not 'deep'"),
        (f"{SILENT_OPENING}\t\t-1", "line 2: the depth is a whole number"),
        (f"{SILENT_OPENING}\t--zones all\t1", "line 2: zones cannot be 'all'"),
        (f"{SILENT_OPENING}\t--fast\t1", "line 2: unknown option '--fast'"),
        (f"{SILENT_OPENING}\t--zones\t1", "line 2: option --zones has no value"),
        (f"{SILENT_OPENING}\t--loud --silent\t1", "line 2: a game is loud or silent"),
        ("5K*9k*4/20/20/20 w - 0/0 3/0 0/0 1\t--loud\t1", "line 2: not a position: white has 3 lost darts"),
        (
            "5K*9k*4/20/20/20 w - 0/0 0/0 0/0 1\t\t1",
            "line 2: not a position: in a silent game PLACED is 17/17",
        ),
    ],
)
def test_a_bad_row_is_named_by_its_line(row: str, words: str) -> None:
    """The rows before it are counted, the bad one is named with its line."""
    with pytest.raises(SchartenError) as result:
        run("perft", "--batch", "-", stdin=f"{SILENT_OPENING}\t\t1\n{row}\n")
    assert words in str(result.value)


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["perft", SILENT_OPENING], "A position and a depth are needed"),
        (["status", "--data", "no/such/folder"], "no daemon runs on this folder"),
        (["perft", "--batch", "no/such/file.tsv"], "no/such/file.tsv cannot be read"),
        (["perft", SILENT_OPENING, "2", "--batch", "-"], "takes position and options from its rows"),
        (["status", "--batch", "-", "--loud"], "takes position and options from its rows"),
        (["moves", LOUD_OPENING, "--loud", "--zones", "white=b8;black=a8"], "last row: b8"),
        (["moves", SILENT_OPENING, "--support", "lots"], "support cannot be 'lots'"),
        (["moves", SILENT_OPENING, "--protection", "always"], "protection cannot be 'always'"),
        (["moves", SILENT_OPENING, "--double-step", "never"], "double_step cannot be 'never'"),
    ],
)
def test_a_wrong_request_is_refused_with_the_cure(words: list[str], refusal: str) -> None:
    """Each refusal names the thing; values that are not known name the allowed ones."""
    with pytest.raises(SchartenError) as error:
        run(*words, stdin="")
    assert refusal in str(error.value)
    assert error.value.cure


def test_a_batch_that_is_not_text(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 are named as such."""
    path = tmp_path / "rows.tsv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SchartenError, match="not UTF-8"):
        run("perft", "--batch", str(path))


def test_any_game_can_be_asked() -> None:
    """`--game` with that game's own options, and rows of several games in one file."""
    stalemate = "7k/5K2/6Gp/7P/8/8/8/8 b 0 40"
    assert run("moves", stalemate, "--game", "shatranj", "--options", "--pat-swap") == ["h8h6"]
    shatranj = "rnegkenr/pppppppp/8/8/8/8/PPPPPPPP/RNEGKENR w 0 1"
    assert run("perft", shatranj, "2", "--game", "shatranj") == ["256"]
    rows = f"shatranj\t{shatranj}\t\t1\t16\nscharten\t{LOUD_OPENING}\t--loud\tstatus\t?\n"
    state = "check=0 moves=5 placements=35 state=ongoing"
    assert run("answer", "--batch", "-", stdin=rows) == ["16", state]
    with pytest.raises(SchartenError, match="Unknown option '--zones'"):
        run("perft", shatranj, "1", "--game", "shatranj", "--zones", "home")
    with pytest.raises(SchartenError, match="line 1: there is no game 'go'"):
        run("answer", "--batch", "-", stdin="go\t-\t\t1\n")
