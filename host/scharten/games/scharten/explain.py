"""Why a turn is or is not legal, as a value with a code and figures (rules 3 to 6; contract `explain`).

This module follows the rules step by step, apart from the quick generator in `turns`; tests compare the two. Codes are
no_support, protected, blocked, leaves_check and not_a_move; `args` fits into JSON. Every capture has `field`, `value`,
`support`, `supporters` (fields) and `gives` (support per supporter). `no_support` adds `needed`; `protected` and
`blocked` name the `field`; `leaves_check` lists `checkers` (`field`, `supporters`); `not_a_move` has a `reason`; a
castling that fails has its reason in `castling`.
"""

from __future__ import annotations

from typing import Final

from scharten.errors import Problem
from scharten.game.basics import NotAMove
from scharten.game.protocol import Explanation
from scharten.games.scharten.attacks import (
    attackers,
    capturable,
    castling_fault,
    checkers_of,
    in_check,
    is_dead,
    support_of,
)
from scharten.games.scharten.board import (
    EMPTY,
    PROMOTIONS,
    THROWS,
    Field,
    K,
    N,
    P,
    field_name,
    value,
)
from scharten.games.scharten.geometry import (
    BIT,
    CASTLINGS,
    FORWARD,
    FORWARD_TWICE,
    KING,
    KNIGHT,
    LAST,
    NEIGHBOURS,
    NO_FIELD,
    PAWN,
    scan,
    slide_paths,
)
from scharten.games.scharten.position import Position, after_move
from scharten.games.scharten.turns import turns_of

ProblemArgs = dict[str, object]
WHY: Final = {
    "no_support": "the capture needs more support",
    "protected": "a piece that has not moved since it was thrown cannot be captured",
    "blocked": "something stands in the way",
    "leaves_check": "it would leave the king in check",
    "not_a_move": "there is no such move",
}


def explain_move(position: Position, origin: int, to: int, promotion: int) -> Explanation:
    """Judge a move of the side to move and give the reason."""
    refusal = why_not(position, origin, to, promotion)
    figures: ProblemArgs = {}
    possible = refusal is None or refusal.code != "not_a_move"
    if possible and is_capture(position, origin, to):
        figures = capture_args(position, origin, to)
    if refusal is None:
        return Explanation(True, None, figures)
    return Explanation(False, refusal.code, {**figures, **refusal.args})


def why_no_placement(position: Position, field: int) -> Problem | None:
    """Return why the next piece cannot be placed there, with the reasons of a lost dart (rules 6), or None."""
    side = position.mover
    name = field_name(field)
    if not position.rules.loud or position.placed[side] >= THROWS:
        return _not_a_move("nothing_to_throw")
    if position.occupied >> field & 1:
        return _refused("blocked", {"reason": "occupied", "field": name})
    if not position.rules.zones[side] >> field & 1:
        return _not_a_move("outside_zone", field=name)
    if not turns_of(position).placements() >> field & 1:
        return _refused("leaves_check", {"field": name})
    return None


def _names(fields: int) -> list[str]:
    return [field_name(at) for at in scan(fields)]


def _refused(code: str, args: ProblemArgs) -> Problem:
    return Problem(code, WHY[code], args)


def _not_a_move(reason: NotAMove, **more: object) -> Problem:
    return _refused("not_a_move", {"reason": reason, **more})


def _blocked(at: int) -> Problem:
    return _refused("blocked", {"field": field_name(at)})


def checkers_args(position: Position, side: int) -> list[ProblemArgs]:
    """Return the checking pieces and their supporters by names of fields, for messages."""
    return [{"field": field_name(at), "supporters": _names(by)} for at, by in checkers_of(position, side)]


def capture_args(position: Position, origin: int, to: int) -> ProblemArgs:
    """Return the figures of a capture: value of the field, support, and supporters."""
    side = position.mover
    others = attackers(position, side, to, position.occupied) & ~BIT[origin]
    given = {field_name(by): support_of(position, by) for by in scan(others)}
    return {
        "field": field_name(to),
        "value": value(Field(to)),
        "support": sum(given.values()),
        "supporters": list(given),
        "gives": given,
    }


def is_capture(position: Position, origin: int, to: int) -> bool:
    """Return whether this move of the mover's piece would capture, en passant included."""
    passing = to == position.ep and position.kind_at[origin] == P and PAWN[position.mover][origin] & BIT[to]
    return bool(passing) or bool(position.own[1 - position.mover] & BIT[to])


def why_not(position: Position, origin: int, to: int, promotion: int) -> Problem | None:
    """Return the first reason why this move is not legal, or None for a legal move."""
    if is_dead(position):
        return _not_a_move("game_over")
    side = position.mover
    if not position.own[side] & BIT[origin]:
        return _not_a_move(
            "not_yours" if position.own[1 - side] & BIT[origin] else "empty", field=field_name(origin)
        )
    code = position.kind_at[origin]
    if code == K and not KING[origin] & BIT[to]:
        reason = _castling_reason(position, origin, to)
    elif code == P:
        reason = _pawn_reason(position, origin, to)
    else:
        reason = _piece_reason(position, origin, to)
    return (
        reason
        or _promotion_reason(position, origin, to, promotion)
        or _capture_reason(position, origin, to)
        or _check_reason(position, origin, to, promotion)
    )


def _piece_reason(position: Position, origin: int, to: int) -> Problem | None:
    code = position.kind_at[origin]
    own = position.own[position.mover]
    if code in (N, K):
        steps = KNIGHT[origin] if code == N else KING[origin]
        if not steps & BIT[to]:
            return _not_a_move("pattern")
        return _blocked(to) if own & BIT[to] else None
    ways = [path[: path.index(Field(to))] for path in slide_paths(code, Field(origin)) if to in path]
    if not ways:
        return _not_a_move("pattern")
    occupied = position.occupied
    stops = [next((at for at in way if occupied & BIT[at]), NO_FIELD) for way in sorted(ways, key=len)]
    if NO_FIELD not in stops:
        return _blocked(stops[0])
    return _blocked(to) if own & BIT[to] else None


def _pawn_reason(position: Position, origin: int, to: int) -> Problem | None:
    side = position.mover
    occupied = position.occupied
    if PAWN[side][origin] & BIT[to]:
        return _pawn_capture_reason(position, origin, to)
    ahead = FORWARD[side][origin]
    if to == ahead:
        return _blocked(to) if occupied & BIT[to] else None
    if to != FORWARD_TWICE[side][origin]:
        return _not_a_move("pattern")
    if not position.unmoved & BIT[origin]:
        return _not_a_move("pawn_has_moved")
    if not position.rules.two_step[side] & BIT[origin]:
        return _not_a_move("not_on_home_row")
    stop = next((at for at in (ahead, to) if occupied & BIT[at]), NO_FIELD)
    return None if stop == NO_FIELD else _blocked(stop)


def _pawn_capture_reason(position: Position, origin: int, to: int) -> Problem | None:
    side = position.mover
    if position.own[side] & BIT[to]:
        return _blocked(to)
    if position.own[1 - side] & BIT[to]:
        return None
    if to != position.ep:
        return _not_a_move("nothing_to_capture")
    beside = FORWARD[1 - side][to]
    return None if NEIGHBOURS[beside] & BIT[origin] else _not_a_move("not_beside", field=field_name(beside))


def _promotion_reason(position: Position, origin: int, to: int, promotion: int) -> Problem | None:
    due = position.kind_at[origin] == P and bool(LAST[position.mover] & BIT[to])
    if due and promotion not in PROMOTIONS:
        return _not_a_move("promotion_missing" if promotion == EMPTY else "no_promotion_piece")
    if not due and promotion != EMPTY:
        return _not_a_move("promotion_not_due")
    return None


def _capture_reason(position: Position, origin: int, to: int) -> Problem | None:
    if not position.own[1 - position.mover] & BIT[to]:
        return None
    if position.kind_at[to] == K:
        return _not_a_move("king_cannot_be_captured")
    if not capturable(position, position.mover) & BIT[to]:
        return _refused("protected", {"field": field_name(to)})
    if position.kind_at[origin] == P:
        return None
    figures = capture_args(position, origin, to)
    support, worth = figures["support"], figures["value"]
    assert isinstance(support, int) and isinstance(worth, int)
    return _refused("no_support", {**figures, "needed": worth - 1}) if 1 + support < worth else None


def _check_reason(position: Position, origin: int, to: int, promotion: int) -> Problem | None:
    found = checkers_args(after_move(position, origin, to, promotion), position.mover)
    return _refused("leaves_check", {"checkers": found}) if found else None


def _castling_reason(position: Position, origin: int, to: int) -> Problem | None:
    way = next((way for way in CASTLINGS[origin] if way[2] == to), None)
    if way is None:
        return _not_a_move("pattern")
    between, passed, goal, onwards = way
    side = position.mover
    if not position.unmoved & BIT[origin]:
        return _not_a_move("castling", castling="king_moved")
    occupied = position.occupied
    if between & occupied:
        return _blocked(passed if occupied & BIT[passed] else goal)
    if in_check(position, side):
        return _refused("leaves_check", {"castling": "in_check", "checkers": checkers_args(position, side)})
    fault = castling_fault(position, passed, goal, onwards)
    if fault in ("through_check", "into_check"):
        reached = after_move(position, origin, passed if fault == "through_check" else goal)
        return _refused("leaves_check", {"castling": fault, "checkers": checkers_args(reached, side)})
    return None if fault is None else _not_a_move("castling", castling=fault)
