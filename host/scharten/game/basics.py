"""The words that every game and the referee share: sides, fields, actions, ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Literal, NewType

Json = Mapping[str, Any]
"""A JSON object that is read."""
MutableJson = dict[str, Any]
"""A JSON object that is being made."""
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
        """0 for White, 1 for Black: the place in pairs such as FOULS."""
        return 0 if self is Side.WHITE else 1


def side_from_word(word: str) -> Side | None:
    """The side called `white` or `black`, or None."""
    return {"white": Side.WHITE, "black": Side.BLACK}.get(word)


class Kind(StrEnum):
    """Whether darts are thrown in a game."""

    SILENT = "silent"
    LOUD = "loud"


class Language(Enum):
    """How a score sheet names the pieces; Dutch is the sources' own and the default."""

    DUTCH = "nl"
    ENGLISH = "en"
    GERMAN = "de"
    FIGURINE = "figurine"


class Reason(StrEnum):
    """How a result came about (rules 7, games 1)."""

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
    FLAG = "flag"
    ARBITER = "arbiter"


class Result(StrEnum):
    """How a game ended (rules 7); the last three only by the arbiter."""

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
        """The result that this end is."""
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
    """A dart that did not do what it was thrown for: why, the move it was meant for, and the bed it hit, if known."""

    foul: Foul
    aim: Move | None = None
    bed: str | None = None

    @property
    def text(self) -> str:
        """The coordinate form, `@-`, behind the move that was tried."""
        return f"{self.aim.text if self.aim else ''}@-"


@dataclass(frozen=True, slots=True)
class Pass:
    """The turn goes over because nothing can be moved."""

    text: str = "--"


Action = Move | Drop | LostDart | Pass


def move_from_text(text: str) -> Move:
    """The move that coordinates name; whether there is such a move, the game says."""
    return Move(FieldName(text[:2]), FieldName(text[2:4]), text[4:])
