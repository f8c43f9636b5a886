"""Camera reports that come late, twice, or after the cameras were lost never become a second dart."""

from __future__ import annotations

import pytest

from scharten.dartboard.beds import SURE
from scharten.match.dart import Dart
from scharten.match.inputs import Reading, SensorState
from sensors.combined_bench import Bench


@pytest.fixture
def bench() -> Bench:
    """A board and cameras on a bench."""
    return Bench()


def _darts(bench: Bench) -> list[Reading]:
    """Return the readings that are darts of their own, not revisions."""
    return [item for item in bench.readings if isinstance(item.what, Dart) and not item.revises]


@pytest.mark.parametrize("share", [0.98, 0.6])
@pytest.mark.parametrize("late_ms", [7000, 16_000], ids=["7 s", "10 s after the decision"])
def test_a_late_report_belongs_to_the_counted_dart(bench: Bench, late_ms: int, share: float) -> None:
    """The cameras see motion for many seconds, then report the dart, sure or not: one dart counts."""
    bench.hit("T20")
    bench.track("moves")
    bench.wait(late_ms)
    bench.see(("T20", share), ("F20", 1 - share), ago=late_ms + 30)
    assert len(_darts(bench)) == 1


def test_a_late_report_of_another_bed_revises_the_same_dart(bench: Bench) -> None:
    """The report has the contact's time but another bed: it revises that dart and adds none."""
    bench.hit("T20")
    bench.track("moves")
    bench.wait(7000)
    bench.see(("F3", 0.98), ("T3", 0.02), ago=7030)
    assert len(_darts(bench)) == 1 and bench.readings[-1].revises


@pytest.mark.parametrize("beds", [(("D16", 0.97), ("F16", 0.03)), (("F16", 0.66), ("D16", 0.34))])
def test_cameras_lost_after_a_dart_report_it_when_they_return(
    bench: Bench, beds: tuple[tuple[str, float], ...]
) -> None:
    """They return after 1.5 s and date the dart by their return: it is still the board's dart, also at a wire."""
    bench.hit("D16")
    bench.now += 100
    bench.set_cameras_state(SensorState.LOST)
    bench.wait(1500)
    bench.set_cameras_state(SensorState.FOUND)
    bench.track("quiet")
    bench.wait(1000)
    bench.see(*beds, ago=300)
    assert len(_darts(bench)) == 1


@pytest.mark.parametrize("felt", [True, False])
def test_a_repeated_report_is_one_dart(bench: Bench, felt: bool) -> None:
    """Two reports 0.4 s apart at about the same place are one dart, whether the board felt it or not."""
    if felt:
        bench.hit("F7")
    bench.now += 320
    bench.see(("F7", 0.98), ("F19", 0.02), ago=350)
    bench.now += 400
    bench.see(("F7", 0.98), ("F19", 0.02), ago=400, at=(6.0, 4.0))
    assert len(_darts(bench)) == 1


@pytest.mark.parametrize("off", [-1990, 1990])
def test_a_camera_clock_two_seconds_off_adds_no_dart(bench: Bench, off: int) -> None:
    """With a clock two seconds early or late, each camera report still belongs to the board's dart."""
    for bed in ("T20", "F3"):
        bench.hit(bed)
        bench.track("moves")
        bench.wait(320)
        bench.see((bed, 0.98), ("F1", 0.02), ago=320 - off)
        bench.track("quiet")
        bench.wait(4000)
    assert len(_darts(bench)) == 2 and all(reading.what.confidence >= SURE for reading in _darts(bench))


def test_a_second_dart_in_the_same_bed_counts(bench: Bench) -> None:
    """A dart two seconds later and 20 mm away counts though no contact closed; so does a third with a contact."""
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


def test_a_report_long_after_the_decision_is_a_new_dart(bench: Bench) -> None:
    """The sensor remembers a decided throw for 12 s; the same bed 20 s later is another dart."""
    bench.hit("T20")
    bench.track("moves")
    bench.wait(20_000)
    bench.see(("T20", 0.98), ("F20", 0.02), ago=300)
    assert len(_darts(bench)) == 2
