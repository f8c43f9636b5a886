"""Completing a turn: what a player did goes on the sheet, and the other side is to move or the game is over."""

from __future__ import annotations

from scharten.errors import Problem
from scharten.game.basics import Action, Drop, LostDart, Move, Pass, move_from_text
from scharten.game.protocol import Played
from scharten.match import clock as clocks
from scharten.match.codes import Message, RefusalCode, WhyRefused, not_allowed
from scharten.match.digest import chained
from scharten.match.ending import end_by, over
from scharten.match.phases import Throwing
from scharten.match.state import BoardState, Landed, Match, PlayedTurn, Step, board_state
from scharten.match.touch import Obligation, TouchedPosition, Touches, obligation

NOTHING = Landed()
"""No dart, or none that anything is known of."""


def owed(match: Match) -> Obligation:
    """What touch-move leaves to the side to move."""
    return obligation(touched(match), match.touches)


def touched(match: Match) -> TouchedPosition:
    """The present position, as `touch` asks for it."""
    return TouchedPosition(match.game, match.options, match.position, match.side, match.situation.moves)


def why_no_throw(match: Match, aim: Move | None = None) -> Problem | None:
    """Why the side to move may not throw now; `aim` is the entered move that it would throw for."""
    throws = match.game.throws
    if throws is None:
        return Problem(Message.SILENT_GAME, "nothing is thrown in this game")
    refused = throws.refusal(match.position, match.options, aim)
    if refused is not None or aim is not None:
        return refused
    if match.touches.fields and owed(match).bound:
        return Problem(Message.TOUCHED, "a touched piece must be moved or captured")
    return None


def read_move(match: Match, text: str) -> Move | Problem:
    """A move in coordinates, checked against touch-move; whether it is legal, the game says."""
    if match.touches.fields:
        bound = owed(match)
        if bound.bound and text not in bound.moves:
            return not_allowed(WhyRefused.TOUCHED, "a touched piece binds", moves=list(bound.moves))
    return move_from_text(text)


def enter_move(match: Match, move: Move, now: int) -> Step | Problem:
    """Play an entered move, or wait for the dart that it needs (games 6)."""
    if move.text not in match.situation.needs_dart:
        return act(match, move, now)
    aimed = Step(match).enter(Throwing(move), now)
    return aimed.show(Message.AIMED, side=match.side.word, move=move.text).answering(throw=True)


def act(match: Match, action: Action, at: int, landed: Landed = NOTHING, **told: object) -> Step | Problem:
    """Let an action be the turn of the side to move; a refusal leaves everything as it was.

    `landed` is where its dart did; `told` is said with it.
    """
    played = match.game.play(match.position, action, match.options)
    if isinstance(played, Problem):
        return Problem(
            RefusalCode.ILLEGAL, played.words, {"why": played.code, "move": action.text, **played.args}
        )
    turn, after = _turn(match, action, played, landed, at)
    step = _said(_complete(match, turn, after, at), turn, {**played.told, **told})
    if turn.end is not None:
        return over(step, turn.end, at)
    return forced(step, at)


def _turn(
    match: Match, action: Action, played: Played[object], landed: Landed, at: int
) -> tuple[PlayedTurn, BoardState]:
    board, game = match.board, match.game
    side, number = board.situation.side, board.situation.number
    same = played.position is board.position
    after = board if same else board_state(game, played.position, match.options)
    end = played.end or end_by(match, after)
    offered = match.draw_offer is side
    turn = PlayedTurn(
        number=number,
        side=side,
        action=action,
        text=game.write(board.position, action, match.options, draw_offer=offered),
        before=board,
        key=after.situation.key,
        position=after.situation.text,
        bed=landed.bed,
        field=landed.field,
        dart=landed.dart,
        end=end,
        pressed=not isinstance(action, Pass) and (end is not None or after.situation.side is not side),
        at_ms=at,
        chain=chained(match.turns, number, side, action, landed.bed),
    )
    return turn, after


def _complete(match: Match, turn: PlayedTurn, after: BoardState, at: int) -> Step:
    arming = match.arming
    seen = turn.dart is not None and turn.dart.watched
    phase = arming.after_dart(at, seen=seen) if turn.thrown else arming.after_move(match.phase)
    return Step(match).enter(
        phase,
        at,
        board=after,
        turns=(*match.turns, turn),
        clock=_pressed(match, turn, after, at),
        draw_offer=None if match.draw_offer is turn.side.other else match.draw_offer,
        touches=Touches(),
    )


def _pressed(match: Match, turn: PlayedTurn, after: BoardState, at: int) -> clocks.Clock | None:
    if match.clock is None:
        return None
    if turn.pressed:
        return clocks.press(match.clock, turn.side, at)
    return clocks.hand_over(match.clock, after.situation.side, at)


def _said(step: Step, turn: PlayedTurn, told: dict[str, object]) -> Step:
    side, bed = turn.side.word, None if turn.bed is None else str(turn.bed)
    match turn.action:
        case Move():
            hit = {} if bed is None else {"bed": bed}
            return step.show(Message.MOVED, side=side, move=turn.short, text=turn.text, **hit, **told)
        case Drop(field):
            return step.show(Message.PLACED, side=side, field=field, bed=bed, **told)
        case LostDart(foul):
            return step.show(Message.LOST, side=side, foul=foul.value, bed=bed, **told)
        case Pass():
            return step.show(Message.PASSED, side=side, **told)


def forced(step: Step, at: int) -> Step:
    """What nobody chooses, such as a pass, is entered at once."""
    action = step.match.situation.forced
    passed = None if action is None else act(step.match, action, at)
    if not isinstance(passed, Step):
        return step
    return Step(passed.match, (*step.events, *passed.events), step.answer)
