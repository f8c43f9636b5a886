"""Orders about the game as a whole: draws, claims, resignation, touches, pauses, the arbiter's rulings."""

from __future__ import annotations

from dataclasses import replace

from scharten.errors import Problem
from scharten.game.basics import FieldName, Reason, Result, move_from_text
from scharten.match import clock as clocks
from scharten.match import orders
from scharten.match.codes import Message, RefusalCode, WhyRefused, not_allowed
from scharten.match.inputs import Actor
from scharten.match.phases import Finished, Paused, Settling, ToMove, innermost, within
from scharten.match.state import Match, Step, board_state
from scharten.match.touch import Touches, release, say_adoube, touch
from scharten.match.turns import play


def resign(match: Match, order: orders.Resign, actor: Actor) -> Step | Problem:
    """Lose the game by resigning; either side, at any time."""
    side = actor.side or match.side
    step = Step(match).note(Message.RESIGNED, side=side.word)
    return play.lose_game(step, side, Reason.RESIGNATION, actor.now)


def offer_draw(match: Match, order: orders.OfferDraw, actor: Actor) -> Step | Problem:
    """Offer a draw; an offer in answer to an offer agrees."""
    side = actor.side or match.side
    if match.draw_offer is side:
        return not_allowed(WhyRefused.OFFERED, "this draw is offered already")
    if match.draw_offer is side.other:
        return play.finish(Step(match), Result.DRAW, Reason.AGREEMENT, actor.now)
    step = Step(play.mark_offer(match, side)).with_(draw_offer=side)
    return step.show(Message.DRAW_OFFERED, side=side.word)


def answer_draw(match: Match, order: orders.AnswerDraw, actor: Actor) -> Step | Problem:
    """Accept or decline the other's offer."""
    offer = match.draw_offer
    if offer is None:
        return not_allowed(WhyRefused.NO_OFFER, "no draw is offered")
    if actor.seat is not None and actor.side is offer:
        return not_allowed(WhyRefused.OWN_OFFER, "the other side answers")
    if order.accept:
        return play.finish(Step(match), Result.DRAW, Reason.AGREEMENT, actor.now)
    return Step(match).with_(draw_offer=None).show(Message.DRAW_DECLINED, side=offer.other.word)


def claim_draw(match: Match, order: orders.ClaimDraw, actor: Actor) -> Step | Problem:
    """A correct claim ends the game; a wrong claim changes nothing, but a stated move is played (rules 7).

    A stated move that ends the game on the board is played: mate goes before a draw (§8). One that needs a dart
    waits for it.
    """
    wrong = {"why": WhyRefused.WRONG_CLAIM, "rule": order.rule}
    if order.move is None:
        if order.rule in play.claimable(match):
            return play.finish(Step(match), Result.DRAW, Reason(order.rule), actor.now)
        return Problem(RefusalCode.NOT_ALLOWED, "the claim is wrong", wrong)
    move = play.read_move(match, order.move)
    stated = move if isinstance(move, Problem) else match.game.play(match.position, move, match.options)
    if isinstance(move, Problem) or isinstance(stated, Problem):
        return move if isinstance(move, Problem) else play.enter_move(match, move, actor.now)
    board = board_state(match.game, stated.position, match.options)
    ends = board.situation.end is not None and move.text not in match.situation.needs_dart
    if not ends and order.rule in play.claimable(match, board):
        return play.finish(Step(match), Result.DRAW, Reason(order.rule), actor.now)
    played = play.enter_move(match, move, actor.now)
    if ends or isinstance(played, Problem):
        return played
    if move.text in match.situation.needs_dart:
        message, done = "the claim is wrong; the stated move waits for its dart", "waits_for_dart"
    else:
        message, done = "the claim is wrong; the stated move is played", "played"
    return played.answering(refusal=Problem(RefusalCode.NOT_ALLOWED, message, {**wrong, done: order.move}))


def claim_flag(match: Match, order: orders.ClaimFlag, actor: Actor) -> Step | Problem:
    """A fallen flag counts when the opponent claims it; if both have fallen it is a draw (rules 7)."""
    side = actor.side or match.side
    if match.clock is None or not clocks.flag_fallen(match.clock, side.other, actor.now):
        return not_allowed(WhyRefused.WRONG_CLAIM, f"{side.other.word}'s flag has not fallen")
    if clocks.flag_fallen(match.clock, side, actor.now):
        return play.finish(Step(match), Result.DRAW, Reason.FLAG, actor.now)
    return play.lose_game(Step(match), side.other, Reason.FLAG, actor.now)


def _no_touch(match: Match, *fields: str) -> Problem | None:
    """Why a touch is refused: the option is off, or the board has no such field."""
    if match.options.touch_move == "off":
        return not_allowed(WhyRefused.TOUCH_MOVE_OFF, "this game is played without touch-move")
    unknown = next((field for field in fields if field not in match.game.layout.fields), None)
    if unknown is None:
        return None
    return Problem(RefusalCode.MALFORMED, f"this board has no field {unknown}", {"field": unknown})


def on_touch(match: Match, order: orders.Touch, actor: Actor) -> Step | Problem:
    """The player to move touched pieces."""
    refused = _no_touch(match, *order.fields)
    if refused is not None:
        return refused
    fields = tuple(map(FieldName, order.fields))
    touches = touch(match.touches, match.side, actor.side or match.side, fields)
    if isinstance(touches, Problem):
        return touches
    step = Step(match).with_(touches=touches)
    return step.show(Message.TOUCHED, side=match.side.word, fields=list(order.fields))


def on_let_go(match: Match, order: orders.LetGo, actor: Actor) -> Step | Problem:
    """A touched piece was let go: it stays where it may; an illegal castling requires a king's move (§11)."""
    refused = _no_touch(match, order.origin, order.to)
    if refused is not None:
        return refused
    origin, to = FieldName(order.origin), FieldName(order.to)
    touches = touch(match.touches, match.side, actor.side or match.side, (origin,))
    if isinstance(touches, Problem):
        return touches
    # After j'adoube the piece was only put straight.
    released = touches if match.touches.adoube else release(touches, play.touched(match), origin, to)
    step = Step(match).with_(touches=released)
    step = step.show(Message.TOUCHED, side=match.side.word, fields=[origin, to])
    return step.answering(args={"moves": list(play.owed(step.match).moves)})


def on_adoube(match: Match, order: orders.Adoube, actor: Actor) -> Step | Problem:
    """J'adoube, announced before touching."""
    refused = _no_touch(match)
    if refused is not None:
        return refused
    step = Step(match).with_(touches=say_adoube(match.touches))
    return step.show(Message.ADOUBE, side=match.side.word)


def paused(match: Match, now: int) -> Step:
    """Stop the game: clocks stand, and the phase is kept for `resume`."""
    clock = None if match.clock is None else clocks.pause(match.clock, now)
    inner = match.phase.inner if isinstance(match.phase, Paused) else match.phase
    if isinstance(innermost(inner), Settling):
        inner = within(inner, Settling())  # type: ignore[assignment]  # no pause within a pause
    return Step(match).enter(Paused(inner), now, clock=clock)


def pause(match: Match, order: orders.Pause, actor: Actor) -> Step | Problem:
    """Stop the game and its clocks."""
    return paused(match, actor.now).show(Message.PAUSED, by=actor.role.value)


def resume(match: Match, order: orders.Resume, actor: Actor) -> Step | Problem:
    """Resume the game; darts thrown meanwhile do not count."""
    held = match.phase.inner if isinstance(match.phase, Paused) else ToMove()
    clock = None if match.clock is None else clocks.resume(match.clock, actor.now)
    step = Step(match).enter(match.arming.after_pause(held, actor.now), actor.now, clock=clock)
    return step.show(Message.RESUMED, by=actor.role.value)


def set_clock(match: Match, order: orders.SetClock, actor: Actor) -> Step | Problem:
    """The arbiter sets one clock or both."""
    if match.clock is None:
        return not_allowed(WhyRefused.NO_CLOCK, "this game is played without a clock")
    clock = clocks.set_clock(match.clock, actor.now, white_ms=order.white_ms, black_ms=order.black_ms)
    if isinstance(clock, Problem):
        return Problem(RefusalCode.MALFORMED, clock.words, {"why": clock.code, **clock.args})
    return Step(match).with_(clock=clock).show(Message.CLOCK_SET)


def set_result(match: Match, order: orders.SetResult, actor: Actor) -> Step | Problem:
    """The arbiter decides; null cancels the ruling and restores the end that the sheet leads to."""
    if order.result is not None:
        result = Result(order.result.replace("1/2", "½"))
        return play.finish(Step(match), result, Reason.ARBITER, actor.now)
    if not isinstance(match.stable_phase, Finished):
        return Problem(RefusalCode.WRONG_PHASE, "the game is not finished", {"phase": match.phase.name})
    end = play.end_on_sheet(match)
    if end is None:
        return play.reopen(Step(match), actor.now).show(Message.REOPENED)
    if match.reason is end.reason:
        return not_allowed(WhyRefused.OVER, "the last turn ended the game: take it back first")
    return play.finish_by(Step(match), end, actor.now)


def set_position(match: Match, order: orders.SetPosition, actor: Actor) -> Step | Problem:
    """The arbiter sets up a position; a new score sheet starts with it."""
    position = match.game.read(order.position, match.options)
    if isinstance(position, Problem):
        return Problem(RefusalCode.MALFORMED, position.words, {"why": position.code})
    board = board_state(match.game, position, match.options)
    set_up = replace(match, board=board, opening=board, turns=(), touches=Touches())
    step = play.reopen(Step(set_up), actor.now).show(Message.POSITION_SET, side=board.situation.side.word)
    end = board.situation.end
    return play.play_forced(step, actor.now) if end is None else play.finish_by(step, end, actor.now)


def on_explain(match: Match, order: orders.Explain, actor: Actor) -> Step | Problem:
    """Explain why a move is or is not legal for the side to move."""
    found = match.game.explain(match.position, move_from_text(order.move), match.options)
    args = {"move": order.move, "legal": found.legal, "why": found.code, **found.args}
    return Step(match).answering(args=args)
