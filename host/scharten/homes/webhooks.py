"""Webhooks: each event as a signed POST, as https://www.standardwebhooks.com describes it.

The signature is the HMAC-SHA256 of `id.timestamp.body`. A failed post is repeated, in order and with the same id.
It is dropped after about eight minutes; a full queue drops its oldest post.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import logging
import secrets
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from aiohttp import ClientSession

from scharten.contract.topics import Topics
from scharten.homes.happenings import HomeEvent
from scharten.homes.http import HttpOutcome, post
from scharten.homes.settings import WebhookSettings
from scharten.system.log_limit import RateLimitedLog

log = logging.getLogger(__name__)

WAITING = 256
"""Posts that wait for one receiver."""
RETRIES_S = (1.0, 5.0, 30.0, 120.0, 300.0)
GONE = 410
"""The receiver refuses further posts."""


def signature(key: bytes, id_: str, timestamp: int, body: bytes) -> str:
    """Return the header `webhook-signature`."""
    digest = hmac.digest(key, b".".join((id_.encode(), str(timestamp).encode(), body)), hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"


def payload(happened: HomeEvent, call: Mapping[str, Any], topics: Topics, at: float) -> bytes:
    """Return the body of a post: event, time, board, and the caller's message."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
    data = {"club": topics.club, "board": topics.board, **call}
    return json.dumps({"type": happened, "timestamp": stamp, "data": data}, ensure_ascii=False).encode()


class Webhook:
    """One receiver; `post` never waits, `run` posts one after the other."""

    def __init__(self, settings: WebhookSettings, key: bytes, client: ClientSession) -> None:
        self.settings = settings
        self._key, self._client = key, client
        self._waiting: deque[tuple[str, bytes]] = deque(maxlen=WAITING)
        self._news = asyncio.Event()
        self._warnings = RateLimitedLog(log)
        self._gone = False

    @property
    def waiting(self) -> int:
        """The number of posts that have not arrived yet."""
        return len(self._waiting)

    def post(self, happened: HomeEvent, body: bytes) -> None:
        """Queue a post, if the receiver is configured for this event."""
        if happened not in self.settings.events or self._gone:
            return
        if len(self._waiting) == WAITING:
            self._warnings.warn(
                "full", "the webhook %s is behind: the oldest post is dropped", self.settings.name
            )
        self._waiting.append((f"msg_{secrets.token_hex(12)}", body))
        self._news.set()

    async def run(self) -> None:
        """Send queued posts for ever, or until the receiver refuses further ones."""
        while not self._gone:
            await self._news.wait()
            self._news.clear()
            while self._waiting and not self._gone:
                first = self._waiting[0]
                await self._deliver(first)
                if self._waiting and self._waiting[0] is first:  # else a full queue has dropped it meanwhile
                    self._waiting.popleft()

    async def send(self, id_: str, body: bytes) -> HttpOutcome:
        """Send a post once."""
        now = int(time.time())
        headers = {
            "webhook-id": id_,
            "webhook-timestamp": str(now),
            "webhook-signature": signature(self._key, id_, now, body),
        }
        return await post(self._client, self.settings.url, body, headers)

    async def _deliver(self, message: tuple[str, bytes]) -> None:
        name = self.settings.name
        for retry_s in (*RETRIES_S, 0.0):
            outcome = await self.send(*message)
            if outcome.good:
                return
            if outcome.status == GONE:
                log.warning("the webhook %s refuses further posts (410): no more until the next start", name)
                self._gone = True
                self._waiting.clear()
                return
            self._warnings.warn("failed", "the webhook %s: %s", name, outcome.words)
            await asyncio.sleep(retry_s)
        log.warning("the webhook %s refused a post %d times: it is dropped", name, len(RETRIES_S) + 1)
