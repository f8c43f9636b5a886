"""What the checks of a machine say, and what a cure does."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from scharten.cli import build
from scharten.config import parse
from scharten.errors import SchartenError
from scharten.mqtt.tls import ensure_tls
from scharten.setup import doctor
from scharten.setup.doctor_parts import certificate_ends
from scharten.setup.finding import Cure, Weight
from scharten.setup.finding_words import LANGUAGES, WORDS


def cure(folder: Path, *more: str) -> Result:
    """`scharten doctor --cure --yes` of a folder."""
    (folder / "scharten.toml").touch()
    return CliRunner().invoke(build(), ["doctor", "--data", str(folder), "--cure", "--yes", *more])


def test_every_finding_has_its_words_in_every_language() -> None:
    """The same places to fill in, and a cure wherever another language has one."""
    for code, by_language in WORDS.items():
        assert tuple(by_language) == LANGUAGES
        for words, todo in by_language.values():
            for text, english in zip((words, todo), by_language["en"], strict=True):
                places = set(re.findall(r"\{(\w+)\}", text))
                assert bool(text) == bool(english), code
                assert code == "port" or places == set(re.findall(r"\{(\w+)\}", english)), code


def test_the_clock_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that nothing sets warns; a date before this program was written keeps a game from being played."""
    monkeypatch.setattr(doctor, "clock_is_set", lambda: False)
    found = {one.code: one for one in doctor.examined(parse(""), tmp_path)}
    assert found["clock_free"].weight is Weight.WARNS
    monkeypatch.setattr("time.time", lambda: 86_400.0)
    found = {one.code: one for one in doctor.examined(parse(""), tmp_path)}
    assert found["clock_wrong"].weight is Weight.BAD and "timedatectl" in found["clock_wrong"].words("de")[1]


def test_what_it_can_do_itself_it_does(tmp_path: Path) -> None:
    """Secrets that others can read are closed, games are copied, and the second look finds nothing of it."""
    (tmp_path / "secrets.json").write_text("{}")
    (tmp_path / "secrets.json").chmod(0o644)
    from scharten.journal.journal import Journal  # noqa: PLC0415

    Journal(tmp_path / "scharten.sqlite3").close()
    told = cure(tmp_path)
    assert "close_secrets: done" in told.output and "back_up: done" in told.output, told.output
    assert (tmp_path / "secrets.json").stat().st_mode & 0o777 == 0o600
    assert len(list((tmp_path / "backups").glob("*.sqlite3"))) == 1
    again = CliRunner().invoke(build(), ["doctor", "--data", str(tmp_path), "--language", "nl"])
    assert "nieuwste kopie van de partijen" in again.output and "secrets.json" not in again.output


def test_a_full_disk_is_cured_by_dropping_pictures_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pictures of throws go when somebody says so; nothing else does."""
    throw = tmp_path / "replays" / "20260101-120000-000"
    throw.mkdir(parents=True)
    (throw / "after0.jpg").write_bytes(bytes(2 << 20))
    (tmp_path / "kept").write_text("x")
    monkeypatch.setattr(doctor, "ROOM_MB", 1 << 40)
    found = {one.code: one for one in doctor.examined(parse(""), tmp_path)}
    assert found["room_low"].cure is Cure.DROP_PICTURES and "take 2 MB" in found["room_low"].words()[1]
    cure(tmp_path)
    assert not throw.exists() and (tmp_path / "kept").exists()
    assert {one.code: one for one in doctor.examined(parse(""), tmp_path)}["room_low"].cure is None


def test_a_certificate_that_ends_is_renewed(tmp_path: Path) -> None:
    """Its last month warns with a cure, its end is a cross; a file that is none is told."""
    settings = parse("[web]\ntls = true\n")

    def certificate() -> str:
        return next(one.code for one in doctor.examined(settings, tmp_path) if one.code.startswith("tls"))

    assert certificate() == "tls_first"
    now = datetime.datetime.now(datetime.UTC)
    for age, code in ((0, "tls"), (380, "tls_ends"), (400, "tls_ended")):
        (tmp_path / "tls" / "server.pem").unlink(missing_ok=True)
        ensure_tls(tmp_path / "tls", ("localhost",), now - datetime.timedelta(days=age))
        assert certificate() == code
    (tmp_path / "scharten.toml").write_text("[web]\ntls = true\n")
    assert "new_certificate: done; it holds from the next start on" in cure(tmp_path).output
    assert certificate() == "tls_first" and (tmp_path / "tls" / "ca.pem").exists()
    (tmp_path / "broken.pem").write_text("no certificate")
    with pytest.raises(SchartenError, match="cannot be used"):
        certificate_ends(tmp_path / "broken.pem")
