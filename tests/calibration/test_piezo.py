"""The knock threshold: a value between leans and misses, or a reason for its absence."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from scharten_calibration.piezo import (
    LEAST_RATIO,
    LISTEN_AT,
    NoThreshold,
    Part,
    PiezoWizard,
    Threshold,
    knocked,
    leaned,
    picture,
    threshold,
)

PEAKS = st.integers(LISTEN_AT, 1023)


def test_five_misses_and_three_leans() -> None:
    """Each knock is a miss until five are received. Then each lean takes its hardest knock."""
    wizard = PiezoWizard()
    for peak in (300, 310, 280, 400, 350):
        assert wizard.part is Part.MISS
        assert leaned(wizard) == wizard
        wizard = knocked(wizard, peak)
    for peaks in ((20, 50, 30), (), (40,)):
        assert wizard.part is Part.LEAN
        for peak in peaks:
            wizard = knocked(wizard, peak)
        wizard = leaned(wizard)
    assert wizard.part is Part.DONE
    assert (wizard.misses, wizard.leans) == ((300, 310, 280, 400, 350), (50, 0, 40))
    assert knocked(wizard, 900) == leaned(wizard) == wizard
    assert threshold(wizard.misses, wizard.leans) == Threshold(118)


@given(st.lists(PEAKS, min_size=5, max_size=5), st.lists(st.integers(0, 1023), min_size=3, max_size=3))
def test_a_threshold_lies_between_or_is_refused(misses: list[int], leans: list[int]) -> None:
    """Every miss reaches the threshold and every lean stays below it. Values too close together are refused."""
    found = threshold(misses, leans)
    if isinstance(found, NoThreshold):
        assert min(misses) < max([LISTEN_AT, *leans]) * LEAST_RATIO
        assert (found.soft, found.hard) == (min(misses), max([LISTEN_AT, *leans]))
    else:
        assert max(leans) < found.value <= min(misses)


@given(st.lists(PEAKS, min_size=5, max_size=5), st.lists(st.integers(0, 1023), min_size=3, max_size=3))
def test_the_picture_shows_every_knock(misses: list[int], leans: list[int]) -> None:
    """The drawing is valid SVG with a dot for each knock: misses right of the threshold line, leans left."""
    found = threshold(misses, leans)
    drawn = ET.fromstring(picture(misses, leans, found))
    space = "{http://www.w3.org/2000/svg}"
    dots = drawn.findall(f"{space}circle")
    assert len(dots) == 8
    lines = [line for line in drawn.findall(f"{space}line") if line.get("stroke-dasharray")]
    assert len(lines) == isinstance(found, Threshold)
    if lines:
        at = float(lines[0].get("x1", "nan"))
        assert all(float(dot.get("cx", "nan")) >= at - 0.1 for dot in dots[:5])
        assert all(float(dot.get("cx", "nan")) < at for dot in dots[5:])
