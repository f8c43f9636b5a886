"""The positions of each game as the solver sees them: turns, what they lead to, check and the end (rules 11).

Turns are those that a count of positions has: every dart hits, no dart is lost, and draws by repetition or by the
number of moves do not occur.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Protocol

from scharten.game.basics import Drop, End, Move, Pass, Reason, move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.games.chess import Chess
from scharten.games.chess_position import Position as ChessPosition
from scharten.games.loud import NO_FOULS, needed_field
from scharten.games.scharten.actions import action_of
from scharten.games.scharten.attacks import in_check
from scharten.games.scharten.board import EMPTY, parse_field
from scharten.games.scharten.geometry import NO_FIELD, scan
from scharten.games.scharten.position import Position, after_move, after_placement
from scharten.games.scharten.turns import Turn, Turns
from scharten.games.square_game import SquareGame

PASS = Pass().text


class Board(Protocol):
    """One game's positions for the solver; a turn is its coordinates, `e2e4`, `@c3` or `--`."""

    only_mate_wins: bool
    """Whether the board gives a win by mate alone."""

    def reached(self, position: Any) -> Iterator[tuple[str, Any]]:
        """Yield every turn with the position after it, in a fixed order; nothing in a finished game."""
        ...

    def checks(self, position: Any) -> Iterator[tuple[str, Any]]:
        """Yield the turns after which the other side is in check."""
        ...

    def in_check(self, position: Any) -> bool:
        """Return whether the side to move is in check."""
        ...

    def mated(self, position: Any) -> bool:
        """Return whether the side to move is mated: no move and no dart ends the check."""
        ...

    def result(self, position: Any) -> int | None:
        """Return the end for the side to move: 1 won, 0 drawn, -1 lost; None while the game goes on."""
        ...

    def key(self, position: Any) -> Hashable:
        """Return a key that is equal for positions with the same turns."""
        ...

    def dart(self, position: Any, turn: str) -> bool:
        """Return whether this turn needs a dart."""
        ...

    def taking(self, position: Any, turn: str) -> bool:
        """Return whether this turn captures something."""
        ...


def board_of(game: AnyGame, options: GameOptions) -> Board | None:
    """Return the solver's view of a game, None for a game without problems."""
    if game.key == "scharten":
        return SchartenBoard()
    if isinstance(game, Chess):
        return ChessBoard(game, options)
    return SquareBoard(game, options) if isinstance(game, SquareGame) else None


class SchartenBoard:
    """Scharten, silent or loud."""

    only_mate_wins = True

    def reached(self, position: Position) -> Iterator[tuple[str, Position]]:
        """Yield moves, then placements of the next piece."""
        turns = Turns(position)
        for turn in turns.moves():
            yield _text(turn), after_move(position, *turn)
        for field in scan(turns.placements()):
            yield _text((NO_FIELD, field, EMPTY)), after_placement(position, field)

    def checks(self, position: Position) -> Iterator[tuple[str, Position]]:
        """Yield the turns that give check."""
        turns, other = Turns(position), 1 - position.mover
        for turn in turns.moves():
            child = after_move(position, *turn)
            if in_check(child, other):
                yield _text(turn), child
        for field in scan(turns.placements()):
            child = after_placement(position, field)
            if in_check(child, other):
                yield _text((NO_FIELD, field, EMPTY)), child

    def in_check(self, position: Position) -> bool:
        """Return whether the king could be captured."""
        return in_check(position, position.mover)

    def mated(self, position: Position) -> bool:
        """Return whether neither a move nor a placement ends the check."""
        if not in_check(position, position.mover):
            return False
        turns = Turns(position)
        return turns.stuck and not turns.placements()

    def result(self, position: Position) -> int | None:
        """Return -1 for a mate, 0 where the side to move has neither a turn nor a piece to throw."""
        turns = Turns(position)
        if turns.placements() or (turns.moves() and not turns.stuck):
            return None
        if turns.checked and turns.stuck:
            return -1
        return 0 if not position.to_throw(position.side) else None

    def key(self, position: Position) -> Hashable:
        """Return everything but clocks and the move number."""
        mover, sets, unmoved = position.mover, position.sets, position.unmoved
        return mover, sets, unmoved, position.ep, position.placed

    def dart(self, position: Position, turn: str) -> bool:
        """Return whether this is a placement."""
        return turn.startswith("@")

    def taking(self, position: Position, turn: str) -> bool:
        """Return whether something stands on the goal."""
        if turn.startswith("@"):
            return False
        at = parse_field(turn[2:4])
        return at is not None and position.kind_at[at] != EMPTY


def _text(turn: Turn) -> str:
    return action_of(turn).text


class ChessBoard:
    """Chess and its variants, on the boards of python-chess."""

    only_mate_wins = True

    def __init__(self, game: Chess, options: GameOptions) -> None:
        self._game, self._loud = game, game.own(options).loud

    def reached(self, position: ChessPosition) -> Iterator[tuple[str, ChessPosition]]:
        """Yield the legal moves."""
        board = position.board
        if not board.is_insufficient_material():
            for move in board.legal_moves:
                yield move.uci(), ChessPosition(position.played(move))

    def checks(self, position: ChessPosition) -> Iterator[tuple[str, ChessPosition]]:
        """Yield the legal moves that give check."""
        board = position.board
        for move in board.legal_moves:
            if board.gives_check(move):
                yield move.uci(), ChessPosition(position.played(move))

    def in_check(self, position: ChessPosition) -> bool:
        """Return whether the king is attacked."""
        return position.board.is_check()

    def mated(self, position: ChessPosition) -> bool:
        """Return whether no move ends the check."""
        return position.board.is_checkmate()

    def result(self, position: ChessPosition) -> int | None:
        """Return -1 for a mate, 0 for stalemate or a dead position."""
        board = position.board
        if not any(board.generate_legal_moves()):
            return -1 if board.is_check() else 0
        return 0 if board.is_insufficient_material() else None

    def key(self, position: ChessPosition) -> Hashable:
        """Return men, side to move and rights."""
        board = position.board
        men = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        return (*men, *board.occupied_co, board.turn, board.castling_rights, board.ep_square)

    def dart(self, position: ChessPosition, turn: str) -> bool:
        """Return whether the move captures in a loud game."""
        return self._loud and self.taking(position, turn)

    def taking(self, position: ChessPosition, turn: str) -> bool:
        """Return whether the move captures."""
        return self._game.facts(position, turn).involved.captured is not None


class SquareBoard:
    """Shatranj and Shakti, by what they judge."""

    def __init__(self, game: SquareGame[Any], options: GameOptions) -> None:
        self._game, self._own = game, game.own(options)
        self.only_mate_wins = game.key == "shakti"

    def reached(self, position: Any) -> Iterator[tuple[str, Any]]:
        """Yield the moves, or the forced pass."""
        game = self._game
        judged = game.judge(position, self._own)
        for move in judged.moves:
            yield move, game.position_after(position, move, NO_FOULS)
        if judged.forced is not None:
            yield PASS, game.turn_lost(position, NO_FOULS, over=True)

    def checks(self, position: Any) -> Iterator[tuple[str, Any]]:
        """Yield the moves that give check."""
        for turn, child in self.reached(position):
            if child.checking:
                yield turn, child

    def in_check(self, position: Any) -> bool:
        """Return whether the king is attacked."""
        return bool(position.checking)

    def mated(self, position: Any) -> bool:
        """Return whether no move ends the check."""
        if not position.checking or position.turns:
            return False
        end = self._game.judge(position, self._own).end
        return end is not None and end.reason is Reason.CHECKMATE

    def result(self, position: Any) -> int | None:
        """Return what the board decides."""
        end: End | None = self._game.judge(position, self._own).end
        if end is None:
            return None
        return 0 if end.winner is None else 1 if end.winner is position.side else -1

    def key(self, position: Any) -> Hashable:
        """Return men, tiles and the side to move."""
        return self._game.repetition_key(position)

    def dart(self, position: Any, turn: str) -> bool:
        """Return whether the move takes a man or a tile in a loud game."""
        return self._own.loud and turn != PASS and self._needs_dart(position, turn)

    def taking(self, position: Any, turn: str) -> bool:
        """Return whether the move takes a man or a tile."""
        return turn != PASS and self._needs_dart(position, turn)

    def _needs_dart(self, position: Any, turn: str) -> bool:
        return needed_field(self._game.facts(position, turn).involved, move_from_text(turn)) is not None


def action_from(turn: str) -> Move | Drop | Pass:
    """Return the action that a turn's coordinates name."""
    if turn == PASS:
        return Pass()
    if turn.startswith("@"):
        return Drop(move_from_text(turn[1:]).origin)
    return move_from_text(turn)
