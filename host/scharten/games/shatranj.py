"""Shatranj: chess as the Persians played it, won by mate, by stalemate or by a bare king (games 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal

from scharten.errors import Problem
from scharten.game.basics import End, FieldName, Move, PerSide, Reason, Side
from scharten.game.options import GameOptions
from scharten.game.protocol import Involved, Man
from scharten.games.algebraic import Facts
from scharten.games.loud import NO_FOULS, SquareOptions, fouls_text, parts_of, read_fouls
from scharten.games.shatranj_board import (
    CROSS,
    FORWARD,
    GRID,
    LAST_ROW,
    LETTERS,
    TAKES,
    K,
    P,
    Position,
    R,
    ShatranjMove,
    after_turn,
    attackers,
    bare_state,
    goals,
    leaves,
    swaps,
)
from scharten.games.square_game import DrawCounts, Judged, SquareGame, Why, not_a_move
from scharten.games.squares import Squares, scan, wrong

ROWS: Final = {
    "e": "rnegkenr/pppppppp/8/8/8/8/PPPPPPPP/RNEGKENR",
    "d": "rnekgenr/pppppppp/8/8/8/8/PPPPPPPP/RNEKGENR",
}


class Options(SquareOptions):
    """Shatranj's own options: the kings' line, and whether a stalemated king may swap places with an own man."""

    king_on: Literal["e", "d"] = "e"
    pat_swap: Literal["off", "on"] = "off"


class Shatranj(SquareGame[Position]):
    """The game of games.md 4, silent or loud."""

    key = "shatranj"
    men = LETTERS
    layout = GRID.layout
    options_model = Options
    limits = DrawCounts(Reason.SEVENTY_MOVES, 140, Reason.HUNDRED_MOVES, 200)

    @property
    def uci_variant(self) -> str:
        """The name that chess engines give this game."""
        return "shatranj"

    def begin(self, options: GameOptions) -> Position:
        """Return the opening, with the kings on one line."""
        king_on = options.king_on if isinstance(options, Options) else "e"
        opening = _read(ROWS[king_on], Side.WHITE, 0, NO_FOULS, 1)
        assert isinstance(opening, Position)
        return opening

    def read(self, text: str, options: GameOptions, *, finished: bool = False) -> Position | Problem:
        """Read PIECES SIDE CLOCK MOVE, with FOULS in a loud game (games 7)."""
        own = self.own(options)
        parts = parts_of(text, "PIECES SIDE CLOCK MOVE", own)
        if isinstance(parts, Problem):
            return parts
        fouls = read_fouls(parts.get("FOULS"), own.foul_limit, finished)
        if isinstance(fouls, Problem):
            return fouls
        return _read(parts["PIECES"], Side(parts["SIDE"]), int(parts["CLOCK"]), fouls, int(parts["MOVE"]))

    def text(self, position: Position, options: SquareOptions) -> str:
        """Return the position text."""
        counters = f"{position.clock} {position.number}"
        return f"{self.repetition_key(position)} {counters}{fouls_text(position.fouls, options)}"

    def repetition_key(self, position: Position) -> str:
        """Return men and the side to move."""
        return f"{GRID.rows_text(position.letters)} {position.side.value}"

    def clock(self, position: Position) -> int:
        """Return the half-moves without capture or pawn move."""
        return position.clock

    def judge(self, position: Position, options: SquareOptions) -> Judged:
        """Return mate, bare kings, stalemate or swaps, or moves."""
        mine, turns = position.side, position.turns
        check = (GRID.names[position.king(mine)],) if position.checking else ()
        if check and not turns:
            return Judged((), check, "checkmate", End(mine.other, Reason.CHECKMATE))
        bare = bare_state(position, list(turns.values()))
        if bare == "both_bare":
            return Judged((), check, bare, End(None, Reason.BOTH_BARE))
        if bare == "bare_king":
            winner = mine.other if position.bare(mine) else mine
            return Judged((), check, bare, End(winner, Reason.BARE_KING))
        if turns:
            return Judged(tuple(turns), check, bare or "ongoing")
        if swapped := tuple(self._swaps(position, options)):
            return Judged(swapped, state="must_swap")
        return Judged((), state="stalemate", end=End(mine.other, Reason.STALEMATE))

    def _swaps(self, position: Position, options: GameOptions) -> Mapping[str, ShatranjMove]:
        return swaps(position) if isinstance(options, Options) and options.pat_swap == "on" else {}

    def facts(self, position: Position, move: str) -> Facts:
        """Return the captured man, the promotion to a general, or a swap."""
        turn = _turn(position, move)
        if turn.swap:
            return Facts("K", word=f"K<>{move[2:]}")
        to = FieldName(move[2:])
        becomes = "G" if turn.kind == P and LAST_ROW[position.side.index] >> turn.to & 1 else ""
        return Facts(LETTERS[turn.kind], Involved(to if position.men >> turn.to & 1 else None), becomes)

    def position_after(self, position: Position, move: str, fouls: PerSide) -> Position:
        """Return the position after a legal move."""
        return after_turn(position, _turn(position, move), fouls)

    def turn_lost(self, position: Position, fouls: PerSide, *, over: bool) -> Position:
        """Count a lost dart that ends the turn as a half-move without progress."""
        if not over:
            return replace(position, fouls=fouls)
        return replace(
            position,
            side=position.side.other,
            clock=position.clock + 1,
            fouls=fouls,
            number=position.number + position.side.index,
        )

    def why_not(self, position: Position, move: Move, options: SquareOptions) -> Why:
        """Find a wrong step, an obstacle, or the king in check."""
        origin, to = GRID.squares[move.origin], GRID.squares[move.to]
        mine, goal, kind = position.side.index, 1 << to, position.kind_at(origin)
        own, enemies = position.sides[mine], position.sides[1 - mine]
        assert kind is not None
        if goal & own:
            return (
                not_a_move("no_swap") if kind == K and not position.turns else ("blocked", {"field": move.to})
            )
        if goals(kind, mine, origin, own, enemies) & goal:
            stand = to if kind == K else position.king(position.side)
            men = position.men & ~(1 << origin) | goal
            found = attackers(position.kinds, mine, stand, enemies & ~goal, men)
            return "leaves_check", {"checkers": _checkers(found)}
        if kind == R and CROSS[origin] & goal:
            between = GRID.between(origin, to) or []
            return "blocked", {"field": next(GRID.names[at] for at in between if position.men >> at & 1)}
        if kind == P and to == origin + FORWARD[mine]:
            return "blocked", {"field": move.to}
        if kind == P and TAKES[mine][origin] & goal:
            return not_a_move("nothing_to_take", field=move.to)
        if kind == P and to == origin + 2 * FORWARD[mine]:
            return not_a_move("no_two_step")
        return not_a_move("not_how_it_moves", piece=LETTERS[kind])

    def checkers(self, position: Position) -> tuple[FieldName, ...]:
        """Return the men that check the king."""
        return tuple(GRID.names[at] for at in scan(position.checking))

    def man_at(self, position: Position, field: FieldName) -> Man | None:
        """Return the man on a field."""
        at = GRID.squares.get(field)
        letter = "" if at is None else position.letters[at]
        return Man(Side.WHITE if letter.isupper() else Side.BLACK, letter.upper()) if letter else None

    def can_win(self, position: Position, side: Side, options: GameOptions) -> bool | None:
        """Return None: a side that cannot win has lost by then."""
        return None

    def count(self, position: Position, options: GameOptions, depth: int) -> int:
        """Count the leaves after `depth` turns."""
        return leaves(position, depth, isinstance(options, Options) and options.pat_swap == "on")


SHATRANJ: Final = Shatranj()


def _turn(position: Position, move: str) -> ShatranjMove:
    return position.turns.get(move) or swaps(position)[move]


def _checkers(squares: Squares) -> list[dict[str, object]]:
    return [{"field": GRID.names[at], "supporters": []} for at in scan(squares)]


def _read(pieces: str, side: Side, clock: int, fouls: PerSide, number: int) -> Position | Problem:
    letters = GRID.read_rows(pieces, LETTERS + LETTERS.lower())
    if isinstance(letters, Problem):
        return letters
    for owner in Side:
        king, pawn = (letter if owner is Side.WHITE else letter.lower() for letter in "KP")
        if letters.count(king) != 1:
            words = f"{owner.word} has {letters.count(king)} kings instead of exactly one"
            return wrong("kings", words, "PIECES")
        for at in scan(LAST_ROW[owner.index]):
            if letters[at] == pawn:
                words = f"a {owner.word} pawn stands on its own last row, on {GRID.names[at]}"
                return wrong("pawn_on_last_row", words, "PIECES")
    kinds = tuple(_set(letters, letter + letter.lower()) for letter in LETTERS)
    sides = (_set(letters, LETTERS), _set(letters, LETTERS.lower()))
    position = Position(
        sides, (kinds[0], kinds[1], kinds[2], kinds[3], kinds[4], kinds[5]), side, clock, fouls, number
    )
    if position.attackers(side.other):
        words = f"{side.other.word} is in check, but it is {side.word}'s turn"
        return wrong("side_in_check", words, "SIDE")
    return position


def _set(letters: list[str], wanted: str) -> Squares:
    return sum(1 << at for at, letter in enumerate(letters) if letter and letter in wanted)
