"""The tables of docs/trust.md, as `make trust ARGS="--write docs/trust.md"` updates them."""

import shutil
from pathlib import Path

import pytest

from lab.trust.document import write_parts, write_rows
from lab.trust.parts import PARTS, ROWS
from lab.trust.rows import Attack, Fault, Held
from scharten.errors import SchartenError

DOCUMENT = Path(__file__).parents[2] / "docs" / "trust.md"


def test_a_row_replaces_only_its_own_lines(tmp_path: Path) -> None:
    """A fault, an attack on two brokers and a figure are written into a copy of the real document."""
    copy = Path(shutil.copy(DOCUMENT, tmp_path))
    rows = [
        Fault("disk: fsync | fails", 7, 6, 1, row="disk:fails"),
        Attack("embedded: replays", 8, 1, row="broker:half-open"),
        Attack("mosquitto: replays", 9, 0, row="broker:half-open"),
        Held("commands", "12 a second", row="load:commands"),
    ]
    write_rows(copy, rows, "today")
    write_parts(copy, [("disk", "nothing", "0:01")], "today")
    old, new = DOCUMENT.read_text().splitlines(), copy.read_text().splitlines()
    assert len(new) == len(old)
    assert [line for line in new if line not in old] == [
        "| `disk:fails` | disk: fsync / fails | 7 | 6 | 1 | 0 |  | today |",
        "| `broker:half-open` | embedded: replays | 8 | 1 |  | today |",
        "| `broker:half-open` | mosquitto: replays | 9 | 0 |  | today |",
        "| `load:commands` | commands | 12 a second | today |",
        "| `disk` | nothing | 0:01 | today |",
    ]


def test_a_document_without_the_table_is_refused(tmp_path: Path) -> None:
    """The error names the missing table, and the file is unchanged."""
    path = tmp_path / "other.txt"
    path.write_text("# Other\n")
    with pytest.raises(SchartenError, match="has no table"):
        write_rows(path, [], "today")
    assert path.read_text() == "# Other\n"


def test_the_document_has_each_row_of_make_trust() -> None:
    """A row that never ran would be missing from the tables."""
    text = DOCUMENT.read_text()
    names = {f"{part}:{row}" for part, rows in ROWS.items() for row in rows} | (PARTS.keys() - ROWS.keys())
    assert {name for name in names if f"| `{name}` |" not in text} == set()
