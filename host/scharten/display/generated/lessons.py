"""The learn page's exercises: positions, and the effect of every move and every dart in them by the rules.

The page in the browser knows no rule: this data has every legal move and the reasons against the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from scharten.dartboard.beds import ALL_BEDS, BedKind
from scharten.errors import Problem
from scharten.game.basics import Drop, Kind, Move, Side, move_from_text
from scharten.games.scharten.board import (
    FIELDS,
    Piece,
    PieceKind,
    field_name,
    line_of,
    parse_field,
    ring_of,
    value,
)
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.geometry import NO_FIELD
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, after_lost_dart, place_pieces
from scharten.games.scharten.position_text import position_text
from scharten.games.scharten.status import State, status

TaskGoal = Callable[[Position, Move], bool]
WHITE_SITS_AT = 3
SILENT, LOUD = Options(kind=Kind.SILENT), Options()
EMPTY = "20/20/20/20 w - 17/17 0/0 0/0 1"


@dataclass(frozen=True, slots=True)
class LessonTask:
    """A task: find fields, play a move, or throw; `moves` judges whether a legal move is an answer."""

    key: str
    position: Position | None
    options: Options = SILENT
    moves: TaskGoal | None = None
    fields: tuple[str, ...] = ()
    throw: str = ""
    """`placed` or `lost`: the wanted effect of the dart."""


def these(*moves: str) -> TaskGoal:
    """Accept exactly these moves."""
    return lambda position, move: move.text in moves


def captures_on(*fields: str) -> TaskGoal:
    """Accept any move to one of these fields."""
    return lambda position, move: move.to in fields


def gives(state: State | None) -> TaskGoal:
    """Accept moves after which the opponent is in check, or in this `state`."""

    def judge(position: Position, move: Move) -> bool:
        judged = status(_play(position, move))
        return judged.check if state is None else judged.state is state

    return judge


def _play(position: Position, action: Move | Drop) -> Position:
    """Return the position after a legal turn of an exercise."""
    played = SCHARTEN.play(position, action, SILENT)
    assert not isinstance(played, Problem), played
    return played.position


def placed(
    words: str,
    options: Options = SILENT,
    *,
    ep: str = "",
    left: tuple[int, int] = (0, 0),
    fouls: tuple[int, int] = (0, 0),
) -> Position:
    """Return a position with White to move, from words such as `Ke1* nc6`: letter, field, `*` where unmoved."""
    board: list[Piece | None] = [None] * len(FIELDS)
    for word in words.split():
        field = parse_field(word[1:3])
        assert field is not None, word
        side = Side.WHITE if word[0].isupper() else Side.BLACK
        board[field] = Piece(side, PieceKind(word[0].upper()), not word.endswith("*"))
    return place_pieces(
        rules_of(options),
        tuple(board),
        Side.WHITE,
        ep=(parse_field(ep) or NO_FIELD) if ep else NO_FIELD,
        placed=(17 - left[0], 17 - left[1]),
        fouls=fouls,
        move_number=12,
    )


def exercises() -> tuple[LessonTask, ...]:
    """Return all exercises in their order; the part of a key before the point is its lesson."""
    doubles = tuple(field_name(f) for f in FIELDS if ring_of(f) == 0)
    trebles = tuple(field_name(f) for f in FIELDS if value(f) == 3)
    opening = SCHARTEN.begin(LOUD)
    thrown = "Ke1* Pb2* Pc3* Pg2* ke8* pd7* ph6* pf7*"
    return (
        LessonTask("board.1", None, fields=doubles),
        LessonTask("board.2", None, fields=trebles),
        LessonTask("board.3", SCHARTEN.begin(SILENT), fields=("e8",)),
        LessonTask("ways.1", placed("Ke1 Ra4 Pc4 ph5 ke8"), moves=captures_on("h5")),
        LessonTask("ways.2", placed("Kd1 Re3 pe7 kc8"), moves=captures_on("e7")),
        LessonTask("ways.3", placed("Ke1 Ba1 na7 kg8"), moves=captures_on("a7")),
        LessonTask("ways.4", placed("Ke1 Ne4 Pe3 Pf4 kb8"), moves=these("e4d6", "e4f6")),
        LessonTask("pawns.1", placed("Ke1 Pd2* ke8"), moves=these("d2d4")),
        LessonTask("pawns.2", placed("Ke1 Pd5 re6 nd6 kb8"), moves=captures_on("e6")),
        LessonTask("pawns.3", placed("Ke1 Pf7 kb8"), moves=gives_promotion()),
        LessonTask("support.1", placed("Ke1 Qc3 nc6 bb2 kh8"), moves=captures_on("b2")),
        LessonTask("support.2", placed("Ke1 Qc3 Rf6 nc6 kh8"), moves=captures_on("c6")),
        LessonTask("support.3", placed("Kd1 Qc3 Bb7 Rg4 Bf2 nc6 rg1 ki8"), moves=captures_on("g1")),
        LessonTask("throw.1", opening, LOUD, throw="placed"),
        LessonTask("throw.2", placed(thrown, LOUD, left=(14, 14)), LOUD, throw="placed"),
        LessonTask(
            "throw.3", placed("Ke1 Rc4 nc7* ph4 kh8", LOUD, left=(3, 3)), LOUD, moves=captures_on("h4")
        ),
        LessonTask("fouls.1", placed(thrown, LOUD, left=(14, 14)), LOUD, throw="lost"),
        LessonTask("fouls.2", placed(thrown, LOUD, left=(14, 14), fouls=(1, 0)), LOUD, throw="lost"),
        LessonTask("fouls.3", placed(thrown, LOUD, left=(14, 14), fouls=(2, 0)), LOUD, throw="lost"),
        LessonTask("check.1", placed("Ke1 Qb4 Rd2 kd6"), moves=gives(None)),
        LessonTask("check.2", placed("Ke1 Rg3 kf1"), moves=gives(State.CHECKMATE)),
        LessonTask("check.3", placed("Kd1 ke4 rh2 qg8 ri1", LOUD, left=(9, 5)), LOUD, throw="placed"),
        LessonTask("special.1", placed("Ke1* Rb1* Rh1* Re4* kd6"), moves=these("e1c1", "e1g1", "e1e3")),
        LessonTask("special.2", placed("Ke1 Pe5 pd5 ph6 ke8", ep="d6"), moves=these("e5d6")),
    )


def gives_promotion() -> TaskGoal:
    """Accept any promotion."""
    return lambda position, move: bool(move.promotion)


def lessons() -> dict[str, Any]:
    """Return the content of `/lessons.json`: the fields, and every exercise judged by the rules."""
    fields = {
        field_name(f): {"ring": ring_of(f).name.lower(), "value": value(f), "line": line_of(f)}
        for f in FIELDS
    }
    return {
        "v": 1,
        "white_sits_at": WHITE_SITS_AT,
        "fields": fields,
        "exercises": [_as_json(e) for e in exercises()],
    }


@cache
def lessons_json() -> bytes:
    """Return the same as JSON text, made once."""
    return json.dumps(lessons(), ensure_ascii=False, separators=(",", ":")).encode()


def _as_json(exercise: LessonTask) -> dict[str, Any]:
    position, options = exercise.position, exercise.options
    base: dict[str, Any] = {"key": exercise.key, "position": position_text(position) if position else EMPTY}
    if position is None or exercise.fields:
        return {**base, "kind": "tap", "fields": exercise.fields}
    here, shown = SCHARTEN.situation(position, options), SCHARTEN.shown(position, options)
    loud, fouls = options.kind is Kind.LOUD, position.fouls[0]
    base |= {"check": bool(here.check), "protection": loud, "fouls": fouls}
    if exercise.throw:
        due = position.next_kind(position.side)
        assert due is not None
        zone = shown["zone"]
        assert isinstance(zone, list)
        base |= {"kind": "throw", "good": exercise.throw, "free": list(here.drops), "zone": sorted(zone)}
        return {**base, **_darts(position, options), "next": due.value, "limit": options.foul_limit.white}
    goal = exercise.moves
    assert goal is not None
    moves = {text: _move(position, move_from_text(text), options, goal) for text in here.moves}
    return {**base, "kind": "move", "moves": moves, "why": _why(position, options)}


def _move(position: Position, move: Move, options: Options, goal: TaskGoal) -> dict[str, Any]:
    body: dict[str, Any] = {
        "after": position_text(_play(position, move)),
        "text": SCHARTEN.write(position, move, options),
        "good": goal(position, move),
    }
    figures = SCHARTEN.explain(position, move, options).args
    if figures:
        body["capture"] = _figures(figures)
    return body


def _why(position: Position, options: Options) -> dict[str, Any]:
    """Return why a move is illegal that a learner might expect; other moves are not moves of that piece."""
    reasons = {}
    for origin in (f for f in FIELDS if (p := position.piece_at(f)) and p.side is position.side):
        for to in (f for f in FIELDS if f != origin):
            move = Move(field_name(origin), field_name(to))
            judged = SCHARTEN.explain(position, move, options)
            if judged.code and judged.code != "not_a_move":
                reasons[move.text] = {"code": judged.code, "args": dict(judged.args)}
    return reasons


def _figures(args: Mapping[str, object]) -> dict[str, object]:
    return {name: args[name] for name in ("field", "value", "support", "supporters") if name in args}


def _darts(position: Position, options: Options) -> dict[str, Any]:
    """Return the effect of a dart in each bed, `[effect, field]`, and the position after it."""
    beds: dict[str, list[str]] = {}
    stands: dict[str, str] = {}
    for bed in ALL_BEDS:
        if bed.kind is BedKind.SINGLE:
            continue
        found = SCHARTEN.throws.effect(position, options, bed, WHITE_SITS_AT)
        beds[str(bed)] = [found.code, found.field or ""]
        if isinstance(found.action, Drop):
            stands[found.action.field] = position_text(_play(position, found.action))
    lost = after_lost_dart(position)
    return {"beds": beds, "placed": stands, "lost": position_text(lost), "fouls_after": lost.fouls[0]}
