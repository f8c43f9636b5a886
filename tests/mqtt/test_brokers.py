"""Real brokers of four makers and their clusters do what docs/brokers.md says of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from lab.brokers import table
from lab.brokers.kinds import KINDS, Kind, running
from lab.mosquitto import mosquitto
from scharten.cli import build
from scharten.mqtt import fitness


@pytest.mark.mosquitto
def test_two_brokers_that_are_no_cluster_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said to one does not come to the other: each thing that breaks is named; by itself it is fit."""
    monkeypatch.setattr(fitness, "WAIT_S", 1.0)
    with mosquitto() as one, mosquitto() as other:
        command = ["doctor", "--broker", f"mqtt://127.0.0.1:{one}", "--node", f"mqtt://127.0.0.1:{other}"]
        told = CliRunner().invoke(build(), command)
        monkeypatch.setattr(fitness, "WAIT_S", 10.0)
        same = CliRunner().invoke(build(), [*command[:-1], f"mqtt://127.0.0.1:{one}"])
    assert told.exit_code == 1
    for what in ("retained messages by wildcard", "live messages by wildcard", "last wills"):
        assert f"✗ {what}" in told.output
    assert same.exit_code == 0, same.output


def test_what_is_not_installed_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker that is not there is named with its package; that is not a failure."""
    none = Kind("Nothing", "no-such-program", "no-such-package", KINDS[0].start)
    monkeypatch.setattr(table, "KINDS", (none,))
    assert table.run("") == 0
    assert "not installed: apt-get install --no-install-recommends no-such-package" in capsys.readouterr().out


def documented() -> dict[str, dict[str, bool]]:
    """The table of the document: by broker and version what works of what was tried."""
    text = (Path(__file__).parents[2] / "docs" / "brokers.md").read_text()
    lines = [line.strip("|").split("|") for line in text.split("\n\n")[2].splitlines()]
    head, _, *rows = ([cell.strip() for cell in line] for line in lines)
    return {name: {row[0]: row[at] == "✓" for row in rows if row[at]} for at, name in enumerate(head) if at}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_broker_does_what_the_document_says(kind: Kind) -> None:
    """Trials, from node to node, accounts, a game with a node killed: each as in the table, nothing more or less."""
    if not kind.there:
        pytest.skip(f"{kind.name} is missing: install the package {kind.package}")
    with running(kind) as broker:
        found = table.column(broker)
    said = documented()
    assert table.heading(kind) in said, (
        f"the document says {list(said)}: renew it with make bench ARGS=brokers"
    )
    assert found == said[table.heading(kind)]
