"""The estimated scatter: the published darts, synthetic throwers, and unknown aims."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from lab.scatter import covered, published, warm_up
from lab.throwers import family
from scharten.dartboard.beds import ALL_BEDS, Bed, BedKind
from scharten.dartboard.locate import centre_of
from scharten.play.scatter import Scatter
from scharten.play.throwing import throw_model
from scharten.players.aiming import INDEX, SIGMAS, lattice
from scharten.players.scatter import MOST_DARTS, Observation, Tally, estimate


def test_the_odds_are_those_of_the_throwing_model() -> None:
    """Two ways to the chance of a bed, by rings and by a grid of cells, agree for every kind of aim."""
    number = 12
    sigma = float(SIGMAS[number])
    model = throw_model(Scatter(sigma, sigma))
    aims, odds, _ = lattice()
    for bed in (Bed(BedKind.FAT, 6), Bed(BedKind.TREBLE, 11), Bed(BedKind.DOUBLE, 20)):
        at = INDEX[bed]
        assert aims[at] == pytest.approx(np.array(centre_of(bed)))
        nearest = ((model.aims - aims[at]) ** 2).sum(axis=1).argmin()
        assert (
            np.abs(model.odds[nearest] - odds[:, number, at]).max() < 0.025
        )  # the model's aims are up to 3 mm beside
    wire = int(((aims - np.array((18.8, 118.5))) ** 2).sum(axis=1).argmin())
    nearest = ((model.aims - aims[wire]) ** 2).sum(axis=1).argmin()
    assert np.abs(model.odds[nearest] - odds[:, number, wire]).max() < 0.025
    assert odds.sum(axis=0) == pytest.approx(1.0, abs=1e-4)


def test_the_published_darts_give_the_published_scatter() -> None:
    """A hundred scores at the bull: 28 mm within half a millimetre, and an interval about as wide as computed."""
    found = published()
    assert found.mm == pytest.approx(28.0, abs=0.6) and found.darts == 100
    assert 22.5 < found.low < 25 and 32 < found.high < 36.0


@pytest.mark.parametrize("manner", ["surest", "values", "heavy tails"])
def test_intervals_hold_for_aims_that_are_not_modelled(manner: str) -> None:
    """The short form of `make bench ARGS=scatter`: of eight throwers of each family at most two fall outside."""
    share, off = covered(manner, 8)
    assert share >= 0.75 and off < 0.35


def test_a_throw_at_the_surest_point_is_not_taken_for_a_sharp_hand() -> None:
    """Thirty millimetres thrown at the surest point: the interval holds it, with and without cameras."""
    for seen in (True, False):
        found = estimate(family("surest", 30.0, 120, 5, seen=seen))
        assert found.low <= 30.0 <= found.high and found.high / found.low < 3


def test_many_darts_do_not_make_unknown_aims_certain() -> None:
    """Three thousand darts at unknown aims leave an interval of a fifth, and only the newest of them count."""
    many = Tally()
    many.add_all(family("surest", 30.0, 600, 1) * 5)
    found = many.estimate()
    assert found.darts == 3000 and found.high / found.low > 1.4
    assert sum(map(len, many.unknown)) == MOST_DARTS


def test_the_closed_form_is_the_likelihood() -> None:
    """With millimetres and a known aim the answer is that of the normal distribution, and more darts narrow it."""
    seen = warm_up(random.Random(1), 22.0, 4000, seen=True)
    squares = sum(x * x + y * y for item in seen if item.at for x, y in [item.at])
    assert estimate(seen).mm == pytest.approx(math.sqrt(squares / 2 / 4000), rel=0.003)
    few, many = estimate(seen[:25]), estimate(seen[:100])
    assert (few.high - few.low) / 2 / few.mm == pytest.approx(1.645 * 0.1, rel=0.25)
    assert (many.high - many.low) / 2 / many.mm == pytest.approx(1.645 * 0.05, rel=0.2)


def test_nothing_known_is_the_prior() -> None:
    """Without a dart it is a beginner's 30 mm, and a dart of which nothing is known changes nothing."""
    tally = Tally()
    tally.add_all([Observation(())])
    found = tally.estimate()
    assert found.darts == 0 and found.mm == pytest.approx(30, rel=0.02)
    assert found.low == pytest.approx(11.2, rel=0.05) and found.high == pytest.approx(80, rel=0.05)


def test_a_shared_single_is_either_of_both() -> None:
    """A switch for both singles says less than a bed does, and more than nothing."""
    aims = tuple(bed for bed in ALL_BEDS if bed.number in (1, 18, 4))
    single = [Observation((Bed(BedKind.SINGLE, 18),), None, aims)] * 30
    found = estimate(single)
    assert 4 < found.mm < 30 and found.darts == 30
