"""Who may give which order: the column "who" of contract.md as a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from scharten.game.basics import Side, side_from_word
from scharten.match.inputs import Role
from scharten.match.orders import AnyOrder
from scharten.match.phases import What
from scharten.match.state import Match, Refusal
from scharten.match.white import Seat


class Seats(Enum):
    """What a seat may do with an order."""

    NEVER = "neither seat"
    TO_MOVE = "the seat to move"
    EITHER = "either seat"
    CONFIRMED = "a seat, with the other's confirm"


class Meant(Enum):
    """Which player an order is about, where `table` and `arbiter` speak for both."""

    NOBODY = "no player"
    TO_MOVE = "the side to move, unless `side` says otherwise"
    NAMED = "the one that `side` names"


@dataclass(frozen=True, slots=True)
class Right:
    """One row: what kind of input it is, what seats may, whether the table may (the arbiter may do all)."""

    what: What
    seats: Seats
    table: bool = True
    arbiter: bool = True
    meant: Meant = Meant.NOBODY


@dataclass(frozen=True, slots=True)
class Actor:
    """Who gives an order: the role, its seat if it is one, the side it is about, when, and the input's seed."""

    role: Role
    seat: Seat | None
    side: Side | None
    now: int
    seed: int


_MOVER = Seats.TO_MOVE
_BOTH = Seats.CONFIRMED

RIGHTS: dict[str, Right] = {
    "new_game": Right(What.NEW_GAME, _BOTH),
    "decide_white": Right(What.DECIDE, _BOTH),
    "move": Right(What.MOVE, _MOVER, meant=Meant.TO_MOVE),
    "announce_throw": Right(What.ANNOUNCE, _MOVER, meant=Meant.TO_MOVE),
    "cancel_throw": Right(What.CANCEL, _MOVER, meant=Meant.TO_MOVE),
    "ready": Right(What.READY, _MOVER, meant=Meant.TO_MOVE),
    "miss": Right(What.MISS, Seats.EITHER),
    "choose_bed": Right(What.CHOOSE, _BOTH),
    "correct": Right(What.UNDOING, _BOTH),
    "delete_dart": Right(What.UNDOING, _BOTH),
    "add_dart": Right(What.UNDOING, _BOTH),
    "take_back": Right(What.UNDOING, _BOTH),
    "confirm": Right(What.CONFIRM, Seats.EITHER, table=False, arbiter=False),
    "resign": Right(What.RESIGN, Seats.EITHER, meant=Meant.NAMED),
    "offer_draw": Right(What.TALK, Seats.EITHER, meant=Meant.NAMED),
    "answer_draw": Right(What.TALK, Seats.EITHER),
    "claim_draw": Right(What.TALK, _MOVER, meant=Meant.TO_MOVE),
    "claim_flag": Right(What.TALK, Seats.EITHER, meant=Meant.NAMED),
    "touch": Right(What.TALK, Seats.NEVER, table=False, meant=Meant.TO_MOVE),
    "adoube": Right(What.TALK, Seats.NEVER, table=False, meant=Meant.TO_MOVE),
    "pause": Right(What.PAUSE, Seats.NEVER),
    "resume": Right(What.RESUME, Seats.NEVER),
    "set_clock": Right(What.ARBITRATE, Seats.NEVER, table=False),
    "set_result": Right(What.ARBITRATE, Seats.NEVER, table=False),
    "set_position": Right(What.ARBITRATE, Seats.NEVER, table=False),
    "explain": Right(What.EXPLAIN, Seats.EITHER),
}


def seat_of(role: Role) -> Seat | None:
    """The seat that a role is, or None."""
    return Seat(role.value) if role in (Role.SEAT1, Role.SEAT2) else None


def may_ever(role: Role, order: AnyOrder) -> Refusal | None:
    """Whether this role may give such an order at all."""
    right = RIGHTS[order.type]
    if seat_of(role) is not None:
        allowed = right.seats is not Seats.NEVER
    else:
        allowed = right.table if role is Role.TABLE else right.arbiter
    return None if allowed else Refusal("not_allowed", f"{role.value} may not {order.type}", {"why": "role"})


def actor(match: Match, role: Role, order: AnyOrder, now: int, seed: int) -> Actor | Refusal:
    """Who gives the order and about which side, or why they may not now."""
    right = RIGHTS[order.type]
    seat = seat_of(role)
    named = side_from_word(order.side) if order.side else None
    if seat is not None:
        side = match.side_of(seat)
        if named not in (None, side):
            return Refusal("not_allowed", f"{role.value} plays {side.word}", {"why": "side"})
    elif right.meant is Meant.NAMED and named is None:
        return Refusal("malformed", f"{order.type} from {role.value} says for which side", {"why": "side"})
    else:
        side = named or match.side
    mover = right.meant is Meant.TO_MOVE and (seat is None or right.seats is Seats.TO_MOVE)
    if mover and side is not match.side:
        return Refusal("not_your_turn", f"it is {match.side.word}'s turn", {"side": match.side.word})
    return Actor(role, seat, side, now, seed)


def needs_confirm(role: Role, order: AnyOrder) -> bool:
    """Whether the other seat has to agree first."""
    return seat_of(role) is not None and RIGHTS[order.type].seats is Seats.CONFIRMED
