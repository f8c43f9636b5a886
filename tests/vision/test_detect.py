"""`scharten detect` on real photographs: the right beds, and clear words for sets that cannot be measured."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scharten.dartboard.beds import parse_bed
from vision.photographs import DARTS, needs_photographs

KEYS = {"throw", "segment", "x_mm", "y_mm", "confidence", "second", "beds", "wire_mm"}
_MAIN = "import sys; from scharten.cli import main; sys.argv[0] = 'scharten'; main()"


def _detect(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", _MAIN, "detect", *arguments], capture_output=True, text=True)


def _rows(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def _write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def _part(tmp_path: Path, name: str, throws: int, keep_truth: bool = True) -> Path:
    """A set of the first few throws of a shared one, its pictures named by their whole paths."""
    source = DARTS / name
    rig, rows = _rows(source / "rig.csv"), _rows(source / "throws.csv")
    _write(tmp_path / "rig.csv", [rig[0], *([c, str(source / e), x, y] for c, e, x, y in rig[1:])])
    names = list(dict.fromkeys(row[0] for row in rows[1:]))[:throws]
    kept = [[t, c, str(source / b), str(source / a)] for t, c, b, a in rows[1:] if t in names]
    _write(tmp_path / "throws.csv", [rows[0], *kept])
    if keep_truth:
        truth = _rows(source / "truth.csv")
        _write(tmp_path / "truth.csv", [truth[0], *(row for row in truth[1:] if row[0] in names)])
    return tmp_path


def _right(folder: Path, stdout: str) -> tuple[int, int]:
    truth = dict(row for row in _rows(folder / "truth.csv")[1:])
    lines = [json.loads(line) for line in stdout.splitlines()]
    return sum(line["segment"] == truth[line["throw"]] for line in lines), len(lines)


@pytest.mark.darts
@needs_photographs
class TestPhotographs:
    def test_single_darts_are_all_right(self) -> None:
        """43 real darts, three cameras: each in its bed, one JSON object per throw in the order of the table."""
        done = _detect(str(DARTS / "single"), "--json")
        assert done.returncode == 0, done.stderr
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert _right(DARTS / "single", done.stdout) == (43, 43)
        assert [line["throw"] for line in lines] == list(
            dict.fromkeys(row[0] for row in _rows(DARTS / "single" / "throws.csv")[1:])
        )
        assert all(set(line) == KEYS and 0 <= line["confidence"] <= 1 for line in lines)
        assert all(line["second"] != line["segment"] and line["wire_mm"] >= 0 for line in lines)
        assert all(line["beds"][0] == [line["segment"], line["confidence"]] for line in lines)
        assert all(parse_bed(line["second"]) for line in lines)
        assert "43/43 = 100.0%" in done.stderr
        assert re.search(r"MISS +unmeasured", done.stderr)

    def test_a_visit_under_drift_is_right(self, tmp_path: Path) -> None:
        """Twelve darts in visits whose pictures are nudged and lit differently, earlier darts in the way."""
        folder = _part(tmp_path, "visits_drift", 12)
        done = _detect(str(folder), "--json")
        assert _right(folder, done.stdout) == (12, 12), done.stdout

    def test_one_camera_is_right_or_in_doubt(self, tmp_path: Path) -> None:
        """With camera 0 alone most darts are right, and no wrong one is sure."""
        folder = _part(tmp_path, "visits", 21)
        done = _detect(str(folder), "--cameras", "0", "--json")
        truth = dict(_rows(folder / "truth.csv")[1:])
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        wrong = [line for line in lines if line["segment"] != truth[line["throw"]]]
        assert len(wrong) <= 0.2 * len(lines)
        assert all(line["confidence"] < 0.9 for line in wrong)

    def test_without_truth_nothing_is_claimed(self, tmp_path: Path) -> None:
        """A set without truth.csv is detected all the same, and its accuracy is said to be unmeasured."""
        done = _detect(str(_part(tmp_path, "pairs", 2, keep_truth=False)), "--cameras", "2")
        assert done.returncode == 0
        assert "unmeasured: the set has no truth.csv" in done.stderr
        assert len(done.stdout.splitlines()) == 2

    def test_nothing_new_is_a_miss_with_null(self, tmp_path: Path) -> None:
        """Before and after the same: MISS, no millimetres, no confidence."""
        folder = _part(tmp_path, "pairs", 1)
        rows = _rows(folder / "throws.csv")
        _write(folder / "throws.csv", [rows[0], *([t, c, b, b] for t, c, b, _ in rows[1:])])
        line = json.loads(_detect(str(folder), "--cameras", "0,1", "--json").stdout)
        assert (line["segment"], line["x_mm"], line["y_mm"], line["wire_mm"]) == ("MISS", None, None, None)

    @pytest.mark.parametrize(
        ("table", "old", "new", "words"),
        [
            ("rig.csv", "591.9", "29", "inside the double 20"),
            ("rig.csv", "591.9", "left", "d20_x must be a number"),
            ("rig.csv", "empty_cam0", "nothing", "there is no picture"),
            ("throws.csv", "BS10,2", "BS10,7", "camera 7"),
            ("throws.csv", "cam0_after.jpg", "cam0_gone.jpg", "there is no picture"),
            ("truth.csv", "F10", "Q10", "not a throw with a bed"),
        ],
    )
    def test_a_bad_set_is_told_by_name(
        self, tmp_path: Path, table: str, old: str, new: str, words: str
    ) -> None:
        """Each fault of a set ends with status 1 and a sentence that names file and fault, not a traceback."""
        path = _part(tmp_path, "pairs", 1) / table
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        done = _detect(str(tmp_path), "--cameras", "0")
        assert done.returncode == 1
        assert words in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("files", "arguments", "words"),
    [
        ({}, (), "has no rig.csv"),
        ({"rig.csv": "camera,empty,d20_x,d20_y\n"}, (), "no rows"),
        ({"rig.csv": "camera,empty\n0,a.png\n"}, (), "lacks one of"),
        ({"rig.csv": b"\xff\xfe\x00"}, (), "rig.csv"),
    ],
)
def test_a_folder_that_is_no_set_is_refused(
    tmp_path: Path, files: dict[str, str | bytes], arguments: tuple[str, ...], words: str
) -> None:
    """Missing, empty, short and garbled tables are told by name."""
    for name, text in files.items():
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    done = _detect(str(tmp_path), *arguments)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@needs_photographs
def test_an_unknown_camera_is_refused() -> None:
    """--cameras with a camera that the set has not, or with letters, says what there is."""
    assert "Its cameras are 0, 1, 2" in _detect(str(DARTS / "pairs"), "--cameras", "7").stderr
    assert "Write it like --cameras 0,2" in _detect(str(DARTS / "pairs"), "--cameras", "a").stderr
