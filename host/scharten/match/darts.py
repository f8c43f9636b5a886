"""What a dart does: which field it hits, whether that is sure, and whether it counts (contract.md, rules 6).

A dart with several possible beds is settled without asking only if every reading is a lost dart; otherwise a person
decides. Legality alone never decides: a dart meant for one bed often hits its neighbour.
"""

from __future__ import annotations

from dataclasses import replace

from scharten.dartboard.beds import MISS, Bed, BedKind, neighbours, readings
from scharten.game.basics import Side
from scharten.games.scharten.fields import field_of
from scharten.games.scharten.position import to_throw
from scharten.match import tossing
from scharten.match.events import Reading
from scharten.match.inputs import BoardHit, DartSeen, KnockHeard
from scharten.match.phases import Phase, Verdict, What, verdict
from scharten.match.state import Choice, Dart, Match, Question, Refusal, Step
from scharten.match.touch import obligation
from scharten.match.turns import lose, place

SURE = 0.90
"""Cameras that are less confident than this are asked about."""
MOST_CHOICES = 6
QUIET = frozenset({"not_started", "still_settling", "paused", "game_over"})
"""Reasons that do not take the place of what the display says: contacts rattle while darts are taken out."""
PLACED = "placed"
NOT_SAVING = "missed_in_check"


def dart_of(given: BoardHit | DartSeen) -> Dart:
    """The dart that an input reports: a shared single as both its beds, an unsure one with its neighbours."""
    # A source whose clock runs ahead of the host's must not make a dart that lies in the future.
    at = min(given.at_ms, given.t_ms)
    if isinstance(given, BoardHit):
        beds = () if given.bed is None else readings(given.bed)
        return Dart(beds, at, given.source)
    beds = tuple(dict.fromkeys(bed for named in given.beds for bed in readings(named)))
    if len(beds) == 1 and given.confidence < SURE:
        beds = (*beds, *neighbours(beds[0]))
    return Dart(beds[:MOST_CHOICES], at, given.source, given.confidence, given.x_mm, given.y_mm, seen=True)


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


def count(match: Match, dart: Dart, bed: Bed) -> Step | Refusal:
    """Let a dart in this bed be the turn of the side to move."""
    found = effect(match, bed)
    if found.effect == PLACED and found.field is not None:
        return place(match, found.field, bed, dart, dart.at_ms)
    return lose(match, found.effect, bed, dart, dart.at_ms, move_forgotten=_for_opponent(match, bed))


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


def on_dart(match: Match, given: BoardHit | DartSeen) -> Step:
    """A dart was reported: count it, ask about it, or show it and say why it does not count."""
    dart = dart_of(given)
    if not dart.beds:
        step = Step(match).say("unknown_contact", source=given.source, **_contact(given))
        return _reported(step, match, given, dart, "unknown_contact")
    doubtful = len(dart.beds) > 1
    ruled = verdict(match.phase, What.DOUBT if doubtful else What.DART)
    why = _why_shown(match, dart, ruled)
    if why:
        return _shown(match, given, dart, why)
    fell = isinstance(given, DartSeen) and given.bounced and not match.game.bounce_counts
    if match.phase is Phase.DECIDING:
        step = tossing.on_dart(match, Dart((MISS,), dart.at_ms, dart.source) if fell else dart)
        return _reported(step, match, given, dart, "in_doubt" if open_dart(step.match) else "")
    if fell:
        return _reported(lose(match, "bounce_out", None, dart, dart.at_ms), match, given, dart, "")
    effects = tuple(effect(match, bed) for bed in dart.beds)
    if doubtful and any(each.effect == PLACED for each in effects):
        return _reported(ask_bed(match, dart, effects), match, given, dart, "in_doubt")
    counted = count(match, dart, dart.beds[0])
    # A reading whose effect is "placed" is legal by its making, so that counting it cannot be refused.
    step = counted if isinstance(counted, Step) else Step(match)
    return _reported(step, match, given, dart, "")


def ask_bed(match: Match, dart: Dart, effects: tuple[Choice, ...]) -> Step:
    """Ask a person which bed it was; nothing counts until that is answered."""
    asked = Step(match).with_(question=Question("which_bed", match.side, effects, dart))
    return asked.say("which_bed", side=match.side.word, beds=[str(each.bed) for each in effects])


def _why_shown(match: Match, dart: Dart, ruled: Verdict) -> str:
    """Why a dart does not count, "" if it does: the phase, its time, or nothing to throw."""
    if ruled is Verdict.SHOWN:
        return {
            Phase.SETUP: "not_started",
            Phase.SETTLING: "still_settling",
            Phase.PAUSED: "paused",
            Phase.FINISHED: "game_over",
        }[match.phase]
    if dart.at_ms < match.since_ms:
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


def _shown(match: Match, given: BoardHit | DartSeen, dart: Dart, why: str) -> Step:
    step = touched_while_settling(Step(match), dart.at_ms)
    beds = [str(bed) for bed in dart.beds]
    told = {"bed": beds[0], "beds": beds, "side": match.side.word}
    step = step.tell(why, **told) if why in QUIET else step.say(why, **told)
    return _reported(step, match, given, dart, why)


def touched_while_settling(step: Step, at: int) -> Step:
    """A contact during `settling` starts the wait anew: `settle_ms` counts from the last one."""
    until = step.match.settle_until
    if step.match.phase is not Phase.SETTLING or until is None:
        return step
    return step.with_(settle_until=max(until, at + step.match.game.settle_ms))


def _contact(given: BoardHit | DartSeen) -> dict[str, object]:
    return {"drive": given.drive, "sense": given.sense} if isinstance(given, BoardHit) else {}


def _reported(step: Step, before: Match, given: BoardHit | DartSeen, dart: Dart, why: str) -> Step:
    hit = given if isinstance(given, BoardHit) else None
    reading = Reading(
        at_ms=dart.at_ms,
        source=dart.source,
        bed=dart.beds[0] if dart.beds else None,
        beds=dart.beds,
        counted=not why,
        why=why,
        confidence=dart.confidence,
        x_mm=dart.x_mm,
        y_mm=dart.y_mm,
        drive=hit.drive if hit else None,
        sense=hit.sense if hit else None,
        match=before.id,
    )
    return replace(step, events=(reading, *step.events))


def on_knock(match: Match, given: KnockHeard) -> Step:
    """A knock without a contact: a bounce-out where a dart was awaited, else shown."""
    at = min(given.at_ms, given.t_ms)
    ruled = verdict(match.phase, What.KNOCK)
    if ruled is not Verdict.LOST or at < match.since_ms or open_dart(match):
        return touched_while_settling(Step(match), at).tell("knock", source=given.source, peak=given.peak)
    return lost_without_bed(match, "bounce_out", at)


def lost_without_bed(match: Match, code: str, at: int) -> Step:
    """A dart that is in no bed: bounced out, or declared lost."""
    if match.phase is Phase.DECIDING:
        return tossing.on_dart(match, Dart((MISS,), at, code))
    refused = why_no_throw(match)
    if refused:
        return Step(match).say(refused[0], side=match.side.word)
    return lose(match, code, None, Dart((), at, code), at)
