"""Draw an opening with darts or dice, once White is known (games 3); the seats throw in turn, seat 1 first.

A dart or die that is taken back begins the next round. Nothing can be put right once the opening is drawn: nobody may
try again with an offset that they have seen. This module implements `EarlyRules` for `drawing`.
"""

from __future__ import annotations

import hashlib
from typing import Any

from scharten.dartboard.beds import Bed
from scharten.errors import Problem
from scharten.match import clock as clocks
from scharten.match.codes import Message, RefusalCode, WhyRefused, not_allowed
from scharten.match.dart import Dart
from scharten.match.inputs import Actor
from scharten.match.orders import Die
from scharten.match.phase_table import Ruling
from scharten.match.phases import MOST_CHOICES, Choice, Drawing, Paused, within, without_question
from scharten.match.state import Match, Step, board_state, first_turn
from scharten.match.white import Seat


def announce(step: Step) -> Step:
    """Report a draw that has begun, or that a lot decided at once."""
    drawn = step.match.drawn
    if drawn is None:
        return step
    if drawn.waits_for:
        if not isinstance(step.match.stable_phase, Drawing):
            return step
        return step.note(Message.DRAWING, seat=f"seat{drawn.to_throw + 1}", by=drawn.waits_for)
    return step.note(Message.DRAWN, number=drawn.shown["number"], by=drawn.shown["by"])


def thrower(match: Match) -> Seat | None:
    """The seat that throws now."""
    return None if match.drawn is None else (Seat.SEAT1, Seat.SEAT2)[match.drawn.to_throw]


def why_ignored(match: Match, ruled: Ruling) -> str:
    """A dart counts unless the draw waits for dice."""
    return "" if _waits_for_darts(match) else Message.NOT_ANNOUNCED


def choices(match: Match, beds: tuple[Bed, ...], dart: Dart) -> tuple[Choice, ...]:
    """The beds to ask about: those of different numbers."""
    beds = beds[:MOST_CHOICES]
    if len({bed.number for bed in beds}) < 2:
        return ()
    return tuple(Choice(bed, bed.kind.name.lower()) for bed in beds)


def count(match: Match, bed: Bed, dart: Dart | None, now: int) -> Step:
    """Add a dart; nothing happens if none is awaited."""
    draws = match.game.draws
    draw = None if draws is None else draws.dart(match.draw, bed)
    return Step(match) if isinstance(draw, Problem) else _advance(match, draw, str(bed), now)


def throw_die(match: Match, order: Die, actor: Actor) -> Step | Problem:
    """Add a die of the seat in turn; without a value the host throws it."""
    draws, drawn = match.game.draws, match.drawn
    if draws is None or drawn is None:
        return not_allowed(WhyRefused.NO_DICE, "this opening is not drawn with dice")
    seat = f"seat{drawn.to_throw + 1}"
    if actor.seat is not None and actor.seat.value != seat:
        return Problem(RefusalCode.NOT_YOUR_TURN, f"{seat} throws now", {"seat": seat})
    chance = hashlib.sha256(f"die {actor.seed} {drawn.thrown}".encode()).hexdigest()
    value = int(chance, 16) % 6 + 1 if order.value is None else order.value
    draw = draws.die(match.draw, value)
    return draw if isinstance(draw, Problem) else _advance(match, draw, str(value), actor.now)


def correct(match: Match, bed: Bed, now: int) -> Step | Problem:
    """The last dart was in another bed; it keeps its offset."""
    draw = None if match.game.draws is None else match.game.draws.correct(match.draw, bed)
    return draw if isinstance(draw, Problem) else _advance(match, draw, str(bed), now)


def take_back(match: Match, darts: int, now: int) -> Step | Problem:
    """A dart or die is taken back: the next round begins at step 1."""
    draw = None if match.game.draws is None else match.game.draws.next_round(match.draw)
    return draw if isinstance(draw, Problem) else _advance(match, draw, None, now)


def _waits_for_darts(match: Match) -> bool:
    return match.drawn is not None and match.drawn.waits_for == "darts"


def _advance(match: Match, draw: Any, thrown: str | None, now: int) -> Step:
    """Go on with the draw after a throw: its men are placed, and White is to move once it is complete."""
    draws = match.game.draws
    if draws is None or match.drawn is None:
        return Step(match)
    thrown_by = f"seat{match.drawn.to_throw + 1}"
    board = board_state(match.game, draws.position(draw), match.options)
    phase = within(without_question(match.phase), Drawing())
    step = Step(match).enter(phase, now, draw=draw, board=board, opening=board)
    drawn = draws.drawn(draw)
    if drawn.waits_for:
        seat, by = f"seat{drawn.to_throw + 1}", drawn.waits_for
        return step.show(Message.DRAWING, seat=seat, by=by, thrown=thrown, thrown_by=thrown_by)
    step = _begin_game(step, match, now, thrown=thrown is not None)
    return step.show(Message.DRAWN, number=drawn.shown["number"], by=drawn.shown["by"])


def _begin_game(step: Step, before: Match, now: int, *, thrown: bool) -> Step:
    """Begin the first turn; the last dart may still be in the board, and a pause stays a pause."""
    begun = first_turn(step, now)
    clock = begun.match.clock
    if isinstance(before.phase, Paused):
        held = None if clock is None else clocks.pause(clock, now)
        return begun.enter(Paused(begun.match.stable_phase), now, clock=held)
    return begun.enter(before.arming.after_dart(now), now) if thrown and _waits_for_darts(before) else begun
