"""The contract as JSON Schema, made from the models that the program itself uses."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from scharten.contract.messages import Throw
from scharten.contract.models import Sheet, Snapshot
from scharten.contract.news_models import (
    AdviceModel,
    Answer,
    EventModel,
    FinishedGame,
    Forgotten,
    Health,
    HitModel,
    LightModel,
    NextPair,
    Said,
)
from scharten.contract.remote import RemoteRequest
from scharten.contract.snapshot import layout_json
from scharten.dartboard.beds import ALL_BEDS, neighbours
from scharten.games import GAMES
from scharten.match.orders import ORDERS

Schema = dict[str, object]

_MODELS: dict[str, Any] = {
    "state": Snapshot,
    "sheet": Sheet,
    "events": EventModel,
    "hits": HitModel,
    "said": Said,
    "health": Health,
    "finished": FinishedGame,
    "forgotten": Forgotten,
    "next": NextPair,
    "advice": AdviceModel,
    "light": LightModel,
    "remote": RemoteRequest,
    "command": object,
    "answer": Answer,
    "simulator/throw": Throw,
}
MESSAGE_NAMES: tuple[str, ...] = ("availability", "command", *_MODELS)


def schema(name: str) -> Schema:
    """The JSON Schema of the payload of a topic (`state`, `command`, ...); `KeyError` for a topic there is not."""
    if name == "availability":
        return {"type": "string", "enum": ["online", "offline"]}
    if name == "command":
        return ORDERS.json_schema(ref_template="#/$defs/{model}")
    return TypeAdapter(_MODELS[name]).json_schema(ref_template="#/$defs/{model}")


def reference() -> dict[str, object]:
    """Constant data for pages: each game's board, men and options, and the beds beside each bed."""
    games = {
        game.key: {
            "layout": layout_json(game.layout),
            "men": game.men,
            "options": game.options_model.model_json_schema(),
        }
        for game in GAMES
    }
    return {
        "games": games,
        "neighbours": {str(bed): [str(near) for near in neighbours(bed)] for bed in ALL_BEDS},
    }


def schemas() -> dict[str, Schema]:
    """All of them, by topic."""
    return {name: schema(name) for name in MESSAGE_NAMES}
