"""Favourites: points at which a thrower aims again and again, beside the manners of `aiming`. Pure.

A thrower may always aim at one bed, at the beds of one number, or mostly at one point. Nobody knows where: before the
first dart a favourite may be any point of the board. The darts teach both, for each deviation: how often the thrower
aims in each manner and at each favourite, and how likely each point is to be the favourite. The method is variational
Bayes for a mixture (Bishop 2006, chapter 10). Its bound on the likelihood charges a favourite for what the darts had to
teach of its place. The bounds without and with favourites are added, so that favourites count only where the darts show
them: chance clusters of darts do not make a hand look sharper.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from scharten.play.throwing import Floats
from scharten.players.aiming import MANNERS, SIGMAS, Chances, points

FAVOURITES: Final = 3
"""With three, the four beds of one number are close enough to a favourite each; one more changes little."""
ROUNDS: Final = 12
"""Steps of expectation and maximization towards a thrower's shares."""
MOVES: Final = 2
"""The favourites move in every second step only, which takes most of the time."""
SPREAD: Final = 1.0
"""Darts that each thrower is taken to have thrown in every manner and at every favourite: no share is certain."""
LEVEL: Final = 8.0
"""Added to the bound with favourites: it is lower for having more shares, whatever the darts show. Set by simulated
throwers with 15 to 120 darts."""
EVERY: Final = 7
"""The search for a favourite starts at every seventh point."""
LEAST: Final = 1e-9


class Place(NamedTuple):
    """Where a dart landed: the indices of the beds it may be in, and its place in mm if known."""

    beds: tuple[int, ...]
    at: tuple[float, float] | None


def log_likelihood(manners: Chances, places: Sequence[Place]) -> Floats:
    """Return the log-likelihood of darts by deviation, with the shares and favourites that suit the darts best.

    `manners` is the likelihood of each dart, [darts, manners, deviations].
    """
    darts = _Darts(places)
    return np.asarray(np.logaddexp(_bound(manners, darts, 0), _bound(manners, darts, FAVOURITES) + LEVEL))


def _bound(manners: Chances, darts: _Darts, favourites: int) -> Floats:
    """Return the bound on the log-likelihood with this many favourites, by deviation."""
    count = len(manners)
    parts = np.concatenate(
        [manners + LEAST, np.zeros((count, favourites, len(SIGMAS)))], axis=1, dtype=np.float64
    )
    charges = np.zeros((favourites, len(SIGMAS)))

    def move(favourite: int, shares: Floats) -> None:
        chances = _chances(darts.support(shares))
        parts[:, MANNERS + favourite] = np.exp(darts.expected(chances)) + LEAST
        charges[favourite] = (chances * np.log(chances * chances.shape[1] + LEAST)).sum(axis=1)

    if favourites:
        starts = darts.likelihoods(EVERY)
        explained = parts[:, :MANNERS].mean(axis=1)
        for favourite in range(favourites):
            best = np.log(explained[:, :, None] + starts).sum(axis=0).argmax(axis=1)
            own = starts[:, np.arange(len(SIGMAS)), best]
            move(favourite, own / (explained + own))
            explained = explained + parts[:, MANNERS + favourite]
    shares = np.full(parts.shape[1:], 1 / parts.shape[1])
    for step in range(ROUNDS):
        mixed = np.einsum("dms,ms->ds", parts, shares)
        own_shares = parts * shares / mixed[:, None, :]
        if step % MOVES:
            for favourite in range(favourites):
                move(favourite, own_shares[:, MANNERS + favourite])
        shares = (own_shares.sum(axis=0) + SPREAD) / (count + SPREAD * len(shares))
    found = np.log(np.einsum("dms,ms->ds", parts, shares)).sum(axis=0)
    return np.asarray(found + SPREAD * np.log(shares).sum(axis=0) - charges.sum(axis=0))


class _Darts:
    """The likelihood of darts for aims at the `points`: by distance if known in mm, else by the beds' chances."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._aims = points()[0]
        self._squares = (self._aims**2).sum(axis=1)
        self._count = len(places)
        self._in_mm = [row for row, place in enumerate(places) if place.at is not None]
        self._in_beds = [row for row, place in enumerate(places) if place.at is None]
        self._at = np.array([place.at for place in places if place.at is not None]).reshape(-1, 2)
        hits = [places[row].beds for row in self._in_beds]
        different = sorted(set(hits))
        self._hits = np.array([different.index(hit) for hit in hits], np.int64)
        self._logs = np.stack([_log_odds(hit) for hit in different], axis=1) if hits else None

    def likelihoods(self, every: int) -> Chances:
        """Return the likelihood of each dart for every n-th point, [darts, deviations, points]."""
        found = np.empty((self._count, len(SIGMAS), len(self._aims[::every])), np.float32)
        if self._in_mm:
            away = ((self._at[:, None] - self._aims[None, ::every]) ** 2).sum(axis=2)
            found[self._in_mm] = np.exp(-away[:, None] / _WIDE[:, None]) / (np.pi * _WIDE[:, None])
        if self._logs is not None:
            found[self._in_beds] = np.exp(self._logs[:, :, ::every])[:, self._hits].transpose(1, 0, 2)
        return found

    def support(self, shares: Floats) -> Floats:
        """Return the log-likelihood of each point for these shares of the darts, up to a constant, by deviation."""
        own = shares[self._in_mm]
        away = np.outer(own.sum(axis=0), self._squares) - 2 * own.T @ self._at @ self._aims.T
        found = -away / _WIDE[:, None]
        if self._logs is not None:
            weights = np.zeros((len(SIGMAS), self._logs.shape[1]), np.float32)
            np.add.at(weights.T, self._hits, shares[self._in_beds])
            found += np.matmul(weights[:, None, :], self._logs)[:, 0]
        return np.asarray(found)

    def expected(self, chances: Floats) -> Floats:
        """Return the mean log-likelihood of each dart over points with these chances, [darts, deviations]."""
        found = np.empty((self._count, len(SIGMAS)))
        if self._in_mm:
            away = (self._at**2).sum(axis=1)[:, None] - 2 * self._at @ (chances @ self._aims).T
            found[self._in_mm] = -(away + chances @ self._squares) / _WIDE - np.log(np.pi * _WIDE)
        if self._logs is not None:
            means = np.matmul(self._logs, chances.astype(np.float32)[:, :, None])[:, :, 0]
            found[self._in_beds] = means.T[self._hits]
        return found


_WIDE: Final = 2 * SIGMAS**2


def _chances(support: Floats) -> Floats:
    """Return chances that add up to 1 for each deviation."""
    weights = np.exp(support - support.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@lru_cache(maxsize=128)
def _log_odds(hit: tuple[int, ...]) -> Chances:
    """Return the logarithm of the chance of any of these beds for each point, [deviations, points]."""
    return np.asarray(np.log(points()[1][list(hit)].sum(axis=0) + LEAST))
