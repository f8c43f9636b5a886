"""Two boards on the page: invitations, the line to the other board, and what a guest's machine answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from aiohttp import web

from scharten.display.answers import SlowSource, json_answer
from scharten.display.context import Context
from scharten.display.feature import Bus, Feature, Handler, Payload, Welcome
from scharten.display.page import Page
from scharten.display.qr import qr_data_uri
from scharten.display.web_server import json_object

MAY = ("table", "arbiter")
"""The roles that invite, accept and leave; all others only see how the line is."""
SECRET = ("letters", "link", "challenger")
ROUND_S = 0.5


class RemoteFeature(Feature):
    """Shows every page how the line to the other board is, and takes requests of the table and the arbiter."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._control = context.daemon.remote
        self._slow = SlowSource(self._control) if self._control else None
        self._shown: Mapping[str, Any] = {}
        self._task: asyncio.Task[None] | None = None

    async def start(self, bus: Bus) -> None:
        await super().start(bus)
        if self._control is not None:
            self._task = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def welcome(self, role: str) -> Welcome:
        if self._control is None:
            return Welcome()
        return Welcome({"remote": True}, {"remote": _for(role, self._control.status())})

    def topics(self) -> Mapping[str, Handler]:
        return {"remote": self._on_request} if self._control else {}

    def routes(self) -> Iterable[web.RouteDef]:
        return (web.post("/remote", self._on_post),) if self._control else ()

    async def _watch(self) -> None:
        """Send the line's state to every page when it has changed."""
        assert self._control is not None
        while True:
            await asyncio.sleep(ROUND_S)
            status = self._control.status()
            if status != self._shown:
                self._shown = status
                for secret in (True, False):
                    shown = _for("table" if secret else "display", status)
                    self.bus.broadcast("remote", shown, newest=True, to=_seers if secret else _others)

    def _on_request(self, page: Page, payload: Payload) -> Any:
        if page.role not in MAY:
            return "not_allowed"
        return self._answer(page, payload)

    async def _answer(self, page: Page, payload: Payload) -> None:
        assert self._slow is not None
        done = await self._slow.ask(lambda control: control.request(payload))
        page.send_value("answer", {"v": 1, "id": payload.get("id"), **done})

    async def _on_post(self, request: web.Request) -> web.Response:
        """Take a request of a command on this machine, which shows the arbiter's secret."""
        assert self._slow is not None
        self.bus.admit(request)
        body = json_object(await request.text()) or {}
        return json_answer(await self._slow.ask(lambda control: control.request(body)))


def _seers(page: Page) -> bool:
    return page.role in MAY


def _others(page: Page) -> bool:
    return page.role not in MAY


def _for(role: str, status: Mapping[str, Any]) -> Payload:
    shown = {key: value for key, value in status.items() if role in MAY or key not in SECRET}
    code = {"qr": qr_data_uri(str(shown["link"]))} if shown.get("link") else {}
    return {"v": 1, **shown, **code}


feature = RemoteFeature
