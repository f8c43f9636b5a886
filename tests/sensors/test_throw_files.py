"""Throws as one file, from the command line: what cannot be written or read is refused in words, and harms nothing."""

import json
import os
import resource
import shutil
import subprocess
import sys
import zipfile

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from lab.scenes.darts import some_dart
from lab.scenes.pictures import picture
from scharten.cli import build
from scharten.errors import SchartenError
from scharten.sensors.kept_throws import KeptThrows
from scharten.sensors.rig_files import read_rig
from sensors.films import make_stage, write_rig


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A package of one throw in F6, of the game m1, seen by one camera."""
    stage, empties = make_stage(1)
    folder = tmp_path_factory.mktemp("throws")
    rig = read_rig(write_rig(folder, stage, empties, (folder / "camera0.avi",)))
    later = (picture(stage.rig, 0, (some_dart(stage.chance, 135.0, 3.0),), stage.chance),)
    replays = KeptThrows(folder / "data" / "replays", 10**9)
    result = {"news": "dart", "at_ms": 1_700_000_000_000, "segment": "F6"}
    replays.keep(rig, result, {"before": empties, "after": later})
    (package,) = replays.folder.iterdir()
    (package / "game.json").write_text(json.dumps({"match": "m1"}))
    return package


def replayed(path, *more):
    """`scharten detect --replay`, with its exception if there was one."""
    return CliRunner().invoke(build(), ["detect", "--replay", str(path), *more])


@pytest.mark.long
@pytest.mark.parametrize("where", ["no folder/m1.zip", "a folder", "a pipe", "a full disk/m1.zip"])
def test_what_cannot_be_written_is_refused_in_words_and_nothing_is_left(kept, tmp_path, where):
    """A place that is not there, something else of that name, no room: the words name it, and no draft stays."""
    target = tmp_path / where
    (tmp_path / "a folder").mkdir()
    os.mkfifo(tmp_path / "a pipe")
    (tmp_path / "a full disk").mkdir()
    before = sorted(tmp_path.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-m", "scharten", "throws", "m1", str(target), "--data", str(kept.parents[1])],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
    )
    assert done.returncode == 1 and str(target) in done.stderr and "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("after0.jpg", None), ("after0.jpg", b""), ("result.json", b"[1]"), ("result.json", b"{"),
        ("truth.json", b'{"segment": 7}'), ("truth.json", b"[]"), ("cameras.toml", b"\xff"),
    ],
)  # fmt: skip
def test_a_damaged_throw_is_named_and_the_others_are_measured(kept, tmp_path, name, content):
    """A missing or damaged part ends the command, after the other throws, with the name of that throw."""
    for copy in ("20200101-000000-000", kept.name):
        shutil.copytree(kept, tmp_path / copy)
    torn = tmp_path / "20200101-000000-000" / name
    torn.unlink(missing_ok=True)
    if content is not None:
        torn.write_bytes(content)
    done = replayed(tmp_path, "--json")
    assert isinstance(done.exception, SchartenError) and "20200101-000000-000" in str(done.exception)
    (line,) = [json.loads(text) for text in done.stdout.splitlines()]
    assert line["segment"] == "F6"


def test_a_picture_of_another_size_and_a_pipe_are_damage(kept, tmp_path):
    """Neither is measured, nor waited for."""
    shutil.copytree(kept, tmp_path / "one")
    cv2.imwrite(str(tmp_path / "one" / "after0.jpg"), np.zeros((100, 100, 3), np.uint8))
    shutil.copytree(kept, tmp_path / "two")
    (tmp_path / "two" / "cameras.toml").unlink()
    os.mkfifo(tmp_path / "two" / "cameras.toml")
    done = replayed(tmp_path)
    assert isinstance(done.exception, SchartenError) and "2 throws" in str(done.exception)
    assert "another size" in done.stderr and "not a file" in done.stderr


@pytest.mark.parametrize(
    "name", ["../cameras.toml", "one/../../after0.jpg", "/etc/passwd", "one/run.sh", "result.json"]
)
def test_a_file_that_leads_elsewhere_is_refused_whole(tmp_path, name):
    """Anybody who sends a file of throws cannot write beside them."""
    with zipfile.ZipFile(tmp_path / "m1.zip", "w") as file:
        file.writestr("one/result.json", "{}")
        file.writestr(name, "x")
    done = replayed(tmp_path / "m1.zip")
    assert isinstance(done.exception, SchartenError) and name in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["m1.zip"]


@pytest.mark.long
def test_a_file_that_is_no_zip_or_too_large_is_refused_in_words(tmp_path):
    """A text, a torn file, and a picture that says it has 33 MB, of which none is read."""
    for number, content in enumerate((b"", b"no zip", b"PK\x05\x06" + bytes(17))):
        (tmp_path / f"{number}.zip").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "3.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("one/after0.jpg", bytes(33 << 20))
    for number in range(4):
        done = replayed(tmp_path / f"{number}.zip")
        assert isinstance(done.exception, SchartenError) and f"{number}.zip" in str(done.exception)


@pytest.mark.long
def test_a_file_of_very_many_names_is_refused_before_any_is_unpacked(tmp_path):
    """20,001 packages of an empty file each: refused in words, and not one is written out."""
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as file:
        for number in range(20_001):
            file.writestr(f"t{number}/result.json", "")
    done = replayed(tmp_path / "many.zip")
    assert isinstance(done.exception, SchartenError) and "20001 files" in str(done.exception)
    assert not done.output
