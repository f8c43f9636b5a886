"""What an input means in each phase: the table of contract.md, the only place where a phase is asked for.

The rules behind the table:

- `setup` and `finished` have no game going on: darts are shown, and only undoing reaches into a finished game.
- `deciding` gathers a dart each for White; every dart there counts at once, lost ones too.
- `turn` waits for the side to move. A dart counts only where the option `arming` is `auto`; otherwise it was not
  announced. The miss button asks, for nothing was announced that could be lost.
- `throwing` waits for the announced dart: the next dart, knock or miss ends the turn. A move may still be played.
- `settling` follows a counted or lost dart: `side` is already the opponent, who may move or announce, while the
  thrower takes the dart out. It ends by the ready button, by cameras that see the board empty, or (in `auto`)
  `settle_ms` after the last contact.
- `paused` holds one of the phases above; clocks stand, and only putting right, resigning and the arbiter reach in.

Undoing (`correct`, `delete_dart`, `add_dart`, `take_back`) works wherever there is something to undo.
"""

from __future__ import annotations

from enum import Enum, StrEnum


class Phase(StrEnum):
    """Where a match is."""

    SETUP = "setup"
    DECIDING = "deciding"
    TURN = "turn"
    THROWING = "throwing"
    SETTLING = "settling"
    PAUSED = "paused"
    FINISHED = "finished"


class What(Enum):
    """The rows of the table: kinds of inputs."""

    DART = "dart"
    DOUBT = "dart in doubt"
    KNOCK = "knock without contact"
    MISS = "miss button"
    READY = "ready button"
    UNDO = "undo button"
    EMPTY = "cameras see the board empty"
    ANNOUNCE = "announce_throw"
    CANCEL = "cancel_throw"
    MOVE = "move"
    CHOOSE = "choose_bed"
    UNDOING = "correct, delete_dart, add_dart, take_back"
    DECIDE = "decide_white"
    NEW_GAME = "new_game"
    ABANDON = "new_game with abandon"
    TALK = "offer_draw, answer_draw, claim_draw, claim_flag, touch, adoube"
    RESIGN = "resign"
    PAUSE = "pause"
    RESUME = "resume"
    ARBITRATE = "set_clock, set_result, set_position"
    EXPLAIN = "explain"
    CONFIRM = "confirm"


class Verdict(Enum):
    """The cells of the table: what is done with it."""

    IGNORED = "–"
    SHOWN = "shown"
    AS_ARMED = "counts in auto, else shown as not announced"
    COUNTS = "counts"
    TOSS = "counts towards who has White"
    ASKED = "asked"
    LOST = "lost dart"
    ASK_LOST = "asked: lost dart?"
    ASK_UNDO = "asked: take back?"
    THROWING = "→ throwing"
    TURN = "→ turn"
    DONE = "done"
    REFUSED = "refused: wrong_phase"
    PAUSED = "refused: paused"


PHASES: tuple[Phase, ...] = tuple(Phase)

_SHOW = Verdict.SHOWN
_TOSS = Verdict.TOSS
_ARMED = Verdict.AS_ARMED
_COUNT = Verdict.COUNTS
_ASK = Verdict.ASKED
_LOST = Verdict.LOST
_ASK_L = Verdict.ASK_LOST
_ASK_U = Verdict.ASK_UNDO
_THROW = Verdict.THROWING
_TURN = Verdict.TURN
_OK = Verdict.DONE
_NO = Verdict.REFUSED
_HELD = Verdict.PAUSED
_NIL = Verdict.IGNORED

# fmt: off
_ROWS: dict[What, tuple[Verdict, ...]] = {
    #                  setup     deciding  turn      throwing  settling  paused    finished
    What.DART:       (_SHOW,    _TOSS,    _ARMED,   _COUNT,   _SHOW,    _SHOW,    _SHOW),
    What.DOUBT:      (_SHOW,    _ASK,     _ARMED,   _ASK,     _SHOW,    _SHOW,    _SHOW),
    What.KNOCK:      (_SHOW,    _LOST,    _SHOW,    _LOST,    _SHOW,    _SHOW,    _SHOW),
    What.MISS:       (_NIL,     _LOST,    _ASK_L,   _LOST,    _NIL,     _NIL,     _NIL),
    What.READY:      (_NIL,     _NIL,     _THROW,   _NIL,     _TURN,    _NIL,     _NIL),
    What.UNDO:       (_NIL,     _NIL,     _ASK_U,   _ASK_U,   _ASK_U,   _NIL,     _ASK_U),
    What.EMPTY:      (_NIL,     _NIL,     _NIL,     _NIL,     _TURN,    _NIL,     _NIL),
    What.ANNOUNCE:   (_NO,      _NO,      _THROW,   _NO,      _THROW,   _HELD,    _NO),
    What.CANCEL:     (_NO,      _NO,      _NO,      _TURN,    _NO,      _HELD,    _NO),
    What.MOVE:       (_NO,      _NO,      _OK,      _OK,      _OK,      _HELD,    _NO),
    What.CHOOSE:     (_NO,      _OK,      _OK,      _OK,      _OK,      _HELD,    _OK),
    What.UNDOING:    (_NO,      _OK,      _OK,      _OK,      _OK,      _OK,      _OK),
    What.DECIDE:     (_NO,      _OK,      _NO,      _NO,      _NO,      _HELD,    _NO),
    What.NEW_GAME:   (_OK,      _NO,      _NO,      _NO,      _NO,      _NO,      _OK),
    What.ABANDON:    (_OK,      _OK,      _OK,      _OK,      _OK,      _OK,      _OK),
    What.TALK:       (_NO,      _NO,      _OK,      _OK,      _OK,      _HELD,    _NO),
    What.RESIGN:     (_NO,      _NO,      _OK,      _OK,      _OK,      _OK,      _NO),
    What.PAUSE:      (_NO,      _OK,      _OK,      _OK,      _OK,      _HELD,    _NO),
    What.RESUME:     (_NO,      _NO,      _NO,      _NO,      _NO,      _OK,      _NO),
    What.ARBITRATE:  (_NO,      _NO,      _OK,      _OK,      _OK,      _OK,      _OK),
    What.EXPLAIN:    (_OK,      _OK,      _OK,      _OK,      _OK,      _OK,      _OK),
    What.CONFIRM:    (_OK,      _OK,      _OK,      _OK,      _OK,      _OK,      _OK),
}
# fmt: on

TABLE: dict[What, dict[Phase, Verdict]] = {
    what: dict(zip(PHASES, row, strict=True)) for what, row in _ROWS.items()
}


def verdict(phase: Phase, what: What) -> Verdict:
    """The cell of the table."""
    return TABLE[what][phase]
