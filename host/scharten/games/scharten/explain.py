"""Why a move is or is not legal, in codes with figures, for players who ask (rules 4; contract `explain`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scharten.games.scharten import kernel, reasons
from scharten.games.scharten.moves import Move
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.position import Position, kernel_state


@dataclass(frozen=True)
class Explanation:
    """`code` is None for a legal move, else no_support, protected, blocked, leaves_check or not_a_move.

    `args` fits into JSON. For every capture: `field`, `value`, `support`, `supporters` (fields) and `gives` (support
    per supporter). `no_support` adds `needed`; `protected` and `blocked` name the `field`; `leaves_check` lists
    `checkers` (`field`, `supporters`); `not_a_move` has a `reason`; a castling that fails says why in `castling`.
    """

    legal: bool
    code: str | None
    args: Mapping[str, object]


def explain(position: Position, move: Move, options: RuleOptions) -> Explanation:
    """Judge one move of the side to move and say why."""
    state = kernel_state(position, options)
    promotion = kernel.EMPTY if move.promotion is None else kernel.CODES[move.promotion]
    refusal = reasons.why_not(state, move.origin, move.to, promotion)
    figures: reasons.Args = {}
    possible = refusal is None or refusal.code != "not_a_move"
    if possible and reasons.is_capture(state, move.origin, move.to):
        figures = reasons.capture_args(state, move.origin, move.to)
    if refusal is None:
        return Explanation(True, None, figures)
    return Explanation(False, refusal.code, {**figures, **refusal.args})
