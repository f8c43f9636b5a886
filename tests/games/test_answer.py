"""`scharten answer --batch` for every game, as acceptance asks it, and options per side on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from games.any_game import BY_KEY, options
from scharten.cli import build
from scharten.errors import SchartenError
from scharten.game.flags import flags_text, parse_flags

ROWS = (Path(__file__).parents[1] / "perft" / "games.tsv").read_text().splitlines()


def answers(*rows: str) -> list[str]:
    """The command's output for these rows on standard input."""
    found = CliRunner().invoke(
        build(), ["answer", "--batch", "-"], input="\n".join(rows) + "\n", catch_exceptions=False
    )
    assert found.exit_code == 0, found.output
    return found.output.splitlines()


def test_states_draws_and_short_counts_are_answered_row_by_row() -> None:
    """Every published row but the deep counts, which `test_rows` has, is answered in order by one command."""
    rows = [row for row in ROWS if row.split("\t")[3] in ("1", "2", "status", "draw")]
    assert len(rows) > 30
    assert answers(*rows) == [row.split("\t")[4] for row in rows]


@pytest.mark.parametrize(
    ("row", "refusal"),
    [
        ("chess\tdice 1,1,1,1,1\t\tdraw", "line 1: the opening of chess is not drawn"),
        ("fischer_random\tdice 1,1\t\tdraw", "line 1: 2 of 5 steps"),
        ("hnefatafl\tx\t\t1", "there is no game 'hnefatafl'"),
        ("shakti\t7/1w1k1w1/7/7/7/1W1K1W1/7 w 1\t--pat-swap\t1", "unknown option '--pat-swap'"),
        ("shatranj\t7/1w1k1w1/7/7/7/1W1K1W1/7 w 1\t\t1", "line 1: not a position"),
        ("chess\trnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\t--loud\t1", "FOULS"),
    ],
)
def test_a_wrong_row_is_named(row: str, refusal: str) -> None:
    """Another game's options or position, and draws that are none, say the line and what is wrong."""
    with pytest.raises(SchartenError, match=refusal):
        answers(row)


def test_odds_per_side_are_written_and_read_as_flags() -> None:
    """`aim` for one side goes through the command line's form and back."""
    game = BY_KEY["shakti"]
    chosen = options(game, kind="loud", aim={"white": "any", "black": "colour"}, corners="bare")
    text = flags_text(chosen)
    assert "white=any;black=colour" in text
    assert parse_flags(text, game.options_model) == chosen
