"""Putting right what went wrong: correct, delete or add a dart, take turns back, answer an open question.

The state is always what a game of the corrected turns would have come to. A finished game opens again when the turn
that ended it goes. Clocks: time that was used stays used; only the turn's own increment and its count go back.
"""

from __future__ import annotations

from dataclasses import replace

from scharten.dartboard.beds import MISS, Bed, parse_bed
from scharten.errors import Problem
from scharten.game.basics import Foul, Move, Pass
from scharten.match import clock as clocks
from scharten.match import drawing, tossing
from scharten.match.codes import Message, QuestionCode, WhyRefused, not_allowed
from scharten.match.darts import ask, count
from scharten.match.ending import decided
from scharten.match.fouls import lost_without_bed
from scharten.match.inputs import Dart
from scharten.match.orders import AddDart, ChooseBed, Correct, DeleteDart, TakeBack
from scharten.match.phases import (
    Choice,
    Deciding,
    Drawing,
    Finished,
    Paused,
    Question,
    Settling,
    ToMove,
    dart_in_doubt,
    without_question,
)
from scharten.match.rights import Actor
from scharten.match.state import Match, PlayedTurn, Step
from scharten.match.touch import Touches
from scharten.match.turns import why_no_throw


def take_back(match: Match, order: TakeBack, actor: Actor) -> Step | Problem:
    """Undo the last turns."""
    if tossing.can_be_put_right(match):
        return tossing.take_back(match, order.turns, actor.now)
    if isinstance(match.stable_phase, Drawing):
        return drawing.again(match, actor.now)
    if order.turns > len(match.turns):
        there = len(match.turns)
        return not_allowed(WhyRefused.TOO_MANY, f"only {there} turns were played", turns=there)
    step = _calm(restored(match, order.turns, actor.now), match, actor.now)
    return step.show(Message.TAKEN_BACK, turns=order.turns, side=step.match.side.word)


def restored(match: Match, turns: int, now: int) -> Step:
    """The match as it was before its last turns; clocks go on from what they show."""
    first = len(match.turns) - turns
    while first > 0 and isinstance(match.turns[first].action, Pass):
        first -= 1  # a pass nobody chose: it would be entered again at once
    clock = match.clock
    for turn in reversed(match.turns[first:]):
        if clock is not None and turn.pressed:
            clock = clocks.take_back(clock, turn.side, now)
    back = replace(
        match, board=match.turns[first].before, turns=match.turns[:first], clock=clock, touches=Touches()
    )
    return reopened(Step(back), now)


def reopened(step: Step, now: int) -> Step:
    """Nothing asked, offered or decided any more: the side to move is to move, its clock runs (or is held)."""
    match = step.match
    clock = None if match.clock is None else clocks.start(match.clock, match.side, now)
    if isinstance(match.phase, Paused):
        held = None if clock is None else clocks.pause(clock, now)
        return step.enter(Paused(ToMove()), now, clock=held, draw_offer=None)
    return step.enter(ToMove(), now, clock=clock, draw_offer=None)


def _calm(step: Step, before: Match, now: int) -> Step:
    """The dart in question may still stand in the board: let it be taken out before another one counts."""
    if isinstance(step.match.phase, Paused) or not before.turns or not before.turns[-1].thrown:
        return step
    return step.enter(before.arming.after_correction(before.phase, now))


def _last_dart(match: Match) -> PlayedTurn | Problem:
    """The turn of the last dart, or why it cannot be put right: there is none, or turns came after it."""
    if match.turns and match.turns[-1].thrown:
        return match.turns[-1]
    after = next((n for n, turn in enumerate(reversed(match.turns)) if turn.thrown), None)
    if after is None:
        return not_allowed(WhyRefused.NO_DART, "no dart was thrown")
    return not_allowed(WhyRefused.TURNS_AFTER, f"take back {after} turns first", turns=after)


def correct(match: Match, order: Correct, actor: Actor) -> Step | Problem:
    """The last dart was in another bed: judge it again, as if it had been read so at once."""
    bed = parse_bed(order.bed) or MISS
    if tossing.can_be_put_right(match):
        return tossing.correct(match, bed, actor.now)
    if isinstance(match.stable_phase, Drawing):
        return drawing.correct(match, bed, actor.now)
    last = _last_dart(match)
    if isinstance(last, Problem):
        return last
    dart = replace(last.dart, beds=((bed, 1.0),), x_mm=None, y_mm=None) if last.dart else None
    step = _counted(restored(match, 1, actor.now), match, bed, actor.now, aim=last.aim, dart=dart)
    if isinstance(step, Problem):
        return step
    was = None if last.bed is None else str(last.bed)
    return step.note(Message.CORRECTED, was=was, bed=str(bed))


def _counted(
    step: Step, before: Match, bed: Bed, now: int, *, aim: Move | None, dart: Dart | None = None
) -> Step | Problem:
    """Count a dart that a person vouches for; a pause stays a pause, and `settling` is not started again."""
    counted = count(step.enter(ToMove()).match, dart, bed, now, aim)
    if isinstance(counted, Problem) or isinstance(counted.match.phase, Finished):
        return counted
    if not isinstance(before.phase, Paused):
        return _calm(counted.enter(ToMove()), before, now)
    held = counted.match
    clock = None if held.clock is None else clocks.pause(clocks.start(held.clock, held.side, now), now)
    return counted.enter(Paused(ToMove()), clock=clock)


def delete_dart(match: Match, order: DeleteDart, actor: Actor) -> Step | Problem:
    """The last dart was none: an open question about one is dropped, else its turn is taken back."""
    if dart_in_doubt(match.phase):
        return Step(match).enter(without_question(match.phase)).show(Message.DELETED, bed=None)
    if tossing.can_be_put_right(match):
        return tossing.take_back(match, 1, actor.now)
    if isinstance(match.stable_phase, Drawing):
        return drawing.again(match, actor.now)
    last = _last_dart(match)
    if isinstance(last, Problem):
        return last
    bed = None if last.bed is None else str(last.bed)
    step = _calm(restored(match, 1, actor.now), match, actor.now)
    return step.show(Message.DELETED, bed=bed, side=step.match.side.word)


def add_dart(match: Match, order: AddDart, actor: Actor) -> Step | Problem:
    """A dart was thrown that nothing reported: it counts for the side to move."""
    bed, inner = parse_bed(order.bed) or MISS, match.stable_phase
    if isinstance(inner, Deciding):
        return tossing.thrown(match, bed, actor.now)
    if isinstance(inner, Drawing):
        return drawing.thrown(match, bed, actor.now)
    if isinstance(inner, Settling) and tossing.can_be_put_right(match):
        words = "the dart that decided who has White is still in the board: correct it, or take it out first"
        return not_allowed(WhyRefused.DART_FOR_WHITE, words)
    if isinstance(inner, Finished) and decided(match) is not None:
        return not_allowed(WhyRefused.OVER, "the last turn ended the game: take it back first")
    refused = why_no_throw(match, match.aim)
    if refused is not None:
        return not_allowed(refused.code, refused.words)
    step = reopened(Step(match), actor.now) if isinstance(inner, Finished) else Step(match)
    counted = _counted(step, match, bed, actor.now, aim=match.aim)
    return counted if isinstance(counted, Problem) else counted.note(Message.ADDED, bed=order.bed)


def choose_bed(match: Match, order: ChooseBed, actor: Actor) -> Step | Problem:
    """Answer the open question; null is "it does not count" (and "no, do not take back")."""
    question = match.question
    if question is None:
        return not_allowed(WhyRefused.NO_QUESTION, "no question is open")
    step = Step(match).enter(without_question(match.phase))
    if order.bed is None:
        return step.show(Message.DISMISSED, question=question.code)
    if question.code is QuestionCode.TAKE_BACK:
        return not_allowed(WhyRefused.QUESTION, "answer with take_back, or with null")
    bed, closed = parse_bed(order.bed) or MISS, step.match
    if question.code is QuestionCode.LOST_DART and bed == MISS:
        return lost_without_bed(closed, Foul.DECLARED, actor.now)
    dart = question.dart
    refused = why_no_throw(closed) if question.code is QuestionCode.LOST_DART else None
    if refused is not None:
        return not_allowed(refused.code, refused.words)
    if isinstance(match.stable_phase, Drawing):
        return drawing.thrown(closed, bed, actor.now)
    if isinstance(match.stable_phase, Deciding):
        return tossing.thrown(closed, bed, actor.now, tossing.distance(dart) if dart else None)
    return count(closed, dart, bed, actor.now, match.aim)


def ask_take_back(match: Match) -> Step:
    """The undo button: ask whether the last entry goes."""
    if not match.turns:
        return Step(match).show(Message.NOTHING_TO_TAKE_BACK)
    return ask(match, Question(QuestionCode.TAKE_BACK, match.turns[-1].side))


def ask_lost_dart(match: Match) -> Step:
    """The miss button before an announcement: ask whether a dart was lost."""
    refused = why_no_throw(match)
    if refused is not None:
        return Step(match).show(refused.code, side=match.side.word)
    return ask(match, Question(QuestionCode.LOST_DART, match.side, (Choice(MISS, Foul.DECLARED.value),)))
