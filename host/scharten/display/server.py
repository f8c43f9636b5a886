"""A board's page: carries its topics between the broker and pages, and lets features add the rest."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from aiohttp import web

from scharten import __version__
from scharten.contract.roles import writes
from scharten.contract.topics import RETAINED, Topic
from scharten.display.access import AccessControl
from scharten.display.board_topics import BoardTopics
from scharten.display.context import Context
from scharten.display.feature import Feature, Handler, Payload, View
from scharten.display.metrics import Metrics
from scharten.display.page import Page, PageMessage
from scharten.display.web_server import Serving, WebServer, json_object
from scharten.errors import Problem

log = logging.getLogger(__name__)

PAGES = ("home", "play", "practice", "learn")
"""The pages of every board in the navigation; features add theirs."""


class DisplayServer:
    """Serves one board's page and its WebSocket `/ws`; an MQTT client like any other.

    It is also the `Bus` of its features. The rights of a role are in `contract.roles`.
    """

    def __init__(self, serving: Serving, context: Context, features: Iterable[Feature] = ()) -> None:
        self._context, self._limits, self._features = context, serving.limits, tuple(features)
        self._access = AccessControl(context.roles, serving.limits)
        self.metrics = Metrics()
        pages = (*PAGES, *(name for feature in self._features for name in feature.pages()))
        self._web = WebServer(
            replace(serving, pages=pages),
            self._access,
            self._serve,
            lambda code: self.metrics.refused.labels(code).inc(),
        )
        self.link = BoardTopics(context.broker, context.topics, self._deliver, self._on_link)
        self.last: dict[str, str] = {}
        self._pages: set[Page] = set()
        self._other_pages: set[Page] = set()
        self._subscribers: dict[str, list[Callable[[Payload], object]]] = {}
        self._tasks: set[asyncio.Future[None]] = set()
        self._topics: dict[str, Handler] = {Topic.COMMAND.value: self._command}
        self._views: dict[str, View] = {}
        for feature in self._features:
            self._topics |= feature.topics()
            self._views |= feature.views()

    @property
    def url(self) -> str:
        """The address of the page; known once started."""
        return self._web.url

    @property
    def port(self) -> int:
        """The port of the page; known once started."""
        return self._web.port

    @property
    def listening(self) -> bool:
        """Whether the port is open."""
        return self._web.listening

    async def start(self) -> None:
        """Listen, then connect to the broker and stay connected; `SchartenError` when the port is taken."""
        for feature in self._features:
            await feature.start(self)
        await self._web.start([route for feature in self._features for route in feature.routes()])
        self.link.start()

    async def stop(self) -> None:
        """Leave the broker, stop the features, close every page, free the port."""
        await self.link.stop()
        for feature in self._features:
            await feature.stop()
        for page in (*self._pages, *self._other_pages):
            with suppress(ConnectionError):
                await page.socket.close(code=1001, message=b"going away")
        await self._web.stop()

    # --- for features ---

    def subscribe(self, topic: str, on_message: Callable[[Payload], object]) -> None:
        """See `Bus`."""
        self._subscribers.setdefault(topic, []).append(on_message)

    def broadcast(
        self, topic: str, value: Payload, *, newest: bool = False, to: Callable[[Page], bool] | None = None
    ) -> None:
        """See `Bus`."""
        self._send(PageMessage.from_value(topic, value, newest=newest), to or (lambda page: True))

    def admit(self, request: web.Request) -> None:
        """See `Bus`."""
        secret = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if self._access.refusal("arbiter", secret, request.remote or "?", request.secure) is not None:
            raise web.HTTPUnauthorized(
                text="This is for the arbiter: send Authorization: Bearer <the arbiter's secret>.\n",
                headers={"WWW-Authenticate": "Bearer"},
            )

    # --- from the broker ---

    def _deliver(self, topic: str, text: str) -> None:
        self.metrics.messages.labels("answer" if topic.startswith("answer/") else topic).inc()
        if topic.startswith("answer/"):
            self._answer(topic.removeprefix("answer/"), text)
            return
        if topic in RETAINED:
            self.last[topic] = text
        self._send(PageMessage(topic, text), lambda page: page.may_read(topic))
        if topic in self._subscribers:
            self._notify(topic, json_object(text) or {})

    def _notify(self, topic: str, payload: Payload) -> None:
        """Call the features that subscribe to a topic; one that raises does not keep it from the others."""
        for on_message in self._subscribers[topic]:
            try:
                on_message(payload)
            except Exception:
                log.exception("a feature of the page failed on %s", topic)

    def _send(self, message: PageMessage, to: Callable[[Page], bool]) -> None:
        for page in self._pages:
            if to(page):
                page.send(message)

    def _answer(self, role: str, text: str) -> None:
        payload = json.loads(text)
        command_id = payload.get("id") if isinstance(payload, dict) else None
        if isinstance(command_id, str):
            answer = PageMessage("answer", text)
            self._send(answer, lambda page: page.role == role and page.expects_answer(command_id))

    def _on_link(self, up: bool) -> None:
        if not up:
            self.last.clear()  # the broker sends its retained messages again; those that it lost must not remain
        self.broadcast("link", {"broker": up}, newest=True)

    # --- from the pages ---

    async def _serve(self, socket: web.WebSocketResponse, hello: Payload) -> None:
        page = Page(socket, str(hello["role"]), self._limits)
        for name, view in self._views.items():
            if hello.get(name) is True:
                await self._serve_view(page, view)
                return
        self._pages.add(page)
        self.metrics.pages.set(len(self._pages))
        self._welcome(page)
        try:
            await self._web.converse(page, self._on_page_message)
        finally:
            self._pages.discard(page)
            self.metrics.pages.set(len(self._pages))
            self.metrics.skipped.inc(page.skipped)

    async def _serve_view(self, page: Page, view: View) -> None:
        self._other_pages.add(page)
        page.send_value("welcome", self._greeting(page)[0], newest=True)
        try:
            await view(page)
        finally:
            self._other_pages.discard(page)

    def _welcome(self, page: Page) -> None:
        greeting, messages = self._greeting(page)
        page.send_value("welcome", greeting, newest=True)
        page.send_value("link", {"broker": self.link.connected}, newest=True)
        for topic, text in self.last.items():
            if page.may_read(topic):
                page.send(PageMessage(topic, text))
        for topic, value in messages.items():
            page.send_value(topic, value, newest=True)

    def _greeting(self, page: Page) -> tuple[Payload, dict[str, Payload]]:
        """The payload of `welcome`, and the messages of features that follow it."""
        greeting: dict[str, Any] = {
            "v": 1,
            "role": page.role,
            "board": self._context.topics.board,
            "white_sits_at": self._context.white_sits_at,
            "now_ms": self._context.now_ms(),
            "version": __version__,
        }
        messages: dict[str, Payload] = {}
        for feature in self._features:
            welcome = feature.welcome(page.role)
            greeting |= welcome.fields
            messages |= {topic: value for topic, value in welcome.messages.items() if value is not None}
        return greeting, messages

    def _on_page_message(self, page: Page, message: Mapping[str, Any]) -> None:
        topic, payload = message.get("topic"), message.get("payload")
        if not isinstance(payload, dict):
            payload, handler = {}, None
        else:
            handler = self._topics.get(topic) if isinstance(topic, str) else None
        refused = handler(page, payload) if handler else "malformed"
        if isinstance(refused, str):
            page.send_answer(payload.get("id"), Problem(refused, ""))
        elif refused is not None:
            task = asyncio.ensure_future(refused)
            self._tasks.add(task)
            task.add_done_callback(self._on_done)

    def _on_done(self, task: asyncio.Future[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("a feature of the page failed on a request", exc_info=error)

    def _command(self, page: Page, payload: Payload) -> str | None:
        command_id = payload.get("id")
        if not isinstance(command_id, str) or not 1 <= len(command_id) <= 64:
            payload.pop("id", None)  # an answer repeats only an id that a command may have
            return "malformed"
        if not writes(page.role, f"command/{page.role}"):
            return "not_allowed"
        if any(other is not page and other.expects_answer(command_id) for other in self._pages):
            return "malformed"  # an answer goes to one page only
        page.ask(command_id)
        self.metrics.commands.labels(page.role).inc()
        return None if self.link.publish(f"command/{page.role}", payload) else "no_broker"
