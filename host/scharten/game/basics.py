"""The terms that all games and the referee share: sides, fields, actions, ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Literal, NewType

Json = Mapping[str, Any]
"""A JSON object to read."""
MutableJson = dict[str, Any]
"""A JSON object under construction."""
PerSide = tuple[int, int]
"""A count per side, White's first."""
FieldName = NewType("FieldName", str)
"""A field by its coordinate, such as `e4`: two characters in every game, and the contract's own text."""


class Side(Enum):
    """The two players."""

    WHITE = "w"
    BLACK = "b"

    @property
    def other(self) -> Side:
        """The opponent."""
        return Side.BLACK if self is Side.WHITE else Side.WHITE

    @property
    def word(self) -> str:
        """`white` or `black`, as messages and options write it."""
        return "white" if self is Side.WHITE else "black"

    @property
    def index(self) -> int:
        """The place in pairs such as FOULS: 0 for White, 1 for Black."""
        return 0 if self is Side.WHITE else 1


def side_from_word(word: str) -> Side | None:
    """Return the side called `white` or `black`, or None."""
    return {"white": Side.WHITE, "black": Side.BLACK}.get(word)


class Kind(StrEnum):
    """A silent game has no darts."""

    SILENT = "silent"
    LOUD = "loud"


class Reason(StrEnum):
    """The reason of a result (rules 7, games 1)."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    DEAD_POSITION = "dead_position"
    FOGLING = "fogling"
    MISSED_IN_CHECK = "missed_in_check"
    RESIGNATION = "resignation"
    AGREEMENT = "agreement"
    REPETITION = "repetition"
    FIFTY_MOVES = "fifty_moves"
    SEVENTY_FIVE_MOVES = "seventy_five_moves"
    BARE_KING = "bare_king"
    BOTH_BARE = "both_bare"
    BLOCKED = "blocked"
    SEVENTY_MOVES = "seventy_moves"
    HUNDRED_MOVES = "hundred_moves"
    GOAL = "goal"
    FLAG = "flag"
    ARBITER = "arbiter"


class Result(StrEnum):
    """The result of a game (rules 7); only the arbiter gives the last three."""

    WHITE_WINS = "1-0"
    BLACK_WINS = "0-1"
    DRAW = "½-½"
    BOTH_LOSE = "0-0"
    WHITE_HALF = "½-0"
    BLACK_HALF = "0-½"


NotAMove = Literal[
    "castling", "empty", "game_over", "king_cannot_be_captured", "no_promotion", "no_promotion_piece",
    "no_such_field", "no_such_promotion", "no_such_turn", "no_swap", "no_two_step", "not_beside",
    "not_how_it_moves", "not_on_a_line", "not_on_home_row", "not_yours", "nothing_to_capture",
    "nothing_to_take", "nothing_to_throw", "outside_zone", "pattern", "pawn_has_moved",
    "promotion_missing", "promotion_not_due", "same_field",
]  # fmt: skip
"""The `reason` beside the code `not_a_move`: why no piece moves like that."""


class Foul(StrEnum):
    """Why a dart is lost (rules 6, games 6)."""

    OUTSIDE_ZONE = "outside_zone"
    OCCUPIED = "occupied"
    BULL = "bull"
    WRONG_COLOUR = "wrong_colour"
    OFF_BOARD = "off_board"
    BOUNCE_OUT = "bounce_out"
    DECLARED = "declared"
    MISSED_IN_CHECK = "missed_in_check"


@dataclass(frozen=True, slots=True)
class End:
    """The game is over: `winner` is None for a draw."""

    winner: Side | None
    reason: Reason

    @property
    def result(self) -> Result:
        """The result of this end."""
        if self.winner is None:
            return Result.DRAW
        return Result.WHITE_WINS if self.winner is Side.WHITE else Result.BLACK_WINS


@dataclass(frozen=True, slots=True)
class Move:
    """A move by coordinates; `promotion` is the small letter of the new piece, or empty."""

    origin: FieldName
    to: FieldName
    promotion: str = ""

    @property
    def text(self) -> str:
        """The coordinate form, `e2e4` or `e7e8q`; no two moves of a position share it."""
        return f"{self.origin}{self.to}{self.promotion}"


@dataclass(frozen=True, slots=True)
class Drop:
    """A dart puts the thrower's next piece on a field."""

    field: FieldName

    @property
    def text(self) -> str:
        """The coordinate form, `@c3`."""
        return f"@{self.field}"


@dataclass(frozen=True, slots=True)
class LostDart:
    """A lost dart: the foul, the intended move, and the bed, if known."""

    foul: Foul
    aim: Move | None = None
    bed: str | None = None

    @property
    def text(self) -> str:
        """The coordinate form, `@-`, behind the intended move."""
        return f"{self.aim.text if self.aim else ''}@-"


@dataclass(frozen=True, slots=True)
class Pass:
    """The turn of a side that cannot move."""

    text: str = "--"


Action = Move | Drop | LostDart | Pass


def move_from_text(text: str) -> Move:
    """Return the move that coordinates name, legal or not."""
    return Move(FieldName(text[:2]), FieldName(text[2:4]), text[4:])
