"""What a dart does: which field it hits, whether that is sure, and whether it counts (contract.md, rules 6).

A dart with several possible beds is settled without asking only if every reading is a lost dart; otherwise a person
decides. Legality alone never decides: a dart meant for one bed often hits its neighbour.
"""

from __future__ import annotations

from dataclasses import replace

from scharten.dartboard.beds import MISS, SURE, Bed
from scharten.errors import Problem
from scharten.game.basics import Foul, LostDart, Move, Side
from scharten.game.protocol import Effect
from scharten.match import drawing, tossing
from scharten.match.codes import Message, QuestionCode, not_allowed
from scharten.match.events import HitReport
from scharten.match.fouls import lose, lost_without_bed
from scharten.match.inputs import Dart, Reading
from scharten.match.phases import (
    Asking,
    Choice,
    Deciding,
    Drawing,
    InputKind,
    PhaseName,
    Question,
    Ruling,
    bare,
    dart_in_doubt,
    ruling,
)
from scharten.match.state import Landed, Match, Step
from scharten.match.turns import act, why_no_throw

MOST_CHOICES = 6
SHOWN: dict[PhaseName, Message] = {
    PhaseName.SETUP: Message.NOT_STARTED,
    PhaseName.SETTLING: Message.STILL_SETTLING,
    PhaseName.PAUSED: Message.PAUSED,
    PhaseName.FINISHED: Message.GAME_OVER,
}
PRACTISED = (Message.NOT_STARTED, Message.GAME_OVER)
"""While no game is on, darts may be those of a practice."""
"""Why a dart is only shown. They do not take the place of what the display says: contacts rattle in settling."""


def effect(match: Match, bed: Bed, aim: Move | None, side: Side | None = None) -> Effect | None:
    """What a dart in this bed would do; None in a game without darts."""
    throws = match.game.throws
    sits = match.start.settings.white_sits_at
    if throws is None:
        return None
    return throws.effect(match.position, match.options, bed, sits, aim=aim, side=side)


def count(match: Match, dart: Dart | None, bed: Bed, at: int, aim: Move | None) -> Step | Problem:
    """Let a dart in this bed be the turn of the side to move; `dart` is None when a person reported it."""
    found = effect(match, bed, aim)
    if found is None:
        return not_allowed(Message.SILENT_GAME, "nothing is thrown in this game")
    landed = Landed(bed, found.field, dart)
    if not isinstance(found.action, LostDart):
        return act(match, found.action, at, landed)
    return act(match, found.action, at, landed, move_forgotten=_for_opponent(match, bed))


def _for_opponent(match: Match, bed: Bed) -> bool:
    """Whether the lost dart would have placed a piece of the other side: perhaps a move was not entered."""
    found = effect(match, bed, None, match.side.other)
    return found is not None and not isinstance(found.action, LostDart)


def on_dart(match: Match, given: Reading, dart: Dart) -> Step:
    """A dart was read: count it, ask about it, or show it and say why it does not count."""
    if not dart.beds and dart.contact is not None:
        contact = {"drive": dart.contact.drive, "sense": dart.contact.sense}
        step = Step(match).show(Message.UNKNOWN_CONTACT, source=given.sensor, **contact)
        return reported(step, match, given, dart, Message.UNKNOWN_CONTACT)
    beds = tuple(bed for bed, _ in dart.candidates)
    doubtful = dart.confidence < SURE
    ruled = ruling(match.phase, InputKind.DOUBT if doubtful else InputKind.DART)
    why = _why_shown(match, given.happened_ms, ruled)
    if why in PRACTISED and beds and match.practice is not None and not match.practice.over:
        series = match.practice.after(beds[0], beds[:MOST_CHOICES] if doubtful else ())
        return reported(Step(match).with_(practice=series), match, given, dart, "")
    step = (
        _shown(match, given, beds[:MOST_CHOICES], why) if why else counted(match, given, dart, beds, doubtful)
    )
    asked = not why and dart_in_doubt(step.match.phase)
    return reported(step, match, given, dart, "in_doubt" if asked else why)


def counted(match: Match, given: Reading, dart: Dart, beds: tuple[Bed, ...], doubtful: bool) -> Step:
    """A dart that counts, or is asked about."""
    at = given.happened_ms
    if not beds:  # cameras saw something change, and not what
        side = None if isinstance(match.stable_phase, Deciding | Drawing) else match.side
        return ask(match, Question(QuestionCode.WHICH_BED, side, (), dart, given.sensor))
    fell = dart.bounced and not match.options.bounce_counts
    if isinstance(match.stable_phase, Deciding | Drawing):
        return _before_play(match, given, dart, beds[:MOST_CHOICES], fell)
    if fell:
        return lose(match, Foul.BOUNCE_OUT, at, dart)
    effects = tuple(found for bed in beds if (found := effect(match, bed, match.aim)) is not None)
    if doubtful and _differ(effects):
        choices = tuple(Choice(each.bed, each.code, each.field) for each in effects[:MOST_CHOICES])
        return ask(match, Question(QuestionCode.WHICH_BED, match.side, choices, dart, given.sensor))
    done = count(match, dart, beds[0], at, match.aim)
    # An effect that is no lost dart is legal by its making, so that counting it cannot be refused.
    return done if isinstance(done, Step) else Step(match)


def _before_play(match: Match, given: Reading, dart: Dart, beds: tuple[Bed, ...], fell: bool) -> Step:
    """A dart for White or of a draw, asked about where it matters which of the beds it was; one that fell missed."""
    drawn, beds = isinstance(match.stable_phase, Drawing), (MISS,) if fell else beds
    if drawing.differ(beds) if drawn else tossing.differ(beds, dart):
        choices = tuple(Choice(bed, bed.kind.name.lower()) for bed in beds)
        return ask(match, Question(QuestionCode.WHICH_BED, None, choices, dart, given.sensor))
    if drawn:
        return drawing.thrown(match, beds[0], given.happened_ms)
    distance_mm = None if fell else tossing.distance(dart)
    return tossing.thrown(match, beds[0], given.happened_ms, distance_mm)


def _differ(effects: tuple[Effect, ...]) -> bool:
    """Whether it matters which of the beds it was: not if all are lost darts, or all hit for the same move."""
    if all(isinstance(each.action, LostDart) for each in effects):
        return False
    return len(effects) == 1 or any(each.action != effects[0].action for each in effects)


def ask(match: Match, question: Question) -> Step:
    """Ask a person; with a dart in doubt nothing counts until that is answered."""
    step = Step(match).enter(Asking(question, bare(match.phase)))
    side = None if question.side is None else question.side.word
    if question.code is QuestionCode.WHICH_BED:
        beds = [str(each.bed) for each in question.choices]
        return step.show(Message.WHICH_BED, side=side, beds=beds)
    if question.code is QuestionCode.LOST_DART:
        return step.show(Message.ASK_LOST_DART, side=side)
    return step.show(Message.ASK_TAKE_BACK, side=side, text=match.turns[-1].text)


def _why_shown(match: Match, at: int, ruled: Ruling) -> str:
    """Why a dart does not count, "" if it does: the phase, its time, or nothing to throw."""
    if ruled is Ruling.SHOWN:
        return SHOWN[match.phase.name]
    if at < match.since_ms:
        return Message.STALE
    if ruled is Ruling.WAITS:
        return Message.QUESTION_OPEN
    if isinstance(match.stable_phase, Deciding):
        return ""
    if isinstance(match.stable_phase, Drawing):
        return "" if drawing.waits_for(match) == "darts" else Message.NOT_ANNOUNCED
    refused = why_no_throw(match, match.aim)
    if refused is not None:
        return refused.code
    if ruled is Ruling.AS_ARMED and not match.arming.auto:
        # After the other side's dart the likeliest story is that a move was played and not entered.
        thrown = bool(match.turns) and match.turns[-1].thrown
        return Message.MOVE_FORGOTTEN if thrown else Message.NOT_ANNOUNCED
    return ""


def _shown(match: Match, given: Reading, beds: tuple[Bed, ...], why: str) -> Step:
    step = contact_while_settling(Step(match), given.happened_ms)
    if not beds:
        return step
    told = {"bed": str(beds[0]), "beds": [str(bed) for bed in beds], "side": match.side.word}
    return step.note(why, **told) if why in SHOWN.values() else step.show(why, **told)


def contact_while_settling(step: Step, at: int) -> Step:
    """A contact while a dart is taken out starts the wait anew."""
    phase = step.match.arming.touched(step.match.phase, at)
    return step if phase is step.match.phase else step.enter(phase)


def reported(step: Step, before: Match, given: Reading, dart: Dart, why: str) -> Step:
    """The step with its dart among the events; `why` it did not count, "" if it did."""
    report = HitReport(
        at_ms=given.happened_ms,
        source=given.sensor,
        bed=dart.beds[0][0] if dart.beds else None,
        beds=tuple(bed for bed, _ in dart.beds),
        probabilities=tuple(round(probability, 4) for _, probability in dart.beds),
        counted=not why,
        why=why,
        confidence=dart.confidence,
        x_mm=dart.x_mm,
        y_mm=dart.y_mm,
        drive=dart.contact.drive if dart.contact else None,
        sense=dart.contact.sense if dart.contact else None,
        seen_ms=dart.seen_ms,
        revises=given.revises,
        opinions=dart.opinions,
        match=before.id,
    )
    return replace(step, events=(report, *step.events))


def on_knock(match: Match, given: Reading, peak: int) -> Step:
    """A knock without a contact: a bounce-out where a dart was awaited, else shown."""
    at = given.happened_ms
    if ruling(match.phase, InputKind.KNOCK) is not Ruling.LOST or at < match.since_ms:
        step = contact_while_settling(Step(match), at)
        return step.note(Message.KNOCK, source=given.sensor, peak=peak)
    return lost_without_bed(match, Foul.BOUNCE_OUT, at)


def on_no_dart(match: Match, given: Reading, bed: Bed | None) -> Step:
    """A contact or a knock that cameras saw to be no dart."""
    step = contact_while_settling(Step(match), given.happened_ms)
    return step.note(Message.CONTACT_WITHOUT_DART, source=given.sensor, bed=None if bed is None else str(bed))
