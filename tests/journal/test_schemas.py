"""Journals of other versions: saved evenings of each schema, newer journals, and files that are not journals."""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scharten import __version__
from scharten.cli import build
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.form import JOURNAL
from scharten.journal.journal import Journal, JournalReader, Record
from scharten.journal.replay import going_on
from scharten.match.codec import encode_input
from scharten.match.digest import digest
from scharten.match.inputs import Knock, Reading, Receipt
from scharten.store import upgrade
from scharten.store.chain import seal
from scharten.store.files import mark_of
from scharten.store.form import Form
from scharten.store.mark import SLOT, read_mark

KEPT = Path(__file__).parent / "kept"


@pytest.mark.parametrize("what", ["newer", "foreign", "garbage"])
def test_a_file_that_is_not_ours_is_refused_and_left_untouched(tmp_path: Path, what: str) -> None:
    """A newer schema, another program's database and garbage are named, and not a byte of them changes."""
    path = tmp_path / "j.sqlite3"
    if what == "garbage":
        path.write_bytes(b"not a database at all" * 100)
    else:
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE cats (name TEXT)")
        db.execute(f"PRAGMA user_version = {JOURNAL.newest + 1 if what == 'newer' else 0}")
        db.commit()
        db.close()
    before = path.read_bytes()
    with pytest.raises(SchartenError) as caught:
        JournalReader(path)
    assert caught.value.cure and str(path) in caught.value.message
    assert path.read_bytes() == before


def test_a_journal_of_the_first_schema_is_upgraded(tmp_path: Path) -> None:
    """A saved file of schema 1 is read unchanged, then upgraded without loss, and appended to."""
    path = tmp_path / "j.sqlite3"
    shutil.copy(KEPT / "schema1.sqlite3", path)
    reader = JournalReader(path)
    before = [(match.id, match.inputs) for match in reader.matches()]
    reader.close()
    assert reader.version == 1 and before
    journal = Journal(path)
    journal.append(Record(before[-1][0], 1005, '{"n":5}', "[]", "d5", '{"s":1}', "{}", None))
    journal.close()
    upgraded = JournalReader(path)
    assert upgraded.version == JOURNAL.newest
    assert [(match.id, match.inputs) for match in upgraded.matches()][:-1] == before[:-1]
    assert upgraded.going_on().id == before[-1][0]  # type: ignore[union-attr]


@pytest.mark.parametrize("kept", ["schema2-evening", "schema3-evening"])
def test_a_saved_evening_of_real_games_always_replays(tmp_path: Path, kept: str) -> None:
    """Games played on an earlier version (keep_evening.py): every digest agrees, before and after the
    upgrade. A replay only reads the file, and the match that was current then is current now."""
    path = tmp_path / "j.sqlite3"
    shutil.copy(KEPT / f"{kept}.sqlite3", path)
    before = path.read_bytes()
    for _ in range(2):
        done = CliRunner().invoke(build(), ["replay", str(path)])
        assert done.exit_code == 0, done.output
        assert re.findall(r"(\w+): (\d+) inputs?, digests agree: .* ([wb]) - (\d+/\d+)", done.output)[1:] == [
            ("54510859880e", "37", "b", "15/8"),
            ("36a3f46c52ae", "8", "w", "17/17"),
        ]
        assert path.read_bytes() == before
        journal = Journal(path)
        journal.close()
        before = path.read_bytes()
    reader = JournalReader(path)
    assert reader.version == JOURNAL.newest
    goes_on = going_on(reader, GAMES_BY_KEY)
    reader.close()
    assert goes_on is not None and (goes_on.id, goes_on.reason) == ("36a3f46c52ae", "resignation")


@pytest.mark.parametrize("kept", ["schema3-sensors", "schema4-evening"])
def test_every_kind_of_input_that_was_ever_stored_replays(tmp_path: Path, kept: str) -> None:
    """`schema3-sensors`, by the last version that stored class names: doubtful darts, knocks, buttons, stuck
    contacts, losses and restarts in five games; `schema4-evening` has tags. All digests agree."""
    path = tmp_path / "j.sqlite3"
    shutil.copy(KEPT / f"{kept}.sqlite3", path)
    done = CliRunner().invoke(build(), ["replay", str(path)])
    assert done.exit_code == 0, done.output
    agreed = re.findall(r"\w+: (\d+) inputs?, digests agree", done.output)
    rows = {"schema3-sensors": ["169", "109", "33", "44", "56"], "schema4-evening": ["1", "37", "8"]}
    assert agreed == rows[kept]
    tags = {json.loads(body)["input"] for body in _all_bodies(path)}
    expected = {
        "schema3-sensors": {
            *("BoardHit", "DartSeen", "KnockHeard", "ButtonPressed", "ContactStuck", "BoardEmpty"),
            *("HitsDropped", "Restarted", "Command"),
        },
        "schema4-evening": {"reading", "command", "restarted"},
    }
    assert expected[kept] <= tags


def _all_bodies(path: Path) -> list[str]:
    reader = JournalReader(path)
    found = [stored.body for match in reader.matches() for stored in reader.inputs(match.id)]
    reader.close()
    return found


@pytest.mark.parametrize("kept", ["schema1", "schema2-evening", "schema3-evening"])
def test_an_older_schema_is_copied_before_it_is_upgraded(tmp_path: Path, kept: str) -> None:
    """For every earlier schema the copy beside the file has each of its rows unchanged, under the old schema."""
    path, number = tmp_path / "j.sqlite3", int(kept[6])
    shutil.copy(KEPT / f"{kept}.sqlite3", path)
    before = _rows(path)
    Journal(path).close()
    copy = tmp_path / f"j.schema{number}.sqlite3"
    assert _rows(copy) == before
    for file, version in ((copy, number), (path, JOURNAL.newest)):
        reader = JournalReader(file)
        assert reader.version == version
        reader.close()


def _rows(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return [row for table in ("matches", "inputs") for row in db.execute(f"SELECT * FROM {table}")]


def test_a_wrong_copy_prevents_the_upgrade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk returns other bytes than were written: an error reports it, and the file stays unchanged."""
    path = tmp_path / "j.sqlite3"
    shutil.copy(KEPT / "schema3-evening.sqlite3", path)
    before = _rows(path)
    whole = upgrade.copy_whole

    def spoilt(source: Path, draft: Path, form: Form) -> int:
        found = whole(source, draft, form)
        with closing(sqlite3.connect(draft)) as db:
            db.execute("UPDATE inputs SET digest = 'x' WHERE n = 7")
            db.commit()
        return found

    monkeypatch.setattr(upgrade, "copy_whole", spoilt)
    with pytest.raises(SchartenError, match="it was not upgraded"):
        Journal(path)
    assert _rows(path) == before and not list(tmp_path.glob("*schema3*"))


@pytest.mark.long
@pytest.mark.parametrize("version", ["9.9.0", ""])
def test_a_downgrade_is_refused_with_both_versions_and_the_way_back(tmp_path: Path, version: str) -> None:
    """Every command names the journal's writer, this version and its schema; `restore` restores the saved copy."""
    path = tmp_path / "scharten.sqlite3"
    shutil.copy(KEPT / "schema4-evening.sqlite3", path)
    Journal(path).close()
    copy = upgrade.kept_before_upgrade(path, JOURNAL.newest)
    shutil.copy(path, copy)
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {JOURNAL.newest + 1}")
        db.commit()
    mark = read_mark(mark_of(path))
    assert mark is not None and mark.version == __version__
    later = {
        **asdict(mark),
        "version": version,
        "schema": JOURNAL.newest + 1,
        "count": mark.count + 1,
        "more": [1],
    }
    body = json.dumps(later)
    mark_of(path).write_bytes(f"{body}\n{seal(body)}\n".encode().ljust(SLOT) * 2)
    before = path.read_bytes()
    for command in (("run", "--no-browser"), ("games",), ("backup", str(tmp_path / "b")), ("doctor",)):
        done = CliRunner().invoke(build(), [*command, "--data", str(tmp_path)])
        words = f"{done.output}{done.exception}"
        assert done.exit_code == 1 and f"this is Scharten {__version__}" in words, words
        assert f"schema {JOURNAL.newest + 1}" in words and f"schemas up to {JOURNAL.newest}" in words
        assert (f"Scharten {version}" if version else "a newer Scharten") in words
        assert f"scharten restore {copy}" in words
    assert path.read_bytes() == before
    back = CliRunner().invoke(build(), ["restore", str(copy), "--data", str(tmp_path)])
    assert back.exit_code == 0, back.output
    assert CliRunner().invoke(build(), ["replay", str(path)]).exit_code == 0
    assert (tmp_path / "scharten.before-restore-1.sqlite3").read_bytes() == before


def test_inputs_without_effect_are_not_replayed(tmp_path: Path) -> None:
    """300 knocks at the end of an evening: a start replays the same inputs as without them, and gives the
    same match."""
    path = tmp_path / "j.sqlite3"
    shutil.copy(KEPT / "schema4-evening.sqlite3", path)
    before, played = _started(path)
    journal = Journal(path)
    reader = JournalReader(path)
    going = reader.going_on()
    assert going is not None
    last = list(reader.inputs(going.id))[-1]
    knock = encode_input(Reading(last.t_ms, last.t_ms, "board", Knock(7), Receipt(9, 1)))
    body = json.dumps(knock, separators=(",", ":"))
    for number in range(300):
        journal.append(
            Record(going.id, last.t_ms, body, "[]", last.digest, going.start, going.summary, (9, number))
        )
    journal.close()
    assert _started(path) == (before, played) and len(list(reader.inputs(going.id))) > 300
    reader.close()


def _started(path: Path) -> tuple[str, int]:
    played: list[object] = []
    reader = JournalReader(path)
    match = going_on(reader, GAMES_BY_KEY, played.append)
    reader.close()
    assert match is not None
    return digest(match), len(played)
