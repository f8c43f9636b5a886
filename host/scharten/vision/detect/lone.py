"""A dart that one camera sees alone: its line by all that is new, its line by what is more than a shadow, or neither.

A shadow begins where the point is, and may run on in the dart's line. What is only a little darker is therefore left
out for a second line. Where both end in one bed, and what is seen is as long and stands as straight as a dart, the
dart may be sure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scharten.vision.detect.shaft import Shaft, alike
from scharten.vision.detect.sighting import Sighting
from scharten.vision.model import Floats, transform

_SAME_END_MM = 4.0  # ends nearer than this are one
_POINT_MM = (
    25.0  # a point on a bright bed may look like a shadow: so much of one line may be missing in the other
)
_DART_MM, _LONG_MM = (
    150.0,
    165.0,
)  # most darts are shorter; nothing that is longer is one dart without a shadow
_LEAN = np.radians([6.0, 9.0])  # standard deviations of darts, sideways and up or down
_DROOP = np.array([0.0, math.tan(math.radians(6.0))])  # flights hang above the point
_MOST_LEAN, _FARTHEST_LEAN = 1.5, 2.0  # standard deviations
_LONGEST_MM = 230.0  # of a dart that leans along the line of sight, which looks longer
_STEP_MM, _FARTHEST_MM = 2.0, 260.0


@dataclass(frozen=True)
class Lone:
    """One camera's line, and where the far end of what is more than a shadow lies on it, px from `shaft.point`."""

    sighting: Sighting
    far_px: float


def choose(projection: Floats, everything: Lone, solid: Lone) -> tuple[bool, bool]:
    """Whether the second line is the likelier one, and whether both are one line with one end.

    `projection` is the camera's 3x4 matrix.
    """
    shaft, other = everything.sighting.shaft, solid.sighting.shaft
    off = (_end(shaft) - _end(other)) @ np.array(other.direction) / other.px_per_mm
    if not alike(shaft, other):
        return True, False
    if abs(off) < _SAME_END_MM:
        return False, True
    missing = 0 < off < _POINT_MM and _length(projection, everything)[0] < _DART_MM
    return not missing, False


def like_a_dart(projection: Floats, line: Lone) -> bool:
    """Whether the seen part is no longer than a dart, and stands in the board as darts do."""
    length, lean = _length(projection, line)
    return length < _LONG_MM and lean < _MOST_LEAN


def stands(projection: Floats, line: Lone) -> bool:
    """Whether a line of unknown length may be a dart that stands in the board."""
    length, lean = _length(projection, line)
    return length < _LONGEST_MM and lean < _FARTHEST_LEAN


def _end(shaft: Shaft) -> Floats:
    """The pixel where the visible part of a line ends."""
    return np.asarray(np.array(shaft.point) + shaft.tip_px * np.array(shaft.direction))


def _length(projection: Floats, line: Lone) -> tuple[float, float]:
    """The length of a dart out of the board (mm) that ends where the line begins, and by how much it leans (sigmas)."""
    shaft = line.sighting.shaft
    at = transform(np.linalg.inv(line.sighting.homography), _end(shaft)[None])[0]
    out = -np.array(shaft.direction)
    seen = projection @ np.array([*at, 0.0, 1.0])
    slopes = (projection[:2, :3] - np.outer(seen[:2] / seen[2], projection[2, :3])) / seen[2]
    across = np.array([-out[1], out[0]]) @ slopes  # of the line, per mm to the right, up and out of the board
    spread = np.tan(_LEAN)
    off = float(across[2] + across[:2] @ _DROOP)
    variance = max(float(((across[:2] * spread) ** 2).sum()), 1e-12)
    axis = _DROOP - across[:2] * spread**2 * off / variance  # the likeliest on this line
    heights = np.arange(0.0, _FARTHEST_MM, _STEP_MM)
    space = np.column_stack([at + heights[:, None] * axis, heights, np.ones(len(heights))]) @ projection.T
    along = np.maximum.accumulate((space[:, :2] / space[:, 2:] - _end(shaft)) @ out)
    reached = int(np.searchsorted(along, shaft.tip_px - line.far_px))
    return float(heights[min(reached, len(heights) - 1)]), abs(off) / math.sqrt(variance)
