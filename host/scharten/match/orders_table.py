"""Which function carries out which order, and the phases in which it may come (from the table of `phases`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scharten.match import games, requests, talk, tossing, turns, undo
from scharten.match.darts import lost_without_bed, open_dart, why_no_throw
from scharten.match.orders import AnyOrder, Confirm, DecideWhite, NewGame, PlayMove
from scharten.match.phases import Phase, Verdict, What, verdict
from scharten.match.rights import RIGHTS, Actor
from scharten.match.state import Match, Refusal, Step
from scharten.match.white import Seat

Handler = Callable[[Match, Any, Actor], Step | Refusal]


def what_is(order: AnyOrder) -> What:
    """The row of the phase table that an order belongs to."""
    if isinstance(order, NewGame) and order.abandon:
        return What.ABANDON
    return RIGHTS[order.type].what


def out_of_phase(match: Match, order: AnyOrder) -> Refusal | None:
    """The refusal of an order that means nothing in this phase."""
    ruled = verdict(match.phase, what_is(order))
    if ruled is Verdict.PAUSED:
        return Refusal("paused", "the game is paused", {"phase": match.phase.value})
    if ruled in (Verdict.REFUSED, Verdict.IGNORED):
        words = f"{order.type} has no place while the game is in {match.phase.value}"
        return Refusal("wrong_phase", words, {"phase": match.phase.value})
    return None


def carry_out(match: Match, order: AnyOrder, actor: Actor) -> Step | Refusal:
    """Do what an order says; rights, phase and `seq` have been checked."""
    return HANDLERS[order.type](match, order, actor)


def _move(match: Match, order: PlayMove, actor: Actor) -> Step | Refusal:
    if open_dart(match):
        return _question_first()
    move = turns.read_move(match, order.move)
    return move if isinstance(move, Refusal) else turns.play(match, move, actor.now)


def _question_first() -> Refusal:
    return Refusal("wrong_phase", "a dart was thrown: say first which bed it is in", {"why": "question_open"})


def announce(match: Match, now: int) -> Step | Refusal:
    """The next dart counts."""
    if open_dart(match):
        return _question_first()
    refused = why_no_throw(match)
    if refused is not None:
        return Refusal("not_allowed", refused[1], {"why": refused[0]})
    step = Step(match).with_(phase=Phase.THROWING, settle_until=None, question=None, since_ms=now)
    return step.say("announced", side=match.side.word)


def _announce(match: Match, order: AnyOrder, actor: Actor) -> Step | Refusal:
    return announce(match, actor.now)


def _cancel(match: Match, order: AnyOrder, actor: Actor) -> Step | Refusal:
    if open_dart(match):
        return _question_first()
    step = Step(match).with_(phase=Phase.TURN, since_ms=actor.now, question=None)
    return step.say("cancelled", side=match.side.word)


def _ready(match: Match, order: AnyOrder, actor: Actor) -> Step | Refusal:
    if verdict(match.phase, What.READY) is Verdict.THROWING:
        return announce(match, actor.now)
    step = Step(match).with_(phase=Phase.TURN, settle_until=None, since_ms=actor.now)
    return step.tell("board_ready")


def _miss(match: Match, order: AnyOrder, actor: Actor) -> Step | Refusal:
    if open_dart(match):
        return _question_first()
    refused = None if match.phase is Phase.DECIDING else why_no_throw(match)
    if refused is not None:
        return Refusal("not_allowed", refused[1], {"why": refused[0]})
    if verdict(match.phase, What.MISS) is Verdict.ASK_LOST:
        return undo.ask_lost_dart(match)
    return lost_without_bed(match, "declared", actor.now)


def _decide(match: Match, order: DecideWhite, actor: Actor) -> Step | Refusal:
    white = Seat(order.white) if order.white else None
    return tossing.decide(match, order.by, white, actor.seed, actor.now)


def _confirm(match: Match, order: Confirm, actor: Actor) -> Step | Refusal:
    found = requests.find(match, order.request, actor.seat)
    if isinstance(found, Refusal):
        return found
    asked = found.order
    refused = out_of_phase(match, asked)
    if refused is not None:
        return refused
    asker = Actor(actor.role, found.by, match.side_of(found.by), actor.now, found.seed)
    return carry_out(requests.without(match, found), asked, asker)


HANDLERS: dict[str, Handler] = {
    "new_game": games.new_game,
    "decide_white": _decide,
    "move": _move,
    "announce_throw": _announce,
    "cancel_throw": _cancel,
    "ready": _ready,
    "miss": _miss,
    "choose_bed": undo.choose_bed,
    "correct": undo.correct,
    "delete_dart": undo.delete_dart,
    "add_dart": undo.add_dart,
    "take_back": undo.take_back,
    "confirm": _confirm,
    "resign": talk.resign,
    "offer_draw": talk.offer_draw,
    "answer_draw": talk.answer_draw,
    "claim_draw": talk.claim_draw,
    "claim_flag": talk.claim_flag,
    "touch": talk.on_touch,
    "adoube": talk.on_adoube,
    "pause": talk.pause,
    "resume": talk.resume,
    "set_clock": talk.set_clock,
    "set_result": talk.set_result,
    "set_position": talk.set_position,
    "explain": talk.on_explain,
}
