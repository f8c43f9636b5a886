"""The projector's page, reached through the display server as any page is: shows patterns, takes the map."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import aiohttp

from scharten.errors import SchartenError
from scharten_calibration.gray_code import CELL_PX, Pattern
from scharten_calibration.projector_fit import ProjectorModel

_ANSWER_S = 6.0
_OTHERS_S = 1.0


@dataclass(frozen=True)
class Window:
    """The page's window on the projector."""

    size: tuple[int, int]
    full_screen: bool


class ProjectorPage:
    """A connection with the role of the table; `async with` it."""

    def __init__(self, url: str, secret: str | None) -> None:
        self._url, self._secret = url.rstrip("/"), secret
        self._session: aiohttp.ClientSession | None = None
        self._socket: aiohttp.ClientWebSocketResponse
        self._number = 0

    async def __aenter__(self) -> ProjectorPage:
        self._session = aiohttp.ClientSession()
        try:
            self._socket = await self._session.ws_connect(
                f"{self._url}/ws", heartbeat=5, headers={"Origin": self._origin()}
            )
            hello = {"v": 1, "role": "table"} | ({"secret": self._secret} if self._secret else {})
            await self._socket.send_str(json.dumps(hello))
            first = await self._receive(("welcome", "refused"), _ANSWER_S)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            await self._session.close()
            raise SchartenError.coded("no_page_served", url=self._url, why=error or "-") from error
        if first[0] == "refused":
            await self._session.close()
            raise SchartenError.coded("table_refused", url=self._url, code=first[1].get("code"))
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        assert self._session is not None
        with contextlib.suppress(SchartenError):
            await self._send({"show": None})
        await self._socket.close()
        await self._session.close()

    def _origin(self) -> str:
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.netloc}"

    async def show(self, pattern: Pattern) -> Window:
        """Show a pattern; returns when it is on the screen."""
        await self.begin(pattern)
        return await self.shown()

    async def alone(self, pattern: Pattern) -> Window:
        """The same for the first pattern: refuses where two pages answer, as one of them is on no projector."""
        window = await self.show(pattern)
        try:
            while True:
                _, payload = await self._receive(("projector",), _OTHERS_S)
                if payload.get("shown") == self._number:
                    raise SchartenError.coded("two_projectors")
        except TimeoutError:
            return window

    async def begin(self, pattern: Pattern) -> None:
        """Have a pattern shown, without waiting for it."""
        form = {"axis": pattern.axis, "bit": pattern.bit, "inverse": pattern.inverse}
        await self._send({"show": form, "cell": CELL_PX})

    async def shown(self) -> Window:
        """The answer to the newest pattern."""
        answer = await self._answer("shown")
        return Window((int(answer["width"]), int(answer["height"])), answer.get("full_screen") is True)

    async def keep(self, model: ProjectorModel) -> None:
        """Give the page the map that it draws by from now on."""
        form = {
            "width": model.width,
            "height": model.height,
            "homography": list(model.homography),
            "k1": model.k1,
        }
        await self._send({"keep": form})
        await self._answer("kept")

    async def _send(self, payload: Mapping[str, Any]) -> None:
        self._number += 1
        message = {"topic": "projector", "payload": {"v": 1, "n": self._number, **payload}}
        try:
            await self._socket.send_str(json.dumps(message))
        except (aiohttp.ClientError, OSError) as error:
            raise self._closed() from error

    def _closed(self) -> SchartenError:
        return SchartenError.coded("page_closed", url=self._url)

    async def _answer(self, word: str) -> Mapping[str, Any]:
        try:
            while True:
                _, payload = await self._receive(("projector",), _ANSWER_S)
                if payload.get(word) == self._number:
                    return payload
        except TimeoutError:
            raise SchartenError.coded("no_projector_page", url=self._url) from None

    async def _receive(self, topics: tuple[str, ...], within_s: float) -> tuple[str, Mapping[str, Any]]:
        async with asyncio.timeout(within_s):
            while True:
                message = await self._socket.receive()
                if message.type is not aiohttp.WSMsgType.TEXT:
                    raise self._closed()
                content = json.loads(message.data)
                if content["topic"] in topics:
                    return content["topic"], content["payload"]
