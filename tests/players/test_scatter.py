"""The estimated scatter: the published darts, synthetic throwers, and unknown aims."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from lab.scatter import WAYS, covered, published, thrower
from scharten.dartboard.beds import ALL_BEDS, BULL, Bed, BedKind
from scharten.dartboard.locate import centre_of
from scharten.play.scatter import Scatter
from scharten.play.throwing import throw_model
from scharten.players.scatter import INDEX, SIGMAS, Observation, Tally, bed_odds, estimate


def test_the_odds_are_those_of_the_throwing_model() -> None:
    """Two ways to the chance of a bed, rings and Fourier transform, agree for every aim."""
    number = 34
    sigma = float(SIGMAS[number])
    model = throw_model(Scatter(sigma, sigma))
    for bed in (Bed(BedKind.FAT, 6), Bed(BedKind.TREBLE, 11), Bed(BedKind.DOUBLE, 20), BULL):
        aim = np.array([0.0, 0.0]) if bed == BULL else np.array(centre_of(bed))
        nearest = ((model.aims - aim) ** 2).sum(axis=1).argmin()
        off = np.abs(model.odds[nearest] - bed_odds()[number, INDEX[bed]]).max()
        assert off < 0.025  # the model's aims are up to 3 mm beside
    assert bed_odds().sum(axis=2) == pytest.approx(1.0)


def test_the_published_darts_give_the_published_scatter() -> None:
    """A hundred scores at the bull: 28 mm within half a millimetre, and an interval about as wide as computed."""
    found = published()
    assert found.mm == pytest.approx(28.0, abs=0.6) and found.darts == 100
    assert 22.5 < found.low < 25 and 32 < found.high < 36.0


def test_nine_of_ten_intervals_hold_the_truth() -> None:
    """The short form of `make bench ARGS=scatter`: 40 throwers of each kind, within the noise of so few."""
    found = [covered(way, 40) for way in WAYS]
    assert 0.83 <= sum(share for share, _ in found) / len(found) <= 0.97
    assert all(off < 0.3 for _, off in found)


def test_the_closed_form_is_the_likelihood() -> None:
    """With millimetres and a known aim the answer is that of the normal distribution, and more darts narrow it."""
    seen = thrower(random.Random(1), 22.0, 4000, seen=True, warm_up=True)
    squares = sum(x * x + y * y for item in seen if item.at for x, y in [item.at])
    assert estimate(seen).mm == pytest.approx(math.sqrt(squares / 2 / 4000), rel=0.003)
    few, many = estimate(seen[:25]), estimate(seen[:100])
    assert (few.high - few.low) / 2 / few.mm == pytest.approx(1.645 * 0.1, rel=0.25)
    assert (many.high - many.low) / 2 / many.mm == pytest.approx(1.645 * 0.05, rel=0.2)


def test_nothing_known_is_the_prior() -> None:
    """Without a dart it is a beginner's 30 mm, and a dart of which nothing is known changes nothing."""
    tally = Tally()
    tally.add(Observation(()))
    found = tally.estimate()
    assert found.darts == 0 and found.mm == pytest.approx(30, rel=0.02)
    assert found.low == pytest.approx(13.2, rel=0.05) and found.high == pytest.approx(68, rel=0.05)


def test_a_shared_single_is_either_of_both() -> None:
    """A switch for both singles says less than a bed does, and more than nothing."""
    aims = tuple(bed for bed in ALL_BEDS if bed.number in (1, 18, 4))
    single = [Observation((Bed(BedKind.SINGLE, 18),), None, aims)] * 30
    found = estimate(single)
    assert 4 < found.mm < 30 and found.darts == 30
