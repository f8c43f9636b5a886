"""The club's view: every board on the broker from one wildcard subscription, to look at only."""

from __future__ import annotations

import asyncio

from aiohttp import WSMsgType

from scharten.contract.topics import NAME, Topics
from scharten.display.board_topics import BoardTopics
from scharten.display.page import Page, PageMessage
from scharten.mqtt.address import BrokerAddress

MAX_BOARDS = 64


class ClubView:
    """Subscribes to all boards once a page asks; holds the newest payload of each topic of each board."""

    def __init__(self, address: BrokerAddress, topics: Topics) -> None:
        self._bridge = BoardTopics(address, topics, self._deliver, self._link, all_boards=True)
        self._listening = False
        self._boards: dict[str, dict[str, str]] = {}
        self.pages: set[Page] = set()

    async def show(self, page: Page) -> None:
        """Serve a page until it closes; its messages are ignored."""
        if not self._listening:
            self._listening = True
            self._bridge.start()
        self.pages.add(page)
        page.send_value("link", {"broker": self._bridge.connected}, newest=True)
        for board, topics in self._boards.items():
            for topic, text in topics.items():
                page.send(PageMessage(f"{board}/{topic}", text))
        writer = asyncio.create_task(page.write())
        try:
            async for message in page.socket:
                if message.type is not WSMsgType.TEXT or not page.within_rate():
                    break
        finally:
            writer.cancel()
            self.pages.discard(page)

    async def stop(self) -> None:
        """Disconnect from the broker."""
        if self._listening:
            await self._bridge.stop()

    def _deliver(self, topic: str, text: str) -> None:
        board, _, name = topic.partition("/")
        if not NAME.fullmatch(board) or (board not in self._boards and len(self._boards) >= MAX_BOARDS):
            return
        self._boards.setdefault(board, {})[name] = text
        message = PageMessage(topic, text)
        for page in self.pages:
            page.send(message)

    def _link(self, up: bool) -> None:
        if not up:
            self._boards.clear()  # the broker sends its retained messages again
        for page in self.pages:
            page.send_value("link", {"broker": up}, newest=True)
