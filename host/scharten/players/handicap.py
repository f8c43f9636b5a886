"""Foul limits as a handicap: the pair that gives two throwers the same risk of fogling. Pure.

Games whose darts place pieces: computed for the opening's zone, each dart aimed at the surest bed until all pieces are
placed; a zone that fills up raises both risks. Games whose darts decide captures: computed for the colours, half of the
darts for each, and for every enemy man but the king.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np

from scharten.dartboard.beds import ALL_BEDS, Bed
from scharten.errors import Problem
from scharten.game.basics import LostDart, Side
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.games.loud import ColourThrows
from scharten.players.scatter import INDEX, SIGMAS, bed_odds

USUAL: Final = 3
MOST: Final = 9
FAR: Final = 0.1
"""Cost of each step away from the usual limit, compared with the logarithm of the ratio of risks."""
PIECES: Final = 17
"""Darts that place a side's pieces."""
TAKEN: Final = 15
"""Darts for the men that a side may capture."""


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


def loss(sigma_mm: float, good: Sequence[Bed]) -> float:
    """Return the chance to miss all of these beds with the best aim."""
    hit = [INDEX[bed] for bed in good]
    placed = bed_odds()[:, :, hit].sum(axis=2).max(axis=1)
    return 1.0 - float(np.interp(math.log(sigma_mm), np.log(SIGMAS), placed))


def risk(lost: float, limit: int, pieces: int = PIECES) -> float:
    """Return the chance of `limit` lost darts in a row before every piece is placed."""
    return 1.0 - (1.0 - lost**limit) ** pieces


def even_limits(white: float, black: float, darts: int = PIECES) -> Handicap:
    """Return the fairest limits for two chances to lose a dart, near the usual three."""

    def unfair(pair: tuple[int, int]) -> float:
        apart = abs(
            math.log(max(risk(white, pair[0], darts), 1e-12) / max(risk(black, pair[1], darts), 1e-12))
        )
        return apart + FAR * sum(abs(limit - USUAL) for limit in pair)

    limits = range(1, MOST + 1)
    best = min(product(limits, limits), key=unfair)
    return Handicap(best, (risk(white, best[0], darts), risk(black, best[1], darts)))


def handicap(
    game: AnyGame, options: GameOptions, sigmas: tuple[float, float], white_sits_at: int
) -> Handicap | Problem:
    """Return the even limits of a loud game, White's scatter first, or a refusal for a game without darts."""
    throws = game.throws
    if isinstance(throws, ColourThrows):
        chances = []
        for sigma, side in zip(sigmas, Side, strict=True):
            targets = throws.targets(options, side)
            chances.append(sum(loss(sigma, beds) for beds in targets) / len(targets))
        return even_limits(chances[0], chances[1], TAKEN)
    opening = game.begin(options)
    zones: list[list[Bed]] = [[], []]
    for side in Side:
        for bed in ALL_BEDS if throws is not None else ():
            found = throws.effect(opening, options, bed, white_sits_at, side=side)  # type: ignore[union-attr]
            if not isinstance(found.action, LostDart):
                zones[side.index].append(bed)
    if not all(zones):
        return Problem("no_handicap", f"{game.key} is played without darts", cure="Choose another game.")
    lost = [loss(sigma, zone) for sigma, zone in zip(sigmas, zones, strict=True)]
    return even_limits(lost[0], lost[1])
