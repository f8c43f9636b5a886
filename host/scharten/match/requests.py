"""Requests: orders of one seat that wait for the other seat's `confirm`, for at most 30 s (contract.md)."""

from __future__ import annotations

from dataclasses import replace

from scharten.errors import Problem
from scharten.match.codes import Message, WhyRefused, not_allowed
from scharten.match.inputs import Actor
from scharten.match.orders import AnyOrder
from scharten.match.state import Match, Request, Step
from scharten.match.white import Seat

LAPSE_MS = 30_000


def ask(match: Match, order: AnyOrder, actor: Actor) -> Step:
    """Let an order wait for the other seat; it replaces the seat's earlier request."""
    seat = actor.seat or Seat.SEAT1
    request = Request(seat, order, actor.seed, actor.now + LAPSE_MS)
    others = tuple(open_request for open_request in match.requests if open_request.by is not seat)
    asked = Step(match).with_(requests=(*others, request)).answering(pending=True)
    return asked.show(Message.REQUEST, by=seat.value, type=order.type, id=order.id)


def find(match: Match, order_id: str, seat: Seat | None) -> Request | Problem:
    """The other seat's request with this id."""
    for request in match.requests:
        if request.order.id == order_id and request.by is not seat:
            return request
    return not_allowed(WhyRefused.NO_REQUEST, "there is no such request, or it has lapsed")


def without(match: Match, request: Request) -> Match:
    """The match without this request."""
    return replace(match, requests=tuple(other for other in match.requests if other is not request))


def lapse(step: Step, now: int) -> Step:
    """Drop requests whose time is up."""
    lapsed = tuple(request for request in step.match.requests if request.until_ms <= now)
    if not lapsed:
        return step
    for request in lapsed:
        step = step.note(Message.REQUEST_LAPSED, id=request.order.id, by=request.by.value)
    return step.with_(requests=tuple(request for request in step.match.requests if request not in lapsed))


def limit_waits(requests: tuple[Request, ...], now: int) -> tuple[Request, ...]:
    """The requests, none of them open for longer than `LAPSE_MS` from now."""
    latest = now + LAPSE_MS
    return tuple(
        request if request.until_ms <= latest else replace(request, until_ms=latest) for request in requests
    )


def drop_outdated(match: Match) -> Match:
    """Drop requests that were meant for an earlier state."""
    valid = tuple(request for request in match.requests if not request.order.checks_seq)
    return match if len(valid) == len(match.requests) else replace(match, requests=valid)
