"""Put right what went wrong: correct, delete or add a dart, take turns back, answer an open question.

The result is always what a game of the corrected turns would have led to. A finished game opens again when the turn
that ended it goes. Clocks: time that was used stays used; only the turn's own increment and its count go back.
"""

from __future__ import annotations

from dataclasses import replace

from scharten.dartboard.beds import MISS, Bed, parse_bed
from scharten.errors import Problem
from scharten.game.basics import Foul, Move, Pass
from scharten.match import clock as clocks
from scharten.match.codes import Message, QuestionCode, WhyRefused, not_allowed
from scharten.match.dart import Dart
from scharten.match.inputs import Actor
from scharten.match.orders import AddDart, ChooseBed, Correct, DeleteDart, TakeBack
from scharten.match.phases import (
    Choice,
    Finished,
    Paused,
    Question,
    Settling,
    ToMove,
    dart_in_doubt,
    without_question,
)
from scharten.match.state import Match, PlayedTurn, Step
from scharten.match.touch import Touches
from scharten.match.turns.dart_rules import ask, dart_rules, early_rules, lose_or_show, rules_of_last_dart
from scharten.match.turns.play import count_for, end_on_sheet, play_forced, reopen, why_no_throw


def take_back(match: Match, order: TakeBack, actor: Actor) -> Step | Problem:
    """Undo the last turns."""
    early = rules_of_last_dart(match)
    if early is not None:
        return early.take_back(match, order.turns, actor.now)
    played = len(match.turns)
    if order.turns > played:
        return not_allowed(WhyRefused.TOO_MANY, f"only {played} turns were played", turns=played)
    step = _settle_again(restored(match, order.turns, actor.now), match, actor.now)
    return step.show(Message.TAKEN_BACK, turns=order.turns, side=step.match.side.word)


def restored(match: Match, turns: int, now: int) -> Step:
    """The match as it was before its last turns; clocks go on from what they show.

    A forced pass goes with the turn before it, because it would be played again at once, as it is on the first turn.
    """
    first = len(match.turns) - turns
    while first > 0 and isinstance(match.turns[first].action, Pass):
        first -= 1
    clock = match.clock
    for turn in reversed(match.turns[first:]):
        if clock is not None and turn.pressed:
            clock = clocks.take_back(clock, turn.side, now)
    back = replace(
        match, board=match.turns[first].before, turns=match.turns[:first], clock=clock, touches=Touches()
    )
    return play_forced(reopen(Step(back), now), now)


def _settle_again(step: Step, before: Match, now: int) -> Step:
    """Settle if the dart may still be in the board: it must be taken out before another one counts."""
    if isinstance(step.match.phase, Paused) or not before.turns or not before.turns[-1].thrown:
        return step
    return step.enter(before.arming.after_correction(before.phase, now))


def _last_dart(match: Match) -> PlayedTurn | Problem:
    """The turn of the last dart; a refusal without a dart, or if turns but forced passes came after it."""
    chosen = [turn for turn in reversed(match.turns) if not isinstance(turn.action, Pass)]
    later = next((n for n, turn in enumerate(chosen) if turn.thrown), None)
    if later is None:
        return not_allowed(WhyRefused.NO_DART, "no dart was thrown")
    if later:
        return not_allowed(WhyRefused.TURNS_AFTER, f"take back {later} turns first", turns=later)
    return chosen[0]


def correct(match: Match, order: Correct, actor: Actor) -> Step | Problem:
    """The last dart was in another bed: judge it as if it had been read so at once."""
    bed, early = parse_bed(order.bed) or MISS, rules_of_last_dart(match)
    if early is not None:
        return early.correct(match, bed, actor.now)
    last = _last_dart(match)
    if isinstance(last, Problem):
        return last
    dart = replace(last.dart, beds=((bed, 1.0),), x_mm=None, y_mm=None) if last.dart else None
    step = _count(restored(match, 1, actor.now), match, bed, actor.now, aim=last.aim, dart=dart)
    if isinstance(step, Problem):
        return step
    was = None if last.bed is None else str(last.bed)
    return step.note(Message.CORRECTED, was=was, bed=str(bed))


def _count(
    step: Step, before: Match, bed: Bed, now: int, *, aim: Move | None, dart: Dart | None = None
) -> Step | Problem:
    """Count a dart that a person reports; a pause stays a pause, and settling does not start again."""
    counted = count_for(step.enter(ToMove()).match, aim, bed, dart, now)
    if isinstance(counted, Problem) or isinstance(counted.match.phase, Finished):
        return counted
    if not isinstance(before.phase, Paused):
        return _settle_again(counted.enter(ToMove()), before, now)
    held = counted.match
    clock = None if held.clock is None else clocks.pause(clocks.start(held.clock, held.side, now), now)
    return counted.enter(Paused(ToMove()), clock=clock)


def delete_dart(match: Match, order: DeleteDart, actor: Actor) -> Step | Problem:
    """The last dart did not count: drop an open question about a dart, else take its turn back."""
    if dart_in_doubt(match.phase):
        return Step(match).enter(without_question(match.phase)).show(Message.DELETED, bed=None)
    early = rules_of_last_dart(match)
    if early is not None:
        return early.take_back(match, 1, actor.now)
    last = _last_dart(match)
    if isinstance(last, Problem):
        return last
    bed = None if last.bed is None else str(last.bed)
    step = _settle_again(restored(match, 1, actor.now), match, actor.now)
    return step.show(Message.DELETED, bed=bed, side=step.match.side.word)


def add_dart(match: Match, order: AddDart, actor: Actor) -> Step | Problem:
    """A dart was thrown that no sensor reported: it counts for the side to move."""
    bed, inner, early = parse_bed(order.bed) or MISS, match.stable_phase, early_rules(match)
    if early is not None:
        return early.count(match, bed, None, actor.now)
    if isinstance(inner, Settling) and rules_of_last_dart(match) is not None:
        message = (
            "the dart that decided who has White is still in the board: correct it, or take it out first"
        )
        return not_allowed(WhyRefused.DART_FOR_WHITE, message)
    if isinstance(inner, Finished) and end_on_sheet(match) is not None:
        return not_allowed(WhyRefused.OVER, "the last turn ended the game: take it back first")
    refused = why_no_throw(match, match.aim)
    if refused is not None:
        return not_allowed(refused.code, refused.words)
    step = reopen(Step(match), actor.now) if isinstance(inner, Finished) else Step(match)
    counted = _count(step, match, bed, actor.now, aim=match.aim)
    return counted if isinstance(counted, Problem) else counted.note(Message.ADDED, bed=order.bed)


def choose_bed(match: Match, order: ChooseBed, actor: Actor) -> Step | Problem:
    """Answer the open question; null means "it does not count", or "no, do not take back"."""
    question = match.question
    if question is None:
        return not_allowed(WhyRefused.NO_QUESTION, "no question is open")
    step = Step(match).enter(without_question(match.phase))
    if order.bed is None:
        return step.show(Message.DISMISSED, question=question.code)
    if question.code is QuestionCode.TAKE_BACK:
        return not_allowed(WhyRefused.QUESTION, "answer with take_back, or with null")
    bed, closed = parse_bed(order.bed) or MISS, step.match
    if question.code is QuestionCode.LOST_DART:
        if bed == MISS:
            return lose_or_show(closed, Foul(question.choices[0].effect), actor.now)
        refused = why_no_throw(closed)
        if refused is not None:
            return not_allowed(refused.code, refused.words)
    return dart_rules(closed).count(closed, bed, question.dart, actor.now)


def ask_take_back(match: Match) -> Step:
    """The undo button: ask whether to take back the last turn."""
    if not match.turns:
        return Step(match).show(Message.NOTHING_TO_TAKE_BACK)
    return ask(match, Question(QuestionCode.TAKE_BACK, match.turns[-1].side))


def ask_lost_dart(match: Match) -> Step:
    """The miss button before an announcement: ask whether a dart was lost."""
    refused = why_no_throw(match)
    if refused is not None:
        return Step(match).show(refused.code, side=match.side.word)
    return ask(match, Question(QuestionCode.LOST_DART, match.side, (Choice(MISS, Foul.DECLARED.value),)))
