"""Drawing an opening with darts or dice, once White is known (games 3); the seats throw in turn, seat 1 first.

What is taken back begins the next round, and nothing is put right once the opening is drawn: nobody may try again
with an offset that he has seen.
"""

from __future__ import annotations

import hashlib
from typing import Any

from scharten.dartboard.beds import Bed
from scharten.errors import Problem
from scharten.match import clock as clocks
from scharten.match.codes import Message, RefusalCode, WhyRefused, not_allowed
from scharten.match.orders import Die
from scharten.match.phases import Drawing, Paused, within, without_question
from scharten.match.rights import Actor
from scharten.match.state import Match, Step, board_state, first_turn


def waits_for(match: Match) -> str:
    """`darts`, `dice`, or empty."""
    return "" if match.drawn is None else match.drawn.waits_for


def said(step: Step) -> Step:
    """What is told of a draw that has begun, or that a lot did at once."""
    drawn = step.match.drawn
    if drawn is None:
        return step
    if drawn.waits_for:
        if not isinstance(step.match.stable_phase, Drawing):
            return step
        return step.note(Message.DRAWING, seat=f"seat{drawn.to_throw + 1}", by=drawn.waits_for)
    return step.note(Message.DRAWN, number=drawn.shown["number"], by=drawn.shown["by"])


def differ(beds: tuple[Bed, ...]) -> bool:
    """Whether it matters for a draw which of the beds it was: not for their rings."""
    return len({bed.number for bed in beds}) > 1


def thrown(match: Match, bed: Bed, at: int) -> Step:
    """One more dart, in a known bed; nothing comes of one that is not awaited."""
    draws = match.game.draws
    after = None if draws is None else draws.dart(match.draw, bed)
    return _told(match, after, str(bed), at) if not isinstance(after, Problem) else Step(match)


def die(match: Match, order: Die, actor: Actor) -> Step | Problem:
    """One more die, of the seat in turn; without a value the host throws it."""
    draws, drawn = match.game.draws, match.drawn
    if draws is None or drawn is None:
        return not_allowed(WhyRefused.NO_DICE, "this opening is not drawn with dice")
    seat = f"seat{drawn.to_throw + 1}"
    if actor.seat is not None and actor.seat.value != seat:
        return Problem(RefusalCode.NOT_YOUR_TURN, f"{seat} throws now", {"seat": seat})
    chance = hashlib.sha256(f"die {actor.seed} {drawn.thrown}".encode()).hexdigest()
    value = int(chance, 16) % 6 + 1 if order.value is None else order.value
    after = draws.die(match.draw, value)
    return after if isinstance(after, Problem) else _told(match, after, str(value), actor.now)


def correct(match: Match, bed: Bed, now: int) -> Step | Problem:
    """The last dart was in another bed; it keeps its offset."""
    after = None if match.game.draws is None else match.game.draws.correct(match.draw, bed)
    return after if isinstance(after, Problem) else _told(match, after, str(bed), now)


def again(match: Match, now: int) -> Step | Problem:
    """A dart or die is taken back: the next round begins at step 1."""
    after = None if match.game.draws is None else match.game.draws.again(match.draw)
    return after if isinstance(after, Problem) else _told(match, after, None, now)


def _told(match: Match, draw: Any, shown: str | None, now: int) -> Step:
    """The draw as it is after a throw: the men that it placed stand, and once it is done White is to move."""
    draws = match.game.draws
    if draws is None or match.drawn is None:
        return Step(match)
    by = f"seat{match.drawn.to_throw + 1}"
    board = board_state(match.game, draws.position(draw), match.options)
    phase = within(without_question(match.phase), Drawing())
    step = Step(match).enter(phase, now, draw=draw, board=board, opening=board)
    drawn = draws.drawn(draw)
    if drawn.waits_for:
        seat = f"seat{drawn.to_throw + 1}"
        return step.show(Message.DRAWING, seat=seat, by=drawn.waits_for, thrown=shown, thrown_by=by)
    number, way = drawn.shown["number"], drawn.shown["by"]
    return _begun(step, match, now, thrown=shown is not None).show(Message.DRAWN, number=number, by=way)


def _begun(step: Step, before: Match, now: int, *, thrown: bool) -> Step:
    """The first turn; the last dart may still stand in the board, and a pause stays a pause."""
    begun = first_turn(step, now)
    clock = begun.match.clock
    if isinstance(before.phase, Paused):
        held = None if clock is None else clocks.pause(clock, now)
        return begun.enter(Paused(begun.match.stable_phase), now, clock=held)
    dart = waits_for(before) == "darts" and thrown
    return begun.enter(before.arming.after_dart(now), now) if dart else begun
