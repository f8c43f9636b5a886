"""Touch-move and J'adoube (rules 8, §10, §11), as pure functions of a position and the fields touched.

Touched fields stand in the order of touching; a touched empty field touches no piece. The first touched piece that
has a legal move (or, of the enemy, can be captured) binds, together with a second one of the other colour where the
one can capture the other. If no touched piece can be moved or captured, nothing follows (§11).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from scharten.game.basics import Side
from scharten.games.scharten.board import Field, Kind
from scharten.games.scharten.effects import captured_field, castling_rook
from scharten.games.scharten.moves import Move, legal_moves
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.position import Position

NOT_YOUR_TURN = "not_your_turn"


@dataclass(frozen=True, slots=True)
class Touches:
    """What the player to move has touched this turn; `adoube` covers the next report of touches."""

    fields: tuple[Field, ...] = ()
    adoube: bool = False


@dataclass(frozen=True, slots=True)
class TouchRefusal:
    """Why touches were not taken: only the player to move may touch."""

    code: str
    words: str


@dataclass(frozen=True, slots=True)
class Obligation:
    """The moves that remain allowed; `bound`: a touched piece forces them, so that no dart may be thrown."""

    moves: tuple[Move, ...]
    bound: bool


def say_adoube(touches: Touches) -> Touches:
    """J'adoube, said before touching: the next touches bind nobody. What was touched before stays touched."""
    return replace(touches, adoube=True)


def touch(
    touches: Touches, position: Position, by: Side, fields: tuple[Field, ...]
) -> Touches | TouchRefusal:
    """The touches with these fields added, in order; only the player to move may touch."""
    if by is not position.side:
        return TouchRefusal(NOT_YOUR_TURN, f"only {position.side.word}, who is to move, may touch pieces")
    if touches.adoube:
        return replace(touches, adoube=False)
    return Touches(tuple(dict.fromkeys((*touches.fields, *fields))))


def obligation(position: Position, options: RuleOptions, touches: Touches) -> Obligation:
    """Which legal moves remain allowed after these touches."""
    legal = legal_moves(position, options)
    if not touches.fields:
        return Obligation(legal, bound=False)
    chosen = _castling(position, legal, touches.fields) or _first_that_can(position, legal, touches.fields)
    return Obligation(chosen, bound=True) if chosen else Obligation(legal, bound=False)


def _castling(position: Position, legal: tuple[Move, ...], fields: tuple[Field, ...]) -> tuple[Move, ...]:
    """King, then a rook: castling with that rook; where it is illegal, another king's move if there is one."""
    king = position.king(position.side)
    if king not in fields:
        return ()
    after = fields[fields.index(king) + 1 :]
    rooks = [field for field in after if _is_own(position, field, Kind.ROOK)]
    before = any(_is_own(position, field) for field in fields[: fields.index(king)])
    if not rooks or before:
        return ()
    kings = tuple(move for move in legal if move.origin == king)
    for rook in rooks:
        castlings = tuple(move for move in kings if castling_rook(position, move) == rook)
        if castlings:
            return castlings
    return kings


def _is_own(position: Position, field: Field, kind: Kind | None = None) -> bool:
    held = position.piece_at(field)
    return held is not None and held.side is position.side and kind in (None, held.kind)


def _first_that_can(
    position: Position, legal: tuple[Move, ...], fields: tuple[Field, ...]
) -> tuple[Move, ...]:
    """The moves of (or captures of) the first touched piece that has any, taking or moved by another if one can."""
    uses = {move: (move.origin, captured_field(position, move)) for move in legal}
    for field in fields:
        using = tuple(move for move in legal if field in uses[move])
        for other in fields:
            both = tuple(move for move in using if other != field and other in uses[move])
            if both:
                return both
        if using:
            return using
    return ()


def let_go(position: Position, allowed: tuple[Move, ...], origin: Field, to: Field) -> tuple[Move, ...]:
    """Which of the allowed moves remain once the piece from `origin` was let go on `to`.

    On an allowed goal the move stands: a pawn on its last row must promote there, a king two fields away brings
    its rook. A castling that is not allowed means another king's move if there is one. Anything else was illegal,
    and nothing has changed.
    """
    standing = tuple(move for move in allowed if (move.origin, move.to) == (origin, to))
    if standing:
        return standing
    held = position.piece_at(origin)
    if held is not None and held.kind is Kind.KING and held.side is position.side:
        return tuple(move for move in allowed if move.origin == origin) or allowed
    return allowed
