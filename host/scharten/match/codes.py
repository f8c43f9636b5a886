"""Every code of the referee in messages, questions, readings and refusals, each with its meaning.

The meanings are for readers of the contract; pages have their own words, in Dutch, English and German.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from scharten.errors import Problem


class Code(StrEnum):
    """A code with its meaning; in JSON it is the code alone."""

    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> Self:
        """Make a member of value and meaning."""
        made = str.__new__(cls, value)
        made._value_ = value
        made.meaning = meaning
        return made


class Message(Code):
    """`message` of the snapshot and `code` of events."""

    SETUP = "setup", "no game was begun yet"
    NEW_GAME = "new_game", "a game has begun (kind)"
    DECIDING = "deciding", "a dart each for White; `seat` throws now"
    DECIDING_AGAIN = "deciding_again", "equally near: both throw again, `seat` first"
    WHITE_FOUND = "white_found", "`seat` has White (by: lot, dart, agreed)"
    DRAWING = "drawing", "the opening is drawn (by: darts, dice); `seat` throws now; `thrown` gave `field`"
    DRAWN = "drawn", "the opening is number `number` (by: lot, dice, darts)"
    ADVICE_ASKED = "advice_asked", "`side` asks where to aim; the answer comes on `advice`"
    PRACTICE = "practice", "a practice of this `exercise` begins, or (null) ends"
    ANNOUNCED = "announced", "`side` throws: the next dart counts"
    AIMED = "aimed", "`side` entered `move`, which needs a dart: the next one counts"
    CANCELLED = "cancelled", "`side` does not throw after all"
    BOARD_READY = "board_ready", "the dart was taken out"
    MOVED = "moved", "`side` played `move` (`text` in notation)"
    PLACED = "placed", "`side` put `piece` on `field` with a dart in `bed`"
    LOST = (
        "lost",
        "`side` lost a dart (`foul`, `bed`), the `fouls`th in a row; `move_forgotten`: it suits the other side",
    )
    PASSED = "passed", "`side` had nothing to move: the turn went over"
    FINISHED = "finished", "the game is over (result, reason)"
    RESIGNED = "resigned", "`side` resigned"
    NOT_STARTED = "not_started", "a dart in `bed`, but no game has begun"
    NOT_ANNOUNCED = "not_announced", "a dart in `bed` that was not announced"
    MOVE_FORGOTTEN = (
        "move_forgotten",
        "a dart in `bed` that was not announced, after a dart: was a move forgotten?",
    )
    STILL_SETTLING = "still_settling", "a contact while the last dart is taken out"
    STALE = (
        "stale",
        "a dart in `bed` from before this turn, or from while the host was away; a person may add it",
    )
    GAME_OVER = "game_over", "a dart after the end of the game"
    NO_PIECES_LEFT = "no_pieces_left", "a dart, but `side` has no pieces left to throw"
    SILENT_GAME = "silent_game", "a dart, but nothing is thrown in a silent game"
    NO_MOVE_NAMED = "no_move_named", "a dart in `bed`, but the move that it is for was not entered first"
    TOUCHED = "touched", "`side` touched `fields`, and must move or capture what binds"
    ADOUBE = "adoube", "`side` said j'adoube"
    QUESTION_OPEN = "question_open", "a person must answer the open question first"
    KNOCK = "knock", "a knock without a contact that does not count now"
    BUTTON = "button", "a button that means nothing now"
    UNKNOWN_CONTACT = "unknown_contact", "a contact (`drive`, `sense`) that the board's profile does not know"
    CONTACT_WITHOUT_DART = "contact_without_dart", "a contact (`bed`) that was no dart, as cameras saw"
    SECOND_WORD = "second_word", "the other sensors' word on a dart that was judged before"
    NO_DART_CAME = (
        "no_dart_came",
        "the contact of `bed` had counted for `side` and no dart came with it: taken back; a person may add one",
    )
    REVISED = (
        "revised",
        "all sensors together: the dart counted in `was` was in `bed` (null: asked, or it fell)",
    )
    WHICH_BED = "which_bed", "the dart of `side` is in one of `beds`: a person decides"
    ASK_LOST_DART = "ask_lost_dart", "was a dart of `side` lost?"
    ASK_TAKE_BACK = "ask_take_back", "should the last turn, `text` by `side`, be taken back?"
    NOTHING_TO_TAKE_BACK = "nothing_to_take_back", "no turn was played yet"
    DISMISSED = "dismissed", "the question was closed without effect"
    TAKEN_BACK = "taken_back", "`turns` turns were taken back; `side` is to move"
    CORRECTED = "corrected", "the last dart was in `bed`, not in `was`"
    DELETED = "deleted", "the last dart (`bed`) did not count"
    ADDED = "added", "a dart in `bed` was added"
    DRAW_OFFERED = "draw_offered", "`side` offers a draw"
    DRAW_DECLINED = "draw_declined", "`side` declines the draw"
    REQUEST = "request", "`by` asks the other seat to confirm `type`"
    REQUEST_LAPSED = "request_lapsed", "nobody confirmed in time"
    REQUEST_DECLINED = "request_declined", "the other seat declined the request of `by`"
    PAUSED = "paused", "the game is paused"
    RESUMED = "resumed", "the game goes on"
    RESTARTED = "restarted", "the host was away; the game is paused"
    OTHER_BOARD = (
        "other_board",
        "a dart in `bed` at the board of the player who waits (`place`: null is this board)",
    )
    LINK_LOST = "link_lost", "the line to the board of `seat` broke: the game is paused and clocks stand"
    LINK_BACK = "link_back", "the line to the board of `seat` is back; the game is still paused"
    THROWN_MEANWHILE = (
        "thrown_meanwhile",
        "a dart of `by` in `bed` while the game was paused: it counts if both agree",
    )
    CLOCK_SET = "clock_set", "the arbiter set the clock"
    POSITION_SET = "position_set", "the arbiter set up a position; `side` is to move"
    REOPENED = "reopened", "the arbiter opened the finished game again"
    HITS_LOST = "hits_lost", "the board lost `count` events: darts may be missing"
    CONTACT_STUCK = "contact_stuck", "a contact is stuck (`bed`)"
    CONTACT_FREE = "contact_free", "a stuck contact is free again (`bed`)"
    SOURCE = "source", "a source of darts changed its `state` (found, lost, silent, wrong_protocol)"
    COMPUTER = "computer", "the computer plays `seat` at `level`; null: a person does"
    JOURNAL_FAILED = "journal_failed", "the disk refuses: play stands still until it stores again"
    INTERNAL_ERROR = (
        "internal_error",
        "a fault in the program: a dart in `bed` was not judged; add it if it counts",
    )


class WhyNotCounted(Code):
    """`why` of a reading on `hits` that did not count."""

    NOT_STARTED = "not_started", "no game has begun"
    NOT_ANNOUNCED = "not_announced", "no throw was announced"
    MOVE_FORGOTTEN = "move_forgotten", "the other side is to move"
    STILL_SETTLING = "still_settling", "the last dart is being taken out"
    PAUSED = "paused", "the game is paused"
    STALE = "stale", "it is from before this turn, or from while the host was away"
    GAME_OVER = "game_over", "the game is over"
    NO_PIECES_LEFT = "no_pieces_left", "nothing is left to throw"
    SILENT_GAME = "silent_game", "nothing is thrown in a silent game"
    NO_MOVE_NAMED = "no_move_named", "the move that needs a dart was not entered first"
    TOUCHED = "touched", "a touched piece must move first"
    QUESTION_OPEN = "question_open", "a question must be answered first"
    UNKNOWN_CONTACT = "unknown_contact", "no bed belongs to the contact"
    SECOND_WORD = "second_word", "the other sensors' word on a dart that was judged before"
    IN_DOUBT = "in_doubt", "a person must say in which bed it is"
    OTHER_BOARD = "other_board", "it is in the board of the player who waits"
    INTERNAL_ERROR = "internal_error", "a fault in the program kept it from being judged"


class QuestionCode(Code):
    """`code` of the open question, and how it is answered."""

    WHICH_BED = "which_bed", "answer choose_bed with the bed, or null (it did not count)"
    LOST_DART = "lost_dart", "answer choose_bed with MISS (lost), with a bed (it counts there), or null (no)"
    TAKE_BACK = "take_back", "answer take_back with 1 turn (yes), or choose_bed with null (no)"


class RefusalCode(Code):
    """`code` of an answer that is not accepted."""

    STALE = "stale", "`seq` or `match` is no longer the present one"
    NOT_YOUR_TURN = "not_your_turn", "the other side is to move"
    NOT_ALLOWED = "not_allowed", "who asks may not, or what is claimed is not so (`why`)"
    ILLEGAL = "illegal", "the rules of the game forbid it (`why`)"
    WRONG_PHASE = "wrong_phase", "not in this phase"
    MALFORMED = "malformed", "it cannot be read, or a field is wrong"
    TOO_LARGE = "too_large", "it is longer than any command"
    UNKNOWN_TYPE = "unknown_type", "no command has this type"
    NO_SUCH_MATCH = "no_such_match", "another game is played"
    PAUSED = "paused", "the game is paused"
    INTERNAL_ERROR = (
        "internal_error",
        "a fault in the program: nothing has changed, the log says what happened",
    )


class WhyRefused(Code):
    """`args.why` of refusals that are not about a move; others name what is wrong with an option or a position."""

    ROLE = "role", "this role may never give such an order"
    NO_PRACTICE = "no_practice", "nothing is being practised"
    RATED = "rated", "a rated game has no advice"
    SIDE = "side", "`side` is missing, or not the one that this seat plays"
    TOUCHED = "touched", "a touched piece binds: one of `moves`, and no throw"
    QUESTION_OPEN = "question_open", "a dart is in doubt: say first which bed it is in"
    SILENT_GAME = "silent_game", "nothing is thrown in a silent game"
    NO_PIECES_LEFT = "no_pieces_left", "all pieces are placed"
    NAME_THE_MOVE = "name_the_move", "a dart is thrown for a move: enter that first"
    WRONG_CLAIM = "wrong_claim", "what is claimed is not so (`played`: the stated move stands)"
    NO_OFFER = "no_offer", "no draw is offered"
    OTHER_THROWS = "other_throws", "the dart that is due is the other seat's"
    OWN_OFFER = "own_offer", "the other side answers"
    OFFERED = "offered", "this draw is offered already"
    TOUCH_MOVE_OFF = "touch_move_off", "this game is played without touch-move"
    NO_CLOCK = "no_clock", "this game is played without a clock"
    NO_DART = "no_dart", "no dart was thrown"
    TURNS_AFTER = "turns_after", "take back `turns` turns first"
    TOO_MANY = "too_many", "only `turns` turns were played"
    DART_FOR_WHITE = "dart_for_white", "the dart that decided who has White is still in the board: correct it"
    OVER = "over", "the last turn ended the game: take it back first"
    NO_QUESTION = "no_question", "no question is open"
    QUESTION = "question", "this question is answered in another way"
    NO_REQUEST = "no_request", "there is no such request, or it has lapsed"
    WHITE = "white", "`agreed` says which seat has White"
    SEATS = "seats", "the seats play different colours"
    UNKNOWN_GAME = "unknown_game", "there is no such `game`"
    NO_DICE = "no_dice", "this opening is not drawn with dice"
    NO_DARTS = "no_darts", "this opening is not drawn with darts"
    DRAWN = "drawn", "the opening is drawn: only a new game draws again"
    NO_COMPUTER = "no_computer", "the computer does not play this seat"
    ENGINE_ALONE = "engine_alone", "an engine needs the `level` of the hand that throws for it"
    ENGINE_GAME = "engine_game", "no chess engine plays this game"
    NO_SUCH_ENGINE = "no_such_engine", "this board does not have `engine`; `known` lists those it has"
    STAND_IN_ALONE = "stand_in_alone", "a stand-in needs the `level` of its head, and plays without an engine"
    STAND_IN_SEATED = "stand_in_seated", "the game would count for the registered player of this seat"
    UNKNOWN_OPTION = "unknown_option", "this game has no such `option`"


class ComputerFault(Code):
    """`code` in `health.computers`: what a computer does that no honest one does, or that keeps it from playing."""

    ENDS = "ends", "it ended three times within a minute or a turn and is not started again"
    HANGS = "hangs", "it did nothing for a minute in its turn, twice, and is not started again"
    ENGINE = "engine", "its engine cannot be started, ended, or gave no move, three times within a minute"
    STAND_IN = "stand_in", "the player as whom it plays has not agreed to it, or has left the register"
    ILLEGAL = "illegal", "it wanted what the rules of the game forbid"
    OUT_OF_TURN = "out_of_turn", "it moved or threw while the other side was to"
    FOREIGN_TOPIC = "foreign_topic", "it wrote on a topic that is not its own"


def not_allowed(why: str, words: str, **args: object) -> Problem:
    """Refuse what this player may do in general, but not now; `why` is one of `WhyRefused`."""
    return Problem(RefusalCode.NOT_ALLOWED, words, {"why": why, **args})
