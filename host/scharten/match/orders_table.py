"""Which function carries out which order, and the phases in which it may come (from the table of `phases`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scharten.dartboard.beds import MISS, parse_bed
from scharten.errors import Problem
from scharten.game.basics import Foul
from scharten.match import computers, drawing, requests, talk, tossing, turns, undo
from scharten.match.codes import Message, RefusalCode, WhyRefused, not_allowed
from scharten.match.fouls import lost_without_bed
from scharten.match.new_game import new_game
from scharten.match.orders import (
    AnyOrder,
    Confirm,
    DecideWhite,
    NewGame,
    PlayMove,
    PracticeDart,
    StartPractice,
)
from scharten.match.phases import (
    Deciding,
    Drawing,
    InputKind,
    Ruling,
    Settling,
    Throwing,
    ToMove,
    ruling,
    within,
)
from scharten.match.practice import Practice
from scharten.match.rights import RIGHTS, Actor
from scharten.match.state import Match, Step
from scharten.match.turns import why_no_throw
from scharten.match.white import Seat

OrderHandler = Callable[[Match, Any, Actor], Step | Problem]


def kind_of(order: AnyOrder) -> InputKind:
    """The row of the phase table that an order belongs to."""
    if isinstance(order, NewGame) and order.abandon:
        return InputKind.ABANDON
    return RIGHTS[order.type].what


def out_of_phase(match: Match, order: AnyOrder) -> Problem | None:
    """The refusal of an order that means nothing in this phase."""
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
    """Do what an order says; rights, phase and `seq` have been checked."""
    return HANDLERS[order.type](match, order, actor)


def _move(match: Match, order: PlayMove, actor: Actor) -> Step | Problem:
    move = turns.read_move(match, order.move)
    return move if isinstance(move, Problem) else turns.enter_move(match, move, actor.now)


def announce(match: Match, now: int) -> Step | Problem:
    """The next dart counts."""
    refused = why_no_throw(match)
    if refused is not None:
        return _no_throw(refused)
    return Step(match).enter(Throwing(), now).show(Message.ANNOUNCED, side=match.side.word)


def _no_throw(refused: Problem) -> Problem:
    named = refused.code != Message.NO_MOVE_NAMED
    return not_allowed(refused.code if named else WhyRefused.NAME_THE_MOVE, str(refused))


def settled(step: Step, at: int) -> Step:
    """The dart was taken out: the side to move is to act."""
    return step.enter(within(step.match.phase, ToMove()), at).note(Message.BOARD_READY)


def _announce(match: Match, order: AnyOrder, actor: Actor) -> Step | Problem:
    return announce(match, actor.now)


def _cancel(match: Match, order: AnyOrder, actor: Actor) -> Step | Problem:
    return Step(match).enter(ToMove(), actor.now).show(Message.CANCELLED, side=match.side.word)


def _ready(match: Match, order: AnyOrder, actor: Actor) -> Step | Problem:
    if isinstance(match.stable_phase, Settling):
        return settled(Step(match), actor.now)
    return announce(match, actor.now)


def _miss(match: Match, order: AnyOrder, actor: Actor) -> Step | Problem:
    if not isinstance(match.stable_phase, Deciding | Drawing):
        refused = why_no_throw(match, match.aim)
        if refused is not None:
            return _no_throw(refused)
    if ruling(match.phase, InputKind.MISS) is Ruling.ASK_LOST:
        return undo.ask_lost_dart(match)
    return lost_without_bed(match, Foul.DECLARED, actor.now)


def _advise(match: Match, order: AnyOrder, actor: Actor) -> Step | Problem:
    """Whoever hears the events works it out; nothing of the game changes."""
    if match.options.rated:
        return not_allowed(WhyRefused.RATED, "nobody is advised in a rated game")
    refused = why_no_throw(match, match.aim)
    if refused is not None:
        return _no_throw(refused)
    return Step(match).note(Message.ADVICE_ASKED, side=match.side.word)


def _practice(match: Match, order: StartPractice, actor: Actor) -> Step | Problem:
    sits = match.start.settings.white_sits_at
    begun = order.exercise and Practice(order.exercise, order.player or "", actor.seed % 2**32, sits)
    return Step(match).with_(practice=begun or None).note(Message.PRACTICE, exercise=order.exercise)


def _practice_dart(match: Match, order: PracticeDart, actor: Actor) -> Step | Problem:
    series, bed = match.practice, parse_bed(order.bed) or MISS
    if series is None or (series.over and not order.instead):
        return not_allowed(WhyRefused.NO_PRACTICE, "nothing is being practised")
    after = series.instead(bed) if order.instead else series.after(bed)
    if after is None:
        return not_allowed(WhyRefused.NO_DART, "no dart was thrown")
    return Step(match).with_(practice=after)


def _decide(match: Match, order: DecideWhite, actor: Actor) -> Step | Problem:
    white = Seat(order.white) if order.white else None
    return tossing.decide(match, order.by, white, actor.seed, actor.now)


def _confirm(match: Match, order: Confirm, actor: Actor) -> Step | Problem:
    found = requests.find(match, order.request, actor.seat)
    if isinstance(found, Problem):
        return found
    asked = found.order
    if not order.accept:
        declined = Step(requests.without(match, found))
        return declined.show(Message.REQUEST_LAPSED, id=asked.id, by=found.by.value)
    refused = out_of_phase(match, asked)
    if refused is not None:
        return refused
    asker = Actor(actor.role, found.by, match.side_of(found.by), actor.now, found.seed)
    return carry_out(requests.without(match, found), asked, asker)


HANDLERS: dict[str, OrderHandler] = {
    "new_game": new_game,
    "decide_white": _decide,
    "die": drawing.die,
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
    "virtual_throw": computers.virtual_throw,
    "advise": _advise,
    "practice": _practice,
    "practice_dart": _practice_dart,
    "explain": talk.on_explain,
}
