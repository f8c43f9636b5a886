"""Access to pages: exact lists of hosts and origins, secrets compared in constant time, limits for the rest."""

from __future__ import annotations

import hmac
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler, Middleware

from scharten.display.answers import RefusedError
from scharten.display.context import Roles
from scharten.display.missing import language_of
from scharten.errors import Problem

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; manifest-src 'self'; "
        "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


BEHIND_PROXY = {
    **HEADERS,
    "Content-Security-Policy": HEADERS["Content-Security-Policy"].replace(
        "ancestors 'none'", "ancestors 'self'"
    ),
    "X-Frame-Options": "SAMEORIGIN",
}
"""The headers for a proxy that shows the page in a frame of its own site."""
FOREIGN = RefusedError(421, Problem("foreign_name", "This server does not answer to that name."))
LOCAL = ("127.0.0.1", "::1")
_PORTS = {"http": ":80", "https": ":443"}


@dataclass(frozen=True)
class Limits:
    """The limits of one client, and of all clients together."""

    frame_bytes: int = 16 * 1024
    messages_per_second: float = 20.0
    burst: int = 40
    pages: int = 512
    pages_per_client: int = 64
    pages_waiting: int = 64
    pages_per_role: int = 24
    first_message_s: float = 5.0
    slow_page_s: float = 20.0
    alive_s: float = 10.0
    wrong_secrets_per_minute: int = 10


class InvalidRequestFilter(logging.Filter):
    """Keep requests that are not valid HTTP out of the log: anyone can send them by the thousand."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return False for a request that is not valid HTTP; errors of the server stay in the log."""
        raised = record.exc_info[1] if record.exc_info else None
        return not isinstance(raised, HttpProcessingError)


INVALID_REQUESTS = InvalidRequestFilter()


class Bucket:
    """A token bucket: `burst` at once, then `rate` per second; tests pass their own clock."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, float(burst), clock
        self._tokens, self._then = float(burst), clock()

    def take(self) -> bool:
        """Take a token; False when none is left."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._then) * self._rate)
        self._then = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class AccessControl:
    """Checks roles and their secrets; slows guessing down."""

    def __init__(self, roles: Roles, limits: Limits) -> None:
        self._secrets = {role: secret for role, secret in roles.secrets.items() if secret}
        self._open = frozenset(roles.open) | {"display"}
        self._open_here = frozenset(roles.open_here)
        self._tls_only = frozenset(roles.tls_only)
        self._limits = limits
        self._guesses: dict[str, Bucket] = {}

    def refusal(
        self, role: object, secret: object, client: str, secure: bool, proxied: bool = False
    ) -> str | None:
        """Return the code of a refusal, or None; a page that came through the proxy may be the table."""
        if not isinstance(role, str):
            return "unknown_role"
        at_home = role in self._open_here and client in LOCAL
        is_open = role in self._open or at_home or (proxied and role == "table")
        if role not in self._secrets and not is_open:
            return "unknown_role"
        if role in self._tls_only and not secure and client not in LOCAL:
            return "needs_tls"
        if not secret or role not in self._secrets:
            return None if is_open else "wrong_secret"
        if isinstance(secret, str) and hmac.compare_digest(_bytes(secret), _bytes(self._secrets[role])):
            return None
        # Also for a role that is open here, so that an old link is reported as old.
        return "wrong_secret" if self._guess(client) else "too_many_guesses"

    def role_of_secret(self, role: object, secret: object) -> str | None:
        """Return the role of a granted hello that showed its secret; None if it only took an open role."""
        return role if secret and isinstance(role, str) and role in self._secrets else None

    def _guess(self, client: str) -> bool:
        if client not in self._guesses:
            if len(self._guesses) >= 1024:  # bounded: forget the client that guessed first
                self._guesses.pop(next(iter(self._guesses)))
            per_minute = self._limits.wrong_secrets_per_minute
            self._guesses[client] = Bucket(per_minute / 60, per_minute)
        return self._guesses[client].take()


@dataclass(eq=False)
class Place:
    """The place of a page; `abort` closes its connection at once."""

    client: str
    abort: Callable[[], None]


class Places:
    """Counts pages: those that wait to be greeted, guests, and roles with a secret.

    When too many wait, the page that waits longest is closed. A role with a secret has places of its own; when they
    are taken, its oldest page makes room. So neither guests nor the holder of another link keep anybody out.
    Guests of this machine count only in total, because a proxy here stands for many others.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: dict[Place, None] = {}
        self._guests: set[Place] = set()
        self._of_role: dict[str, dict[Place, None]] = {}
        self.of_client: Counter[str] = Counter()

    def open(self, client: str, abort: Callable[[], None]) -> Place:
        """Give a place to a page that was not greeted yet."""
        if len(self._waiting) >= self._limits.pages_waiting:
            oldest = next(iter(self._waiting))
            self.free(oldest)
            oldest.abort()
        place = Place(client, abort)
        self._waiting[place] = None
        return place

    def admit(self, place: Place, role: str | None) -> bool:
        """Return whether the page may stay; `role`: it showed the secret of this role."""
        self._waiting.pop(place, None)
        if role is not None:
            pages = self._of_role.setdefault(role, {})
            if len(pages) >= self._limits.pages_per_role:
                oldest = next(iter(pages))
                del pages[oldest]
                oldest.abort()
            pages[place] = None
            return True
        alone = place.client not in LOCAL and self.of_client[place.client] >= self._limits.pages_per_client
        if alone or len(self._guests) >= self._limits.pages:
            return False
        self._guests.add(place)
        self.of_client[place.client] += 1
        return True

    def free(self, place: Place) -> None:
        """Free the place; a second call does nothing."""
        self._waiting.pop(place, None)
        for pages in self._of_role.values():
            pages.pop(place, None)
        if place in self._guests:
            self._guests.remove(place)
            self.of_client[place.client] -= 1
            if not self.of_client[place.client]:
                del self.of_client[place.client]


def _bytes(secret: str) -> bytes:
    return secret.encode("utf-8", "surrogatepass")


def hosts_of(origins: Collection[str]) -> frozenset[str]:
    """Return the Host headers of the origins: `http://a:80` gives `a:80`, and `a`, as every browser writes it."""
    return frozenset(urlsplit(spelling).netloc for origin in origins for spelling in _spellings(origin))


def origin_allowed(request: web.Request, origins: Collection[str]) -> bool:
    """Return whether this server gave out the page that opens the socket; `null` and no Origin are refused."""
    return request.headers.get("Origin", "null").lower() in {
        spelling for origin in origins for spelling in _spellings(origin)
    }


def through(request: web.Request, proxy: str) -> bool:
    """Return whether the request comes from the proxy that admits people for this server."""
    return bool(proxy) and request.remote == proxy


def own_origin(request: web.Request) -> bool:
    """Return whether a page behind the proxy opens its socket under the name of its own address."""
    names = (request.headers.get("Host"), request.headers.get("X-Forwarded-Host"))
    return urlsplit(request.headers.get("Origin", "")).netloc.lower() in {
        name.lower() for name in names if name
    }


def secure(request: web.Request, proxied: bool) -> bool:
    """Return whether the connection from the browser is encrypted, as far as the proxy can be trusted."""
    return request.secure or (proxied and request.headers.get("X-Forwarded-Proto") == "https")


def _spellings(origin: str) -> tuple[str, ...]:
    """Return an origin with and without the port that its scheme implies."""
    origin = origin.lower()
    port = _PORTS.get(origin.partition(":")[0], "")
    if port and origin.endswith(port):
        return origin, origin.removesuffix(port)
    return (origin, origin + port) if port and not urlsplit(origin).port else (origin,)


def headers_middleware(
    hosts: Callable[[], Collection[str]],
    on_request: Callable[[web.Request], None],
    proxy: str = "",
    language: str = "",
) -> Middleware:
    """Refuse a foreign Host (DNS rebinding), word refusals, and add the security headers to every answer.

    `language` is the language of devices that have chosen none.
    """

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        on_request(request)
        proxied = through(request, proxy)
        headers = BEHIND_PROXY if proxied else HEADERS
        if not proxied and request.headers.get("Host", "").lower() not in hosts():
            foreign = FOREIGN.response(language_of(request, language))
            foreign.headers.update(headers)
            return foreign
        response: web.StreamResponse
        try:
            response = await handler(request)
        except RefusedError as refused:
            response = refused.response(language_of(request, language))
        except web.HTTPException as error:
            error.headers.update(headers)
            raise
        if not response.prepared:
            response.headers.update(headers)
        return response

    return guard
