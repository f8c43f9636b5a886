"""Two boards, one game: which board a reading came from, and whether that board may place a piece now.

`Start.away` names the seat that throws at another board. Its readings carry that seat as their place; readings of the
house's own board carry none. A dart counts only at the board of the player to throw. The rest is shown.
"""

from __future__ import annotations

from dataclasses import replace

from scharten.match.codes import Message, WhyNotCounted
from scharten.match.dart import Dart
from scharten.match.inputs import Button, ButtonName, LinkChanged, Reading, Role
from scharten.match.orders import AddDart, AnyOrder, NewGame
from scharten.match.phases import Paused, Settling, ToMove, within
from scharten.match.requests import LAPSE_MS
from scharten.match.state import Match, Request, Step
from scharten.match.talk import paused
from scharten.match.turns.dart_rules import early_rules
from scharten.match.turns.darts import report
from scharten.match.white import Seat

EARLIEST_MS = 2_000
"""How much earlier than its arrival a dart of another board may stop the clock."""


def seat_away(match: Match) -> Seat | None:
    """The seat that throws at another board, None if both throw here."""
    return None if match.start.away is None else Seat(match.start.away)


def acting_role(match: Match, role: Role, order: AnyOrder) -> Role:
    """The table of this house speaks for its own seat while the other seat is elsewhere; its games are its own."""
    away = seat_away(match)
    if away is None or role is not Role.TABLE or not match.under_way or isinstance(order, NewGame):
        return role
    return Role.SEAT1 if away is Seat.SEAT2 else Role.SEAT2


def place_to_throw(match: Match) -> Seat | None:
    """The place whose dart counts now: the seat that is away, or None for the house's own board."""
    away, early = seat_away(match), early_rules(match)
    thrower = early.thrower(match) if early else _seat_of_side(match)
    return away if away is not None and thrower is away else None


def wrong_place(match: Match, reading: Reading) -> bool:
    """Whether the reading comes from the board of the player who waits; the undo button works at both."""
    if isinstance(reading.what, Button) and reading.what.name is ButtonName.UNDO:
        return reading.place is not None and reading.place is not seat_away(match)
    if match.start.away is None or not match.under_way:
        return reading.place is not None
    return reading.place is not _place_of_interest(match, reading)


def show_elsewhere(match: Match, reading: Reading) -> Step:
    """Show a dart in the board of the player who waits; ignore the rest."""
    dart = reading.what
    if not isinstance(dart, Dart) or not dart.beds:
        return Step(match)
    place = reading.place.value if reading.place else None
    step = Step(match).note(Message.OTHER_BOARD, bed=str(dart.beds[0][0]), place=place)
    return report(step, match, reading, dart, WhyNotCounted.OTHER_BOARD)


def prepared(match: Match, reading: Reading) -> Match:
    """The match to judge the reading in: a dart in the other board delays nobody at this one."""
    waits = isinstance(match.stable_phase, Settling) and not isinstance(match.phase, Paused)
    if match.start.away is None or not waits or _place_of_last(match) is reading.place:
        return match
    if not isinstance(reading.what, Dart) or reading.revises:
        return match
    return Step(match).enter(within(match.phase, ToMove())).match


def timed(reading: Reading) -> Reading:
    """The reading with its time at most `EARLIEST_MS` before its arrival; staleness is judged before."""
    if reading.place is None or reading.at_ms >= reading.t_ms - EARLIEST_MS:
        return reading
    return replace(reading, at_ms=reading.t_ms - EARLIEST_MS)


def ask_both(step: Step, reading: Reading) -> Step:
    """A dart that was thrown while the line was down: let its thrower's seat request that it counts."""
    match, dart = step.match, reading.what
    seat = reading.place
    due = isinstance(match.phase, Paused) and seat is not None and place_to_throw(match) is seat
    if not due or seat is None or not isinstance(dart, Dart) or not dart.beds or reading.revises:
        return step
    order = AddDart(
        v=2,
        id=f"thrown-{reading.at_ms}",
        match=match.id,
        seq=match.seq,
        type="add_dart",
        bed=str(dart.beds[0][0]),
    )
    request = Request(seat, order, 0, reading.t_ms + LAPSE_MS)
    others = tuple(waiting for waiting in match.requests if waiting.by is not seat)
    asked = step.with_(requests=(*others, request))
    return asked.show(Message.THROWN_MEANWHILE, by=seat.value, bed=str(dart.beds[0][0]), id=order.id)


def on_link(match: Match, news: LinkChanged, now: int) -> Step:
    """The line to the other board broke: clocks stand from its last sign of life on. It is back: persons resume."""
    if seat_away(match) is not news.seat or not match.under_way:
        return Step(match)
    if news.up:
        return Step(match).show(Message.LINK_BACK, seat=news.seat.value)
    if isinstance(match.phase, Paused):
        return Step(match).show(Message.LINK_LOST, seat=news.seat.value)
    since = max(match.since_ms, min(news.since_ms, now))
    return paused(match, since).show(Message.LINK_LOST, seat=news.seat.value)


def _seat_of_side(match: Match) -> Seat:
    return Seat.SEAT1 if match.side_of(Seat.SEAT1) is match.side else Seat.SEAT2


def _place_of_last(match: Match) -> Seat | None:
    """The place at which the last turn's dart hangs."""
    last = next((turn for turn in reversed(match.turns) if turn.thrown), None)
    away = seat_away(match)
    return away if last is not None and away is not None and match.side_of(away) is last.side else None


def _place_of_interest(match: Match, reading: Reading) -> Seat | None:
    """The board that matters to this reading: of the last dart for what follows it, else of the next dart."""
    settling = isinstance(match.stable_phase, Settling)
    follows = reading.revises or (settling and not isinstance(reading.what, Dart))
    return _place_of_last(match) if follows else place_to_throw(match)
