"""Chess, silent or loud, on the board of python-chess (games 2)."""

from __future__ import annotations

from typing import ClassVar, Final

import chess

from scharten.errors import Problem
from scharten.game.basics import FieldName, Move, PerSide, Reason, Side
from scharten.game.options import GameOptions
from scharten.game.protocol import Involved, Man
from scharten.games.algebraic import Facts
from scharten.games.chess_position import GRID, Position, leaves
from scharten.games.loud import SquareOptions, fouls_text, parts_of, read_fouls
from scharten.games.square_game import DrawCounts, Judged, SquareGame, Why, not_a_move
from scharten.games.squares import wrong


class Options(SquareOptions):
    """Chess has no options of its own."""


class Chess(SquareGame[Position]):
    """The game of games.md 2, silent or loud; variants override what differs."""

    key = "chess"
    men = "KQRBNP"
    layout = GRID.layout
    options_model: ClassVar[type[SquareOptions]] = Options
    promotions = "qrbn"
    limits = DrawCounts(Reason.FIFTY_MOVES, 100, Reason.SEVENTY_FIVE_MOVES, 150)
    random: ClassVar[bool] = False
    """Whether kings and rooks may castle from wherever they stood."""
    board_type: ClassVar[type[chess.Board]] = chess.Board
    """The board of python-chess, whose moves and ends are the game's; a variant names another."""
    pgn_variants: ClassVar[frozenset[str]] = frozenset({"standard", "chess", "from position"})
    """The names in the PGN header `Variant`, in small letters, that mean this game."""

    @property
    def uci_variant(self) -> str | None:
        """The name that chess engines give this game."""
        return self.board_type.uci_variant

    def begin(self, options: GameOptions) -> Position:
        """Return the board's own opening."""
        return Position(self.board_type())

    def read(self, text: str, options: GameOptions, *, finished: bool = False) -> Position | Problem:
        """Read a FEN of six parts, with FOULS in a loud game; a `Problem` names what is impossible (games 7)."""
        own = self.own(options)
        parts = parts_of(text, "PIECES SIDE CASTLING EP CLOCK MOVE", own)
        if isinstance(parts, Problem):
            return parts
        fouls = read_fouls(parts.pop("FOULS", None), own.foul_limit, finished)
        if isinstance(fouls, Problem):
            return fouls
        letters = GRID.read_rows(parts["PIECES"], self.men + self.men.lower())
        if isinstance(letters, Problem):
            return letters
        try:
            board = self.board_type(" ".join(parts.values()), chess960=self.random)
        except ValueError as error:
            return wrong("fen", f"this is not a position of {self.key}: {error}", "CASTLING EP")
        return self.impossible(board) or Position(board, fouls)

    def impossible(self, board: chess.Board) -> Problem | None:
        """Return what makes a well-formed position unplayable."""
        return _impossible(board)

    def text(self, position: Position, options: SquareOptions) -> str:
        """Return the FEN, with FOULS in a loud game."""
        board = position.board
        return f"{position.epd} {board.halfmove_clock} {board.fullmove_number}{fouls_text(position.fouls, options)}"

    def repetition_key(self, position: Position) -> str:
        """Return men, side to move, castling rights, and en passant where it is legal."""
        return position.epd

    def clock(self, position: Position) -> int:
        """Return the half-moves without capture or pawn move."""
        return position.board.halfmove_clock

    def judge(self, position: Position, options: SquareOptions) -> Judged:
        """Return mate, stalemate, a dead position, a variant's own end, or the moves."""
        return position.judged

    def facts(self, position: Position, move: str) -> Facts:
        """Return the captured man (en passant beside the goal), the castling rook, the promotion."""
        board, given = position.board, position.moves[move]
        if board.is_castling(given):
            left = chess.square_file(given.to_square) < chess.square_file(given.from_square)
            return Facts("K", Involved(rook=self._rook(given)), word="O-O-O" if left else "O-O")
        letter = chess.piece_symbol(board.piece_type_at(given.from_square) or chess.KING).upper()
        becomes = chess.piece_symbol(given.promotion).upper() if given.promotion else ""
        captured = None
        if board.is_en_passant(given):
            captured = FieldName(move[2] + move[1])
        elif board.is_capture(given):
            captured = FieldName(move[2:4])
        return Facts(letter, Involved(captured), becomes)

    def _rook(self, castling: chess.Move) -> FieldName:
        left = castling.to_square < castling.from_square
        return GRID.names[chess.square(0 if left else 7, chess.square_rank(castling.to_square))]

    def position_after(self, position: Position, move: str, fouls: PerSide) -> Position:
        """Return the position after a legal move."""
        found = position.successors.get((move, fouls))
        if found is None:
            found = Position(position.played(position.moves[move]), fouls)
            position.successors.clear()
            position.successors[move, fouls] = found
        return found

    def turn_lost(self, position: Position, fouls: PerSide, *, over: bool) -> Position:
        """Count a lost dart; if it ends the turn, it ends an en passant right too."""
        return Position(position.played(chess.Move.null()) if over else position.board, fouls)

    def why_not(self, position: Position, move: Move, options: SquareOptions) -> Why:
        """Find a castling rule, a promotion, the king in check, an obstacle, or no such step."""
        board = position.board
        origin, to = chess.parse_square(move.origin), chess.parse_square(move.to)
        castling = self._castling(position, origin, to)
        if castling is not None:
            return castling
        if board.color_at(to) is board.turn:
            return "blocked", {"field": move.to}
        pawn = board.piece_type_at(origin) == chess.PAWN
        promoting = pawn and chess.square_rank(to) in (0, 7)
        if promoting != bool(move.promotion):
            return not_a_move("promotion_missing" if promoting else "no_promotion", field=move.to)
        given = chess.Move.from_uci(move.text)
        if board.is_pseudo_legal(given) and not board.is_castling(given):
            played = position.played(given)
            king = played.king(board.turn)
            found = () if king is None else played.attackers(played.turn, king)
            return "leaves_check", {"checkers": _named(tuple(found))}
        return _not_reached(board, origin, to)

    def _castling(self, position: Position, origin: int, to: int) -> Why | None:
        """Return why a king cannot castle, if the move is two fields along the first row."""
        board = position.board
        home = chess.E1 if board.turn else chess.E8
        if board.king(board.turn) != origin or origin != home or abs(to - origin) != 2:
            return None
        left = to < origin
        return castling_why(board, origin, origin + 3 if not left else origin - 4)

    def checkers(self, position: Position) -> tuple[FieldName, ...]:
        """Return the men that check the king."""
        return tuple(GRID.names[at] for at in position.board.checkers())

    def man_at(self, position: Position, field: FieldName) -> Man | None:
        """Return the man on a field."""
        at = GRID.squares.get(field)
        piece = None if at is None else position.board.piece_at(at)
        return Man(Side.WHITE if piece.color else Side.BLACK, piece.symbol().upper()) if piece else None

    def can_win(self, position: Position, side: Side, options: GameOptions) -> bool | None:
        """Return False if the side's men can never mate."""
        return False if position.board.has_insufficient_material(side is Side.WHITE) else None

    def count(self, position: Position, options: GameOptions, depth: int) -> int:
        """Count the leaves after `depth` turns."""
        return leaves(position.board.copy(stack=False), depth)


CHESS: Final = Chess()


def castling_why(board: chess.Board, king: int, rook: int) -> Why:
    """Return the broken rule of castling with this rook (games 3; in chess the same fields)."""
    if not board.clean_castling_rights() & chess.BB_SQUARES[rook]:
        return "castling_moved", {"rook": GRID.names[rook]}
    row, left = 8 * chess.square_rank(king), rook < king
    king_goal, rook_goal = row + (2 if left else 6), row + (3 if left else 5)
    ways = [(king, king_goal), (rook, rook_goal)]
    for at in sorted({at for a, b in ways for at in range(min(a, b), max(a, b) + 1)} - {king, rook}):
        if board.piece_type_at(at):
            return "castling_blocked", {"field": GRID.names[at]}
    for at in range(min(king, king_goal), max(king, king_goal) + 1):
        if attacking := tuple(board.attackers(not board.turn, at)):
            return "castling_check", {"field": GRID.names[at], "checkers": _named(attacking)}
    return "castling_check", {"field": GRID.names[king_goal], "checkers": []}


def _not_reached(board: chess.Board, origin: int, to: int) -> Why:
    """Return an empty goal of a pawn's capture, an obstacle, or not how the man moves."""
    kind = board.piece_type_at(origin) or chess.KING
    files = abs(chess.square_file(origin) - chess.square_file(to))
    rows = (chess.square_rank(to) - chess.square_rank(origin)) * (1 if board.turn else -1)
    if kind == chess.PAWN and rows == 1 and files == 1:
        return not_a_move("nothing_to_take", field=GRID.names[to])
    if kind == chess.PAWN and files == 0 and rows == 1:
        return "blocked", {"field": GRID.names[to]}
    two_step = chess.square_rank(origin) == (1 if board.turn else 6) and rows == 2 and files == 0
    shaped = {
        chess.PAWN: two_step,
        chess.ROOK: 0 in (files, rows),
        chess.BISHOP: files == abs(rows),
        chess.QUEEN: 0 in (files, rows) or files == abs(rows),
    }
    if shaped.get(kind) and origin != to:
        way = (GRID.between(GRID.squares[GRID.names[origin]], GRID.squares[GRID.names[to]]) or []) + [to]
        return "blocked", {"field": next(GRID.names[at] for at in way if board.piece_type_at(at))}
    return not_a_move("not_how_it_moves", piece=chess.piece_symbol(kind).upper())


def _named(squares: tuple[int, ...]) -> list[dict[str, object]]:
    return [{"field": GRID.names[at], "supporters": []} for at in squares]


def _impossible(board: chess.Board) -> Problem | None:
    """Return what makes a well-formed position unplayable."""
    for colour, word in ((chess.WHITE, "white"), (chess.BLACK, "black")):
        kings = len(board.pieces(chess.KING, colour))
        if kings != 1:
            return wrong("kings", f"{word} has {kings} kings instead of exactly one", "PIECES")
    for at in chess.SquareSet(board.pawns & chess.BB_BACKRANKS):
        return wrong("pawn_on_last_row", f"a pawn stands on {GRID.names[at]}, on row 1 or 8", "PIECES")
    if board.status() & chess.STATUS_BAD_CASTLING_RIGHTS:
        words = "castling rights need the king and that rook where they began"
        return wrong("castling", words, "CASTLING")
    if board.status() & chess.STATUS_INVALID_EP_SQUARE:
        words = f"no pawn has just gone two fields past {GRID.names[board.ep_square or 0]}"
        return wrong("en_passant", words, "EP")
    if board.was_into_check():
        waiting, mover = ("black", "white") if board.turn else ("white", "black")
        return wrong("side_in_check", f"{waiting} is in check, but it is {mover}'s turn", "SIDE")
    return None
