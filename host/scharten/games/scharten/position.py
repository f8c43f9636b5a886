"""A position, and the line of text that holds all of it (rules 10)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from scharten.game.basics import Side
from scharten.games.scharten import kernel
from scharten.games.scharten.attacks import FORWARD, NO_FIELD, SIDES
from scharten.games.scharten.board import (
    FIELDS,
    SECTORS,
    Field,
    Kind,
    Piece,
    Ring,
    field_name,
    parse_field,
    piece,
)
from scharten.games.scharten.geometry import LAST_ROW
from scharten.games.scharten.options import RuleOptions

SILENT_OPENING: Final = (
    "1R*N*B*Q*K*Q*B*N*R*1r*n*b*q*k*q*b*n*r*/1P*P*P*P*P*P*P*P*P*1p*p*p*p*p*p*p*p*p*/20/20 w - 17/17 0/0 0/0 1"
)
LOUD_OPENING: Final = "5K*9k*4/20/20/20 w - 0/0 0/0 0/0 1"
MAX_TEXT: Final = 400
"""Longer than any position: 80 pieces of two characters and the six other parts."""


@dataclass(frozen=True, slots=True)
class Position:
    """Everything that decides what may happen next, except the game's options.

    `ep` is the field passed over by the last turn's two-step; `placed` and `fouls` are (White's, Black's);
    `clocks` counts half-moves since the 50-count and the 75-count began.
    """

    board: tuple[Piece | None, ...]
    side: Side
    ep: Field | None
    placed: tuple[int, int]
    fouls: tuple[int, int]
    clocks: tuple[int, int]
    move_number: int

    def piece_at(self, field: Field) -> Piece | None:
        """The piece on the field."""
        return self.board[field]

    def king(self, side: Side) -> Field:
        """Where this side's king stands."""
        return next(f for f in FIELDS if (p := self.board[f]) and p.kind is Kind.KING and p.side is side)


@dataclass(frozen=True, slots=True)
class PositionError:
    """Why a text is not a position: a code, the words for a person, and the part that is wrong."""

    code: str
    words: str
    part: str


def initial_position(options: RuleOptions) -> Position:
    """The opening of the silent or the loud game (§3, §4)."""
    opening = parse_position(LOUD_OPENING if options.loud else SILENT_OPENING, options)
    assert isinstance(opening, Position)
    return opening


def to_throw(position: Position, side: Side) -> int:
    """How many pieces this side has yet to throw."""
    return kernel.THROWS - position.placed[side.index]


def next_kind(position: Position, side: Side) -> Kind | None:
    """What this side's next counted dart puts on the board (§4), or None when all are placed."""
    placed = position.placed[side.index]
    return kernel.KINDS[kernel.THROW_ORDER[placed]] if placed < kernel.THROWS else None


def kernel_state(position: Position, options: RuleOptions) -> kernel.State:
    """The same position in the kernel's form."""
    ep = NO_FIELD if position.ep is None else int(position.ep)
    state = kernel.State(kernel.tables(options), position.side.index, ep, position.placed)
    for field, held in enumerate(position.board):
        if held is not None:
            state.put(held.side.index, kernel.CODES[held.kind], field, not held.moved)
    return state


def board_of(state: kernel.State) -> tuple[Piece | None, ...]:
    """The kernel's pieces as a position's board."""
    white = state.own[0]
    return tuple(
        None
        if code == kernel.EMPTY
        else piece(SIDES[not white >> field & 1], kernel.KINDS[code], not state.unmoved >> field & 1)
        for field, code in enumerate(state.kind_at)
    )


def pieces_text(board: tuple[Piece | None, ...]) -> str:
    """The first part of the position string."""
    return "/".join(_ring_text(board[ring * SECTORS : (ring + 1) * SECTORS]) for ring in Ring)


def _ring_text(ring: tuple[Piece | None, ...]) -> str:
    parts: list[str] = []
    empty = 0
    for held in (*ring, None):
        if held is None:
            empty += 1
            continue
        letter = held.kind.value if held.side is Side.WHITE else held.kind.value.lower()
        parts.append(f"{empty or ''}{letter}{'' if held.moved else '*'}")
        empty = 0
    return "".join(parts) + (str(empty - 1) if empty > 1 else "")


def position_text(position: Position) -> str:
    """The position string (rules 10)."""
    ep = "-" if position.ep is None else field_name(position.ep)
    pairs = (f"{a}/{b}" for a, b in (position.placed, position.fouls, position.clocks))
    parts = (pieces_text(position.board), position.side.value, ep, *pairs, str(position.move_number))
    return " ".join(parts)


_PAIR: Final = re.compile(r"(0|[1-9]\d{0,5})/(0|[1-9]\d{0,5})", re.ASCII)
_NUMBER: Final = re.compile(r"[1-9]\d{0,5}", re.ASCII)
_TOKEN: Final = re.compile(r"([KQRBNPkqrbnp])(\*?)|([1-9]\d?)(?!\d)", re.ASCII)
_PARTS: Final = ("PIECES", "SIDE", "EP", "PLACED", "FOULS", "CLOCKS", "MOVE")


def parse_position(text: str, options: RuleOptions) -> Position | PositionError:
    """Read and validate a position string under the game's options; what is wrong is named."""
    if len(text) > MAX_TEXT:
        return PositionError(
            "too_long", f"a position has at most {MAX_TEXT} characters, not {len(text)}", "PIECES"
        )
    parts = text.split()
    if len(parts) != len(_PARTS):
        wanted = " ".join(_PARTS)
        return PositionError("parts", f"a position has seven parts, {wanted}; this has {len(parts)}", wanted)
    board = _read_board(parts[0])
    if isinstance(board, PositionError):
        return board
    numbers = _read_pairs(parts)
    if isinstance(numbers, PositionError):
        return numbers
    if parts[1] not in ("w", "b"):
        return PositionError("side", f"the side to move is 'w' or 'b', not '{parts[1]}'", "SIDE")
    ep = None if parts[2] == "-" else parse_field(parts[2])
    if ep is None and parts[2] != "-":
        return PositionError("en_passant", f"EP is a field or '-', not '{parts[2]}'", "EP")
    if not _NUMBER.fullmatch(parts[6]):
        return PositionError("move_number", f"the move number is 1 to 999999, not '{parts[6]}'", "MOVE")
    placed, fouls, clocks = numbers
    position = Position(board, Side(parts[1]), ep, placed, fouls, clocks, int(parts[6]))
    return _problem(position, options) or position


def _read_board(text: str) -> tuple[Piece | None, ...] | PositionError:
    rings = text.split("/")
    if len(rings) != len(Ring):
        return PositionError("rings", f"PIECES has four rings joined by '/'; this has {len(rings)}", "PIECES")
    board: list[Piece | None] = []
    for ring, ring_text in zip(Ring, rings, strict=True):
        held = _read_ring(ring, ring_text)
        if isinstance(held, PositionError):
            return held
        board += held
    return tuple(board)


def _read_ring(ring: Ring, text: str) -> list[Piece | None] | PositionError:
    name = ring.name.lower()
    held: list[Piece | None] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return PositionError(
                "pieces", f"the {name} ring cannot hold '{text[at]}' here: '{text}'", "PIECES"
            )
        letter, star, empty = token.groups()
        if letter:
            side = Side.WHITE if letter.isupper() else Side.BLACK
            held.append(piece(side, Kind(letter.upper()), moved=not star))
        else:
            held += [None] * int(empty)
        at = token.end()
    if len(held) != SECTORS:
        return PositionError(
            "ring_length", f"the {name} ring has {len(held)} fields instead of {SECTORS}: '{text}'", "PIECES"
        )
    return held


_Pair = tuple[int, int]


def _read_pairs(parts: list[str]) -> tuple[_Pair, _Pair, _Pair] | PositionError:
    pairs: list[_Pair] = []
    for name, text in zip(_PARTS[3:6], parts[3:6], strict=True):
        match = _PAIR.fullmatch(text)
        if match is None:
            return PositionError(name.lower(), f"{name} is two numbers such as 0/0, not '{text}'", name)
        pairs.append((int(match[1]), int(match[2])))
    return pairs[0], pairs[1], pairs[2]


def _problem(position: Position, options: RuleOptions) -> PositionError | None:
    """What makes a well-formed position impossible."""
    for side in Side:
        kings = sum(p is not None and p.kind is Kind.KING and p.side is side for p in position.board)
        if kings != 1:
            return PositionError("kings", f"{side.word} has {kings} kings instead of exactly one", "PIECES")
        for field in sorted(LAST_ROW[side]):
            held = position.board[field]
            if held is not None and held.side is side and held.kind is Kind.PAWN:
                words = f"a {side.word} pawn stands on its own last row, on {field_name(field)}"
                return PositionError("pawn_on_last_row", words, "PIECES")
    problem = _throws_problem(position, options) or _ep_problem(position)
    if problem is not None:
        return problem
    waiting = position.side.other
    if kernel.in_check(kernel_state(position, options), waiting.index):
        words = f"{waiting.word} is in check, but it is {position.side.word}'s turn"
        return PositionError("side_in_check", words, "SIDE")
    return None


def _throws_problem(position: Position, options: RuleOptions) -> PositionError | None:
    for side in Side:
        placed, fouls = position.placed[side.index], position.fouls[side.index]
        if placed > kernel.THROWS:
            return PositionError(
                "placed", f"{side.word} has placed {placed}, more than {kernel.THROWS}", "PLACED"
            )
        if placed < kernel.THROWS and not options.loud:
            words = f"in a silent game PLACED is 17/17, but {side.word} has {placed}"
            return PositionError("placed", words, "PLACED")
        limit = options.foul_limit[side.index]
        if fouls > limit:
            words = f"{side.word} has {fouls} lost darts in a row, above the limit of {limit}"
            return PositionError("fouls", words, "FOULS")
    return None


def _ep_problem(position: Position) -> PositionError | None:
    if position.ep is None:
        return None
    name = field_name(position.ep)
    if position.board[position.ep] is not None:
        return PositionError("en_passant", f"the en passant field {name} is occupied", "EP")
    mover = position.side.other
    ahead = FORWARD[mover.index][position.ep]
    held = None if ahead == NO_FIELD else position.board[ahead]
    if held is None or held.side is not mover or held.kind is not Kind.PAWN or not held.moved:
        words = f"no moved {mover.word} pawn stands one step ahead of the en passant field {name}"
        return PositionError("en_passant", words, "EP")
    return None


def finished_by_fouls(position: Position, options: RuleOptions) -> PositionError | None:
    """The refusal of a position whose game is over by fogling, for those who need one still being played."""
    for side in Side:
        if position.fouls[side.index] >= options.foul_limit[side.index]:
            words = f"{side.word} has {position.fouls[side.index]} lost darts in a row: this game is over"
            return PositionError("fouls", words, "FOULS")
    return None
