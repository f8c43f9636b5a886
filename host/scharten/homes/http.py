"""HTTP to lamps and webhooks: short, to private addresses on request, and without redirections."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass, field

from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, ThreadedResolver
from aiohttp.abc import ResolveResult

from scharten.errors import detail
from scharten.homes.settings import is_public
from scharten.words import ENGLISH

TIMEOUT_S = 3.0
MOST_READ = 64 * 1024


@dataclass(frozen=True, slots=True)
class HttpOutcome:
    """The outcome of a request: its status (0: no answer), and by language an error without any address."""

    status: int
    why: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """Return the error in English, "" without one."""
        return self.why.get(ENGLISH, "")

    @property
    def good(self) -> bool:
        """Return whether the receiver accepted it."""
        return 200 <= self.status < 300


class OwnNetwork(ThreadedResolver):
    """Resolve names to addresses of the local network only, so that no DNS server can redirect elsewhere."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses; `OSError` if one is public."""
        found = await super().resolve(host, port, family)
        if any(is_public(address["host"]) for address in found):
            raise OSError(None, "the name resolves to an address outside the local network")
        return found


def session(own_network: bool) -> ClientSession:
    """Return a session without cookies, proxies or lasting connections."""
    resolver = OwnNetwork() if own_network else ThreadedResolver()
    connector = TCPConnector(resolver=resolver, family=socket.AF_UNSPEC, force_close=True, limit=8)
    return ClientSession(
        connector=connector,
        timeout=ClientTimeout(total=TIMEOUT_S),
        cookie_jar=DummyCookieJar(),
        trust_env=False,
    )


async def post(client: ClientSession, url: str, body: bytes, headers: Mapping[str, str]) -> HttpOutcome:
    """Post JSON; follow no redirection, and read nothing of the answer but its status."""
    all_headers = {"Content-Type": "application/json", "User-Agent": "scharten", **headers}
    try:
        async with client.post(url, data=body, headers=all_headers, allow_redirects=False) as answer:
            await answer.content.read(MOST_READ)
            good = 200 <= answer.status < 300
            return HttpOutcome(answer.status, {} if good else detail("http_status", status=answer.status))
    except TimeoutError:
        return HttpOutcome(0, detail("http_late", seconds=f"{TIMEOUT_S:.0f}"))
    except (ClientError, OSError, ValueError) as error:
        return HttpOutcome(0, _why(error))


def _why(error: BaseException) -> dict[str, str]:
    """Return the system's message, without the address that some messages of the library hold."""
    inner = getattr(error, "os_error", error)
    reason = getattr(inner, "strerror", None)
    return detail("http_none", error=reason or type(error).__name__)
