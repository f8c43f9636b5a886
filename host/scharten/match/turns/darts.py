"""Take a dart: find its bed, ask if that is uncertain, and decide whether it counts (contract.md, rules 6).

A dart with several possible beds is decided without a question only if it means the same in all of them; otherwise a
person decides. Legality alone never decides: a dart meant for one bed often hits its neighbour.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from scharten.dartboard.beds import MISS, SURE, Bed
from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import Foul
from scharten.match.codes import Message, QuestionCode, RefusalCode, WhyRefused, not_allowed
from scharten.match.dart import Dart
from scharten.match.events import HitReport
from scharten.match.inputs import Actor, Reading
from scharten.match.orders import VirtualThrow
from scharten.match.phase_table import InputKind, Ruling, ruling
from scharten.match.phases import MOST_CHOICES, Choice, PhaseName, Question, ToMove, dart_in_doubt
from scharten.match.seats.computers import level_of
from scharten.match.state import Match, Step
from scharten.match.turns.dart_rules import ask, dart_rules, early_rules, lose_dart, lose_or_show
from scharten.match.turns.play import why_no_throw
from scharten.match.white import Seat

SHOWN: Final[dict[PhaseName, Message]] = {
    PhaseName.SETUP: Message.NOT_STARTED,
    PhaseName.SETTLING: Message.STILL_SETTLING,
    PhaseName.PAUSED: Message.PAUSED,
    PhaseName.FINISHED: Message.GAME_OVER,
}
"""Why a dart is only shown. These texts do not replace the display's message: contacts rattle during settling."""
PRACTISED: Final = (Message.NOT_STARTED, Message.GAME_OVER)
"""While no game is on, darts belong to a practice if there is one."""
AFTER_TAKEOUT_MS: Final = 2000
"""A knock so soon after the dart was taken out is the hand that did it."""
COMPUTER: Final = "computer"
"""The source of the computer's darts, as `hits` names it."""


def on_dart(match: Match, reading: Reading, dart: Dart) -> Step:
    """Count a dart, ask about it, or show it with the reason why it does not count."""
    if not dart.beds and dart.contact is not None:
        contact = {"drive": dart.contact.drive, "sense": dart.contact.sense}
        step = Step(match).show(Message.UNKNOWN_CONTACT, source=reading.sensor, **contact)
        return report(step, match, reading, dart, Message.UNKNOWN_CONTACT)
    beds = tuple(bed for bed, _ in dart.candidates)
    doubtful = dart.confidence < SURE
    why = _why_ignored(match, reading.happened_ms, InputKind.DOUBT if doubtful else InputKind.DART)
    if why in PRACTISED and beds and match.practice is not None and not match.practice.over:
        series = match.practice.throw(beds[0], beds[:MOST_CHOICES] if doubtful else ())
        return report(Step(match).with_(practice=series), match, reading, dart, "")
    if why:
        return report(_show(match, reading, beds[:MOST_CHOICES], why), match, reading, dart, why)
    step = count_or_ask(match, reading, dart, reading.happened_ms)
    return report(step, match, reading, dart, "in_doubt" if dart_in_doubt(step.match.phase) else "")


def _why_ignored(match: Match, happened_ms: int, kind: InputKind) -> str:
    """Why a dart does not count, "" if it does: because of the phase, its time, or nothing to throw."""
    ruled = ruling(match.phase, kind)
    if ruled is Ruling.SHOWN:
        return SHOWN[match.phase.name]
    if happened_ms < match.since_ms:
        return Message.STALE
    if ruled is Ruling.WAITS:
        return Message.QUESTION_OPEN
    return dart_rules(match).why_ignored(match, ruled)


def count_or_ask(match: Match, reading: Reading, dart: Dart, now: int) -> Step:
    """Count a dart at `now`, or ask a person where it is."""
    rules, beds = dart_rules(match), tuple(bed for bed, _ in dart.candidates)
    fell = bool(beds) and dart.bounced and not match.options.bounce_counts
    doubtful = dart.confidence < SURE and not fell
    choices = rules.choices(match, beds, dart) if doubtful and beds else ()
    if choices or not beds:  # without beds, cameras saw a change but no dart
        side = None if early_rules(match) else match.side
        return ask(match, Question(QuestionCode.WHICH_BED, side, choices, dart, reading.sensor))
    lost = lose_dart(match, Foul.BOUNCE_OUT, dart, now) if fell else None
    counted = lost or rules.count(match, beds[0], dart, now)
    # A dart that was due is never refused.
    return Step(match) if isinstance(counted, Problem) else counted


def _show(match: Match, reading: Reading, beds: tuple[Bed, ...], why: str) -> Step:
    step = contact_while_settling(Step(match), reading.happened_ms)
    if not beds:
        return step
    details = {"bed": str(beds[0]), "beds": [str(bed) for bed in beds], "side": match.side.word}
    return step.note(why, **details) if why in SHOWN.values() else step.show(why, **details)


def contact_while_settling(step: Step, now: int) -> Step:
    """Restart the wait of settling after a contact."""
    phase = step.match.arming.after_contact(step.match.phase, now)
    return step if phase is step.match.phase else step.enter(phase)


def report(step: Step, before: Match, reading: Reading, dart: Dart, why: str) -> Step:
    """Add the dart to the step's events; `why` it did not count, "" if it did."""
    hit = HitReport(
        at_ms=reading.happened_ms,
        source=reading.sensor,
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
        revises=reading.revises,
        opinions=dart.opinions,
        place=reading.place.value if reading.place else None,
        match=before.id,
    )
    return replace(step, events=(hit, *step.events))


def on_knock(match: Match, reading: Reading, peak: int) -> Step:
    """Count a knock without a contact as a bounce-out where a dart was due, else show it."""
    happened_ms, ruled = reading.happened_ms, ruling(match.phase, InputKind.KNOCK)
    meaning = _knock_in_auto(match, happened_ms) if ruled is Ruling.KNOCKED else "ignore"
    if happened_ms >= match.since_ms and (ruled is Ruling.LOST or meaning == "lost"):
        return lose_or_show(match, Foul.BOUNCE_OUT, happened_ms)
    if meaning == "ask":
        return ask(
            match, Question(QuestionCode.LOST_DART, match.side, (Choice(MISS, Foul.BOUNCE_OUT.value),))
        )
    step = contact_while_settling(Step(match), happened_ms)
    return step.note(Message.KNOCK, source=reading.sensor, peak=peak)


def _knock_in_auto(match: Match, happened_ms: int) -> str:
    """Return `ask`, `lost` or `ignore`: a hand that takes the dart out and presses the button knocks too."""
    phase = match.phase
    quiet_ms = AFTER_TAKEOUT_MS if isinstance(phase, ToMove) and phase.emptied else 0
    early = happened_ms < match.since_ms + quiet_ms
    virtual = any(level_of(match, seat) and match.side_of(seat) is match.side for seat in Seat)
    possible = match.arming.auto and match.start.edition >= 3 and why_no_throw(match) is None
    if early or virtual or not possible:
        return "ignore"
    return match.options.knock_in_auto


def on_no_dart(match: Match, reading: Reading, bed: Bed | None) -> Step:
    """Show a contact or a knock that was not a dart, as cameras saw."""
    step = contact_while_settling(Step(match), reading.happened_ms)
    shown = None if bed is None else str(bed)
    return step.note(Message.CONTACT_WITHOUT_DART, source=reading.sensor, bed=shown)


def virtual_throw(match: Match, order: VirtualThrow, actor: Actor) -> Step | Problem:
    """Throw a dart of the computer: it is shown, counted and corrected like any other."""
    if actor.seat is None or not level_of(match, actor.seat):
        return not_allowed(WhyRefused.NO_COMPUTER, "only a seat that the computer plays throws like this")
    early = early_rules(match)
    thrower = None if early is None else early.thrower(match)
    if thrower is not None and thrower is not actor.seat:
        return Problem(RefusalCode.NOT_YOUR_TURN, f"{thrower.value} throws now", {"seat": thrower.value})
    if thrower is None and actor.side is not match.side:
        side = match.side.word
        return Problem(RefusalCode.NOT_YOUR_TURN, f"it is {side}'s turn", {"side": side})
    dart = Dart(((bed_at(order.x_mm, order.y_mm), 1.0),), order.x_mm, order.y_mm)
    return on_dart(match, Reading(actor.now, actor.now, COMPUTER, dart), dart)
