"""What an input means in each phase: the table of contract.md, and the phases themselves, as values.

- `Setup` and `Finished` have no game going on: darts are shown, and only putting right reaches into a finished game.
- `Deciding` gathers a dart each for White; every dart there counts at once, lost ones too.
- `Drawing` gathers the darts or dice that draw an opening (games 3): its column is that of `Deciding`.
- `ToMove` (`turn`) waits for the side to move. A dart counts only where the option `arming` is `auto`; otherwise it
  was not announced. The miss button asks, for nothing was announced that could be lost.
- `Throwing` waits for the announced dart, or for the one that the entered move `aim` needs: the next dart, knock or
  miss ends the turn. Another move may still be entered.
- `Settling` follows a counted or lost dart: `side` is already the opponent, who may move or announce, while the
  thrower takes the dart out. It ends by the ready button, by cameras that see the board empty, or at `until`.
- `Asking` holds the phase in which a question was asked. Only a dart in doubt holds the game up: column `in doubt`.
- `Paused` holds one of the phases above; clocks stand, and only putting right, resigning and the arbiter reach in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import ClassVar

from scharten.dartboard.beds import Bed
from scharten.game.basics import FieldName, Move, Reason, Result, Side
from scharten.match.codes import QuestionCode
from scharten.match.inputs import Dart


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
    """One answer to a question: the bed, and what it would do (`placed`, `hit` or a lost-dart code; on which field)."""

    bed: Bed
    effect: str
    field: FieldName | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What only a person can say, about whom, with the answers offered; the dart in doubt, and its sensor."""

    code: QuestionCode
    side: Side | None
    choices: tuple[Choice, ...] = ()
    dart: Dart | None = None
    sensor: str | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """No game was begun yet."""

    name: ClassVar[PhaseName] = PhaseName.SETUP


@dataclass(frozen=True, slots=True)
class Deciding:
    """Darts are thrown for White."""

    name: ClassVar[PhaseName] = PhaseName.DECIDING


@dataclass(frozen=True, slots=True)
class Drawing:
    """The opening is drawn with darts or dice."""

    name: ClassVar[PhaseName] = PhaseName.DRAWING


@dataclass(frozen=True, slots=True)
class ToMove:
    """The side to move is to act."""

    name: ClassVar[PhaseName] = PhaseName.TURN


@dataclass(frozen=True, slots=True)
class Throwing:
    """The next dart counts; `aim` is the entered move that it is thrown for, if a move needs one."""

    aim: Move | None = None
    name: ClassVar[PhaseName] = PhaseName.THROWING


@dataclass(frozen=True, slots=True)
class Settling:
    """The dart is taken out; `until` is the host's ms at which that is taken for done, or None."""

    until: int | None = None
    name: ClassVar[PhaseName] = PhaseName.SETTLING


@dataclass(frozen=True, slots=True)
class Finished:
    """The game is over."""

    result: Result
    reason: Reason
    name: ClassVar[PhaseName] = PhaseName.FINISHED


Bare = Setup | Deciding | Drawing | ToMove | Throwing | Settling | Finished
"""A phase in which nothing is asked and nothing stands still."""


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
    """The game stands still in another phase."""

    inner: Bare | Asking
    name: ClassVar[PhaseName] = PhaseName.PAUSED


Phase = Bare | Asking | Paused


def bare(phase: Phase) -> Bare:
    """The phase itself, without a pause and a question."""
    inner = phase.inner if isinstance(phase, Paused) else phase
    return inner.inner if isinstance(inner, Asking) else inner


def question_in(phase: Phase) -> Question | None:
    """The open question, also in a pause."""
    inner = phase.inner if isinstance(phase, Paused) else phase
    return inner.question if isinstance(inner, Asking) else None


def within(phase: Phase, inner: Bare) -> Phase:
    """The phase with another one inside: a pause stays a pause, a question stays open."""
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
    return Paused(bare(phase)) if isinstance(phase, Paused) else bare(phase)


class InputKind(Enum):
    """The rows of the table."""

    DART = "dart"
    DOUBT = "dart in doubt"
    KNOCK = "knock without contact"
    MISS = "miss button"
    READY = "ready button"
    UNDO = "undo button"
    CLEARED = "cameras see the board empty"
    ANNOUNCE = "announce_throw"
    CANCEL = "cancel_throw"
    MOVE = "move, claim_draw, advise"
    CHOOSE = "choose_bed"
    UNDOING = "correct, delete_dart, add_dart, take_back"
    DECIDE = "decide_white"
    DIE = "die"
    NEW_GAME = "new_game, practice, practice_dart"
    ABANDON = "new_game with abandon"
    TALK = "offer_draw, answer_draw, claim_flag, touch, let_go, adoube"
    RESIGN = "resign"
    PAUSE = "pause"
    RESUME = "resume"
    ARBITRATE = "set_clock, set_result, set_position"
    EXPLAIN = "explain"
    CONFIRM = "confirm"
    COMPUTER = "set_computer"
    VIRTUAL = "virtual_throw"


class Ruling(Enum):
    """The cells of the table: what is done with it."""

    IGNORED = "–"
    SHOWN = "shown"
    AS_ARMED = "counts in auto, else shown as not announced"
    COUNTS = "counts"
    TOSS = "counts towards who has White, or towards the opening"
    ASKED = "asked"
    LOST = "lost dart"
    ASK_LOST = "asked: lost dart?"
    ASK_UNDO = "asked: take back?"
    THROWING = "→ throwing"
    TURN = "→ turn"
    DONE = "done"
    REFUSED = "refused: wrong_phase"
    PAUSED = "refused: paused"
    WAITS = "a person must say first which bed it was"
    SAME = "as in the phase that asks"


IN_DOUBT = "in doubt"
"""The column of a dart that may count and waits for a person's word."""
COLUMNS: tuple[str, ...] = (*PhaseName, IN_DOUBT)

_SHOW = Ruling.SHOWN
_TOSS = Ruling.TOSS
_ARMED = Ruling.AS_ARMED
_COUNT = Ruling.COUNTS
_ASK = Ruling.ASKED
_LOST = Ruling.LOST
_ASK_L = Ruling.ASK_LOST
_ASK_U = Ruling.ASK_UNDO
_THROW = Ruling.THROWING
_TURN = Ruling.TURN
_OK = Ruling.DONE
_NO = Ruling.REFUSED
_HELD = Ruling.PAUSED
_NIL = Ruling.IGNORED
_WAIT = Ruling.WAITS
_SAME = Ruling.SAME

# fmt: off
_ROWS: dict[InputKind, tuple[Ruling, ...]] = {
    #                     setup    deciding drawing  turn     throwing settling paused   finished in doubt
    InputKind.DART:      (_SHOW,   _TOSS,   _TOSS,   _ARMED,  _COUNT,  _SHOW,   _SHOW,   _SHOW,   _WAIT),
    InputKind.DOUBT:     (_SHOW,   _ASK,    _ASK,    _ARMED,  _ASK,    _SHOW,   _SHOW,   _SHOW,   _WAIT),
    InputKind.KNOCK:     (_SHOW,   _LOST,   _LOST,   _SHOW,   _LOST,   _SHOW,   _SHOW,   _SHOW,   _SHOW),
    InputKind.MISS:      (_NIL,    _LOST,   _LOST,   _ASK_L,  _LOST,   _NIL,    _NIL,    _NIL,    _WAIT),
    InputKind.READY:     (_NIL,    _NIL,    _NIL,    _THROW,  _NIL,    _TURN,   _NIL,    _NIL,    _WAIT),
    InputKind.UNDO:      (_NIL,    _NIL,    _NIL,    _ASK_U,  _ASK_U,  _ASK_U,  _NIL,    _ASK_U,  _WAIT),
    InputKind.CLEARED:   (_NIL,    _NIL,    _NIL,    _NIL,    _NIL,    _TURN,   _NIL,    _NIL,    _NIL),
    InputKind.ANNOUNCE:  (_NO,     _NO,     _NO,     _THROW,  _NO,     _THROW,  _HELD,   _NO,     _WAIT),
    InputKind.CANCEL:    (_NO,     _NO,     _NO,     _NO,     _TURN,   _NO,     _HELD,   _NO,     _WAIT),
    InputKind.MOVE:      (_NO,     _NO,     _NO,     _OK,     _OK,     _OK,     _HELD,   _NO,     _WAIT),
    InputKind.CHOOSE:    (_NO,     _OK,     _OK,     _OK,     _OK,     _OK,     _HELD,   _OK,     _SAME),
    InputKind.UNDOING:   (_NO,     _OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _SAME),
    InputKind.DECIDE:    (_NO,     _OK,     _NO,     _NO,     _NO,     _NO,     _HELD,   _NO,     _SAME),
    InputKind.DIE:       (_NO,     _NO,     _OK,     _NO,     _NO,     _NO,     _HELD,   _NO,     _SAME),
    InputKind.NEW_GAME:  (_OK,     _NO,     _NO,     _NO,     _NO,     _NO,     _NO,     _OK,     _SAME),
    InputKind.ABANDON:   (_OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _SAME),
    InputKind.TALK:      (_NO,     _NO,     _NO,     _OK,     _OK,     _OK,     _HELD,   _NO,     _SAME),
    InputKind.RESIGN:    (_NO,     _NO,     _NO,     _OK,     _OK,     _OK,     _OK,     _NO,     _SAME),
    InputKind.PAUSE:     (_NO,     _OK,     _OK,     _OK,     _OK,     _OK,     _HELD,   _NO,     _SAME),
    InputKind.RESUME:    (_NO,     _NO,     _NO,     _NO,     _NO,     _NO,     _OK,     _NO,     _SAME),
    InputKind.ARBITRATE: (_NO,     _NO,     _NO,     _OK,     _OK,     _OK,     _OK,     _OK,     _SAME),
    InputKind.EXPLAIN:   (_OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _SAME),
    InputKind.CONFIRM:   (_OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _SAME),
    InputKind.COMPUTER:  (_NO,     _OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _OK,     _SAME),
    InputKind.VIRTUAL:   (_NO,     _OK,     _OK,     _NO,     _OK,     _NO,     _HELD,   _NO,     _WAIT),
}
# fmt: on

TABLE: dict[InputKind, dict[str, Ruling]] = {
    kind: dict(zip(COLUMNS, row, strict=True)) for kind, row in _ROWS.items()
}


def ruling(phase: Phase, kind: InputKind) -> Ruling:
    """The cell of the table."""
    row = TABLE[kind]
    if isinstance(phase, Asking) and phase.question.code is QuestionCode.WHICH_BED:
        found = row[IN_DOUBT]
        if found is not Ruling.SAME:
            return found
    return row[phase.name]


def dart_in_doubt(phase: Phase) -> bool:
    """Whether a dart that may count waits for a person's word, also in a pause."""
    question = question_in(phase)
    return question is not None and question.code is QuestionCode.WHICH_BED
