"""Completing a turn: a move, a placed piece or a lost dart goes on the sheet and the other side is to move."""

from __future__ import annotations

from dataclasses import replace

from scharten.dartboard.beds import Bed
from scharten.games.scharten.board import Field, field_name
from scharten.games.scharten.moves import (
    Illegal,
    Move,
    Placement,
    after_lost_dart,
    after_move,
    after_placement,
    move_text,
    parse_move,
)
from scharten.games.scharten.notation import Action, Language, LostDart, write_turn
from scharten.games.scharten.notation import Turn as SheetTurn
from scharten.games.scharten.position import Position, next_kind, position_text
from scharten.match import clock as clocks
from scharten.match.board_state import board_state
from scharten.match.ending import finish, lost_by, over_on_board, won_by
from scharten.match.inputs import Dart
from scharten.match.phases import Phase
from scharten.match.state import Match, Refusal, Step, Turn, chained
from scharten.match.touch import Touches, obligation

WHY = {
    "no_support": "the capture needs more support",
    "protected": "a piece that has not moved since it was thrown cannot be captured",
    "blocked": "something stands in the way",
    "leaves_check": "it would leave the king in check",
    "not_a_move": "there is no such move",
}


def illegal(move: str, reason: Illegal) -> Refusal:
    """The refusal of a move or placement, with its reason."""
    words = f"{move} is illegal: {WHY.get(reason.code, reason.code)}"
    return Refusal("illegal", words, {"why": reason.code, "move": move, **reason.args})


def read_move(match: Match, text: str) -> Move | Refusal:
    """A move in coordinates, checked against touch-move; whether it is legal, `play` says."""
    move = parse_move(text)
    if move is None:
        return Refusal("malformed", f"{text} is no move in coordinates", {"move": text})
    bound = obligation(match.position, match.options, match.touches)
    if bound.bound and move not in bound.moves:
        allowed = [move_text(each) for each in bound.moves]
        return Refusal("not_allowed", "a touched piece binds", {"why": "touched", "moves": allowed})
    return move


def play(match: Match, move: Move, now: int) -> Step | Refusal:
    """Play a move for the side to move; a refusal leaves everything as it was."""
    after = after_move(match.position, move, match.options)
    if isinstance(after, Illegal):
        return illegal(move_text(move), after)
    turn = _turn(match, "move", move, move_text(move))
    # In `auto` the dart of the turn before may still stand in the board: what is left of `settling` goes on.
    still = match.phase is Phase.SETTLING and match.game.arming == "auto"
    step = _complete(match, turn, after, now).with_(phase=Phase.SETTLING if still else Phase.TURN)
    said = step.say("moved", side=turn.side.word, move=turn.short, text=turn.text)
    return over_on_board(said, now)


def place(match: Match, field: Field, bed: Bed, dart: Dart | None, at: int) -> Step | Refusal:
    """Put the next piece on a field that the dart hit."""
    after = after_placement(match.position, field, match.options)
    if isinstance(after, Illegal):
        return illegal(f"@{field_name(field)}", after)
    kind = next_kind(match.position, match.side)
    turn = replace(_turn(match, "placed", Placement(field), f"@{field_name(field)}"), bed=bed, dart=dart)
    step = settling(_complete(match, turn, after, at), at, seen=_seen(dart))
    piece = kind.value if kind else ""
    said = step.say("placed", side=turn.side.word, field=field_name(field), piece=piece, bed=str(bed))
    return over_on_board(said, at)


def lose(match: Match, code: str, bed: Bed | None, dart: Dart | None, at: int, **told: object) -> Step:
    """The dart is lost: the turn is over; three in a row, or one in check, lose the game (rules 6)."""
    side = match.side
    bed_name = None if bed is None else str(bed)
    turn = replace(_turn(match, "lost", LostDart(bed_name), "@-"), bed=bed, dart=dart, foul=code)
    if match.board.check:
        # The position stays as it was: after a turn that leaves the king in check it would be none.
        step = _complete(match, turn, match.position, at).say("lost", side=side.word, foul=code, bed=bed_name)
        return finish(step, won_by(side.other), "missed_in_check", at)
    after = after_lost_dart(match.position, match.options)
    step = settling(_complete(match, turn, after, at), at, seen=_seen(dart))
    fouls = after.fouls[side.index]
    step = step.say("lost", side=side.word, foul=code, bed=bed_name, fouls=fouls, **told)
    if fouls >= match.options.foul_limit[side.index]:
        return lost_by(step, side, "fogling", at)
    return over_on_board(step, at)


def _seen(dart: Dart | None) -> bool:
    """Whether cameras saw it, which also see it being taken out."""
    return dart is not None and dart.contact is None


def settling(step: Step, at: int, *, seen: bool) -> Step:
    """After a dart: wait for it to be taken out; in `auto` a contact board waits only so long."""
    game = step.match.game
    timed = game.arming == "auto" and not seen
    if timed and game.settle_ms == 0:
        return step.with_(phase=Phase.TURN, settle_until=None)
    return step.with_(phase=Phase.SETTLING, settle_until=at + game.settle_ms if timed else None)


def _turn(match: Match, kind: str, action: Action, short: str) -> Turn:
    position = match.position
    written = SheetTurn(action, draw_offer=match.draw_offer is position.side)
    text = write_turn(position, written, match.options, Language.ENGLISH)
    return Turn(position.move_number, position.side, kind, text, short, before=position, key="")


def _complete(match: Match, turn: Turn, after: Position, at: int) -> Step:
    board = board_state(after, match.options)
    done = replace(turn, key=board.key, position=position_text(after))
    completed = replace(
        match,
        board=board,
        turns=(*match.turns, chained(match.turns, done)),
        clock=None if match.clock is None else clocks.press(match.clock, turn.side, at),
        draw_offer=None if match.draw_offer is turn.side.other else match.draw_offer,
        touches=Touches(),
        question=None,
        since_ms=at,
    )
    return Step(completed)
