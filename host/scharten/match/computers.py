"""The computer as a player: which seats it plays, and its darts where no board could feel them (contract.md)."""

from __future__ import annotations

from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.match.codes import Message, RefusalCode, WhyRefused, not_allowed
from scharten.match.darts import on_dart
from scharten.match.inputs import Dart, Reading
from scharten.match.orders import SetComputer, VirtualThrow
from scharten.match.phases import Deciding, Drawing
from scharten.match.rights import Actor
from scharten.match.state import Match, Step
from scharten.match.white import Seat

SENSOR = "computer"
"""The source of its darts, as `hits` names it."""


def level_of(match: Match, seat: Seat) -> int:
    """The level at which the computer plays a seat, 0 where a person does."""
    return match.computers[0 if seat is Seat.SEAT1 else 1]


def set_computer(match: Match, order: SetComputer, actor: Actor) -> Step | Problem:
    """Let the computer play a seat, or a person again."""
    level = order.level or 0
    first, second = match.computers
    after = (level, second) if Seat(order.seat) is Seat.SEAT1 else (first, level)
    return Step(match).with_(computers=after).show(Message.COMPUTER, seat=order.seat, level=order.level)


def virtual_throw(match: Match, order: VirtualThrow, actor: Actor) -> Step | Problem:
    """A dart of the computer: shown, counted and put right like any other."""
    if actor.seat is None or not level_of(match, actor.seat):
        return not_allowed(WhyRefused.NO_COMPUTER, "only a seat that the computer plays throws like this")
    thrower = _thrower(match)
    if thrower is not None and thrower is not actor.seat:
        return Problem(RefusalCode.NOT_YOUR_TURN, f"{thrower.value} throws now", {"seat": thrower.value})
    if thrower is None and actor.side is not match.side:
        words = f"it is {match.side.word}'s turn"
        return Problem(RefusalCode.NOT_YOUR_TURN, words, {"side": match.side.word})
    dart = Dart(((bed_at(order.x_mm, order.y_mm), 1.0),), order.x_mm, order.y_mm)
    return on_dart(match, Reading(actor.now, actor.now, SENSOR, dart), dart)


def _thrower(match: Match) -> Seat | None:
    """The seat that throws for White or for the opening, None where the side to move throws."""
    phase = match.stable_phase
    if isinstance(phase, Deciding):
        return match.toss.to_throw
    if isinstance(phase, Drawing) and match.drawn is not None:
        return (Seat.SEAT1, Seat.SEAT2)[match.drawn.to_throw]
    return None
