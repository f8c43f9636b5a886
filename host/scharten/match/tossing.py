"""Finding who has White (rules 8): by lot, agreed, or by a dart each; seat 1 throws first.

The darts can be put right until the first turn is completed, also the one that decided.
"""

from __future__ import annotations

import math

from scharten.dartboard.beds import Bed
from scharten.errors import Problem
from scharten.match import clock as clocks
from scharten.match.codes import Message, RefusalCode, WhyRefused, not_allowed
from scharten.match.inputs import Dart
from scharten.match.phases import (
    Deciding,
    Drawing,
    Paused,
    dart_in_doubt,
    within,
    without_question,
)
from scharten.match.state import Match, Step, with_white
from scharten.match.touch import Touches
from scharten.match.white import Seat, TossDart, TossForWhite, draw_lot, take_out, throw
from scharten.match.white import correct as corrected

KEPT = 40
"""How many darts of equal rounds are kept, so that they may be taken back; an even number."""


def can_be_put_right(match: Match) -> bool:
    """Whether the darts for White are the last ones: White is being found, or no turn was completed since."""
    if isinstance(match.stable_phase, Deciding):
        return True
    begun = match.drawn is not None and match.drawn.thrown
    return bool(match.toss.darts) and not (match.turns or begun) and not dart_in_doubt(match.phase)


def differ(beds: tuple[Bed, ...], dart: Dart) -> bool:
    """Whether it matters for White which of the beds it was: their rings, where its distance is not known."""
    return len({bed.kind for bed in beds}) > 1 and distance(dart) is None


def thrown(match: Match, bed: Bed, at: int, distance_mm: float | None = None) -> Step:
    """One more dart for White, in a known bed."""
    seat = match.toss.to_throw or Seat.SEAT1
    rounds = TossForWhite(match.toss.darts[-KEPT:]) if seat is Seat.SEAT1 else match.toss
    return _judged(match, throw(rounds, TossDart(bed, distance_mm)), at, seat, bed)


def _judged(match: Match, toss: TossForWhite, now: int, seat: Seat, bed: Bed) -> Step:
    if toss.white is not None:
        decided = _standing(with_white(Step(match), toss.white, now, "dart"), match, toss, now)
        return decided.note(Message.WHITE_FOUND, seat=toss.white.value, by="dart")
    again = bool(toss.darts) and toss.to_throw is Seat.SEAT1
    code = Message.DECIDING_AGAIN if again else Message.DECIDING
    return _awaited(match, toss, now).show(code, **_seat(toss), thrown=str(bed), by=seat.value)


def _standing(decided: Step, before: Match, toss: TossForWhite, now: int) -> Step:
    """The dart that decided still stands in the board; and a pause stays a pause."""
    clock = decided.match.clock
    rest = {"toss": toss, "touches": Touches(), "draw_offer": None}
    if isinstance(decided.match.stable_phase, Drawing):
        return decided.enter(within(without_question(before.phase), Drawing()), now, **rest)
    if isinstance(before.phase, Paused):
        held = None if clock is None else clocks.pause(clock, now)
        return decided.enter(Paused(decided.match.stable_phase), now, clock=held, **rest)
    return decided.enter(before.arming.after_dart(now), now, **rest)


def _awaited(match: Match, toss: TossForWhite, now: int) -> Step:
    """Another dart for White is awaited; what followed from one that decided is undone."""
    phase = within(without_question(match.phase), Deciding())
    return Step(match).enter(
        phase, now, toss=toss, white=Seat.SEAT1, clock=None, draw_offer=None, touches=Touches()
    )


def _seat(toss: TossForWhite) -> dict[str, str]:
    return {"seat": (toss.to_throw or Seat.SEAT1).value}


def distance(dart: Dart) -> float | None:
    """From the centre in mm, where known."""
    if dart.x_mm is None or dart.y_mm is None:
        return None
    return math.hypot(dart.x_mm, dart.y_mm)


def correct(match: Match, bed: Bed, now: int) -> Step | Problem:
    """The last dart for White was in another bed."""
    if not match.toss.darts:
        return not_allowed(WhyRefused.NO_DART, "no dart was thrown for White yet")
    seat = Seat.SEAT1 if len(match.toss.darts) % 2 else Seat.SEAT2
    return _judged(match, corrected(match.toss, TossDart(bed)), now, seat, bed)


def take_back(match: Match, darts: int, now: int) -> Step | Problem:
    """The last darts for White are thrown again."""
    toss, there = match.toss, len(match.toss.darts)
    if darts > there:
        return not_allowed(WhyRefused.TOO_MANY, f"only {there} darts were thrown for White", turns=there)
    for _ in range(darts):
        toss = take_out(toss)
    return _awaited(match, toss, now).show(Message.DECIDING, **_seat(toss))


def decide(match: Match, by: str, white: Seat | None, seed: int, now: int) -> Step | Problem:
    """`decide_white`: draw the lot, take the agreed seat, or begin the darts for White again."""
    if by == "dart":
        return _awaited(match, TossForWhite(), now).show(Message.DECIDING, **_seat(TossForWhite()))
    if by == "lot":
        white = draw_lot(seed)
    if white is None:
        return Problem(RefusalCode.MALFORMED, "`agreed` says which seat has White", {"why": WhyRefused.WHITE})
    found = with_white(Step(match), white, now, by).with_(toss=TossForWhite())
    return found.note(Message.WHITE_FOUND, seat=white.value, by=by)
