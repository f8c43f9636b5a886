"""The digest of a match: the values that a replay must reproduce, without messages and answers.

It lists its values explicitly and leaves out options at their default, so that a later version with more options or
messages still gives the digests of an old journal.
"""

from __future__ import annotations

import hashlib
import json

from scharten.game.protocol import AnyGame
from scharten.match.clock import Clock
from scharten.match.orders import BySeat, StandInBySeat
from scharten.match.phases import Paused, Settling, innermost
from scharten.match.state import Match
from scharten.match.touch import Touches


def digest(match: Match) -> str:
    """The digest of a match."""
    side, question, inner = match.draw_offer, match.question, innermost(match.phase)
    held = inner.name if isinstance(match.phase, Paused) else None
    state = (
        match.start_text,
        match.situation.text,
        match.opening.situation.text,
        (match.phase.name, held, match.seq, match.white, match.result, match.reason),
        (match.since_ms, match.now_ms, inner.until if isinstance(inner, Settling) else None),
        [(str(dart.bed), dart.distance_mm) for dart in match.toss.darts],
        (len(match.turns), match.turns[-1].chain if match.turns else ""),
        None if match.clock is None else _clock_values(match.clock),
        None if question is None else (question.code, [str(choice.bed) for choice in question.choices]),
        None if side is None else side.word,
        [
            (request.by, request.order.model_dump_json(exclude_unset=True), request.until_ms)
            for request in match.requests
        ],
        _touch_values(match.game, match.touches),
        # Later additions stand at the end, and only where they apply.
        *([] if match.aim is None else [match.aim.text]),
        *([] if match.drawn is None else [match.drawn.text]),
        *([] if match.practice is None else [{"practice": match.practice.text}]),
        *([] if match.computers == match.start.computers else [{"computers": match.computers}]),
        *([] if match.engines == match.start.engines else [{"engines": _listed(match.engines)}]),
        *([] if match.stand_ins == match.start.stand_ins else [{"stand_ins": _listed(match.stand_ins)}]),
        *([] if (seen := _seen(match)) is None else [{"seen": seen}]),
    )
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()[:32]


def _listed(found: BySeat | StandInBySeat) -> list[object]:
    return [own and own.model_dump() for own in found]


def _seen(match: Match) -> int | None:
    """When cameras beside an electronic board saw the last dart."""
    dart = match.turns[-1].dart if match.turns else None
    return None if dart is None else dart.seen_ms


def _clock_values(clock: Clock) -> tuple[object, ...]:
    sides = tuple((own.left_ms, own.turns, own.stage, own.fallen) for own in (clock.white, clock.black))
    running = tuple(None if side is None else side.word for side in (clock.running, clock.held))
    return (*sides, *running, clock.since_ms)


def _touch_values(game: AnyGame, touches: Touches) -> tuple[object, ...]:
    """Fields as indexes of the layout, as in the first journals."""
    if not touches.fields:
        return ((), touches.adoube)
    fields = tuple(game.layout.fields.index(field) for field in touches.fields)
    return (fields, touches.adoube, *([] if touches.let_go is None else [touches.let_go]))
