"""The set-up on a page: the table and the arbiter may ask, one request at a time and outside the server's loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from typing import Any, Protocol

from aiohttp import web

from scharten.contract.roles import Account
from scharten.display.context import Context
from scharten.display.feature import Feature, Handler, Payload, Welcome
from scharten.display.page import Page
from scharten.errors import Problem
from scharten.sensors.profiles import INSTALLED
from scharten.setup.config_file import ConfigFile
from scharten.setup.first_start import first_start

ROLES = ("table", "arbiter")
MOST_WAITING = 4


class SetupAnswerer(Protocol):
    """The part that sets this machine up (`setup.service.SetupService`); it may take its time."""

    on_mapping: Callable[[dict[str, Any]], object]

    def do(self, request: Mapping[str, Any], may_type: bool) -> dict[str, Any] | Problem:
        """Carry out one request."""
        ...

    def stop(self) -> None:
        """End the processes that still run."""
        ...


class SetupFeature(Feature):
    """Carries out requests of the table and the arbiter, and answers each.

    Where the table needs no secret, the person at the table sits at this machine: that page may type addresses of
    cameras, and it gets the secret that the table needs once other devices can reach the page.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        table, roles = Account.TABLE.value, context.roles
        self._control = context.daemon.control
        self._secret, self._open = roles.secrets.get(table), table in roles.open
        self._service: SetupAnswerer | None = None
        self._turn = asyncio.Lock()
        self._waiting = 0

    def welcome(self, role: str) -> Welcome:
        if self._control is None or role not in ROLES:
            return Welcome({"setup": None})
        first = first_start(self._control.folder, ConfigFile(self._control.file))
        return Welcome({"setup": {"first": first}})

    def pages(self) -> Iterable[str]:
        return ("setup",) if self._control else ()

    def routes(self) -> Iterable[web.RouteDef]:
        return (
            (web.get(r"/firmware/{name:mega2560\.hex|uno\.hex|pico\.uf2}", _firmware),)
            if self._control
            else ()
        )

    def topics(self) -> Mapping[str, Handler]:
        return {"setup": self._on_request} if self._control else {}

    async def stop(self) -> None:
        if self._service is not None:
            await asyncio.to_thread(self._service.stop)

    async def _on_request(self, page: Page, request: Payload) -> None:
        command_id = request.get("id")
        known = isinstance(command_id, str) and len(command_id) <= 64
        result = await self._result(page, request)
        refusal, fields = (result, {}) if isinstance(result, Problem) else (None, result)
        page.send_answer(command_id if known else None, refusal, **fields)

    async def _result(self, page: Page, request: Payload) -> Payload | Problem:
        if page.role not in ROLES:
            return Problem("not_allowed", "this page sets nothing up")
        if self._waiting >= MOST_WAITING:
            return Problem("busy", "this machine is still at work on other requests", cure="Wait a moment.")
        loop = asyncio.get_running_loop()
        may_type = page.role == "arbiter" or self._open
        self._waiting += 1
        try:
            async with self._turn:
                if self._service is None:
                    self._service = await asyncio.to_thread(self._make)
                service = self._service
                if request.get("type") == "map":
                    service.on_mapping = lambda state: loop.call_soon_threadsafe(
                        page.send_value, "mapping", state
                    )
                found = await asyncio.to_thread(service.do, request, may_type)
        finally:
            self._waiting -= 1
        if isinstance(found, dict) and found.get("saved") and page.role == "table" and self._open:
            found["secret"] = self._secret
        return found

    def _make(self) -> SetupAnswerer:
        from scharten.setup.service import SetupService  # noqa: PLC0415  (brings OpenCV, slow to load)

        assert self._control is not None
        return SetupService(self._control)


async def _firmware(request: web.Request) -> web.Response:
    """An image that the browser loads onto a board, or downloads."""
    image = files(INSTALLED) / "images" / request.match_info["name"]
    if not image.is_file():
        raise web.HTTPNotFound
    return web.Response(body=image.read_bytes(), content_type="application/octet-stream")


feature = SetupFeature
