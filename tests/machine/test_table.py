"""The table that `make machine` writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.machine.evening import Finding
from lab.machine.table import HEAD, line, write
from scharten.errors import SchartenError


def test_a_row_that_ran_again_replaces_its_line_alone(tmp_path: Path) -> None:
    """A later run changes the lines of its own rows, adds new ones, and leaves the rest of the document."""
    document = tmp_path / "trust.md"
    document.write_text("\n".join(["# Page", "", *HEAD, "", "After."]) + "\n")
    first = Finding(tries=3, again_s=[4.2, 9.0, 5.0], note="a | b")
    write(document, {"unplug": line("unplug", first, "day 1"), "purge": line("purge", Finding(), "day 1")})
    write(
        document,
        {
            "unplug": line("unplug", Finding(lost=2, again_s=[7.0]), "day 2"),
            "new": line("new", Finding(), "d"),
        },
    )
    assert document.read_text().splitlines() == [
        *("# Page", ""),
        *HEAD,
        "| `unplug` | 1 | 2 | 0 | 0 | 7 s |  | day 2 |",
        "| `purge` | 1 | 0 | 0 | 0 |  |  | day 1 |",
        "| `new` | 1 | 0 | 0 | 0 |  |  | d |",
        *("", "After."),
    ]
    assert (
        line("unplug", first, "day 1")
        == "| `unplug` | 3 | 0 | 0 | 0 | p50 5 s, at most 9 s | a / b | day 1 |"
    )


def test_a_document_without_the_table_is_refused(tmp_path: Path) -> None:
    """A document without the table's first line stays as it is, and the error names the line to add."""
    document = tmp_path / "trust.md"
    document.write_text("# Page\n")
    with pytest.raises(SchartenError, match="no table"):
        write(document, {"unplug": line("unplug", Finding(), "now")})
    assert document.read_text() == "# Page\n"


@pytest.mark.parametrize("wrong", ["lost", "doubled", "refused"])
def test_a_finding_with_any_loss_is_not_harmless(wrong: str) -> None:
    """Each of the three counts alone makes the command fail."""
    assert Finding().harmless
    assert not Finding(**{wrong: 1}).harmless
