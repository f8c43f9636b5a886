"""The common part of chess, Shatranj and Shakti; each adds its own moves and ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Generic

from scharten.errors import Problem
from scharten.game.basics import (
    Action,
    Drop,
    End,
    FieldName,
    Foul,
    Json,
    LostDart,
    Move,
    NotAMove,
    Pass,
    PerSide,
    Reason,
    Side,
    move_from_text,
)
from scharten.game.options import GameOptions
from scharten.game.protocol import (
    Draws,
    Explanation,
    Involved,
    Layout,
    Man,
    Played,
    Situation,
    WrittenTurn,
)
from scharten.games import algebraic
from scharten.games.algebraic import Facts
from scharten.games.letters import in_english
from scharten.games.loud import ColourThrows, P, SquareOptions, counted, fouls_text, is_dark, needed_field

WHY: Final = {
    "blocked": "something stands in the way",
    "leaves_check": "it would leave the king in check",
    "not_a_move": "there is no such move",
    "castling_moved": "the king or that rook has moved",
    "castling_blocked": "the way of the king or the rook is not free",
    "castling_check": "the king is in check, or would pass or reach an attacked field",
    "no_tile": "there is no tile on that field",
    "occupied": "somebody stands there, and that man cannot be captured",
    "one_step_in_check": "a king in check goes to a field beside him",
    "kings_see": "the kings would see each other",
}
Why = tuple[str, dict[str, object]]
"""The contract's `why` and its figures."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgement on a position: moves (none in a finished game), the king's field if in check, the state."""

    moves: tuple[str, ...]
    check: tuple[FieldName, ...] = ()
    state: str = "ongoing"
    end: End | None = None
    forced: Action | None = None


@dataclass(frozen=True, slots=True)
class DrawCounts:
    """The numbers of half-moves without progress that allow a claim and that end the game."""

    claim: Reason
    claim_at: int
    end: Reason
    end_at: int


def not_a_move(reason: NotAMove, **figures: object) -> Why:
    """Return the refusal of a move that no man makes."""
    return "not_a_move", {"reason": reason, **figures}


class SquareGame(ABC, Generic[P]):
    """A game on squares, silent or loud; the referee sees `game.protocol.Game`."""

    key: ClassVar[str]
    men: ClassVar[str]
    layout: ClassVar[Layout]
    options_model: ClassVar[type[SquareOptions]]
    promotions: ClassVar[str] = ""
    limits: ClassVar[DrawCounts | None] = None

    def __init__(self) -> None:
        self.throws = ColourThrows[P](self)
        self.draws: Draws[P] | None = None

    @property
    def uci_variant(self) -> str | None:
        """The game's name in the protocol UCI: none, unless a game overrides it."""
        return None

    @property
    def letters(self) -> str:
        """The letters in the notation: the men without the pawn."""
        return self.men.replace("P", "")

    @property
    def claim_rules(self) -> tuple[Reason, ...]:
        """Repetition, and the claim of a game that counts moves without progress."""
        return (Reason.REPETITION, self.limits.claim) if self.limits else (Reason.REPETITION,)

    @abstractmethod
    def begin(self, options: GameOptions) -> P:
        """Return the opening."""

    @abstractmethod
    def read(self, text: str, options: GameOptions, *, finished: bool = False) -> P | Problem:
        """Return the playable position that a text describes."""

    @abstractmethod
    def text(self, position: P, options: SquareOptions) -> str:
        """Return the position text."""

    @abstractmethod
    def repetition_key(self, position: P) -> str:
        """Return a text that is equal for positions with the same men, rights and side to move."""

    @abstractmethod
    def clock(self, position: P) -> int:
        """Return the half-moves since the last progress."""

    @abstractmethod
    def judge(self, position: P, options: SquareOptions) -> Judged:
        """Return the moves and the state."""

    @abstractmethod
    def facts(self, position: P, move: str) -> Facts:
        """Return the facts of a legal move."""

    @abstractmethod
    def position_after(self, position: P, move: str, fouls: PerSide) -> P:
        """Return the position after a legal move."""

    @abstractmethod
    def turn_lost(self, position: P, fouls: PerSide, *, over: bool) -> P:
        """Return the position with these FOULS and, if the turn is `over`, the other side to move."""

    @abstractmethod
    def why_not(self, position: P, move: Move, options: SquareOptions) -> Why:
        """Return why a move of an own man is not legal, in a game that goes on."""

    @abstractmethod
    def checkers(self, position: P) -> tuple[FieldName, ...]:
        """Return the men that check the king of the side to move."""

    @abstractmethod
    def man_at(self, position: P, field: FieldName) -> Man | None:
        """Return the man on a field."""

    @abstractmethod
    def can_win(self, position: P, side: Side, options: GameOptions) -> bool | None:
        """Return whether this side could still win by any series of moves; None is not known."""

    @abstractmethod
    def count(self, position: P, options: GameOptions, depth: int) -> int:
        """Count the leaves after `depth` turns (games 8)."""

    def own(self, options: GameOptions) -> SquareOptions:
        """Return the options as this game's; ValueError for another game's."""
        if not isinstance(options, self.options_model):
            raise ValueError(f"these are not options of {self.key}: {type(options).__name__}")
        return options

    def situation(self, position: P, options: GameOptions) -> Situation:
        """Return the possible moves, and whether the board or the move limit ends the game."""
        own = self.own(options)
        judged = self.judge(position, own)
        clock, limits = self.clock(position), self.limits
        end = judged.end
        claims: tuple[Reason, ...] = ()
        if end is None and limits is not None and clock >= limits.claim_at:
            claims = (limits.claim,)
            end = End(None, limits.end) if clock >= limits.end_at else None
        return Situation(
            text=self.text(position, own),
            side=position.side,
            number=position.number,
            key=self.repetition_key(position) + fouls_text(position.fouls, own),
            moves=judged.moves,
            needs_dart=self._needs_dart(position, own, judged),
            check=judged.check,
            end=end,
            claims=claims,
            forced=judged.forced,
        )

    def _needs_dart(self, position: P, own: SquareOptions, judged: Judged) -> frozenset[str]:
        if not own.loud:
            return frozenset()
        return frozenset(move for move in judged.moves if self._needed_field(position, move))

    def _needed_field(self, position: P, move: str) -> FieldName | None:
        return needed_field(self.facts(position, move).involved, move_from_text(move))

    def play(self, position: P, action: Action, options: GameOptions) -> Played[P] | Problem:
        """Return the position after an action; a move that needs a dart counts as hit."""
        own = self.own(options)
        judged = self.judge(position, own)
        match action:
            case Move():
                if action.text not in judged.moves:
                    why = self.explain(position, action, options)
                    words = f"{action.text} is illegal: {WHY.get(why.code or '', why.code)}"
                    return Problem(why.code or "not_a_move", words, {"move": action.text, **why.args})
                fouls = counted(position.fouls, position.side, lost=False)
                gone = self.facts(position, action.text).involved.gone
                details = {} if gone is None else {"gone": gone}
                return Played(self.position_after(position, action.text, fouls), details=details)
            case LostDart():
                return self._lost(position, action, own, judged)
            case Pass() if judged.forced == action:
                return Played(self.turn_lost(position, position.fouls, over=True))
            case Pass() | Drop():
                words = f"{action.text} is not a turn of this position"
                return Problem("not_a_move", words, {"move": action.text, "reason": "no_such_turn"})

    def _lost(self, position: P, lost: LostDart, own: SquareOptions, judged: Judged) -> Played[P] | Problem:
        """Play a lost dart: it ends the turn unless in check, and at the limit or bared the game (games 6)."""
        refused = self.throws.refusal(position, own, lost.aim)
        if refused is None and lost.aim is not None and lost.aim.text not in judged.moves:
            refused = Problem("not_a_move", f"{lost.aim.text} is no legal move", {"move": lost.aim.text})
        if refused is not None:
            return refused
        side = position.side
        fouls = counted(position.fouls, side, lost=True)
        limit = (own.foul_limit.white, own.foul_limit.black)[side.index]
        end = None
        if judged.state == "bared":
            end = End(side.other, Reason.BARE_KING)
        elif judged.check and own.check_miss == "loses":
            end = End(side.other, Reason.MISSED_IN_CHECK)
        elif fouls[side.index] >= limit:
            drawn = self.can_win(position, side.other, own) is False
            end = End(None if drawn else side.other, Reason.FOGLING)
        over = not judged.check and judged.state != "bared"
        return Played(self.turn_lost(position, fouls, over=over), end, {"fouls": fouls[side.index]})

    def explain(self, position: P, move: Move, options: GameOptions) -> Explanation:
        """Explain a move; for a legal move that needs a dart, `args` have the `field` and its `colour`."""
        own = self.own(options)
        judged = self.judge(position, own)
        if move.text in judged.moves:
            field = self._needed_field(position, move.text) if own.loud else None
            shade = {} if field is None else {"field": field, "colour": "dark" if is_dark(field) else "light"}
            return Explanation(True, None, shade)
        code, figures = self._refused(position, move, own, judged)
        return Explanation(False, code, figures)

    def _refused(self, position: P, move: Move, own: SquareOptions, judged: Judged) -> Why:
        for field in (move.origin, move.to):
            if field not in self.layout.fields:
                return not_a_move("no_such_field", field=field)
        if move.promotion and move.promotion not in self.promotions:
            return not_a_move("no_such_promotion", promotion=move.promotion)
        if judged.end is not None:
            return not_a_move("game_over")
        man = self.man_at(position, move.origin)
        if man is None or man.side is not position.side:
            return not_a_move("empty" if man is None else "not_yours", field=move.origin)
        return self.why_not(position, move, own)

    def write(self, position: P, action: Action, options: GameOptions, *, draw_offer: bool = False) -> str:
        """Write an action in English notation, `Nxe5`, `Nxe5@-`, `--`; ValueError for another game's action."""
        return self._written(position, action, self.own(options)) + (" (=)" if draw_offer else "")

    def _written(self, position: P, action: Action, own: SquareOptions) -> str:
        match action:
            case Move():
                fouls = counted(position.fouls, position.side, lost=False)
                judged = self.judge(self.position_after(position, action.text, fouls), own)
                mark = "#" if judged.state == "checkmate" else "+" if judged.check else ""
                return self._spelled(position, action.text, own) + mark
            case LostDart() if action.aim is not None:
                return self._spelled(position, action.aim.text, own) + algebraic.LOST
            case Pass():
                return algebraic.PASS
            case LostDart() | Drop():
                raise ValueError(f"{action.text} is not a turn of {self.key}")

    def _spelled(self, position: P, text: str, own: SquareOptions) -> str:
        """Write a legal move; only a move to the same field can be mistaken for it."""
        near = [move for move in self.judge(position, own).moves if move[2:4] == text[2:4]]
        return algebraic.spell({move: self.facts(position, move) for move in near}, text)

    def read_turn(self, position: P, text: str, options: GameOptions, language: str) -> WrittenTurn | Problem:
        """Return the turn that a piece of notation names; for a lost dart the intended move."""
        own = self.own(options)
        bare, offers = algebraic.OFFER.subn("", text)
        english = in_english(bare.strip(), self.letters, language)
        if isinstance(english, Problem):
            return english
        found: Action | Problem
        if english == algebraic.PASS:
            forced = self.judge(position, own).forced
            found = forced or Problem("not_a_move", "nobody passes here", {"text": text})
        else:
            tried = english.removesuffix(algebraic.LOST)
            found = algebraic.find(self.legal(position, own), tried)
            if isinstance(found, Move) and tried != english:
                found = LostDart(Foul.DECLARED, found)
        if isinstance(found, Problem):
            words = found.words.replace(f"'{english.removesuffix(algebraic.LOST)}'", f"'{text}'")
            return Problem(found.code, words, found.args)
        return WrittenTurn(found, offers > 0)

    def legal(self, position: P, own: SquareOptions) -> Mapping[str, Facts]:
        """Return every legal move with its facts."""
        return {move: self.facts(position, move) for move in self.judge(position, own).moves}

    def involved(self, position: P, move: Move, options: GameOptions) -> Involved:
        """Return what a legal move touches besides its own man; nothing for an illegal one."""
        if move.text not in self.judge(position, self.own(options)).moves:
            return Involved()
        return self.facts(position, move.text).involved

    def shown(self, position: P, options: GameOptions) -> Json:
        """Return lost darts in a row, the checking men, and whether every move needs a dart."""
        own = self.own(options)
        judged = self.judge(position, own)
        checking = self.checkers(position) if judged.check else ()
        return {
            "fouls": {side.word: position.fouls[side.index] for side in Side},
            "checkers": [{"field": field, "supporters": []} for field in checking],
            "must_throw": bool(judged.moves)
            and len(self._needs_dart(position, own, judged)) == len(judged.moves),
        }

    def status(self, position: P, options: GameOptions) -> str:
        """`check=0 moves=20 throws=0 state=ongoing` (games 8)."""
        own = self.own(options)
        judged = self.judge(position, own)
        throws = len(self._needs_dart(position, own, judged))
        quiet = len(judged.moves) - throws
        state = "must_throw" if throws and not quiet and judged.state == "ongoing" else judged.state
        return f"check={int(bool(judged.check))} moves={quiet} throws={throws} state={state}"
