"""The door for guests: a broker of its own behind TLS, with the host's account and that of one seat for one game.

It is apart from the board's broker: what an unauthenticated client does there cannot reach the game's own connections.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from scharten.broker.accounts import Accounts
from scharten.broker.embedded import EmbeddedBroker
from scharten.broker.limits import BrokerLimits
from scharten.contract.roles import Account, Acl, Grant
from scharten.contract.topics import BROADCAST, Topics
from scharten.display.listener import ConnectionLimits, Listener
from scharten.errors import SchartenError
from scharten.match.orders import SeatName
from scharten.remote.invitation import fingerprint_text
from scharten.remote.letters import digest_of, is_equal

GUEST = "guest"
"""The user name of every guest; its password tells whether it only asks, or plays a seat."""
_LIMITS = ConnectionLimits(connections=48, per_address=16)
_BROKER = BrokerLimits(
    connections=64, waiting=48, guest_packet_bytes=80 * 1024, wrong_secret_s=1.0, in_flight=500
)


@dataclass(frozen=True, slots=True)
class Certificate:
    """The host's certificate for guests, and its fingerprint as links carry it."""

    context: ssl.SSLContext
    fingerprint: str


def own_certificate(folder: Path) -> Certificate:
    """Return the certificate of the folder, made at the first use; links pin it, so names and dates do not matter."""
    from scharten.system.tls import ensure_tls  # noqa: PLC0415  (90 ms of the daemon's start, and rarely needed)

    files = ensure_tls(folder, ("localhost",), pinned=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_cert_chain(files.certificate, files.key)
    der = ssl.PEM_cert_to_DER_cert(_first_certificate(files.certificate))
    return Certificate(context, fingerprint_text(sha256(der).digest()))


def _first_certificate(path: Path) -> str:
    end = "-----END CERTIFICATE-----\n"
    return path.read_text().partition(end)[0] + end


class GuestAccounts(Accounts):
    """The host, and at most one guest: the one that asks with the letters, then the one that plays with its key."""

    def __init__(self, host_secret: str) -> None:
        super().__init__({Account.HOST: host_secret}, anonymous_display=False)
        self._asking = self._playing = ""
        self._seat = Account.SEAT2

    def admit(self, seat: SeatName, asking: str, playing: str) -> None:
        """Set the digests of the two passwords; "" admits nobody."""
        self._seat, self._asking, self._playing = Account(seat), asking, playing

    def account_of(self, username: str | None, password: str | None) -> Account | None:
        """Return the account of a login; `display` is a guest that only asks."""
        if username != GUEST:
            return super().account_of(username, password) if username == Account.HOST.value else None
        given = digest_of(password or "")
        asking, playing = is_equal(given, self._asking), is_equal(given, self._playing)
        if playing:
            return self._seat
        return Account.DISPLAY if asking else None


class GuestAcl(Acl):
    """The rights of each account at the door: topics below the board's, as in docs/contract.md."""

    def grant(self, account: Account) -> Grant:
        """Return the account's filters."""
        root, name = self.topics.root, account.value
        if account is Account.HOST:
            return Grant((f"{root}/#",), (f"{root}/#",))
        if account is Account.DISPLAY:
            return Grant((f"{root}/guest/+/offer",), (f"{root}/guest/+/accept",))
        if account not in (Account.SEAT1, Account.SEAT2):
            return Grant()
        own = f"{root}/guest/{name}"
        public = (f"{root}/{topic.value}" for topic in BROADCAST)
        return Grant(
            (*public, f"{root}/answer/{name}", f"{own}/taken", f"{own}/proof", f"{own}/shown"),
            (f"{root}/command/{name}", f"{own}/reading", f"{own}/hello", f"{own}/picture"),
        )


class Door:
    """The broker at the door, as a server of a `LoopThread`; its plain port is the host's own way in."""

    def __init__(
        self, accounts: GuestAccounts, topics: Topics, host: str, port: int, certificate: Certificate
    ) -> None:
        self.port = port
        self._host = host
        self._broker = EmbeddedBroker(
            accounts, GuestAcl(topics), port=0, limits=_BROKER, admitted=self._admitted
        )
        self._listener = Listener(self._broker.connection, certificate.context, _LIMITS)
        self._loop: asyncio.AbstractEventLoop

    @property
    def inner_port(self) -> int:
        """The port of this machine without TLS."""
        return self._broker.port

    @property
    def listening(self) -> bool:
        """Whether both ports are open."""
        return self._broker.listening and self._listener.listening

    async def start(self) -> None:
        """Listen; `SchartenError` when the port is taken."""
        self._loop = asyncio.get_running_loop()
        await self._broker.start()
        try:
            self.port = await self._listener.start(self._host, self.port)
        except OSError as error:
            await self._broker.stop()
            raise SchartenError.coded("door_port", port=self.port, why=error.strerror or error) from error

    async def stop(self) -> None:
        """Close both ports and every connection."""
        await self._listener.stop()
        await self._broker.stop()

    def drop(self, account: Account) -> None:
        """End every connection of an account; from any thread."""
        self._call(lambda: self._broker.end_sessions(account))

    def _call(self, function: Callable[[], object]) -> None:
        self._loop.call_soon_threadsafe(function)

    def _admitted(self, transport: asyncio.BaseTransport) -> None:
        self._listener.served(transport, page=True)
