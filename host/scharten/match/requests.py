"""What one seat asks and the other confirms: orders that wait, for at most 30 s (contract.md)."""

from __future__ import annotations

from dataclasses import replace

from scharten.errors import Problem
from scharten.match.codes import Message, WhyRefused, not_allowed
from scharten.match.orders import AnyOrder
from scharten.match.rights import Actor
from scharten.match.state import Match, Request, Step
from scharten.match.white import Seat

LAPSE_MS = 30_000


def ask(match: Match, order: AnyOrder, actor: Actor) -> Step:
    """Let an order wait for the other seat; a seat has one open request, a newer one takes its place."""
    seat = actor.seat or Seat.SEAT1
    request = Request(seat, order, actor.seed, actor.now + LAPSE_MS)
    others = tuple(kept for kept in match.requests if kept.by is not seat)
    asked = Step(match).with_(requests=(*others, request)).answering(pending=True)
    return asked.show(Message.REQUEST, by=seat.value, type=order.type, id=order.id)


def find(match: Match, name: str, seat: Seat | None) -> Request | Problem:
    """The other seat's request of this id."""
    for request in match.requests:
        if request.order.id == name and request.by is not seat:
            return request
    return not_allowed(WhyRefused.NO_REQUEST, "there is no such request, or it has lapsed")


def without(match: Match, request: Request) -> Match:
    """The match with this request done with."""
    return replace(match, requests=tuple(kept for kept in match.requests if kept is not request))


def lapse(step: Step, now: int) -> Step:
    """Drop requests whose time is up."""
    gone = tuple(request for request in step.match.requests if request.until_ms <= now)
    if not gone:
        return step
    kept = tuple(request for request in step.match.requests if request.until_ms > now)
    for request in gone:
        step = step.note(Message.REQUEST_LAPSED, id=request.order.id, by=request.by.value)
    return step.with_(requests=kept)


def not_ahead(waiting: tuple[Request, ...], now: int) -> tuple[Request, ...]:
    """The requests, none of them open for longer than `LAPSE_MS` from now."""
    latest = now + LAPSE_MS
    return tuple(each if each.until_ms <= latest else replace(each, until_ms=latest) for each in waiting)


def outdated(match: Match) -> Match:
    """Drop requests that were meant for a state that is past."""
    kept = tuple(request for request in match.requests if not request.order.checks_seq)
    return match if len(kept) == len(match.requests) else replace(match, requests=kept)
