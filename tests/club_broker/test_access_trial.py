"""`scharten doctor --broker --accounts`: both brokers keep accounts apart; one that does not is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from broker.running import SECRETS, Running, embedded, mosquitto
from lab.daemon_process import DaemonProcess
from lab.mosquitto import mosquitto as open_mosquitto
from scharten.cli import build
from scharten.club_broker.access_trial import every_topic
from scharten.contract.roles import Account, Acl
from scharten.contract.topics import Topics
from scharten.errors import SchartenError
from scharten.system.secrets import WITH_SECRET, write_private

TOPICS = Topics("scharten", "home", "board1")


def doctor(port: int, folder: Path) -> tuple[int, str]:
    """Exit status and words of the command."""
    command = ["doctor", "--broker", f"mqtt://127.0.0.1:{port}", "--accounts", str(folder)]
    done = CliRunner().invoke(build(), command)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


@pytest.fixture(params=["embedded", pytest.param("mosquitto", marks=pytest.mark.mosquitto)])
def closed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Running, Path]]:
    """A broker with all accounts, and the folder of their passwords."""
    (tmp_path / "secrets").mkdir()
    if request.param == "embedded":
        own = {item.value: SECRETS[item] for item in WITH_SECRET}
        write_private(tmp_path / "secrets" / "secrets.json", json.dumps(own))
        with embedded() as broker:
            yield broker, tmp_path / "secrets"
    else:
        (tmp_path / "broker").mkdir()
        with mosquitto(tmp_path / "broker") as broker:
            for name, password in broker.logins.values():
                write_private(tmp_path / "secrets" / str(name), f"{password}\n")
            yield broker, tmp_path / "secrets"


def test_every_account_is_kept_apart(closed: tuple[Running, Path]) -> None:
    """Each is let in, writes nothing but its own, reads no command or answer of others; nobody else does."""
    broker, folder = closed
    status, words = doctor(broker.port, folder)
    assert (status, words.count("✗")) == (0, 0), words
    for account in ("seat1", "table", "organiser"):
        assert f"✓ the account {account} writes nothing but its own" in words
    assert "✓ who has no account writes nothing but its own" in words


@pytest.mark.long
def test_a_running_daemon_s_answers_are_no_writes_of_an_account(tmp_path: Path) -> None:
    """Between games, on the embedded broker of a daemon: all are kept apart, as on a broker without a host."""
    daemon = DaemonProcess(tmp_path).start()
    try:
        status, words = doctor(daemon.running["broker"]["port"], tmp_path)
    finally:
        daemon.end()
    assert (status, words.count("✗")) == (0, 0), words


@pytest.mark.long
@pytest.mark.mosquitto
def test_an_open_broker_is_reported(tmp_path: Path) -> None:
    """Where anybody may do all, each account is named with what it wrote and read; exit status 1."""
    for account in Account:
        write_private(tmp_path / f"board1-{account}", "anything-will-do\n")
    with open_mosquitto() as port:
        status, words = doctor(port, tmp_path)
    assert status == 1
    line = words.split("✗ the account seat1 writes nothing but its own\n")[1].splitlines()[0]
    assert "command/arbiter" in line
    assert "state" in line
    line = words.split("✗ who has no account reads no command or answer of others\n")[1].splitlines()[0]
    assert "command/seat1" in line and "answer/table" in line


def test_the_trial_goes_through_every_grant(tmp_path: Path) -> None:
    """Each filter of the table has a topic that is tried; a folder without the accounts is refused in words."""
    acl, topics = Acl(TOPICS), every_topic(TOPICS)
    for account in Account:
        for read in acl.grant(account).reads:
            assert any(acl.may_receive(account, topic) for topic in topics), (account, read)
    with pytest.raises(SchartenError, match="passwords of host, web are missing"):
        doctor(1, tmp_path)
    with pytest.raises(SchartenError, match="no folder"):
        doctor(1, tmp_path / "none")
