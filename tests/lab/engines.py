"""Silent chess: a level of the computer against Stockfish at a limited strength, as a daemon would run them."""

from __future__ import annotations

import random
import time

from lab.play import MOST_TURNS
from lab.programs import program
from scharten.errors import Problem
from scharten.game.basics import Side
from scharten.games.chess import CHESS
from scharten.opponent.engine_mind import EngineMind
from scharten.opponent.settings import EngineSettings
from scharten.opponent.uci import UciEngine
from scharten.play.player import Mind

AIM = 0.5
ENGINE_S = 0.5
"""Stockfish's time for a move: its limited strength hardly depends on it."""


def played(level: int, engine: UciEngine, number: int) -> float:
    """Return the level's points; it has White in even games. A game without an end is a draw."""
    options = CHESS.options_model()
    gauss = random.Random(number).gauss
    ours = Mind(CHESS, options, level, 3, gauss=gauss)
    theirs = EngineMind(CHESS, options, level, 3, gauss=gauss, engine=engine)
    own_side = Side.WHITE if number % 2 == 0 else Side.BLACK
    position = CHESS.begin(options)
    counts: dict[str, int] = {}
    for _ in range(MOST_TURNS):
        situation = CHESS.situation(position, options)
        counts[situation.key] = times = counts.get(situation.key, 0) + 1
        if situation.end is not None and situation.end.winner is not None:
            return float(situation.end.winner is own_side)
        if situation.end is not None or situation.claims or times >= 3:
            return 0.5
        for mind in (ours, theirs):
            mind.notice(position)
        mover, seconds = (ours, ours.level.seconds) if situation.side is own_side else (theirs, ENGINE_S)
        intent = mover.think(position, seconds, time.monotonic, frozenset(mover.seen))
        assert intent is not None and intent.move is not None
        played_move = CHESS.play(position, intent.move, options)
        assert not isinstance(played_move, Problem), played_move
        position = played_move.position
    return 0.5


def run(level: int, elo: int, games: int) -> int:
    """Print each game and the share of the points beside its aim; return 1 below it."""
    print(f"silent chess: level {level} against Stockfish at Elo {elo}")
    points = 0.0
    with UciEngine(EngineSettings(command=(program("stockfish"),))) as engine:
        engine.limit_strength(elo)
        for number in range(games):
            points += (result := played(level, engine, number))
            print(f"  game {number + 1}: {result:g}", flush=True)
    print(f"  level {level:2}  {points / games:6.1%}  (at least {AIM:.0%})")
    return int(points / games < AIM)
