"""Pipes, folders and giants in place of files in the data folder: a start reports them and does not hang."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scharten.data_folder import keep_private

PROGRAM = """
import sys
from pathlib import Path
from scharten import cli, data_folder
data_folder.FSTAB = Path(sys.argv.pop(1))
sys.exit(cli.main())
"""


def start(folder: Path, fstab: Path = Path("/dev/null")) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, str(fstab), "run", "--no-browser"]
    command += ["--port", "0", "--data", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("simulator.pid", "a pipe"),
        ("scharten.log", "a pipe"),
        ("secrets.json", "a folder"),
        ("players.json", "a loop"),
    ],
)
def test_an_entry_that_is_no_file_is_named(tmp_path: Path, name: str, what: str) -> None:
    """A pipe does not block the start, and a folder is not reported as a full disk."""
    path = tmp_path / name
    {"a pipe": os.mkfifo, "a folder": os.mkdir, "a loop": lambda item: item.symlink_to(item)}[what](path)
    result = start(tmp_path)
    assert result.returncode == 1 and str(path) in result.stderr and "Move it away" in result.stderr
    assert (
        "symbolic links" if what == "a loop" else what
    ) in result.stderr and "Traceback" not in result.stderr


@pytest.mark.long
def test_a_file_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    """3 GB in the place of a process id are refused with their size; once they were read whole."""
    with (tmp_path / "simulator.pid").open("wb") as file:
        file.truncate(3 << 30)
    result = start(tmp_path)
    assert result.returncode == 1 and "3072 MB" in result.stderr


@pytest.mark.long
def test_a_file_in_place_of_the_folder_is_reported(tmp_path: Path) -> None:
    """The start ends with the message that the file cannot be the data folder."""
    (tmp_path / "data").write_text("")
    result = start(tmp_path / "data")
    assert result.returncode == 1 and "cannot be the data folder" in result.stderr


@pytest.mark.long
@pytest.mark.parametrize("mounted", [False, True])
def test_no_journal_is_created_where_a_disk_is_not_mounted(tmp_path: Path, mounted: bool) -> None:
    """Only an fstab entry without a mounted disk stops the start, before it writes anything there."""
    place = tmp_path / "a disk"
    place.mkdir()
    (fstab := tmp_path / "fstab").write_text(
        "# /dev/sda9 " + str(tmp_path) + " ext4 nofail\n"
        "/dev/sda1 / ext4 defaults 0 1\n/dev/sda2 none swap sw\n"
        + ("" if mounted else "UUID=1234 " + str(place).replace(" ", "\\040") + " ext4 nofail\n")
    )
    (link := tmp_path / "data").symlink_to(place / "scharten")
    if mounted:  # the start gets past the disk, to the next fault
        (place / "scharten").write_text("")
    result = start(link, fstab)
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert (f"none is mounted at {place}" in result.stderr) is not mounted
    assert mounted or list(place.iterdir()) == []


def test_files_of_earlier_versions_become_private(tmp_path: Path) -> None:
    """Journal, its log, the register and every new file get mode 600."""
    old = [tmp_path / name for name in ("scharten.sqlite3", "scharten.sqlite3-wal", "players.json")]
    for path in old:
        path.touch(0o644)
    before = os.umask(0o022)
    try:
        keep_private(tmp_path)
        (tmp_path / "new").touch()
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in (*old, tmp_path / "new")] == [0o600] * 4
