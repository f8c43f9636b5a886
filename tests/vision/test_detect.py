"""`scharten detect` on rendered sets and photographs: the right beds, and errors that name the fault."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scharten.dartboard.beds import parse_bed
from scharten.sensors.photo_sets import reliability
from vision.photographs import DARTS, SOURCES, Sets, read_rows, sets_of, write_rows

KEYS = {"throw", "segment", "x_mm", "y_mm", "confidence", "second", "beds", "wire_mm"}
_MAIN = "import sys; from scharten.cli import main; sys.argv[0] = 'scharten'; main()"


def _detect(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", _MAIN, "detect", *arguments], capture_output=True, text=True)


def _part(tmp_path: Path, source: Path, throws: int, keep_truth: bool = True) -> Path:
    """Write a set of the first throws of another one, with absolute paths of pictures."""
    rig = [(eye, source / picture, x, y) for eye, picture, x, y in read_rows(source / "rig.csv")]
    rows = read_rows(source / "throws.csv")
    names = list(dict.fromkeys(row[0] for row in rows))[:throws]
    kept = [(name, eye, source / b, source / a) for name, eye, b, a in rows if name in names]
    write_rows(tmp_path / "rig.csv", ("camera", "empty", "d20_x", "d20_y"), rig)
    write_rows(tmp_path / "throws.csv", ("throw", "camera", "before", "after"), kept)
    if keep_truth:
        truth = [row for row in read_rows(source / "truth.csv") if row[0] in names]
        write_rows(tmp_path / "truth.csv", ("throw", "segment"), truth)
    return tmp_path


def _right(folder: Path, stdout: str) -> tuple[int, int]:
    """Return the number of lines with the true bed, and the number of lines."""
    truth = dict(read_rows(folder / "truth.csv"))
    lines = [json.loads(line) for line in stdout.splitlines()]
    return sum(line["segment"] == truth[line["throw"]] for line in lines), len(lines)


@pytest.fixture(params=SOURCES)
def sets(request: pytest.FixtureRequest) -> Sets:
    """Rendered sets, and the shared photographs where they exist."""
    return sets_of(request.param)


@pytest.mark.long
def test_single_darts_are_all_right(sets: Sets) -> None:
    """Three cameras find each dart's bed. The command prints one JSON object per throw, in the table's order."""
    done = _detect(str(sets.single), "--json")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    names = list(dict.fromkeys(row[0] for row in read_rows(sets.single / "throws.csv")))
    assert [line["throw"] for line in lines] == names
    assert _right(sets.single, done.stdout) == (len(names), len(names))
    assert all(set(line) == KEYS and 0 <= line["confidence"] <= 1 for line in lines)
    assert all(line["second"] != line["segment"] and line["wire_mm"] >= 0 for line in lines)
    assert all(line["beds"][0] == [line["segment"], line["confidence"]] for line in lines)
    assert all(parse_bed(line["second"]) for line in lines)
    assert f"{len(names)}/{len(names)} = 100.0%" in done.stderr
    assert re.search(r"MISS +unmeasured", done.stderr)


@pytest.mark.long
def test_a_visit_under_drift_is_right(sets: Sets, tmp_path: Path) -> None:
    """Darts of a visit are right although pictures are nudged and lit differently, and earlier darts hide parts."""
    folder = _part(tmp_path, sets.visits, 12)
    done = _detect(str(folder), "--json")
    right, count = _right(folder, done.stdout)
    assert right == count >= 6, done.stdout


@pytest.mark.long
@pytest.mark.darts
@pytest.mark.parametrize("rig", ["thrown_b2", "thrown_b3", "thrown_d1"])
def test_darts_of_other_peoples_rigs_are_all_right(rig: str) -> None:
    """Pictures of 640x360, cameras at 20 degrees, white clipped: three cameras find each dart's bed, and are sure."""
    folder = DARTS / "foreign" / rig
    done = _detect(str(folder), "--json")
    right, count = _right(folder, done.stdout)
    assert right == count == len(list(read_rows(folder / "truth.csv"))), done.stdout
    assert all(json.loads(line)["confidence"] >= 0.9 for line in done.stdout.splitlines())


@pytest.mark.long
@pytest.mark.darts
def test_one_camera_is_right_or_in_doubt_on_photographs(tmp_path: Path) -> None:
    """With camera 0 alone at least 80 % of the darts are right, and no wrong one is sure."""
    folder = _part(tmp_path, DARTS / "visits", 21)
    done = _detect(str(folder), "--cameras", "0", "--json")
    truth = dict(read_rows(folder / "truth.csv"))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [line for line in lines if line["segment"] != truth[line["throw"]]]
    assert len(wrong) <= 0.2 * len(lines)
    assert all(line["confidence"] < 0.9 for line in wrong)


@pytest.mark.long
def test_one_camera_is_right_or_in_doubt_on_rendered_darts() -> None:
    """With camera 0 alone at least 80 % of single darts are right, and no wrong one is sure."""
    folder = sets_of("rendered").single
    done = _detect(str(folder), "--cameras", "0", "--json")
    truth = dict(read_rows(folder / "truth.csv"))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [line for line in lines if line["segment"] != truth[line["throw"]]]
    assert len(lines) == len(truth) and len(wrong) <= 0.2 * len(lines)
    assert all(line["confidence"] < 0.9 for line in wrong)


@pytest.mark.long
def test_a_set_without_truth_has_an_unmeasured_accuracy(tmp_path: Path) -> None:
    """Without truth.csv the command detects the darts and reports the accuracy as unmeasured."""
    folder = _part(tmp_path, sets_of("rendered").other, 2, keep_truth=False)
    done = _detect(str(folder), "--cameras", "2")
    assert done.returncode == 0
    assert "unmeasured: the set has no truth.csv" in done.stderr
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.long
def test_equal_pictures_are_a_miss_without_a_place(sets: Sets, tmp_path: Path) -> None:
    """Equal pictures before and after give MISS, with null for millimetres and wire distance."""
    folder = _part(tmp_path, sets.other, 1)
    rows = [(name, eye, before, before) for name, eye, before, _ in read_rows(folder / "throws.csv")]
    write_rows(folder / "throws.csv", ("throw", "camera", "before", "after"), rows)
    line = json.loads(_detect(str(folder), "--cameras", "0,1", "--json").stdout)
    assert (line["segment"], line["x_mm"], line["y_mm"], line["wire_mm"]) == ("MISS", None, None, None)


@pytest.mark.long
@pytest.mark.parametrize(
    ("table", "cell", "new", "words"),
    [
        ("rig.csv", (0, 2), "29", "inside the double 20"),
        ("rig.csv", (0, 2), "left", "d20_x cannot be used: 'left' is not a number"),
        ("rig.csv", (0, 1), "nothing.png", "There is no picture"),
        ("throws.csv", (2, 1), "7", "camera 7"),
        ("throws.csv", (0, 3), "gone.png", "There is no picture"),
        ("truth.csv", (0, 1), "Q10", "not a throw with a bed"),
    ],
)
def test_a_bad_set_is_reported_by_name(
    tmp_path: Path, table: str, cell: tuple[int, int], new: str, words: str
) -> None:
    """Each fault of a set ends with status 1 and a message that names file and fault, without a traceback."""
    path = _part(tmp_path, sets_of("rendered").other, 1) / table
    with path.open(newline="") as file:
        head, *rows = csv.reader(file)
    rows[cell[0]][cell[1]] = new
    write_rows(path, head, rows)
    done = _detect(str(tmp_path), "--cameras", "0")
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("files", "arguments", "words"),
    [
        ({}, (), "rig.csv is missing"),
        ({"rig.csv": "camera,empty,d20_x,d20_y\n"}, (), "needs rows with"),
        ({"rig.csv": "camera,empty\n0,a.png\n"}, (), "needs"),
        ({"rig.csv": b"\xff\xfe\x00"}, (), "rig.csv"),
    ],
)
def test_a_folder_that_is_no_set_is_refused(
    tmp_path: Path, files: dict[str, str | bytes], arguments: tuple[str, ...], words: str
) -> None:
    """Missing, empty, incomplete and garbled tables are reported by name."""
    for name, text in files.items():
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    done = _detect(str(tmp_path), *arguments)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_an_unknown_camera_is_refused() -> None:
    """For an unknown camera --cameras lists the set's cameras; for letters it shows the syntax."""
    folder = str(sets_of("rendered").other)
    assert "Its cameras are 0, 1, 2" in _detect(folder, "--cameras", "7").stderr
    assert "Write it like --cameras 0,2" in _detect(folder, "--cameras", "a").stderr


def test_reliability_compares_confidence_with_results() -> None:
    """Darts of similar confidence share a line with their mean confidence and the share that is right."""
    judged = [(0.92, True), (0.94, False), (1.0, True), (0.995, True), (0.0, False)]
    assert reliability(judged) == [
        "  called   0.0%   right   0.0% = 0/1",
        "  called  93.0%   right  50.0% = 1/2",
        "  called  99.8%   right 100.0% = 2/2",
    ]
    assert reliability([]) == []
