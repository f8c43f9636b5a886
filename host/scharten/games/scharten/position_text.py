"""Reading and writing the position string (rules 10)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from scharten.errors import Problem
from scharten.game.basics import PerSide, Side
from scharten.games.scharten.attacks import in_check
from scharten.games.scharten.board import (
    EMPTY,
    KINDS,
    SECTORS,
    THROWS,
    K,
    P,
    Piece,
    PieceKind,
    Ring,
    field_name,
    parse_field,
    piece,
)
from scharten.games.scharten.geometry import FORWARD, LAST, NO_FIELD, scan
from scharten.games.scharten.options import Rules
from scharten.games.scharten.position import Position, place_pieces

SILENT_OPENING: Final = (
    "1R*N*B*Q*K*Q*B*N*R*1r*n*b*q*k*q*b*n*r*/1P*P*P*P*P*P*P*P*P*1p*p*p*p*p*p*p*p*p*/20/20 w - 17/17 0/0 0/0 1"
)
LOUD_OPENING: Final = "5K*9k*4/20/20/20 w - 0/0 0/0 0/0 1"
MAX_TEXT: Final = 400
"""More than the longest position: 80 pieces of two characters and the six other parts."""


def opening(rules: Rules) -> Position:
    """Return the opening of the silent or the loud game (§3, §4)."""
    found = parse_position(LOUD_OPENING if rules.loud else SILENT_OPENING, rules)
    assert isinstance(found, Position)
    return found


def pieces_text(position: Position, unmoved: int) -> str:
    """Return the first part of the position string, with a `*` after the pieces of the set `unmoved`."""
    white, kind_at = position.own[0], position.kind_at
    return "/".join(
        _ring_text(white >> at & _WHOLE_RING, kind_at[at : at + SECTORS], unmoved >> at & _WHOLE_RING)
        for at in _RING_STARTS
    )


@lru_cache(maxsize=4096)
def _ring_text(white: int, kinds: bytes, unmoved: int) -> str:
    """Write one ring; cached, because a turn changes only one or two rings."""
    parts: list[str] = []
    due = 0
    for at, code in enumerate(kinds):
        if code == EMPTY:
            continue
        if at > due:
            parts.append(str(at - due))
        parts.append(_LETTERS[not white >> at & 1][code])
        if unmoved >> at & 1:
            parts.append("*")
        due = at + 1
    return "".join(parts) + (str(SECTORS - due) if due < SECTORS else "")


_RING_STARTS: Final = tuple(ring * SECTORS for ring in Ring)


_WHOLE_RING: Final = (1 << SECTORS) - 1
_LETTERS: Final = tuple(tuple(change(kind.value) for kind in KINDS) for change in (str.upper, str.lower))


def pairs_text(*pairs: tuple[int, int]) -> str:
    """Write counts per side, `17/17 0/0`."""
    return " ".join(f"{white}/{black}" for white, black in pairs)


def position_text(position: Position) -> str:
    """Return the position string (rules 10)."""
    ep = "-" if position.ep == NO_FIELD else field_name(position.ep)
    pieces = pieces_text(position, position.unmoved)
    pairs = pairs_text(position.placed, position.fouls, position.clocks)
    return f"{pieces} {position.side.value} {ep} {pairs} {position.move_number}"


_PAIR: Final = re.compile(r"(0|[1-9]\d{0,5})/(0|[1-9]\d{0,5})", re.ASCII)
_NUMBER: Final = re.compile(r"[1-9]\d{0,5}", re.ASCII)
_TOKEN: Final = re.compile(r"([KQRBNPkqrbnp])(\*?)|([1-9]\d?)(?!\d)", re.ASCII)
_PARTS: Final = ("PIECES", "SIDE", "EP", "PLACED", "FOULS", "CLOCKS", "MOVE")


def parse_position(text: str, rules: Rules) -> Position | Problem:
    """Read and validate a position string under the rules of the game; a `Problem` names the wrong part."""
    if len(text) > MAX_TEXT:
        return _wrong("too_long", f"a position has at most {MAX_TEXT} characters, not {len(text)}", "PIECES")
    parts = text.split()
    if len(parts) != len(_PARTS):
        wanted = " ".join(_PARTS)
        return _wrong("parts", f"a position has seven parts, {wanted}; this has {len(parts)}", wanted)
    board = _read_board(parts[0])
    if isinstance(board, Problem):
        return board
    numbers = _read_pairs(parts)
    if isinstance(numbers, Problem):
        return numbers
    if parts[1] not in ("w", "b"):
        return _wrong("side", f"the side to move is 'w' or 'b', not '{parts[1]}'", "SIDE")
    ep = NO_FIELD if parts[2] == "-" else parse_field(parts[2])
    if ep is None:
        return _wrong("en_passant", f"EP is a field or '-', not '{parts[2]}'", "EP")
    if not _NUMBER.fullmatch(parts[6]):
        return _wrong("move_number", f"the move number is 1 to 999999, not '{parts[6]}'", "MOVE")
    placed, fouls, clocks = numbers
    position = place_pieces(
        rules,
        board,
        Side(parts[1]),
        ep=ep,
        placed=placed,
        fouls=fouls,
        clocks=clocks,
        move_number=int(parts[6]),
    )
    return _impossible(position) or position


def _wrong(code: str, words: str, part: str) -> Problem:
    return Problem(code, words, {"part": part}, f"Look at the part {part}.")


def _read_board(text: str) -> tuple[Piece | None, ...] | Problem:
    rings = text.split("/")
    if len(rings) != len(Ring):
        return _wrong("rings", f"PIECES has four rings joined by '/'; this has {len(rings)}", "PIECES")
    board: list[Piece | None] = []
    for ring, ring_text in zip(Ring, rings, strict=True):
        held = _read_ring(ring, ring_text)
        if isinstance(held, Problem):
            return held
        board += held
    return tuple(board)


def _read_ring(ring: Ring, text: str) -> list[Piece | None] | Problem:
    name = ring.name.lower()
    held: list[Piece | None] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return _wrong("pieces", f"the {name} ring cannot hold '{text[at]}' here: '{text}'", "PIECES")
        letter, star, empty = token.groups()
        if letter:
            side = Side.WHITE if letter.isupper() else Side.BLACK
            held.append(piece(side, PieceKind(letter.upper()), moved=not star))
        else:
            held += [None] * int(empty)
        at = token.end()
    if len(held) != SECTORS:
        return _wrong(
            "ring_length", f"the {name} ring has {len(held)} fields instead of {SECTORS}: '{text}'", "PIECES"
        )
    return held


def _read_pairs(parts: list[str]) -> tuple[PerSide, PerSide, PerSide] | Problem:
    pairs: list[PerSide] = []
    for name, text in zip(_PARTS[3:6], parts[3:6], strict=True):
        match = _PAIR.fullmatch(text)
        if match is None:
            return _wrong(name.lower(), f"{name} is two numbers such as 0/0, not '{text}'", name)
        pairs.append((int(match[1]), int(match[2])))
    return pairs[0], pairs[1], pairs[2]


def _impossible(position: Position) -> Problem | None:
    """Return what makes a well-formed position impossible."""
    for side in Side:
        own = position.sets[side.index]
        kings = own[K].bit_count()
        if kings != 1:
            return _wrong("kings", f"{side.word} has {kings} kings instead of exactly one", "PIECES")
        for field in scan(own[P] & LAST[side.index]):
            words = f"a {side.word} pawn stands on its own last row, on {field_name(field)}"
            return _wrong("pawn_on_last_row", words, "PIECES")
    problem = _wrong_throws(position) or _wrong_en_passant(position)
    if problem is not None:
        return problem
    waiting = position.side.other
    if in_check(position, waiting.index):
        words = f"{waiting.word} is in check, but it is {position.side.word}'s turn"
        return _wrong("side_in_check", words, "SIDE")
    return None


def _wrong_throws(position: Position) -> Problem | None:
    for side in Side:
        placed, fouls = position.placed[side.index], position.fouls[side.index]
        if placed > THROWS:
            return _wrong("placed", f"{side.word} has placed {placed}, more than {THROWS}", "PLACED")
        if placed < THROWS and not position.rules.loud:
            words = f"in a silent game PLACED is 17/17, but {side.word} has {placed}"
            return _wrong("placed", words, "PLACED")
        limit = position.rules.foul_limit[side.index]
        if fouls > limit:
            words = f"{side.word} has {fouls} lost darts in a row, above the limit of {limit}"
            return _wrong("fouls", words, "FOULS")
    return None


def _wrong_en_passant(position: Position) -> Problem | None:
    if position.ep == NO_FIELD:
        return None
    name, mover = field_name(position.ep), position.side.other
    if position.occupied >> position.ep & 1:
        return _wrong("en_passant", f"the en passant field {name} is occupied", "EP")
    ahead = FORWARD[mover.index][position.ep]
    moved_pawns = position.sets[mover.index][P] & ~position.unmoved
    if ahead == NO_FIELD or not moved_pawns >> ahead & 1:
        words = f"no moved {mover.word} pawn stands one step ahead of the en passant field {name}"
        return _wrong("en_passant", words, "EP")
    return None


def finished_by_fouls(position: Position) -> Problem | None:
    """Refuse a position whose game is over by fogling."""
    for side in Side:
        fouls = position.fouls[side.index]
        if fouls >= position.rules.foul_limit[side.index]:
            words = f"{side.word} has {fouls} lost darts in a row: this game is over"
            return _wrong("fouls", words, "FOULS")
    return None
