"""The base of every page server: listen, check hosts and origins, serve files, greet a page's socket."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import signal
import ssl
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn

from aiohttp import WSMsgType, web

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
    own_origin,
    secure,
    through,
)
from scharten.display.hostnames import names_of
from scharten.display.listener import ConnectionLimits, Listener
from scharten.display.missing import not_found
from scharten.display.page import Page
from scharten.errors import SchartenError
from scharten.game.basics import MutableJson

Serve = Callable[[web.WebSocketResponse, MutableJson], Awaitable[None]]
"""Serves a socket whose first message (the second argument) was granted, until it ends."""


@dataclass(frozen=True, slots=True)
class Serving:
    """The settings of a server that listens; `origins` are further addresses of its pages, exact.

    `proxy` is the address of a proxy that admits people under its own names and path, such as Home Assistant's.
    `language` is the language of devices that have chosen none, `pages` the names that the navigation shows.
    `also` are further addresses to listen on.
    """

    host: str
    port: int
    origins: tuple[str, ...] = ()
    ssl_context: ssl.SSLContext | None = None
    limits: Limits = field(default_factory=Limits)
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)
    proxy: str = ""
    language: str = ""
    also: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()


class WebServer:
    """Listens, serves files, and passes greeted sockets to `serve`; `refused` gets the code of each refusal."""

    def __init__(
        self, serving: Serving, access: AccessControl, serve: Serve, refused: Callable[[str], object]
    ) -> None:
        self.host, self.port, self._names = serving.host, serving.port, names_of(serving.host)
        self._serving, self.access, self._serve_page, self._refused = serving, access, serve, refused
        self.places = Places(serving.limits)
        self.origins = serving.origins
        self._files = files.load(language=serving.language, pages=serving.pages)
        self._generated = files.GeneratedFiles()
        self._hosts: frozenset[str] = frozenset()
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """The address of the page; known once started."""
        scheme = "https" if self._serving.ssl_context else "http"
        return f"{scheme}://{_in_url(self._names[0])}:{self.port}"

    @property
    def listening(self) -> bool:
        """Whether the port is open."""
        return self._listener.listening

    async def start(self, routes: Iterable[web.AbstractRouteDef]) -> None:
        """Listen; `SchartenError` when the port is taken."""
        guard = headers_middleware(
            lambda: self._hosts, self._on_request, self._serving.proxy, self._serving.language
        )
        app = web.Application(middlewares=[guard], client_max_size=4096)
        app.add_routes([web.get("/ws", self._ws), *routes])
        app.router.add_get("/{name:.*}", self._page)
        logging.getLogger("aiohttp.server").addFilter(INVALID_REQUESTS)
        connections, tls = self._serving.connections, self._serving.ssl_context
        self._runner = web.AppRunner(
            app,
            access_log=None,
            handler_cancellation=True,
            shutdown_timeout=1.0,
            keepalive_timeout=connections.idle_s,
        )
        await self._runner.setup()
        assert self._runner.server is not None
        self._listener = Listener(self._runner.server, tls, connections)
        try:
            self.port = await self._listener.start(self.host, self.port, self._serving.also)
        except OSError as error:
            await self._listener.stop()
            await self._runner.cleanup()
            raise SchartenError.coded(
                "page_port", host=self.host, port=self.port, why=error.strerror or error
            ) from error
        scheme = "https" if tls else "http"
        names = dict.fromkeys(("127.0.0.1", "localhost", "::1", *self._names))
        local = tuple(f"{scheme}://{_in_url(name)}:{self.port}" for name in names)
        self.origins = (*local, *self.origins)
        self._hosts = hosts_of(self.origins)

    async def stop(self) -> None:
        """Free the port."""
        if self._runner is not None:
            await self._runner.cleanup()
            await self._listener.stop()

    def _on_request(self, request: web.Request) -> None:
        self._listener.served(request.transport, page=False)

    async def _page(self, request: web.Request) -> web.Response:
        file = self._files.get(request.path) or await self._generated.file(request.path)
        if file is None:
            raise not_found(request, self._serving.language)
        return files.respond(request, file)

    async def _ws(self, request: web.Request) -> web.StreamResponse:
        proxied = through(request, self._serving.proxy)
        if not (own_origin(request) if proxied else origin_allowed(request, self.origins)):
            self._refused("origin")
            raise web.HTTPForbidden(text="A page from elsewhere may not open this socket.\n")
        place = self.places.open(request.remote or "?", lambda: _abort(request))
        limits = self._serving.limits
        try:
            socket = web.WebSocketResponse(heartbeat=15, max_msg_size=limits.frame_bytes, compress=False)
            await socket.prepare(request)
            self._listener.served(request.transport, page=True)
            hello = await self._greet(socket, place, secure(request, proxied), proxied)
            if hello is not None:
                with suppress(ConnectionError):  # the page left before its last answer
                    await self._serve_page(socket, hello)
            return socket
        finally:
            self.places.free(place)

    async def _greet(
        self, socket: web.WebSocketResponse, place: Place, secure: bool, proxied: bool
    ) -> MutableJson | None:
        """Return the first message if its role is granted; else close the socket with the reason."""
        try:
            async with asyncio.timeout(self._serving.limits.first_message_s):
                message = await socket.receive()
        except TimeoutError:
            await self.refuse(socket, "no_first_message")
            return None
        hello = json_object(message.data) if message.type is WSMsgType.TEXT else None
        if hello is None or hello.get("v") != 1:
            await self.refuse(socket, "malformed")
            return None
        code = self.access.refusal(hello.get("role"), hello.get("secret"), place.client, secure, proxied)
        shown = self.access.role_of_secret(hello.get("role"), hello.get("secret"))
        if code is None and not self.places.admit(place, shown):
            code = "connections"
        if code is not None:
            await self.refuse(socket, code)
            return None
        return hello

    async def converse(self, page: Page, on_message: Callable[[Page, MutableJson], object]) -> None:
        """Send the page's outbox and pass on its messages, until it closes or sends too many."""
        writer = asyncio.create_task(page.write())
        try:
            async for message in page.socket:
                if message.type is not WSMsgType.TEXT:
                    return
                if not page.within_rate():
                    await self.refuse(page.socket, "too_many_messages")
                    return
                on_message(page, json_object(message.data) or {})
        finally:
            writer.cancel()

    async def refuse(self, socket: web.WebSocketResponse, code: str) -> None:
        """Close a socket with the reason."""
        self._refused(code)
        with suppress(ConnectionError):
            await socket.send_json({"topic": "refused", "payload": {"code": code}})
            await socket.close(code=1008, message=code.encode())


def end_at_signal() -> asyncio.Event:
    """Return an event that Ctrl-C sets, or the machine when it ends the program.

    Call it before the program says that it serves: a program that reads that may end it at once.
    """
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    return ended


def json_object(text: str) -> MutableJson | None:
    """Return a JSON object, or None: Python also reads `NaN`, 1e999 and lone surrogates, which are not JSON."""
    try:
        value = json.loads(text, parse_constant=_no_json, parse_float=_finite)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _no_json(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    return number if math.isfinite(number := float(text)) else _no_json(text)


def _abort(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


def _in_url(name: str) -> str:
    return f"[{name}]" if ":" in name else name
