"""Who may come in: exact Host and Origin lists, secrets compared in constant time, a measure for all else."""

from __future__ import annotations

import hmac
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler, Middleware

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True)
class Limits:
    """How much one client, and all of them, may ask for."""

    frame_bytes: int = 16 * 1024
    messages_per_second: float = 20.0
    burst: int = 40
    pages: int = 512
    pages_per_client: int = 64
    first_message_s: float = 5.0
    slow_page_s: float = 20.0
    wrong_secrets_per_minute: int = 10


class InvalidRequestFilter(logging.Filter):
    """Keep out of the log what anyone can cause by the thousand: requests that are not valid HTTP."""

    def filter(self, record: logging.LogRecord) -> bool:
        """False for a request that could not be read; what is wrong with us is still told."""
        raised = record.exc_info[1] if record.exc_info else None
        return not isinstance(raised, HttpProcessingError)


INVALID_REQUESTS = InvalidRequestFilter()


class Bucket:
    """A token bucket: `burst` at once, `rate` per second after that; the clock is passed in for tests."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, float(burst), clock
        self._tokens, self._then = float(burst), clock()

    def take(self) -> bool:
        """One token, if there is one."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._then) * self._rate)
        self._then = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class AccessControl:
    """Checks roles and their secrets and counts pages per client; guessing is slowed down."""

    def __init__(
        self,
        secrets: Mapping[str, str | None],
        open_roles: Collection[str],
        tls_only: Collection[str],
        limits: Limits,
    ) -> None:
        self._secrets = {role: secret for role, secret in secrets.items() if secret}
        self._open = frozenset(open_roles) | {"display"}
        self._tls_only = frozenset(tls_only)
        self._limits = limits
        self._guesses: dict[str, Bucket] = {}
        self.pages: Counter[str] = Counter()

    def refusal(self, role: object, secret: object, client: str, secure: bool) -> str | None:
        """None when the role is granted, else the code of the refusal."""
        if not isinstance(role, str) or (role not in self._secrets and role not in self._open):
            return "unknown_role"
        if role in self._tls_only and not secure and client not in ("127.0.0.1", "::1"):
            return "needs_tls"
        if not secret or role not in self._secrets:
            return None if role in self._open else "wrong_secret"
        if isinstance(secret, str) and hmac.compare_digest(_bytes(secret), _bytes(self._secrets[role])):
            return None
        # Also for a role that is open here: an old link says that it is old.
        return "wrong_secret" if self._guess(client) else "too_many_guesses"

    def _guess(self, client: str) -> bool:
        if client not in self._guesses:
            if len(self._guesses) >= 1024:  # bounded: forget the oldest guesser
                self._guesses.pop(next(iter(self._guesses)))
            per_minute = self._limits.wrong_secrets_per_minute
            self._guesses[client] = Bucket(per_minute / 60, per_minute)
        return self._guesses[client].take()

    def enter(self, client: str) -> bool:
        """Count a page in, unless there are too many already."""
        if self.pages.total() >= self._limits.pages or self.pages[client] >= self._limits.pages_per_client:
            return False
        self.pages[client] += 1
        return True

    def leave(self, client: str) -> None:
        """Count a page out."""
        self.pages[client] -= 1
        if self.pages[client] <= 0:
            del self.pages[client]


def _bytes(secret: str) -> bytes:
    return secret.encode("utf-8", "surrogatepass")


def hosts_of(origins: Collection[str]) -> frozenset[str]:
    """The Host headers that belong to the origins: `http://a:80` gives `a:80`."""
    return frozenset(urlsplit(origin).netloc.lower() for origin in origins)


def origin_allowed(request: web.Request, origins: Collection[str]) -> bool:
    """Whether the page that opens the socket came from here; `null` and a missing Origin are refused."""
    return request.headers.get("Origin", "null").lower() in {origin.lower() for origin in origins}


def headers_middleware(hosts: Callable[[], Collection[str]]) -> Middleware:
    """Refuse a foreign Host (DNS rebinding) and put the security headers on every answer."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.headers.get("Host", "").lower() not in hosts():
            return web.Response(
                status=421, text="This server does not answer to that name.\n", headers=HEADERS
            )
        try:
            response = await handler(request)
        except web.HTTPException as error:
            error.headers.update(HEADERS)
            raise
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    return guard
