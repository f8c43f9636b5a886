"""The estimated scatter: the published darts, synthetic throwers, and unknown aims."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from lab.scatter import covered, published, warm_up
from lab.throwers import HABITS, HALF, family
from scharten.dartboard.beds import ALL_BEDS, MISS, Bed, BedKind
from scharten.dartboard.locate import bed_at, centre_of
from scharten.play.scatter import Scatter
from scharten.play.throwing import throw_model
from scharten.players.aiming import DOUBLINGS, INDEX, MANNERS, RINGS, SIGMAS, lattice, likelihoods, points
from scharten.players.favourites import SPREAD, Place, log_likelihood
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


@pytest.mark.parametrize("manner", ["surest", "values", "heavy tails", *HABITS])
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


def test_only_the_newest_darts_of_several_tallies_count() -> None:
    """A thrower who was wild and aimed elsewhere: the estimate is that of the newest darts."""
    whole, newest = Tally(), Tally()
    whole.add_all(family("one bed", 60.0, 200, 1))
    newest.add_all(family("one point", 20.0, MOST_DARTS, 3))
    whole.add_tally(newest)
    assert whole.estimate()[:3] == pytest.approx(newest.estimate()[:3])


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


def test_a_ring_s_manner_aims_at_the_middles_of_its_beds_that_count() -> None:
    """One bed of a ring counts: the manner has the density around its middle, or the chances of beds from there."""
    number, at = 9, (20.0, 110.0)
    sigma = float(SIGMAS[number])
    one_each = tuple(Bed(ring, 1) for ring in RINGS[:3])
    targets = [[INDEX[bed] for bed in one_each]]
    seen = likelihoods([at], [[]], targets)[0, :, number]
    hit = INDEX[Bed(BedKind.FAT, 1)]
    touched = likelihoods([None], [[hit]], targets)[0, :, number]
    for ring, bed in enumerate(one_each):
        away = math.dist(at, centre_of(bed))
        assert seen[ring] == pytest.approx(
            math.exp(-(away**2) / 2 / sigma**2) / (math.tau * sigma**2), rel=1e-3
        )
        assert touched[ring] == pytest.approx(lattice()[1][hit, number, INDEX[bed]])
    assert seen[3] == touched[3] == 0


def test_a_surer_manner_aims_nearer_to_the_surest_point() -> None:
    """Around the surest point of a half board the manners rank by their power, and on its edge the other way."""
    number, beds = 9, [INDEX[bed] for bed in HALF]
    aims, odds, inside = lattice()
    surest = aims[odds[beds, number].sum(axis=0).argmax()]
    edge = min(
        (aim for aim, own in zip(aims, inside[beds].any(axis=0), strict=True) if own), key=lambda aim: aim[1]
    )
    first = len(RINGS)
    near, far = (
        likelihoods([tuple(at)], [[]], [beds])[0, first : first + len(DOUBLINGS), number]
        for at in (surest, edge)
    )
    assert list(near) == sorted(near) and near[-1] > 1.5 * near[0]
    assert list(far) == sorted(far, reverse=True) and far[-1] < far[0] / 1.5


def test_the_last_manner_aims_within_the_beds_that_count() -> None:
    """With one bed and a sharp hand, a dart is likely anywhere in the bed, and impossible elsewhere."""
    bed = Bed(BedKind.FAT, 20)
    inside, outside = likelihoods([(3.0, 125.0), (0.0, -130.0)], [[], []], [[INDEX[bed]]] * 2)[:, -1, 0]
    assert inside > 1e-5 and outside < 1e-12


def test_the_shares_of_the_manners_are_the_thrower_s_own() -> None:
    """Darts of two manners get those manners' shares of all darts, and the prior's dart in each manner."""
    manners = np.ones((90, MANNERS, len(SIGMAS)), np.float32)
    manners[:60, 2], manners[60:, 5] = 1e6, 1e6
    found = log_likelihood(manners, [Place((INDEX[MISS],), None)] * 90)
    total = 90 + SPREAD * MANNERS
    shares = [(60 + SPREAD) / total, (30 + SPREAD) / total] + [SPREAD / total] * (MANNERS - 2)
    expected = 60 * math.log(1e6 * shares[0]) + 30 * math.log(1e6 * shares[1]) + SPREAD * np.log(shares).sum()
    assert found == pytest.approx(np.full(len(SIGMAS), expected), abs=0.1)


def test_points_cover_the_board_evenly() -> None:
    """Each spot of the beds is within 7 mm of a point, and the chances of the beds there add up to 1."""
    aims, odds = points()
    chance = random.Random(1)
    for _ in range(200):
        radius, angle = 170 * math.sqrt(chance.random()), chance.uniform(0, math.tau)
        away = np.hypot(*(aims - (radius * math.cos(angle), radius * math.sin(angle))).T)
        assert away.min() < 7 and (away < 20).sum() < 30
    assert odds.sum(axis=0) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("seen", [True, False])
def test_a_favourite_is_found_wherever_it_is(seen: bool) -> None:
    """Darts at a point that no bed suggests: the scatter is theirs, alone and among darts of another habit."""
    chance, beds = random.Random(4), HALF
    for others in (0, 60):
        darts = [_thrown(chance, (-70.0, 95.0), 25.0, seen=seen, beds=beds) for _ in range(120)]
        darts += [
            _thrown(chance, centre_of(chance.choice(beds)), 25.0, seen=seen, beds=beds) for _ in range(others)
        ]
        chance.shuffle(darts)
        found = estimate(darts)
        assert found.mm == pytest.approx(25.0, rel=0.2) and found.high < 37


def test_darts_of_cameras_and_of_a_board_count_together() -> None:
    """Half of the darts as beds only: between the estimates of either half, and surer than both."""
    chance = random.Random(8)
    darts = [_thrown(chance, (-70.0, 95.0), 25.0, seen=bool(n % 2), beds=HALF) for n in range(120)]
    whole, beds, mm = estimate(darts), estimate(darts[::2]), estimate(darts[1::2])
    assert whole.mm == pytest.approx(25.0, rel=0.2)
    assert whole.high / whole.low < min(beds.high / beds.low, mm.high / mm.low)


def test_a_few_darts_do_not_make_a_favourite() -> None:
    """Chance clusters among 25 darts at random points do not make a wide scatter look much smaller."""
    found = [estimate(family("random aims", 60.0, 25, number, seen=bool(number % 2))) for number in range(12)]
    assert sum(math.log(scatter.mm / 60.0) for scatter in found) / len(found) > -0.2
    assert sum(scatter.low <= 60.0 <= scatter.high for scatter in found) >= 10


def _thrown(
    chance: random.Random, aim: tuple[float, float], sigma: float, *, seen: bool, beds: tuple[Bed, ...]
) -> Observation:
    x, y = (chance.gauss(at, sigma) for at in aim)
    return Observation((bed_at(x, y),), (x, y) if seen else None, beds)
