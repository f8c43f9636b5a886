"""Play a turn, end a game and open it again (rules 6 and 7); the rules of a dart thrown in the game.

A lost dart bounced out, was declared lost, or counts in no bed (rules 6, games 6). What it does to a game, how many
lose it and when that is a draw, the game itself decides (`Game.play`).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from scharten.dartboard.beds import Bed
from scharten.errors import Problem
from scharten.game.basics import (
    Action,
    Drop,
    End,
    Foul,
    LostDart,
    Move,
    Pass,
    Reason,
    Result,
    Side,
    move_from_text,
)
from scharten.game.protocol import Effect, Played
from scharten.match import clock as clocks
from scharten.match.codes import Message, RefusalCode, WhyRefused, not_allowed
from scharten.match.dart import Dart
from scharten.match.phase_table import Ruling
from scharten.match.phases import MOST_CHOICES, Choice, Finished, Paused, Throwing, ToMove
from scharten.match.state import BoardState, Landed, Match, PlayedTurn, Step, board_state
from scharten.match.touch import Obligation, TouchedPosition, Touches, obligation

REPETITION, FIVEFOLD = 3, 5
OFFERED = "(=)"
"""The mark of an offer behind a move, in every game's notation."""
NO_DART = Landed()


# --- what the side to move may do ---


def owed(match: Match) -> Obligation:
    """The moves that touch-move leaves to the side to move."""
    return obligation(touched(match), match.touches)


def touched(match: Match) -> TouchedPosition:
    """The present position in the form that `touch` needs."""
    return TouchedPosition(match.game, match.options, match.position, match.side, match.situation.moves)


def why_no_throw(match: Match, aim: Move | None = None) -> Problem | None:
    """Why the side to move may not throw now; `aim` is the entered move that needs the dart."""
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
    """A move in coordinates, checked against touch-move only; the game decides whether it is legal."""
    if match.touches.fields:
        bound = owed(match)
        if bound.bound and text not in bound.moves:
            return not_allowed(WhyRefused.TOUCHED, "a touched piece binds", moves=list(bound.moves))
    return move_from_text(text)


# --- playing a turn ---


def enter_move(match: Match, move: Move, now: int) -> Step | Problem:
    """Play an entered move, or wait for the dart that it needs (games 6)."""
    if move.text not in match.situation.needs_dart:
        return act(match, move, now)
    aimed = Step(match).enter(Throwing(move), now)
    return aimed.show(Message.AIMED, side=match.side.word, move=move.text).answering(throw=True)


def act(
    match: Match, action: Action, now: int, landed: Landed = NO_DART, **details: object
) -> Step | Problem:
    """Play an action as the turn of the side to move; a refusal changes nothing.

    `landed` is where its dart landed; `details` are added to the message.
    """
    played = match.game.play(match.position, action, match.options)
    if isinstance(played, Problem):
        args = {"why": played.code, "move": action.text, **played.args}
        return Problem(RefusalCode.ILLEGAL, played.words, args)
    turn, board = _turn(match, action, played, landed, now)
    step = _announce(_complete(match, turn, board, now), turn, {**played.details, **details})
    return play_forced(step, now) if turn.end is None else finish_by(step, turn.end, now)


def _turn(
    match: Match, action: Action, played: Played[object], landed: Landed, now: int
) -> tuple[PlayedTurn, BoardState]:
    """The turn for the sheet, and the board after it."""
    before, game = match.board, match.game
    side, number = before.situation.side, before.situation.number
    unchanged = played.position is before.position
    board = before if unchanged else board_state(game, played.position, match.options)
    end = played.end or _end_of(match, board)
    turn = PlayedTurn(
        number=number,
        side=side,
        action=action,
        text=_written(
            match, before, action, offers=match.draw_offer is side and not _offer_is_written(match)
        ),
        before=before,
        key=board.situation.key,
        position=board.situation.text,
        bed=landed.bed,
        field=landed.field,
        dart=landed.dart,
        end=end,
        pressed=not isinstance(action, Pass) and (end is not None or board.situation.side is not side),
        at_ms=now,
        chain=_chained(match.turns, number, side, action, landed.bed),
    )
    return turn, board


def _chained(
    previous: tuple[PlayedTurn, ...], number: int, side: Side, action: Action, bed: Bed | None
) -> str:
    """The digest of a turn and of all turns before it."""
    before = previous[-1].chain if previous else ""
    foul = action.foul if isinstance(action, LostDart) else None
    state = (before, number, side.word, action.text, str(bed), foul)
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()[:32]


def _complete(match: Match, turn: PlayedTurn, board: BoardState, now: int) -> Step:
    """Put the turn on the sheet; the other side is to move."""
    arming = match.arming
    watched = turn.dart is not None and turn.dart.watched
    phase = arming.after_dart(now, watched=watched) if turn.thrown else arming.after_move(match.phase)
    return Step(match).enter(
        phase,
        now,
        board=board,
        turns=(*match.turns, turn),
        clock=_pressed(match, turn, board, now),
        draw_offer=None
        if match.draw_offer is turn.side.other and _declines(match, turn, board)
        else match.draw_offer,
        touches=Touches(),
    )


def _declines(match: Match, turn: PlayedTurn, board: BoardState) -> bool:
    """Whether a turn declines the other side's offer: a forced pass and a dart lost in check do not (games 1, §20).

    In games of the first edition they did.
    """
    own_choice = not isinstance(turn.action, Pass) and board.situation.side is not turn.side
    return own_choice or match.start.edition == 1


def _written(match: Match, before: BoardState, action: Action, *, offers: bool) -> str:
    return match.game.write(before.position, action, match.options, draw_offer=offers)


def mark_offer(match: Match, side: Side) -> Match:
    """Write an offer with the move after which it was made; one made before a move is written with that (§20)."""
    places = reversed(range(len(match.turns)))
    at = next((at for at in places if match.turns[at].pressed), None)
    if side is match.side or at is None or match.turns[at].side is not side:
        return match
    turn = match.turns[at]
    marked = replace(turn, text=_written(match, turn.before, turn.action, offers=True))
    return replace(match, turns=(*match.turns[:at], marked, *match.turns[at + 1 :]))


def _offer_is_written(match: Match) -> bool:
    """Whether the standing offer is on the sheet: with a turn after the last choice of the other side."""
    for turn in reversed(match.turns):
        if turn.side is match.draw_offer and turn.text.endswith(OFFERED):
            return True
        if turn.side is not match.draw_offer and turn.pressed:
            return False
    return False


def _pressed(match: Match, turn: PlayedTurn, board: BoardState, now: int) -> clocks.Clock | None:
    if match.clock is None:
        return None
    if turn.pressed:
        return clocks.press(match.clock, turn.side, now)
    return clocks.hand_over(match.clock, board.situation.side, now)


def _announce(step: Step, turn: PlayedTurn, details: dict[str, object]) -> Step:
    side, bed = turn.side.word, None if turn.bed is None else str(turn.bed)
    match turn.action:
        case Move():
            hit = {} if bed is None else {"bed": bed}
            return step.show(Message.MOVED, side=side, move=turn.short, text=turn.text, **hit, **details)
        case Drop(field):
            return step.show(Message.PLACED, side=side, field=field, bed=bed, **details)
        case LostDart(foul):
            return step.show(Message.LOST, side=side, foul=foul.value, bed=bed, **details)
        case Pass():
            return step.show(Message.PASSED, side=side, **details)


def play_forced(step: Step, now: int) -> Step:
    """Play at once what nobody chooses, such as a pass."""
    action = step.match.situation.forced
    passed = None if action is None else act(step.match, action, now)
    if not isinstance(passed, Step):
        return step
    return Step(passed.match, (*step.events, *passed.events), step.answer)


# --- the end of a game ---


def finish(step: Step, result: Result, reason: Reason, now: int) -> Step:
    """End the game: clocks stop, questions, offers and requests lapse."""
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


def finish_by(step: Step, end: End, now: int) -> Step:
    """End the game as the rules decide."""
    return finish(step, end.result, end.reason, now)


def lose_game(step: Step, side: Side, reason: Reason, now: int) -> Step:
    """End the game as this side's loss, or as a draw if no series of moves lets the other side mate (rules 7)."""
    match = step.match
    # None means "not known" and counts as possible.
    drawn = match.game.can_win(match.position, side.other, match.options) is False
    return finish_by(step, End(None if drawn else side.other, reason), now)


def reopen(step: Step, now: int) -> Step:
    """Drop every question, offer and result: the side to move is to act; its clock runs, or waits in a pause."""
    match = step.match
    clock = None if match.clock is None else clocks.start(match.clock, match.side, now)
    if isinstance(match.phase, Paused):
        held = None if clock is None else clocks.pause(clock, now)
        return step.enter(Paused(ToMove()), now, clock=held, draw_offer=None)
    return step.enter(ToMove(), now, clock=clock, draw_offer=None)


def repetitions(match: Match, board: BoardState | None = None) -> int:
    """Return how often the present position has occurred, or how often `board` would have if it came next."""
    key = (board or match.board).situation.key
    occurred = [match.opening.situation.key, *[turn.key for turn in match.turns]]
    return occurred.count(key) + (board is not None)


def _end_of(match: Match, board: BoardState) -> End | None:
    """How a turn to this board ends the game: by the board alone, then by fivefold repetition."""
    if board.situation.end is not None:
        return board.situation.end
    return End(None, Reason.REPETITION) if repetitions(match, board) >= FIVEFOLD else None


def end_on_sheet(match: Match) -> End | None:
    """The end that the turns on the sheet lead to, without agreements, claims and rulings."""
    return match.turns[-1].end if match.turns else match.opening.situation.end


def claimable(match: Match, board: BoardState | None = None) -> tuple[Reason, ...]:
    """The rules by which the player to move could claim a draw now, or after a move to `board`."""
    thrice = repetitions(match, board) >= REPETITION
    return ((Reason.REPETITION,) if thrice else ()) + (board or match.board).situation.claims


# --- a dart in the game (`DartRules`) ---


def effect(match: Match, bed: Bed, aim: Move | None, side: Side | None = None) -> Effect | None:
    """Evaluate a dart in this bed; None in a game without darts."""
    throws = match.game.throws
    sits = match.start.settings.white_sits_at
    if throws is None:
        return None
    return throws.effect(match.position, match.options, bed, sits, aim=aim, side=side)


def why_ignored(match: Match, ruled: Ruling) -> str:
    """Why a dart does not count now, "" if it does: nothing to throw, or it was not announced."""
    refused = why_no_throw(match, match.aim)
    if refused is not None:
        return refused.code
    if ruled is Ruling.AS_ARMED and not match.arming.auto:
        # After the other side's dart, somebody most likely played a move and did not enter it.
        thrown = bool(match.turns) and match.turns[-1].thrown
        return Message.MOVE_FORGOTTEN if thrown else Message.NOT_ANNOUNCED
    return ""


def choices(match: Match, beds: tuple[Bed, ...], dart: Dart) -> tuple[Choice, ...]:
    """The beds to ask about; none if the dart does the same in all of them."""
    effects = tuple(found for bed in beds if (found := effect(match, bed, match.aim)) is not None)
    lost = all(isinstance(found.action, LostDart) for found in effects)
    alike = len(effects) > 1 and all(found.action == effects[0].action for found in effects)
    if lost or alike:
        return ()
    return tuple(Choice(found.bed, found.code, found.field) for found in effects[:MOST_CHOICES])


def count(match: Match, bed: Bed, dart: Dart | None, now: int) -> Step | Problem:
    """Count a dart in this bed as the turn of the side to move; `dart` is None when a person reported it."""
    return count_for(match, match.aim, bed, dart, now)


def count_for(match: Match, aim: Move | None, bed: Bed, dart: Dart | None, now: int) -> Step | Problem:
    """Count a dart in this bed, thrown for the entered move `aim`."""
    found = effect(match, bed, aim)
    if found is None:
        return not_allowed(Message.SILENT_GAME, "nothing is thrown in this game")
    landed = Landed(bed, found.field, dart)
    if not isinstance(found.action, LostDart):
        return act(match, found.action, now, landed)
    # A bed that suits the other side suggests that a move was not entered.
    other = effect(match, bed, None, match.side.other)
    forgotten = other is not None and not isinstance(other.action, LostDart)
    return act(match, found.action, now, landed, move_forgotten=forgotten)


def lose_dart(match: Match, foul: Foul, dart: Dart | None, now: int) -> Step | Problem:
    """The side to move lost its dart in no known bed; refused when no dart may be thrown."""
    return why_no_throw(match, match.aim) or act(match, LostDart(foul, match.aim), now, Landed(dart=dart))
