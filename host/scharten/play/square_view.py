"""The positions of other games as a search sees them: moves, captures, ends and a static value.

A view of chess reads python-chess directly, because the protocol's texts cost ten times as much as its moves.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any, Final, Protocol

import chess

from scharten.errors import Problem
from scharten.game.basics import Action, End, Side, move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame, Situation
from scharten.games.chess import Chess
from scharten.games.chess_position import Position
from scharten.games.loud import counted
from scharten.games.square_game import SquareGame

WORTH: Final = {"P": 100, "N": 300, "B": 320, "R": 500, "Q": 900, "K": 0, "E": 150, "G": 170}
"""The worth by the letter of a man; other letters count 200."""
LEAD: Final = 350
"""The lead in men from which the side ahead drives the other king to the edge."""
_CENTRE: Final = tuple(6 - max(abs(2 * (at % 8) - 7), abs(2 * (at // 8) - 7)) for at in range(64))
"""The worth of a square for a knight or a bishop, -1 to 5."""
_EDGE: Final = tuple(abs(2 * (at % 8) - 7) + abs(2 * (at // 8) - 7) for at in range(64))
"""The distance of a square from the centre, 2 to 14."""


class View(Protocol):
    """One game's positions. Ends are values for the side to move: 1 won, 0 drawn, -1 lost."""

    def key(self, position: Any) -> Hashable:
        """Return a key that is equal for positions that count as the same for repetition."""
        ...

    def end(self, position: Any) -> int | None:
        """Return the value of a finished game, None while it goes on."""
        ...

    def moves(self, position: Any) -> Sequence[str]:
        """Return the legal moves."""
        ...

    def captures(self, position: Any) -> Sequence[str]:
        """Return the moves that a search of captures looks at."""
        ...

    def gain(self, position: Any, move: str) -> int:
        """Return the worth of what a move captures or becomes."""
        ...

    def play_move(self, position: Any, move: str) -> Any:
        """Return the position after a legal move."""
        ...

    def in_check(self, position: Any) -> bool:
        """Return whether the side to move is in check."""
        ...

    def worth(self, position: Any) -> int:
        """Return the static value for the side to move, in hundredths of a pawn."""
        ...


def view_of(game: AnyGame, options: GameOptions) -> View:
    """Return the quickest view of this game."""
    if isinstance(game, Chess):
        return ChessView(game)
    return SquareView(game, options) if isinstance(game, SquareGame) else ProtocolView(game, options)


def _value_of(end: End, side: Side) -> int:
    return 0 if end.winner is None else 1 if end.winner is side else -1


class ProtocolView:
    """A game known by its protocol alone; one position is remembered, because all questions on it come together."""

    def __init__(self, game: AnyGame, options: GameOptions) -> None:
        self._game, self._options = game, options
        self._asked: Any = None
        self._situation: Situation

    def _known(self, position: Any) -> Situation:
        if position is not self._asked:
            self._asked, self._situation = position, self._game.situation(position, self._options)
        return self._situation

    def key(self, position: Any) -> Hashable:
        """Return the referee's own key."""
        return self._known(position).key

    def end(self, position: Any) -> int | None:
        """Return what the board decides; a draw that may be claimed counts as drawn."""
        situation = self._known(position)
        if situation.end is not None:
            return _value_of(situation.end, situation.side)
        if situation.claims or not (situation.moves or situation.forced):
            return 0
        return None

    def moves(self, position: Any) -> Sequence[str]:
        """Return the moves, or the forced pass."""
        situation = self._known(position)
        return situation.moves or (() if situation.forced is None else (situation.forced.text,))

    def captures(self, position: Any) -> Sequence[str]:
        """Return the moves onto an enemy's field."""
        return [move for move in self._known(position).moves if self.gain(position, move)]

    def gain(self, position: Any, move: str) -> int:
        """Return the worth of the man on the goal."""
        man = self._game.man_at(position, move_from_text(move).to)
        return WORTH.get(man.letter, 200) if man and man.side is not self._known(position).side else 0

    def play_move(self, position: Any, move: str) -> Any:
        """Return the position after a move or a pass."""
        forced = self._known(position).forced
        action: Action = forced if forced is not None and forced.text == move else move_from_text(move)
        played = self._game.play(position, action, self._options)
        assert not isinstance(played, Problem)
        return played.position

    def in_check(self, position: Any) -> bool:
        """Return whether a king is in check."""
        return bool(self._known(position).check)

    def worth(self, position: Any) -> int:
        """Return the value of men and freedom."""
        situation = self._known(position)
        return self._men(position, situation.side) + 2 * len(situation.moves)

    def _men(self, position: Any, side: Side) -> int:
        total = 0
        for field in self._game.layout.fields:
            man = self._game.man_at(position, field)
            if man is not None:
                worth = WORTH.get(man.letter, 200)
                total += worth if man.side is side else -worth
        return total


_WHITE_WORTH: Final = {
    written: worth if written.isupper() else -worth
    for letter, worth in {**WORTH, "W": 200}.items()
    for written in (letter, letter.lower())
}


class SquareView(ProtocolView):
    """A game on squares, by what it judges instead of by the texts of its situation."""

    def __init__(self, game: SquareGame[Any], options: GameOptions) -> None:
        super().__init__(game, options)
        self._squares, self._own = game, game.own(options)

    def key(self, position: Any) -> Hashable:
        """Return the referee's own key, with lost darts."""
        return self._squares.repetition_key(position), position.fouls

    def end(self, position: Any) -> int | None:
        """Return what the board decides, or a draw where progress has been missing for too long."""
        judged, limits = self._squares.judge(position, self._own), self._squares.limits
        if judged.end is not None:
            return _value_of(judged.end, position.side)
        return 0 if limits is not None and self._squares.clock(position) >= limits.claim_at else None

    def moves(self, position: Any) -> Sequence[str]:
        """Return the moves, or the forced pass."""
        judged = self._squares.judge(position, self._own)
        return judged.moves or (() if judged.forced is None else (judged.forced.text,))

    def captures(self, position: Any) -> Sequence[str]:
        """Return the moves onto an enemy's field."""
        judged = self._squares.judge(position, self._own)
        return [move for move in judged.moves if self.gain(position, move)]

    def gain(self, position: Any, move: str) -> int:
        """Return the worth of the man on the goal."""
        man = self._game.man_at(position, move_from_text(move).to)
        return WORTH.get(man.letter, 200) if man and man.side is not position.side else 0

    def play_move(self, position: Any, move: str) -> Any:
        """Return the position after a move or a pass."""
        if self._squares.judge(position, self._own).forced is not None:
            return self._squares.turn_lost(position, position.fouls, over=True)
        return self._squares.position_after(
            position, move, counted(position.fouls, position.side, lost=False)
        )

    def in_check(self, position: Any) -> bool:
        """Return whether the king is in check."""
        return bool(self._squares.judge(position, self._own).check)

    def worth(self, position: Any) -> int:
        """Return the value of men and freedom."""
        judged = self._squares.judge(position, self._own)
        men = sum(_WHITE_WORTH.get(letter, 0) for letter in position.letters)
        return (men if position.side is Side.WHITE else -men) + 2 * len(judged.moves)


@lru_cache(maxsize=8192)
def _move(text: str) -> chess.Move:
    """Return a move of python-chess; a search reads the same texts thousands of times."""
    return chess.Move.from_uci(text)


class ChessView:
    """Chess, Fischer Random and their variants, on the boards of python-chess."""

    def __init__(self, game: Chess) -> None:
        assert game.limits is not None
        self._claim_at = game.limits.claim_at

    def key(self, position: Position) -> Hashable:
        """Return men, side, rights, a legal en passant capture, and lost darts."""
        board = position.board
        passing = board.ep_square if board.ep_square and board.has_legal_en_passant() else None
        rights = board.clean_castling_rights()
        sides = (board.occupied_co[True], board.occupied_co[False])
        men = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        return (*men, *sides, board.turn, rights, passing, position.fouls)

    def end(self, position: Position) -> int | None:
        """Return what the board decides; a draw that may be claimed counts as drawn."""
        board = position.board
        if board.is_variant_end():
            return 1 if board.is_variant_win() else -1 if board.is_variant_loss() else 0
        if not any(board.generate_legal_moves()):
            return -1 if board.is_check() else 0
        return 0 if board.halfmove_clock >= self._claim_at or board.is_insufficient_material() else None

    def moves(self, position: Position) -> Sequence[str]:
        """Return the legal moves."""
        return list(position.moves)

    def captures(self, position: Position) -> Sequence[str]:
        """Return captures and promotions to a queen."""
        board = position.board
        found = [move.uci() for move in board.generate_legal_captures() if move.promotion in (None, 5)]
        ready = (
            board.pawns & board.occupied_co[board.turn] & (chess.BB_RANK_7, chess.BB_RANK_2)[not board.turn]
        )
        if ready:
            last = (chess.BB_RANK_8, chess.BB_RANK_1)[not board.turn] & ~board.occupied
            steps = board.generate_legal_moves(ready, last)
            found += [move.uci() for move in steps if move.promotion == chess.QUEEN]
        return found

    def gain(self, position: Position, move: str) -> int:
        """Return the worth of the captured man and of a promotion."""
        board, given = position.board, _move(move)
        taken = board.piece_type_at(given.to_square)
        if taken is not None and board.color_at(given.to_square) is board.turn:
            taken = None  # castling, written as king takes rook
        passing = given.to_square == board.ep_square and board.piece_type_at(given.from_square) == chess.PAWN
        won = _WORTH[chess.PAWN] if passing else _WORTH[taken] if taken else 0
        return won + (_WORTH[given.promotion] - _WORTH[chess.PAWN] if given.promotion else 0)

    def play_move(self, position: Position, move: str) -> Position:
        """Return the position after a move; a completed turn clears lost darts."""
        fouls = counted(position.fouls, position.side, lost=False)
        return Position(position.played(_move(move)), fouls)

    def in_check(self, position: Position) -> bool:
        """Return whether the king is in check."""
        return position.board.is_check()

    def worth(self, position: Position) -> int:
        """Return the value of men, their squares, and of a king driven to the edge."""
        board = position.board
        worth = _side_worth(board, True) - _side_worth(board, False)
        if abs(worth) >= LEAD and not board.pawns:
            worth += _driven(board, worth > 0)
        return worth if board.turn else -worth


_WORTH: Final = {kind: WORTH[chess.piece_symbol(kind).upper()] for kind in range(1, 7)}
_BARE_ENOUGH: Final = 3
"""A king goes to the centre once the enemy has this many officers or fewer."""


def _side_worth(board: chess.Board, white: bool) -> int:
    own = board.occupied_co[white]
    total = 0
    for at in chess.scan_forward(board.pawns & own):
        gone = at >> 3 if white else 7 - (at >> 3)
        total += 100 + gone * gone + (2 * _CENTRE[at] if gone < 5 else 0)
    for at in chess.scan_forward(board.knights & own):
        total += 300 + 8 * _CENTRE[at]
    for at in chess.scan_forward(board.bishops & own):
        total += 320 + 4 * _CENTRE[at]
    total += 500 * (board.rooks & own).bit_count()
    for at in chess.scan_forward(board.queens & own):
        total += 900 + 2 * _CENTRE[at]
    king = board.king(white)
    if king is not None:
        officers = board.occupied_co[not white] & ~board.pawns & ~board.kings
        total += (4 if officers.bit_count() <= _BARE_ENOUGH else -4) * _CENTRE[king]
    return total


def _driven(board: chess.Board, white: bool) -> int:
    """Return what White gains by an enemy king near the edge and kings near each other; negative for Black's gain."""
    mine, theirs = board.king(white), board.king(not white)
    if mine is None or theirs is None:
        return 0
    gained = 8 * _EDGE[theirs] + 5 * (14 - chess.square_manhattan_distance(mine, theirs))
    return gained if white else -gained
