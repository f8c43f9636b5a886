"""Test whether a broker enforces the contract's access table: each account tries what it may not do.

Every account subscribes to all topics of a board and writes on each topic that is not its own. The messages have an
unknown type, so a host refuses them; none is retained.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from scharten.club_broker.fitness import Trial, TrialClient
from scharten.club_broker.mosquitto import username
from scharten.contract.roles import Account, Acl
from scharten.contract.topics import BROADCAST, COMMAND_ROLES, PAGE_LIGHT, Topic, Topics
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress, Credentials
from scharten.system.secrets import load_or_make, read_password

WAIT_S = 20.0
"""Upper bound on the wait for messages that must arrive; others have until then plus `GRACE_S`."""
GRACE_S = 0.5
PROBE = "probe"
"""The type of the trial's messages, which no host knows."""
TRIES = 3
"""A cluster that elects a leader keeps new clients waiting for seconds."""


class TriedMessage(NamedTuple):
    """A message that arrived: who wrote it (None: without an account), and where."""

    sender: Account | None
    topic: str


@dataclass(slots=True)
class _Attempts:
    """The accounts' connections, and the sender of each attempt by message id.

    Each account reads on one connection and writes on another: some brokers disconnect a client after a denied write.
    """

    address: BrokerAddress
    topics: Topics
    clients: dict[Account | None, TrialClient] = field(default_factory=dict)
    senders: dict[Account | None, TrialClient] = field(default_factory=dict)
    logins: dict[Account | None, Credentials | None] = field(default_factory=dict)
    sent: dict[str, Account | None] = field(default_factory=dict)

    def send(self, sender: Account | None, topic: str) -> None:
        name = f"probe-{secrets.token_hex(8)}"
        self.sent[name] = sender
        body = {"v": 2, "id": name, "type": PROBE}
        writer = self.senders[sender]
        if not writer.send(topic, json.dumps(body).encode()):
            writer.close()
            self.senders[sender] = self._connected(self.logins[sender], writer.five)

    def enter(self, account: Account | None, login: Credentials | None, five: bool) -> bool:
        """Connect an account twice, in MQTT 5 if `five`; return whether the broker accepted it."""
        receives, writes = self._connected(login, five), self._connected(login, five)
        if receives.connected and writes.connected:
            self.clients[account], self.senders[account], self.logins[account] = receives, writes, login
            return True
        receives.close()
        writes.close()
        return False

    def _connected(self, login: Credentials | None, five: bool) -> TrialClient:
        return TrialClient(self.address.for_account(login), five=five)

    def close(self) -> None:
        """Close all connections."""
        for client in (*self.clients.values(), *self.senders.values()):
            client.close()

    def received(self) -> Iterator[tuple[Account | None, TriedMessage]]:
        """Yield the receiver, sender and topic of each new message.

        The topic is where it arrived: our own broker moves a seat's dart to the seat's own topic.
        """
        for receiver, client in self.clients.items():
            for topic, payload, _ in client.drained():
                body = json.loads(payload) if payload[:1] == b"{" else {}
                if not isinstance(body, dict) or body.get("type") != PROBE:
                    continue  # such as the answer of a host that runs meanwhile
                if body.get("id") in self.sent:
                    yield receiver, TriedMessage(self.sent[body["id"]], topic)


def every_topic(topics: Topics) -> tuple[str, ...]:
    """Return a topic of each kind, with every role's command and answer."""
    plain = [topics.path(topic) for topic in (*BROADCAST, Topic.NEXT, Topic.THROW)]
    by_role = [topic_of(role) for role in COMMAND_ROLES for topic_of in (topics.command, topics.answer)]
    records = [topics.forgotten(Account.HOST), topics.forgotten(Account.ORGANISER), topics.finished(0)]
    return (*plain, f"{topics.root}/{PAGE_LIGHT}", *by_role, *records)


def read_topics(text: str) -> Topics:
    """Parse `scharten/home/board1`."""
    try:
        return Topics(*text.split("/"))
    except (TypeError, ValueError) as error:
        raise SchartenError.coded("names_no_board", text=text) from error


def logins_in(folder: Path, topics: str) -> dict[Account, Credentials]:
    """Return the logins in a folder of `broker-config`, or those of a board's own `secrets.json`."""
    own = folder / "secrets.json"
    if own.exists():
        return {account: Credentials(account.value, secret) for account, secret in load_or_make(own).items()}
    if not folder.is_dir():
        raise SchartenError.coded("no_secrets_folder", folder=folder)
    board = read_topics(topics).board
    found = {account: folder / username(board, account) for account in Account}
    return {
        account: Credentials(path.name, read_password(path))
        for account, path in found.items()
        if path.exists()
    }


def access_trials(
    address: BrokerAddress, topics: Topics, logins: Mapping[Account, Credentials]
) -> Iterator[Trial]:
    """Try every account with a login; host and web must be among them."""
    if missing := {Account.HOST, Account.WEB} - set(logins):
        names = ", ".join(sorted(missing))
        raise SchartenError.coded("passwords_missing", names=names)
    attempts = _Attempts(address, topics)
    versions: tuple[bool, ...] = (True, False)
    try:
        for account, login in (*logins.items(), (None, None)):
            entered = any(attempts.enter(account, login, five) for five in versions)
            if account is not None:
                yield Trial("let_in", entered, {"account": account})
            if entered:
                attempts.clients[account].listen((f"{topics.root}/#", *every_topic(topics)))
                versions = (attempts.clients[account].five,) * TRIES
        if {Account.HOST, Account.WEB} <= set(attempts.clients):
            yield from _kept_apart(attempts)
    finally:
        attempts.close()


def _kept_apart(attempts: _Attempts) -> Iterator[Trial]:
    acl, topics = Acl(attempts.topics), every_topic(attempts.topics)
    for sender in attempts.clients:
        for topic in topics:
            if sender is None or not acl.may_publish(sender, topic):
                attempts.send(sender, topic)
    commands = [attempts.topics.command(role) for role in COMMAND_ROLES]
    for topic in commands:
        attempts.send(Account.WEB, topic)
    for role in COMMAND_ROLES:
        attempts.send(Account.HOST, attempts.topics.answer(role))
    came = _all_that_comes(attempts, {(Account.HOST, TriedMessage(Account.WEB, topic)) for topic in commands})
    received = {message.topic for receiver, message in came if receiver is Account.HOST}
    yield Trial("commands", received >= set(commands))
    wrote: dict[Account | None, set[str]] = {sender: set() for sender in attempts.clients}
    read: dict[Account | None, set[str]] = {sender: set() for sender in attempts.clients}
    came -= _passed_on(came, attempts.topics)
    for receiver, (sender, topic) in came:
        if sender is None or not acl.may_publish(sender, topic):
            wrote[sender].add(topic)
        elif receiver is None or not acl.may_receive(receiver, topic):
            read[receiver].add(topic)
    for account in attempts.clients:
        yield _judged("writes", account, wrote[account], attempts.topics)
        yield _judged("reads", account, read[account], attempts.topics)


def _passed_on(
    came: set[tuple[Account | None, TriedMessage]], topics: Topics
) -> set[tuple[Account | None, TriedMessage]]:
    """Return the darts of seats that a running host received on their own topics and passed on to all."""
    own = {
        message.sender
        for _, message in came
        if message.sender and message.topic == topics.throw(message.sender)
    }
    return {item for item in came if item[1].sender in own and item[1].topic == topics.path(Topic.THROW)}


def _judged(code: str, account: Account | None, topics: set[str], where: Topics) -> Trial:
    names = ", ".join(sorted(topic.removeprefix(f"{where.root}/") for topic in topics))
    return Trial(
        code if account else f"{code}_nobody", not topics, {"account": account or "", "topics": names}
    )


def _all_that_comes(
    attempts: _Attempts, wanted: set[tuple[Account | None, TriedMessage]]
) -> set[tuple[Account | None, TriedMessage]]:
    """Wait for the wanted messages and `GRACE_S` more; return all received ones."""
    came: set[tuple[Account | None, TriedMessage]] = set()
    until = time.monotonic() + WAIT_S
    while not wanted <= came and time.monotonic() < until:
        time.sleep(0.05)
        came |= set(attempts.received())
    time.sleep(GRACE_S)
    return came | set(attempts.received())
