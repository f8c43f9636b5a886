"""Foul limits as a handicap: the pair that gives two throwers the same chance to lose by lost darts. Pure.

Each thrower plays many games, always at the surest point. In games whose darts place pieces, each turn is a dart and
the zone fills up. In games whose darts decide captures, both capture whenever they can: some games by the rules show
how often that is, and many more follow these frequencies. A simulated game gives the turn at which each limit is
reached, so that all pairs of limits are judged by the same games.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.beds import ALL_BEDS, Bed
from scharten.errors import Problem
from scharten.game.basics import Foul, LostDart, Side, move_from_text
from scharten.game.options import FoulLimit, GameOptions
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
BY_RULES: Final = 60
"""Games by the rules that show when captures are possible."""
HALF_MOVES: Final = 160
"""Half-moves of such a game: few men are left to capture then."""
TAKEN: Final = 15
"""The men that a side may capture, the king not among them; more count as this many."""
HIT, LOST, MOVED, OVER = range(4)
"""A side's turn: its dart hit, its dart was lost, it moved without a dart, the game was over."""
RUNS: Final = 4000
"""Simulated games of each thrower: a risk is off by a percent."""
AT_ONCE: Final = 500
"""Games that are simulated side by side."""
LAST: Final = 300
"""The last turn of a simulated game."""
Reached = NDArray[np.int64]
"""The number of the turn at which each limit is reached, `LAST` for never: [games, limits from 0]."""
Frequencies = NDArray[np.float64]
"""Shares of turns with a dart, without a dart, and after the end, by hits so far and the turn before: [hits, 3, 3]."""


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
    zone: Sequence[Bed],
    darts: int,
    *,
    seed: int,
    on_game: Callable[[], object] = lambda: None,
) -> Reached:
    """Return when a thrower loses by each limit; each dart that hits a bed of the zone takes it away.

    Call `on_game` for each simulated game.
    """
    start = np.zeros(len(ALL_BEDS), np.float32)
    start[[INDEX[bed] for bed in zone]] = 1.0
    odds, chance = odds_for(sigma_mm).astype(np.float32), np.random.default_rng(seed)
    played = []
    for _ in range(RUNS // AT_ONCE):
        for _ in range(AT_ONCE):
            on_game()
        played.append(_reached(odds, np.tile(start, (AT_ONCE, 1)), darts, chance))
    return np.concatenate(played)


def _reached(
    odds: NDArray[np.float32],
    free: NDArray[np.float32],
    darts: int,
    chance: np.random.Generator,
) -> Reached:
    """Play games with these free beds, [games, beds], side by side: each loop throws a dart in every game."""
    games = len(free)
    reached = np.full((games, MOST + 1), LAST, np.int64)
    in_a_row, placed = np.zeros(games, np.int64), np.zeros(games, np.int64)
    sums, on = np.cumsum(odds.T, axis=1), np.arange(games)
    for dart in range(LAST):
        good = free[on]
        landing = sums[(good @ odds).argmax(axis=1)]
        drawn = chance.random((len(on), 1), np.float32) * landing[:, -1:]
        hit = np.minimum((landing <= drawn).sum(axis=1), len(ALL_BEDS) - 1)
        lands = good[np.arange(len(on)), hit] > 0
        landed, lost = on[lands], on[~lands]
        placed[landed] += 1
        in_a_row[landed] = 0
        free[landed, hit[lands]] = 0.0
        in_a_row[lost] += 1
        lost = lost[in_a_row[lost] <= MOST]
        reached[lost, in_a_row[lost]] = np.minimum(reached[lost, in_a_row[lost]], dart)
        on = on[(placed[on] < darts) & (in_a_row[on] <= MOST) & (free[on].max(axis=1) > 0)]
        if not len(on):
            break
    return reached


def frequencies(game: AnyGame, options: GameOptions, hits: Sequence[float]) -> Frequencies:
    """Return how often a side throws, from games by the rules with these chances to hit, White's first."""
    counts = np.zeros((TAKEN + 1, 3, 3))
    counts[..., 1] += 1
    for seed in range(BY_RULES):
        for turns in turns_of(game, with_opening(options, seed), hits, random.Random(seed)):
            taken, before = 0, MOVED
            for turn in turns:
                counts[min(taken, TAKEN), before, max(turn - LOST, 0)] += 1
                taken, before = taken + (turn == HIT), turn
    return np.asarray(counts / counts.sum(axis=2, keepdims=True))


def with_opening(options: GameOptions, number: int) -> GameOptions:
    """Return the options with this opening, in a game that draws one; others unchanged."""
    if "opening_number" not in type(options).model_fields:
        return options
    return options.model_copy(update={"opening_by": "number", "opening_number": number})


def turns_of(
    game: AnyGame, options: GameOptions, hits: Sequence[float], chance: random.Random
) -> tuple[list[int], list[int]]:
    """Play a game by the rules in which both capture whenever they can; return the turns of each side."""
    position, end, played = game.begin(options), None, (list[int](), list[int]())
    for _ in range(HALF_MOVES):
        situation = game.situation(position, options)
        if end is not None or situation.end is not None:
            break
        side, action = situation.side, situation.forced
        if action is None:
            move = move_from_text(chance.choice(sorted(situation.needs_dart) or situation.moves))
            turn, action = MOVED, move
            if situation.needs_dart:
                turn = HIT if chance.random() < hits[side.index] else LOST
            if turn == LOST:
                action = LostDart(Foul.WRONG_COLOUR, move, "")
            played[side.index].append(turn)
        found = game.play(position, action, options)
        if isinstance(found, Problem):
            raise TypeError(found.words)
        position, end = found.position, found.end
    for turns in played:
        turns.append(OVER)
    return played


def simulate_captures(
    hit: float, shares: Frequencies, *, seed: int, on_game: Callable[[], object] = lambda: None
) -> Reached:
    """Return when a thrower with this chance to hit loses by each limit; a turn without a dart starts the count again.

    Call `on_game` for each simulated game.
    """
    for _ in range(RUNS):
        on_game()
    chance, on = np.random.default_rng(seed), np.arange(RUNS)
    reached = np.full((RUNS, MOST + 1), LAST, np.int64)
    in_a_row, taken = np.zeros(RUNS, np.int64), np.zeros(RUNS, np.int64)
    before = np.full(RUNS, MOVED)
    for number in range(LAST):
        share = shares[np.minimum(taken[on], TAKEN), before[on]]
        draws = chance.random(len(on))
        hits = chance.random(len(on)) < hit
        turn = np.where(draws < share[:, 0], np.where(hits, HIT, LOST), MOVED)
        goes_on = draws < share[:, 0] + share[:, 1]
        on, turn = on[goes_on], turn[goes_on]
        before[on] = turn
        taken[on] += turn == HIT
        in_a_row[on] = np.where(turn == LOST, in_a_row[on] + 1, 0)
        lost = on[(turn == LOST) & (in_a_row[on] <= MOST)]
        reached[lost, in_a_row[lost]] = np.minimum(reached[lost, in_a_row[lost]], number)
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
    if throws is None:
        return Problem("no_handicap", f"{game.key} is played without darts", cure="Choose another game.")
    if isinstance(throws, ColourThrows):
        hits = [
            _chance_to_hit(sigma, throws.targets(options, side))
            for sigma, side in zip(sigmas, Side, strict=True)
        ]
        shares = frequencies(game, _without_limit(options), hits)
        white, black = (
            simulate_captures(hit, shares, seed=seed, on_game=on_game) for seed, hit in enumerate(hits)
        )
        return even_limits(white, black)
    zones = [_zone(game, options, side, white_sits_at) for side in Side]
    if not all(zones):
        return Problem("no_handicap", f"{game.key} is played without darts", cure="Choose another game.")
    white, black = (
        simulate(sigma, zone, PIECES, seed=seed, on_game=on_game)
        for seed, (sigma, zone) in enumerate(zip(sigmas, zones, strict=True))
    )
    return even_limits(white, black)


def _chance_to_hit(sigma_mm: float, targets: Sequence[Sequence[Bed]]) -> float:
    """Return the mean chance of a dart at the surest point for each of these sets of beds."""
    odds = odds_for(sigma_mm)
    return float(np.mean([odds[[INDEX[bed] for bed in beds]].sum(axis=0).max() for beds in targets]))


def _without_limit(options: GameOptions) -> GameOptions:
    """Return the options with limits that no game reaches."""
    return options.model_copy(update={"foul_limit": FoulLimit(white=99, black=99)})


def _zone(game: AnyGame, options: GameOptions, side: Side, white_sits_at: int) -> list[Bed]:
    """Return the beds that count at the opening."""
    throws, opening = game.throws, game.begin(options)
    assert throws is not None
    effects = [throws.effect(opening, options, bed, white_sits_at, side=side) for bed in ALL_BEDS]
    return [effect.bed for effect in effects if not isinstance(effect.action, LostDart)]
