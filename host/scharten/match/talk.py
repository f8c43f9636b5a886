"""What players say to each other and to the arbiter: draws, claims, resignation, touches, pauses, results."""

from __future__ import annotations

from dataclasses import replace

from scharten.games.scharten.board import parse_field
from scharten.games.scharten.explain import explain
from scharten.games.scharten.moves import Illegal, after_move, parse_move
from scharten.games.scharten.position import PositionError, finished_by_fouls, parse_position
from scharten.match import clock as clocks
from scharten.match import turns
from scharten.match.board_state import board_state
from scharten.match.clock import ClockError
from scharten.match.ending import DRAW, claimable, finish, lost_by, over_on_board
from scharten.match.orders import (
    Adoube,
    AnswerDraw,
    ClaimDraw,
    ClaimFlag,
    Explain,
    OfferDraw,
    Pause,
    Resign,
    Resume,
    SetClock,
    SetPosition,
    SetResult,
    Touch,
)
from scharten.match.phases import Phase
from scharten.match.rights import Actor
from scharten.match.state import Match, Refusal, Step
from scharten.match.touch import Touches, TouchRefusal, say_adoube, touch
from scharten.match.undo import reopened


def resign(match: Match, order: Resign, actor: Actor) -> Step | Refusal:
    """Either side, at any time."""
    side = actor.side or match.side
    return lost_by(Step(match).tell("resigned", side=side.word), side, "resignation", actor.now)


def offer_draw(match: Match, order: OfferDraw, actor: Actor) -> Step | Refusal:
    """Offer a draw; to answer an offer with an offer is to agree."""
    side = actor.side or match.side
    if match.draw_offer is side:
        return Refusal("not_allowed", "this draw is offered already", {"why": "offered"})
    if match.draw_offer is side.other:
        return finish(Step(match), DRAW, "agreement", actor.now)
    return Step(match).with_(draw_offer=side).say("draw_offered", side=side.word)


def answer_draw(match: Match, order: AnswerDraw, actor: Actor) -> Step | Refusal:
    """Accept or decline the other's offer."""
    offer = match.draw_offer
    if offer is None:
        return Refusal("not_allowed", "no draw is offered", {"why": "no_offer"})
    if actor.seat is not None and actor.side is offer:
        return Refusal("not_allowed", "the other side answers", {"why": "own_offer"})
    if order.accept:
        return finish(Step(match), DRAW, "agreement", actor.now)
    return Step(match).with_(draw_offer=None).say("draw_declined", side=offer.other.word)


def claim_draw(match: Match, order: ClaimDraw, actor: Actor) -> Step | Refusal:
    """A right claim ends the game; after a wrong one nothing changes, but a stated move is played (rules 7)."""
    if order.move is None:
        if order.rule in claimable(match):
            return finish(Step(match), DRAW, order.rule, actor.now)
        return Refusal("not_allowed", "the claim is wrong", {"why": "wrong_claim", "rule": order.rule})
    move = turns.read_move(match, order.move)
    if isinstance(move, Refusal):
        return move
    after = after_move(match.position, move, match.options)
    if isinstance(after, Illegal):
        return turns.illegal(order.move, after)
    if order.rule in claimable(match, board_state(after, match.options)):
        return finish(Step(match), DRAW, order.rule, actor.now)
    played = turns.play(match, move, actor.now)
    if isinstance(played, Refusal):
        return played
    args = {"why": "wrong_claim", "rule": order.rule, "played": order.move}
    wrong = Refusal("not_allowed", "the claim is wrong; the stated move is played", args)
    return played.answering(refusal=wrong)


def claim_flag(match: Match, order: ClaimFlag, actor: Actor) -> Step | Refusal:
    """A fallen flag counts when the opponent claims it; if both have fallen it is a draw (rules 7)."""
    side = actor.side or match.side
    if match.clock is None or not clocks.flag_fallen(match.clock, side.other, actor.now):
        return Refusal("not_allowed", f"{side.other.word}'s flag has not fallen", {"why": "wrong_claim"})
    if clocks.flag_fallen(match.clock, side, actor.now):
        return finish(Step(match), DRAW, "flag", actor.now)
    return lost_by(Step(match), side.other, "flag", actor.now)


def _no_touch_move(match: Match) -> Refusal | None:
    if match.game.touch_move == "on":
        return None
    return Refusal("not_allowed", "this game is played without touch-move", {"why": "touch_move_off"})


def on_touch(match: Match, order: Touch, actor: Actor) -> Step | Refusal:
    """The player to move touched pieces."""
    refused = _no_touch_move(match)
    if refused is not None:
        return refused
    fields = tuple(field for name in order.fields if (field := parse_field(name)) is not None)
    touched = touch(match.touches, match.position, match.side, fields)
    if isinstance(touched, TouchRefusal):
        return Refusal("not_your_turn", touched.words)
    return Step(match).with_(touches=touched).say("touched", side=match.side.word, fields=list(order.fields))


def on_adoube(match: Match, order: Adoube, actor: Actor) -> Step | Refusal:
    """J'adoube, said before touching."""
    refused = _no_touch_move(match)
    if refused is not None:
        return refused
    return Step(match).with_(touches=say_adoube(match.touches)).say("adoube", side=match.side.word)


def paused(match: Match, now: int) -> Step:
    """Stop the game: clocks stand, and the phase is kept for `resume`."""
    clock = None if match.clock is None else clocks.pause(match.clock, now)
    return Step(match).with_(
        phase=Phase.PAUSED, paused_from=match.phase, settle_until=None, clock=clock, since_ms=now
    )


def pause(match: Match, order: Pause, actor: Actor) -> Step | Refusal:
    """Stop the game and its clocks."""
    return paused(match, actor.now).say("paused", by=actor.role.value)


def resume(match: Match, order: Resume, actor: Actor) -> Step | Refusal:
    """Go on where the game was stopped; what was thrown meanwhile does not count."""
    phase = match.paused_from or Phase.TURN
    clock = None if match.clock is None else clocks.resume(match.clock, actor.now)
    timed = phase is Phase.SETTLING and match.game.arming == "auto"
    until = actor.now + match.game.settle_ms if timed else None
    gone_on = Step(match).with_(
        phase=phase, paused_from=None, settle_until=until, clock=clock, since_ms=actor.now
    )
    return gone_on.say("resumed", by=actor.role.value)


def set_clock(match: Match, order: SetClock, actor: Actor) -> Step | Refusal:
    """The arbiter sets one clock or both."""
    if match.clock is None:
        return Refusal("not_allowed", "this game is played without a clock", {"why": "no_clock"})
    clock = clocks.set_clock(match.clock, actor.now, white_ms=order.white_ms, black_ms=order.black_ms)
    if isinstance(clock, ClockError):
        return Refusal("malformed", clock.words, {"why": clock.code, **dict(clock.args)})
    return Step(match).with_(clock=clock).say("clock_set")


def set_result(match: Match, order: SetResult, actor: Actor) -> Step | Refusal:
    """The arbiter decides; null opens a finished game again."""
    if order.result is not None:
        return finish(Step(match), order.result.replace("1/2", "½"), "arbiter", actor.now)
    if match.phase is not Phase.FINISHED:
        return Refusal("wrong_phase", "the game is not finished", {"phase": match.phase.value})
    return reopened(Step(match), actor.now).say("reopened")


def set_position(match: Match, order: SetPosition, actor: Actor) -> Step | Refusal:
    """The arbiter sets up a position; the score sheet begins anew with it."""
    position = parse_position(order.position, match.options)
    wrong = position if isinstance(position, PositionError) else finished_by_fouls(position, match.options)
    if wrong is not None or isinstance(position, PositionError):
        words = wrong.words if wrong else ""
        return Refusal("malformed", words, {"why": wrong.code if wrong else "position"})
    board = board_state(position, match.options)
    set_up = replace(match, board=board, opening=board, turns=(), touches=Touches())
    step = reopened(Step(set_up), actor.now).say("position_set", side=position.side.word)
    return over_on_board(step, actor.now)


def on_explain(match: Match, order: Explain, actor: Actor) -> Step | Refusal:
    """Say why a move is or is not legal, for the side to move."""
    move = parse_move(order.move)
    if move is None:
        return Refusal("malformed", f"{order.move} is no move in coordinates", {"move": order.move})
    found = explain(match.position, move, match.options)
    args = {"move": order.move, "legal": found.legal, "why": found.code, **found.args}
    return Step(match).answering(args=args)
