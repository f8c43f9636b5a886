"""The table of contract.md: the referee's answer to each kind of input in each phase."""

from __future__ import annotations

from enum import Enum

from scharten.match.codes import QuestionCode
from scharten.match.phases import Asking, Phase, PhaseName


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
    """The cells of the table."""

    IGNORED = "–"
    SHOWN = "shown"
    AS_ARMED = "counts in auto, else shown as not announced"
    COUNTS = "counts"
    TOSS = "counts towards who has White, or towards the opening"
    ASKED = "asked"
    LOST = "lost dart"
    ASK_LOST = "asked: lost dart?"
    KNOCKED = "asked in auto: lost dart? Else shown"
    ASK_UNDO = "asked: take back?"
    THROWING = "→ throwing"
    TURN = "→ turn"
    DONE = "done"
    REFUSED = "refused: wrong_phase"
    PAUSED = "refused: paused"
    WAITS = "a person must say first which bed it was"
    SAME = "as in the phase that asks"


IN_DOUBT = "in doubt"
"""The column for a dart that may count, while an earlier one waits for its bed."""
COLUMNS: tuple[str, ...] = (*PhaseName, IN_DOUBT)

_SHOW = Ruling.SHOWN
_TOSS = Ruling.TOSS
_ARMED = Ruling.AS_ARMED
_COUNT = Ruling.COUNTS
_ASK = Ruling.ASKED
_LOST = Ruling.LOST
_ASK_L = Ruling.ASK_LOST
_ASK_U = Ruling.ASK_UNDO
_KNOCK = Ruling.KNOCKED
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
    InputKind.KNOCK:     (_SHOW,   _LOST,   _LOST,   _KNOCK,  _LOST,   _SHOW,   _SHOW,   _SHOW,   _SHOW),
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
