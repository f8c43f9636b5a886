"""What a dart does: which field it hits, whether that is sure, and whether it counts (contract.md, rules 6).

A dart with several possible beds is settled without asking only if every reading is a lost dart; otherwise a person
decides. Legality alone never decides: a dart meant for one bed often hits its neighbour.
"""

from __future__ import annotations

from dataclasses import replace

from scharten.dartboard.beds import MISS, SURE, Bed, BedKind
from scharten.game.basics import Side
from scharten.games.scharten.fields import field_of
from scharten.games.scharten.position import to_throw
from scharten.match import tossing
from scharten.match.events import HitReport
from scharten.match.inputs import Dart, Reading
from scharten.match.phases import Phase, Verdict, What, verdict
from scharten.match.state import Choice, Match, Question, Refusal, Step
from scharten.match.touch import obligation
from scharten.match.turns import lose, place

MOST_CHOICES = 6
QUIET = frozenset({"not_started", "still_settling", "paused", "game_over"})
"""Reasons that do not take the place of what the display says: contacts rattle while darts are taken out."""
PLACED = "placed"
NOT_SAVING = "missed_in_check"


def effect(match: Match, bed: Bed, side: Side | None = None) -> Choice:
    """What a dart of the side to move in this bed does: places a piece, or is lost for a reason."""
    thrower = side or match.side
    if bed.kind is BedKind.MISS:
        return Choice(bed, "off_board")
    field = field_of(bed, match.start.settings.white_sits_at)
    if field is None:
        return Choice(bed, "bull")
    if field not in match.options.zone(thrower):
        return Choice(bed, "outside_zone", field)
    if match.position.piece_at(field) is not None:
        return Choice(bed, "occupied", field)
    if thrower is match.side and field not in match.board.placements:
        return Choice(bed, NOT_SAVING, field)
    return Choice(bed, PLACED, field)


def count(match: Match, dart: Dart | None, bed: Bed, at: int) -> Step | Refusal:
    """Let a dart in this bed be the turn of the side to move; `dart` is None when a person reported it."""
    found = effect(match, bed)
    if found.effect == PLACED and found.field is not None:
        return place(match, found.field, bed, dart, at)
    return lose(match, found.effect, bed, dart, at, move_forgotten=_for_opponent(match, bed))


def _for_opponent(match: Match, bed: Bed) -> bool:
    """Whether the lost dart would have placed a piece of the other side: perhaps a move was not entered."""
    other = match.side.other
    return to_throw(match.position, other) > 0 and effect(match, bed, other).effect == PLACED


def why_no_throw(match: Match) -> tuple[str, str] | None:
    """Why the side to move may not throw now, as a code and in words."""
    if match.game.kind == "silent":
        return "silent_game", "nothing is thrown in a silent game"
    if to_throw(match.position, match.side) == 0:
        return "no_pieces_left", f"{match.side.word} has no pieces left to throw"
    if match.game.touch_move == "on" and obligation(match.position, match.options, match.touches).bound:
        return "touched", "a touched piece must be moved or captured"
    return None


def open_dart(match: Match) -> bool:
    """Whether a dart that may count waits for a person's word."""
    return match.question is not None and match.question.code == "which_bed"


def on_dart(match: Match, given: Reading, dart: Dart) -> Step:
    """A dart was read: count it, ask about it, or show it and say why it does not count."""
    at = given.happened_ms
    if not dart.beds:
        contact = {} if dart.contact is None else {"drive": dart.contact.drive, "sense": dart.contact.sense}
        step = Step(match).say("unknown_contact", source=given.sensor, **contact)
        return _reported(step, match, given, dart, "unknown_contact")
    candidates = tuple(bed for bed, _ in dart.candidates)
    doubtful = dart.confidence < SURE
    ruled = verdict(match.phase, What.DOUBT if doubtful else What.DART)
    why = _why_shown(match, at, ruled)
    if why:
        return _shown(match, given, dart, candidates[:MOST_CHOICES], why)
    fell = dart.bounced and not match.game.bounce_counts
    if match.phase is Phase.DECIDING:
        step = (
            tossing.thrown(match, MISS, at)
            if fell
            else tossing.on_dart(match, given, dart, candidates[:MOST_CHOICES])
        )
        return _reported(step, match, given, dart, "in_doubt" if open_dart(step.match) else "")
    if fell:
        return _reported(lose(match, "bounce_out", None, dart, at), match, given, dart, "")
    effects = tuple(effect(match, bed) for bed in candidates)
    if doubtful and any(each.effect == PLACED for each in effects):
        return _reported(ask_bed(match, given, dart, effects[:MOST_CHOICES]), match, given, dart, "in_doubt")
    counted = count(match, dart, candidates[0], at)
    # A reading whose effect is "placed" is legal by its making, so that counting it cannot be refused.
    step = counted if isinstance(counted, Step) else Step(match)
    return _reported(step, match, given, dart, "")


def ask_bed(match: Match, given: Reading, dart: Dart, effects: tuple[Choice, ...]) -> Step:
    """Ask a person which bed it was; nothing counts until that is answered."""
    asked = Step(match).with_(question=Question("which_bed", match.side, effects, dart, given.sensor))
    return asked.say("which_bed", side=match.side.word, beds=[str(each.bed) for each in effects])


def _why_shown(match: Match, at: int, ruled: Verdict) -> str:
    """Why a dart does not count, "" if it does: the phase, its time, or nothing to throw."""
    if ruled is Verdict.SHOWN:
        return {
            Phase.SETUP: "not_started",
            Phase.SETTLING: "still_settling",
            Phase.PAUSED: "paused",
            Phase.FINISHED: "game_over",
        }[match.phase]
    if at < match.since_ms:
        return "stale"
    if open_dart(match):
        return "question_open"
    if match.phase is Phase.DECIDING:
        return ""
    refused = why_no_throw(match)
    if refused:
        return refused[0]
    if ruled is Verdict.AS_ARMED and match.game.arming == "announce":
        # After the other side's dart the likeliest story is that a move was played and not entered.
        thrown = bool(match.turns) and match.turns[-1].kind != "move"
        return "move_forgotten" if thrown else "not_announced"
    return ""


def _shown(match: Match, given: Reading, dart: Dart, candidates: tuple[Bed, ...], why: str) -> Step:
    step = touched_while_settling(Step(match), given.happened_ms)
    beds = [str(bed) for bed in candidates]
    told = {"bed": beds[0], "beds": beds, "side": match.side.word}
    step = step.tell(why, **told) if why in QUIET else step.say(why, **told)
    return _reported(step, match, given, dart, why)


def touched_while_settling(step: Step, at: int) -> Step:
    """A contact during `settling` starts the wait anew: `settle_ms` counts from the last one."""
    until = step.match.settle_until
    if step.match.phase is not Phase.SETTLING or until is None:
        return step
    return step.with_(settle_until=max(until, at + step.match.game.settle_ms))


def _reported(step: Step, before: Match, given: Reading, dart: Dart, why: str) -> Step:
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
        match=before.id,
    )
    return replace(step, events=(report, *step.events))


def on_knock(match: Match, given: Reading, peak: int) -> Step:
    """A knock without a contact: a bounce-out where a dart was awaited, else shown."""
    at = given.happened_ms
    ruled = verdict(match.phase, What.KNOCK)
    if ruled is not Verdict.LOST or at < match.since_ms or open_dart(match):
        return touched_while_settling(Step(match), at).tell("knock", source=given.sensor, peak=peak)
    return lost_without_bed(match, "bounce_out", at)


def lost_without_bed(match: Match, code: str, at: int) -> Step:
    """A dart that is in no bed: bounced out, or declared lost."""
    if match.phase is Phase.DECIDING:
        return tossing.thrown(match, MISS, at)
    refused = why_no_throw(match)
    if refused:
        return Step(match).say(refused[0], side=match.side.word)
    return lose(match, code, None, None, at)
