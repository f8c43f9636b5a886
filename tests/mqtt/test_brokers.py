"""From node to node of a cluster, and what the bench of real brokers says of one that is not installed."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from lab import brokers
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
    none = brokers.Kind("Nothing", "no-such-program", "no-such-package", brokers.NATS.start)
    monkeypatch.setattr(brokers, "KINDS", (none,))
    assert brokers.run("") == 0
    assert "not installed: apt-get install --no-install-recommends no-such-package" in capsys.readouterr().out
