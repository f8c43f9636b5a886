"""A game to follow from outside, some time late: `/follow` shows the board, and takes nothing.

The delay (`web.follow_delay_s`) keeps a player from help by somebody who follows. No role and no secret is behind it.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from aiohttp import WSMsgType, web

from scharten import __version__
from scharten.contract.topics import Topic
from scharten.display.context import Context
from scharten.display.feature import Bus, Feature, Payload, View
from scharten.display.page import Page, PageMessage

SHOWN = (Topic.STATE, Topic.SHEET, Topic.HITS, Topic.SAID)
ROUND_S = 0.2
MOST = 4000
"""Messages that wait at most: more than a board publishes within the longest delay."""


class FollowFeature(Feature):
    """Shows followers each public message of the board after the delay."""

    def __init__(self, context: Context, now_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__(context)
        self._delay_s, self._now_s = context.follow_delay_s, now_s
        self._waiting: deque[tuple[float, PageMessage]] = deque(maxlen=MOST)
        self._shown: dict[str, PageMessage] = {}
        self._pages: set[Page] = set()
        self._task: asyncio.Task[None] | None = None

    async def start(self, bus: Bus) -> None:
        await super().start(bus)
        for topic in SHOWN:
            bus.subscribe(topic.value, self._noting(topic.value))
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def routes(self) -> Iterable[web.RouteDef]:
        return (web.get("/follow", self._open),)

    def views(self) -> Mapping[str, View]:
        return {"follow": self._show}

    async def _open(self, request: web.Request) -> web.Response:
        raise web.HTTPFound("./?role=display&follow=")

    def _noting(self, topic: str) -> Callable[[Payload], object]:
        def note(payload: Payload) -> None:
            # As text: a decoded state takes ten times the memory, and every follower gets the same.
            self._waiting.append((self._now_s() + self._delay_s, PageMessage.from_value(topic, payload)))

        return note

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(ROUND_S)
            self.release()

    def release(self) -> None:
        """Show what is due."""
        while self._waiting and self._waiting[0][0] <= self._now_s():
            _, message = self._waiting.popleft()
            if message.newest:
                self._shown[message.topic] = message
            for page in self._pages:
                page.send(message)

    async def _show(self, page: Page) -> None:
        """Serve a follower until it closes; its messages are ignored."""
        greeting: Payload = {
            "v": 1,
            "role": "display",
            "board": self.context.topics.board,
            "white_sits_at": self.context.white_sits_at,
            # Clocks run by the time at which the states were published.
            "now_ms": self.context.now_ms() - 1000 * self._delay_s,
            "version": __version__,
            "follow_delay_s": self._delay_s,
        }
        page.send_value("welcome", greeting, newest=True)
        page.send_value("link", {"broker": self.bus.link.connected}, newest=True)
        for shown in self._shown.values():
            page.send(shown)
        self._pages.add(page)
        writer = asyncio.create_task(page.write())
        try:
            with suppress(ConnectionError):
                async for message in page.socket:
                    if message.type is not WSMsgType.TEXT or not page.within_rate():
                        break
        finally:
            writer.cancel()
            self._pages.discard(page)


feature = FollowFeature
