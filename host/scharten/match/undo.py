"""Putting right what went wrong: correct, delete or add a dart, take turns back, answer an open question.

All of it works on the list of completed turns; a finished game opens again when the turn that ended it goes.
Clocks: time that was used stays used; only the turn's own increment and its count go back (`clock.take_back`).
"""

from __future__ import annotations

from dataclasses import replace

from scharten.dartboard.beds import MISS, Bed, parse_bed
from scharten.games.scharten.outcome import State
from scharten.match import clock as clocks
from scharten.match import tossing
from scharten.match.board_state import board_state
from scharten.match.darts import count, effect, lost_without_bed, open_dart, why_no_throw
from scharten.match.inputs import Dart
from scharten.match.orders import AddDart, ChooseBed, Correct, DeleteDart, TakeBack
from scharten.match.phases import Phase
from scharten.match.rights import Actor
from scharten.match.state import Match, Question, Refusal, Step
from scharten.match.touch import Touches


def take_back(match: Match, order: TakeBack, actor: Actor) -> Step | Refusal:
    """Undo the last turns."""
    if match.stable_phase is Phase.DECIDING:
        return tossing.take_back(match, order.turns, actor.now)
    if order.turns > len(match.turns):
        args = {"why": "too_many", "turns": len(match.turns)}
        return Refusal("not_allowed", f"only {len(match.turns)} turns were played", args)
    step = _calm(restored(match, order.turns, actor.now), match, actor.now)
    return step.say("taken_back", turns=order.turns, side=step.match.side.word)


def restored(match: Match, turns: int, now: int) -> Step:
    """The match as it was before its last turns; clocks go on from what they show."""
    undone = match.turns[-turns:]
    clock = match.clock
    for turn in reversed(undone):
        clock = None if clock is None else clocks.take_back(clock, turn.side, now)
    board = board_state(undone[0].before, match.options)
    back = replace(match, board=board, turns=match.turns[:-turns], clock=clock, touches=Touches())
    return reopened(Step(back), now)


def reopened(step: Step, now: int) -> Step:
    """Nothing asked, offered or decided any more: the side to move is to move, its clock runs (or is held)."""
    match = step.match
    clock = None if match.clock is None else clocks.start(match.clock, match.side, now)
    if clock is not None and match.phase is Phase.PAUSED:
        clock = clocks.pause(clock, now)
    phase = {"paused_from": Phase.TURN} if match.phase is Phase.PAUSED else {"phase": Phase.TURN}
    return step.with_(
        **phase,
        clock=clock,
        result=None,
        reason=None,
        question=None,
        draw_offer=None,
        settle_until=None,
        since_ms=now,
    )


def _calm(step: Step, before: Match, now: int) -> Step:
    """The dart in question may still stand in the board: let it be taken out before another one counts."""
    game = step.match.game
    if step.match.phase is not Phase.TURN or not before.turns or before.turns[-1].kind == "move":
        return step
    ended = before.phase is Phase.FINISHED and game.arming == "auto" and game.settle_ms > 0
    if before.phase is not Phase.SETTLING and not ended:
        return step
    timed = ended or before.settle_until is not None
    return step.with_(phase=Phase.SETTLING, settle_until=now + game.settle_ms if timed else None)


def _last_dart(match: Match) -> Refusal | None:
    """Why the last dart cannot be put right: there is none, or turns came after it."""
    if match.turns and match.turns[-1].kind != "move":
        return None
    after = next((n for n, turn in enumerate(reversed(match.turns)) if turn.kind != "move"), None)
    if after is None:
        return Refusal("not_allowed", "no dart was thrown", {"why": "no_dart"})
    return Refusal("not_allowed", f"take back {after} turns first", {"why": "turns_after", "turns": after})


def correct(match: Match, order: Correct, actor: Actor) -> Step | Refusal:
    """The last dart was in another bed: judge it again, as if it had been read so at once."""
    bed = parse_bed(order.bed) or MISS
    if match.stable_phase is Phase.DECIDING:
        return tossing.correct(match, bed, actor.now)
    refused = _last_dart(match)
    if refused is not None:
        return refused
    last = match.turns[-1]
    dart = replace(last.dart, beds=((bed, 1.0),), x_mm=None, y_mm=None) if last.dart else None
    step = _counted(restored(match, 1, actor.now), match, dart, bed, actor.now)
    if isinstance(step, Refusal):
        return step
    was = None if last.bed is None else str(last.bed)
    return step.tell("corrected", was=was, bed=str(bed))


def _counted(step: Step, before: Match, dart: Dart | None, bed: Bed, now: int) -> Step | Refusal:
    """Count a dart that a person vouches for; a pause stays a pause, and `settling` is not begun anew."""
    counted = count(replace(step.match, phase=Phase.TURN, paused_from=None), dart, bed, now)
    if isinstance(counted, Refusal) or counted.match.phase is Phase.FINISHED:
        return counted
    if before.phase is not Phase.PAUSED:
        calm = counted.with_(phase=Phase.TURN, settle_until=None)
        return _calm(calm, before, now)
    held = counted.match
    clock = None if held.clock is None else clocks.pause(clocks.start(held.clock, held.side, now), now)
    return counted.with_(phase=Phase.PAUSED, paused_from=Phase.TURN, settle_until=None, clock=clock)


def delete_dart(match: Match, order: DeleteDart, actor: Actor) -> Step | Refusal:
    """The last dart was none: an open question about one is dropped, else its turn is taken back."""
    if open_dart(match):
        return Step(match).with_(question=None).say("deleted", bed=None)
    if match.stable_phase is Phase.DECIDING:
        return tossing.take_back(match, 1, actor.now)
    refused = _last_dart(match)
    if refused is not None:
        return refused
    bed = match.turns[-1].bed
    step = _calm(restored(match, 1, actor.now), match, actor.now)
    return step.say("deleted", bed=None if bed is None else str(bed), side=step.match.side.word)


def add_dart(match: Match, order: AddDart, actor: Actor) -> Step | Refusal:
    """A dart was thrown that nothing reported: it counts for the side to move."""
    bed = parse_bed(order.bed) or MISS
    if match.stable_phase is Phase.DECIDING:
        return tossing.thrown(match, bed, actor.now)
    if match.phase is Phase.FINISHED and match.board.state not in (State.ONGOING, State.MUST_THROW):
        return Refusal(
            "not_allowed", "the game is over on the board: take a turn back first", {"why": "over"}
        )
    refused = why_no_throw(match)
    if refused is not None:
        return Refusal("not_allowed", refused[1], {"why": refused[0]})
    step = reopened(Step(match), actor.now) if match.phase is Phase.FINISHED else Step(match)
    counted = _counted(step.with_(question=None), match, None, bed, actor.now)
    return counted if isinstance(counted, Refusal) else counted.tell("added", bed=order.bed)


def choose_bed(match: Match, order: ChooseBed, actor: Actor) -> Step | Refusal:
    """Answer the open question; null is "it does not count" (and "no, do not take back")."""
    question = match.question
    if question is None:
        return Refusal("not_allowed", "no question is open", {"why": "no_question"})
    if order.bed is None:
        return Step(match).with_(question=None).say("dismissed", question=question.code)
    if question.code == "take_back":
        return Refusal("not_allowed", "answer with take_back, or with null", {"why": "question"})
    bed = parse_bed(order.bed) or MISS
    closed = replace(match, question=None)
    if question.code == "lost_dart" and bed == MISS:
        return lost_without_bed(closed, "declared", actor.now)
    dart = question.dart
    if match.phase is Phase.DECIDING:
        return tossing.thrown(closed, bed, actor.now, tossing.distance(dart) if dart else None)
    return count(closed, dart, bed, actor.now)


def ask_take_back(match: Match) -> Step:
    """The undo button: ask whether the last entry goes."""
    if not match.turns:
        return Step(match).say("nothing_to_take_back")
    if open_dart(match):
        return Step(match).say("question_open")
    last = match.turns[-1]
    asked = Step(match).with_(question=Question("take_back", last.side))
    return asked.say("ask_take_back", side=last.side.word, text=last.text)


def ask_lost_dart(match: Match) -> Step:
    """The miss button before an announcement: ask whether a dart was lost."""
    refused = why_no_throw(match)
    if refused is not None or open_dart(match):
        return Step(match).say(refused[0] if refused else "question_open", side=match.side.word)
    declared = replace(effect(match, MISS), effect="declared")
    asked = Step(match).with_(question=Question("lost_dart", match.side, (declared,)))
    return asked.say("ask_lost_dart", side=match.side.word)
