"""Throws as one file, from the command line: unwritable and unreadable files are refused and do no harm."""

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
def saved(tmp_path_factory):
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


def replay(path, *more):
    """Run `scharten detect --replay`, and return its result with any exception."""
    return CliRunner().invoke(build(), ["detect", "--replay", str(path), *more])


@pytest.mark.long
@pytest.mark.parametrize("where", ["no folder/m1.zip", "a folder", "a pipe", "a full disk/m1.zip"])
def test_an_unwritable_target_is_refused_and_no_draft_stays(saved, tmp_path, where):
    """The target's folder is missing, the target is a folder or a pipe, or the disk is full. The message names the
    target."""
    target = tmp_path / where
    (tmp_path / "a folder").mkdir()
    os.mkfifo(tmp_path / "a pipe")
    (tmp_path / "a full disk").mkdir()
    before = sorted(tmp_path.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-m", "scharten", "throws", "m1", str(target), "--data", str(saved.parents[1])],
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
def test_a_damaged_throw_is_named_after_the_others_are_measured(saved, tmp_path, name, content):
    """The command measures the other throws, then ends with an error that names the throw with the damaged part."""
    for copy in ("20200101-000000-000", saved.name):
        shutil.copytree(saved, tmp_path / copy)
    torn = tmp_path / "20200101-000000-000" / name
    torn.unlink(missing_ok=True)
    if content is not None:
        torn.write_bytes(content)
    done = replay(tmp_path, "--json")
    assert isinstance(done.exception, SchartenError) and "20200101-000000-000" in str(done.exception)
    (line,) = [json.loads(text) for text in done.stdout.splitlines()]
    assert line["segment"] == "F6"


def test_a_picture_of_another_size_and_a_pipe_count_as_damage(saved, tmp_path):
    """The command neither measures them nor waits for the pipe."""
    shutil.copytree(saved, tmp_path / "one")
    cv2.imwrite(str(tmp_path / "one" / "after0.jpg"), np.zeros((100, 100, 3), np.uint8))
    shutil.copytree(saved, tmp_path / "two")
    (tmp_path / "two" / "cameras.toml").unlink()
    os.mkfifo(tmp_path / "two" / "cameras.toml")
    done = replay(tmp_path)
    assert isinstance(done.exception, SchartenError) and "2 throws" in str(done.exception)
    assert "another size" in done.stderr and "not a file" in done.stderr


@pytest.mark.parametrize(
    "name", ["../cameras.toml", "one/../../after0.jpg", "/etc/passwd", "one/run.sh", "result.json"]
)
def test_an_archive_with_a_foreign_path_is_refused_whole(tmp_path, name):
    """The sender of an archive of throws cannot write files beside the throws."""
    with zipfile.ZipFile(tmp_path / "m1.zip", "w") as file:
        file.writestr("one/result.json", "{}")
        file.writestr(name, "x")
    done = replay(tmp_path / "m1.zip")
    assert isinstance(done.exception, SchartenError) and name in str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == ["m1.zip"]


def test_a_path_that_is_not_there_is_named(tmp_path):
    """A mistyped file is no folder without throws."""
    done = replay(tmp_path / "mistyped.zip")
    assert isinstance(done.exception, SchartenError) and "mistyped.zip does not exist" in str(done.exception)


@pytest.mark.long
def test_an_invalid_or_too_large_archive_is_refused(tmp_path):
    """Empty, text and truncated files, and an archive with a picture of 33 MB, are refused with the file's name."""
    for number, content in enumerate((b"", b"no zip", b"PK\x05\x06" + bytes(17))):
        (tmp_path / f"{number}.zip").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "3.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("one/after0.jpg", bytes(33 << 20))
    for number in range(4):
        done = replay(tmp_path / f"{number}.zip")
        assert isinstance(done.exception, SchartenError) and f"{number}.zip" in str(done.exception)


@pytest.mark.long
def test_an_archive_of_too_many_files_is_refused_before_unpacking(tmp_path):
    """20,001 packages with one empty file each are refused, and none is unpacked."""
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as file:
        for number in range(20_001):
            file.writestr(f"t{number}/result.json", "")
    done = replay(tmp_path / "many.zip")
    assert isinstance(done.exception, SchartenError) and "20001 files" in str(done.exception)
    assert not done.output
