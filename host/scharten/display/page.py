"""One connected page: what it may read, what it asked, and an outbox with the newest of everything."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict, deque
from typing import Any

from aiohttp import web

from scharten.contract.roles import reads
from scharten.display.access import Bucket, Limits
from scharten.display.board_topics import is_retained

OWN = frozenset(
    {"welcome", "link", "links", "results", "evening", "seated"}
)  # what the server itself tells, the newest of each
MAX_ASKED = 64
MAX_WAITING = 200


def envelope(topic: str, text: str) -> str:
    """A message to the page, around a payload that is JSON text already."""
    return f'{{"topic":{json.dumps(topic)},"payload":{text}}}'


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
        self._slow_s = limits.slow_page_s

    def may_read(self, topic: str) -> bool:
        """Whether the page's role reads the topic (below the board's own)."""
        return reads(self.role, topic)

    def in_measure(self) -> bool:
        """Whether the page keeps to its number of messages."""
        return self._bucket.take()

    def ask(self, command_id: str) -> None:
        """Remember that this page waits for the answer to a command."""
        self._asked[command_id] = None
        while len(self._asked) > MAX_ASKED:
            self._asked.popitem(last=False)

    def asked(self, command_id: str) -> bool:
        """Whether an answer with this id is for this page."""
        return command_id in self._asked

    def send(self, topic: str, text: str) -> None:
        """Put a payload in the outbox; of a retained topic only the newest stays."""
        message = envelope(topic, text)
        if is_retained(topic) or topic in OWN:
            self.skipped += topic in self._newest
            self._newest[topic] = message
        else:
            self.skipped += len(self._waiting) == MAX_WAITING
            self._waiting.append(message)
        self._wake.set()

    def send_value(self, topic: str, value: dict[str, Any]) -> None:
        """Like `send`, for a payload that is not JSON text yet."""
        self.send(topic, json.dumps(value, ensure_ascii=False, separators=(",", ":")))

    async def write(self) -> None:
        """Empty the outbox for as long as the page listens; a page that takes too long is let go."""
        while not self.socket.closed:
            await self._wake.wait()
            self._wake.clear()
            while self._newest or self._waiting:
                # Newest first what everything is drawn from; dict order keeps the rest as it came.
                message = (
                    self._newest.pop(next(iter(self._newest))) if self._newest else self._waiting.popleft()
                )
                try:
                    async with asyncio.timeout(self._slow_s):
                        await self.socket.send_str(message)
                except (TimeoutError, ConnectionError):
                    await self.socket.close(code=1013, message=b"too slow")
                    return
