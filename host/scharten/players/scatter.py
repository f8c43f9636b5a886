"""Estimate how a person's darts scatter: one standard deviation in mm, with its interval.

Darts land normally distributed around their aim (Tibshirani, Price, Taylor 2011). With millimetres and a known aim, the
likelihood has a closed form in the number of darts and the sum of squares. Nobody knows the aims of play: they are a
mixture of the manners in `aiming` and the thrower's `favourites`, learned for each thrower and each deviation. Such a
mixture is only a model, so it counts for less than it claims (`TRUST`), which widens the interval. The prior is a
beginner's 30 mm.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from scharten.dartboard.beds import Bed, readings
from scharten.play.scatter import Hand, Scatter
from scharten.play.throwing import Floats
from scharten.players.aiming import INDEX, SIGMAS, Chances, bed_odds, likelihoods
from scharten.players.favourites import LEAST, Place, log_likelihood

PRIOR_MM: Final = 30.0
PRIOR_SPREAD: Final = 0.6
"""Of the logarithm: nine of ten throwers lie between 11 and 80 mm."""
FINER: Final = 48
"""Parts of each step between two deviations, for the final estimate."""
CHANCE: Final = 0.90
TRUST: Final = 0.4
"""Share of the likelihood that counts where the aims are not known: set by simulated throwers of no modelled manner."""
UNMODELLED: Final = 0.16
"""Deviation of the error, in the logarithm, from aims that no manner describes: more darts do not reduce it."""
TOO_SMALL: Final = 0.1
"""Mean of this error: a mixture of aims always explains a part of the scatter."""
MOST_DARTS: Final = 400
"""The newest darts with unknown aims that count: more change little but the time it takes."""
MOST_TILT: Final = 0.95
HAND_DARTS: Final = 50
"""Fewer darts with a known aim and place tell too little of an offset and a tilt."""


class Estimate(NamedTuple):
    """A deviation in mm with its 90 % interval, from `darts` darts."""

    mm: float
    low: float
    high: float
    darts: int

    def as_json(self) -> dict[str, object]:
        """Return JSON, to a tenth of a millimetre."""
        return {key: round(value, 1) for key, value in self._asdict().items()}


@dataclass(frozen=True, slots=True)
class Observation:
    """A dart: the beds it may be in, its place in mm if known, its possible aims (empty: the bull)."""

    beds: tuple[Bed, ...]
    at: tuple[float, float] | None = None
    aims: tuple[Bed, ...] = ()


@dataclass(slots=True)
class Tally:
    """The darts of a thrower as likelihoods: of known aims by deviation, of unknown aims by manner and deviation.

    `places` is where the darts with unknown aims landed, and `aimed` is their number. Of darts with a known aim and
    millimetres `count` is the number, and `sums` are those of x, y, xx, yy and xy.
    """

    known: Floats = field(default_factory=lambda: np.zeros(len(SIGMAS)))
    unknown: list[Chances] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    darts: int = 0
    aimed: int = 0
    count: int = 0
    sums: Floats = field(default_factory=lambda: np.zeros(5))

    def add_all(self, seen: Iterable[Observation]) -> None:
        """Count darts; a dart without any known place is left out."""
        aimed: list[Observation] = []
        for observation in seen:
            if observation.at is None and not observation.beds:
                continue
            self.darts += 1
            if observation.aims:
                aimed.append(observation)
            elif observation.at is not None:
                self.count += 1
                x, y = observation.at
                self.sums += (x, y, x * x, y * y, x * y)
            else:
                self.known += np.log(bed_odds()[:, _indices(observation.beds)].sum(axis=1) + LEAST)
        self.aimed += len(aimed)
        self._add_aimed(aimed[-MOST_DARTS:])

    def _add_aimed(self, aimed: Sequence[Observation]) -> None:
        for start in range(0, len(aimed), 64):
            part = aimed[start : start + 64]
            places = [Place(tuple(_indices(dart.beds)), dart.at) for dart in part]
            targets = [_indices(dart.aims) for dart in part]
            self.unknown.append(
                likelihoods([place.at for place in places], [place.beds for place in places], targets)
            )
            self.places += places

    def add_tally(self, other: Tally) -> None:
        """Count the darts of another tally too."""
        self.known = self.known + other.known
        self.unknown = [*self.unknown, *other.unknown]
        self.places = [*self.places, *other.places]
        self.darts += other.darts
        self.aimed += other.aimed
        self.count += other.count
        self.sums = self.sums + other.sums

    def estimate(self) -> Estimate:
        """Return the deviation with its interval."""
        steps = np.linspace(0, len(SIGMAS) - 1, (len(SIGMAS) - 1) * FINER + 1)
        logs = np.interp(steps, np.arange(len(SIGMAS)), np.log(SIGMAS))
        closed = -2 * self.count * logs - (self.sums[2] + self.sums[3]) / (2 * np.exp(2 * logs))
        prior = -0.5 * ((logs - np.log(PRIOR_MM)) / PRIOR_SPREAD) ** 2
        fine = _cubic(self.known + TRUST * self._mixed(), steps) + closed + prior
        weights = self._with_error(np.exp(fine - fine.max()), logs)
        below = np.cumsum(weights) / weights.sum()
        low, middle, high = (
            float(np.exp(np.interp(share, below, logs)))
            for share in ((1 - CHANCE) / 2, 0.5, (1 + CHANCE) / 2)
        )
        return Estimate(middle, low, high, self.darts)

    def hand(self) -> Hand | None:
        """Return offset, deviations and correlation of the darts with a known aim; None with too few of them."""
        if self.count < HAND_DARTS:
            return None
        x, y, xx, yy, xy = (float(mean) for mean in self.sums / self.count)
        x_mm, y_mm = (max(square, 1.0) ** 0.5 for square in (xx - x * x, yy - y * y))
        tilt = (xy - x * y) / (x_mm * y_mm)
        return Hand(Scatter(x_mm, y_mm, max(-MOST_TILT, min(MOST_TILT, tilt))), x, y)

    def _with_error(self, weights: Floats, logs: Floats) -> Floats:
        """Shift and spread the weights by the error of unmodelled aims, as far as darts have unknown aims."""
        share = self.aimed / max(self.darts, 1)
        if not share:
            return weights
        off = (logs - logs.mean()) - share * TOO_SMALL
        kernel = np.exp(-0.5 * (off / (share * UNMODELLED)) ** 2)
        return np.asarray(np.convolve(weights, kernel / kernel.sum(), mode="same"))

    def _mixed(self) -> Floats:
        """Return the log-likelihood of darts with unknown aims, by deviation, with the shares that suit it best."""
        if not self.unknown:
            return np.zeros(len(SIGMAS))
        return log_likelihood(np.concatenate(self.unknown)[-MOST_DARTS:], self.places[-MOST_DARTS:])


def estimate(seen: Iterable[Observation]) -> Estimate:
    """Return the scatter of these darts."""
    tally = Tally()
    tally.add_all(seen)
    return tally.estimate()


def _indices(beds: Iterable[Bed]) -> list[int]:
    """Return the indices in `ALL_BEDS`; a shared single has two."""
    return [INDEX[reading] for bed in beds for reading in readings(bed)]


def _cubic(values: Floats, steps: Floats) -> Floats:
    """Interpolate between the deviations of the grid by Catmull-Rom, which keeps peaks."""
    at = np.minimum(steps.astype(int), len(values) - 2)
    t = steps - at
    padded = np.concatenate([[2 * values[0] - values[1]], values, [2 * values[-1] - values[-2]]])
    p0, p1, p2, p3 = (padded[at + shift] for shift in range(4))
    return np.asarray(
        p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)))
    )
