"""Rivals outside the computer's levels: chance, and greed that looks one turn ahead."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from lab.play import Choice, Mover, material
from scharten.game.basics import Kind, move_from_text
from scharten.games.scharten.actions import move_of
from scharten.games.scharten.board import THROW_ORDER, THROWS, Field, bed_of
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.geometry import scan
from scharten.games.scharten.options import Options
from scharten.games.scharten.position import Position, after_move
from scharten.games.scharten.status import State, status
from scharten.games.scharten.turns import Turn, Turns
from scharten.play.evaluate import AT_STAKE, WEIGHTS, piece_worth
from scharten.play.levels import LEVELS
from scharten.play.search import Key
from scharten.play.throwing import ThrowModel, throw_model, values_of

SITS: Final = 3
GREEDY_SCATTER: Final = LEVELS[10].scatter
"""Greed throws as well as the level it plays against, so that only their decisions differ."""


def by_chance(options: Options, seed: int) -> Mover:
    """Return a player of random legal moves; half of the time, where a dart is due, it throws with level 1's
    scatter."""
    chance = random.Random(seed)

    def move(position: Position, _seen: frozenset[Key]) -> Choice:
        situation = SCHARTEN.situation(position, options)
        if situation.drops and (not situation.moves or chance.random() < 0.5):
            return chance.gauss(0, 60), chance.gauss(-90 if position.mover == 0 else 90, 60)
        return move_from_text(chance.choice(situation.moves))

    return move


def by_greed(options: Options, seed: int) -> Mover:
    """Return a player of the move or dart with the largest expected gain at once; a mate is worth most, a lost
    game least."""
    chance = random.Random(seed)
    model = throw_model(GREEDY_SCATTER) if options.kind is Kind.LOUD else None
    limits = (options.foul_limit.white, options.foul_limit.black)

    def move(position: Position, _seen: frozenset[Key]) -> Choice:
        gains = {turn: gain(position, turn) for turn in Turns(position).moves()}
        most = max(gains.values(), default=-AT_STAKE - 1)
        if model is not None and position.placed[position.mover] < THROWS:
            aim, expected = greedy_dart(position, model, limits[position.mover])
            if round(expected) > most:
                return aim[0] + chance.gauss(0, GREEDY_SCATTER.x_mm), aim[1] + chance.gauss(
                    0, GREEDY_SCATTER.y_mm
                )
        return move_of(*chance.choice([turn for turn, worth in gains.items() if worth == most]))

    return move


def gain(position: Position, turn: Turn) -> int:
    """The immediate gain of a move, in hundredths of a pawn: the man it takes, the promotion, or the game."""
    later = after_move(position, *turn)
    if status(later).state is State.CHECKMATE:
        return AT_STAKE
    won = material(later) - material(position)
    return won if position.mover == 0 else -won


def greedy_dart(position: Position, model: ThrowModel, limit: int) -> tuple[tuple[float, float], float]:
    """Return the aim with the largest expected gain, in mm, and that gain: the placed piece, or the game if a loss
    ends it."""
    side, turns = position.mover, Turns(position)
    decides = turns.checked or position.fouls[side] + 1 >= limit
    worth = piece_worth(WEIGHTS)[THROW_ORDER[position.placed[side]]]
    source = dict.fromkeys((bed_of(Field(at), SITS) for at in scan(turns.placements())), float(worth))
    return model.best(values_of(source, -AT_STAKE if decides else 0))


OTHERS: Final[dict[str, Callable[[Options, int], Mover]]] = {"chance": by_chance, "greed": by_greed}
