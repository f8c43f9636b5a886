"""`scharten display`: the page's server alone, run by its command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from browser.fakes import FakeHost
from browser.servers import Mosquitto
from lab.daemon_process import wait_for
from scharten.cli import build
from scharten.errors import SchartenError
from scharten.mqtt.address import Credentials, parse_url


def test_a_display_alone_serves_the_page_and_ends_cleanly(tmp_path: Path) -> None:
    """Started beside a broker it prints its address, is healthy once the host publishes, and ends on SIGTERM
    with 0."""
    mosquitto = Mosquitto(tmp_path)
    host = FakeHost(mosquitto.port)
    host.state()
    command = [sys.executable, "-m", "scharten", "display", "--broker", f"mqtt://127.0.0.1:{mosquitto.port}"]
    process = subprocess.Popen(
        [*command, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = line.split(" at ")[1].split("/?")[0]

        def healthy() -> bool:
            try:
                with urllib.request.urlopen(f"{url}/healthz") as response:
                    return bool(json.load(response)["ok"])
            except urllib.error.HTTPError:
                return False

        wait_for(healthy, 40, "the page to be healthy")
        with urllib.request.urlopen(url) as response:
            assert b"Scharten" in response.read()
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(40) == 0
        host.stop()
        mosquitto.stop()


@pytest.mark.parametrize(
    "arguments",
    [["--broker", "http://x"], ["--broker", "mqtt://"], ["--broker", "mqtt://h", "--board", "a/b"],
     ["--broker", "mqtt://h", "--table", "--host", "0.0.0.0"], ["--broker", "mqtt://h", "--password-file", "/none"]],
)  # fmt: skip
def test_a_wrong_option_is_an_error_with_a_cure(arguments: list[str]) -> None:
    """A wrong address, board, role or file is an error with a cure, before the server starts."""
    error = CliRunner().invoke(build(), ["display", *arguments]).exception
    assert isinstance(error, SchartenError)
    assert error.message and error.cure


@pytest.mark.parametrize(
    "url", ["mqtt://h:99999", "mqtt://u:secret@h:x", "ws://h", "h:1883", "mqtt://h/path"]
)
def test_a_wrong_address_never_repeats_its_password(url: str) -> None:
    """The error of a wrong URL does not contain its password."""
    with pytest.raises(SchartenError) as raised:
        parse_url(url)
    assert "secret" not in str(raised.value)


def test_an_address_may_carry_a_user() -> None:
    """The user and the password of the URL are decoded."""
    found = parse_url("mqtt://web:a%2Fb@club.local:1884")
    assert (found.host, found.port, found.account) == ("club.local", 1884, Credentials("web", "a/b"))
