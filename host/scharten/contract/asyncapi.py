"""The MQTT contract as an AsyncAPI 3.0 document: topics from `topics`, rights from `roles`, payloads from `schema`."""

from __future__ import annotations

from scharten.contract.roles import GRANTS, Account
from scharten.contract.schema import MESSAGE_NAMES, schema
from scharten.contract.topics import COMMAND_ROLES, FINISHED_SLOTS, RETAINED, Topic
from scharten.game.protocol import AnyGame
from scharten.games import GAMES

Document = dict[str, object]

_ABOUT = {
    Topic.AVAILABILITY: "`online` or `offline`; the host's last will publishes `offline`.",
    Topic.STATE: "The complete snapshot, at most 32 kB: a display needs nothing else.",
    Topic.SHEET: "The whole score sheet.",
    Topic.EVENTS: "Everything that happens, as it happens.",
    Topic.HITS: "Every reading of a dart, counted or not.",
    Topic.SAID: "The caller's sentence, in every language.",
    Topic.FINISHED: "One of the last eight finished games, whole: inputs and digest, for an archive.",
    Topic.FORGOTTEN: "The keys of deleted players; {teller} is `host` or `organiser`.",
    Topic.NEXT: "The pair that plays next on this board of a club's evening; null without one.",
    Topic.ADVICE: "Where to aim the dart that is due, when somebody asked; null once the turn is over.",
    Topic.LIGHT: "The light on the board changes until `back_ms`: cameras look away. `web` writes on `light/web`.",
    Topic.REMOTE: "A club's organiser invites or accepts for a match at another board; answered on answer/organiser.",
    Topic.HEALTH: "Sources, contacts, cameras, broker and version.",
    Topic.COMMAND: "Orders, at most 16 kB each, never retained; each is answered on answer/{role}.",
    Topic.ANSWER: "The answer to each order, found by its id.",
    Topic.THROW: "A throw at the simulated board; read by nothing else.",
}

_BELOW = {
    Topic.FINISHED: ("/{slot}", tuple(str(slot) for slot in range(FINISHED_SLOTS))),
    Topic.FORGOTTEN: ("/{teller}", (Account.HOST.value, Account.ORGANISER.value)),
}


def _key(topic: Topic | str) -> str:
    return str(topic).replace("simulator/throw", "throw")


def _has_role(topic: Topic) -> bool:
    return topic in (Topic.COMMAND, Topic.ANSWER)


def _channel(topic: Topic) -> Document:
    below = "/{role}" if _has_role(topic) else _BELOW.get(topic, ("", ()))[0]
    address = f"{{prefix}}/{{club}}/{{board}}/{topic.value}{below}"
    name = {"description": "1 to 32 of a-z, 0-9, _ and -"}
    roles = {"role": {"enum": list(COMMAND_ROLES)}} if _has_role(topic) else {}
    if topic in _BELOW:
        roles = {_BELOW[topic][0].strip("/{}"): {"enum": list(_BELOW[topic][1])}}
    readers = [account.value for account in Account if _may(account, topic, reading=True)]
    writers = [account.value for account in Account if _may(account, topic, reading=False)]
    return {
        "address": address,
        "description": _ABOUT[topic],
        "parameters": {
            "prefix": {**name, "default": "scharten"},
            "club": {**name, "default": "home"},
            "board": name,
            **roles,
        },
        "messages": {_key(topic): {"$ref": f"#/components/messages/{_key(topic)}"}},
        "x-written-by": writers,
        "x-read-by": readers,
    }


def _may(account: Account, topic: Topic, *, reading: bool) -> bool:
    grant = GRANTS[account]
    filters = grant.reads if reading else grant.writes
    return any(pattern == topic.value or pattern.startswith(f"{topic.value}/") for pattern in filters)


def _operation(topic: Topic) -> Document:
    received = topic in (Topic.COMMAND, Topic.THROW, Topic.REMOTE)
    return {
        "action": "receive" if received else "send",
        "channel": {"$ref": f"#/channels/{_key(topic)}"},
        "summary": _ABOUT[topic],
        "bindings": {"mqtt": {"qos": 1, "retain": topic in RETAINED, "bindingVersion": "0.2.0"}},
    }


def _options(game: AnyGame) -> Document:
    where = f"#/components/schemas/options-{game.key}/$defs/"
    moved = _moved(game.options_model.model_json_schema(), where)
    assert isinstance(moved, dict)
    return moved


def _message(name: str) -> Document:
    plain = name == Topic.AVAILABILITY.value
    return {
        "name": _key(name),
        "contentType": "text/plain" if plain else "application/json",
        "payload": {
            "schemaFormat": "application/schema+json;version=draft-2020-12",
            "schema": _inlined(name),
        },
    }


def _inlined(name: str) -> Document:
    """The schema with its own `$defs`, addressed from the whole document."""
    where = f"#/components/messages/{_key(name)}/payload/schema/$defs/"
    moved = _moved(schema(name), where)
    assert isinstance(moved, dict)
    return moved


def _moved(part: object, where: str) -> object:
    match part:
        case dict():
            return {
                key: where + value.rpartition("/")[2]
                if key == "$ref" and isinstance(value, str)
                else _moved(value, where)
                for key, value in part.items()
                if key != "discriminator"
            }
        case list():
            return [_moved(member, where) for member in part]
        case _:
            return part


def document(version: str) -> Document:
    """The whole document, as seen from the host: it sends what it publishes and receives commands and throws."""
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Scharten board",
            "version": version,
            "description": "One board on MQTT 3.1.1, JSON in UTF-8; prefix, club and board are configured.",
            "license": {"name": "GPL-3.0-or-later"},
        },
        "defaultContentType": "application/json",
        "channels": {_key(topic): _channel(topic) for topic in Topic},
        "operations": {_key(topic): _operation(topic) for topic in Topic},
        "components": {
            "messages": {_key(name): _message(name) for name in MESSAGE_NAMES},
            "schemas": {f"options-{game.key}": _options(game) for game in GAMES},
        },
    }
