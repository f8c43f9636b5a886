"""Tell a shadow from a dart by how the colours of new pixels changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scharten.vision.model import Floats

DARKNESS = 8.0
"""Grey levels to add to colours before they are compared: it makes little of noise in dark places."""
ONE_LAMP = 0.65
"""The share of the light that the shadow of one of several lamps leaves, at least."""
_DEEPEST = 0.4  # a shadow leaves at least this share of the light,
_COLOURLESS = 0.12  # and the shares of two colours differ by this at most
_ONLY_LIGHT = 0.8  # the share of what is new that only light explains; of a dart it explains a fifth at most
_SUNLIT = 1.6  # light that moves over the board makes places brighter or darker by this factor at most
_NOISE, _UNEVEN = 5.0, 0.06  # levels, and share of the light, that colours in a shadow may differ by


@dataclass(frozen=True)
class Change:
    """The colours of new pixels (n, 3), with `DARKNESS`: before, in the light of now, and now."""

    then: Floats
    now: Floats
    saturated: NDArray[np.bool_]  # which colours were too bright before to tell their light

    def only(self, some: NDArray[np.bool_]) -> Change:
        """Keep only some of the pixels."""
        return Change(self.then[some], self.now[some], self.saturated[some])


def is_shade(change: Change, deepest: float = _DEEPEST) -> NDArray[np.bool_]:
    """Whether pixels look as before in less light: darker, the colour nearly the same."""
    ratio = change.now / change.then
    darkest, brightest = ratio.min(axis=1), ratio.max(axis=1)
    return np.asarray((darkest > deepest) & (brightest < 1.0) & (brightest - darkest < _COLOURLESS))


def is_shadow(change: Change) -> NDArray[np.bool_]:
    """Whether one factor, within the noise, explains how all colours became darker, so that no dart is needed.

    A colour that was too bright to tell may have lost more of its light than it shows.
    """
    highest = ((change.now + _NOISE) / change.then * (1 + _UNEVEN)).min(axis=1)
    lowest = (change.now - _NOISE) / change.then * (1 - _UNEVEN)
    fits = np.where(change.saturated, 0.0, lowest).max(axis=1) <= highest
    return np.asarray(
        fits & (highest > ONE_LAMP) & (change.now.sum(axis=1) < change.then.sum(axis=1) + _NOISE)
    )


def is_only_light(change: Change) -> bool:
    """Whether nearly all pixels show the same colours in more or less light, as where a patch of sun moves."""
    ratio = change.now / change.then
    alike = np.ptp(ratio, axis=1) < _COLOURLESS * ratio.max(axis=1)
    factors = ratio[alike].mean(axis=1)
    within = (factors > 1 / _SUNLIT) & (factors < _SUNLIT)
    return bool(within.sum() >= _ONLY_LIGHT * len(ratio))
