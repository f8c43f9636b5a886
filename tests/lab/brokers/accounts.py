"""A board's accounts in each broker's own configuration, made from the contract's table; and one for the doctor."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from scharten.club_broker.mosquitto import ClubBroker, acl_text, conf_text, password_text, username
from scharten.club_broker.nats import NatsClub, NatsNode, nats_text
from scharten.contract.roles import Account, Acl, Grant
from scharten.contract.topics import Topics
from scharten.mqtt.address import Credentials
from scharten.system.secrets import new_secret, write_private

TOPICS = Topics("scharten", "home", "board1")
DOCTOR = "doctor"
"""The doctor's account has all rights below the prefix, because its trials use topics of their own."""
ANYTHING = ("scharten/#",)
PASSWORDS: Mapping[str, str] = {
    name: new_secret() for name in (DOCTOR, *(username(TOPICS.board, account) for account in Account))
}


def login(name: str) -> Credentials:
    """Return the login of an account, by its name at the broker."""
    return Credentials(name, PASSWORDS[name])


def logins() -> dict[Account, Credentials]:
    """Return the login of each of the board's accounts."""
    return {account: login(username(TOPICS.board, account)) for account in Account}


def write_passwords(folder: Path) -> Path:
    """Write a folder with a file for each account, as a board gets it."""
    for name, password in PASSWORDS.items():
        write_private(folder / name, f"{password}\n")
    return folder


def grants() -> dict[str, Grant]:
    """Return the topics that each account may read and write, by its name at the broker."""
    acl = Acl(TOPICS)
    return {username(TOPICS.board, account): acl.grant(account) for account in Account} | {
        DOCTOR: Grant(ANYTHING, ANYTHING)
    }


def mosquitto(folder: Path, port: int) -> Path:
    """Return the configuration as `scharten broker-config` writes it."""
    club = ClubBroker((TOPICS.board,), port=port, house_port=port + 1)
    (folder / "acl").write_text(f"{acl_text(club)}\nuser {DOCTOR}\ntopic readwrite {ANYTHING[0]}\n")
    (folder / "passwords").write_text(password_text(PASSWORDS, {name: os.urandom(12) for name in PASSWORDS}))
    conf = folder / "mosquitto.conf"
    conf.write_text(f"user root\n{conf_text(club, folder / 'passwords', folder / 'acl')}")
    return conf


def nats(folder: Path, ports: list[int]) -> list[tuple[int, Path]]:
    """Return port and configuration of each node as `broker-config --for nats` writes them, with the doctor's
    account."""
    places = [ports[at : at + 3] for at in range(0, len(ports), 3)]
    nodes = tuple(
        NatsNode(f"node{number}", "127.0.0.1", "127.0.0.1", *three) for number, three in enumerate(places)
    )
    club = NatsClub((TOPICS.board,), nodes)
    secrets = {name: PASSWORDS.get(name) or new_secret() for name in club.accounts()}
    made = []
    for node in nodes:
        head, text = nats_text(club, node, secrets, folder / node.name).split("\n", 1)
        conf = json.loads(text)
        doctor = {"allow": [f"{TOPICS.prefix}.>", "$MQTT.sub.>"]}
        user = {
            "user": DOCTOR,
            "password": PASSWORDS[DOCTOR],
            "permissions": {"publish": doctor, "subscribe": doctor},
        }
        conf["authorization"]["users"].append(user)
        path = folder / f"{node.name}.conf"
        path.write_text(f"{head}\n{json.dumps(conf)}\n")
        made.append((node.mqtt_port, path))
    return made


def rabbitmq() -> str:
    """Return the definitions: rights to bind and write, as patterns over topics with dots."""
    own = "^mqtt-subscription-.*$"
    exchange = r"^(mqtt-subscription-.*|amq\.topic)$"
    return json.dumps(
        {
            "vhosts": [{"name": "/"}],
            "users": [_rabbitmq_user(name) for name in PASSWORDS],
            "permissions": [
                {"user": name, "vhost": "/", "configure": own, "write": exchange, "read": exchange}
                for name in PASSWORDS
            ],
            "topic_permissions": [
                {
                    "user": name,
                    "vhost": "/",
                    "exchange": "amq.topic",
                    "write": _pattern(grant.writes),
                    "read": _pattern(grant.reads),
                }
                for name, grant in grants().items()
            ],
        }
    )


def _rabbitmq_user(name: str) -> dict[str, str]:
    salt = os.urandom(4)
    digest = hashlib.sha256(salt + PASSWORDS[name].encode()).digest()
    return {
        "name": name,
        "password_hash": base64.b64encode(salt + digest).decode(),
        "hashing_algorithm": "rabbit_password_hashing_sha256",
        "tags": "",
    }


def _pattern(filters: Iterable[str]) -> str:
    entry = (
        re.escape(item).replace("/", r"\.").replace(r"\+", "[^.]+").replace(r"\#", ".+") for item in filters
    )
    return f"^({'|'.join(entry)})$"


def ejabberd() -> str:
    """Return the options of `mod_mqtt`: the users of each filter, with those who hold a wider one."""
    return f"{{access_publish: {_rules('writes')}, access_subscribe: {_rules('reads')}}}"


def _rules(what: str) -> str:
    held = {name: getattr(grant, what) for name, grant in grants().items()}
    rules: dict[str, list[dict[str, object]]] = {}
    for wanted in sorted({item for filters in held.values() for item in filters} - set(ANYTHING)):
        users = [name for name, filters in held.items() if any(_covers(item, wanted) for item in filters)]
        rules[wanted] = _each(users)
    rules[ANYTHING[0]] = _each([DOCTOR])
    return json.dumps(rules)


def _each(users: Iterable[str]) -> list[dict[str, object]]:
    """Return a rule for each user: ejabberd would require one rule with several users to match all of them."""
    allowed: list[dict[str, object]] = [{"allow": {"user": f"{name}@localhost"}} for name in users]
    return [*allowed, {"deny": "all"}]


def _covers(wide: str, narrow: str) -> bool:
    ours, theirs = wide.split("/"), narrow.split("/")
    if ours[-1] == "#":
        return theirs[: len(ours) - 1] == ours[:-1]
    return len(ours) == len(theirs) and all(a in ("+", b) for a, b in zip(ours, theirs, strict=True))
