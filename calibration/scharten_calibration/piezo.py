"""Finding the knock threshold, as a state machine without a port: knocks and pauses in, the next request out.

Five darts beside the scoring beds show how hard a miss knocks; leaning on the board three times shows what must not
count. The threshold lies between the softest miss and the hardest lean, in equal proportion to both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from scharten_calibration.words import words as text

MISSES = 5
LEANS = 3
LEAST_RATIO = 1.5
"""The softest miss must be this many times harder than the hardest lean, or no threshold is safe."""
LISTEN_AT = 4
"""The threshold while listening: low enough to hear a hand, above the noise of the ADC."""


class Part(StrEnum):
    """The person's present action."""

    MISS = "miss"
    LEAN = "lean"
    DONE = "done"


@dataclass(frozen=True)
class PiezoWizard:
    """Peaks so far, in the ADC's units, 0 to 1023; a lean that was not felt at all is 0."""

    misses: tuple[int, ...] = ()
    leans: tuple[int, ...] = ()
    felt: int = 0
    """The hardest knock of the lean that is going on."""

    @property
    def part(self) -> Part:
        """The next step for the person."""
        if len(self.misses) < MISSES:
            return Part.MISS
        return Part.LEAN if len(self.leans) < LEANS else Part.DONE


@dataclass(frozen=True)
class Threshold:
    """The threshold found."""

    value: int


@dataclass(frozen=True)
class NoThreshold:
    """No threshold separates the softest miss from the hardest lean; both are peaks in the ADC's units."""

    soft: int
    hard: int


def knocked(wizard: PiezoWizard, peak: int) -> PiezoWizard:
    """The piezo felt something: a miss counts at once, in a lean the hardest knock counts when it is over."""
    if wizard.part is Part.MISS:
        return replace(wizard, misses=(*wizard.misses, peak))
    return replace(wizard, felt=max(wizard.felt, peak)) if wizard.part is Part.LEAN else wizard


def leaned(wizard: PiezoWizard) -> PiezoWizard:
    """The person reports that a lean is over."""
    if wizard.part is not Part.LEAN:
        return wizard
    return replace(wizard, leans=(*wizard.leans, wizard.felt), felt=0)


def threshold(misses: Sequence[int], leans: Sequence[int]) -> Threshold | NoThreshold:
    """The geometric mean of the softest miss and the hardest lean (at least `LISTEN_AT`), if they lie apart."""
    soft, hard = min(misses), max([LISTEN_AT, *leans])
    if soft < hard * LEAST_RATIO:
        return NoThreshold(soft, hard)
    return Threshold(round(math.sqrt(soft * hard)))


def picture(misses: Sequence[int], leans: Sequence[int], found: Threshold | NoThreshold) -> str:
    """Both kinds of knock on one scale with the threshold between, as SVG."""
    top = max(*misses, *leans, 1) * 1.15
    width, left = 560, 90

    def x(peak: float) -> float:
        return round(left + peak / top * width, 1)

    def dots(peaks: Sequence[int], y: int, colour: str) -> str:
        return "".join(
            f'<circle cx="{x(peak)}" cy="{y}" r="7" fill="{colour}"><title>{peak}</title></circle>'
            for peak in peaks
        )

    line = ""
    heading = (
        text("piezo.none", miss=found.soft, lean=found.hard)
        if isinstance(found, NoThreshold)
        else text("piezo.threshold", threshold=found.value)
    )
    if isinstance(found, Threshold):
        at = x(found.value)
        line = f'<line x1="{at}" y1="45" x2="{at}" y2="165" stroke="#b3261e" stroke-width="2" stroke-dasharray="6 4"/>'
    ticks = "".join(
        f'<text x="{x(step)}" y="195" text-anchor="middle">{step}</text>'
        for step in (round(top / 5 * n) for n in range(6))
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 215" font-family="sans-serif" font-size="14">'
        '<rect width="680" height="215" fill="#fff"/>'
        f'<text x="{left}" y="28" font-weight="bold">{heading}</text>'
        f'<text x="10" y="75">{text("piezo.misses")}</text><text x="10" y="135">{text("piezo.leaning")}</text>'
        f'<line x1="{left}" y1="170" x2="{left + width}" y2="170" stroke="#333"/>{ticks}'
        f"{dots(misses, 70, '#00639b')}{dots(leans, 130, '#7a5900')}{line}</svg>\n"
    )
