"""A dart's line in one camera: how far places on the board lie from it, and whether the dart ends there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from scharten.vision.detect.ends import HIDDEN_MM
from scharten.vision.detect.shaft import Shaft
from scharten.vision.model import Floats, Points, transform

_LINE_FLOOR_MM = 0.4  # what a picture and the shape of darts leave open: no line is surer
_BEFORE_MM = 80.0  # farther before the visible end no point is
_ENDS_MM = 15.0  # what is seen of a dart ends this near to its point, where nothing hides it
_WHOLE_MM, _SHADOW_MM = 25.0, 70.0  # of a line as long as the first a shadow may run on by the second
_LONG_MM, _SHADED_MM = 45.0, 40.0  # no shadow hides more of a line as long as the first than the second
_LINE_SIGMAS = 4.0  # a place farther than this from a line is not on it

Shine = Callable[[Points], Floats]
"""Of straight pixels: how bright the empty board is there, 0 as its dark beds, 1 as its bright ones."""


@dataclass(frozen=True)
class Sighting:
    """A dart's line in one camera, with that camera's homography from board mm to straight pixels."""

    shaft: Shaft
    homography: Floats
    shine: Shine = field(default=lambda at: np.full(len(at), 0.5), repr=False, compare=False)


def residuals(sighting: Sighting, at: Points) -> tuple[Floats, Floats, Floats]:
    """For places on the board: distance across the line, its standard deviation, distance beyond the tip; px."""
    shaft = sighting.shaft
    off = transform(sighting.homography, at) - shaft.point
    direction = np.array(shaft.direction)
    along = off @ direction
    across = off @ np.array([-direction[1], direction[0]])
    sigma = line_spread(shaft, along)
    beyond = along - shaft.tip_px
    return across, sigma, beyond


def line_spread(shaft: Shaft, along: Floats) -> Floats:
    """The standard deviation of a line, this many pixels along it."""
    floor = (_LINE_FLOOR_MM * shaft.px_per_mm) ** 2
    return np.asarray(np.sqrt(floor + shaft.offset_px**2 + (shaft.angle_rad * along) ** 2))


def agrees(sighting: Sighting, at: Floats) -> bool:
    """Whether the place lies on the line, and not far short of where the dart's visible part ends."""
    across, sigma, beyond = residuals(sighting, at[None])
    shaft = sighting.shaft
    ahead = 4 * HIDDEN_MM * shaft.px_per_mm + shaft.covered_px
    return bool(
        abs(across[0]) < _LINE_SIGMAS * sigma[0] and -_BEFORE_MM * shaft.px_per_mm < beyond[0] < ahead
    )


def ends_at(sighting: Sighting, at: tuple[float, float]) -> bool:
    """Whether a line leads to a place on the board (mm), and what is seen of the dart ends there.

    Of a whole shaft a shadow may run on; what is hidden by another dart may end before the place.
    """
    place = np.array([at])
    if not agrees(sighting, place[0]):
        return False
    shaft, px = sighting.shaft, _px_per_mm(sighting, place)
    beyond = float(residuals(sighting, place)[2][0])
    runs_on = _SHADOW_MM if shaft.rows > _WHOLE_MM * px else _ENDS_MM
    return -runs_on * px < beyond < _ENDS_MM * px + shaft.covered_px


def shaft_at(sighting: Sighting, at: tuple[float, float]) -> bool:
    """Whether a line shows a shaft that stands at a place on the board (mm), where nothing was before it."""
    least = _WHOLE_MM * _px_per_mm(sighting, np.array([at]))
    return long_shaft_at(sighting, at) or (sighting.shaft.rows > least and ends_at(sighting, at))


def long_shaft_at(sighting: Sighting, at: tuple[float, float]) -> bool:
    """The same of a long one: its shadow may run on, or take its last part for its own."""
    place = np.array([at])
    across, sigma, beyond = (float(v[0]) for v in residuals(sighting, place))
    px = _px_per_mm(sighting, place)
    ends = abs(across) < _LINE_SIGMAS * sigma and -_BEFORE_MM * px < beyond < _SHADED_MM * px
    return ends and sighting.shaft.rows > _LONG_MM * px


def _px_per_mm(sighting: Sighting, place: Points) -> float:
    """How many pixels a millimetre of the board has at one place (1, 2) of it, at most."""
    seen = transform(sighting.homography, place + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    return float(np.hypot(*(seen[1:] - seen[0]).T).max())
