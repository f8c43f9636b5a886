"""Places where a dart's point may be, beside the end of the part that one camera sees."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scharten.vision.detect.shaft import Shaft
from scharten.vision.model import Floats

_TIP_COVERED = 0.8  # how often an earlier dart at the visible end hides the point behind it
HIDDEN_MM = 10.0  # mean distance beyond the visible end of a point that looks like its bed


@dataclass(frozen=True)
class Ends:
    """Where the point may be beside the visible end of a dart; all in mm.

    On a bright bed the point's hole and shadow are seen too, on a dark one the point's last part is not.
    """

    dark_at: float  # how far beyond the visible end the point is on a dark bed, on average,
    dark: float  # and its standard deviation
    bright_at: float  # the same on a bright bed
    bright: float
    hidden: float  # how often something hides it, or it is too thin to be seen: then it lies farther on
    shadow: float  # how often a shadow runs on in the line of the dart,
    shadow_mm: float  # by so much, on average

    @property
    def widest(self) -> float:
        """The larger standard deviation."""
        return max(self.dark, self.bright)


ENDS = Ends(0.0, 1.96, 0.0, 1.96, 0.15, 0.1, 26.0)  # where lines meet, ends should not pull
# by photographs: of a lone line the end is all there is; and where an earlier dart is before it
LONE_ENDS = Ends(1.0, 1.2, -2.0, 0.75, 0.03, 0.01, 52.0)
LONE_COVERED = Ends(1.0, 1.55, -2.0, 1.4, 0.06, 0.06, 52.0)
_DARK_BED, _BRIGHT_BED = 0.18, 0.36  # of the board's range of light: what is between may be either
# of the board in one pixel: where it is more, points are too thin to be seen more often, by the fourth power
_THIN_MM = 0.77
_MOST_HIDDEN = 0.5


def bell(value: Floats, sigma: Floats) -> Floats:
    """The normal distribution's density."""
    return np.asarray(np.exp(-((value / sigma) ** 2) / 2) / (sigma * math.sqrt(math.tau)))


def by_end(shaft: Shaft, beyond: Floats, shine: Callable[[], Floats], ends: Ends) -> Floats:
    """How likely the point lies this many pixels (n,) beyond the visible end of the dart.

    `shine` gives how bright the empty board is at each place, 0 as its dark beds, 1 as its bright ones.
    """
    mm = shaft.px_per_mm
    px, hidden_px, shadow_px = ends.widest * mm, HIDDEN_MM * mm, ends.shadow_mm * mm
    near = _near(mm, beyond, shine, ends)
    dark = np.where(beyond > 0, np.exp(-np.maximum(beyond, 0) / hidden_px), 0.0) / hidden_px
    shadow = np.where(beyond < 0, np.exp(np.minimum(beyond, 0) / shadow_px), 0.0) / shadow_px
    hidden = min(ends.hidden * max(1 / (_THIN_MM * mm), 1.0) ** 4, _MOST_HIDDEN)
    shown = (1 - hidden - ends.shadow) * near + hidden * dark + ends.shadow * shadow + 1e-6
    if shaft.covered_px <= 0:
        return np.asarray(shown)
    length = shaft.covered_px + 4 * px
    behind = ((beyond > -2 * px) & (beyond < length - 2 * px)) / length
    return np.asarray((1 - _TIP_COVERED) * shown + _TIP_COVERED * behind)


def _near(mm: float, beyond: Floats, shine: Callable[[], Floats], ends: Ends) -> Floats:
    """How likely an unhidden point lies this many pixels beyond the visible end, by the light of its bed."""
    dark = bell(beyond - ends.dark_at * mm, np.asarray(ends.dark * mm))
    if ends.dark == ends.bright:
        return dark
    share = np.clip((shine() - _DARK_BED) / (_BRIGHT_BED - _DARK_BED), 0, 1)
    bright = bell(beyond - ends.bright_at * mm, np.asarray(ends.bright * mm))
    return np.asarray((1 - share) * dark + share * bright)


def loose(beyond: float, px_per_mm: float) -> float:
    """How loosely the visible end holds the place, by how far it already is from there."""
    if abs(beyond) < 2 * ENDS.widest * px_per_mm:
        return 2 * ENDS.widest * px_per_mm
    return (HIDDEN_MM if beyond > 0 else ENDS.shadow_mm) * px_per_mm + abs(beyond)
