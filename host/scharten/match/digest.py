"""What a replay must reproduce, as one short text: the game, not the words about it nor the answers given.

Values are named one by one and options at their default left out, so that a later version, which knows more options
or says more, still gives the digests of an old journal.
"""

from __future__ import annotations

import hashlib
import json

from scharten.dartboard.beds import Bed
from scharten.game.basics import Action, LostDart, Side
from scharten.game.protocol import AnyGame
from scharten.match.clock import Clock
from scharten.match.phases import Paused, Settling, bare
from scharten.match.state import Match, PlayedTurn
from scharten.match.touch import Touches


def digest(match: Match) -> str:
    """The digest of a match."""
    side, question, inner = match.draw_offer, match.question, bare(match.phase)
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
        [(each.by, each.order.model_dump_json(exclude_unset=True), each.until_ms) for each in match.requests],
        _touch_values(match.game, match.touches),
        # Games in which moves need darts came later: what they wait for stands behind all that was there before.
        *([] if match.aim is None else [match.aim.text]),
        *([] if match.drawn is None else [match.drawn.text]),
        *([] if match.practice is None else [{"practice": match.practice.text}]),
        *([] if match.computers == match.start.computers else [{"computers": match.computers}]),
        *([] if (seen := _seen(match)) is None else [{"seen": seen}]),
    )
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()[:32]


def _seen(match: Match) -> int | None:
    """When cameras beside an electronic board saw the last dart."""
    dart = match.turns[-1].dart if match.turns else None
    return None if dart is None else dart.seen_ms


def _clock_values(clock: Clock) -> tuple[object, ...]:
    sides = tuple((own.left_ms, own.turns, own.stage, own.fallen) for own in (clock.white, clock.black))
    running = tuple(None if side is None else side.word for side in (clock.running, clock.held))
    return (*sides, *running, clock.since_ms)


def _touch_values(game: AnyGame, touches: Touches) -> tuple[object, ...]:
    """Fields by their place in the layout, as they were counted when there was one game."""
    if not touches.fields:
        return ((), touches.adoube)
    fields = tuple(game.layout.fields.index(field) for field in touches.fields)
    return (fields, touches.adoube, *([] if touches.let_go is None else [touches.let_go]))


def chained(
    previous: tuple[PlayedTurn, ...], number: int, side: Side, action: Action, bed: Bed | None
) -> str:
    """The digest of a turn and of all turns before it."""
    before = previous[-1].chain if previous else ""
    foul = action.foul if isinstance(action, LostDart) else None
    state = (before, number, side.word, action.text, str(bed), foul)
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()[:32]
