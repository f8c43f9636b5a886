"""One connected page: what it may read, what it asked, and an outbox with the newest of everything."""

from __future__ import annotations

import asyncio
import json
import struct
from collections import OrderedDict, deque
from functools import cached_property
from typing import Any

from aiohttp import web

from scharten.contract.roles import reads
from scharten.display.access import Bucket, Limits
from scharten.display.board_topics import is_retained

OWN = frozenset(
    {"welcome", "link", "links", "results", "evening", "seated"}
)  # what the server itself tells, the newest of each
TRANSPORT = web.ResponseKey("transport", asyncio.Transport)
"""Where a socket keeps its connection."""
TEXT = 0x81
"""First byte of a whole frame of text."""
MAX_ASKED = 64
MAX_WAITING = 200


class PageMessage:
    """What pages are told, around a payload that is JSON text already: one text and one frame for all of them."""

    def __init__(self, topic: str, payload: str) -> None:
        self.topic = topic
        self.text = f'{{"topic":{json.dumps(topic)},"payload":{payload}}}'

    @classmethod
    def of(cls, topic: str, value: dict[str, Any]) -> PageMessage:
        """For a payload that is not JSON text yet."""
        return cls(topic, json.dumps(value, ensure_ascii=False, separators=(",", ":")))

    @cached_property
    def frame(self) -> bytes:
        """The bytes of a whole WebSocket frame from a server, uncompressed (RFC 6455, 5.2)."""
        data = self.text.encode()
        if len(data) < 126:
            return struct.pack("!BB", TEXT, len(data)) + data
        short = len(data) < 65536
        return struct.pack("!BBH" if short else "!BBQ", TEXT, 126 if short else 127, len(data)) + data


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
        """Tell a payload that is JSON text already."""
        self.tell(PageMessage(topic, text))

    def send_value(self, topic: str, value: dict[str, Any]) -> None:
        """Like `send`, for a payload that is not JSON text yet."""
        self.tell(PageMessage.of(topic, value))

    def tell(self, message: PageMessage) -> None:
        """Send at once when the page has taken all before it; else keep it, of a retained topic the newest."""
        if not self._newest and not self._waiting and self._written(message):
            return
        if is_retained(message.topic) or message.topic in OWN:
            self.skipped += message.topic in self._newest
            self._newest[message.topic] = message.text
        else:
            self.skipped += len(self._waiting) == MAX_WAITING
            self._waiting.append(message.text)
        self._wake.set()

    def _written(self, message: PageMessage) -> bool:
        """Whether the connection took it: without waking a task, which for 500 pages costs more than the bytes."""
        transport = self.socket.get(TRANSPORT)
        if transport is None or transport.is_closing() or self.socket.closed:
            return False
        if transport.get_write_buffer_size():
            return False
        transport.write(message.frame)
        return True

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
