"""The display server: the page, `/ws` with a board's topics, `/healthz`, `/metrics`; an MQTT client."""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any

from aiohttp import WSMsgType, web

from scharten import __version__
from scharten.contract.roles import writes
from scharten.contract.topics import RETAINED, Topics
from scharten.display import archive as archives
from scharten.display import files
from scharten.display.access import (
    INVALID_REQUESTS,
    AccessControl,
    Limits,
    Place,
    Places,
    headers_middleware,
    hosts_of,
    origin_allowed,
)
from scharten.display.bridge import Bridge
from scharten.display.club import ClubView
from scharten.display.hostnames import names_of
from scharten.display.links import GIVERS, links
from scharten.display.listener import ConnectionLimits, Listener
from scharten.display.metrics import Metrics
from scharten.display.page import Page
from scharten.display.results import Results
from scharten.display.status import Diagnostics, Pictures, StatusRoutes
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress

log = logging.getLogger(__name__)


class DisplayServer:
    """Serves one board's display.

    `role_secrets` maps a role to its secret; a role in neither `role_secrets` nor `open_roles` does not exist
    here (`display` always does). `origins` are exact further addresses of the page, scheme and port included,
    beside those of localhost and of `host`. What a role reads and writes stands in `contract.roles`.
    `pictures` (the cameras' last ones by name) and `diagnostics` (what the daemon adds) are for the status page,
    `now_ms` is the clock that the host's states are dated by.
    """

    def __init__(
        self,
        host: str,
        port: int,
        broker: BrokerAddress,
        topics: Topics,
        *,
        role_secrets: Mapping[str, str | None] | None = None,
        open_roles: Collection[str] = (),
        tls_only_roles: Collection[str] = (),
        origins: Collection[str] = (),
        simulated: bool = False,
        white_sits_at: int = 3,
        ssl_context: ssl.SSLContext | None = None,
        limits: Limits | None = None,
        connections: ConnectionLimits | None = None,
        pictures: Pictures = dict,
        diagnostics: Diagnostics = dict,
        archive: archives.Games | None = None,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.host, self.port, self._names = host, port, names_of(host)
        self._limits = limits or Limits()
        self._secrets = dict(role_secrets or {})
        self._access = AccessControl(self._secrets, open_roles, tls_only_roles, self._limits)
        self._places = Places(self._limits)
        self._connections = connections or ConnectionLimits()
        self._open_roles = tuple(open_roles)
        self._origins = tuple(origins)
        self._simulated, self._white_sits_at, self._board = simulated, white_sits_at, topics.board
        self._ssl = ssl_context
        self._pages: set[Page] = set()
        self._last: dict[str, str] = {}
        self._now_ms = now_ms
        self._results = Results(now_ms)
        self._files = files.load()
        self._generated = files.GeneratedFiles()
        self._metrics = Metrics()
        self._bridge = Bridge(broker, topics, self._deliver, self._link)
        self._club = ClubView(broker, topics)
        self._status = StatusRoutes(
            self._bridge,
            self._access,
            self._metrics,
            self._last,
            [secret for secret in self._secrets.values() if secret],
            pictures=pictures,
            diagnostics=diagnostics,
        )
        self._archive = archives.ArchiveRoutes(archive, self._last)
        self._hosts: frozenset[str] = frozenset()
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """The address of the page; known once started."""
        return f"{'https' if self._ssl else 'http'}://{_in_url(self._names[0])}:{self.port}"

    async def start(self) -> None:
        """Listen, then connect to the broker and keep at it; `SchartenError` when the port is taken."""
        guard = headers_middleware(lambda: self._hosts, self._came)
        app = web.Application(middlewares=[guard], client_max_size=4096)
        app.add_routes([web.get("/ws", self._ws), *self._status.routes(), *self._archive.routes()])
        app.router.add_get("/{name:.*}", self._page)
        logging.getLogger("aiohttp.server").addFilter(INVALID_REQUESTS)
        idle_s = self._connections.idle_s
        self._runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=1.0, keepalive_timeout=idle_s
        )
        await self._runner.setup()
        assert self._runner.server is not None
        self._listener = Listener(self._runner.server, self._ssl, self._connections)
        try:
            self.port = await self._listener.start(self.host, self.port)
        except OSError as error:
            await self._listener.stop()
            await self._runner.cleanup()
            raise SchartenError(
                f"The display cannot listen on {self.host}:{self.port}: {error.strerror or error}.",
                "Is another scharten running? Stop it, or choose another port with --port.",
            ) from error
        self._origins = (*self._local_origins(), *self._origins)
        self._hosts = hosts_of(self._origins)
        self._bridge.start()

    async def stop(self) -> None:
        """Say goodbye to every page, leave the broker, free the port."""
        await self._bridge.stop()
        await self._club.stop()
        for page in (*self._pages, *self._club.pages):
            with suppress(ConnectionError):
                await page.socket.close(code=1001, message=b"going away")
        if self._runner is not None:
            await self._runner.cleanup()
            await self._listener.stop()

    def _local_origins(self) -> tuple[str, ...]:
        scheme = "https" if self._ssl else "http"
        names = dict.fromkeys(("127.0.0.1", "localhost", "::1", *self._names))
        return tuple(f"{scheme}://{_in_url(name)}:{self.port}" for name in names)

    # --- from the broker ---

    def _deliver(self, topic: str, text: str) -> None:
        self._metrics.messages.labels("answer" if topic.startswith("answer/") else topic).inc()
        if topic.startswith("answer/"):
            self._answer(topic.removeprefix("answer/"), text)
            return
        if topic in RETAINED:
            self._last[topic] = text
        for page in self._pages:
            if page.may_read(topic):
                page.send(topic, text)
        if topic == "state" and self._results.see(_object(text) or {}):
            for page in self._pages:
                page.send_value("results", self._results.told())

    def _answer(self, role: str, text: str) -> None:
        payload = json.loads(text)
        command_id = payload.get("id") if isinstance(payload, dict) else None
        if not isinstance(command_id, str):
            return
        for page in self._pages:
            if page.role == role and page.asked(command_id):
                page.send("answer", text)

    def _link(self, up: bool) -> None:
        if not up:
            self._last.clear()  # what the broker kept comes again; what it lost must not haunt us
        for page in self._pages:
            page.send_value("link", {"broker": up})

    # --- from the pages ---

    def _came(self, request: web.Request) -> None:
        self._listener.served(request.transport, request.path == "/ws")

    async def _page(self, request: web.Request) -> web.Response:
        file = self._files.get(request.path) or await self._generated.file(request.path)
        if file is None:
            raise web.HTTPNotFound(text="There is no such page here.\n")
        return files.respond(request, file)

    async def _ws(self, request: web.Request) -> web.StreamResponse:
        if not origin_allowed(request, self._origins):
            self._metrics.refused.labels("origin").inc()
            raise web.HTTPForbidden(text="A page from elsewhere may not open this socket.\n")
        client = request.remote or "?"
        place = self._places.open(client, lambda: _abort(request))
        try:
            return await self._serve(request, place)
        finally:
            self._places.free(place)

    async def _serve(self, request: web.Request, place: Place) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(heartbeat=15, max_msg_size=self._limits.frame_bytes, compress=False)
        await socket.prepare(request)
        hello = await self._greet(socket, place, request.secure)
        if hello is None:
            return socket
        role = str(hello["role"])
        page = Page(socket, role, self._limits)
        if hello.get("club") is True:
            page.send_value("welcome", self._words_of_welcome(page))
            await self._club.show(page)
            return socket
        self._pages.add(page)
        self._metrics.pages.set(len(self._pages))
        self._welcome(page)
        writer = asyncio.create_task(page.write())
        try:
            await self._listen(page)
        finally:
            writer.cancel()
            self._pages.discard(page)
            self._metrics.pages.set(len(self._pages))
            self._metrics.skipped.inc(page.skipped)
        return socket

    async def _greet(
        self, socket: web.WebSocketResponse, place: Place, secure: bool
    ) -> dict[str, Any] | None:
        """The first message, if its role is granted; else the socket is closed with the reason."""
        try:
            async with asyncio.timeout(self._limits.first_message_s):
                message = await socket.receive()
        except TimeoutError:
            await self._refuse(socket, "no_first_message")
            return None
        hello = _object(message.data) if message.type is WSMsgType.TEXT else None
        if hello is None or hello.get("v") != 1:
            await self._refuse(socket, "malformed")
            return None
        code = self._access.refusal(hello.get("role"), hello.get("secret"), place.client, secure)
        shown = self._access.shown(hello.get("role"), hello.get("secret"))
        if code is None and not self._places.admit(place, shown):
            code = "connections"
        if code is not None:
            await self._refuse(socket, code)
            return None
        return hello

    async def _refuse(self, socket: web.WebSocketResponse, code: str) -> None:
        self._metrics.refused.labels(code).inc()
        with suppress(ConnectionError):
            await socket.send_json({"topic": "refused", "payload": {"code": code}})
            await socket.close(code=1008, message=code.encode())

    def _welcome(self, page: Page) -> None:
        page.send_value("welcome", self._words_of_welcome(page))
        page.send_value("link", {"broker": self._bridge.connected})
        page.send_value("results", self._results.told())
        if page.role in GIVERS:
            page.send_value("links", links(page.role, self.url, self._secrets, self._open_roles))
        for topic, text in self._last.items():
            if page.may_read(topic):
                page.send(topic, text)

    def _words_of_welcome(self, page: Page) -> dict[str, Any]:
        return {
            "v": 1,
            "role": page.role,
            "board": self._board,
            "simulated": self._simulated,
            "archive": self._archive.there,
            "white_sits_at": self._white_sits_at,
            "now_ms": self._now_ms(),
            "version": __version__,
        }

    async def _listen(self, page: Page) -> None:
        async for message in page.socket:
            if message.type is not WSMsgType.TEXT:
                break
            if not page.in_measure():
                await self._refuse(page.socket, "too_many_messages")
                break
            self._from_page(page, _object(message.data))

    def _from_page(self, page: Page, message: dict[str, Any] | None) -> None:
        topic = message.get("topic") if message else None
        payload = message.get("payload") if message else None
        if not isinstance(payload, dict):
            page.send_value("answer", _refusal(None, "malformed"))
        elif topic == "command":
            self._command(page, payload)
        elif topic == "simulator/throw":
            if not writes(page.role, topic) or not self._simulated:
                page.send_value("answer", _refusal(payload.get("id"), "not_allowed"))
            elif not self._bridge.publish(topic, payload):
                page.send_value("answer", _refusal(payload.get("id"), "no_broker"))
        else:
            page.send_value("answer", _refusal(payload.get("id"), "malformed"))

    def _command(self, page: Page, payload: dict[str, Any]) -> None:
        command_id = payload.get("id")
        if not isinstance(command_id, str) or not 1 <= len(command_id) <= 64:
            page.send_value("answer", _refusal(None, "malformed"))
        elif not writes(page.role, f"command/{page.role}"):
            page.send_value("answer", _refusal(command_id, "not_allowed"))
        elif any(other is not page and other.asked(command_id) for other in self._pages):
            page.send_value("answer", _refusal(command_id, "malformed"))  # an answer goes to one page only
        else:
            page.ask(command_id)
            if not self._bridge.publish(f"command/{page.role}", payload):
                page.send_value("answer", _refusal(command_id, "no_broker"))
            self._metrics.commands.labels(page.role).inc()


def _abort(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


def _in_url(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _refusal(command_id: object, code: str) -> dict[str, Any]:
    return {
        "v": 1,
        "id": command_id if isinstance(command_id, str) else None,
        "accepted": False,
        "code": code,
    }
