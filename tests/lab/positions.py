"""Positions for problems: the last turns of games that a strong player wins against a weak one, and variants.

A variant lacks a man, or in Scharten has a piece back in hand.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from scharten.errors import Problem
from scharten.game.basics import Kind as GameKind
from scharten.game.basics import move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.board import EMPTY, THROW_ORDER, THROWS, B, K, N, Q, R
from scharten.games.scharten.geometry import BIT, scan
from scharten.games.scharten.options import rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import position_text
from scharten.play.square_view import WORTH
from scharten.problems.boards import Board, board_of
from scharten.problems.solve import Solver, TooHardError

MOST_PLIES: Final = 120
TRIES: Final = 8
"""The largest number of games for one number until one ends near a mate; in Shakti few do."""
SENSIBLE: Final = 0.1
"""The share of its turns in which the weak player does not move at random."""
THINNED: Final = (("mate2", 2), ("mate2", 0), ("save1", 1), ("save2", 3), ("save2", 1))
"""Tasks in positions with a man taken away, and how many turns before the last one they stand."""
THINNINGS: Final = 3
"""The number of men tried for each of them."""
HANDS: Final = 4
"""The number of officers put back into the hand in each position."""
MEN: Final = re.compile(r"\d+|[A-Za-z]\*?|.")
SIDES_TURN: Final = len(GAMES_BY_KEY)
"""White is the strong side in this many numbers, then Black."""
MOST_GUESSED: Final = 6_000
"""Positions searched for a mate in two when choosing candidates."""


@dataclass(frozen=True, slots=True)
class Played:
    """The positions of a game before each turn; the last one has a mate in one for the side to move."""

    game: AnyGame
    options: GameOptions
    board: Board
    positions: list[Any]


def self_played(key: str, number: int, chance: random.Random) -> Played | None:
    """Play a game until the strong side, White in every second game, could mate; None if it never can."""
    game = GAMES_BY_KEY[key]
    options = game.options_model(kind=GameKind.SILENT)
    board = board_of(game, options)
    assert board is not None
    position = game.begin(options)
    if game.draws is not None:
        position = game.draws.position(game.draws.begin(options, "lab", str(number)))
    positions = []
    for ply in range(MOST_PLIES):
        reached = list(board.reached(position))
        if not reached:
            return None
        positions.append(position)
        strong = ply % 2 == number // SIDES_TURN % 2
        if strong and ply > 4 and Solver(board).forces(position, 1):
            return Played(game, options, board, positions)
        if strong or chance.random() < SENSIBLE:
            judged = [
                (_gain(game, position, turn) + 150 * board.in_check(child) + 150 * chance.random(), at)
                for at, (turn, child) in enumerate(reached)
            ]
            position = reached[max(judged)[1]][1]
        else:
            position = chance.choice(reached)[1]
    return None


def _gain(game: AnyGame, position: Any, turn: str) -> int:
    man = game.man_at(position, move_from_text(turn).to)
    return WORTH.get(man.letter, 200) if man else 0


def candidates(played: Played, chance: random.Random) -> Iterator[tuple[str, Any, GameOptions]]:
    """Yield (task, position, options) from the last turns of a game."""
    at, options = played.positions, played.options
    last = len(at) - 1
    loud = options.model_copy(update={"kind": GameKind.LOUD})
    if played.game.key != "scharten":
        yield "dart1", at[last], loud
    yield "mate1", at[last], options
    yield "save1", at[last - 1], options
    if _forced(played.board, at[last - 2]):
        yield "mate2", at[last - 2], options
        yield "save2", at[last - 3], options
        yield "mate3", at[last - 4], options
    if played.game.key == "scharten":
        yield from _from_hand(played, loud, chance)
    for task, back in THINNED:
        for _ in range(THINNINGS):
            fewer = thinned(played.game, at[last - back], options, chance)
            if fewer is not None:
                yield task, fewer, options


def _from_hand(
    played: Played, loud: GameOptions, chance: random.Random
) -> Iterator[tuple[str, Position, GameOptions]]:
    """Yield loud positions with an officer back in hand."""
    at = played.positions
    last = len(at) - 1
    for back in range(0, min(last, 8), 2):
        for task in ("dart1", "field2") * HANDS:
            in_hand = with_piece_in_hand(at[last - back], loud, chance)
            if in_hand is not None:
                yield task, in_hand, loud
    for position in at[-12:]:
        if played.board.in_check(position):
            in_hand = with_piece_in_hand(position, loud, chance)
            if in_hand is not None:
                yield "save1", in_hand, loud


def _forced(board: Board, position: Any) -> bool:
    """Return whether a mate in two is forced, as far as a short search sees."""
    try:
        return Solver(board, most=MOST_GUESSED).forces(position, 2)
    except TooHardError:
        return False


def with_piece_in_hand(position: Position, loud: GameOptions, chance: random.Random) -> Position | None:
    """Return the loud position where an officer of the side to move, and every later one, is still to be thrown."""
    own = position.sets[position.mover]
    kinds = [code for code in (N, B, R, Q) if own[code]]
    if not kinds:
        return None
    chosen = chance.choice(kinds)
    later = [code for code in (N, B, R, Q) if list(THROW_ORDER).index(code) > list(THROW_ORDER).index(chosen)]
    gone = 0
    for code in later:
        gone |= own[code]
    gone |= BIT[chance.choice(list(scan(own[chosen])))]
    placed = THROWS - list(reversed(THROW_ORDER)).index(chosen) - 1
    kind_at = bytearray(position.kind_at)
    for field in scan(gone):
        kind_at[field] = EMPTY
    mine = tuple(fields & ~gone for fields in own)
    mover = position.mover
    both = (mine, position.sets[1]) if mover == 0 else (position.sets[0], mine)
    left = position.own[mover] & ~gone
    assert mine[K]
    return position._replace(
        rules=rules_of(loud),
        sets=both,
        own=(left, position.own[1]) if mover == 0 else (position.own[0], left),
        kind_at=bytes(kind_at),
        unmoved=position.unmoved & ~gone,
        placed=(placed, THROWS) if mover == 0 else (THROWS, placed),
    )


def thinned(game: AnyGame, position: Any, options: GameOptions, chance: random.Random) -> Any | None:
    """Return the position without one of its men, never a king; None if that is no legal position."""
    board, *rest = text_of(game, position, options).split(" ")
    parts = MEN.findall(board)
    men = [at for at, part in enumerate(parts) if part[0].isalpha() and part[0] not in "Kk"]
    if not men:
        return None
    parts[chance.choice(men)] = "1"
    joined: list[str] = []
    for part in parts:
        if part.isdigit() and joined and joined[-1].isdigit():
            part = str(int(joined.pop()) + int(part))  # noqa: PLW2901
        joined.append(part)
    fewer = game.read(" ".join(["".join(joined), *rest]), options)
    return None if isinstance(fewer, Problem) else fewer


def text_of(game: AnyGame, position: Any, options: GameOptions) -> str:
    """Return a position text without history: no en passant, no lost dart, counters at their start."""
    if isinstance(position, Position):
        pieces, side, _, placed, *_ = position_text(position).split()
        return f"{pieces} {side} - {placed} 0/0 0/0 1"
    parts = game.situation(position, game.options_model(kind=GameKind.SILENT)).text.split()
    ends = {"shatranj": ["0", "1"], "shakti": ["1"]}.get(game.key)
    parts = [*parts[:3], "-", "0", "1"] if ends is None else [*parts[:2], *ends]
    return " ".join(parts + ["0/0"] * (options.kind is GameKind.LOUD))
