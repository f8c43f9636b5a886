"""Touch-move and J'adoube (rules 8, §10, §11), as pure functions of a position and what was touched and let go.

Touched fields stand in the order of touching; a touched empty field touches no piece. The first touched piece that
has a legal move (or, of the enemy, can be captured) binds, together with a second one of the other colour where the
one can capture the other. If no touched piece can be moved or captured, nothing follows (§11).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from scharten.errors import Problem
from scharten.game.basics import FieldName, Move, Side, move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.match.codes import RefusalCode

KING, ROOK = "K", "R"


@dataclass(frozen=True, slots=True)
class Touches:
    """Pieces the player to move touched this turn, and where one was let go; `adoube` covers the next report."""

    fields: tuple[FieldName, ...] = ()
    adoube: bool = False
    let_go: tuple[FieldName, FieldName] | None = None


@dataclass(frozen=True, slots=True)
class Obligation:
    """The moves that remain allowed; `bound`: a touched piece forces them, so that no dart may be thrown."""

    moves: tuple[str, ...]
    bound: bool


@dataclass(frozen=True, slots=True)
class TouchedPosition:
    """A position of a game in which pieces were touched, and its legal moves."""

    game: AnyGame
    options: GameOptions
    position: Any
    side: Side
    legal: tuple[str, ...]


def say_adoube(touches: Touches) -> Touches:
    """J'adoube, announced before touching: the next touches bind nobody. Earlier touches stay."""
    return replace(touches, adoube=True)


def touch(touches: Touches, to_move: Side, by: Side, fields: tuple[FieldName, ...]) -> Touches | Problem:
    """The touches with these fields added, in order; only the player to move may touch."""
    if by is not to_move:
        return Problem(RefusalCode.NOT_YOUR_TURN, f"only {to_move.word}, who is to move, may touch pieces")
    if touches.adoube:
        return replace(touches, adoube=False)
    return replace(touches, fields=tuple(dict.fromkeys((*touches.fields, *fields))))


def release(touches: Touches, at: TouchedPosition, origin: FieldName, to: FieldName) -> Touches:
    """The touches after the piece from `origin` was let go on `to`; one that was let go legally stays there."""
    if touches.let_go is not None and any(_goes(move, *touches.let_go) for move in at.legal):
        return touches
    return replace(touches, let_go=(origin, to))


def obligation(at: TouchedPosition, touches: Touches) -> Obligation:
    """Return the legal moves that remain allowed after these touches."""
    if not touches.fields:
        return Obligation(at.legal, bound=False)
    moves = tuple(map(move_from_text, at.legal))
    chosen = _castling(at, moves, touches.fields) or _first_that_can(at, moves, touches.fields)
    allowed = tuple(move.text for move in chosen) or at.legal
    left = allowed if touches.let_go is None else let_go(at, allowed, *touches.let_go)
    return Obligation(left, bound=bool(chosen) or left != allowed)


def _castling(
    at: TouchedPosition, moves: tuple[Move, ...], fields: tuple[FieldName, ...]
) -> tuple[Move, ...]:
    """King, then a rook: castling with that rook; where it is illegal, another king's move if there is one."""
    king = next((field for field in fields if _is_own(at, field, KING)), None)
    if king is None:
        return ()
    order = fields.index(king)
    rooks = [field for field in fields[order + 1 :] if _is_own(at, field, ROOK)]
    if not rooks or any(_is_own(at, field) for field in fields[:order]):
        return ()
    kings = tuple(move for move in moves if move.origin == king)
    for rook in rooks:
        castlings = tuple(
            move for move in kings if at.game.involved(at.position, move, at.options).rook == rook
        )
        if castlings:
            return castlings
    return kings


def _is_own(at: TouchedPosition, field: FieldName, letter: str | None = None) -> bool:
    man = at.game.man_at(at.position, field)
    return man is not None and man.side is at.side and letter in (None, man.letter)


def _first_that_can(
    at: TouchedPosition, moves: tuple[Move, ...], fields: tuple[FieldName, ...]
) -> tuple[Move, ...]:
    """The moves of (or captures of) the first touched piece that has any, taking or moved by another if one can."""
    uses = {move: (move.origin, at.game.involved(at.position, move, at.options).captured) for move in moves}
    for field in fields:
        using = tuple(move for move in moves if field in uses[move])
        for other in fields:
            both = tuple(move for move in using if other != field and other in uses[move])
            if both:
                return both
        if using:
            return using
    return ()


def let_go(
    at: TouchedPosition, allowed: tuple[str, ...], origin: FieldName, to: FieldName
) -> tuple[str, ...]:
    """Return the allowed moves that remain once the piece from `origin` was let go on `to`.

    On an allowed goal the move stands: a pawn on its last row must promote there, a king two fields away brings
    its rook. A castling that is not allowed means another king's move if there is one. Anything else was illegal,
    and nothing has changed.
    """
    standing = tuple(move for move in allowed if _goes(move, origin, to))
    if standing:
        return standing
    if _is_own(at, origin, KING):
        return tuple(move for move in allowed if move[:2] == origin) or allowed
    return allowed


def _goes(move: str, origin: FieldName, to: FieldName) -> bool:
    return move[:4] == origin + to
