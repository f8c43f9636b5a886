"""Foul limits as a handicap: the pair that gives two throwers the same chance to lose by lost darts. Pure.

Each thrower plays the darts of many games, always at the surest point. In games whose darts place pieces, the zone
fills up; in games whose darts decide captures, each dart is for either colour. A simulated game gives the dart at which
each limit is reached, so that all pairs of limits are judged by the same games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.beds import ALL_BEDS, Bed
from scharten.errors import Problem
from scharten.game.basics import LostDart, Side
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.games.loud import ColourThrows
from scharten.players.aiming import INDEX, odds_for

USUAL: Final = 3
LEAST: Final = 2
MOST: Final = 9
FAR: Final = 0.02
"""Cost of each step away from the usual limit, compared with the difference of the chances."""
PIECES: Final = 17
"""Darts that place a side's pieces."""
TAKEN: Final = 15
"""Darts for the men that a side may capture."""
RUNS: Final = 4000
"""Simulated games of each thrower: a risk is off by a percent."""
AT_ONCE: Final = 500
"""Games that are simulated side by side."""
LAST: Final = 300
"""The last dart of a simulated game."""
Reached = NDArray[np.int64]
"""The number of the dart at which each limit is reached, `LAST` for never: [games, limits from 0]."""


@dataclass(frozen=True, slots=True)
class Handicap:
    """Foul limits and the risks of losing by lost darts, White first."""

    limits: tuple[int, int]
    risks: tuple[float, float]

    def as_json(self) -> dict[str, Any]:
        """Return JSON, with the risks in percent."""
        sides = [side.word for side in Side]
        percent = [round(100 * risk, 2) for risk in self.risks]
        return {
            "limits": dict(zip(sides, self.limits, strict=True)),
            "risk": dict(zip(sides, percent, strict=True)),
        }


def simulate(
    sigma_mm: float,
    zones: Sequence[Sequence[Bed]],
    darts: int,
    *,
    fills: bool,
    seed: int,
    on_game: Callable[[], object] = lambda: None,
) -> Reached:
    """Return when a thrower loses by each limit; a zone is drawn for each dart, and loses the bed that it hits.

    Call `on_game` for each simulated game.
    """
    starts = np.zeros((len(zones), len(ALL_BEDS)), np.float32)
    for row, zone in enumerate(zones):
        starts[row, [INDEX[bed] for bed in zone]] = 1.0
    odds, chance = odds_for(sigma_mm).astype(np.float32), np.random.default_rng(seed)
    played = []
    for _ in range(RUNS // AT_ONCE):
        for _ in range(AT_ONCE):
            on_game()
        played.append(_reached(odds, np.tile(starts, (AT_ONCE, 1, 1)), darts, fills, chance))
    return np.concatenate(played)


def _reached(
    odds: NDArray[np.float32],
    free: NDArray[np.float32],
    darts: int,
    fills: bool,
    chance: np.random.Generator,
) -> Reached:
    """Play games with these free beds, [games, zones, beds], side by side: each loop throws a dart in every game."""
    games = len(free)
    reached = np.full((games, MOST + 1), LAST, np.int64)
    in_a_row, placed = np.zeros(games, np.int64), np.zeros(games, np.int64)
    sums, on = np.cumsum(odds.T, axis=1), np.arange(games)
    for dart in range(LAST):
        zone = chance.integers(free.shape[1], size=len(on))
        good = free[on, zone]
        landing = sums[(good @ odds).argmax(axis=1)]
        drawn = chance.random((len(on), 1), np.float32) * landing[:, -1:]
        hit = np.minimum((landing <= drawn).sum(axis=1), len(ALL_BEDS) - 1)
        lands = good[np.arange(len(on)), hit] > 0
        landed, lost = on[lands], on[~lands]
        placed[landed] += 1
        in_a_row[landed] = 0
        if fills:
            free[landed, zone[lands], hit[lands]] = 0.0
        in_a_row[lost] += 1
        lost = lost[in_a_row[lost] <= MOST]
        reached[lost, in_a_row[lost]] = np.minimum(reached[lost, in_a_row[lost]], dart)
        on = on[(placed[on] < darts) & (in_a_row[on] <= MOST) & (free[on, zone].max(axis=1) > 0)]
        if not len(on):
            break
    return reached


def risks(white: Reached, black: Reached, limits: tuple[int, int]) -> tuple[float, float]:
    """Return each side's chance to be the first to reach its limit; White throws first."""
    first, second = (
        np.bincount(reached[:, limit], minlength=LAST + 1) / len(reached)
        for reached, limit in zip((white, black), limits, strict=True)
    )
    later = 1 - np.cumsum(second)
    white_first = (first * (later + second))[:LAST].sum()
    return float(white_first), float((second * (1 - np.cumsum(first)))[:LAST].sum())


def even_limits(white: Reached, black: Reached) -> Handicap:
    """Return the pair of limits with the most even result, near the usual three."""

    def unfair(pair: tuple[int, int]) -> float:
        lost = risks(white, black, pair)
        return abs(lost[0] - lost[1]) + FAR * sum(abs(limit - USUAL) for limit in pair)

    limits = range(LEAST, MOST + 1)
    best = min(product(limits, limits), key=unfair)
    return Handicap(best, risks(white, black, best))


def handicap(
    game: AnyGame,
    options: GameOptions,
    sigmas: tuple[float, float],
    white_sits_at: int,
    on_game: Callable[[], object] = lambda: None,
) -> Handicap | Problem:
    """Return the even limits of a loud game, White's scatter first, or a refusal for a game without darts.

    Call `on_game` before each of the `2 * RUNS` simulated games.
    """
    throws = game.throws
    fills = not isinstance(throws, ColourThrows)
    targets: list[Sequence[Sequence[Bed]]] = []
    for side in Side:
        if isinstance(throws, ColourThrows):
            targets.append(throws.targets(options, side))
        else:
            targets.append([_zone(game, options, side, white_sits_at)])
    if not all(zone for zones in targets for zone in zones):
        return Problem("no_handicap", f"{game.key} is played without darts", cure="Choose another game.")
    darts = PIECES if fills else TAKEN
    white, black = (
        simulate(sigma, zones, darts, fills=fills, seed=seed, on_game=on_game)
        for seed, (sigma, zones) in enumerate(zip(sigmas, targets, strict=True))
    )
    return even_limits(white, black)


def _zone(game: AnyGame, options: GameOptions, side: Side, white_sits_at: int) -> list[Bed]:
    """Return the beds that count at the opening."""
    throws, opening = game.throws, game.begin(options)
    if throws is None:
        return []
    effects = [throws.effect(opening, options, bed, white_sits_at, side=side) for bed in ALL_BEDS]
    return [effect.bed for effect in effects if not isinstance(effect.action, LostDart)]
