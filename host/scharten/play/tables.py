"""Exact endgames of silent games with default options: a king and one or two men against a lone king.

This module looks up positions, and reads and writes tables with a checksum; `retrograde` computes them.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable
from typing import Final

import numpy as np

from scharten.errors import Problem
from scharten.game.basics import Kind
from scharten.games.scharten.board import DEPTHS, EMPTY, FIELDS, KINDS, SECTORS, THROWS, K, P, R
from scharten.games.scharten.geometry import BIT, NO_FIELD, scan
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, king_of
from scharten.play.endgame_board import (
    FRESH,
    NOWHERE,
    ROWS,
    Men,
    Placements,
    fields_of,
    number_of,
    placements_of,
    shape,
)
from scharten.play.retrograde import ILLEGAL, ORDER, Counts, Table

VERSION: Final = 2
RULES: Final = rules_of(Options(kind=Kind.SILENT))
"""The rules of the tables."""
MOST_MEN: Final = 4
"""The most men of a position in a table, with the kings."""
Tables = Callable[[Men], Table | None]
"""A function that returns the table of these men, or None."""
_HALF: Final = SECTORS // 2


def name_of(men: Men) -> str:
    """Return a name such as `RQ`."""
    return "".join(KINDS[code].value for code in men if code >= 0)


def men_named(name: str) -> Men | None:
    """Return the men of a name from `name_of`, None for another name."""
    return next((men for men in ORDER if name_of(men) == name), None)


def men_of(position: Position) -> Men | None:
    """Return the men of a position with a table: a king and one or two men against a lone king."""
    if position.occupied.bit_count() > MOST_MEN or position.rules != RULES:
        return None
    strong = 0 if position.own[1].bit_count() == 1 else 1
    if position.own[1 - strong].bit_count() != 1:
        return None
    sets = position.sets[strong]
    codes = sorted(position.kind_at[at] for at in scan(position.own[strong] & ~sets[K]))
    fresh = position.unmoved
    if not codes or (fresh & sets[K] and (sets[P] or fresh & sets[R])):
        return None  # it may castle
    men = Men(*codes)
    return men if men in ORDER else None


def probe(position: Position, tables: Tables) -> int | Problem | None:
    """Return the turns until mate with best play, None for a draw; a `Problem` without a table."""
    men = men_of(position)
    table = None if men is None else tables(men)
    if men is None or table is None:
        return _no_table()
    strong = 0 if position.own[1].bit_count() == 1 else 1
    spots = [_spot(position, strong, at) for at in scan(position.own[strong] & ~position.sets[strong][K])]
    if any(spot is None for _, spot in spots):
        return _no_table()
    spots.sort(key=lambda spot: spot[0])
    kings = (king_of(position, 1 - strong), king_of(position, strong))
    lone, king = (_seen(at, strong) for at in kings)
    columns = [lone, king, *(spot for _, spot in spots), NOWHERE][:4]
    number = int(number_of(men, Placements(*(np.array([column], np.int32) for column in columns)))[0])
    turns = int((table.strong if position.mover == strong else table.lone)[number])
    return turns if turns < ILLEGAL else None


def _no_table() -> Problem:
    outside = (
        "only silent games with default options, a king and one or two men against a lone king, no castling"
    )
    return Problem("no_table", f"no table has this position: {outside}", {})


def _seen(field: int, side: int) -> int:
    """Return the field with the strong side as White: for Black the board turns by half."""
    return field if side == 0 else field - field % SECTORS + (field + _HALF) % SECTORS


def _spot(position: Position, strong: int, at: int) -> tuple[int, int | None]:
    """Return a man's number and spot (`endgame_board.Placements`), None for a pawn outside the tables."""
    code, field = position.kind_at[at], _seen(at, strong)
    if code != P:
        return code, field
    depth, sector = divmod(field, SECTORS)
    row = depth if sector < _HALF else 2 * DEPTHS - 1 - depth
    if position.unmoved >> at & 1:
        return code, sector * ROWS + FRESH if row == 1 else None
    return code, sector % _HALF * ROWS + row


def write(men: Men, table: Table, counts: Counts) -> bytes:
    """Encode a table, with a checksum in the first line."""
    head = json.dumps({"version": VERSION, "men": name_of(men), "counts": counts}).encode()
    body = zlib.compress(head + b"\n" + table.strong.tobytes() + table.lone.tobytes(), 6)
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def read(men: Men, data: bytes) -> tuple[Table, Counts] | Problem:
    """Decode the table and counts from `write`; a `Problem` for a damaged table or another version."""
    checksum, _, body = data.partition(b"\n")
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        return Problem("damaged", "the checksum of this table is wrong", {}, "It is built again.")
    size = int(np.prod(shape(men)))
    try:
        head, _, cells = zlib.decompressobj().decompress(body, 2 * size + 1000).partition(b"\n")
        facts = json.loads(head)
        matches = facts["version"] == VERSION and facts["men"] == name_of(men) and len(cells) == 2 * size
        counts = Counts(*facts["counts"])
    except (zlib.error, ValueError, KeyError, TypeError):
        return Problem("damaged", "the checksum is right, but this is not a table", {}, "It is built again.")
    if not matches:
        return Problem("damaged", "this is another table, or of another version", {}, "It is built again.")
    both = np.frombuffer(cells, np.uint8)
    return Table(both[:size], both[size:]), counts


def longest(table: Table) -> int:
    """Return the turns until mate of the strong side's longest win, 0 without a win."""
    return int(table.strong[table.strong < ILLEGAL].max(initial=0))


def position_of(men: Men, number: int, *, mover: int, turn: int, black: bool) -> Position:
    """Return the placement of a number as a position, turned by `turn` sectors; with `black` the colours exchange.

    `mover` is 0 when the strong side is to move, 1 for the lone king.
    """
    at = placements_of(men, np.array([number], np.int32))
    strong, lone = (1, 0) if black else (0, 1)
    sets, unmoved, kinds = [[0] * 6, [0] * 6], 0, bytearray([EMPTY] * len(FIELDS))
    by = turn + (_HALF if black else 0)

    def put(side: int, code: int, field: int, fresh: bool = False) -> None:
        nonlocal unmoved
        here = field - field % SECTORS + (field + by) % SECTORS
        sets[side][code] |= BIT[here]
        kinds[here] = code
        unmoved |= BIT[here] if fresh else 0

    put(lone, K, int(at.lone[0]))
    put(strong, K, int(at.king[0]))
    for code, spots in ((men.first, at.first), (men.second, at.second)):
        if code >= 0:
            put(strong, code, int(fields_of(code, spots)[0]), code == P and int(spots[0]) % ROWS == FRESH)
    own = (sum(sets[0]), sum(sets[1]))
    both = (tuple(sets[0]), tuple(sets[1]))
    who, thrown = strong if mover == 0 else lone, (THROWS, THROWS)
    return Position(RULES, who, both, own, bytes(kinds), unmoved, NO_FIELD, thrown, (0, 0), (0, 0), 1)
