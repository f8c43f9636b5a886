"""The checks of a machine and their cures."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from scharten.cli import build
from scharten.config import parse
from scharten.errors import SchartenError
from scharten.setup import doctor
from scharten.setup.doctor import certificate_ends
from scharten.setup.finding import Cure, Finding, Weight
from scharten.system.tls import ensure_tls
from scharten.words import texts


def cure(folder: Path, *more: str) -> Result:
    """Run `scharten doctor --cure --yes` on a folder."""
    (folder / "scharten.toml").touch()
    return CliRunner().invoke(build(), ["doctor", "--data", str(folder), "--cure", "--yes", *more])


def by_code(folder: Path) -> dict[str, Finding]:
    """Return the findings of a folder with default settings."""
    return {finding.code: finding for finding in doctor.examined(parse(""), folder)}


def test_every_finding_has_its_texts() -> None:
    """Each code of the checks has a text, and a cure unless it is in order."""
    named = set()
    for path in Path(doctor.__file__).parent.glob("*.py"):
        named |= set(re.findall(r"\b(good|warns|bad)\(\s*\"(\w+)\"", path.read_text()))
    assert len(named) > 30
    assert [code for _, code in named if f"finding.{code}" not in texts("en")] == []
    assert [
        code for weight, code in named if weight != "good" and f"finding.{code}.todo" not in texts("en")
    ] == []


def test_the_clock_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock without synchronisation warns; a date before this version was written prevents play."""
    monkeypatch.setattr(doctor, "clock_is_set", lambda: False)
    found = by_code(tmp_path)
    assert found["clock_free"].weight is Weight.WARNS
    monkeypatch.setattr("time.time", lambda: 86_400.0)
    found = by_code(tmp_path)
    assert found["clock_wrong"].weight is Weight.BAD and "timedatectl" in found["clock_wrong"].words("de")[1]


@pytest.mark.long
def test_cures_are_applied(tmp_path: Path) -> None:
    """Secrets that others can read become private, games are copied, and the next check finds both in order."""
    (tmp_path / "secrets.json").write_text("{}")
    (tmp_path / "secrets.json").chmod(0o644)
    from scharten.journal.journal import Journal  # noqa: PLC0415

    Journal(tmp_path / "scharten.sqlite3").close()
    output = cure(tmp_path).output
    assert "Restrict its access: done" in output and "Make a copy now: done" in output, output
    assert (tmp_path / "secrets.json").stat().st_mode & 0o777 == 0o600
    (copy,) = (tmp_path / "backups").iterdir()
    assert {"scharten.sqlite3", "secrets.json"} <= {file.name for file in copy.iterdir()}
    later = CliRunner().invoke(build(), ["doctor", "--data", str(tmp_path), "--language", "nl"]).output
    assert "nieuwste kopie van de gegevensmap" in later and "secrets.json" not in later


def test_a_full_disk_is_cured_by_dropping_pictures_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cure deletes the pictures of throws and nothing else."""
    throw = tmp_path / "replays" / "20260101-120000-000"
    throw.mkdir(parents=True)
    (throw / "after0.jpg").write_bytes(bytes(2 << 20))
    (tmp_path / "kept").write_text("x")
    monkeypatch.setattr(doctor, "ROOM_MB", 1 << 40)
    found = by_code(tmp_path)
    assert found["room_low"].cure is Cure.DROP_PICTURES and "take 2 MB" in found["room_low"].words()[1]
    cure(tmp_path)
    assert not throw.exists() and (tmp_path / "kept").exists()
    assert by_code(tmp_path)["room_low"].cure is None


def test_an_expiring_certificate_is_renewed(tmp_path: Path) -> None:
    """The last month of a certificate warns with a cure, an expired one is bad, and a broken file is an error."""
    settings = parse("[web]\ntls = true\n")

    def certificate() -> str:
        return next(
            finding.code for finding in doctor.examined(settings, tmp_path) if finding.code.startswith("tls")
        )

    assert certificate() == "tls_first"
    now = datetime.datetime.now(datetime.UTC)
    for age, code in ((0, "tls"), (380, "tls_ends"), (400, "tls_ended")):
        (tmp_path / "tls" / "server.pem").unlink(missing_ok=True)
        ensure_tls(tmp_path / "tls", ("localhost",), now - datetime.timedelta(days=age))
        assert certificate() == code
    (tmp_path / "scharten.toml").write_text("[web]\ntls = true\n")
    assert "Make a new one: done; it holds from the next start on" in cure(tmp_path).output
    assert certificate() == "tls_first" and (tmp_path / "tls" / "ca.pem").exists()
    (tmp_path / "broken.pem").write_text("no certificate")
    with pytest.raises(SchartenError, match="cannot be used"):
        certificate_ends(tmp_path / "broken.pem")


@pytest.mark.long
def test_a_newer_version_is_a_finding(tmp_path: Path) -> None:
    """The doctor names the version in the file, or the reason for its absence; neither prevents play."""
    version = tmp_path / "VERSION"
    settings = parse(f'[update]\nfile = "{version}"\n')
    codes = {finding.code: finding for finding in doctor.examined(settings, tmp_path)}
    assert codes["newer_unknown"].weight is Weight.WARNS and str(version) in codes["newer_unknown"].words()[0]
    version.write_text("99.0.0\n")
    codes = {finding.code: finding for finding in doctor.examined(settings, tmp_path)}
    assert codes["newer_file"].weight is Weight.WARNS and "99.0.0" in codes["newer_file"].words("nl")[0]
    assert not {code for code in by_code(tmp_path) if code.startswith("newer")}
