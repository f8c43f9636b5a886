"""The word of all sensors on a dart that one of them gave at once: it stands, or is judged again.

An electronic board says at once where a dart is, cameras beside it a moment later. Where they agree the dart has their
millimetres from then on, and they see it being taken out; where not, its turn is taken back and a person is asked.
Where there was no dart at all its turn is taken back, and that is said.
"""

from __future__ import annotations

from dataclasses import replace

from scharten.dartboard.beds import SURE
from scharten.dartboard.profile import Contact
from scharten.game.basics import Pass
from scharten.match.codes import Message, WhyNotCounted
from scharten.match.darts import counted, on_no_dart, reported
from scharten.match.inputs import Dart, NoDart, Reading
from scharten.match.phases import Paused, Settling, Throwing, ToMove, dart_in_doubt
from scharten.match.state import Match, PlayedTurn, Step, changed
from scharten.match.undo import restored


def on_second_word(match: Match, given: Reading, dart: Dart, now: int) -> Step:
    """Judge the last dart again; one that is no longer the last turn, or stands in a pause, is only shown."""
    back = _last(match)
    if not back or not _same(match.turns[-back], given, dart.contact) or isinstance(match.phase, Paused):
        return reported(Step(match), match, given, dart, WhyNotCounted.SECOND_WORD)
    last = match.turns[-back]
    falls = dart.bounced and not match.options.bounce_counts
    if dart.confidence >= SURE and dart.beds[0][0] == last.bed and not falls:
        return reported(_confirmed(match, back, dart), match, given, dart, "")
    again = _thrown_again(match, back, now)
    beds = tuple(bed for bed, _ in dart.candidates)
    at_now = replace(given, at_ms=now, t_ms=now)  # the clock runs on from what it shows
    step = counted(again.match, at_now, dart, beds, dart.confidence < SURE)
    asked = dart_in_doubt(step.match.phase)
    settled = None if asked or falls else str(beds[0])
    step = step.note(Message.REVISED, was=str(last.bed), bed=settled, side=last.side.word)
    return reported(step, match, given, dart, "in_doubt" if asked else "")


def on_no_dart_after_all(match: Match, given: Reading, what: NoDart, now: int) -> Step:
    """Take back the turn of a contact with which no dart came, and say so: a person may enter one all the same."""
    back = _last(match)
    if not back or not _same(match.turns[-back], given, what.contact) or isinstance(match.phase, Paused):
        return on_no_dart(match, given, what.bed)
    last = match.turns[-back]
    step = _thrown_again(match, back, now)
    return step.show(Message.NO_DART_CAME, bed=str(last.bed), side=last.side.word)


def _last(match: Match) -> int:
    """How many turns back the last one is that was no pass; 0: there is none."""
    played = (n for n, turn in enumerate(reversed(match.turns), 1) if not isinstance(turn.action, Pass))
    return next(played, 0)


def _same(last: PlayedTurn, given: Reading, contact: Contact | None) -> bool:
    """Whether this turn is that of the dart which closed this contact."""
    known = last.dart
    return known is not None and known.contact == contact and last.at_ms == given.happened_ms


def _confirmed(match: Match, back: int, dart: Dart) -> Step:
    """The dart as all sensors know it; from now on cameras say when it is taken out."""
    first = len(match.turns) - back
    known = replace(match.turns[first], dart=dart)
    step = Step(changed(match, turns=(*match.turns[:first], known, *match.turns[first + 1 :])))
    waits = match.arming.auto and dart.watched and isinstance(match.phase, ToMove | Settling)
    return step.enter(Settling()) if waits else step


def _thrown_again(match: Match, back: int, now: int) -> Step:
    """The match as it was when the dart was thrown."""
    aim, step = match.turns[-back].aim, restored(match, back, now)
    return step if match.arming.auto and aim is None else step.enter(Throwing(aim))
