"""All sensors' judgement of a dart that one of them reported before: it confirms the dart, or the dart is judged again.

An electronic board reports a dart at once; cameras beside it follow a moment later. If they agree, the dart gets their
millimetres, and they see it being taken out. If not, its turn is taken back and the dart judged again, if need be by a
question. Where there was no dart at all, its turn is taken back and the display reports it.
"""

from __future__ import annotations

from dataclasses import replace

from scharten.dartboard.beds import SURE
from scharten.dartboard.profile import Contact
from scharten.game.basics import Pass
from scharten.match.codes import Message, WhyNotCounted
from scharten.match.dart import Dart
from scharten.match.inputs import NoDart, Reading
from scharten.match.phases import Paused, Settling, Throwing, ToMove, dart_in_doubt
from scharten.match.state import Match, Step, changed
from scharten.match.turns.darts import count_or_ask, on_no_dart, report
from scharten.match.turns.undo import restored


def on_revision(match: Match, reading: Reading, dart: Dart, now: int) -> Step:
    """Confirm the last dart or judge it again; during a pause, or if it is not the last turn, only show it."""
    back = _turns_back(match, reading, dart.contact)
    if not back:
        return report(Step(match), match, reading, dart, WhyNotCounted.SECOND_WORD)
    last = match.turns[-back]
    fell = dart.bounced and not match.options.bounce_counts
    if dart.confidence >= SURE and dart.beds[0][0] == last.bed and not fell:
        return report(_confirm(match, back, dart), match, reading, dart, "")
    step = count_or_ask(
        _match_before(match, back, now).match, reading, dart, now
    )  # the clock runs on from now
    asked = dart_in_doubt(step.match.phase)
    bed = None if asked or fell else str(dart.beds[0][0])
    step = step.note(Message.REVISED, was=str(last.bed), bed=bed, side=last.side.word)
    return report(step, match, reading, dart, "in_doubt" if asked else "")


def on_no_dart_revision(match: Match, reading: Reading, what: NoDart, now: int) -> Step:
    """Take back the turn of a contact without a dart, and report it: a person may still add a dart."""
    back = _turns_back(match, reading, what.contact)
    if not back:
        return on_no_dart(match, reading, what.bed)
    last = match.turns[-back]
    return _match_before(match, back, now).show(Message.NO_DART_CAME, bed=str(last.bed), side=last.side.word)


def _turns_back(match: Match, reading: Reading, contact: Contact | None) -> int:
    """How many turns back the revised dart is: it must be the last turn except for passes. 0: it cannot be revised."""
    played = (n for n, turn in enumerate(reversed(match.turns), 1) if not isinstance(turn.action, Pass))
    back = next(played, 0)
    if not back or isinstance(match.phase, Paused):
        return 0
    last = match.turns[-back]
    known = last.dart is not None and last.dart.contact == contact and last.at_ms == reading.happened_ms
    return back if known else 0


def _confirm(match: Match, back: int, dart: Dart) -> Step:
    """Store the dart as all sensors know it; from now on cameras report when it is taken out."""
    first = len(match.turns) - back
    known = replace(match.turns[first], dart=dart)
    step = Step(changed(match, turns=(*match.turns[:first], known, *match.turns[first + 1 :])))
    waits = match.arming.auto and dart.watched and isinstance(match.phase, ToMove | Settling)
    return step.enter(Settling()) if waits else step


def _match_before(match: Match, back: int, now: int) -> Step:
    """The match as it was when the dart was thrown."""
    aim, step = match.turns[-back].aim, restored(match, back, now)
    return step if match.arming.auto and aim is None else step.enter(Throwing(aim))
