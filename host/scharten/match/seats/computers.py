"""The seats that the computer plays (contract.md)."""

from __future__ import annotations

from scharten.errors import Problem
from scharten.match.codes import Message
from scharten.match.inputs import Actor
from scharten.match.orders import SetComputer
from scharten.match.state import Match, Step
from scharten.match.white import Seat


def level_of(match: Match, seat: Seat) -> int:
    """The level at which the computer plays a seat, 0 where a person does."""
    return match.computers[0 if seat is Seat.SEAT1 else 1]


def set_computer(match: Match, order: SetComputer, actor: Actor) -> Step | Problem:
    """Let the computer play a seat, or a person again."""
    level = order.level or 0
    first, second = match.computers
    levels = (level, second) if Seat(order.seat) is Seat.SEAT1 else (first, level)
    return Step(match).with_(computers=levels).show(Message.COMPUTER, seat=order.seat, level=order.level)
