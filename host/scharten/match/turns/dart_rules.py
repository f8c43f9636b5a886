"""The rules of a dart: those of the game, of the darts for White, or of the draw of the opening."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from scharten.dartboard.beds import MISS, Bed
from scharten.errors import Problem
from scharten.game.basics import Foul
from scharten.match.codes import Message, QuestionCode, WhyRefused, not_allowed
from scharten.match.dart import Dart
from scharten.match.phase_table import Ruling
from scharten.match.phases import Asking, Choice, PhaseName, Question, innermost
from scharten.match.seats import drawing, tossing
from scharten.match.state import Match, Step
from scharten.match.turns import play
from scharten.match.white import Seat


class DartRules(Protocol):
    """The meaning of a dart in a phase in which darts count. Modules implement it."""

    def why_ignored(self, match: Match, ruled: Ruling) -> str:
        """Why a dart does not count now, "" if it does."""
        ...

    def choices(self, match: Match, beds: tuple[Bed, ...], dart: Dart) -> tuple[Choice, ...]:
        """The beds to ask about; none if the dart means the same in all of them."""
        ...

    def count(self, match: Match, bed: Bed, dart: Dart | None, now: int) -> Step | Problem:
        """Count a dart in this bed; `dart` is None when a person reported it."""
        ...


class EarlyRules(DartRules, Protocol):
    """The rules of darts before the game, where a lost dart counts as a miss."""

    def thrower(self, match: Match) -> Seat | None:
        """The seat that throws now; None while a question is open."""
        ...

    def correct(self, match: Match, bed: Bed, now: int) -> Step | Problem:
        """The last dart was in another bed."""
        ...

    def take_back(self, match: Match, darts: int, now: int) -> Step | Problem:
        """The last darts are thrown again."""
        ...


_EARLY: Final[Mapping[PhaseName, EarlyRules]] = {PhaseName.DECIDING: tossing, PhaseName.DRAWING: drawing}
_GAME: Final[DartRules] = play


def early_rules(match: Match) -> EarlyRules | None:
    """The rules for a dart thrown now, before the game; None in the game."""
    return _EARLY.get(match.stable_phase.name)


def dart_rules(match: Match) -> DartRules:
    """The rules for a dart thrown now."""
    return early_rules(match) or _GAME


def rules_of_last_dart(match: Match) -> EarlyRules | None:
    """The rules for putting the last dart right if it was thrown before the game, else None."""
    return tossing if tossing.is_last(match) else early_rules(match)


def lose_dart(match: Match, foul: Foul, dart: Dart | None, now: int) -> Step | Problem:
    """Count a dart that is in no bed: it bounced out or was declared lost."""
    early = early_rules(match)
    return play.lose_dart(match, foul, dart, now) if early is None else early.count(match, MISS, None, now)


def lose_or_show(match: Match, foul: Foul, now: int) -> Step:
    """Count a lost dart, or show why no dart may be thrown."""
    lost = lose_dart(match, foul, None, now)
    return lost if isinstance(lost, Step) else Step(match).show(lost.code, side=match.side.word)


def ask(match: Match, question: Question) -> Step:
    """Ask a person; while a dart is in doubt nothing counts until somebody answers."""
    step = Step(match).enter(Asking(question, innermost(match.phase)))
    side = None if question.side is None else question.side.word
    if question.code is QuestionCode.WHICH_BED:
        return step.show(Message.WHICH_BED, side=side, beds=[str(choice.bed) for choice in question.choices])
    if question.code is QuestionCode.LOST_DART:
        return step.show(Message.ASK_LOST_DART, side=side)
    return step.show(Message.ASK_TAKE_BACK, side=side, text=match.turns[-1].text)


def refuse_throw(refused: Problem) -> Problem:
    """The refusal of a command that needs a dart which may not be thrown."""
    named = refused.code != Message.NO_MOVE_NAMED
    return not_allowed(refused.code if named else WhyRefused.NAME_THE_MOVE, str(refused))
