"""Why a turn is not legal, as a value with a code and figures (rules 3 to 6; codes of the MQTT contract).

Found step by step from the rules, apart from the quick generator in `kernel`; tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scharten.games.scharten import kernel
from scharten.games.scharten.attacks import (
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
)
from scharten.games.scharten.board import Field, field_name, value
from scharten.games.scharten.geometry import DIAGONALS, LINE_PATHS, ring_paths
from scharten.games.scharten.kernel import EMPTY, B, K, N, P, Q, R, State

Args = dict[str, object]


@dataclass(frozen=True)
class Illegal:
    """A turn that may not be played: `code` is no_support, protected, blocked, leaves_check or not_a_move.

    `args` says more in words and figures that fit into JSON: fields by name, value and support as numbers.
    """

    code: str
    args: Mapping[str, object] = field(default_factory=dict)


def _name(at: int) -> str:
    return field_name(Field(at))


def _names(fields: int) -> list[str]:
    return [_name(at) for at in scan(fields)]


def _not_a_move(reason: str, **more: object) -> Illegal:
    return Illegal("not_a_move", {"reason": reason, **more})


def _blocked(at: int) -> Illegal:
    return Illegal("blocked", {"field": _name(at)})


def checkers_of(state: State, side: int) -> list[tuple[int, int]]:
    """The enemy pieces that could capture this side's king, each with the set of its supporters.

    Supporters are listed only where the capture needs support: not for a pawn, nor on a field of value 1.
    """
    at = state.kings[side]
    them = 1 - side
    attacking = kernel.attackers(state, them, at, state.own[0] | state.own[1])
    found = []
    for origin in scan(attacking):
        free = value(Field(at)) == 1 or state.kind_at[origin] == P
        if free or kernel.supported(state, them, origin, BIT[at]):
            found.append((origin, 0 if free else attacking & ~BIT[origin]))
    return found


def checkers_args(state: State, side: int) -> list[Args]:
    """The same in names, as messages carry it."""
    return [{"field": _name(at), "supporters": _names(by)} for at, by in checkers_of(state, side)]


def capture_args(state: State, origin: int, to: int) -> Args:
    """The figures of a capture: value of the field, support present, and who gives it."""
    side = state.side
    others = kernel.attackers(state, side, to, state.own[0] | state.own[1]) & ~BIT[origin]
    given = {_name(by): support_of(state, by) for by in scan(others)}
    return {
        "field": _name(to),
        "value": value(Field(to)),
        "support": sum(given.values()),
        "supporters": list(given),
        "gives": given,
    }


def support_of(state: State, by: int) -> int:
    """What the piece on `by` gives as support: its field's value, a pawn 1; with option `count` always 1."""
    return 1 if state.rules.counts or state.kind_at[by] == P else value(Field(by))


def is_capture(state: State, origin: int, to: int) -> bool:
    """Whether this move of the mover's piece would take something, en passant included."""
    passing = to == state.ep and state.kind_at[origin] == P and PAWN[state.side][origin] & BIT[to]
    return bool(passing) or bool(state.own[1 - state.side] & BIT[to])


def why_not(state: State, origin: int, to: int, promotion: int) -> Illegal | None:
    """The first reason why this move is not legal, or None for a legal move."""
    if kernel.is_dead(state):
        return _not_a_move("game_over")
    side = state.side
    if not state.own[side] & BIT[origin]:
        return _not_a_move("not_yours" if state.own[1 - side] & BIT[origin] else "empty", field=_name(origin))
    code = state.kind_at[origin]
    if code == K and not KING[origin] & BIT[to]:
        reason = _castling_reason(state, origin, to)
    elif code == P:
        reason = _pawn_reason(state, origin, to)
    else:
        reason = _piece_reason(state, origin, to)
    return (
        reason
        or _promotion_reason(state, origin, to, promotion)
        or _capture_reason(state, origin, to)
        or _check_reason(state, origin, to, promotion)
    )


def _piece_reason(state: State, origin: int, to: int) -> Illegal | None:
    code = state.kind_at[origin]
    own = state.own[state.side]
    if code in (N, K):
        steps = KNIGHT[origin] if code == N else KING[origin]
        if not steps & BIT[to]:
            return _not_a_move("pattern")
        return _blocked(to) if own & BIT[to] else None
    ways = [path[: path.index(Field(to))] for path in _paths(code, origin) if to in path]
    if not ways:
        return _not_a_move("pattern")
    occupied = state.own[0] | state.own[1]
    stops = [next((at for at in way if occupied & BIT[at]), NO_FIELD) for way in sorted(ways, key=len)]
    if NO_FIELD not in stops:
        return _blocked(stops[0])
    return _blocked(to) if own & BIT[to] else None


def _paths(code: int, origin: int) -> list[tuple[Field, ...]]:
    at = Field(origin)
    paths: list[tuple[Field, ...]] = []
    if code in (R, Q):
        paths += [*ring_paths(at), *LINE_PATHS[at]]
    if code in (B, Q):
        paths += [half for pair in DIAGONALS[at] for half in pair]
    return paths


def _pawn_reason(state: State, origin: int, to: int) -> Illegal | None:
    side = state.side
    occupied = state.own[0] | state.own[1]
    if PAWN[side][origin] & BIT[to]:
        return _pawn_capture_reason(state, origin, to)
    one = FORWARD[side][origin]
    if to == one:
        return _blocked(to) if occupied & BIT[to] else None
    if to != FORWARD_TWICE[side][origin]:
        return _not_a_move("pattern")
    if not state.unmoved & BIT[origin]:
        return _not_a_move("pawn_has_moved")
    if not state.rules.two_step[side] & BIT[origin]:
        return _not_a_move("not_on_home_row")
    stop = next((at for at in (one, to) if occupied & BIT[at]), NO_FIELD)
    return None if stop == NO_FIELD else _blocked(stop)


def _pawn_capture_reason(state: State, origin: int, to: int) -> Illegal | None:
    side = state.side
    if state.own[side] & BIT[to]:
        return _blocked(to)
    if state.own[1 - side] & BIT[to]:
        return None
    if to != state.ep:
        return _not_a_move("nothing_to_capture")
    beside = FORWARD[1 - side][to]
    return None if NEIGHBOURS[beside] & BIT[origin] else _not_a_move("not_beside", field=_name(beside))


def _promotion_reason(state: State, origin: int, to: int, promotion: int) -> Illegal | None:
    due = state.kind_at[origin] == P and bool(LAST[state.side] & BIT[to])
    if due and promotion not in kernel.PROMOTION_CODES:
        return _not_a_move("promotion_missing")
    if not due and promotion != EMPTY:
        return _not_a_move("promotion_not_due")
    return None


def _capture_reason(state: State, origin: int, to: int) -> Illegal | None:
    if not state.own[1 - state.side] & BIT[to]:
        return None
    if state.kind_at[to] == K:
        return _not_a_move("king_cannot_be_captured")
    if not kernel.capturable(state, state.side) & BIT[to]:
        return Illegal("protected", {"field": _name(to)})
    if state.kind_at[origin] == P:
        return None
    figures = capture_args(state, origin, to)
    support, worth = figures["support"], figures["value"]
    assert isinstance(support, int) and isinstance(worth, int)
    return Illegal("no_support", {**figures, "needed": worth - 1}) if 1 + support < worth else None


def _check_reason(state: State, origin: int, to: int, promotion: int) -> Illegal | None:
    found = checkers_args(state.after_move(origin, to, promotion), state.side)
    return Illegal("leaves_check", {"checkers": found}) if found else None


def _castling_reason(state: State, origin: int, to: int) -> Illegal | None:
    way = next((way for way in CASTLINGS[origin] if way[2] == to), None)
    if way is None:
        return _not_a_move("pattern")
    between, passed, goal, onwards = way
    side = state.side
    if not state.unmoved & BIT[origin]:
        return _not_a_move("castling", castling="king_moved")
    occupied = state.own[0] | state.own[1]
    if between & occupied:
        return _blocked(passed if occupied & BIT[passed] else goal)
    if kernel.in_check(state, side):
        return Illegal("leaves_check", {"castling": "in_check", "checkers": checkers_args(state, side)})
    fault = kernel.castling_fault(state, passed, goal, onwards)
    if fault in ("through_check", "into_check"):
        there = state.after_move(origin, passed if fault == "through_check" else goal)
        return Illegal("leaves_check", {"castling": fault, "checkers": checkers_args(there, side)})
    return None if fault is None else _not_a_move("castling", castling=fault)
