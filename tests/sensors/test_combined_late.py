"""Reports of the cameras that come late, twice, or from cameras that were lost meanwhile: never a second dart."""

from __future__ import annotations

import pytest

from scharten.dartboard.beds import SURE
from scharten.match.dart import Dart
from scharten.match.inputs import Reading, SensorState
from sensors.combined_bench import Bench


@pytest.fixture
def bench() -> Bench:
    """A board and cameras."""
    return Bench()


def _darts(bench: Bench) -> list[Reading]:
    """Readings that are darts of their own."""
    return [item for item in bench.readings if isinstance(item.what, Dart) and not item.revises]


@pytest.mark.parametrize("share", [0.98, 0.6])
def test_a_report_after_seconds_is_of_the_dart_that_the_board_counted(bench: Bench, share: float) -> None:
    """The cameras see something move for seven seconds, then report the dart, sure or not: one dart counts."""
    bench.hit("T20")
    bench.track("moves")
    bench.wait(7000)
    bench.see(("T20", share), ("F20", 1 - share), ago=7030)
    assert len(_darts(bench)) == 1


def test_a_late_report_of_another_bed_asks_about_the_same_dart(bench: Bench) -> None:
    """Dated as the contact's dart but elsewhere: the dart is revised, none is added."""
    bench.hit("T20")
    bench.track("moves")
    bench.wait(7000)
    bench.see(("F3", 0.98), ("T3", 0.02), ago=7030)
    assert len(_darts(bench)) == 1 and bench.readings[-1].revises


def test_cameras_that_were_lost_after_a_dart_report_it_once_they_are_back(bench: Bench) -> None:
    """They come back after 1.5 s and date the dart by their return: it is the board's."""
    bench.hit("D16")
    bench.now += 100
    bench.cameras_are(SensorState.LOST)
    bench.wait(1500)
    bench.cameras_are(SensorState.FOUND)
    bench.track("quiet")
    bench.wait(1000)
    bench.see(("D16", 0.97), ("F16", 0.03), ago=300)
    assert len(_darts(bench)) == 1


@pytest.mark.parametrize("felt", [True, False])
def test_a_report_that_comes_twice_is_one_dart(bench: Bench, felt: bool) -> None:
    """The same millimetres within 0.4 s are the same dart, whether the board felt it or not."""
    if felt:
        bench.hit("F7")
    bench.now += 320
    bench.see(("F7", 0.98), ("F19", 0.02), ago=350)
    bench.now += 400
    bench.see(("F7", 0.98), ("F19", 0.02), ago=400, at=(6.0, 4.0))
    assert len(_darts(bench)) == 1


@pytest.mark.parametrize("off", [-1990, 1990])
def test_a_dart_dated_by_another_clock_is_the_dart_that_the_board_counted(bench: Bench, off: int) -> None:
    """The cameras' clock is two seconds off, either way: the report is of the board's dart, and so is the next."""
    for bed in ("T20", "F3"):
        bench.hit(bed)
        bench.track("moves")
        bench.wait(320)
        bench.see((bed, 0.98), ("F1", 0.02), ago=320 - off)
        bench.track("quiet")
        bench.wait(4000)
    assert len(_darts(bench)) == 2 and all(reading.what.confidence >= SURE for reading in _darts(bench))


def test_a_second_dart_in_the_same_bed_counts(bench: Bench) -> None:
    """Two seconds later and two centimetres beside, felt by no contact: a dart of its own; a third that is felt too."""
    bench.hit("F7")
    bench.now += 320
    bench.see(("F7", 0.98), ("F19", 0.02), ago=350)
    bench.now += 2000
    bench.see(("F7", 0.98), ("F19", 0.02), ago=350, at=(25.0, 5.0))
    assert len(_darts(bench)) == 2
    bench.now += 2000
    bench.hit("F7")
    bench.now += 320
    bench.see(("F7", 0.98), ("F19", 0.02), ago=350, at=(5.0, 25.0))
    assert len(_darts(bench)) == 3


def test_after_twelve_seconds_the_same_bed_is_a_new_dart(bench: Bench) -> None:
    """A throw that was decided is not known for ever."""
    bench.hit("T20")
    bench.track("moves")
    bench.wait(20_000)
    bench.see(("T20", 0.98), ("F20", 0.02), ago=300)
    assert len(_darts(bench)) == 2
