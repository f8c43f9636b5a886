"""The chances of beds for an aim and a scatter, compared with random darts and published figures."""

from __future__ import annotations

import numpy as np
import pytest

from scharten.dartboard.beds import ALL_BEDS, RINGS, Bed, BedKind
from scharten.dartboard.locate import bed_at
from scharten.games.scharten.board import Field, bed_of
from scharten.games.scharten.geometry import scan
from scharten.games.scharten.options import Options, rules_of
from scharten.play.scatter import Scatter
from scharten.play.throwing import aim_words, beds_at, throw_model, values_of


@pytest.mark.long
def test_beds_at_agrees_with_bed_at() -> None:
    """The quick lookup of many points gives the beds of the lookup of single points."""
    points = np.random.default_rng(1).uniform(-190, 190, (4000, 2))
    quick = beds_at(points[:, 0], points[:, 1])
    assert [ALL_BEDS[index] for index in quick] == [bed_at(x, y) for x, y in points]


@pytest.mark.parametrize("scatter", [Scatter(9.5, 6.7, 0.34), Scatter(40, 25, -0.5)])
def test_odds_agree_with_random_darts(scatter: Scatter) -> None:
    """Chances with a tilted scatter agree with 200,000 random darts within half a percent."""
    model = throw_model(scatter)
    cross = scatter.correlation * scatter.x_mm * scatter.y_mm
    covariance = [[scatter.x_mm**2, cross], [cross, scatter.y_mm**2]]
    for index in (100, 2800, 5000):
        darts = np.random.default_rng(2).multivariate_normal(model.aims[index], covariance, 200_000)
        drawn = np.bincount(beds_at(darts[:, 0], darts[:, 1]), minlength=len(ALL_BEDS)) / len(darts)
        assert abs(drawn - model.odds[index]).max() < 0.005


@pytest.mark.parametrize(
    ("sigma", "half", "fat", "little", "double", "treble"),
    [
        (10, 1.0, 0.96, 0.76, 0.31, 0.28),
        (20, 1.0, 0.59, 0.37, 0.13, 0.09),
        (60, 0.77, 0.10, 0.06, 0.02, 0.01),
    ],
)
def test_best_aims_have_the_published_chances(
    sigma: float, half: float, fat: float, little: float, double: float, treble: float
) -> None:
    """The best aims at one's half and at single beds hit as often as an independent computation says, within 0.01."""
    model = throw_model(Scatter(sigma, sigma))
    zone = rules_of(Options()).zones[0]
    own = {bed_of(field, 3): 1.0 for field in map(Field, scan(zone))}
    assert model.best(values_of(own, 0))[1] == pytest.approx(half, abs=0.01)
    for ring, chance in zip(RINGS, (double, fat, treble, little), strict=True):
        assert model.best(values_of({Bed(ring, 3): 1.0}, 0))[1] == pytest.approx(chance, abs=0.01)


def test_an_aim_is_described_in_words() -> None:
    """The description names the bed and the part of the bed."""
    assert aim_words(-0.5, -95) == "aim at the outer part of the inner single 3"
    assert aim_words(0, 0) == "aim at the bull"
    assert BedKind.MISS is bed_at(0, 200).kind
    assert "surround" in aim_words(0, 200)
