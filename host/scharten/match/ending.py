"""How a game ends (rules 7): on the board, by lost darts, by claims; and what the result is."""

from __future__ import annotations

from scharten.game.basics import Side
from scharten.games.scharten.mate import could_mate, proved_dead
from scharten.games.scharten.outcome import State
from scharten.match import clock as clocks
from scharten.match.board_state import BoardState
from scharten.match.phases import Phase
from scharten.match.state import Match, Step
from scharten.match.touch import Touches

DRAW = "½-½"
REPETITION, FIVEFOLD = 3, 5
FEW_MEN, FEW_MOVES = 5, 2
FIFTY, SEVENTY_FIVE = 100, 150


def won_by(side: Side) -> str:
    """The result when this side wins."""
    return "1-0" if side is Side.WHITE else "0-1"


def finish(step: Step, result: str, reason: str, now: int) -> Step:
    """End the game: clocks stop, nothing is asked or offered any more."""
    match = step.match
    clock = None if match.clock is None else clocks.stop(match.clock, now)
    ended = step.with_(
        phase=Phase.FINISHED,
        paused_from=None,
        settle_until=None,
        clock=clock,
        question=None,
        draw_offer=None,
        requests=(),
        touches=Touches(),
        result=result,
        reason=reason,
        since_ms=now,
    )
    return ended.say("finished", result=result, reason=reason)


def lost_by(step: Step, side: Side, reason: str, now: int) -> Step:
    """End the game as this side's loss, or as a draw if the other could not mate by any series (rules 7)."""
    match = step.match
    # None is "not known", which counts as possible.
    drawn = could_mate(match.position, side.other, match.options) is False
    return finish(step, DRAW if drawn else won_by(side.other), reason, now)


def repeated(match: Match, board: BoardState | None = None) -> int:
    """How often the present position has stood on the board, or `board` would if it came next."""
    key = (board or match.board).key
    before = sum(turn.key == key for turn in match.turns) + (match.opening.key == key)
    return before + (board is not None)


def _forced_dead(match: Match) -> bool:
    """Whether what must follow is proved to lead to no mate, as where the last piece has to be taken (rules 7)."""
    men = sum(held is not None for held in match.position.board)
    # A proof takes ms, and among many turns there is none: it is tried only where it can succeed.
    return (
        men <= FEW_MEN and len(match.board.moves) <= FEW_MOVES and proved_dead(match.position, match.options)
    )


def over_on_board(step: Step, now: int) -> Step:
    """End the game if the turn just completed ended it: mate, stalemate, dead, then the automatic draws."""
    match = step.match
    state = match.board.state
    if state is State.CHECKMATE:
        return finish(step, won_by(match.side.other), "checkmate", now)
    if state is State.STALEMATE:
        return finish(step, DRAW, "stalemate", now)
    if state is State.DEAD or _forced_dead(match):
        return finish(step, DRAW, "dead_position", now)
    if match.position.clocks[1] >= SEVENTY_FIVE:
        return finish(step, DRAW, "seventy_five_moves", now)
    if repeated(match) >= FIVEFOLD:
        return finish(step, DRAW, "repetition", now)
    return step


def claimable(match: Match, board: BoardState | None = None) -> tuple[str, ...]:
    """The rules by which the player to move could claim a draw now, or after a move to `board`."""
    fifty = (board or match.board).position.clocks[0] >= FIFTY
    thrice = repeated(match, board) >= REPETITION
    return (("repetition",) if thrice else ()) + (("fifty_moves",) if fifty else ())
