"""What the referee asks of a game. A position is the game's own business: the referee only hands it back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from scharten.dartboard.beds import Bed
from scharten.errors import Problem
from scharten.game.basics import Action, End, FieldName, Json, Language, Move, Reason, Side
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
    """Who stands on a field: the side, and the capital English letter of its kind (`K` is the king in every game)."""

    side: Side
    letter: str


@dataclass(frozen=True, slots=True)
class Situation:
    """A position with all that a step needs of it, worked out once.

    `key` is equal for positions that count as the same for repetition; `needs_dart` are the moves that a dart must
    confirm; `check` the fields of kings in check; `end` what the board alone decides; `claims` the draws that may be
    claimed now besides repetition; `forced` an action that nobody chooses, such as a pass.
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

    `end`: the action itself lost or won the game; `told` is what its event says besides, in JSON: `piece`, the letter
    of what was put on the board; `fouls`, how many darts in a row this was; `gone`, a tile.
    """

    position: P
    end: End | None = None
    told: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Involved:
    """What a legal move touches besides its own piece: a captured man, a castling rook, a tile that goes."""

    captured: FieldName | None = None
    rook: FieldName | None = None
    gone: FieldName | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a move is or is not legal: `code` is None for a legal one; `args` are figures that fit into JSON."""

    legal: bool
    code: str | None
    args: Json


@dataclass(frozen=True, slots=True)
class WrittenTurn:
    """One turn of a score sheet, and whether a draw was offered with it."""

    action: Action
    draw_offer: bool = False


@dataclass(frozen=True, slots=True)
class Effect:
    """What a dart in a bed does: `placed`, `hit` or a foul's code, on which field, and the action that it is."""

    bed: Bed
    code: str
    field: FieldName | None
    action: Action


@dataclass(frozen=True, slots=True)
class Aim:
    """The dart that an entered move waits for: the field it is about, the colour wanted there, the beds that hit."""

    move: str
    field: FieldName
    colour: str
    beds: tuple[str, ...]


class Throws(Protocol[P_contra]):
    """The part of a game that is played with darts."""

    def refusal(self, position: P_contra, options: GameOptions, aim: Move | None = None) -> Problem | None:
        """Why no dart of the side to move is due, or None; `aim` is the move that was entered first, if one was."""
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
        """What a dart of `side` (else the one to move) in this bed would do."""
        ...

    def aim(self, position: P_contra, options: GameOptions, move: Move) -> Aim | None:
        """What a dart for this legal move must hit; None where darts are not thrown for a move."""
        ...


@dataclass(frozen=True, slots=True)
class Drawn:
    """How far the draw of an opening has come.

    `waits_for`: `darts`, `dice`, or empty once it is done; `to_throw` 0 for seat 1, 1 for seat 2. `thrown`: how many
    dice or darts were thrown. `text` is all of it in one line, for digests; `shown` what everybody may see.
    """

    waits_for: str
    to_throw: int
    thrown: int
    text: str
    shown: Json


class Draws(Protocol[P_co]):
    """How a game draws its opening (games 3). A draw is the game's own value: the referee only hands it back."""

    def begin(self, options: GameOptions, match: str, seed: str) -> Any | None:
        """The draw that these options choose, done at once for a lot; None where nothing is drawn."""
        ...

    def dart(self, draw: Any, bed: Bed) -> Any | Problem:
        """One more dart; what has no number is thrown again."""
        ...

    def die(self, draw: Any, value: int) -> Any | Problem:
        """One more die, 1 to 6."""
        ...

    def correct(self, draw: Any, bed: Bed) -> Any | Problem:
        """The last dart was in another bed."""
        ...

    def again(self, draw: Any) -> Any | Problem:
        """A dart was taken back: the next round begins."""
        ...

    def answer(self, throws: str, flags: str) -> str | Problem:
        """What these throws draw, for `scharten answer`: `dice 1,1,1,1,1` (games 8)."""
        ...

    def drawn(self, draw: Any) -> Drawn:
        """How far it has come."""
        ...

    def headers(self, draw: Any) -> tuple[tuple[str, str], ...]:
        """The head of the score sheet, from which alone a finished draw can be worked out again."""
        ...

    def position(self, draw: Any) -> P_co:
        """What stands on the board so far, the opening once it is done."""
        ...


class Game(Protocol[P]):
    """One game. Nothing here raises for what a person may do: a refusal is a `Problem`.

    `options` are those that the position was begun or read with; a game may keep in its positions what they mean.
    """

    @property
    def key(self) -> str:
        """Its name in the contract and the configuration."""
        ...

    @property
    def letters(self) -> str:
        """The English letters of its pieces, without the pawn."""
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
        """The draws that its players may ever claim; what is open now stands in `Situation.claims`."""
        ...

    @property
    def throws(self) -> Throws[P] | None:
        """How darts count, or None for a game without them."""
        ...

    @property
    def draws(self) -> Draws[P] | None:
        """How its opening is drawn, or None where `begin` gives it."""
        ...

    def begin(self, options: GameOptions) -> P:
        """The opening."""
        ...

    def situation(self, position: P, options: GameOptions) -> Situation:
        """What can be done and whether the board ends the game; the same position gives the same answer."""
        ...

    def play(self, position: P, action: Action, options: GameOptions) -> Played[P] | Problem:
        """The position after an action, or why it is not legal (`code` is the contract's `why`)."""
        ...

    def explain(self, position: P, move: Move, options: GameOptions) -> Explanation:
        """Why a move is or is not legal, for players who ask."""
        ...

    def can_win(self, position: P, side: Side, options: GameOptions) -> bool | None:
        """Whether this side could still win by any series; None is not known, which counts as possible."""
        ...

    def write(self, position: P, action: Action, options: GameOptions, *, draw_offer: bool = False) -> str:
        """The action in English notation, before it is played; `draw_offer`: a draw is offered with it."""
        ...

    def read_turn(
        self, position: P, text: str, options: GameOptions, language: Language
    ) -> WrittenTurn | Problem:
        """The turn that a piece of notation names, in the letters of a language; of a lost dart the move tried."""
        ...

    def read(self, text: str, options: GameOptions, *, finished: bool = False) -> P | Problem:
        """The position that a text describes, one that can be played on; `finished`: or was lost by darts."""
        ...

    def man_at(self, position: P, field: FieldName) -> Man | None:
        """Who stands there."""
        ...

    def involved(self, position: P, move: Move, options: GameOptions) -> Involved:
        """What a legal move touches besides its own piece (touch-move)."""
        ...

    def shown(self, position: P, options: GameOptions) -> Json:
        """What this game shows in a snapshot besides the situation, in JSON."""
        ...

    def count(self, position: P, options: GameOptions, depth: int) -> int:
        """The leaves after `depth` turns (rules 11)."""
        ...

    def status(self, position: P, options: GameOptions) -> str:
        """One line on the position, for `scharten status` (rules 11)."""
        ...


AnyGame = Game[Any]
Games = Mapping[str, AnyGame]
"""The games that a referee knows, by key."""
