"""The retained snapshot and score sheet of contract.md, made from a match: a display needs nothing else.

Keys of the contract keep their names; those that this module adds are listed in `contract.models.Snapshot`.
"""

from __future__ import annotations

from scharten.dartboard.beds import Bed
from scharten.game.basics import Side
from scharten.games.scharten.board import Field, field_name
from scharten.games.scharten.moves import move_text
from scharten.games.scharten.outcome import State
from scharten.games.scharten.position import next_kind, position_text, to_throw
from scharten.match import clock as clocks
from scharten.match.darts import why_no_throw
from scharten.match.ending import claimable
from scharten.match.phases import Phase
from scharten.match.referee import lamp
from scharten.match.settings import ZoneLists
from scharten.match.state import Match, Question, Turn, clock_json
from scharten.match.white import Seat

VERSION = 1
TOSSES = 8
"""How many darts for White it shows, the last ones."""
SHEET_ENTRIES = 20
"""How many turns of the sheet the snapshot holds; the topic `sheet` has all."""


def snapshot(match: Match, now: int) -> dict[str, object]:
    """The complete state of a board at host time `now` (ms); at most 32 kB as JSON in any position."""
    return {**_game(match), **_board(match), **_turn(match, now), **_said(match)}


def _game(match: Match) -> dict[str, object]:
    game = match.game
    zones = game.zones.model_dump(mode="json") if isinstance(game.zones, ZoneLists) else game.zones
    options = {
        "zones": zones,
        "support": game.support,
        "protection": match.options.protection,
        "double_step": game.double_step,
        "touch_move": game.touch_move,
        "white_by": game.white_by,
        "arming": game.arming,
        "settle_ms": game.settle_ms,
        "bounce_counts": game.bounce_counts,
    }
    return {
        "v": VERSION,
        "match": match.id,
        "seq": match.seq,
        "board": match.start.settings.board,
        "white_sits_at": match.start.settings.white_sits_at,
        "kind": game.kind,
        "options": options,
        "clock_settings": clock_json(game.clock),
        "foul_limit": game.foul_limit.model_dump(),
        "seats": {seat.value: match.side_of(seat).word for seat in Seat},
        "names": {side.word: match.name_of(side) for side in Side},
        "started_ms": match.start.t_ms,
    }


def _board(match: Match) -> dict[str, object]:
    board, position = match.board, match.position
    unmoved = [at for at, held in enumerate(position.board) if held is not None and not held.moved]
    kings = {position.king(side) for side in Side}
    guarded = match.options.protection == "until_moved"
    checkers = [
        {"field": field_name(one.field), "supporters": _names(one.supporters)} for one in board.checkers
    ]
    return {
        "position": match.position_text,
        "check": board.check,
        "checkers": checkers,
        "moves": [move_text(move) for move in board.moves],
        "placements": _names(board.placements),
        "zone": _names(sorted(match.options.zone(match.side))),
        "must_throw": board.state is State.MUST_THROW,
        "next": {side.word: _letter(match, side) for side in Side},
        "to_throw": {side.word: to_throw(position, side) for side in Side},
        "fouls": {side.word: position.fouls[side.index] for side in Side},
        "protected": [field_name(Field(at)) for at in unmoved if guarded and at not in kings],
        "unmoved": [field_name(Field(at)) for at in unmoved],
    }


def _letter(match: Match, side: Side) -> str | None:
    kind = next_kind(match.position, side)
    return kind.value if kind else None


def _names(fields: tuple[Field, ...] | list[Field]) -> list[str]:
    return [field_name(field) for field in fields]


def _turn(match: Match, now: int) -> dict[str, object]:
    clock = None if match.clock is None else clocks.view(match.clock, now)
    last = match.turns[-1] if match.turns else None
    tosses = [
        {"seat": (Seat.SEAT2 if n % 2 else Seat.SEAT1).value, "bed": str(dart.bed)}
        for n, dart in enumerate(match.toss.darts)
    ]
    return {
        "phase": match.phase.value,
        "paused_from": match.paused_from.value if match.paused_from else None,
        "side": match.side.word,
        "since_phase_ms": match.since_ms,
        "settle_until_ms": match.settle_until,
        "lamp": lamp(match),
        "clock": clock,
        "last": _last(last),
        "sheet": [turn.text for turn in match.turns[-SHEET_ENTRIES:]],
        "sheet_first": max(0, len(match.turns) - SHEET_ENTRIES) + 1,
        "turns": len(match.turns),
        "tosses": tosses[-TOSSES:],
        "to_toss": match.toss.to_throw.value
        if match.phase is Phase.DECIDING and match.toss.to_throw
        else None,
    }


def _last(turn: Turn | None) -> dict[str, object] | None:
    if turn is None:
        return None
    dart = turn.dart
    return {
        "by": turn.side.word,
        "text": turn.text,
        "move": turn.short,
        "bed": _bed(turn.bed),
        "x_mm": dart.x_mm if dart else None,
        "y_mm": dart.y_mm if dart else None,
        "foul": turn.foul,
        "dart": turn.kind != "move",
    }


def _bed(bed: Bed | None) -> str | None:
    return None if bed is None else str(bed)


def _said(match: Match) -> dict[str, object]:
    requests = [
        {
            "id": request.order.id,
            "by": request.by.value,
            "type": request.order.type,
            "args": request.order.model_dump(
                mode="json", exclude={"v", "id", "match", "seq", "type"}, exclude_unset=True
            ),
            "until_ms": request.until_ms,
        }
        for request in match.requests
    ]
    return {
        "question": _question(match.question),
        "draw_offer": match.draw_offer.word if match.draw_offer else None,
        "requests": requests,
        "result": match.result,
        "reason": match.reason,
        "message": {"code": match.message.code, "args": dict(match.message.args)},
        "touched": _names(match.touches.fields),
        "can": {
            "throw": match.under_way and match.phase is not Phase.DECIDING and why_no_throw(match) is None,
            "claim": list(claimable(match)) if match.under_way else [],
            "take_back": len(match.turns),
        },
    }


def _question(question: Question | None) -> dict[str, object] | None:
    if question is None:
        return None
    dart = question.dart
    of = dict(dart.beds) if dart else {}
    return {
        "code": question.code,
        "side": question.side.word if question.side else None,
        "beds": [str(choice.bed) for choice in question.choices],
        "choices": [
            {
                "bed": str(choice.bed),
                "effect": choice.effect,
                "field": None if choice.field is None else field_name(choice.field),
            }
            for choice in question.choices
        ],
        "probabilities": [round(of.get(choice.bed, 0.0), 4) for choice in question.choices],
        "confidence": dart.confidence if dart else None,
        "x_mm": dart.x_mm if dart else None,
        "y_mm": dart.y_mm if dart else None,
        "source": question.sensor,
    }


def sheet(match: Match) -> dict[str, object]:
    """The whole score sheet for the topic `sheet`; `position` is the one after each entry."""
    entries = [
        {
            "n": turn.number,
            "side": turn.side.word,
            "text": turn.text,
            "bed": _bed(turn.bed),
            "position": turn.position,
        }
        for turn in match.turns
    ]
    return {
        "v": VERSION,
        "match": match.id,
        "start": position_text(match.opening.position),
        "entries": entries,
        "result": match.result,
        "reason": match.reason,
    }
