"""The rights of each role: the column "who" of contract.md as a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from scharten.errors import Problem
from scharten.game.basics import side_from_word
from scharten.match.codes import RefusalCode, WhyRefused, not_allowed
from scharten.match.inputs import Actor, Role
from scharten.match.orders import AnyOrder
from scharten.match.phase_table import InputKind
from scharten.match.state import Match
from scharten.match.white import Seat


class SeatRight(Enum):
    """A seat's right to an order."""

    NEVER = "neither seat"
    TO_MOVE = "the seat to move"
    EITHER = "either seat"
    CONFIRMED = "a seat, with the other's confirm"


class Meant(Enum):
    """The player an order is about, where `table` and `arbiter` act for both."""

    NOBODY = "no player"
    TO_MOVE = "the side to move, unless `side` says otherwise"
    NAMED = "the one that `side` names"


@dataclass(frozen=True, slots=True)
class Right:
    """One row: what kind of input it is, what seats may, whether the table may (the arbiter may do all).

    The organiser of a club's evening begins games, holds them and lets them go on; it corrects nothing.
    """

    what: InputKind
    seats: SeatRight
    table: bool = True
    arbiter: bool = True
    organiser: bool = False
    meant: Meant = Meant.NOBODY


_MOVER = SeatRight.TO_MOVE
_BOTH = SeatRight.CONFIRMED

RIGHTS: dict[str, Right] = {
    "new_game": Right(InputKind.NEW_GAME, _BOTH, organiser=True),
    "decide_white": Right(InputKind.DECIDE, _BOTH),
    "die": Right(InputKind.DIE, SeatRight.EITHER),
    "move": Right(InputKind.MOVE, _MOVER, meant=Meant.TO_MOVE),
    "announce_throw": Right(InputKind.ANNOUNCE, _MOVER, meant=Meant.TO_MOVE),
    "cancel_throw": Right(InputKind.CANCEL, _MOVER, meant=Meant.TO_MOVE),
    "ready": Right(InputKind.READY, _MOVER, meant=Meant.TO_MOVE),
    "miss": Right(InputKind.MISS, SeatRight.EITHER),
    "choose_bed": Right(InputKind.CHOOSE, _BOTH),
    "correct": Right(InputKind.UNDOING, _BOTH),
    "delete_dart": Right(InputKind.UNDOING, _BOTH),
    "add_dart": Right(InputKind.UNDOING, _BOTH),
    "take_back": Right(InputKind.UNDOING, _BOTH),
    "confirm": Right(InputKind.CONFIRM, SeatRight.EITHER, table=False, arbiter=False),
    "resign": Right(InputKind.RESIGN, SeatRight.EITHER, meant=Meant.NAMED),
    "offer_draw": Right(InputKind.TALK, SeatRight.EITHER, meant=Meant.NAMED),
    "answer_draw": Right(InputKind.TALK, SeatRight.EITHER),
    "claim_draw": Right(InputKind.MOVE, _MOVER, meant=Meant.TO_MOVE),
    "claim_flag": Right(InputKind.TALK, SeatRight.EITHER, meant=Meant.NAMED),
    "touch": Right(InputKind.TALK, SeatRight.NEVER, table=False, meant=Meant.TO_MOVE),
    "let_go": Right(InputKind.TALK, SeatRight.NEVER, table=False, meant=Meant.TO_MOVE),
    "adoube": Right(InputKind.TALK, SeatRight.NEVER, table=False, meant=Meant.TO_MOVE),
    "pause": Right(InputKind.PAUSE, _BOTH, organiser=True),
    "resume": Right(InputKind.RESUME, _BOTH, organiser=True),
    "set_clock": Right(InputKind.ARBITRATE, SeatRight.NEVER, table=False),
    "set_result": Right(InputKind.ARBITRATE, SeatRight.NEVER, table=False),
    "set_position": Right(InputKind.ARBITRATE, SeatRight.NEVER, table=False),
    "set_computer": Right(InputKind.COMPUTER, _BOTH),
    "virtual_throw": Right(InputKind.VIRTUAL, SeatRight.EITHER, table=False, arbiter=False),
    "advise": Right(InputKind.MOVE, _MOVER, meant=Meant.TO_MOVE),
    "practice": Right(InputKind.NEW_GAME, SeatRight.EITHER),
    "practice_dart": Right(InputKind.NEW_GAME, SeatRight.EITHER),
    "explain": Right(InputKind.EXPLAIN, SeatRight.EITHER, organiser=True),
}


def seat_of(role: Role) -> Seat | None:
    """The seat that a role is, or None."""
    return Seat(role.value) if role in (Role.SEAT1, Role.SEAT2) else None


def may_ever(role: Role, order: AnyOrder) -> Problem | None:
    """Whether this role may give such an order at all."""
    right = RIGHTS[order.type]
    if seat_of(role) is not None:
        allowed = right.seats is not SeatRight.NEVER
    else:
        allowed = {Role.TABLE: right.table, Role.ARBITER: right.arbiter}.get(role, right.organiser)
    return None if allowed else not_allowed(WhyRefused.ROLE, f"{role.value} may not {order.type}")


def actor(match: Match, role: Role, order: AnyOrder, now: int, seed: int) -> Actor | Problem:
    """Return who gives the order and for which side, or why they may not give it now."""
    right = RIGHTS[order.type]
    seat = seat_of(role)
    named = side_from_word(order.side) if order.side else None
    if seat is not None:
        side = match.side_of(seat)
        if named not in (None, side):
            return not_allowed(WhyRefused.SIDE, f"{role.value} plays {side.word}")
    elif right.meant is Meant.NAMED and named is None:
        return Problem(
            RefusalCode.MALFORMED,
            f"{order.type} from {role.value} says for which side",
            {"why": WhyRefused.SIDE},
        )
    else:
        side = named or match.side
    mover = right.meant is Meant.TO_MOVE and (seat is None or right.seats is SeatRight.TO_MOVE)
    if mover and side is not match.side:
        return Problem(
            RefusalCode.NOT_YOUR_TURN, f"it is {match.side.word}'s turn", {"side": match.side.word}
        )
    return Actor(role, seat, side, now, seed)


def needs_confirm(role: Role, order: AnyOrder) -> bool:
    """Whether the other seat has to agree first."""
    return seat_of(role) is not None and RIGHTS[order.type].seats is SeatRight.CONFIRMED
