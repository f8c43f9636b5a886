"""Decide who has White (rules 8): by lot, by agreement, or by a dart from each seat; seat 1 throws first.

The darts can be put right until the first turn is completed, even the one that decided. This module implements
`EarlyRules` for the phase `deciding`.
"""

from __future__ import annotations

import math

from scharten.dartboard.beds import Bed
from scharten.errors import Problem
from scharten.match import clock as clocks
from scharten.match.codes import Message, RefusalCode, WhyRefused, not_allowed
from scharten.match.dart import Dart
from scharten.match.inputs import Actor
from scharten.match.orders import DecideWhite
from scharten.match.phase_table import Ruling
from scharten.match.phases import (
    MOST_CHOICES,
    Choice,
    Deciding,
    Drawing,
    Paused,
    dart_in_doubt,
    within,
    without_question,
)
from scharten.match.state import Match, Step, with_white
from scharten.match.touch import Touches
from scharten.match.white import Seat, TossDart, TossForWhite, draw_lot, throw

MOST_DARTS = 40
"""How many darts of equal rounds are stored, so that they can be taken back; an even number."""


def is_last(match: Match) -> bool:
    """Whether the last dart was one for White: nothing was thrown or played since."""
    if isinstance(match.stable_phase, Deciding):
        return True
    begun = match.drawn is not None and match.drawn.thrown
    return bool(match.toss.darts) and not (match.turns or begun) and not dart_in_doubt(match.phase)


def thrower(match: Match) -> Seat | None:
    """The seat that throws now; None while a question is open."""
    return match.toss.to_throw


def why_ignored(match: Match, ruled: Ruling) -> str:
    """Empty: every dart counts."""
    return ""


def choices(match: Match, beds: tuple[Bed, ...], dart: Dart) -> tuple[Choice, ...]:
    """The beds to ask about: those of different rings, if the distance from the centre is not known."""
    beds = beds[:MOST_CHOICES]
    if len({bed.kind for bed in beds}) < 2 or _distance(dart) is not None:
        return ()
    return tuple(Choice(bed, bed.kind.name.lower()) for bed in beds)


def count(match: Match, bed: Bed, dart: Dart | None, now: int) -> Step:
    """Add a dart for White."""
    seat = match.toss.to_throw or Seat.SEAT1
    rounds = TossForWhite(match.toss.darts[-MOST_DARTS:]) if seat is Seat.SEAT1 else match.toss
    return _judge(match, throw(rounds, TossDart(bed, _distance(dart))), now, seat, bed)


def correct(match: Match, bed: Bed, now: int) -> Step | Problem:
    """The last dart for White was in another bed."""
    darts = match.toss.darts
    if not darts:
        return not_allowed(WhyRefused.NO_DART, "no dart was thrown for White yet")
    seat = Seat.SEAT1 if len(darts) % 2 else Seat.SEAT2
    return _judge(match, TossForWhite((*darts[:-1], TossDart(bed))), now, seat, bed)


def take_back(match: Match, darts: int, now: int) -> Step | Problem:
    """The last darts for White are thrown again."""
    left = len(match.toss.darts) - darts
    if left < 0:
        thrown = left + darts
        return not_allowed(WhyRefused.TOO_MANY, f"only {thrown} darts were thrown for White", turns=thrown)
    toss = TossForWhite(match.toss.darts[:left])
    return _await_dart(match, toss, now).show(Message.DECIDING, **_seat(toss))


def decide(match: Match, order: DecideWhite, actor: Actor) -> Step | Problem:
    """`decide_white`: draw the lot, take the agreed seat, or begin the darts for White again."""
    if order.by == "dart":
        toss = TossForWhite()
        return _await_dart(match, toss, actor.now).show(Message.DECIDING, **_seat(toss))
    white = Seat(order.white) if order.white else None
    if order.by == "lot":
        white = draw_lot(actor.seed)
    if white is None:
        return Problem(RefusalCode.MALFORMED, "`agreed` says which seat has White", {"why": WhyRefused.WHITE})
    step = with_white(Step(match), white, actor.now, order.by).with_(toss=TossForWhite())
    return step.note(Message.WHITE_FOUND, seat=white.value, by=order.by)


def _judge(match: Match, toss: TossForWhite, now: int, seat: Seat, bed: Bed) -> Step:
    """The match after this seat's dart: White is found, or the next dart is awaited."""
    if toss.white is not None:
        decided = _settle(with_white(Step(match), toss.white, now, "dart"), match, toss, now)
        return decided.note(Message.WHITE_FOUND, seat=toss.white.value, by="dart")
    equal = bool(toss.darts) and toss.to_throw is Seat.SEAT1
    code = Message.DECIDING_AGAIN if equal else Message.DECIDING
    return _await_dart(match, toss, now).show(code, **_seat(toss), thrown=str(bed), by=seat.value)


def _settle(decided: Step, before: Match, toss: TossForWhite, now: int) -> Step:
    """Wait until the dart that decided is taken out; a pause stays a pause."""
    clock = decided.match.clock
    rest = {"toss": toss, "touches": Touches(), "draw_offer": None}
    if isinstance(decided.match.stable_phase, Drawing):
        return decided.enter(within(without_question(before.phase), Drawing()), now, **rest)
    if isinstance(before.phase, Paused):
        held = None if clock is None else clocks.pause(clock, now)
        return decided.enter(Paused(decided.match.stable_phase), now, clock=held, **rest)
    return decided.enter(before.arming.after_dart(now), now, **rest)


def _await_dart(match: Match, toss: TossForWhite, now: int) -> Step:
    """Wait for another dart for White, and undo what followed from a dart that decided."""
    phase = within(without_question(match.phase), Deciding())
    return Step(match).enter(
        phase, now, toss=toss, white=Seat.SEAT1, clock=None, draw_offer=None, touches=Touches()
    )


def _seat(toss: TossForWhite) -> dict[str, str]:
    return {"seat": (toss.to_throw or Seat.SEAT1).value}


def _distance(dart: Dart | None) -> float | None:
    """From the centre in mm, where known."""
    if dart is None or dart.x_mm is None or dart.y_mm is None:
        return None
    return math.hypot(dart.x_mm, dart.y_mm)
