"""Throws saved with their pictures: their game, the truth that a person gave, and the limit of the folder."""

import json
from dataclasses import replace

import pytest

from lab.daemon_process import wait_for
from scharten.match.events import Event, Happened, HitReport
from scharten.match.inputs import Reading
from scharten.sensors.camera import _dated, as_input
from scharten.sensors.camera_process import result_of
from scharten.sensors.kept_throws import KeptThrows, Truths, packages
from scharten.sensors.rig_files import find_rig
from scharten.sensors.shown_throws import ShownThrows
from scharten.sensors.throw_files import package_name
from scharten.vision.follow.throw_states import Happening, HappeningKind
from sensors.films import make_stage, write_film


def report(at_ms: int, why: str = "", source: str = "camera") -> HitReport:
    return HitReport(at_ms, source, None, (), (), not why, why, 1.0, match="m1")


def handle_all(truths: Truths, *events: Event) -> None:
    for event in events:
        truths.on_event(event)


@pytest.mark.parametrize(
    ("events", "truth"),
    [
        ((report(1000), Happened("placed", {"bed": "F20"})), "no truth"),
        ((report(1000, "in_doubt"), Happened("placed", {"bed": "T20"})), "T20"),
        (
            (report(1000, "in_doubt"), Happened("dismissed"), Happened("placed", {"bed": "T20"})),
            "no truth",
        ),
        ((report(1000), Happened("corrected", {"was": "T20", "bed": "D5"})), "D5"),
        ((report(1000), Happened("deleted", {"bed": "D5"})), None),
        ((report(1000), report(2000, "still_settling"), Happened("corrected", {"bed": "D5"})), "D5"),
        ((report(1000), report(2000, source="board"), Happened("corrected", {"bed": "D5"})), "no truth"),
    ],
)
def test_a_persons_answer_becomes_the_truth(tmp_path, events, truth):
    """A correction, a deletion and an answer to a question give their throw its truth. An ordinary dart gets none."""
    package = tmp_path / package_name(1000)
    package.mkdir()
    handle_all(Truths(tmp_path), *events)
    kept = package / "truth.json"
    assert (json.loads(kept.read_text())["segment"] if kept.exists() else "no truth") == truth


def test_a_correction_before_the_pictures_is_saved_with_them(tmp_path):
    """Game and correction may arrive before the disk has the pictures. They are written once the package exists."""
    truths, package = Truths(tmp_path), tmp_path / package_name(1000)
    handle_all(
        truths, report(1000), Happened("corrected", {"bed": "D5"}), Happened("corrected", {"bed": "T5"})
    )
    package.mkdir()
    wait_for(lambda: (package / "truth.json").exists() and (package / "game.json").exists(), 40, "both files")
    assert json.loads((package / "truth.json").read_text()) == {"segment": "T5"}
    assert json.loads((package / "game.json").read_text()) == {"match": "m1"}
    assert sorted(path.name for path in package.iterdir()) == ["game.json", "truth.json"]


def test_pictures_are_found_after_the_host_s_clock_was_set(tmp_path):
    """The cameras' process dates pictures by its own clock. The reading carries that time beside the host's."""
    happened = json.loads(json.dumps(result_of(Happening(HappeningKind.BOUNCED, 5000))))
    given = as_input(_dated(happened | {"said_ms": 5400}, 9_000_400), 9_000_400)
    assert isinstance(given, Reading)
    assert (given.at_ms, given.what.seen_ms) == (9_000_000, 5000)
    package = tmp_path / package_name(5000)
    package.mkdir()
    handle_all(Truths(tmp_path), replace(report(given.at_ms), seen_ms=given.what.seen_ms))
    assert (package / "game.json").exists()


def test_all_throws_of_an_earlier_game_are_listed(tmp_path):
    """The newest 60 throws of the game are listed with cameras and numbers, however many throws followed."""
    for number in range(400):
        package = tmp_path / package_name(1000 * number)
        package.mkdir()
        result = {"at_ms": 1000 * number, "news": "dart", "beds": [["F20", 1.0]], "numbers": [2]}
        (package / "result.json").write_text(json.dumps(result))
        (package / "game.json").write_text(json.dumps({"match": "m1" if number < 70 else "m2"}))
        (package / "view0.jpg").write_bytes(b"")
    listed = ShownThrows(tmp_path).list("m1")
    assert [throw["at_ms"] for throw in listed] == [1000 * number for number in range(69, 9, -1)]
    assert (listed[0]["cameras"], listed[0]["numbers"]) == (1, (2,))


@pytest.mark.long
def test_the_oldest_packages_are_deleted_above_the_limit(tmp_path):
    """The folder stays below its limit in bytes, and always holds the newest package."""
    stage, empties = make_stage(1)
    rig = find_rig(str(write_film(tmp_path / "film", stage, empties, ()).rig), tmp_path)
    probe = KeptThrows(tmp_path / "one", 10**9)
    probe.keep(rig, {"at_ms": 1000}, {"before": rig.empties, "after": rig.empties})
    size = sum(f.stat().st_size for f in (tmp_path / "one").rglob("*") if f.is_file())
    kept = KeptThrows(tmp_path / "many", int(2.5 * size))
    for n in range(5):
        kept.keep(rig, {"at_ms": 1000 * n}, {"before": rig.empties, "after": rig.empties})
    names = [folder.name for folder in packages(tmp_path / "many")]
    assert len(names) == 2 and names[-1].endswith("000004-000")
