"""`scharten report` packs the data for finding a fault, without secrets and names."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from scharten.cli import build
from scharten.games import GAMES_BY_KEY
from scharten.players.book import PlayerBook

KEPT = Path(__file__).parents[1] / "journal" / "kept" / "schema4-evening.sqlite3"
NAMES = ("Anneke", "Bo", "Zoltán", "Kovács", "Bulle", "Klubavond", "Cornelis")
SECRETS = (
    "tok3n-of-the-table",
    "pw-of-the-host",
    "hook-s3cret-in-the-path",
    "camera-pass",
    "whsec-of-a-file",
)
SETTINGS = """\
[board]
club = "De Bulle"
event = "Klubavond"
[source]
kind = "camera"
[source.camera]
devices = ["rtsp://cam:camera-pass@127.0.0.9/live?token=camera-pass"]
[broker]
url = "mqtt://127.0.0.1:1"
credentials = "CREDENTIALS"
[[homes.webhooks]]
name = "wall"
url = "https://hooks.example/hook-s3cret-in-the-path"
secret_file = "hook"
events = ["mate"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with games, players, a log with secrets, and every kind of secret."""
    data = tmp_path / "data"
    data.mkdir()
    logins = tmp_path / "logins"
    logins.mkdir()
    (logins / "board1-host").write_text("pw-of-the-host\nhost\n")
    (data / "scharten.toml").write_text(SETTINGS.replace("CREDENTIALS", str(logins)))
    (data / "secrets.json").write_text(json.dumps({"table": "tok3n-of-the-table"}))
    (data / "hook").write_text("whsec-of-a-file\n")
    shutil.copy(KEPT, data / "scharten.sqlite3")
    PlayerBook(data, "scharten.sqlite3", GAMES_BY_KEY).save({"name": "Zoltán Kovács"})
    (data / "scharten.log").write_text(
        "12:00 INFO anneke sat down, then BO; the link is http://10.0.0.2:8765/?role=table#tok3n-of-the-table\n"
        "12:01 ERROR posting to https://hooks.example/hook-s3cret-in-the-path failed: whsec-of-a-file, Kovács\n"
        f"12:02 INFO Bonbons stay. cornelis opened {tmp_path}/x\n"
    )
    monkeypatch.setattr("getpass.getuser", lambda: "cornelis")
    monkeypatch.chdir(tmp_path)
    return data


def report(folder: Path, *more: str, typed: str = "") -> Result:
    """Run the command with typed input."""
    return CliRunner().invoke(build(), ["report", "--data", str(folder), *more], input=typed)


def unpacked(path: Path) -> dict[str, str]:
    """The parts of a report, with the files of inner archives."""
    with zipfile.ZipFile(path) as whole:
        found = {name: whole.read(name) for name in whole.namelist()}
    for name in [part for part in found if part.endswith(".zip")]:
        with zipfile.ZipFile(io.BytesIO(found.pop(name))) as inner:
            found |= {f"{name}/{part}": inner.read(part) for part in inner.namelist()}
    return {name: content.decode("utf-8", "replace") for name, content in found.items()}


def test_no_secret_no_name_and_no_token_is_inside(folder: Path) -> None:
    """No part contains any of them in any case, and the data for finding a fault is complete."""
    done = report(folder, "out.zip", "--yes")
    assert done.exit_code == 0, done.output
    assert (folder.parent / "out.zip").stat().st_mode & 0o777 == 0o600
    parts = unpacked(folder.parent / "out.zip")
    for text in parts.values():
        for word in SECRETS:
            assert word not in text
        for name in NAMES:
            assert name.lower() not in text.lower().replace("bonbons", "").replace("board", "").split(), name
            assert f'"{name.lower()}"' not in text.lower() and f"{name.lower()} " not in text.lower()
    assert "Scharten " in parts["about.txt"] and "Python" in parts["about.txt"]
    assert "Bonbons stay." in parts["log.txt"] and "(name) sat down, then (name)" in parts["log.txt"]
    settings = json.loads(parts["configuration.json"])
    assert settings["source"]["camera"]["devices"] == ["rtsp://127.0.0.9/…"]
    assert settings["broker"]["credentials"] == "(hidden)"
    games = [json.loads(line) for line in parts["journal.jsonl"].splitlines()]
    assert any("start" in line for line in games) and sum("digest" in line for line in games) > 20
    assert parts["health.json"] == "no daemon runs on this folder"


@pytest.mark.long
def test_the_contents_are_listed_before_the_file_is_written(folder: Path) -> None:
    """The command lists each part, accepts a no, prints a part on request, and overwrites no file."""
    output = report(folder, "out.zip", typed="n\n").output
    assert all(text in output for text in ("journal.jsonl", "without names", "Nothing was written"))
    assert not (folder.parent / "out.zip").exists()
    assert report(folder, "out.zip", typed="y\n").exit_code == 0
    assert "Bonbons stay." in report(folder, "--show", "log.txt").output
    for wrong, words in (("--show", "There is no part"), ("out.zip", "exists")):
        refused = report(folder, *((wrong, "x") if wrong == "--show" else (wrong,)))
        assert refused.exit_code == 1 and words in str(refused.exception)


@pytest.mark.long
def test_pictures_are_packed_only_on_request(folder: Path) -> None:
    """`--pictures 1` packs the last throw; without it there are no pictures."""
    for number in (1, 2):
        throw = folder / "replays" / f"20260101-12000{number}-000"
        throw.mkdir(parents=True)
        at_ms = 1_767_268_800_000 + 1000 * number
        (throw / "result.json").write_text(json.dumps({"at_ms": at_ms}))
        (throw / "after0.jpg").write_bytes(b"\xff\xd8picture")
    report(folder, "without.zip", "--yes")
    assert not [name for name in unpacked(folder.parent / "without.zip") if "throws" in name]
    report(folder, "with.zip", "--yes", "--pictures", "1")
    inside = [name for name in unpacked(folder.parent / "with.zip") if "after0" in name]
    assert inside == ["throws/20260101-120002-000.zip/20260101-120002-000/after0.jpg"]
