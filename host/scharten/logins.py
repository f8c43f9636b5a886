"""The daemon's broker, its own or another, and how each account of the board logs in there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from scharten.config import BrokerSection
from scharten.contract.roles import Account, Acl
from scharten.contract.topics import Topics
from scharten.mqtt import secrets
from scharten.mqtt.accounts import Accounts
from scharten.mqtt.address import BrokerAddress, Credentials, parse_url
from scharten.mqtt.embedded import listening
from scharten.mqtt.session import Denied

LINKED = (Account.TABLE, Account.SEAT1, Account.SEAT2, Account.ARBITER)
"""The roles that people open a page as with a secret."""


def load_secrets(path: Path, new_links: bool) -> dict[Account, str]:
    """The secrets of the accounts; with `new_links` those that people hold are made anew."""
    return secrets.renew(path, LINKED) if new_links else secrets.load_or_make(path)


class BrokerLogins:
    """Where the broker is, and the address with the login of each account."""

    def __init__(self, config: BrokerSection, topics: Topics, known: Mapping[Account, str]) -> None:
        self._config, self._topics, self._secrets = config, topics, known
        self._embedded = config.url == "embedded"
        self.denied: list[Denied] = []
        """Hear what the embedded broker drops because its account may not write there."""
        self.address: BrokerAddress

    def start(self) -> Callable[[], object] | None:
        """Start the embedded broker and return how to stop it; another one is only looked up."""
        config = self._config
        if not self._embedded:
            self.address = parse_url(config.url, Path(config.ca_file) if config.ca_file else None)
            return None
        fixed = "port" in config.model_fields_set
        thread = listening(Accounts(self._secrets), Acl(self._topics), config.port, fixed, self._denied)
        self.address = BrokerAddress("127.0.0.1", thread.server.port)
        return thread.stop

    def _denied(self, account: Account, topic: str) -> None:
        for hear in self.denied:
            hear(account, topic)

    def of(self, account: Account) -> BrokerAddress:
        """The broker with this account's login."""
        return self.address.for_account(self._login(account))

    def endpoint(self, account: Account) -> dict[str, object]:
        """The same for a process of ours, as it reads it from a file."""
        address = self.of(account)
        where: dict[str, object] = {"host": address.host, "port": address.port, "tls": address.tls}
        where |= {"ca_file": str(address.ca_file.resolve())} if address.ca_file else {}
        login = address.account
        who = {"username": login.username, "password": login.password} if login else {}
        return {**where, **asdict(self._topics), **who}

    def _login(self, account: Account) -> Credentials | None:
        if self._embedded:
            return Credentials(account.value, self._secrets[account])
        return secrets.stored_login(self._config.credentials, self._topics.board, account)
