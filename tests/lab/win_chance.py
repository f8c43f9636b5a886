"""The win chance of the review, fitted to self-play: White's points against a search of positions of each game.

A fifth of the games is held out, five times, so that each game is held out once. A fit is held to one of all games
together, and its log odds are multiplied by the share that was best on games which it had not seen. The least share
is nearly the constant, but still tells turns apart. The choice of that share is within what is fitted, so the printed
log loss is that of unseen games.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from lab.self_play import Row, play_on
from scharten.errors import Problem
from scharten.game.basics import Kind, Side
from scharten.games import GAMES_BY_KEY
from scharten.review.value import Judge

KINDS: Final = [(key, kind) for key in GAMES_BY_KEY for kind in Kind]
FOLDS: Final = 5
MOST_ROWS: Final = 12
"""Searched positions of one game."""
WORTH: Final = 4.0
"""The weight of a game in independent positions, since its positions are alike."""
PRIOR: Final = (0.0, 0.45, 0.3, 0.1)
COMMON: Final = (400.0, 4.0, 4.0, 4.0)
HOLD: Final = (400.0, 25.0, 25.0, 25.0)
"""The precisions with which the fit of all games is held to `PRIOR`, and that of one kind to the fit of all games."""
FOULS: Final = 3
"""The place of the weight of lost darts."""
SHARES: Final = (0.1, 0.25, 0.5, 0.7, 0.85, 1.0)
Array = Any


class Data(NamedTuple):
    """Rows of features, the mover's points, the weight of each row, and its game."""

    x: Array
    points: Array
    counts: Array
    game: Array

    def where(self, chosen: Array) -> Data:
        """Return these rows."""
        return Data(*(column[chosen] for column in self))


def features(row: Row) -> list[list[float]]:
    """Return the judge's features of a game's positions, each with the mover's points first."""
    game = GAMES_BY_KEY[row["game"]]
    options = game.options_model(kind=Kind(row["kind"]))
    judge, found = Judge(game, options), []
    texts = row["rows"][:: -(-len(row["rows"]) // MOST_ROWS)] if row["rows"] else []
    for text in texts:
        position = game.read(text, options)
        assert not isinstance(position, Problem), text
        situation = game.situation(position, options)
        points = row["points"] if situation.side is Side.WHITE else 1 - row["points"]
        found.append([points, *judge.features(position, situation)])
    return found


def table(rows: list[Row], processes: int) -> dict[tuple[str, str], Data]:
    """Search the games' positions and return them by game and kind."""
    rows = sorted(
        (row for row in rows if row["rows"]), key=lambda row: (row["game"], row["kind"], row["number"])
    )
    found: dict[tuple[str, str], Data] = {}
    with ProcessPoolExecutor(processes, initializer=os.nice, initargs=(19,)) as pool:
        searched = zip(rows, pool.map(features, rows, chunksize=4), strict=True)
        for key, games in groupby(searched, key=lambda item: (item[0]["game"], item[0]["kind"])):
            listed = list(games)
            whole = np.array([line for _, lines in listed for line in lines])
            counts = [WORTH / len(lines) for _, lines in listed for _ in lines]
            number = [place for place, (_, lines) in enumerate(listed) for _ in lines]
            found[key] = Data(whole[:, 1:], whole[:, 0], np.array(counts), np.array(number))
    return found


def fit(data: Data, prior: Array, hold: Array) -> Array:
    """Return the weights, leaving out positions with a forced mate.

    A lost dart cannot help: if the games suggest so by chance, its weight is 0.
    """
    quiet = data.where(data.x[:, 4] == 0)
    found = _newton(quiet, np.array(prior), np.array(hold))
    if found[FOULS] < 0:
        found = _newton(quiet, np.array((*prior[:FOULS], 0.0)), np.array((*hold[:FOULS], 1e9)))
        found[FOULS] = 0.0
    return found


def _newton(quiet: Data, prior: Array, hold: Array) -> Array:
    """Return the weights of the likeliest fit, found by Newton's method."""
    x, found = quiet.x[:, :4], prior.copy()
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(x @ found, -30, 30)))
        slope = x.T @ (quiet.counts * (quiet.points - chance)) - hold * (found - prior)
        curve = (x.T * (quiet.counts * chance * (1 - chance))) @ x + np.diag(hold)
        found = found + np.linalg.solve(curve, slope)
    return found


def losses(data: Data, weights: Array) -> Array:
    """Return the log loss of each row with these weights, where no mate is forced."""
    odds = np.where(data.x[:, 4] == 0, data.x[:, :4] @ weights, data.x[:, 4])
    return _loss(data.points, 1 / (1 + np.exp(-np.clip(odds, -7, 7))))


def _loss(points: Array, chance: Array) -> Array:
    chance = np.clip(chance, 1e-4, 1 - 1e-4)
    return -(points * np.log(chance) + (1 - points) * np.log(1 - chance))


def by_game(data: Data, values: Array) -> Array:
    """Return the mean of the rows' values in each game."""
    _, place = np.unique(data.game, return_inverse=True)
    return np.bincount(place, values) / np.bincount(place)


def shrunk(data: Data, common: Array) -> Array:
    """Return a kind's weights: its fit, times the share that was best on games which the fit had not seen."""
    fold = data.game % FOLDS
    totals = np.zeros(len(SHARES))
    for held in range(FOLDS):
        unseen = data.where(fold == held)
        if len(unseen.x) and (fold != held).any():
            found = fit(data.where(fold != held), common, HOLD)
            totals += [by_game(unseen, losses(unseen, share * found)).sum() for share in SHARES]
    return SHARES[int(totals.argmin())] * fit(data, common, HOLD)


class Held(NamedTuple):
    """Mean log loss of held-out games, fitted and constant, and the error of their difference; the number of games."""

    fitted: float
    constant: float
    error: float
    games: int


def held_out(found: dict[tuple[str, str], Data]) -> dict[tuple[str, str], Held]:
    """Return the losses of every kind on games that neither the weights nor the shares were fitted to."""
    pairs: dict[tuple[str, str], list[tuple[Array, Array]]] = {key: [] for key in found}
    for fold in range(FOLDS):
        seen = {key: data.where(data.game // FOLDS % FOLDS != fold) for key, data in found.items()}
        common = fit(_joined(seen), PRIOR, COMMON)
        for key, data in found.items():
            unseen = data.where(data.game // FOLDS % FOLDS == fold)
            if len(unseen.x):
                mean = np.average(seen[key].points, weights=seen[key].counts)
                constant = by_game(unseen, _loss(unseen.points, np.full(len(unseen.x), mean)))
                pairs[key].append((by_game(unseen, losses(unseen, shrunk(seen[key], common))), constant))
    result = {}
    for key, listed in pairs.items():
        fitted, constant = (np.concatenate(side) for side in zip(*listed, strict=True))
        error = float((fitted - constant).std(ddof=1) / len(fitted) ** 0.5)
        result[key] = Held(float(fitted.mean()), float(constant.mean()), error, len(fitted))
    return result


def _joined(found: dict[tuple[str, str], Data]) -> Data:
    return Data(*(np.concatenate(column) for column in zip(*found.values(), strict=True)))


def run(file: Path, games: int, seconds: float, processes: int) -> int:
    """Play the missing games, and print the weights for the package; return 1 if a constant is better."""
    rows = list(play_on(file, games, seconds, processes).values())
    found = table(rows, processes)
    common, held = fit(_joined(found), PRIOR, COMMON), held_out(found)
    print(
        f"{len(rows)} games of self-play; log loss of held-out games: fitted, constant, difference with its error"
    )
    worse = False
    for key, kind in KINDS:
        if (key, kind.value) not in found:
            continue
        weights = shrunk(found[key, kind.value], common)
        own = held[key, kind.value]
        difference = own.fitted - own.constant
        worse |= difference > own.error
        print(
            f'    ("{key}", "{kind.value}"): ({", ".join(f"{item:.3f}" for item in weights)}),'
            f"  # {own.games} games: {own.fitted:.3f}, {own.constant:.3f}, {difference:+.3f} ± {own.error:.3f}"
        )
    return int(worse)
