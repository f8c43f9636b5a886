"""Are the risks of a handicap true? Games by the rules between the two throwers, with another model of a throw."""

from __future__ import annotations

import random
import time
from typing import Any, Final

from lab.figures import commit
from scharten.dartboard.beds import ALL_BEDS, Bed
from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import LostDart, Reason, move_from_text
from scharten.game.protocol import AnyGame
from scharten.games import GAMES
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.play.scatter import Scatter
from scharten.play.throwing import ThrowModel, throw_model, values_of
from scharten.players.handicap import PIECES, Handicap, handicap, with_opening

SITS: Final = 3
Aims = dict[tuple[int, frozenset[Bed]], tuple[float, float]]
HALF_MOVES: Final = 300
"""Half-moves after which a game on squares counts as over."""
PAIRS: Final = ((20.0, 60.0), (30.0, 30.0), (45.0, 25.0), (15.0, 40.0))
SQUARE_PAIRS: Final = ((15.0, 40.0), (20.0, 20.0))
NEAR: Final = 0.06
"""The largest allowed difference between a reported and a simulated chance."""
QUICK_S: Final = 5.0


def simulated(sigmas: tuple[float, float], limits: tuple[int, int], games: int, seed: int = 7) -> list[float]:
    """Return the share of games that each side loses by its lost darts, in games by the rules."""
    options = Options.model_validate({"kind": "loud", "foul_limit": {"white": limits[0], "black": limits[1]}})
    models = [throw_model(Scatter(sigma, sigma)) for sigma in sigmas]
    chance, lost = random.Random(seed), [0, 0]
    aims: Aims = {}
    for _ in range(games):
        loser = _loser(options, models, sigmas, chance, aims)
        if loser is not None:
            lost[loser] += 1
    return [count / games for count in lost]


def _loser(
    options: Any, models: list[ThrowModel], sigmas: tuple[float, float], chance: random.Random, aims: Aims
) -> int | None:
    """Return the index of the side that loses by its darts; None when all pieces are placed first."""
    position, end = SCHARTEN.begin(options), None
    while end is None and min(position.placed) < PIECES and position.move_number < 200:
        side = position.mover
        if position.placed[side] == PIECES:
            moves = list(SCHARTEN.situation(position, options).moves)
            if not moves:
                return None
            played = SCHARTEN.play(position, move_from_text(chance.choice(moves)), options)
            assert not isinstance(played, Problem), played
            position, end = played.position, played.end
            continue
        actions = {bed: SCHARTEN.throws.effect(position, options, bed, SITS).action for bed in ALL_BEDS}
        good = frozenset(bed for bed, action in actions.items() if not isinstance(action, LostDart))
        if (side, good) not in aims:
            aims[side, good] = models[side].best(values_of(dict.fromkeys(good, 1.0), 0.0))[0]
        landed = bed_at(*(chance.gauss(at, sigmas[side]) for at in aims[side, good]))
        played = SCHARTEN.play(position, actions[landed], options)
        assert not isinstance(played, Problem), played
        position, end = played.position, played.end
    return (
        None
        if end is None or end.winner is None or end.reason is not Reason.FOGLING
        else 1 - end.winner.index
    )


def simulated_on_squares(
    game: AnyGame, sigmas: tuple[float, float], limits: tuple[int, int], games: int, seed: int = 7
) -> list[float]:
    """Return the share of games that each side loses by its lost darts; both capture whenever they can."""
    foul_limit = {"white": limits[0], "black": limits[1]}
    options = game.options_model.model_validate({"kind": "loud", "foul_limit": foul_limit}, strict=False)
    models = [throw_model(Scatter(sigma, sigma)) for sigma in sigmas]
    chance, lost = random.Random(seed), [0, 0]
    aims: Aims = {}
    for number in range(games):
        position, end = game.begin(with_opening(options, number % 500)), None
        for _ in range(HALF_MOVES):
            situation = game.situation(position, options)
            end = end or situation.end
            if end is not None:
                break
            action: Any = situation.forced
            side = situation.side
            if action is None and situation.needs_dart:
                action = _thrown(game, position, options, models, sigmas, chance, aims)
            elif action is None:
                action = move_from_text(chance.choice(situation.moves))
            played = game.play(position, action, options)
            assert not isinstance(played, Problem), played
            position, end = played.position, played.end
        if end is not None and end.winner is not None and end.reason is Reason.FOGLING:
            lost[1 - end.winner.index] += 1
            assert end.winner is not side
    return [count / games for count in lost]


def _thrown(
    game: Any,
    position: Any,
    options: Any,
    models: list[ThrowModel],
    sigmas: tuple[float, float],
    chance: random.Random,
    aims: Aims,
) -> Any:
    """Enter a random move that needs a dart and throw for it: return the move or the lost dart."""
    situation = game.situation(position, options)
    side, move = situation.side.index, move_from_text(chance.choice(sorted(situation.needs_dart)))
    good = frozenset(
        bed
        for bed in ALL_BEDS
        if not isinstance(game.throws.effect(position, options, bed, SITS, aim=move).action, LostDart)
    )
    if (side, good) not in aims:
        aims[side, good] = models[side].best(values_of(dict.fromkeys(good, 1.0), 0.0))[0]
    landed = bed_at(*(chance.gauss(at, sigmas[side]) for at in aims[side, good]))
    return game.throws.effect(position, options, landed, SITS, aim=move).action


def run(games: int) -> int:
    """Print the reported risks beside those of simulated games; return 1 if one differs by more than the target."""
    print(f"handicap, commit {commit()}, {games} games by the rules of each pair")
    good = True
    for game in GAMES:
        options = game.options_model.model_validate_json('{"kind": "loud"}')
        for pair in PAIRS if game is SCHARTEN else SQUARE_PAIRS:
            started = time.perf_counter()
            found = handicap(game, options, pair, SITS)
            took = time.perf_counter() - started
            assert isinstance(found, Handicap)
            if game is SCHARTEN:
                other = simulated(pair, found.limits, games)
            else:
                other = simulated_on_squares(game, pair, found.limits, games)
            off = max(abs(a - b) for a, b in zip(found.risks, other, strict=True))
            reported = " / ".join(f"{risk:.1%}" for risk in found.risks)
            counted = " / ".join(f"{risk:.1%}" for risk in other)
            limits = f"limits {found.limits[0]} and {found.limits[1]}"
            print(
                f"  {game.key}, {pair[0]:.0f} v {pair[1]:.0f} mm: {limits}; reported {reported}; "
                f"simulated {counted}; {off:.1%} apart (target {NEAR:.0%}); "
                f"{took:.1f} s (target {QUICK_S:.0f})",
                flush=True,
            )
            good &= off <= NEAR and took <= QUICK_S
    return 0 if good else 1
