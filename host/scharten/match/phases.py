"""The phases of a match as values, and how arming and settling lead from one to the next.

- `Setup` and `Finished`: no game is on. Darts are only shown; only corrections reach into a finished game.
- `Deciding` collects a dart from each seat to decide who has White; every dart counts, lost ones too.
- `Drawing` collects the darts or dice that draw an opening (games 3).
- `ToMove` (`turn`) waits for the side to move. A dart counts only if the option `arming` is `auto`; otherwise it was
  not announced. The miss button asks, because no dart was announced that could be lost.
- `Throwing` waits for the announced dart, or for the dart that the entered move `aim` needs. The next dart, knock or
  miss ends the turn. The player may still enter another move.
- `Settling` follows a counted or lost dart: `side` is already the opponent, who may move or announce, while the
  thrower takes the dart out. It ends with the ready button, when cameras see the board empty, or at `until`.
- `Asking` holds the phase in which a question was asked. Only a dart in doubt blocks the game: column `in doubt`.
- `Paused` holds one of the phases above; clocks stand, and only corrections, resigning and the arbiter reach in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from scharten.dartboard.beds import Bed
from scharten.game.basics import FieldName, Move, Reason, Result, Side
from scharten.match.codes import QuestionCode
from scharten.match.dart import Dart

MOST_CHOICES = 6
"""How many beds a question offers at most."""


class PhaseName(StrEnum):
    """The contract's names of the phases."""

    SETUP = "setup"
    DECIDING = "deciding"
    DRAWING = "drawing"
    TURN = "turn"
    THROWING = "throwing"
    SETTLING = "settling"
    PAUSED = "paused"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer to a question: the bed, and its effect (`placed`, `hit` or a lost-dart code; on which field)."""

    bed: Bed
    effect: str
    field: FieldName | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question that only a person can answer, about a side, with its choices; the dart in doubt and its sensor."""

    code: QuestionCode
    side: Side | None
    choices: tuple[Choice, ...] = ()
    dart: Dart | None = None
    sensor: str | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """No game has begun yet."""

    name: ClassVar[PhaseName] = PhaseName.SETUP


@dataclass(frozen=True, slots=True)
class Deciding:
    """Darts decide who has White."""

    name: ClassVar[PhaseName] = PhaseName.DECIDING


@dataclass(frozen=True, slots=True)
class Drawing:
    """Darts or dice draw the opening."""

    name: ClassVar[PhaseName] = PhaseName.DRAWING


@dataclass(frozen=True, slots=True)
class ToMove:
    """The side to move is to act; `emptied`: the phase began when somebody had taken the dart out."""

    emptied: bool = False

    name: ClassVar[PhaseName] = PhaseName.TURN


@dataclass(frozen=True, slots=True)
class Throwing:
    """The next dart counts; `aim` is the entered move that needs it, if any."""

    aim: Move | None = None
    name: ClassVar[PhaseName] = PhaseName.THROWING


@dataclass(frozen=True, slots=True)
class Settling:
    """The thrower takes the dart out; `until` is the host's ms at which settling ends by itself, or None."""

    until: int | None = None
    name: ClassVar[PhaseName] = PhaseName.SETTLING


@dataclass(frozen=True, slots=True)
class Finished:
    """The game is over."""

    result: Result
    reason: Reason
    name: ClassVar[PhaseName] = PhaseName.FINISHED


Bare = Setup | Deciding | Drawing | ToMove | Throwing | Settling | Finished
"""A phase without a pause or a question around it."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A question is open; a display shows it in the phase in which it was asked."""

    question: Question
    inner: Bare

    @property
    def name(self) -> PhaseName:
        """The name of the phase in which it was asked."""
        return self.inner.name


@dataclass(frozen=True, slots=True)
class Paused:
    """The game is paused in another phase."""

    inner: Bare | Asking
    name: ClassVar[PhaseName] = PhaseName.PAUSED


Phase = Bare | Asking | Paused


def innermost(phase: Phase) -> Bare:
    """The phase without a pause and a question."""
    inner = phase.inner if isinstance(phase, Paused) else phase
    return inner.inner if isinstance(inner, Asking) else inner


def question_in(phase: Phase) -> Question | None:
    """The open question, also in a pause."""
    inner = phase.inner if isinstance(phase, Paused) else phase
    return inner.question if isinstance(inner, Asking) else None


def within(phase: Phase, inner: Bare) -> Phase:
    """The phase around another inner phase: a pause stays a pause, a question stays open."""
    match phase:
        case Paused(Asking(question, _)):
            return Paused(Asking(question, inner))
        case Paused():
            return Paused(inner)
        case Asking(question, _):
            return Asking(question, inner)
        case _:
            return inner


def without_question(phase: Phase) -> Phase:
    """The phase with no question open."""
    return Paused(innermost(phase)) if isinstance(phase, Paused) else innermost(phase)


def dart_in_doubt(phase: Phase) -> bool:
    """Whether a dart waits for a person to name its bed, also in a pause."""
    question = question_in(phase)
    return question is not None and question.code is QuestionCode.WHICH_BED


@dataclass(frozen=True, slots=True)
class Arming:
    """The options `arming` and `settle_ms`: which darts count, and how long the thrower may take one out (contract).

    `announce`: a dart counts if it was announced; settling lasts until the ready button, or until cameras see the
    board empty. `auto`: every dart counts; a contact board waits `settle_ms` after the last contact.
    """

    auto: bool
    settle_ms: int

    def after_dart(self, now: int, *, watched: bool = False) -> ToMove | Settling:
        """The phase after a dart that ended a turn; `watched` by cameras, which also see somebody take it out."""
        if not self.auto or watched:
            return Settling()
        return Settling(now + self.settle_ms) if self.settle_ms else ToMove()

    def after_move(self, phase: Phase) -> ToMove | Settling:
        """The phase after a move; in `auto` the previous dart may still be in the board and keeps its time."""
        inner = innermost(phase)
        return inner if self.auto and isinstance(inner, Settling) else ToMove()

    def after_correction(self, before: Phase, now: int) -> ToMove | Settling:
        """The phase after a correction: the dart may still be in the board, and taking it out must not count."""
        match innermost(before):
            case Settling(until):
                return Settling(None if until is None else now + self.settle_ms)
            case Finished() if self.auto and self.settle_ms:
                return Settling(now + self.settle_ms)
            case _:
                return ToMove()

    def after_contact(self, phase: Phase, now: int) -> Phase:
        """The phase after a contact: in settling the wait starts again."""
        match innermost(phase):
            case Settling(int() as until):
                return within(phase, Settling(max(until, now + self.settle_ms)))
            case _:
                return phase

    def after_pause(self, phase: Phase, now: int) -> Phase:
        """The phase that goes on after a pause."""
        if not isinstance(innermost(phase), Settling):
            return phase
        return within(phase, Settling(now + self.settle_ms if self.auto else None))

    def limit_wait(self, phase: Phase, now: int) -> Phase:
        """The phase after the host's clock was set back: settling never waits longer than `settle_ms`."""
        match innermost(phase):
            case Settling(int() as until) if until > now + self.settle_ms:
                return within(phase, Settling(now + self.settle_ms))
            case _:
                return phase
