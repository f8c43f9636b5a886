"""Exact endgames of silent games with default options: a king and one man against a lone king.

Without pawns the board looks the same after every turn by a sector, so the lone king stands on sector 0 in each of
the 4 rings and all else is turned with it. The rules' own moves say what follows what; who mates, and in how many
turns, is worked out backwards from the mates. Men have moved: there is no castling.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from scharten.errors import Problem
from scharten.game.basics import Kind
from scharten.games.scharten.attacks import in_check
from scharten.games.scharten.board import EMPTY, FIELDS, SECTORS, THROWS, B, K, N, Q, R
from scharten.games.scharten.geometry import BIT, NO_FIELD
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, after_move
from scharten.games.scharten.turns import Turns

MEN: Final = {"Q": Q, "R": R, "B": B, "N": N}
_RULES: Final = rules_of(Options(kind=Kind.SILENT))
STRONG, LONE = 0, 1
"""Who is to move; the strong side is White."""
VERSION: Final = 1


class Place(NamedTuple):
    """One placement, turned so that the lone king stands on sector 0: the lone king, the other king, the man."""

    mover: int
    lone: int
    king: int
    man: int


class Counts(NamedTuple):
    """Over the whole board, by who is to move: legal placements and those that are won for the strong side."""

    strong: int
    strong_won: int
    lone: int
    lone_lost: int
    mates: int
    stalemates: int


class Table(NamedTuple):
    """For one man: the turns until mate of every placement that is won; what is not in it is a draw."""

    until_mate: Mapping[Place, int]
    counts: Counts


def build(man: str) -> Table:
    """Work out the table of a man, `Q`, `R`, `B` or `N`."""
    code = MEN[man]
    follows: dict[Place, set[Place] | None] = {}
    mates: list[Place] = []
    stalemates = 0
    for place in _places():
        position = _position(place, code)
        if in_check(position, 1 - place.mover):
            continue
        turns = Turns(position)
        if place.mover == LONE and turns.stuck:
            mates += [place] if turns.checked else []
            stalemates += not turns.checked
        after = {_turned(after_move(position, *turn), code) for turn in turns.moves()}
        # To take the man is to escape: such a placement is never lost.
        follows[place] = None if None in after else {each for each in after if each is not None}
    until = _backwards(follows, mates)
    legal = [sum(place.mover == side for place in follows) for side in (STRONG, LONE)]
    won = [sum(place.mover == side for place in until) for side in (STRONG, LONE)]
    all_over = (legal[0], won[0], legal[1], won[1], len(mates), stalemates)
    return Table(until, Counts(*(SECTORS * count for count in all_over)))


def _places() -> list[Place]:
    fields = range(len(FIELDS))
    return [
        Place(mover, lone, king, man)
        for lone in fields[::SECTORS]
        for king in fields
        for man in fields
        for mover in (STRONG, LONE)
        if len({lone, king, man}) == 3
    ]


def _backwards(follows: Mapping[Place, set[Place] | None], mates: list[Place]) -> dict[Place, int]:
    """The turns until mate, found from the mates outwards."""
    until = dict.fromkeys(mates, 0)
    before: dict[Place, list[Place]] = {}
    for place, after in follows.items():
        for each in after or ():
            before.setdefault(each, []).append(place)
    newest, turns = set(mates), 0
    while newest:
        turns += 1
        found = set()
        for place in {one for each in newest for one in before.get(each, ())} - until.keys():
            after = follows[place]
            if place.mover == STRONG or (after and all(each in until for each in after)):
                found.add(place)
        until |= dict.fromkeys(found, turns)
        newest = found
    return until


def _position(place: Place, code: int) -> Position:
    kinds = bytearray([EMPTY] * len(FIELDS))
    kinds[place.lone], kinds[place.king], kinds[place.man] = K, K, code
    strong = [0] * 6
    strong[K], strong[code] = BIT[place.king], BIT[place.man]
    lone = (0, 0, 0, 0, 0, BIT[place.lone])
    own = (BIT[place.king] | BIT[place.man], BIT[place.lone])
    full = (THROWS, THROWS)
    sets = (tuple(strong), lone)
    return Position(_RULES, place.mover, sets, own, bytes(kinds), 0, NO_FIELD, full, (0, 0), (0, 0), 1)


def _turned(position: Position, code: int) -> Place | None:
    """The placement that a position is, None if the man is gone."""
    man = position.sets[STRONG][code]
    if not man:
        return None
    return _place(position.mover, position.sets[LONE][K], position.sets[STRONG][K], man)


def _place(mover: int, lone: int, king: int, man: int) -> Place:
    fields = [each.bit_length() - 1 for each in (lone, king, man)]
    by = fields[0] % SECTORS
    return Place(mover, *(at - at % SECTORS + (at - by) % SECTORS for at in fields))


def probe(position: Position, table_of: Callable[[str], Table]) -> int | Problem | None:
    """The turns until mate with best play, None for a draw; a problem where no table has such a position."""
    outside = (
        "only silent games with default options, king and one man without pawns against king, no castling"
    )
    if position.rules != _RULES or position.unmoved & (position.sets[0][K] | position.sets[1][K]):
        return Problem("no_table", f"no table has this position: {outside}", {})
    men = [(side, code) for side in (0, 1) for code in range(K) if position.sets[side][code]]
    if position.occupied.bit_count() != 3 or len(men) != 1 or men[0][1] not in MEN.values():
        return Problem("no_table", f"no table has this position: {outside}", {})
    strong, code = men[0]
    sets = position.sets[strong]
    mover = STRONG if position.mover == strong else LONE
    place = _place(mover, position.sets[1 - strong][K], sets[K], sets[code])
    letter = next(letter for letter, each in MEN.items() if each == code)
    return table_of(letter).until_mate.get(place)


def write(table: Table) -> str:
    """A table as text, with a checksum in its first line."""
    rows = [[*place, turns] for place, turns in sorted(table.until_mate.items())]
    body = json.dumps({"version": VERSION, "counts": table.counts, "rows": rows})
    return f"{hashlib.sha256(body.encode()).hexdigest()}\n{body}\n"


def read(text: str) -> Table | Problem:
    """The table that `write` wrote; a problem for a damaged one."""
    checksum, _, body = text.partition("\n")
    body = body.removesuffix("\n")
    if hashlib.sha256(body.encode()).hexdigest() != checksum:
        return Problem("damaged", "the checksum of this table is wrong", {}, "It is built anew.")
    told = json.loads(body)
    if told["version"] != VERSION:
        return Problem("damaged", f"this table is of version {told['version']}", {}, "It is built anew.")
    return Table({Place(*row[:4]): row[4] for row in told["rows"]}, Counts(*told["counts"]))
