"""Inputs and events as plain JSON objects, for the journal and the topics.

`decode_input(encode_input(i)) == i` for every input. Tags and keys are written out here, so that renaming a class
leaves every journal readable.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from scharten.dartboard.beds import Bed, parse_bed
from scharten.dartboard.profile import Contact
from scharten.game.basics import Json
from scharten.match.dart import Dart, Opinion
from scharten.match.events import Answered, Event, Happened, HitReport
from scharten.match.inputs import (
    Button,
    ButtonName,
    Cleared,
    Command,
    ContactStuck,
    Input,
    Knock,
    LinkChanged,
    News,
    NoDart,
    Observed,
    Reading,
    ReadingsLost,
    Receipt,
    Restarted,
    Role,
    SensorChanged,
    SensorNews,
    SensorState,
    Tick,
)
from scharten.match.orders import ORDERS
from scharten.match.white import Seat


class UnreadableInputError(ValueError):
    """A stored input that this version cannot read; the message names the fault."""


def encode_input(given: Input) -> dict[str, object]:
    """An input as a JSON object; `input` names its kind."""
    match given:
        case Reading():
            what = _encode_what(given.what)
            head = {"input": "reading", "t_ms": given.t_ms, "at_ms": given.at_ms, "sensor": given.sensor}
            second = {"revises": True} if given.revises else {}
            place = {"place": given.place.value} if given.place else {}
            return {**head, **what, "receipt": _encode_receipt(given.receipt), **second, **place}
        case SensorNews():
            head = {"input": "sensor", "t_ms": given.t_ms, "sensor": given.sensor}
            return {**head, **_encode_news(given.news), "receipt": _encode_receipt(given.receipt)}
        case Command():
            order = given.order.model_dump(mode="json", exclude_unset=True)
            return {
                "input": "command",
                "t_ms": given.t_ms,
                "role": given.role,
                "order": order,
                "seed": given.seed,
            }
        case Tick():
            return {"input": "tick", "t_ms": given.t_ms}
        case Restarted():
            return {"input": "restarted", "t_ms": given.t_ms}
        case LinkChanged():
            head = {"input": "link", "t_ms": given.t_ms, "seat": given.seat.value}
            return {**head, "up": given.up, "since_ms": given.since_ms}


def _encode_what(what: Observed) -> dict[str, object]:
    match what:
        case Dart():
            return {
                "what": "dart",
                "beds": [[str(bed), probability] for bed, probability in what.beds],
                "x_mm": what.x_mm,
                "y_mm": what.y_mm,
                "bounced": what.bounced,
                "contact": _encode_contact(what.contact),
                **({} if what.seen_ms is None else {"seen_ms": what.seen_ms}),
                **({"opinions": encode_opinions(what.opinions)} if what.opinions else {}),
            }
        case NoDart():
            bed = None if what.bed is None else str(what.bed)
            return {"what": "no_dart", "contact": _encode_contact(what.contact), "bed": bed}
        case Knock():
            return {"what": "knock", "peak": what.peak}
        case Button():
            return {"what": "button", "name": what.name}
        case Cleared():
            return {"what": "cleared"}


def _encode_news(news: News) -> dict[str, object]:
    match news:
        case ContactStuck():
            bed = None if news.bed is None else str(news.bed)
            contact = _encode_contact(news.contact)
            return {"news": "stuck", "contact": contact, "bed": bed, "stuck": news.stuck}
        case ReadingsLost():
            total = None if news.total is None else list(news.total)
            return {"news": "lost", "count": news.count, "total": total}
        case SensorChanged():
            reason = {"reason": news.reason} if news.reason else {}
            return {"news": "state", "state": news.state, "detail": news.detail, **reason}


def encode_opinions(opinions: tuple[Opinion, ...]) -> list[dict[str, object]]:
    """Encode each sensor's reading of a dart as JSON."""
    return [
        {
            "source": opinion.sensor,
            "bed": None if opinion.bed is None else str(opinion.bed),
            "probability": opinion.probability,
        }
        for opinion in opinions
    ]


def _encode_contact(contact: Contact | None) -> list[int] | None:
    return None if contact is None else [contact.drive, contact.sense]


def _encode_receipt(receipt: Receipt | None) -> list[int] | None:
    return None if receipt is None else [receipt.session, receipt.number]


def decode_input(raw: Json) -> Input:
    """The input that `encode_input` wrote; `UnreadableInputError` for anything else."""
    try:
        given = _INPUTS[raw["input"]](raw)
        if unknown := raw.keys() - encode_input(given).keys():
            raise ValueError(f"nothing is known of {', '.join(sorted(unknown))}")
        return given
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise UnreadableInputError(f"this input cannot be read: {error}") from error


def _decode_reading(raw: Json) -> Reading:
    what = _WHATS[raw["what"]](raw)
    receipt = _decode_receipt(raw["receipt"])
    place = Seat(raw["place"]) if "place" in raw else None
    return Reading(raw["t_ms"], raw["at_ms"], raw["sensor"], what, receipt, raw.get("revises", False), place)


def _decode_news(raw: Json) -> SensorNews:
    news = _NEWS[raw["news"]](raw)
    return SensorNews(raw["t_ms"], raw["sensor"], news, _decode_receipt(raw["receipt"]))


def _decode_command(raw: Json) -> Command:
    # From Python objects strict models want tuples where JSON has lists: read it as JSON again.
    order = ORDERS.validate_json(json.dumps(raw["order"]))
    return Command(raw["t_ms"], Role(raw["role"]), order, raw["seed"])


def _decode_dart(raw: Json) -> Dart:
    beds = tuple((decode_bed(text), float(probability)) for text, probability in raw["beds"])
    opinions = tuple(
        Opinion(opinion["source"], opinion["bed"] and decode_bed(opinion["bed"]), opinion["probability"])
        for opinion in raw.get("opinions", ())
    )
    contact = _decode_contact(raw["contact"])
    return Dart(beds, raw["x_mm"], raw["y_mm"], raw["bounced"], contact, raw.get("seen_ms"), opinions)


def _decode_no_dart(raw: Json) -> NoDart:
    bed = None if raw["bed"] is None else decode_bed(raw["bed"])
    return NoDart(_decode_contact(raw["contact"]), bed)


def _decode_stuck(raw: Json) -> ContactStuck:
    bed = None if raw["bed"] is None else decode_bed(raw["bed"])
    return ContactStuck(Contact(*raw["contact"]), bed, raw["stuck"])


def _decode_lost(raw: Json) -> ReadingsLost:
    session, number = raw["total"] or (0, 0)
    return ReadingsLost(raw["count"], (session, number) if raw["total"] else None)


def _decode_contact(raw: Any) -> Contact | None:
    return None if raw is None else Contact(*raw)


def _decode_receipt(raw: Any) -> Receipt | None:
    return None if raw is None else Receipt(*raw)


def decode_bed(text: str) -> Bed:
    """The bed of that name; `ValueError` for anything else."""
    bed = parse_bed(text)
    if bed is None:
        raise ValueError(f"{text!r} is not a bed")
    return bed


_INPUTS: dict[str, Callable[[Json], Input]] = {
    "reading": _decode_reading,
    "sensor": _decode_news,
    "command": _decode_command,
    "tick": lambda raw: Tick(raw["t_ms"]),
    "restarted": lambda raw: Restarted(raw["t_ms"]),
    "link": lambda raw: LinkChanged(raw["t_ms"], Seat(raw["seat"]), bool(raw["up"]), raw["since_ms"]),
}
_WHATS: dict[str, Callable[[Json], Observed]] = {
    "dart": _decode_dart,
    "knock": lambda raw: Knock(raw["peak"]),
    "no_dart": _decode_no_dart,
    "button": lambda raw: Button(ButtonName(raw["name"])),
    "cleared": lambda raw: Cleared(),
}
_NEWS: dict[str, Callable[[Json], News]] = {
    "stuck": _decode_stuck,
    "lost": _decode_lost,
    "state": lambda raw: SensorChanged(SensorState(raw["state"]), raw["detail"], raw.get("reason", "")),
}


def encode_event(event: Event) -> dict[str, object]:
    """An event as the JSON object of its topic: `hits` for darts, `answer/<role>` for answers, else `events`."""
    match event:
        case Answered():
            return dict(event.body)
        case HitReport():
            written = {attribute.name: getattr(event, attribute.name) for attribute in fields(event)}
            bed = None if event.bed is None else str(event.bed)
            written["opinions"] = encode_opinions(event.opinions)
            return {"v": 2, **written, "bed": bed, "beds": [str(bed) for bed in event.beds]}
        case Happened():
            return {
                "v": 2,
                "match": event.match,
                "seq": event.seq,
                "t_ms": event.t_ms,
                "code": event.code,
                "args": dict(event.args),
            }
