"""The board's own decision of the game, and the equality of positions for repetition (rules 7, 11)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from scharten.games.scharten.attacks import is_dead
from scharten.games.scharten.board import THROW_ORDER, THROWS, K, P, R, field_name
from scharten.games.scharten.geometry import BIT, FORWARD_TWICE, NO_FIELD, PAWN, scan
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import pairs_text, pieces_text
from scharten.games.scharten.turns import Turns, turns_of


class State(Enum):
    """The state of the side to move."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    DEAD = "dead"
    MUST_THROW = "must_throw"
    ONGOING = "ongoing"


@dataclass(frozen=True, slots=True)
class Status:
    """Check, the numbers of legal moves and placements, and the state."""

    check: bool
    moves: int
    placements: int
    state: State

    def __str__(self) -> str:
        return (
            f"check={self.check:d} moves={self.moves} placements={self.placements} state={self.state.value}"
        )


@lru_cache(maxsize=16)
def status(position: Position) -> Status:
    """Judge the board; checkmate goes before stalemate, stalemate before a dead position (rules 7).

    It ignores lost darts, claims and clocks.
    """
    turns = turns_of(position)
    placements = turns.placements().bit_count()
    return Status(turns.checked, turns.count(), placements, _judge(position, turns, placements))


def _judge(position: Position, turns: Turns, placements: int) -> State:
    if not turns.stuck:
        return State.DEAD if is_dead(position) else State.ONGOING
    if turns.checked:
        return State.MUST_THROW if placements else State.CHECKMATE
    throws_left = position.rules.loud and position.placed[position.mover] < THROWS
    return State.ONGOING if throws_left else State.STALEMATE


def same_position_key(position: Position) -> str:
    """Return a key that is equal for positions that count as the same for repetition (rules 7).

    It has the marks of unmoved pieces only where they give a right: castling, a two-step, protection.
    """
    ep = "-"
    if position.ep != NO_FIELD and _can_take_passing(position):
        ep = field_name(position.ep)
    pieces = pieces_text(position, _unmoved_with_rights(position))
    return f"{pieces} {position.side.value} {ep} {pairs_text(position.placed, position.fouls)}"


def _can_take_passing(position: Position) -> bool:
    goal, attacks = BIT[position.ep], PAWN[position.mover]
    return any(targets & goal and attacks[at] & goal for at, targets in turns_of(position).pawns)


def _unmoved_with_rights(position: Position) -> int:
    """Return the unmoved pieces that have a right by it."""
    held = 0
    for side in (0, 1):
        own, kings = position.sets[side], position.sets[side][K]
        if kings & position.unmoved:
            held |= own[R]
            if _may_ever_castle(position, side):
                held |= kings
        if position.rules.protects:
            held |= position.own[side] & ~kings
        leapers = own[P] & position.unmoved & position.rules.two_step[side]
        for at in scan(leapers):
            if FORWARD_TWICE[side][at] != NO_FIELD:
                held |= BIT[at]
    return held & position.unmoved


def _may_ever_castle(position: Position, side: int) -> bool:
    """Return whether the side has, or may get by a dart or a promotion, an unmoved rook."""
    own = position.sets[side]
    return bool(own[P] or own[R] & position.unmoved) or R in THROW_ORDER[position.placed[side] :]
