"""Every code that stands in a snapshot, an event or an answer, with what it means: what a page must have words for.

The words in the values are for readers of the contract; pages have their own, in Dutch and English.
"""

from __future__ import annotations

from collections.abc import Mapping

MESSAGES: Mapping[str, str] = {
    "setup": "no game was begun yet",
    "new_game": "a game has begun (kind)",
    "deciding": "a dart each for White; `seat` throws now",
    "deciding_again": "equally near: both throw again, `seat` first",
    "white_found": "`seat` has White (by: lot, dart, agreed)",
    "announced": "`side` throws: the next dart counts",
    "cancelled": "`side` does not throw after all",
    "board_ready": "the dart was taken out",
    "moved": "`side` played `move` (`text` in notation)",
    "placed": "`side` put `piece` on `field` with a dart in `bed`",
    "lost": "`side` lost a dart (`foul`, `bed`), the `fouls`th in a row; `move_forgotten`: it suits the other side",
    "finished": "the game is over (result, reason)",
    "resigned": "`side` resigned",
    "not_started": "a dart in `bed`, but no game has begun",
    "not_announced": "a dart in `bed` that was not announced",
    "move_forgotten": "a dart in `bed` that was not announced, after a dart: was a move forgotten?",
    "still_settling": "a contact while the last dart is taken out",
    "stale": "a dart in `bed` from before this turn, or from while the host was away; a person may add it",
    "game_over": "a dart after the end of the game",
    "no_pieces_left": "a dart, but `side` has no pieces left to throw",
    "silent_game": "a dart, but nothing is thrown in a silent game",
    "touched": "`side` touched `fields`, and must move or capture what binds",
    "adoube": "`side` said j'adoube",
    "question_open": "a person must answer the open question first",
    "knock": "a knock without a contact that does not count now",
    "button": "a button that means nothing now",
    "unknown_contact": "a contact (`drive`, `sense`) that the board's profile does not know",
    "which_bed": "the dart of `side` is in one of `beds`: a person decides",
    "ask_lost_dart": "was a dart of `side` lost?",
    "ask_take_back": "should the last turn, `text` by `side`, be taken back?",
    "nothing_to_take_back": "no turn was played yet",
    "dismissed": "the question was closed without effect",
    "taken_back": "`turns` turns were taken back; `side` is to move",
    "corrected": "the last dart was in `bed`, not in `was`",
    "deleted": "the last dart (`bed`) did not count",
    "added": "a dart in `bed` was added",
    "draw_offered": "`side` offers a draw",
    "draw_declined": "`side` declines the draw",
    "request": "`by` asks the other seat to confirm `type`",
    "request_lapsed": "nobody confirmed in time",
    "paused": "the game is paused",
    "resumed": "the game goes on",
    "restarted": "the host was away; the game is paused",
    "clock_set": "the arbiter set the clock",
    "position_set": "the arbiter set up a position; `side` is to move",
    "reopened": "the arbiter opened the finished game again",
    "hits_lost": "the board lost `count` events: darts may be missing",
    "contact_stuck": "a contact is stuck (`bed`)",
    "contact_free": "a stuck contact is free again (`bed`)",
    "source": "a source of darts changed its `state` (found, lost, silent, wrong_protocol)",
}
"""`message` of the snapshot and `code` of events."""

WHY_NOT_COUNTED: tuple[str, ...] = (
    "not_started",
    "not_announced",
    "move_forgotten",
    "still_settling",
    "paused",
    "stale",
    "game_over",
    "no_pieces_left",
    "silent_game",
    "touched",
    "question_open",
    "unknown_contact",
    "in_doubt",
)
"""`why` of a reading on `hits` that did not count."""

FOULS: Mapping[str, str] = {
    "outside_zone": "not in the thrower's zone",
    "occupied": "the field is occupied",
    "bull": "in a bull",
    "off_board": "outside the beds",
    "bounce_out": "it fell off again",
    "declared": "said to be lost",
    "missed_in_check": "thrown in check without ending it: the game is lost",
}
"""`foul` of a lost dart, and the `effect` of a choice that places nothing."""

REASONS: tuple[str, ...] = (
    "checkmate",
    "stalemate",
    "dead_position",
    "fogling",
    "missed_in_check",
    "resignation",
    "agreement",
    "repetition",
    "fifty_moves",
    "seventy_five_moves",
    "flag",
    "arbiter",
)
"""`reason` of a result."""

QUESTIONS: Mapping[str, str] = {
    "which_bed": "answer choose_bed with the bed, or null (it did not count)",
    "lost_dart": "answer choose_bed with MISS (lost), with a bed (it counts there), or null (no)",
    "take_back": "answer take_back with 1 turn (yes), or choose_bed with null (no)",
}
"""`code` of the open question, and how it is answered."""

WHY_REFUSED: Mapping[str, str] = {
    "role": "this role may never give such an order",
    "side": "`side` is missing, or not the one that this seat plays",
    "touched": "a touched piece binds: one of `moves`, and no throw",
    "question_open": "a dart is in doubt: say first which bed it is in",
    "silent_game": "nothing is thrown in a silent game",
    "no_pieces_left": "all pieces are placed",
    "wrong_claim": "what is claimed is not so (`played`: the stated move stands)",
    "no_offer": "no draw is offered",
    "own_offer": "the other side answers",
    "offered": "this draw is offered already",
    "touch_move_off": "this game is played without touch-move",
    "no_clock": "this game is played without a clock",
    "no_dart": "no dart was thrown",
    "turns_after": "take back `turns` turns first",
    "too_many": "only `turns` turns were played",
    "over": "the game is over on the board: take a turn back first",
    "no_question": "no question is open",
    "question": "this question is answered in another way",
    "no_request": "there is no such request, or it has lapsed",
    "white": "`agreed` says which seat has White",
    "seats": "the seats play different colours",
}
"""`args.why` of refusals that are not about a move; others name what is wrong with an option, a clock, a position."""
