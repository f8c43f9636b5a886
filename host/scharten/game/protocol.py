"""The protocol of a game. A position is the game's own value: the referee only hands it back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from scharten.dartboard.beds import Bed
from scharten.errors import Problem
from scharten.game.basics import Action, End, FieldName, Json, Move, Reason, Side
from scharten.game.options import GameOptions

P = TypeVar("P")
P_contra = TypeVar("P_contra", contravariant=True)
P_co = TypeVar("P_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Layout:
    """The board to draw: `form` is `schartbord` or `grid`; a grid has `files` (its letters) and `rows`."""

    form: str
    fields: tuple[FieldName, ...]
    files: str = ""
    rows: int = 0
    chequered: bool = False


@dataclass(frozen=True, slots=True)
class Man:
    """A man on a field: the side, and the capital English letter of its kind (`K` is the king in every game)."""

    side: Side
    letter: str


@dataclass(frozen=True, slots=True)
class Situation:
    """A position with all that a step needs of it, computed once.

    `key` is equal for positions that count as the same for repetition. `needs_dart` has the moves that a dart must
    confirm, `check` the fields of kings in check. `end` is what the board alone decides, `claims` the draws that may
    be claimed now besides repetition, `forced` an action without a choice, such as a pass.
    """

    text: str
    side: Side
    number: int
    key: str
    moves: tuple[str, ...]
    drops: tuple[FieldName, ...] = ()
    needs_dart: frozenset[str] = frozenset()
    check: tuple[FieldName, ...] = ()
    end: End | None = None
    claims: tuple[Reason, ...] = ()
    forced: Action | None = None


@dataclass(frozen=True, slots=True)
class Played(Generic[P]):
    """The position after an action, and what the position alone does not show.

    `end`: the action itself lost or won the game. `details` go into its event, in JSON: `piece`, the letter of the
    placed piece; `fouls`, the number of lost darts in a row; `gone`, a tile.
    """

    position: P
    end: End | None = None
    details: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Involved:
    """The other things a legal move touches: a captured man, a castling rook, a tile that goes."""

    captured: FieldName | None = None
    rook: FieldName | None = None
    gone: FieldName | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a move is or is not legal: `code` is None for a legal move; `args` fit into JSON."""

    legal: bool
    code: str | None
    args: Json


@dataclass(frozen=True, slots=True)
class WrittenTurn:
    """One turn of a score sheet, and whether the player offered a draw with it."""

    action: Action
    draw_offer: bool = False


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of a dart in a bed: `placed`, `hit` or a foul's code, the field, and the action."""

    bed: Bed
    code: str
    field: FieldName | None
    action: Action


@dataclass(frozen=True, slots=True)
class Aim:
    """The dart that an entered move waits for: the field, its colour, and the beds that hit it."""

    move: str
    field: FieldName
    colour: str
    beds: tuple[str, ...]


class Throws(Protocol[P_contra]):
    """The darts of a game."""

    def refusal(self, position: P_contra, options: GameOptions, aim: Move | None = None) -> Problem | None:
        """Return why no dart of the side to move is due, or None; `aim` is the move that was entered first, if any."""
        ...

    def effect(
        self,
        position: P_contra,
        options: GameOptions,
        bed: Bed,
        white_sits_at: int,
        *,
        aim: Move | None = None,
        side: Side | None = None,
    ) -> Effect:
        """Return the effect of a dart of `side` (by default the side to move) in this bed."""
        ...

    def aim(self, position: P_contra, options: GameOptions, move: Move) -> Aim | None:
        """Return what a dart for this legal move must hit; None where no move needs a dart."""
        ...


@dataclass(frozen=True, slots=True)
class Drawn:
    """The progress of the draw of an opening.

    `waits_for` is `darts`, `dice`, or empty at the end; `to_throw` is 0 for seat 1 and 1 for seat 2. `thrown` counts
    dice or darts. `text` has everything in one line, for digests; `shown` is what everybody may see.
    """

    waits_for: str
    to_throw: int
    thrown: int
    text: str
    shown: Json


class Draws(Protocol[P_co]):
    """The draw of a game's opening (games 3). A draw is the game's own value: the referee only hands it back."""

    def begin(self, options: GameOptions, match: str, seed: str) -> Any | None:
        """Begin the draw that these options choose, complete for a lot; None without a draw."""
        ...

    def dart(self, draw: Any, bed: Bed) -> Any | Problem:
        """Count a dart; a dart without a number is repeated."""
        ...

    def die(self, draw: Any, value: int) -> Any | Problem:
        """Count a die, 1 to 6."""
        ...

    def correct(self, draw: Any, bed: Bed) -> Any | Problem:
        """Correct the bed of the last dart."""
        ...

    def next_round(self, draw: Any) -> Any | Problem:
        """Begin the next round, because a dart was taken back."""
        ...

    def answer(self, throws: str, flags: str) -> str | Problem:
        """Return what these throws draw, for `scharten answer`: `dice 1,1,1,1,1` (games 8)."""
        ...

    def drawn(self, draw: Any) -> Drawn:
        """Return the progress."""
        ...

    def headers(self, draw: Any) -> tuple[tuple[str, str], ...]:
        """Return the headers of the score sheet, which suffice to repeat a finished draw."""
        ...

    def position(self, draw: Any) -> P_co:
        """Return the men placed so far, at the end the opening."""
        ...


class Game(Protocol[P]):
    """One game. No method raises for what a person may do: a refusal is a `Problem`.

    `options` are those with which the position was begun or read; a game may keep their meaning in its positions.
    """

    @property
    def key(self) -> str:
        """Its name in the contract and the configuration."""
        ...

    @property
    def men(self) -> str:
        """The English letters of all its men, in the order in which a page offers them."""
        ...

    @property
    def letters(self) -> str:
        """The letters that its notation writes: `men` without the pawn."""
        ...

    @property
    def layout(self) -> Layout:
        """The board to draw."""
        ...

    @property
    def options_model(self) -> type[GameOptions]:
        """The closed model of its options."""
        ...

    @property
    def claim_rules(self) -> tuple[Reason, ...]:
        """The draws that its players may ever claim; `Situation.claims` has those open now."""
        ...

    @property
    def uci_variant(self) -> str | None:
        """The name of its rules in the protocol UCI, or None where no chess engine can play it."""
        ...

    @property
    def throws(self) -> Throws[P] | None:
        """How darts count, or None for a game without them."""
        ...

    @property
    def draws(self) -> Draws[P] | None:
        """The draw of its opening, or None where `begin` gives it."""
        ...

    def begin(self, options: GameOptions) -> P:
        """Return the opening."""
        ...

    def situation(self, position: P, options: GameOptions) -> Situation:
        """Return the possible actions and whether the board ends the game; equal positions give equal answers."""
        ...

    def play(self, position: P, action: Action, options: GameOptions) -> Played[P] | Problem:
        """Return the position after an action, or why it is not legal (`code` is the contract's `why`)."""
        ...

    def explain(self, position: P, move: Move, options: GameOptions) -> Explanation:
        """Explain why a move is or is not legal."""
        ...

    def can_win(self, position: P, side: Side, options: GameOptions) -> bool | None:
        """Return whether this side could still win by any series of moves; None, not known, counts as possible."""
        ...

    def write(self, position: P, action: Action, options: GameOptions, *, draw_offer: bool = False) -> str:
        """Return the notation of an action from this position, in English."""
        ...

    def read_turn(self, position: P, text: str, options: GameOptions, language: str) -> WrittenTurn | Problem:
        """Return the turn that a piece of notation names in a language; for a lost dart the intended move."""
        ...

    def read(self, text: str, options: GameOptions, *, finished: bool = False) -> P | Problem:
        """Return the playable position that a text describes; `finished` allows one that was lost by darts."""
        ...

    def man_at(self, position: P, field: FieldName) -> Man | None:
        """Return the man on a field."""
        ...

    def involved(self, position: P, move: Move, options: GameOptions) -> Involved:
        """Return what a legal move touches besides its own piece (touch-move)."""
        ...

    def shown(self, position: P, options: GameOptions) -> Json:
        """Return what a snapshot of this game shows besides the situation, in JSON."""
        ...

    def count(self, position: P, options: GameOptions, depth: int) -> int:
        """Count the leaves after `depth` turns (rules 11)."""
        ...

    def status(self, position: P, options: GameOptions) -> str:
        """Describe the position in one line, for `scharten status` (rules 11)."""
        ...


AnyGame = Game[Any]
Games = Mapping[str, AnyGame]
"""The games that a referee knows, by key."""
