"""A connected page: the topics it may read, the commands it sent, and an outbox with the newest of everything."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict, deque
from typing import Any

from aiohttp import web

from scharten.contract.roles import reads
from scharten.display.access import Bucket, Limits
from scharten.display.board_topics import is_retained
from scharten.errors import Problem
from scharten.match.answers import answer

MAX_ASKED = 64
MAX_WAITING = 200
ALIVE = '{"topic":"alive","payload":{}}'
"""Sent when nothing else was for a while: a page that hears nothing takes its connection for lost."""


class PageMessage:
    """A message for pages, made into one text for all of them; `payload` is JSON text.

    Of a retained topic, and of one sent with `newest`, a slow page gets only the newest message.
    """

    def __init__(self, topic: str, payload: str, *, newest: bool = False) -> None:
        self.topic, self.newest = topic, newest or is_retained(topic)
        self.text = f'{{"topic":{json.dumps(topic)},"payload":{payload}}}'

    @classmethod
    def from_value(cls, topic: str, value: dict[str, Any], *, newest: bool = False) -> PageMessage:
        """Make a message with a payload that is not JSON text yet."""
        return cls(topic, json.dumps(value, ensure_ascii=False, separators=(",", ":")), newest=newest)


class Page:
    """A WebSocket with its role. A slow page gets the newest snapshot, not a backlog."""

    def __init__(self, socket: web.WebSocketResponse, role: str, limits: Limits) -> None:
        self.role = role
        self.socket = socket
        self.skipped = 0
        self._asked: OrderedDict[str, None] = OrderedDict()
        self._newest: dict[str, str] = {}
        self._waiting: deque[str] = deque(maxlen=MAX_WAITING)
        self._wake = asyncio.Event()
        self._bucket = Bucket(limits.messages_per_second, limits.burst)
        self._slow_s, self._alive_s = limits.slow_page_s, limits.alive_s

    def may_read(self, topic: str) -> bool:
        """Return whether the page's role reads the topic (below the board's own)."""
        return reads(self.role, topic)

    def within_rate(self) -> bool:
        """Return whether the page may send one more message now."""
        return self._bucket.take()

    def ask(self, command_id: str) -> None:
        """Remember that this page waits for the answer to a command."""
        self._asked[command_id] = None
        while len(self._asked) > MAX_ASKED:
            self._asked.popitem(last=False)

    def expects_answer(self, command_id: str) -> bool:
        """Return whether an answer with this id is for this page."""
        return command_id in self._asked

    def send_value(self, topic: str, value: dict[str, Any], *, newest: bool = False) -> None:
        """Send a payload that is not JSON text yet."""
        self.send(PageMessage.from_value(topic, value, newest=newest))

    def send_answer(self, command_id: object, refusal: Problem | None = None, **fields: object) -> None:
        """Answer a request of the page."""
        self.send_value("answer", dict(answer(command_id, refusal, **fields)))

    def send(self, message: PageMessage) -> None:
        """Put a message into the outbox, which `write` empties."""
        if message.newest:
            self.skipped += message.topic in self._newest
            self._newest[message.topic] = message.text
        else:
            self.skipped += len(self._waiting) == MAX_WAITING
            self._waiting.append(message.text)
        self._wake.set()

    async def write(self) -> None:
        """Empty the outbox while the page is connected, with a sign of life between; close a slow page."""
        while not self.socket.closed:
            if not await self._woken():
                self._waiting.append(ALIVE)
            self._wake.clear()
            while self._newest or self._waiting:
                # Retained topics first, because pages are drawn from them; the queue keeps the order of the rest.
                text = self._newest.pop(next(iter(self._newest))) if self._newest else self._waiting.popleft()
                try:
                    async with asyncio.timeout(self._slow_s):
                        await self.socket.send_str(text)
                except (TimeoutError, ConnectionError):
                    await self.socket.close(code=1013, message=b"too slow")
                    return

    async def _woken(self) -> bool:
        """Wait for a message to send; False after some time without any."""
        try:
            async with asyncio.timeout(self._alive_s):
                await self._wake.wait()
        except TimeoutError:
            return False
        return True
