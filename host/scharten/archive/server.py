"""The archive's service: store the finished games of all clubs of a broker, and serve `/archive`."""

from __future__ import annotations

import asyncio
import datetime
import logging
import queue
import threading
from collections.abc import Callable
from functools import partial

from aiohttp import web
from pydantic import TypeAdapter, ValidationError

from scharten.archive.store import ArchiveStore, GameQuery
from scharten.contract.news_models import Forgotten
from scharten.contract.topics import Topic
from scharten.display.access import AccessControl
from scharten.display.answers import json_answer
from scharten.display.archive_routes import ArchiveRoutes
from scharten.display.context import Roles
from scharten.display.web_server import Serving, WebServer, until_ended
from scharten.errors import Problem, SchartenError
from scharten.game.basics import MutableJson
from scharten.journal.records import read_record
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.client import MqttClient

log = logging.getLogger(__name__)

WAITING = 1000
RETRY_S = 5.0
StoreTask = Callable[[], bool | int | Problem]
_FORGOTTEN: TypeAdapter[Forgotten] = TypeAdapter(Forgotten)


class RecordReceiver:
    """Store the broker's records in a separate thread; retry when the database refuses."""

    def __init__(self, store: ArchiveStore, broker: BrokerAddress, prefix: str) -> None:
        self._store = store
        self._waiting: queue.Queue[tuple[str, bytes] | None] = queue.Queue(WAITING)
        self._stopping = threading.Event()
        self._client = MqttClient(broker, name="archive")
        for topic in (Topic.FORGOTTEN, Topic.FINISHED):
            self._client.subscribe(f"{prefix}/+/+/{topic.value}/+", self._receive)
        self._thread = threading.Thread(target=self._run, name="archive", daemon=True)
        self.stored = self.refused = 0

    def start(self) -> None:
        """Connect, and reconnect as needed."""
        self._thread.start()
        self._client.start()

    def stop(self) -> None:
        """Disconnect from the broker, and finish the current game."""
        self._client.stop()
        self._stopping.set()
        self._waiting.put(None)
        self._thread.join(10)

    def _receive(self, topic: str, payload: bytes, _retained: bool) -> None:
        try:
            self._waiting.put_nowait((topic, payload))
        except queue.Full:  # it is retained, and arrives again with the next connection
            log.warning("too many games at once: %s waits on the broker", topic)

    def _run(self) -> None:
        while (message := self._waiting.get()) is not None:
            try:
                self._store_message(*message)
            except Exception:
                log.exception("%s was not stored", message[0])

    def _store_message(self, topic: str, payload: bytes) -> None:
        _, club, board, kind, *_ = topic.split("/")
        if not payload:
            return
        task = (
            self._forget_task(club, payload)
            if kind == Topic.FORGOTTEN
            else self._store_task(club, board, payload)
        )
        while not isinstance(task, Problem):
            done = task()
            if isinstance(done, Problem) and done.code == "database" and not self._stopping.wait(RETRY_S):
                log.error("%s: %s; trying again", topic, done.words)
            elif isinstance(done, Problem):
                task = done
            else:
                self.stored += done is True
                return
        self.refused += 1
        log.warning("%s was not stored: %s", topic, task.words)

    def _store_task(self, club: str, board: str, payload: bytes) -> StoreTask | Problem:
        record = read_record(payload)
        return record if isinstance(record, Problem) else partial(self._store.take, club, board, record)

    def _forget_task(self, club: str, payload: bytes) -> StoreTask | Problem:
        try:
            players = _FORGOTTEN.validate_json(payload)["players"]
        except ValidationError as error:
            return Problem("malformed", f"it names no deleted players: {error.error_count()} errors")
        return partial(self._store.forget, club, players)


class ArchiveServer:
    """`/archive` and its search over one store."""

    def __init__(self, store: ArchiveStore, serving: Serving) -> None:
        self._store = store
        access = AccessControl(Roles(), serving.limits)
        self._web = WebServer(serving, access, self._serve, lambda code: None)

    @property
    def url(self) -> str:
        """The address of the pages; known once started."""
        return self._web.url

    async def start(self) -> None:
        """Listen."""
        routes = ArchiveRoutes(self._store, lambda: self.url).routes()
        await self._web.start([web.get("/archive/search.json", self._search), *routes])

    async def stop(self) -> None:
        """Free the port."""
        await self._web.stop()

    async def _serve(self, socket: web.WebSocketResponse, _hello: MutableJson) -> None:
        await socket.close(code=1000)

    async def _search(self, request: web.Request) -> web.Response:
        """Games by `player`, `club`, `from` and `to` (dates), `position`."""
        try:
            asked = {name: request.query.get(name, "")[:300] for name in ("player", "club", "position")}
            wanted = GameQuery(**asked, from_ms=_day(request, "from", 0), to_ms=_day(request, "to", 1))
        except ValueError as error:
            raise web.HTTPBadRequest(text="from and to are dates such as 2026-11-20.\n") from error
        try:
            found = await asyncio.get_running_loop().run_in_executor(
                None, partial(self._store.search, wanted)
            )
        except SchartenError as error:
            raise web.HTTPServiceUnavailable(text=f"{error}\n") from error
        return json_answer({"v": 1, "games": found})


def _day(request: web.Request, name: str, days_later: int) -> int | None:
    text = request.query.get(name)
    if not text:
        return None
    day = datetime.date.fromisoformat(text) + datetime.timedelta(days=days_later)
    return int(datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.UTC).timestamp() * 1000)


async def serve(receiver: RecordReceiver, server: ArchiveServer, ready: Callable[[str], object]) -> None:
    """Store and show games until the process ends; `ready` is called with the address."""
    await server.start()
    receiver.start()
    ready(f"  the archive is at {server.url}/archive   (Ctrl-C ends it)")
    await until_ended()
    await asyncio.to_thread(receiver.stop)
    await server.stop()
