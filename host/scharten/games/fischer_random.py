"""Fischer Random: chess from a drawn first row, with castling from wherever king and rook stood (games 3)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import chess
from pydantic import AfterValidator, Field, model_validator

from scharten.dartboard.beds import Bed
from scharten.errors import Problem
from scharten.game.basics import FieldName
from scharten.game.options import GameOptions
from scharten.game.protocol import Drawn
from scharten.games.chess import Chess, castling_why
from scharten.games.chess_position import GRID, Position
from scharten.games.draw import CLASSICAL, OpeningDraw, digest_of, row_of
from scharten.games.draw_sheet import draw_headers, draw_row, shown_steps, throws_text
from scharten.games.loud import SquareOptions
from scharten.games.square_game import Why
from scharten.games.squares import wrong


def _not_classical(number: int | None) -> int | None:
    if number == CLASSICAL:
        raise ValueError(f"{CLASSICAL} is the classical position, which Fischer Random excludes")
    return number


class Options(SquareOptions):
    """The way to find the opening, and the agreed number for `number`."""

    opening_by: Literal["lot", "dice", "darts", "number"] = "lot"
    opening_number: Annotated[Annotated[int, Field(ge=0, le=959)] | None, AfterValidator(_not_classical)] = (
        None
    )

    @model_validator(mode="after")
    def _agreed(self) -> Options:
        if (self.opening_by == "number") is (self.opening_number is None):
            raise ValueError("opening_number belongs to opening_by = number, and to nothing else")
        return self


class FischerRandom(Chess):
    """The game of games.md 3, silent or loud."""

    key = "fischer_random"
    options_model = Options
    random = True
    pgn_variants = frozenset({"chess960", "fischerandom", "fischer random"})

    def __init__(self) -> None:
        super().__init__()
        self.draws = OpeningDraws(self)

    def begin(self, options: GameOptions) -> Position:
        """Return the agreed opening, or before the draw the pawns alone."""
        if isinstance(options, Options) and options.opening_number is not None:
            return self.opening(options.opening_number)
        return self.partly(())

    def impossible(self, board: chess.Board) -> Problem | None:
        """Return what makes a position unplayable; the classical opening is none of this game's."""
        if board.chess960_pos(ignore_turn=True) == CLASSICAL:
            words = f"this is the classical opening, number {CLASSICAL}, which Fischer Random excludes"
            return wrong("classical", words, "PIECES")
        return super().impossible(board)

    def opening(self, number: int) -> Position:
        """Return the opening of a number, 0 to 959."""
        return Position(chess.Board.from_chess960_pos(number))

    def partly(self, choices: tuple[int, ...]) -> Position:
        """Return the men that the steps of a draw have placed so far: not a playable position."""
        board = chess.Board(None, chess960=True)
        rows = (
            (True, "P" * 8, 1),
            (False, "p" * 8, 6),
            (True, row_of(choices), 0),
            (False, row_of(choices), 7),
        )
        for colour, letters, rank in rows:
            for file, letter in enumerate(letters):
                if letter:
                    kind = chess.PIECE_SYMBOLS.index(letter.lower())
                    board.set_piece_at(chess.square(file, rank), chess.Piece(kind, colour))
        return Position(board)

    def _castling(self, position: Position, origin: int, to: int) -> Why | None:
        """Return why a king cannot castle with the own rook that the move names."""
        board = position.board
        own_rook = board.piece_at(to) == chess.Piece(chess.ROOK, board.turn)
        return castling_why(board, origin, to) if own_rook and origin == board.king(board.turn) else None

    def _rook(self, castling: chess.Move) -> FieldName:
        return GRID.names[castling.to_square]


class OpeningDraws:
    """The draw by lot, dice or darts; the throws alternate from seat 1."""

    def __init__(self, game: FischerRandom) -> None:
        self._game = game

    def begin(self, options: GameOptions, match: str, seed: str) -> OpeningDraw | None:
        """Begin a draw; None for an agreed number."""
        by = options.opening_by if isinstance(options, Options) else "number"
        return None if by == "number" else OpeningDraw(by, seed, match=match)

    def dart(self, draw: OpeningDraw, bed: Bed) -> OpeningDraw | Problem:
        """Count a dart in any ring of a number."""
        return draw.dart(bed)

    def die(self, draw: OpeningDraw, value: int) -> OpeningDraw | Problem:
        """Count a die; one that is too high is repeated."""
        return draw.die(value)

    def correct(self, draw: OpeningDraw, bed: Bed) -> OpeningDraw | Problem:
        """Correct the last dart, which keeps its offset."""
        return draw.corrected(bed)

    def next_round(self, draw: OpeningDraw) -> OpeningDraw | Problem:
        """Begin the next round with new offsets, since players have seen the old ones."""
        if draw.number is not None:
            return Problem(
                "not_allowed", "the opening is drawn: only a new game draws again", {"why": "drawn"}
            )
        if not draw.of_round(draw.round):
            return Problem("not_allowed", "no throw of this round has counted", {"why": "no_dart"})
        return draw.next_round()

    def answer(self, throws: str, flags: str) -> str | Problem:
        """Return NUMBER POSITION."""
        found = draw_row(throws, flags)
        return found if isinstance(found, Problem) else f"{found} {self._game.opening(found).board.fen()}"

    def drawn(self, draw: OpeningDraw) -> Drawn:
        """Return the progress; the envelope's seed stays hidden until the last dart."""
        number = draw.number
        return Drawn(
            waits_for="" if number is not None else draw.by,
            to_throw=draw.counted % 2,
            thrown=len(draw.throws),
            text=f"{draw.by} {draw.round} {throws_text(draw)}",
            shown={
                "by": draw.by,
                "digest": None if draw.by == "dice" else digest_of(draw.match, draw.seed),
                "seed": draw.seed if number is not None and draw.by != "dice" else None,
                "number": number,
                "steps": shown_steps(draw),
                "to_throw": None if number is not None else f"seat{draw.counted % 2 + 1}",
            },
        )

    def headers(self, draw: OpeningDraw) -> tuple[tuple[str, str], ...]:
        """Return no headers before the end: the envelope is still sealed."""
        if draw.number is None:
            return ()
        return draw_headers(draw.by, draw.number, draw.match, draw.seed, None if draw.by == "lot" else draw)

    def position(self, draw: OpeningDraw) -> Position:
        """Return the men placed so far."""
        return self._game.partly(draw.choices) if draw.number is None else self._game.opening(draw.number)


FISCHER_RANDOM: Final = FischerRandom()
