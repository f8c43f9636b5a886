"""Shakti (Christian Freeling, 1982): kings and warriors on tiles that vanish (games 5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from scharten.errors import Problem
from scharten.game.basics import End, FieldName, Move, Pass, PerSide, Reason, Side
from scharten.game.options import GameOptions
from scharten.game.protocol import Involved, Man
from scharten.games.algebraic import Facts
from scharten.games.loud import NO_FOULS, SquareOptions, fouls_text, parts_of, read_fouls
from scharten.games.shakti_board import (
    BESIDE,
    GRID,
    NO_TILE,
    WAYS,
    Position,
    after_turn,
    leaves,
    passed,
    sees,
)
from scharten.games.square_game import Judged, SquareGame, Why, not_a_move
from scharten.games.squares import Square, Squares, scan, wrong

OPENINGS: Final = {
    "tiled": "7/1w1k1w1/7/7/7/1W1K1W1/7 w 1",
    "bare": "_5_/1w1k1w1/7/7/7/1W1K1W1/_5_ w 1",
}


class Options(SquareOptions):
    """Shakti's own option: whether the corners have tiles at the start."""

    corners: Literal["tiled", "bare"] = "tiled"


class Shakti(SquareGame[Position]):
    """The game of games.md 5, silent or loud."""

    key = "shakti"
    men = "KW"
    layout = GRID.layout
    options_model = Options

    def begin(self, options: GameOptions) -> Position:
        """Return the opening with all 49 tiles, or with 45."""
        corners = options.corners if isinstance(options, Options) else "tiled"
        opening = _read(OPENINGS[corners].split()[0], Side.WHITE, NO_FOULS, 1)
        assert isinstance(opening, Position)
        return opening

    def read(self, text: str, options: GameOptions, *, finished: bool = False) -> Position | Problem:
        """Read PIECES SIDE MOVE, with FOULS in a loud game (games 7)."""
        own = self.own(options)
        parts = parts_of(text, "PIECES SIDE MOVE", own)
        if isinstance(parts, Problem):
            return parts
        fouls = read_fouls(parts.get("FOULS"), own.foul_limit, finished)
        if isinstance(fouls, Problem):
            return fouls
        return _read(parts["PIECES"], Side(parts["SIDE"]), fouls, int(parts["MOVE"]))

    def text(self, position: Position, options: SquareOptions) -> str:
        """Return the position text."""
        return f"{self.repetition_key(position)} {position.number}{fouls_text(position.fouls, options)}"

    def repetition_key(self, position: Position) -> str:
        """Return men, tiles and the side to move."""
        return f"{GRID.rows_text(position.letters)} {position.side.value}"

    def clock(self, position: Position) -> int:
        """Return 0: Shakti has no move limit."""
        return 0

    def judge(self, position: Position, options: SquareOptions) -> Judged:
        """Return mate, a dead or blocked board, a pass, or moves."""
        mine = position.side
        check = (GRID.names[position.kings[mine.index]],) if position.checking else ()
        if position.warriors == (0, 0):
            return Judged((), check, "dead", End(None, Reason.DEAD_POSITION))
        moves = tuple(position.turns)
        if moves:
            return Judged(moves, check)
        if check:
            return Judged((), check, "checkmate", End(mine.other, Reason.CHECKMATE))
        if passed(position).turns:
            return Judged((), state="must_pass", forced=Pass())
        return Judged((), state="blocked", end=End(None, Reason.BLOCKED))

    def facts(self, position: Position, move: str) -> Facts:
        """Return the tile that a jump removes, or the warrior that a king captures."""
        turn = position.turns[move]
        gone = GRID.names[turn.gone.bit_length() - 1] if turn.gone else None
        takes = position.men >> turn.to & 1
        king = turn.origin == position.kings[position.side.index]
        return Facts("K" if king else "W", Involved(FieldName(move[2:4]) if takes else None, gone=gone))

    def position_after(self, position: Position, move: str, fouls: PerSide) -> Position:
        """Return the position after a legal move."""
        return after_turn(position, position.turns[move], fouls)

    def turn_lost(self, position: Position, fouls: PerSide, *, over: bool) -> Position:
        """Return the same board: a lost dart changes only the turn and FOULS."""
        return replace(passed(position) if over else position, fouls=fouls)

    def why_not(self, position: Position, move: Move, options: SquareOptions) -> Why:
        """Find a missing tile, an occupied goal, no sight, a king in check who goes too far, or kings in sight."""
        origin, to = GRID.squares[move.origin], GRID.squares[move.to]
        goal, king = 1 << to, position.kings[position.side.index]
        theirs = position.warriors[1 - position.side.index]
        if not position.tiles & goal:
            return "no_tile", {"field": move.to}
        if origin == to:
            return not_a_move("same_field")
        if origin != king and position.checking:
            return "leaves_check", {"checkers": _checkers(position.checking)}
        taking = origin == king and position.checking & goal & BESIDE[king]
        if position.men & goal and not taking:
            return "occupied", {"field": move.to}
        if origin != king:
            return self._warrior_why(position, origin, to)
        if position.checking and not BESIDE[king] & goal:
            return "one_step_in_check", {"field": move.to}
        if not position.sight & goal:
            return _unseen(position, origin, to)
        seen = sees(position.tiles, to)
        if seen & 1 << position.kings[1 - position.side.index]:
            return "kings_see", {"field": move.to}
        return "leaves_check", {"checkers": _checkers(seen & theirs & ~goal)}

    def _warrior_why(self, position: Position, origin: Square, to: Square) -> Why:
        mine, goal = position.side.index, 1 << to
        jumped = next(
            (a for line in WAYS[origin] for a, b in line[position.tiles & line.mask] if b == goal), None
        )
        if jumped is None:
            return _unseen(position, origin, to)
        if jumped & position.men:
            return "occupied", {"field": GRID.names[jumped.bit_length() - 1]}
        seen = sees(position.tiles ^ jumped, position.kings[mine])
        if seen & 1 << position.kings[1 - mine]:
            return "kings_see", {"field": GRID.names[jumped.bit_length() - 1]}
        return "leaves_check", {"checkers": _checkers(seen & position.warriors[1 - mine])}

    def checkers(self, position: Position) -> tuple[FieldName, ...]:
        """The warriors that see the king."""
        return tuple(GRID.names[at] for at in scan(position.checking))

    def man_at(self, position: Position, field: FieldName) -> Man | None:
        """A king, a warrior, or nobody."""
        at = GRID.squares.get(field)
        letter = "" if at is None else position.letters[at]
        if letter in ("", NO_TILE):
            return None
        return Man(Side.WHITE if letter.isupper() else Side.BLACK, letter.upper())

    def can_win(self, position: Position, side: Side, options: GameOptions) -> bool | None:
        """Never without a warrior."""
        return None if position.warriors[side.index] else False

    def count(self, position: Position, options: GameOptions, depth: int) -> int:
        """The leaves after `depth` turns."""
        return leaves(position, depth)


SHAKTI: Final = Shakti()


def _checkers(squares: Squares) -> list[dict[str, object]]:
    return [{"field": GRID.names[at], "supporters": []} for at in scan(squares)]


def _unseen(position: Position, origin: Square, to: Square) -> Why:
    """Not on a line, or tiles between."""
    between = GRID.between(origin, to)
    if between is None:
        return not_a_move("not_on_a_line")
    return "blocked", {"field": next(GRID.names[at] for at in between if position.tiles >> at & 1)}


def _read(pieces: str, side: Side, fouls: PerSide, number: int) -> Position | Problem:
    letters = GRID.read_rows(pieces, f"KWkw{NO_TILE}")
    if isinstance(letters, Problem):
        return letters
    where = {letter: [at for at, held in enumerate(letters) if held == letter] for letter in "KkWw"}
    for owner, king, warrior in ((Side.WHITE, "K", "W"), (Side.BLACK, "k", "w")):
        if len(where[king]) != 1:
            return wrong(
                "kings", f"{owner.word} has {len(where[king])} kings instead of exactly one", "PIECES"
            )
        if len(where[warrior]) > 2:
            words = f"{owner.word} has {len(where[warrior])} warriors, more than two"
            return wrong("warriors", words, "PIECES")
    tiles = sum(1 << at for at, letter in enumerate(letters) if letter != NO_TILE)
    white, black = (sum(1 << at for at in where[letter]) for letter in "Ww")
    position = Position(tiles, (where["K"][0], where["k"][0]), (white, black), side, fouls, number)
    if position.sight & 1 << position.kings[1 - side.index]:
        return wrong("kings_see", "the kings stand in sight of each other", "PIECES")
    if passed(position).checking:
        words = f"{side.other.word} is in check, but it is {side.word}'s turn"
        return wrong("side_in_check", words, "SIDE")
    return position
