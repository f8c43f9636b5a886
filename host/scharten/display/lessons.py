"""The learn page's exercises: positions, and what the rules say of every move and every dart in them.

The page in the browser knows no rule: what a learner may do, and why not, stands in this data, made by
`scharten.games.scharten` when the page is first asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from scharten.dartboard.beds import ALL_BEDS, Bed, BedKind
from scharten.game.basics import Side
from scharten.games.scharten.board import (
    FIELDS,
    Field,
    Kind,
    Piece,
    field_name,
    line_of,
    parse_field,
    ring_of,
    value,
)
from scharten.games.scharten.explain import explain
from scharten.games.scharten.fields import field_of
from scharten.games.scharten.language import Language
from scharten.games.scharten.moves import (
    Illegal,
    Move,
    after_lost_dart,
    after_move,
    after_placement,
    legal_moves,
    legal_placements,
    move_text,
    parse_move,
)
from scharten.games.scharten.notation import write_move
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.outcome import State, status
from scharten.games.scharten.position import Position, initial_position, next_kind, position_text

Goal = Callable[[Position, RuleOptions, Move], bool]
WHITE_SITS_AT = 3
SILENT, LOUD = RuleOptions(), RuleOptions(loud=True)
EMPTY = "20/20/20/20 w - 17/17 0/0 0/0 1"


@dataclass(frozen=True, slots=True)
class Exercise:
    """One task: look for fields, play a move, or throw; `moves` says which legal moves are the answer."""

    key: str
    position: Position | None
    options: RuleOptions = SILENT
    moves: Goal | None = None
    fields: tuple[str, ...] = ()
    throw: str = ""
    """`placed` or `lost`: what the dart shall do."""


def these(*moves: str) -> Goal:
    """Exactly these moves."""
    return lambda position, options, move: move_text(move) in moves


def captures_on(*fields: str) -> Goal:
    """Any move to one of these fields."""
    return lambda position, options, move: field_name(move.to) in fields


def gives(state: State | None) -> Goal:
    """Moves after which the opponent is in check, or stands as `state` says."""

    def judge(position: Position, options: RuleOptions, move: Move) -> bool:
        after = after_move(position, move, options)
        if isinstance(after, Illegal):
            return False
        judged = status(after, options)
        return judged.check if state is None else judged.state is state

    return judge


def placed(
    words: str,
    *,
    ep: str = "",
    left: tuple[int, int] = (0, 0),
    fouls: tuple[int, int] = (0, 0),
) -> Position:
    """A position with White to move, from words such as `Ke1* nc6`: letter, field, `*` where unmoved."""
    board: list[Piece | None] = [None] * len(FIELDS)
    for word in words.split():
        field = parse_field(word[1:3])
        assert field is not None, word
        side = Side.WHITE if word[0].isupper() else Side.BLACK
        board[field] = Piece(side, Kind(word[0].upper()), not word.endswith("*"))
    passed = parse_field(ep) if ep else None
    return Position(tuple(board), Side.WHITE, passed, (17 - left[0], 17 - left[1]), fouls, (0, 0), 12)


def exercises() -> tuple[Exercise, ...]:
    """All exercises in their order; the part of a key before the point is its lesson."""
    doubles = tuple(field_name(f) for f in FIELDS if ring_of(f) == 0)
    trebles = tuple(field_name(f) for f in FIELDS if value(f) == 3)
    opening = initial_position(LOUD)
    thrown = "Ke1* Pb2* Pc3* Pg2* ke8* pd7* ph6* pf7*"
    return (
        Exercise("board.1", None, fields=doubles),
        Exercise("board.2", None, fields=trebles),
        Exercise("board.3", initial_position(SILENT), fields=("e8",)),
        Exercise("ways.1", placed("Ke1 Ra4 Pc4 ph5 ke8"), moves=captures_on("h5")),
        Exercise("ways.2", placed("Kd1 Re3 pe7 kc8"), moves=captures_on("e7")),
        Exercise("ways.3", placed("Ke1 Ba1 na7 kg8"), moves=captures_on("a7")),
        Exercise("ways.4", placed("Ke1 Ne4 Pe3 Pf4 kb8"), moves=these("e4d6", "e4f6")),
        Exercise("pawns.1", placed("Ke1 Pd2* ke8"), moves=these("d2d4")),
        Exercise("pawns.2", placed("Ke1 Pd5 re6 nd6 kb8"), moves=captures_on("e6")),
        Exercise("pawns.3", placed("Ke1 Pf7 kb8"), moves=gives_promotion()),
        Exercise("support.1", placed("Ke1 Qc3 nc6 bb2 kh8"), moves=captures_on("b2")),
        Exercise("support.2", placed("Ke1 Qc3 Rf6 nc6 kh8"), moves=captures_on("c6")),
        Exercise("support.3", placed("Kd1 Qc3 Bb7 Rg4 Bf2 nc6 rg1 ki8"), moves=captures_on("g1")),
        Exercise("throw.1", opening, LOUD, throw="placed"),
        Exercise("throw.2", placed(thrown, left=(14, 14)), LOUD, throw="placed"),
        Exercise("throw.3", placed("Ke1 Rc4 nc7* ph4 kh8", left=(3, 3)), LOUD, moves=captures_on("h4")),
        Exercise("fouls.1", placed(thrown, left=(14, 14)), LOUD, throw="lost"),
        Exercise("fouls.2", placed(thrown, left=(14, 14), fouls=(1, 0)), LOUD, throw="lost"),
        Exercise("fouls.3", placed(thrown, left=(14, 14), fouls=(2, 0)), LOUD, throw="lost"),
        Exercise("check.1", placed("Ke1 Qb4 Rd2 kd6"), moves=gives(None)),
        Exercise("check.2", placed("Ke1 Rg3 kf1"), moves=gives(State.CHECKMATE)),
        Exercise("check.3", placed("Kd1 ke4 rh2 qg8 ri1", left=(9, 5)), LOUD, throw="placed"),
        Exercise("special.1", placed("Ke1* Rb1* Rh1* Re4* kd6"), moves=these("e1c1", "e1g1", "e1e3")),
        Exercise("special.2", placed("Ke1 Pe5 pd5 ph6 ke8", ep="d6"), moves=these("e5d6")),
    )


def gives_promotion() -> Goal:
    """Any promotion."""
    return lambda position, options, move: move.promotion is not None


def lessons() -> dict[str, Any]:
    """What `/lessons.json` holds: the fields, and every exercise judged by the rules."""
    told = {
        field_name(f): {"ring": ring_of(f).name.lower(), "value": value(f), "line": line_of(f)}
        for f in FIELDS
    }
    return {
        "v": 1,
        "white_sits_at": WHITE_SITS_AT,
        "fields": told,
        "exercises": [_told(e) for e in exercises()],
    }


@cache
def lessons_json() -> bytes:
    """The same as it goes over the wire, made once."""
    return json.dumps(lessons(), ensure_ascii=False, separators=(",", ":")).encode()


def _told(exercise: Exercise) -> dict[str, Any]:
    position, options = exercise.position, exercise.options
    base: dict[str, Any] = {"key": exercise.key, "position": position_text(position) if position else EMPTY}
    if position is None or exercise.fields:
        return {**base, "kind": "tap", "fields": exercise.fields}
    judged = status(position, options)
    base |= {"check": judged.check, "protection": options.loud, "fouls": position.fouls[0]}
    if exercise.throw:
        kind = next_kind(position, position.side)
        assert kind is not None
        free = [field_name(f) for f in legal_placements(position, options)]
        zone = sorted(field_name(f) for f in options.zone(position.side))
        base |= {"kind": "throw", "good": exercise.throw, "free": free, "zone": zone}
        return {**base, **_darts(position, options), "next": kind.value, "limit": options.foul_limit[0]}
    assert exercise.moves is not None
    moves = {
        move_text(m): _move(position, m, options, exercise.moves) for m in legal_moves(position, options)
    }
    return {**base, "kind": "move", "moves": moves, "why": _why(position, options)}


def _move(position: Position, move: Move, options: RuleOptions, goal: Goal) -> dict[str, Any]:
    after = after_move(position, move, options)
    assert isinstance(after, Position)
    told: dict[str, Any] = {
        "after": position_text(after),
        "text": write_move(position, move, options, Language.ENGLISH),
        "good": goal(position, options, move),
    }
    figures = explain(position, move, options).args
    if figures:
        told["capture"] = _figures(figures)
    return told


def _why(position: Position, options: RuleOptions) -> dict[str, Any]:
    """Why not, for each move that a learner might expect: what is not named here is no move of that piece."""
    told = {}
    own = [f for f in FIELDS if (p := position.piece_at(f)) and p.side is position.side]
    for origin in own:
        for to in FIELDS:
            move = parse_move(field_name(origin) + field_name(to)) if origin != to else None
            judged = explain(position, move, options) if move else None
            if judged and judged.code and judged.code != "not_a_move":
                told[field_name(origin) + field_name(to)] = {"code": judged.code, "args": dict(judged.args)}
    return told


def _figures(args: Mapping[str, object]) -> dict[str, object]:
    return {name: args[name] for name in ("field", "value", "support", "supporters") if name in args}


def _darts(position: Position, options: RuleOptions) -> dict[str, Any]:
    """What a dart of the side to move does in each bed: `[effect, field]`; and the position after it."""
    beds: dict[str, list[str]] = {}
    stands: dict[str, str] = {}
    for bed in ALL_BEDS:
        if bed.kind is BedKind.SINGLE:
            continue
        field = field_of(bed, WHITE_SITS_AT)
        beds[str(bed)] = [
            _effect(position, options, bed, field),
            field_name(field) if field is not None else "",
        ]
        after = after_placement(position, field, options) if field is not None else None
        if isinstance(after, Position) and field is not None:
            stands[field_name(field)] = position_text(after)
    lost = after_lost_dart(position, options)
    return {"beds": beds, "placed": stands, "lost": position_text(lost), "fouls_after": lost.fouls[0]}


def _effect(position: Position, options: RuleOptions, bed: Bed, field: Field | None) -> str:
    if bed.kind is BedKind.MISS:
        return "off_board"
    if field is None:
        return "bull"
    if field not in options.zone(position.side):
        return "outside_zone"
    if position.piece_at(field) is not None:
        return "occupied"
    return "placed" if field in legal_placements(position, options) else "missed_in_check"
