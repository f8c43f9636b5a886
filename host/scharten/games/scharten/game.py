"""Scharten as the referee asks for it: fields by name outside, the rules' own values inside."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from scharten.dartboard.beds import Bed, BedKind
from scharten.errors import Problem
from scharten.game.basics import (
    Action,
    Drop,
    End,
    FieldName,
    Foul,
    Kind,
    LostDart,
    Move,
    Pass,
    Reason,
    Side,
)
from scharten.game.options import GameOptions
from scharten.game.protocol import Effect, Explanation, Involved, Json, Layout, Man, Played, Situation
from scharten.games.scharten import moves as inner
from scharten.games.scharten import turn as turns
from scharten.games.scharten.board import FIELDS, Field, field_name, parse_field
from scharten.games.scharten.check import checkers, in_check
from scharten.games.scharten.effects import captured_field, castling_rook
from scharten.games.scharten.explain import explain
from scharten.games.scharten.fields import field_of
from scharten.games.scharten.language import Language
from scharten.games.scharten.mate import could_mate, proved_dead
from scharten.games.scharten.notation import Turn, write_turn
from scharten.games.scharten.options import Options, OptionsError, RuleOptions, make_options, zones_words
from scharten.games.scharten.outcome import State, same_position_key, status
from scharten.games.scharten.position import (
    Position,
    PositionError,
    finished_by_fouls,
    initial_position,
    kernel_state,
    next_kind,
    parse_position,
    position_text,
    to_throw,
)
from scharten.games.scharten.turns import perft

FIFTY, SEVENTY_FIVE = 100, 150
FEW_MEN, FEW_MOVES = 5, 2
PLACED: Final = "placed"
WHY: Final = {
    "no_support": "the capture needs more support",
    "protected": "a piece that has not moved since it was thrown cannot be captured",
    "blocked": "something stands in the way",
    "leaves_check": "it would leave the king in check",
    "not_a_move": "there is no such move",
}


@lru_cache(maxsize=64)
def rules_of(options: GameOptions) -> RuleOptions:
    """The rules that these options choose; ValueError for options of another game or zones that cannot be."""
    if not isinstance(options, Options):
        raise ValueError(f"these are no options of Scharten: {type(options).__name__}")
    rules = make_options(
        loud=options.kind is Kind.LOUD,
        zones=zones_words(options.zones),
        support=options.support,
        protection=options.protection,
        double_step=options.double_step,
        foul_limit=(options.foul_limit.white, options.foul_limit.black),
    )
    if isinstance(rules, OptionsError):
        raise ValueError(rules.words)
    return rules


def _names(fields: tuple[Field, ...] | list[Field]) -> list[FieldName]:
    return [FieldName(field_name(field)) for field in fields]


def _inner_move(move: Move) -> inner.Move | None:
    return inner.parse_move(move.text)


def _inner_action(action: Action) -> turns.Action | None:
    match action:
        case Move():
            return _inner_move(action)
        case Drop():
            return inner.parse_placement(action.text)
        case LostDart():
            return turns.LostDart(action.bed)
        case Pass():
            return None


class ThrownPieces:
    """What a dart means: it puts the next piece on a free field of the thrower's zone, or is lost (rules 6)."""

    def refusal(self, position: Position, options: GameOptions, aim: Move | None = None) -> Problem | None:
        """Why the side to move has nothing to throw."""
        if options.kind is Kind.SILENT:
            return Problem("silent_game", "nothing is thrown in a silent game")
        if to_throw(position, position.side) == 0:
            return Problem("no_pieces_left", f"{position.side.word} has no pieces left to throw")
        return None

    def effect(
        self,
        position: Position,
        options: GameOptions,
        bed: Bed,
        white_sits_at: int,
        *,
        aim: Move | None = None,
        side: Side | None = None,
    ) -> Effect:
        """Place a piece, or lose the dart for a reason; a side without pieces to throw has no zone."""
        thrower = side or position.side
        rules = rules_of(options)
        field = field_of(bed, white_sits_at)
        if bed.kind is BedKind.MISS:
            foul = Foul.OFF_BOARD
        elif field is None:
            foul = Foul.BULL
        elif field not in rules.zone(thrower) or not to_throw(position, thrower):
            foul = Foul.OUTSIDE_ZONE
        elif position.piece_at(field) is not None:
            foul = Foul.OCCUPIED
        elif thrower is position.side and field not in inner.legal_placements(position, rules):
            foul = Foul.MISSED_IN_CHECK
        else:
            name = FieldName(field_name(field))
            return Effect(bed, PLACED, name, Drop(name))
        name_or_none = None if field is None else FieldName(field_name(field))
        return Effect(bed, foul.value, name_or_none, LostDart(foul, bed=str(bed)))

    def aim(self, position: Position, options: GameOptions, move: Move) -> None:
        """No move needs a dart."""


class Scharten:
    """The game of rules.md."""

    key = "scharten"
    layout = Layout("schartbord", tuple(FieldName(field_name(field)) for field in FIELDS))
    options_model: type[GameOptions] = Options
    throws = ThrownPieces()

    def begin(self, options: GameOptions) -> Position:
        """The opening of the silent or the loud game."""
        return initial_position(rules_of(options))

    def situation(self, position: Position, options: GameOptions) -> Situation:
        """The legal turns, check, and what ends or may end the game."""
        rules = rules_of(options)
        moves = inner.legal_moves(position, rules)
        judged = status(position, rules)
        return Situation(
            text=position_text(position),
            side=position.side,
            number=position.move_number,
            key=same_position_key(position, rules),
            moves=tuple(map(inner.move_text, moves)),
            drops=tuple(_names(list(inner.legal_placements(position, rules)))),
            check=tuple(_names([position.king(position.side)])) if judged.check else (),
            end=_end(position, rules, judged.state, len(moves)),
            claims=(Reason.FIFTY_MOVES,) if position.clocks[0] >= FIFTY else (),
        )

    def play(self, position: Position, action: Action, options: GameOptions) -> Played[Position] | Problem:
        """The position after a legal action; lost darts in check or too many in a row lose the game."""
        rules, side = rules_of(options), position.side
        given = _inner_action(action)
        if given is None:
            return Problem("not_a_move", f"{action.text} is no turn of this game", {"move": action.text})
        after = turns.play(position, given, rules)
        if isinstance(after, inner.Illegal):
            words = f"{action.text} is illegal: {WHY.get(after.code, after.code)}"
            return Problem(after.code, words, {"move": action.text, **after.args})
        if isinstance(given, inner.Placement):
            kind = next_kind(position, side)
            return Played(after, told={"piece": kind.value if kind else ""})
        if isinstance(given, inner.Move):
            return Played(after)
        if in_check(position, side, rules):
            # The position stays as it was: after a turn that leaves the king in check it would be none.
            return Played(position, End(side.other, Reason.MISSED_IN_CHECK))
        fouls = {"fouls": after.fouls[side.index]}
        if after.fouls[side.index] < rules.foul_limit[side.index]:
            return Played(after, told=fouls)
        # None is "not known", which counts as possible.
        drawn = could_mate(after, side.other, rules) is False
        return Played(after, End(None if drawn else side.other, Reason.FOGLING), fouls)

    def explain(self, position: Position, move: Move, options: GameOptions) -> Explanation:
        """Why a move is or is not legal, with its figures."""
        given = _inner_move(move)
        if given is None:
            return Explanation(False, "not_a_move", {"reason": "malformed"})
        found = explain(position, given, rules_of(options))
        return Explanation(found.legal, found.code, found.args)

    def can_win(self, position: Position, side: Side, options: GameOptions) -> bool | None:
        """Whether this side could mate by any series of turns."""
        return could_mate(position, side, rules_of(options))

    def write(
        self, position: Position, action: Action, options: GameOptions, *, draw_offer: bool = False
    ) -> str:
        """The action in English notation."""
        given = _inner_action(action)
        if given is None:
            raise ValueError(f"{action.text} is no turn of this game")
        return write_turn(position, Turn(given, draw_offer), rules_of(options), Language.ENGLISH)

    def read(self, text: str, options: GameOptions) -> Position | Problem:
        """The position of a text; one whose game lost darts have ended is refused."""
        rules = rules_of(options)
        found = parse_position(text, rules)
        wrong = found if isinstance(found, PositionError) else finished_by_fouls(found, rules)
        if wrong is not None:
            return Problem(wrong.code, wrong.words, {"part": wrong.part}, f"Look at the part {wrong.part}.")
        assert isinstance(found, Position)
        return found

    def man_at(self, position: Position, field: FieldName) -> Man | None:
        """Who stands there."""
        at = parse_field(field)
        held = None if at is None else position.piece_at(at)
        return None if held is None else Man(held.side, held.kind.value)

    def involved(self, position: Position, move: Move, options: GameOptions) -> Involved:
        """The captured piece and the castling rook of a legal move."""
        given = _inner_move(move)
        if given is None:
            return Involved()
        taken, rook = captured_field(position, given), castling_rook(position, given)
        return Involved(
            None if taken is None else FieldName(field_name(taken)),
            None if rook is None else FieldName(field_name(rook)),
        )

    def shown(self, position: Position, options: GameOptions) -> Json:
        """Who has what to throw and where, lost darts, pieces with the rights of the unmoved, who gives check."""
        rules = rules_of(options)
        unmoved = [Field(at) for at, held in enumerate(position.board) if held is not None and not held.moved]
        kings = {position.king(side) for side in Side}
        guarded = rules.protection == "until_moved"
        due = {side: next_kind(position, side) for side in Side}
        return {
            "fouls": {side.word: position.fouls[side.index] for side in Side},
            "next": {side.word: kind.value if kind else None for side, kind in due.items()},
            "to_throw": {side.word: to_throw(position, side) for side in Side},
            "zone": _names(sorted(rules.zone(position.side))),
            "unmoved": _names(unmoved),
            "protected": _names([at for at in unmoved if guarded and at not in kings]),
            "must_throw": status(position, rules).state is State.MUST_THROW,
            "checkers": [
                {"field": field_name(one.field), "supporters": _names(list(one.supporters))}
                for one in checkers(position, rules)
            ],
        }

    def count(self, position: Position, options: GameOptions, depth: int) -> int:
        """The leaves after `depth` turns."""
        return perft(kernel_state(position, rules_of(options)), depth)

    def status(self, position: Position, options: GameOptions) -> str:
        """`check=0 moves=27 placements=0 state=ongoing`."""
        return str(status(position, rules_of(options)))


SCHARTEN: Final = Scharten()


def _end(position: Position, rules: RuleOptions, state: State, moves: int) -> End | None:
    """What the board decides: mate, stalemate, dead, then the automatic draw by the 75-count (rules 7)."""
    if state is State.CHECKMATE:
        return End(position.side.other, Reason.CHECKMATE)
    if state is State.STALEMATE:
        return End(None, Reason.STALEMATE)
    if state is State.DEAD or _forced_dead(position, rules, moves):
        return End(None, Reason.DEAD_POSITION)
    return End(None, Reason.SEVENTY_FIVE_MOVES) if position.clocks[1] >= SEVENTY_FIVE else None


def _forced_dead(position: Position, rules: RuleOptions, moves: int) -> bool:
    """Whether what must follow is proved to lead to no mate, as where the last piece has to be taken."""
    men = sum(held is not None for held in position.board)
    # A proof takes ms, and among many turns there is none: it is tried only where it can succeed.
    return men <= FEW_MEN and moves <= FEW_MOVES and proved_dead(position, rules)
