"""Finding who has White (rules 8): by lot, agreed, or by a dart each; seat 1 throws first."""

from __future__ import annotations

import math

from scharten.dartboard.beds import Bed
from scharten.match import clock as clocks
from scharten.match.inputs import Dart, Reading
from scharten.match.phases import Phase
from scharten.match.state import Choice, Match, Question, Refusal, Step, with_white
from scharten.match.white import Seat, Toss, TossDart, draw_lot, take_out, throw
from scharten.match.white import correct as corrected

KEPT = 40
"""How many darts of equal rounds are kept, so that they may be taken back; an even number."""


def on_dart(match: Match, given: Reading, dart: Dart, candidates: tuple[Bed, ...]) -> Step:
    """Count a dart towards White, or ask which ring it is in where that matters."""
    if len({bed.kind for bed in candidates}) > 1 and distance(dart) is None:
        choices = tuple(Choice(bed, bed.kind.name.lower()) for bed in candidates)
        asked = Step(match).with_(question=Question("which_bed", None, choices, dart, given.sensor))
        return asked.say("which_bed", side=None, beds=[str(bed) for bed in candidates])
    return thrown(match, candidates[0], given.happened_ms, distance(dart))


def thrown(match: Match, bed: Bed, at: int, distance_mm: float | None = None) -> Step:
    """One more dart for White, in a known bed."""
    seat = match.toss.to_throw or Seat.SEAT1
    rounds = Toss(match.toss.darts[-KEPT:]) if seat is Seat.SEAT1 else match.toss
    return _judged(match, throw(rounds, TossDart(bed, distance_mm)), at, seat, bed)


def _judged(match: Match, toss: Toss, now: int, seat: Seat, bed: Bed) -> Step:
    if toss.white is not None:
        decided = Step(with_white(match, toss.white, now, "dart")).with_(toss=toss, question=None)
        return _standing(decided, match, now).tell("white_found", seat=toss.white.value, by="dart")
    code = "deciding_again" if toss.darts and toss.to_throw is Seat.SEAT1 else "deciding"
    step = Step(match).with_(toss=toss, question=None, since_ms=now)
    return step.say(code, seat=(toss.to_throw or Seat.SEAT1).value, thrown=str(bed), by=seat.value)


def _standing(decided: Step, before: Match, now: int) -> Step:
    """The dart that decided still stands in the board; and a pause stays a pause."""
    if before.phase is Phase.PAUSED:
        clock = decided.match.clock
        held = None if clock is None else clocks.pause(clock, now)
        return decided.with_(phase=Phase.PAUSED, paused_from=Phase.TURN, clock=held)
    if before.game.arming == "announce":
        return decided.with_(phase=Phase.SETTLING)
    if before.game.settle_ms:
        return decided.with_(phase=Phase.SETTLING, settle_until=now + before.game.settle_ms)
    return decided


def distance(dart: Dart) -> float | None:
    """From the centre in mm, where known."""
    if dart.x_mm is None or dart.y_mm is None:
        return None
    return math.hypot(dart.x_mm, dart.y_mm)


def correct(match: Match, bed: Bed, now: int) -> Step | Refusal:
    """The last dart for White was in another bed."""
    if not match.toss.darts:
        return Refusal("not_allowed", "no dart was thrown for White yet", {"why": "no_dart"})
    seat = Seat.SEAT1 if len(match.toss.darts) % 2 else Seat.SEAT2
    return _judged(match, corrected(match.toss, TossDart(bed)), now, seat, bed)


def take_back(match: Match, darts: int, now: int) -> Step | Refusal:
    """The last darts for White are thrown again."""
    if darts > len(match.toss.darts):
        args = {"why": "too_many", "turns": len(match.toss.darts)}
        return Refusal("not_allowed", f"only {len(match.toss.darts)} darts were thrown for White", args)
    toss = match.toss
    for _ in range(darts):
        toss = take_out(toss)
    step = Step(match).with_(toss=toss, question=None, since_ms=now)
    return step.say("deciding", seat=(toss.to_throw or Seat.SEAT1).value)


def decide(match: Match, by: str, white: Seat | None, seed: int, now: int) -> Step | Refusal:
    """`decide_white`: draw the lot, take the agreed seat, or begin the darts for White anew."""
    if by == "dart":
        return Step(match).with_(toss=Toss(), question=None, since_ms=now).say("deciding", seat="seat1")
    if by == "lot":
        white = draw_lot(seed)
    if white is None:
        return Refusal("malformed", "`agreed` says which seat has White", {"why": "white"})
    found = Step(with_white(match, white, now, by)).with_(toss=Toss(), question=None)
    return found.tell("white_found", seat=white.value, by=by)
