"""How a game ends (rules 7): by its last turn, by lost darts, by claims; and what the result is."""

from __future__ import annotations

from scharten.game.basics import End, Reason, Result, Side
from scharten.match import clock as clocks
from scharten.match.codes import Message
from scharten.match.phases import Finished
from scharten.match.state import BoardState, Match, Step
from scharten.match.touch import Touches

REPETITION, FIVEFOLD = 3, 5


def finish(step: Step, result: Result, reason: Reason, now: int) -> Step:
    """End the game: clocks stop, nothing is asked or offered any more."""
    match = step.match
    ended = step.enter(
        Finished(result, reason),
        now,
        clock=None if match.clock is None else clocks.stop(match.clock, now),
        draw_offer=None,
        requests=(),
        touches=Touches(),
    )
    return ended.show(Message.FINISHED, result=result, reason=reason)


def over(step: Step, end: End, now: int) -> Step:
    """End the game as the rules say."""
    return finish(step, end.result, end.reason, now)


def lost_by(step: Step, side: Side, reason: Reason, now: int) -> Step:
    """End the game as this side's loss, or as a draw if the other could not mate by any series (rules 7)."""
    match = step.match
    # None is "not known", which counts as possible.
    drawn = match.game.can_win(match.position, side.other, match.options) is False
    return over(step, End(None if drawn else side.other, reason), now)


def repeated(match: Match, board: BoardState | None = None) -> int:
    """How often the present position has stood on the board, or `board` would if it came next."""
    key = (board or match.board).situation.key
    stood = [match.opening.situation.key, *[turn.key for turn in match.turns]]
    return stood.count(key) + (board is not None)


def end_by(match: Match, board: BoardState) -> End | None:
    """What a turn to this board decides: what the board alone does, then the fivefold repetition."""
    if board.situation.end is not None:
        return board.situation.end
    return End(None, Reason.REPETITION) if repeated(match, board) >= FIVEFOLD else None


def decided(match: Match) -> End | None:
    """The end that the turns on the sheet came to, whatever was agreed, claimed or ruled besides."""
    return match.turns[-1].end if match.turns else match.opening.situation.end


def claimable(match: Match, board: BoardState | None = None) -> tuple[Reason, ...]:
    """The rules by which the player to move could claim a draw now, or after a move to `board`."""
    thrice = repeated(match, board) >= REPETITION
    return ((Reason.REPETITION,) if thrice else ()) + (board or match.board).situation.claims
