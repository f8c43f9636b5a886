"""The game that an invitation offers: its `new_game`, checked before anybody is invited to it. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from scharten.errors import Problem
from scharten.match.inputs import Actor, Role
from scharten.match.new_game import new_game
from scharten.match.orders import ORDERS, NewGame
from scharten.match.orders_table import out_of_phase
from scharten.match.settings import clock_json
from scharten.match.state import Match
from scharten.remote.invitation import Invitation
from scharten.remote.lobby import Entry
from scharten.remote.messages import Offer

FIELDS = frozenset({"game", "kind", "options", "clock", "seats", "names", "players", "abandon"})


def begin_order(
    match: Match, seat: str, fields: Mapping[str, Any], order_id: str, names: Mapping[str, str] | None = None
) -> NewGame | Problem:
    """Return the order that begins the game with this seat at another board, or why it cannot begin."""
    if unknown := fields.keys() - FIELDS:
        return Problem("malformed", f"an invitation has no {sorted(unknown)[0][:40]}")
    body = {**fields, "v": 2, "id": order_id, "type": "new_game", "match": match.id, "away": seat}
    if names:
        other = "seat1" if seat == "seat2" else "seat2"
        given = body.get("names") or {}
        body["names"] = {
            **given,
            seat: names["name"] or given.get(seat, ""),
            other: given.get(other) or names["by"],
        }
    try:
        order = ORDERS.validate_json(json.dumps(body))
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"][1:])
        return Problem("malformed", f"the invitation has a wrong field: {where[:80]}")
    assert isinstance(order, NewGame)
    if out_of_phase(match, order) is not None:
        return Problem("game_on", "a game is still going on here", cure="End it first.")
    begun = new_game(match, order, Actor(Role.TABLE, None, match.side, match.now_ms, 0))
    return begun if isinstance(begun, Problem) else order


def offer_of(match: Match, invitation: Invitation, proof: str) -> Offer:
    """Return what the guest reads before it says yes."""
    about = _about(match, invitation)
    return Offer(seat=invitation.seat, by=invitation.by, proof=proof, asks=invitation.open, **about)


def entry_of(match: Match, invitation: Invitation, link: str) -> Entry:
    """Return what the lobby shows of an open invitation."""
    return Entry(by=invitation.by, link=link, **_about(match, invitation))


def _about(match: Match, invitation: Invitation) -> dict[str, Any]:
    """Return game, kind and clock that the invitation offers."""
    order = begin_order(match, invitation.seat, invitation.order, "invited")
    step = (
        order
        if isinstance(order, Problem)
        else new_game(match, order, Actor(Role.TABLE, None, match.side, match.now_ms, 0))
    )
    if isinstance(step, Problem):
        return {"game": "", "kind": ""}
    options = step.match.options
    return {
        "game": step.match.game.key,
        "kind": options.kind,
        "clock": clock_json(options.clock),
        "rated": bool(getattr(options, "rated", False)),
    }
