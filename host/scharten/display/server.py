"""The display server: the page, `/ws` with a board's topics, `/healthz`, `/metrics`; an MQTT client."""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any

from aiohttp import WSMsgType, web

from scharten import __version__
from scharten.contract.light import parse_light
from scharten.contract.roles import writes
from scharten.contract.topics import RETAINED, Topic, Topics
from scharten.display import archive as archives
from scharten.display.access import AccessControl, Limits
from scharten.display.board_topics import BoardTopics
from scharten.display.camera_pictures import NamedPictures, ThrowPictures
from scharten.display.club import ClubView
from scharten.display.links import links
from scharten.display.listener import ConnectionLimits
from scharten.display.metrics import Metrics
from scharten.display.page import Page, PageMessage
from scharten.display.players import PlayerRoutes, PlayerSource
from scharten.display.results import Results
from scharten.display.setup_door import SetupDoor
from scharten.display.status import Diagnostics, StatusRoutes
from scharten.display.throws import ThrowRoutes
from scharten.display.web_server import Serving, WebServer, json_object
from scharten.errors import Problem
from scharten.mqtt.address import BrokerAddress


class DisplayServer:
    """Serves one board's display.

    `role_secrets` maps a role to its secret; a role in neither `role_secrets` nor `open_roles` does not exist
    here (`display` always does). `origins` are exact further addresses of the page, scheme and port included,
    beside those of localhost and of `host`. What a role reads and writes stands in `contract.roles`.
    `pictures` (the cameras' last ones by name) and `diagnostics` (what the daemon adds) are for the status page,
    `now_ms` is the clock that the host's states are dated by, `proxy` and `language` as in `Serving`,
    `club` the name of the club, `setup` answers the page /setup.
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
        pictures: NamedPictures = dict,
        diagnostics: Diagnostics = dict,
        archive: archives.GameArchive | None = None,
        players: PlayerSource | None = None,
        throws: ThrowPictures | None = None,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        proxy: str = "",
        language: str = "",
        club: str = "",
        setup: SetupDoor | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._secrets = dict(role_secrets or {})
        self._access = AccessControl(self._secrets, open_roles, tls_only_roles, self._limits)
        most = connections or ConnectionLimits()
        serving = Serving(host, port, tuple(origins), ssl_context, self._limits, most, proxy, language)
        self._metrics = Metrics()
        self._web = WebServer(
            serving, self._access, self._serve, lambda code: self._metrics.refused.labels(code).inc()
        )
        self._open_roles = tuple(open_roles)
        self._simulated, self._white_sits_at, self._board = simulated, white_sits_at, topics.board
        self._pages: set[Page] = set()
        self._last: dict[str, str] = {}
        self._now_ms = now_ms
        self._results = Results(now_ms)
        self._bridge = BoardTopics(broker, topics, self._deliver, self._link)
        self._club = ClubView(broker, topics)
        hidden = [secret for secret in self._secrets.values() if secret]
        at = (self._bridge, self._access, self._metrics, self._last, hidden)
        self._status = StatusRoutes(*at, pictures=pictures, diagnostics=diagnostics)
        self._archive = archives.ArchiveRoutes(archive, self._last, lambda: self.url)
        self._players = PlayerRoutes(players, self._pages, white_sits_at, lambda: self.url)
        self._club_name, self._setup = club, setup
        self._throws = ThrowRoutes(throws, self._status.admit)

    @property
    def url(self) -> str:
        """The address of the page; known once started."""
        return self._web.url

    @property
    def port(self) -> int:
        """Where it listens; known once started."""
        return self._web.port

    async def start(self) -> None:
        """Listen, then connect to the broker and keep at it; `SchartenError` when the port is taken."""
        own = (*self._status.routes(), *self._archive.routes(), *self._throws.routes())
        await self._web.start((*own, *self._players.routes()))
        self._bridge.start()

    async def stop(self) -> None:
        """Say goodbye to every page, leave the broker, free the port."""
        await self._bridge.stop()
        await self._club.stop()
        if self._setup is not None:
            self._setup.stop()
        for page in (*self._pages, *self._club.pages):
            with suppress(ConnectionError):
                await page.socket.close(code=1001, message=b"going away")
        await self._web.stop()

    # --- from the broker ---

    def _deliver(self, topic: str, text: str) -> None:
        self._metrics.messages.labels("answer" if topic.startswith("answer/") else topic).inc()
        if topic.startswith("answer/"):
            self._answer(topic.removeprefix("answer/"), text)
            return
        if topic in RETAINED:
            self._last[topic] = text
        if topic == "hits":
            self._throws.hear(json_object(text) or {})
        message = PageMessage(topic, text)
        for page in self._pages:
            if page.may_read(topic):
                page.tell(message)
        state = json_object(text) or {} if topic == "state" else None
        if state is not None:
            self._throws.play(state.get("match"))
        if state is not None and self._results.see(state):
            results = PageMessage.of("results", self._results.told())
            for page in self._pages:
                page.tell(results)

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

    async def _serve(self, socket: web.WebSocketResponse, hello: dict[str, Any]) -> None:
        role = str(hello["role"])
        page = Page(socket, role, self._limits)
        if hello.get("club") is True:
            page.send_value("welcome", self._words_of_welcome(page))
            await self._club.show(page)
            return
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

    def _welcome(self, page: Page) -> None:
        page.send_value("welcome", self._words_of_welcome(page))
        page.send_value("link", {"broker": self._bridge.connected})
        page.send_value("results", self._results.told())
        page.send_value("seated", self._players.seated)
        page.send_value("links", links(page.role, self.url, self._secrets, self._open_roles))
        for topic, text in self._last.items():
            if page.may_read(topic):
                page.send(topic, text)
        if self._throws.looked_at is not None:
            page.send_value("look", {"v": 1, "at_ms": self._throws.looked_at})

    def _words_of_welcome(self, page: Page) -> dict[str, Any]:
        return {
            "v": 1,
            "role": page.role,
            "board": self._board,
            "simulated": self._simulated,
            "archive": self._archive.there,
            "players": self._players.there,
            "throws": self._throws.there,
            "throw": self._throws.last,
            "asked": self._throws.asked,
            "white_sits_at": self._white_sits_at,
            "now_ms": self._now_ms(),
            "version": __version__,
            "club": self._club_name,
            "setup": self._setup.welcome(page.role) if self._setup else None,
        }

    async def _listen(self, page: Page) -> None:
        async for message in page.socket:
            if message.type is not WSMsgType.TEXT:
                break
            if not page.in_measure():
                await self._web.refuse(page.socket, "too_many_messages")
                break
            self._from_page(page, json_object(message.data))

    def _from_page(self, page: Page, message: dict[str, Any] | None) -> None:
        topic = message.get("topic") if message else None
        payload = message.get("payload") if message else None
        if not isinstance(payload, dict):
            page.send_value("answer", _refusal(None, "malformed"))
        elif topic == "command":
            self._command(page, payload)
        elif topic == "players":
            self._players.hear(page, payload)
        elif topic == "setup" and self._setup is not None:
            self._setup.hear(page, payload)
        elif topic == "look":
            self._look(page, payload)
        elif topic == "light":
            self._light(page, payload)
        elif topic == "projector":
            self._projector(page, payload)
        elif topic == "simulator/throw":
            if not writes(page.role, topic) or not self._simulated:
                page.send_value("answer", _refusal(payload.get("id"), "not_allowed"))
            elif not self._bridge.publish(topic, payload):
                page.send_value("answer", _refusal(payload.get("id"), "no_broker"))
        else:
            page.send_value("answer", _refusal(payload.get("id"), "malformed"))

    def _look(self, page: Page, payload: dict[str, Any]) -> None:
        """Somebody looks at a throw again: every page of this board shows it, the one on the wall too."""
        at_ms = payload.get("at_ms")
        if not self._throws.there or not writes(page.role, f"command/{page.role}"):
            page.send_value("answer", _refusal(payload.get("id"), "not_allowed"))
        elif at_ms is not None and (isinstance(at_ms, bool) or not isinstance(at_ms, int)):
            page.send_value("answer", _refusal(payload.get("id"), "malformed"))
        else:
            self._throws.looked_at = at_ms
            for other in self._pages:
                other.send_value("look", {"v": 1, "at_ms": at_ms})

    def _light(self, page: Page, payload: dict[str, Any]) -> None:
        """A page that is a projector is about to change the light on the board."""
        if not writes(page.role, Topic.LIGHT):
            page.send_value("answer", _refusal(None, "not_allowed"))
        elif isinstance(parse_light(json.dumps(payload).encode()), Problem):
            page.send_value("answer", _refusal(None, "malformed"))
        elif not self._bridge.publish(Topic.LIGHT, payload):
            page.send_value("answer", _refusal(None, "no_broker"))

    def _projector(self, page: Page, payload: dict[str, Any]) -> None:
        """Between a tool that calibrates the projector and the page that it shows: handed on as it is."""
        if not writes(page.role, Topic.LIGHT):
            page.send_value("answer", _refusal(None, "not_allowed"))
            return
        for other in self._pages:
            if other is not page and writes(other.role, Topic.LIGHT):
                other.send_value("projector", payload)

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


def _refusal(command_id: object, code: str) -> dict[str, Any]:
    return {
        "v": 1,
        "id": command_id if isinstance(command_id, str) else None,
        "accepted": False,
        "code": code,
    }
