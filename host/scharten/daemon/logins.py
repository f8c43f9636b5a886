"""Start or find the daemon's broker, and log the board's accounts in there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from scharten.broker.accounts import Accounts
from scharten.broker.embedded import EmbeddedBroker, listening
from scharten.broker.session import Denied
from scharten.config import BrokerSection
from scharten.contract.roles import Account, Acl
from scharten.contract.topics import Topics
from scharten.mqtt.address import BrokerAddress, Credentials, parse_url, stored_login
from scharten.system import secrets
from scharten.system.loop_thread import LoopThread, RestartedServer

LINKED = (Account.TABLE, Account.SEAT1, Account.SEAT2, Account.ARBITER)
"""The roles whose pages need a secret link."""


def load_secrets(path: Path, new_links: bool) -> dict[Account, str]:
    """Return the accounts' secrets; `new_links` replaces those in people's links."""
    return secrets.renew(path, LINKED) if new_links else secrets.load_or_make(path)


class BrokerLogins:
    """The broker's address, with the login of each account."""

    def __init__(self, config: BrokerSection, topics: Topics, known: Mapping[Account, str]) -> None:
        self._config, self._topics, self._secrets = config, topics, known
        self._embedded = config.url == "embedded"
        self.denied: list[Denied] = []
        """Called with each write that the embedded broker denies."""
        self.address: BrokerAddress

    def start(self, port: int = 0) -> RestartedServer[EmbeddedBroker] | None:
        """Start the embedded broker, on `port` unless that is 0; return None for an external broker."""
        config = self._config
        if not self._embedded:
            self.address = parse_url(config.url, Path(config.ca_file) if config.ca_file else None)
            return None
        fixed = not port and "port" in config.model_fields_set

        def serve(port: int, fixed: bool = True) -> LoopThread[EmbeddedBroker]:
            return listening(Accounts(self._secrets), Acl(self._topics), port, fixed, self._denied)

        broker = serve(port or config.port, fixed)
        self.address = BrokerAddress("127.0.0.1", broker.server.port)
        return RestartedServer(broker, lambda: serve(self.address.port))

    def _denied(self, account: Account, topic: str) -> None:
        for listener in self.denied:
            listener(account, topic)

    def address_for(self, account: Account) -> BrokerAddress:
        """Return the broker's address with this account's login."""
        return self.address.for_account(self._login(account))

    def endpoint(self, account: Account) -> dict[str, object]:
        """Return the same as JSON, for the file of a child process."""
        address = self.address_for(account)
        where: dict[str, object] = {"host": address.host, "port": address.port, "tls": address.tls}
        where |= {"ca_file": str(address.ca_file.resolve())} if address.ca_file else {}
        login = address.account
        who = {"username": login.username, "password": login.password} if login else {}
        return {**where, **asdict(self._topics), **who}

    def _login(self, account: Account) -> Credentials | None:
        if self._embedded:
            return Credentials(account.value, self._secrets[account])
        return stored_login(self._config.credentials, self._topics.board, account)
