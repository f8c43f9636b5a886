"""The function of each order, and the phases that allow it (from `phase_table`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scharten.dartboard.beds import MISS, parse_bed
from scharten.errors import Problem
from scharten.game.basics import Foul
from scharten.match import requests, talk
from scharten.match.codes import Message, RefusalCode, WhyRefused, not_allowed
from scharten.match.inputs import Actor
from scharten.match.new_game import new_game
from scharten.match.orders import AnyOrder, Confirm, NewGame, PlayMove, PracticeDart, StartPractice
from scharten.match.phase_table import InputKind, Ruling, ruling
from scharten.match.phases import Settling, Throwing, ToMove, within
from scharten.match.practice import Practice
from scharten.match.rights import RIGHTS
from scharten.match.seats import computers, drawing, tossing
from scharten.match.seats.throwers import may_throw
from scharten.match.state import Match, Step
from scharten.match.turns import darts, play, undo
from scharten.match.turns.dart_rules import lose_dart, refuse_throw

OrderHandler = Callable[[Match, Any, Actor], Step | Problem]


def kind_of(order: AnyOrder) -> InputKind:
    """The row of the phase table for an order."""
    if isinstance(order, NewGame) and order.abandon:
        return InputKind.ABANDON
    return RIGHTS[order.type].what


def out_of_phase(match: Match, order: AnyOrder) -> Problem | None:
    """The refusal of an order that this phase does not allow."""
    name = match.phase.name
    match ruling(match.phase, kind_of(order)):
        case Ruling.PAUSED:
            return Problem(RefusalCode.PAUSED, "the game is paused", {"phase": name})
        case Ruling.WAITS:
            words = "a dart was thrown: say first which bed it is in"
            return Problem(RefusalCode.WRONG_PHASE, words, {"why": WhyRefused.QUESTION_OPEN})
        case Ruling.REFUSED | Ruling.IGNORED:
            words = f"{order.type} has no place while the game is in {name}"
            return Problem(RefusalCode.WRONG_PHASE, words, {"phase": name, "type": order.type})
        case _:
            return None


def carry_out(match: Match, order: AnyOrder, actor: Actor) -> Step | Problem:
    """Carry out an order; rights, phase and `seq` have been checked."""
    return HANDLERS[order.type](match, order, actor)


def _move(match: Match, order: PlayMove, actor: Actor) -> Step | Problem:
    move = play.read_move(match, order.move)
    return move if isinstance(move, Problem) else play.enter_move(match, move, actor.now)


def announce(match: Match, now: int) -> Step | Problem:
    """The next dart counts."""
    refused = play.why_no_throw(match)
    if refused is not None:
        return refuse_throw(refused)
    return Step(match).enter(Throwing(), now).show(Message.ANNOUNCED, side=match.side.word)


def settled(step: Step, at: int) -> Step:
    """The dart was taken out: the side to move is to act."""
    return step.enter(within(step.match.phase, ToMove(emptied=True)), at).note(Message.BOARD_READY)


def _announce(match: Match, order: AnyOrder, actor: Actor) -> Step | Problem:
    return announce(match, actor.now)


def _cancel(match: Match, order: AnyOrder, actor: Actor) -> Step | Problem:
    return Step(match).enter(ToMove(), actor.now).show(Message.CANCELLED, side=match.side.word)


def _ready(match: Match, order: AnyOrder, actor: Actor) -> Step | Problem:
    if isinstance(match.stable_phase, Settling):
        return settled(Step(match), actor.now)
    return announce(match, actor.now)


def _miss(match: Match, order: AnyOrder, actor: Actor) -> Step | Problem:
    """The dart is lost; a seat may declare only its own lost, or it could give the other one foul after another."""
    if actor.seat is not None and match.start.edition >= 4 and not may_throw(match, actor.seat):
        return not_allowed(WhyRefused.OTHER_THROWS, f"the dart is not {actor.seat.value}'s")
    if ruling(match.phase, InputKind.MISS) is Ruling.ASK_LOST:
        refused = play.why_no_throw(match)
        return undo.ask_lost_dart(match) if refused is None else refuse_throw(refused)
    lost = lose_dart(match, Foul.DECLARED, None, actor.now)
    return lost if isinstance(lost, Step) else refuse_throw(lost)


def _advise(match: Match, order: AnyOrder, actor: Actor) -> Step | Problem:
    """Ask for advice: a listener to the events computes it; the game does not change."""
    if match.options.rated:
        return not_allowed(WhyRefused.RATED, "a rated game has no advice")
    refused = play.why_no_throw(match, match.aim)
    if refused is not None:
        return refuse_throw(refused)
    return Step(match).note(Message.ADVICE_ASKED, side=match.side.word)


def _practice(match: Match, order: StartPractice, actor: Actor) -> Step | Problem:
    sits = match.start.settings.white_sits_at
    begun = order.exercise and Practice(order.exercise, order.player or "", actor.seed % 2**32, sits)
    return Step(match).with_(practice=begun or None).note(Message.PRACTICE, exercise=order.exercise)


def _practice_dart(match: Match, order: PracticeDart, actor: Actor) -> Step | Problem:
    series, bed = match.practice, parse_bed(order.bed) or MISS
    if series is None or (series.over and not order.instead):
        return not_allowed(WhyRefused.NO_PRACTICE, "nothing is being practised")
    changed = series.correct(bed) if order.instead else series.throw(bed)
    if changed is None:
        return not_allowed(WhyRefused.NO_DART, "no dart was thrown")
    return Step(match).with_(practice=changed)


def _confirm(match: Match, order: Confirm, actor: Actor) -> Step | Problem:
    found = requests.find(match, order.request, actor.seat)
    if isinstance(found, Problem):
        return found
    asked = found.order
    if not order.accept:
        declined = Step(requests.without(match, found))
        return declined.show(Message.REQUEST_DECLINED, id=asked.id, by=found.by.value)
    refused = out_of_phase(match, asked)
    if refused is not None:
        return refused
    asker = Actor(actor.role, found.by, match.side_of(found.by), actor.now, found.seed)
    return carry_out(requests.without(match, found), asked, asker)


HANDLERS: dict[str, OrderHandler] = {
    "new_game": new_game,
    "decide_white": tossing.decide,
    "die": drawing.throw_die,
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
    "let_go": talk.on_let_go,
    "adoube": talk.on_adoube,
    "pause": talk.pause,
    "resume": talk.resume,
    "set_clock": talk.set_clock,
    "set_result": talk.set_result,
    "set_position": talk.set_position,
    "set_computer": computers.set_computer,
    "virtual_throw": darts.virtual_throw,
    "advise": _advise,
    "practice": _practice,
    "practice_dart": _practice_dart,
    "explain": talk.on_explain,
}
