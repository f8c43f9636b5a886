"""The table of `make machine` in a document: one line for each row, replaced when that row runs again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lab.figures import percentile
from lab.machine.evening import Finding
from scharten.errors import SchartenError

HEAD = (
    "| row | tries | lost | doubled | refused | play again after | | run |",
    "| --- | ---: | ---: | ---: | ---: | --- | --- | --- |",
)


def line(name: str, finding: Finding, setting: str) -> str:
    """Return a row as a line of the table; `setting` says when and with what it ran."""
    counts = f"{finding.tries} | {finding.lost} | {finding.doubled} | {finding.refused}"
    return f"| `{name}` | {counts} | {_seconds(finding)} | {finding.note.replace('|', '/')} | {setting} |"


def write(document: Path, lines: Mapping[str, str]) -> None:
    """Replace these rows' lines in the document's table, or add them at its end. Raises `SchartenError`."""
    text = document.read_text(encoding="utf-8").splitlines()
    if HEAD[0] not in text:
        raise SchartenError(f"{document} has no table of `make machine`.", f"Add this line to it: {HEAD[0]}")
    start = text.index(HEAD[0]) + len(HEAD)
    end = next((n for n in range(start, len(text)) if not text[n].startswith("|")), len(text))
    known = {row.split("`")[1]: row for row in text[start:end]}
    text[start:end] = (known | dict(lines)).values()
    document.write_text("\n".join(text) + "\n", encoding="utf-8")


def _seconds(finding: Finding) -> str:
    times = finding.again_s
    if len(times) < 2:
        return "".join(f"{seconds:.0f} s" for seconds in times)
    return f"p50 {percentile(times, 50):.0f} s, at most {max(times):.0f} s"
