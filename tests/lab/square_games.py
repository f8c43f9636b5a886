"""The games on squares beside bare python-chess in the same run: a referee step, and counted positions."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import chess

from scharten.errors import Problem
from scharten.game.basics import move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.games.chess import CHESS
from scharten.games.fischer_random import FISCHER_RANDOM
from scharten.games.loud import NO_FOULS
from scharten.games.shakti import SHAKTI
from scharten.games.shakti_board import after_turn as after_shakti
from scharten.games.shakti_board import legal_turns as shakti_turns
from scharten.games.shatranj import SHATRANJ
from scharten.games.shatranj_board import after_turn as after_shatranj
from scharten.games.shatranj_board import legal_turns as shatranj_turns

MOST, FLOOR = 1.3, 0.5
SEED = 11
STEPS = 120
NUMBERED = {"opening_by": "number", "opening_number": 77}


def run(times: int) -> bool:
    """Print each figure beside its target; return whether all are met."""
    good = _steps(times)
    return _positions(times) and good


def _steps(times: int) -> bool:
    """Do what a referee step needs of the rules: play, the legal moves in coordinates, check, material, text and
    key."""
    print(f"a referee's step, CPU time, beside python-chess doing the same work (at most {MOST} x)")
    good = True
    games: tuple[AnyGame, ...] = (CHESS, FISCHER_RANDOM)
    for game in games:
        options = game.options_model.model_validate(NUMBERED if game is FISCHER_RANDOM else {})
        moves = _random_game(game, options)
        pairs = [(_bare(game, options, moves), _ours(game, options, moves)) for _ in range(times)]
        bare, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
        reported = f"{ours * 1e6:6.0f} us against {bare * 1e6:6.0f} us"
        print(f"  {game.key:38} {reported}  ratio {ours / bare:.2f} (at most {MOST})")
        good &= ours / bare <= MOST
    return good


def _random_game(game: AnyGame, options: GameOptions) -> list[str]:
    chance, position, moves = random.Random(SEED), game.begin(options), []
    for _ in range(STEPS):
        known = game.situation(position, options).moves
        if not known:
            break
        moves.append(chance.choice(known))
        position = _played(game, position, moves[-1], options)
    return moves


def _played(game: AnyGame, position: Any, move: str, options: GameOptions) -> Any:
    found = game.play(position, move_from_text(move), options)
    assert not isinstance(found, Problem)
    return found.position


def _bare(game: AnyGame, options: GameOptions, moves: list[str]) -> float:
    board = game.begin(options).board.copy()
    began = time.process_time()
    for text in moves:
        move = board.parse_uci(text)
        board = board.copy(stack=False)
        board.push(move)
        tuple(move.uci() for move in board.legal_moves)
        board.is_check()
        board.is_insufficient_material()
        board.fen()
        board.epd()
    return (time.process_time() - began) / len(moves)


def _ours(game: AnyGame, options: GameOptions, moves: list[str]) -> float:
    position = game.begin(options)
    game.situation(position, options)
    began = time.process_time()
    for text in moves:
        position = _played(game, position, text, options)
        game.situation(position, options)
    return (time.process_time() - began) / len(moves)


def _chess_leaves(board: chess.Board, depth: int, bulk: bool) -> int:
    if depth == 0:
        return 1
    if depth == 1 and bulk:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += _chess_leaves(board, depth - 1, bulk)
        board.pop()
    return total


def _leaves(turns: Callable[[Any], Any], play_turn: Callable[..., Any], position: Any, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(
        _leaves(turns, play_turn, play_turn(position, turn, NO_FOULS), depth - 1) for turn in turns(position)
    )


def _positions(times: int) -> bool:
    print(f"positions per second, ratio to python-chess not below {FLOOR}")
    shatranj = SHATRANJ.begin(SHATRANJ.options_model())
    shakti = SHAKTI.begin(SHAKTI.options_model())
    played: dict[str, Callable[[], int]] = {
        "python-chess, depth 3, every turn played": lambda: _chess_leaves(chess.Board(), 3, False),
        "Shatranj, depth 3, every turn played": lambda: _leaves(shatranj_turns, after_shatranj, shatranj, 3),
        "Shakti, depth 3, every turn played": lambda: _leaves(shakti_turns, after_shakti, shakti, 3),
    }
    counted: dict[str, Callable[[], int]] = {
        "python-chess, depth 4, last turn in bulk": lambda: _chess_leaves(chess.Board(), 4, True),
        "Shatranj, depth 4, last turn in bulk": lambda: SHATRANJ.count(shatranj, SHATRANJ.options_model(), 4),
        "Shakti, depth 4, last turn in bulk": lambda: SHAKTI.count(shakti, SHAKTI.options_model(), 4),
    }
    good = True
    for group in (played, counted):
        timed = [[_per_second(count) for count in group.values()] for _ in range(times)]
        speeds = [statistics.median(column) for column in zip(*timed, strict=True)]
        for name, speed in zip(group, speeds, strict=True):
            ratio = speed / speeds[0]
            reported = "" if speed is speeds[0] else f"  ratio {ratio:.2f} (not below {FLOOR})"
            print(f"  {name:42} {speed:10,.0f} positions/s{reported}", flush=True)
            good &= ratio >= FLOOR
    return good


def _per_second(count: Callable[[], int]) -> float:
    began = time.process_time()
    leaves = count()
    return leaves / (time.process_time() - began)
