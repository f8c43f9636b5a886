"""The configuration file as the set-up page writes it: the user's comments and keys stay."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scharten.errors import Problem, SchartenError
from scharten.journal.journal import Journal
from scharten.setup.config_file import ConfigFile, edited
from scharten.setup.first_start import first_start

KEPT = Path(__file__).parents[1] / "journal" / "kept" / "schema3-evening.sqlite3"

BY_A_PERSON = """\
# our board in the cellar
log_level = "warning"   # quiet

[source]   # where darts come from
kind = "camera"  # the "good" ones # really
[source.camera]
devices = [
  "/dev/v4l/by-id/left",  # bought second-hand
  "/dev/v4l/by-id/right",
]
fps = 25

[game]
# we like it loud
foul_limit = { white = 3, black = 5 }
"""
PATHS = [("source", "kind"), ("source", "camera", "devices"), ("source", "camera", "fps"), ("board", "id"),
         ("source", "serial", "port"), ("log_level",), ("game", "kind"), ("web", "host")]  # fmt: skip
VALUES = st.one_of(
    st.text(max_size=9), st.integers(0, 99), st.booleans(), st.lists(st.text(max_size=5), max_size=3)
)


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(PATHS), VALUES, max_size=4))
def test_the_users_text_stays(changes: dict[tuple[str, ...], object]) -> None:
    """After any changes the text has them, everything else is unchanged, and other keys' comments stay."""
    text = edited(BY_A_PERSON, changes)  # type: ignore[arg-type]
    assert isinstance(text, str)
    data, before = tomllib.loads(text), tomllib.loads(BY_A_PERSON)
    for path, value in changes.items():
        here = data
        for part in path[:-1]:
            here = here[part]
        assert here[path[-1]] == value
    assert data["game"]["foul_limit"] == before["game"]["foul_limit"]
    for comment in ("# our board in the cellar", "# quiet", "# where darts come from", "# we like it loud"):
        assert comment in text
    assert '# the "good" ones # really' in text
    assert edited(text, changes) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ['source = { kind = "serial" }\n', 'source.kind = "serial"\n', "[[source]]\nkind = 1\n", 'a = "\n'],
)
def test_changes_that_need_the_user_are_refused_with_the_keys(text: str) -> None:
    """Inline tables, dotted keys, lists of tables and broken text give a problem with the lines to write by hand."""
    result = edited(text, {("source", "camera", "fps"): 20, ("source", "kind"): "camera"})
    if isinstance(result, str):  # a dotted key can be changed in place
        assert tomllib.loads(result)["source"] == {"kind": "camera", "camera": {"fps": 20}}
    else:
        assert result.code == "by_hand" and 'source.kind = "camera"' in result.words and result.cure


def test_a_file_is_written_whole_and_keeps_its_rights(tmp_path: Path) -> None:
    """A link and the mode stay. A wrong value, or another change meanwhile, changes nothing."""
    real = tmp_path / "etc" / "scharten.toml"
    real.parent.mkdir()
    real.write_text(BY_A_PERSON)
    real.chmod(0o640)
    link = tmp_path / "scharten.toml"
    link.symlink_to(real)
    file = ConfigFile(link)
    seen = file.read()
    found = file.tried({("board", "id"): "cellar"}, seen.digest)
    assert not isinstance(found, Problem) and found[1].board.id == "cellar"
    file.write(found[0])
    assert link.is_symlink() and real.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in real.parent.iterdir()) == ["scharten.toml"]
    late = file.tried({("board", "id"): "attic"}, seen.digest)
    assert isinstance(late, Problem) and late.code == "changed_meanwhile"
    wrong = file.tried({("board", "id"): "The Attic!"}, file.read().digest)
    assert isinstance(wrong, Problem) and "board.id" in wrong.words
    assert 'id = "cellar"' in real.read_text() and "The Attic" not in real.read_text()
    file.put_back(seen)
    assert real.read_text() == BY_A_PERSON


def test_a_full_disk_is_an_error_and_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old file stays, no draft is left, and the error names the file and the cure."""
    file = ConfigFile(tmp_path / "scharten.toml")
    file.write("log_level = 'info'\n")

    def full(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(SchartenError, match=r"scharten\.toml cannot be written: No space left") as caught:
        file.write("log_level = 'debug'\n")
    assert "make room" in caught.value.cure
    assert [path.name for path in tmp_path.iterdir()] == ["scharten.toml"]
    assert file.path.read_text() == "log_level = 'info'\n"


def test_a_machine_with_games_needs_no_set_up(tmp_path: Path) -> None:
    """A missing, an empty or a damaged journal means a first start; games of an earlier schema do not."""
    file = ConfigFile(tmp_path / "scharten.toml")
    journal = tmp_path / "scharten.sqlite3"
    assert first_start(tmp_path, file)
    Journal(journal).close()
    assert first_start(tmp_path, file)
    journal.write_bytes(b"no database")
    assert first_start(tmp_path, file)
    journal.write_bytes(KEPT.read_bytes())
    assert not first_start(tmp_path, file)
