"""Scharten for the referee, which uses names of fields; this package uses numbers."""

from __future__ import annotations

from typing import Final

from scharten.errors import Problem
from scharten.game.basics import Action, Drop, End, FieldName, Json, LostDart, Move, Reason, Side
from scharten.game.options import GameOptions
from scharten.game.protocol import Explanation, Involved, Layout, Man, Played, Situation, WrittenTurn
from scharten.games.scharten.actions import legal_drops, legal_move_texts, play, turn_of
from scharten.games.scharten.board import NAMES, K, field_name, parse_field
from scharten.games.scharten.explain import checkers_args, explain_move
from scharten.games.scharten.fouls import ThrownPieces, after_foul
from scharten.games.scharten.geometry import NO_FIELD, scan
from scharten.games.scharten.mate.front import could_mate, proved_dead
from scharten.games.scharten.notation.read import read_turn
from scharten.games.scharten.notation.write import LETTERS, write_action
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, captured_at, castling_rook, is_castling
from scharten.games.scharten.position_text import finished_by_fouls, opening, parse_position, position_text
from scharten.games.scharten.status import State, same_position_key, status
from scharten.games.scharten.turns import perft, turns_of

FIFTY, SEVENTY_FIVE = 100, 150
"""Half-moves without a capture, a pawn move or a placed piece (75: any dart) until a claim and until a draw."""


class Scharten:
    """Scharten, as a `game.protocol.Game`."""

    key = "scharten"
    men = "KQRBNP"
    letters = LETTERS
    layout = Layout("schartbord", NAMES)
    options_model: type[GameOptions] = Options
    claim_rules = (Reason.REPETITION, Reason.FIFTY_MOVES)
    uci_variant = None
    throws = ThrownPieces()
    draws = None

    def begin(self, options: GameOptions) -> Position:
        """Return the opening of the silent or the loud game."""
        return opening(rules_of(options))

    def situation(self, position: Position, options: GameOptions) -> Situation:
        """Return the legal turns, check, and what ends or may end the game."""
        checked = turns_of(position).checked
        return Situation(
            text=position_text(position),
            side=position.side,
            number=position.move_number,
            key=same_position_key(position),
            moves=legal_move_texts(position),
            drops=legal_drops(position),
            check=(field_name(position.king(position.side)),) if checked else (),
            end=_end(position),
            claims=(Reason.FIFTY_MOVES,) if position.clocks[0] >= FIFTY else (),
        )

    def play(self, position: Position, action: Action, options: GameOptions) -> Played[Position] | Problem:
        """Play a legal action; a lost dart in check, or too many in a row, lose the game."""
        reached = play(position, action)
        if isinstance(reached, Problem):
            words = f"{action.text} is illegal: {reached.words}"
            return Problem(reached.code, words, {"move": action.text, **reached.args})
        if isinstance(action, LostDart):
            return after_foul(position)
        kind = position.next_kind(position.side) if isinstance(action, Drop) else None
        return Played(reached, details={"piece": kind.value} if kind else {})

    def explain(self, position: Position, move: Move, options: GameOptions) -> Explanation:
        """Explain a move, with its figures."""
        turn = turn_of(move)
        if turn is None:
            return Explanation(False, "not_a_move", {"reason": "malformed"})
        return explain_move(position, *turn)

    def can_win(self, position: Position, side: Side, options: GameOptions) -> bool | None:
        """Return whether this side could mate by any series of turns."""
        return could_mate(position, side)

    def write(
        self, position: Position, action: Action, options: GameOptions, *, draw_offer: bool = False
    ) -> str:
        """Write an action in English notation; ValueError for an illegal one."""
        return write_action(position, action, "en", draw_offer=draw_offer)

    def read_turn(
        self, position: Position, text: str, options: GameOptions, language: str
    ) -> WrittenTurn | Problem:
        """Return the turn that a piece of notation names."""
        return read_turn(text, position, language)

    def read(self, text: str, options: GameOptions, *, finished: bool = False) -> Position | Problem:
        """Return the position of a text; one with an end by lost darts only if `finished`."""
        found = parse_position(text, rules_of(options))
        return found if finished or isinstance(found, Problem) else finished_by_fouls(found) or found

    def man_at(self, position: Position, field: FieldName) -> Man | None:
        """Return the man on a field."""
        at = parse_field(field)
        held = None if at is None else position.piece_at(at)
        return None if held is None else Man(held.side, held.kind.value)

    def involved(self, position: Position, move: Move, options: GameOptions) -> Involved:
        """Return the captured piece and the castling rook of a legal move."""
        turn = turn_of(move)
        if turn is None:
            return Involved()
        origin, to, _ = turn
        taken = captured_at(position, origin, to)
        rook = castling_rook(position, origin, to)[1] if is_castling(position, origin, to) else NO_FIELD
        return Involved(
            None if taken == NO_FIELD else field_name(taken), None if rook == NO_FIELD else field_name(rook)
        )

    def shown(self, position: Position, options: GameOptions) -> Json:
        """Return pieces to throw and zones, lost darts, unmoved pieces with rights, and the checking pieces."""
        kings = position.sets[0][K] | position.sets[1][K]
        due = {side: position.next_kind(side) for side in Side}
        checked = turns_of(position).checked
        return {
            "fouls": {side.word: position.fouls[side.index] for side in Side},
            "next": {side.word: kind.value if kind else None for side, kind in due.items()},
            "to_throw": {side.word: position.to_throw(side) for side in Side},
            "zone": _names(position.rules.zones[position.mover]),
            "unmoved": _names(position.unmoved),
            "protected": _names(position.unmoved & ~kings) if position.rules.protects else [],
            "must_throw": status(position).state is State.MUST_THROW,
            "checkers": checkers_args(position, position.mover) if checked else [],
        }

    def count(self, position: Position, options: GameOptions, depth: int) -> int:
        """The leaves after `depth` turns."""
        return perft(position, depth)

    def status(self, position: Position, options: GameOptions) -> str:
        """`check=0 moves=27 placements=0 state=ongoing`."""
        return str(status(position))


SCHARTEN: Final = Scharten()


def _names(fields: int) -> list[FieldName]:
    return [field_name(at) for at in scan(fields)]


def _end(position: Position) -> End | None:
    """The end that the board decides: mate, stalemate, dead, then the automatic draw by the 75-count (rules 7)."""
    state = status(position).state
    if state is State.CHECKMATE:
        return End(position.side.other, Reason.CHECKMATE)
    if state is State.STALEMATE:
        return End(None, Reason.STALEMATE)
    if state is State.DEAD or proved_dead(position):
        return End(None, Reason.DEAD_POSITION)
    return End(None, Reason.SEVENTY_FIVE_MOVES) if position.clocks[1] >= SEVENTY_FIVE else None
