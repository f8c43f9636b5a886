"""`scharten doctor --broker`: a Mosquitto is fit, for one that lacks something the report names what breaks."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from broker.running import embedded
from lab.daemon_process import wait_for
from lab.mosquitto import mosquitto
from lab.ports import free_port
from lab.programs import program
from scharten.cli import build
from scharten.club_broker.fitness import Trial, for_home_assistant
from scharten.errors import SchartenError
from scharten.words import text

pytestmark = pytest.mark.mosquitto


def doctor(port: int) -> tuple[int, str]:
    """Exit status and words of the command."""
    done = CliRunner().invoke(build(), ["doctor", "--broker", f"mqtt://127.0.0.1:{port}"])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


@contextmanager
def poor(folder: Path) -> Iterator[int]:
    """A Mosquitto that keeps nothing and takes no large message."""
    port = free_port()
    conf = folder / "poor.conf"
    conf.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nretain_available false\nmessage_size_limit 10000\n"
    )
    process = subprocess.Popen([program("mosquitto"), "-c", str(conf)], stderr=subprocess.DEVNULL)
    try:
        yield port
    finally:
        process.kill()
        process.wait()


def test_a_mosquitto_is_fit() -> None:
    """Everything is tried and works, and nothing stays behind."""
    with mosquitto() as port:
        status, words = doctor(port)
        assert (status, words.count("✓")) == (0, 8), words
        assert "is fit" in words
        assert "Home Assistant can use it, also from 2027.1 on" in words


def test_an_account_without_rights_is_not_the_broker_s_fault() -> None:
    """On a broker that takes nothing from this account one trial fails, with the account to name."""
    with embedded() as broker:
        status, words = doctor(broker.port)
    assert (status, words.count("✗")) == (1, 1), words
    assert "✗ this account writes below scharten/" in words
    assert "--accounts FOLDER" in words and "Home Assistant" not in words


@pytest.mark.long
def test_a_poor_broker_is_said_to_be_poor(tmp_path: Path) -> None:
    """The report names each missing ability with its consequence; exit status 1."""
    with poor(tmp_path) as port:
        wait_for(lambda: _answers(port), 40, "the broker")
        status, words = doctor(port)
    assert status == 1
    assert "✗ retained messages by wildcard\n    → a page that opens later sees no board: not fit" in words
    assert "✗ messages of 900 kB" in words
    assert "✓ live messages by wildcard" in words
    assert "Home Assistant finds no board" in words


def _answers(port: int) -> bool:
    import socket  # noqa: PLC0415

    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_no_broker_is_said_in_words() -> None:
    """With what to do."""
    with pytest.raises(SchartenError, match="No broker answers"):
        doctor(free_port())


def test_a_broker_of_mqtt_3_is_none_for_home_assistant_2027() -> None:
    """The report says what the trials mean for Home Assistant, also for a broker of 3.1.1 alone."""
    tried = [Trial("mqtt5", False), Trial("retained", True)]
    assert "up to 2026.12: from 2027.1 on it speaks MQTT 5 only" in text("en", for_home_assistant(tried))
