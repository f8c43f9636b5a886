"""The retained snapshot and score sheet of docs/contract.md, made from a match: a display needs nothing else.

Both are built by their types and not validated again, because every dart builds one.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from typing import cast

from scharten.contract.models import (
    VERSION,
    ChoiceModel,
    ClockModel,
    EngineModel,
    GameModel,
    Last,
    LayoutModel,
    PracticeModel,
    QuestionModel,
    RequestModel,
    Shown,
    Snapshot,
    StandInModel,
    Toss,
)
from scharten.dartboard.beds import Bed
from scharten.game.basics import Kind, Reason, Side
from scharten.game.options import GameOptions
from scharten.game.protocol import Layout
from scharten.match import clock as clocks
from scharten.match.orders import Engine, SeatName, SideName, StandIn
from scharten.match.phases import Paused, PhaseName, Question, Settling, innermost
from scharten.match.practice import Practice
from scharten.match.referee import lamp
from scharten.match.settings import clock_json
from scharten.match.state import Match, PlayedTurn
from scharten.match.turns.play import claimable, why_no_throw
from scharten.match.white import Seat

TOSSES = 8
"""How many darts for White it shows, the last ones."""
SHEET_ENTRIES = 20
"""How many turns of the sheet the snapshot holds; the topic `sheet` has all."""


def snapshot(match: Match, now: int) -> Snapshot:
    """The complete state of a board at host time `now` (ms); at most 32 kB as JSON in any position."""
    situation, question, toss, phase = match.situation, match.question, match.toss, match.phase
    deciding, inner = phase.name in (PhaseName.DECIDING, PhaseName.DRAWING), innermost(phase)
    made: Snapshot = {
        "v": VERSION,
        "match": match.id,
        "seq": match.seq,
        "board": match.start.settings.board,
        "white_sits_at": match.start.settings.white_sits_at,
        "kind": match.options.kind,
        "game": _game(match.game.key, match.game.layout, match.game.claim_rules, match.options),
        "seats": {"seat1": _side(match.side_of(Seat.SEAT1)), "seat2": _side(match.side_of(Seat.SEAT2))},
        "computers": {"seat1": match.computers[0] or None, "seat2": match.computers[1] or None},
        "away": match.start.away,
        "players": {"seat1": match.start.players[0] or None, "seat2": match.start.players[1] or None},
        "names": {"white": match.name_of(Side.WHITE), "black": match.name_of(Side.BLACK)},
        "started_ms": match.start.t_ms,
        "position": situation.text,
        "check": list(situation.check),
        "moves": list(situation.moves),
        "drops": list(situation.drops),
        "shown": _shown(match),
        "phase": phase.name,
        "paused_from": inner.name if isinstance(phase, Paused) else None,
        "side": _side(match.side),
        "since_phase_ms": match.since_ms,
        "settle_until_ms": inner.until if isinstance(inner, Settling) else None,
        "lamp": lamp(match),
        "clock": _clock(match, now),
        "last": _last(match.turns[-1]) if match.turns else None,
        "sheet": [turn.text for turn in match.turns[-SHEET_ENTRIES:]],
        "sheet_first": max(0, len(match.turns) - SHEET_ENTRIES) + 1,
        "turns": len(match.turns),
        "tosses": _tosses(match)[-TOSSES:],
        "to_toss": _seat(toss.to_throw) if phase.name is PhaseName.DECIDING and toss.to_throw else None,
        "question": None if question is None else _question(question),
        "draw_offer": _side(match.draw_offer) if match.draw_offer else None,
        "requests": _requests(match),
        "practice": None if match.practice is None else _practice(match.practice),
        "result": match.result,
        "reason": match.reason,
        "message": {"code": match.message.code, "args": dict(match.message.args)},
        "touched": list(match.touches.fields),
        "can": {
            "throw": match.under_way and not deciding and why_no_throw(match, match.aim) is None,
            "claim": list(claimable(match)) if match.under_way else [],
            "take_back": len(match.turns),
        },
    }
    if any(match.engines):
        made["engines"] = {"seat1": _engine(match.engines[0]), "seat2": _engine(match.engines[1])}
    if any(match.stand_ins):
        made["stand_ins"] = {"seat1": _stand_in(match.stand_ins[0]), "seat2": _stand_in(match.stand_ins[1])}
    return made


def _stand_in(stand_in: StandIn | None) -> StandInModel | None:
    return None if stand_in is None else {"player": stand_in.player, "mm": stand_in.mm}


def _engine(engine: Engine | None) -> EngineModel | None:
    return None if engine is None else {"name": engine.name, "strength": engine.strength}


@lru_cache(maxsize=64)
def _game(key: str, layout: Layout, claim_rules: tuple[Reason, ...], chosen: GameOptions) -> GameModel:
    """Game, options and board; constant for the whole game."""
    options = {**chosen.model_dump(mode="json"), "clock": clock_json(chosen.clock)}
    return {
        "key": key,
        "options": options,
        "layout": layout_json(layout, chosen.kind),
        "claim_rules": list(claim_rules),
    }


def layout_json(layout: Layout, kind: Kind = Kind.SILENT) -> LayoutModel:
    """Encode a layout for the contract. A schartbord needs only its name; squares of a loud game list their colours."""
    if layout.form == "grid":
        return {
            "form": "grid",
            "files": layout.files,
            "rows": layout.rows,
            "chequered": layout.chequered or kind is Kind.LOUD,
        }
    return {"form": "schartbord"}


def _practice(practice: Practice) -> PracticeModel:
    return {
        "exercise": practice.exercise.value,
        "player": practice.player or None,
        "targets": [str(bed) for bed in practice.targets],
        "thrown": practice.thrown,
        "hit": practice.hit,
        "run": practice.run,
        "best_run": practice.best_run,
        "of": practice.length,
        "over": practice.over,
        "last": None if practice.last is None else str(practice.last),
        "doubt": [str(bed) for bed in practice.doubt],
    }


def _shown(match: Match) -> Shown:
    shown = match.game.shown(match.position, match.options)
    throws, move = match.game.throws, match.aim
    if throws is not None and move is not None:
        aim = throws.aim(match.position, match.options, move)
        shown = {**shown, "aim": None if aim is None else asdict(aim)}
    if match.drawn is not None:
        shown = {**shown, "draw": match.drawn.shown}
    return cast(Shown, shown)  # each game has the keys that it needs


def _side(side: Side) -> SideName:
    return "white" if side is Side.WHITE else "black"


def _seat(seat: Seat) -> SeatName:
    return "seat1" if seat is Seat.SEAT1 else "seat2"


def _bed(bed: Bed | None) -> str | None:
    return None if bed is None else str(bed)


def _clock(match: Match, now: int) -> ClockModel | None:
    if match.clock is None:
        return None
    return cast(ClockModel, clocks.view(match.clock, now))


def _tosses(match: Match) -> list[Toss]:
    return [
        {"seat": "seat2" if n % 2 else "seat1", "bed": str(dart.bed)}
        for n, dart in enumerate(match.toss.darts)
    ]


def _last(turn: PlayedTurn) -> Last:
    dart = turn.dart
    return {
        "by": _side(turn.side),
        "text": turn.text,
        "move": turn.short,
        "fields": list(turn.fields),
        "bed": _bed(turn.bed),
        "x_mm": dart.x_mm if dart else None,
        "y_mm": dart.y_mm if dart else None,
        "foul": turn.foul,
        "dart": turn.thrown,
    }


def _requests(match: Match) -> list[RequestModel]:
    return [
        {
            "id": request.order.id,
            "by": _seat(request.by),
            "type": request.order.type,
            "args": request.order.model_dump(
                mode="json", exclude={"v", "id", "match", "seq", "type"}, exclude_unset=True
            ),
            "until_ms": request.until_ms,
        }
        for request in match.requests
    ]


def _question(question: Question) -> QuestionModel:
    dart = question.dart
    probability = dict(dart.beds) if dart else {}
    choices: list[ChoiceModel] = [
        {
            "bed": str(choice.bed),
            "effect": choice.effect,
            "field": choice.field,
        }
        for choice in question.choices
    ]
    return {
        "code": question.code,
        "side": _side(question.side) if question.side else None,
        "beds": [choice["bed"] for choice in choices],
        "choices": choices,
        "probabilities": [round(probability.get(choice.bed, 0.0), 4) for choice in question.choices],
        "confidence": dart.confidence if dart else None,
        "x_mm": dart.x_mm if dart else None,
        "y_mm": dart.y_mm if dart else None,
        "source": question.sensor,
        "opinions": [
            {
                "source": opinion.sensor,
                "bed": None if opinion.bed is None else str(opinion.bed),
                "probability": opinion.probability,
            }
            for opinion in (dart.opinions if dart else ())
        ],
    }
