"""The static value of a position of Scharten for the side to move, in hundredths of a pawn."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from scharten.games.scharten.board import THROW_ORDER, B, K, N, P, Q, R
from scharten.games.scharten.geometry import (
    DIAGONAL_VIEWS,
    DOUBLES,
    FORWARD,
    HEAVY,
    KING,
    KNIGHT,
    LIGHT,
    LINE_MASK,
    LINE_VIEWS,
    NO_FIELD,
    PAWN,
    RING_MASK,
    RING_VIEWS,
    TREBLES,
    scan,
)
from scharten.games.scharten.position import Position

MATE: Final = 1_000_000
"""The value of mate, minus the turns until then."""
AT_STAKE: Final = 3000
"""The value of a won game where chance decides; with a higher one the search would avoid every risk."""


class Weights(NamedTuple):
    """The weights, chosen by hand: weights fitted to self-play did not beat them (`make bench ARGS=tune`).

    `to_come` is the percentage of a piece's worth before its dart; `double` and `treble` are for a piece there, which
    supports captures; `pressed` is for an attacked field beside the enemy's king, `flight` for a field where he can
    still go; `foul` for each lost dart in a row.
    """

    pawn: int = 100
    knight: int = 300
    bishop: int = 330
    rook: int = 480
    queen: int = 850
    step: int = 7
    double: int = 6
    treble: int = 10
    mobility: int = 4
    pressed: int = 9
    flight: int = 7
    foul: int = 45
    to_come: int = 40


WEIGHTS: Final = Weights()


@lru_cache(maxsize=16)
def piece_worth(weights: Weights) -> tuple[int, ...]:
    """Return the worth by the kind's number, 0 for the king."""
    return (weights.pawn, weights.knight, weights.bishop, weights.rook, weights.queen, 0)


DartsNeeded = tuple[tuple[float, ...], ...]
"""The darts that a side still needs on average, by its placed pieces, then by the free singles of its zone."""
ToCome = tuple[tuple[int, ...], ...]
"""The worth of the pieces that a side has to come, by the same numbers."""


@lru_cache(maxsize=16)
def worth_to_come(weights: Weights = WEIGHTS, needed: DartsNeeded = ()) -> ToCome:
    """Return the worth of the pieces to come: their worth on the board, less the same cost for each dart needed.

    The cost leaves the share `to_come` of all pieces before the first dart. Without `needed` each piece has this share.
    """
    worth = piece_worth(weights)
    rest = [sum(worth[code] for code in THROW_ORDER[placed:]) for placed in range(len(THROW_ORDER) + 1)]
    if not needed:
        return tuple((total * weights.to_come // 100,) * (LIGHT.bit_count() + 1) for total in rest)
    cost = rest[0] * (100 - weights.to_come) / 100 / needed[0][-1]
    return tuple(
        tuple(round(total - cost * darts) for darts in row) for total, row in zip(rest, needed, strict=True)
    )


_BY_SHARE: Final = (worth_to_come(), worth_to_come())


def free_singles(position: Position, side: int) -> int:
    """Return the number of free singles in a side's zone, the beds that a dart hits most."""
    return (position.rules.zones[side] & ~position.occupied & LIGHT).bit_count()


def _steps_gone(side: int, field: int) -> int:
    """Return the number of a pawn's seven steps behind it."""
    ahead, left = FORWARD[side][field], 0
    while ahead != NO_FIELD:
        left, ahead = left + 1, FORWARD[side][ahead]
    return 7 - left


_ADVANCED: Final = tuple(tuple(_steps_gone(side, field) ** 2 // 2 for field in range(80)) for side in (0, 1))


def attacked(position: Position, side: int) -> tuple[int, int]:
    """Return the fields that a side attacks, and the number of its pieces' views, with repetitions."""
    occupied = position.occupied
    pawns, knights, bishops, rooks, queens, king = position.sets[side]
    union = KING[king.bit_length() - 1]
    seen_sum = 0
    for at in scan(pawns):
        union |= PAWN[side][at]
    for at in scan(knights):
        union |= KNIGHT[at]
        seen_sum += 4
    for at in scan(rooks | queens):
        seen = RING_VIEWS[at][occupied & RING_MASK[at]] | LINE_VIEWS[at][occupied & LINE_MASK[at]]
        union |= seen
        seen_sum += seen.bit_count()
    for at in scan(bishops | queens):
        first, second = DIAGONAL_VIEWS[at]
        seen = first[occupied & first.mask] | second[occupied & second.mask]
        union |= seen
        seen_sum += seen.bit_count()
    return union, seen_sum


def _men_worth(position: Position, side: int, weights: Weights, to_come: ToCome) -> int:
    """Return the worth of a side's men and of their fields."""
    pawns, knights, bishops, rooks, queens, _ = position.sets[side]
    officers = knights | bishops | rooks | queens
    worth = (
        pawns.bit_count() * weights.pawn
        + knights.bit_count() * weights.knight
        + bishops.bit_count() * weights.bishop
        + rooks.bit_count() * weights.rook
        + queens.bit_count() * weights.queen
        + (officers & DOUBLES).bit_count() * weights.double
        + (officers & TREBLES).bit_count() * weights.treble
        + _pawns_gone(side, pawns) * weights.step // 4
    )
    placed = position.placed[side]
    if placed < len(THROW_ORDER):
        worth += to_come[placed][free_singles(position, side)]
        worth -= position.fouls[side] ** 2 * weights.foul
    return worth


@lru_cache(maxsize=4096)
def _pawns_gone(side: int, pawns: int) -> int:
    """Return the progress of a side's pawns, more for each further step."""
    return sum(_ADVANCED[side][at] for at in scan(pawns))


def _activity(position: Position, side: int, weights: Weights, mine: int, seen: int) -> int:
    """Return the worth of a side's views and of its danger to the other king."""
    around = KING[position.sets[1 - side][K].bit_length() - 1]
    flights = around & ~mine & ~position.own[1 - side]
    # A capture on a double or treble needs support: there a king is safer than the count shows.
    fled = flights.bit_count() + (flights & HEAVY).bit_count()
    return seen * weights.mobility + (around & mine).bit_count() * weights.pressed - fled * weights.flight


def evaluate(
    position: Position, weights: Weights = WEIGHTS, to_come: tuple[ToCome, ToCome] = _BY_SHARE
) -> int:
    """Return the difference between the sides, positive if the side to move is better; `to_come` is by side."""
    white, white_sees = attacked(position, 0)
    black, black_sees = attacked(position, 1)
    worth = _men_worth(position, 0, weights, to_come[0]) + _activity(position, 0, weights, white, white_sees)
    worth -= _men_worth(position, 1, weights, to_come[1]) + _activity(position, 1, weights, black, black_sees)
    if (worth > 0 and _cannot_win(position, 0)) or (worth < 0 and _cannot_win(position, 1)):
        worth //= 8
    return worth if position.mover == 0 else -worth


def _cannot_win(position: Position, side: int) -> bool:
    """Return whether this side can hardly mate: no pawn, and fewer than two pieces."""
    sets = position.sets[side]
    if sets[P] or position.placed[side] < len(THROW_ORDER):
        return False
    return (sets[N] | sets[B] | sets[R] | sets[Q]).bit_count() < 2
