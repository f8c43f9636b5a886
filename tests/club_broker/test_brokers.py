"""Real brokers of four makers and their clusters do what docs/brokers.md says of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from lab.brokers import table
from lab.brokers.kinds import KINDS, MOSQUITTO, Kind, running
from lab.mosquitto import mosquitto
from scharten.cli import build
from scharten.club_broker import fitness


@pytest.mark.long
@pytest.mark.mosquitto
def test_two_brokers_that_are_no_cluster_are_recognized(monkeypatch: pytest.MonkeyPatch) -> None:
    """No message passes between them: each thing that breaks is named; one alone is fit."""
    monkeypatch.setattr(fitness, "WAIT_S", 1.0)
    with mosquitto() as port, mosquitto() as other:
        command = ["doctor", "--broker", f"mqtt://127.0.0.1:{port}", "--node", f"mqtt://127.0.0.1:{other}"]
        result = CliRunner().invoke(build(), command)
        monkeypatch.setattr(fitness, "WAIT_S", 10.0)
        single = CliRunner().invoke(build(), [*command[:-1], f"mqtt://127.0.0.1:{port}"])
    assert result.exit_code == 1
    for what in ("retained messages by wildcard", "live messages by wildcard", "last wills"):
        assert f"✗ {what}" in result.output
    assert single.exit_code == 0, single.output


def documented() -> dict[str, dict[str, bool]]:
    """The table of the document: by broker and version what works of what was tried."""
    text = (Path(__file__).parents[2] / "docs" / "brokers.md").read_text()
    trials = next(part for part in text.split("\n\n") if part.startswith("| trial |"))
    lines = [line.strip("|").split("|") for line in trials.splitlines()]
    head, _, *rows = ([cell.strip() for cell in line] for line in lines)
    return {name: {row[0]: row[at] == "✓" for row in rows if row[at]} for at, name in enumerate(head) if at}


TRIED = [
    pytest.param(kind, id=kind.name, marks=pytest.mark.mosquitto if kind is MOSQUITTO else pytest.mark.trial)
    for kind in KINDS
]


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", TRIED)
def test_a_broker_does_what_the_document_says(kind: Kind) -> None:
    """Every trial of a broker gives what its column of docs/brokers.md shows, whatever its version here."""
    if not kind.installed:
        pytest.skip(f"{kind.name} is missing: install the package {kind.package}")
    with running(kind) as broker:
        found = table.column(broker)
    (expected,) = (column for heading, column in documented().items() if heading.startswith(kind.name))
    assert found == expected
