"""What the board alone decides, and when two positions count as the same (rules 7, 11)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from scharten.game.basics import Side
from scharten.games.scharten import kernel
from scharten.games.scharten.attacks import BIT, PAWN
from scharten.games.scharten.board import Field, Kind, Piece, field_name, piece, row_of
from scharten.games.scharten.moves import turns_of
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.position import Position, kernel_state, pieces_text, to_throw
from scharten.games.scharten.turns import Turns


class State(Enum):
    """How the side to move stands."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    DEAD = "dead"
    MUST_THROW = "must_throw"
    ONGOING = "ongoing"


@dataclass(frozen=True, slots=True)
class Status:
    """Check, the numbers of legal moves and placements, and what they mean."""

    check: bool
    moves: int
    placements: int
    state: State

    def __str__(self) -> str:
        return (
            f"check={self.check:d} moves={self.moves} placements={self.placements} state={self.state.value}"
        )


def status(position: Position, options: RuleOptions) -> Status:
    """Judge the board; checkmate goes before stalemate, stalemate before a dead position (rules 7).

    Lost darts, claims and clocks are the referee's.
    """
    state = kernel_state(position, options)
    turns = turns_of(position, options)
    moves, placements = turns.count(), turns.placements().bit_count()
    return Status(turns.checked, moves, placements, _judge(state, turns, placements))


def _judge(state: kernel.State, turns: Turns, placements: int) -> State:
    if not turns.stuck:
        return State.DEAD if kernel.is_dead(state) else State.ONGOING
    if turns.checked:
        return State.MUST_THROW if placements else State.CHECKMATE
    throws_left = state.rules.loud and state.placed[state.side] < kernel.THROWS
    return State.ONGOING if throws_left else State.STALEMATE


def same_position_key(position: Position, options: RuleOptions) -> str:
    """Equal for positions that count as the same for repetition (rules 7).

    Marks of unmoved pieces are kept only where they give a right: castling, a two-step, protection.
    """
    board = tuple(
        held and _with_rights(position, options, Field(at), held) for at, held in enumerate(position.board)
    )
    ep = field_name(position.ep) if position.ep is not None and _can_take_passing(position, options) else "-"
    pairs = " ".join(f"{a}/{b}" for a, b in (position.placed, position.fouls))
    return f"{pieces_text(board)} {position.side.value} {ep} {pairs}"


def _can_take_passing(position: Position, options: RuleOptions) -> bool:
    assert position.ep is not None
    state = kernel_state(position, options)
    goal = BIT[position.ep]
    attacks = PAWN[state.side]
    return any(targets & goal and attacks[at] & goal for at, targets in turns_of(position, options).pawns)


def _with_rights(position: Position, options: RuleOptions, at: Field, held: Piece) -> Piece:
    if held.moved or _has_right(position, options, at, held):
        return held
    return piece(held.side, held.kind, moved=True)


def _has_right(position: Position, options: RuleOptions, at: Field, held: Piece) -> bool:
    """Whether it matters that this unmoved piece has not moved."""
    if held.kind is Kind.KING:
        return _may_ever_castle(position, held.side)
    if options.protection == "until_moved":
        return True
    if held.kind is Kind.PAWN:
        return _may_step_twice(options, at, held.side)
    if held.kind is Kind.ROOK:
        return any(p and p.kind is Kind.KING and p.side is held.side and not p.moved for p in position.board)
    return False


def _may_ever_castle(position: Position, side: Side) -> bool:
    """An unmoved king needs an unmoved rook: on the board, still to be thrown, or from a pawn."""
    own = [p for p in position.board if p is not None and p.side is side]
    rooks_to_come = kernel.R in kernel.THROW_ORDER[kernel.THROWS - to_throw(position, side) :]
    return rooks_to_come or any(p.kind is Kind.PAWN or (p.kind is Kind.ROOK and not p.moved) for p in own)


def _may_step_twice(options: RuleOptions, at: Field, side: Side) -> bool:
    steps_left = 8 - row_of(at) if side is Side.WHITE else row_of(at) - 1
    if options.double_step == "home_row":
        return steps_left == 6
    return steps_left >= 2
