"""Mistakes on the command line end with a message that names the thing, never with a traceback."""

import socket
import sqlite3
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from lab.daemon_process import end_board
from scharten.cli import build
from scharten.errors import SchartenError
from scharten.journal.journal import Journal, Record

APP = build()


def run(*arguments: str) -> str:
    """Run a command and return its message; fail unless it ends with an error and without a traceback."""
    done = CliRunner().invoke(APP, list(arguments))
    if isinstance(done.exception, SchartenError):
        assert done.exception.message, arguments
        return str(done.exception)
    if done.exception is not None and not isinstance(done.exception, SystemExit | typer.Exit):
        raise done.exception
    assert done.exit_code, f"{arguments} was accepted: {done.output}"
    return done.output


@pytest.mark.long
def test_wrong_files_are_named(tmp_path: Path) -> None:
    """Missing files, folders in place of files, files of another kind, and files that cannot be written."""
    nothing, text, blob = tmp_path / "nothing", tmp_path / "text", tmp_path / "blob"
    text.write_text("hello\n")
    blob.write_bytes(bytes(range(256)) * 20)
    foreign, journal = tmp_path / "foreign.sqlite3", tmp_path / "journal.sqlite3"
    with sqlite3.connect(foreign) as db:
        db.execute("CREATE TABLE t (a)")
    kept = Journal(journal)
    kept.append(Record("m1", 1, "{}", "[]", "d", "not json", "{}"))
    kept.close()
    wrong = [str(item) for item in (nothing, tmp_path, text, blob, foreign)]
    for item in wrong:
        assert Path(item).name in run("replay", item)
        assert Path(item).name in run("games", item)
        assert Path(item).name in run("games", item, "--resume", "m1")
        run("run", "--no-browser", "--data", str(tmp_path / "data"), "--config", item)
        run("doctor", "--data", str(tmp_path / "data"), "--config", item)
        run("detect", item)
        run("simulate", "--script", item)
        run("simulate", "--profile", item)
        run("links", "--data", item)
        run("display", "--broker", "mqtts://127.0.0.1:1", "--ca-file", item)
    for item in (str(nothing), str(tmp_path), str(blob)):
        assert Path(item).name in run("display", "--broker", "mqtt://127.0.0.1:1", "--password-file", item)
    for item in (text, blob):
        run("run", "--no-browser", "--data", str(item))
        run("print-board", "--out", str(item))
        run("broker-config", "--boards", "a", "--out", str(item))
        run("simulate", "--data", str(item))
    run("detect", "--replay", str(nothing))
    run("detect", "--events", str(nothing))
    run("replay", str(journal))
    run("replay", str(journal), "--match", "m2")
    run("games", str(journal), "--export", "m1")
    run("games", str(journal), "--export", "m2")
    run("games", str(journal), "--resume", "m2")
    run("games", str(journal), "--export", "m1", "--language", "fr")


@pytest.mark.long
def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    """Invalid names, numbers, addresses and positions."""
    display = ("display", "--broker")
    for broker in (
        "",
        "x",
        "http://x",
        "mqtt://",
        "mqtt://[x",
        "mqtt://h:x",
        "mqtt://h:99999",
        "mqtt://h/path",
    ):
        run(*display, broker)
        run("simulate", "--broker", broker or "-")
    here = "mqtt://127.0.0.1:1"
    run(*display, here, "--board", "A")
    run(*display, here, "--prefix", "#")
    run(*display, here, "--host", "no.such.name.invalid")
    run(*display, here, "--host", "not an address")
    assert "no.such.name.invalid" in run(*display, here, "--table", "--host", "no.such.name.invalid")
    run(*display, here, "--table", "--host", "192.0.2.1")
    run(*display, here, "--host", "192.0.2.1")
    run("perft", "-1")
    run("perft", "x")
    for command in ("perft", "moves", "status"):
        run(command, *(["1"] if command == "perft" else []), "--position", "nonsense")
    run("print-board", "--size", "7", "--out", str(tmp_path))
    run("print-board", "--paper", "a5", "--out", str(tmp_path))
    run("print-board", "--white-sits-at", "7", "--out", str(tmp_path))
    run("asyncapi", "--topic", "nonsense")
    run("broker-config", "--boards", "A", "--out", str(tmp_path / "out"))
    run("broker-config", "--boards", "", "--out", str(tmp_path / "out"))
    run("broker-config", "--boards", "a", "--tls", "not a name", "--out", str(tmp_path / "out"))
    run("broker-config", "--boards", "a", "--bind", "two words", "--out", str(tmp_path / "out"))
    run("detect", "--cameras", "x", str(tmp_path))


@pytest.mark.parametrize("where", ["web", "broker"])
def test_a_port_in_use_is_named(tmp_path: Path, where: str) -> None:
    """With the page's or the broker's port in use the message names the port."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (tmp_path / "scharten.toml").write_text(
            f"[broker]\nport = {port if where == 'broker' else 0}\n[web]\nport = {port if where == 'web' else 0}\n"
        )
        try:
            words = run("run", "--no-browser", "--data", str(tmp_path))
        finally:
            end_board(tmp_path)
        assert str(port) in words
        if where == "web":
            assert str(port) in run("display", "--broker", "mqtt://127.0.0.1:1", "--port", str(port))
