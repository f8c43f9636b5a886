"""The page of the mapping: the dartboard with the bed to press lit up, on a port of its own, on this machine only."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Awaitable, Callable
from html import escape
from importlib.resources import files
from pathlib import Path

from aiohttp import web

from scharten.commands.words import chosen_language
from scharten.errors import SchartenError
from scharten.words import texts
from scharten_calibration.mapping import MappingWord
from scharten_calibration.picture import board_svg

HOST = "127.0.0.1"
_TYPES = {".css": "text/css", ".js": "text/javascript"}
_PLACE = re.compile(r"\{\{([\w.]+)\}\}")


def page_response(name: str, **parts: str) -> web.Response:
    """Return a page in the chosen language: its places `{{key}}` are parts, or texts `calibrate.page.<key>`.

    Its script finds the texts in `data-texts`, because the content policy forbids scripts within the page.
    """
    language, prefix = chosen_language(), "calibrate.page."
    shown = {
        key.removeprefix(prefix): found for key, found in texts(language).items() if key.startswith(prefix)
    }
    values = {key: escape(found) for key, found in shown.items()}
    values |= {"lang": language, "texts": escape(json.dumps(shown, ensure_ascii=False)), **parts}
    page = (files(__package__) / "page" / name).read_text(encoding="utf-8")
    return web.Response(text=_PLACE.sub(lambda place: values[place[1]], page), content_type="text/html")


def asset_response(name: str) -> web.Response:
    """Return a script or a style sheet of the pages."""
    text = (files(__package__) / "page" / name).read_text(encoding="utf-8")
    return web.Response(text=text, content_type=_TYPES[Path(name).suffix])


class MappingPage:
    """The page's server in a thread of its own; `show` gives it a new state, `request_word` gets what is clicked."""

    def __init__(self, port: int, request_word: Callable[[MappingWord], None]) -> None:
        self._port, self._on_request = port, request_word
        self._state = "{}"
        self._loop = asyncio.new_event_loop()
        self._readers: set[asyncio.Event] = set()
        self._ready: threading.Event = threading.Event()
        self._trouble: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="page", daemon=True)

    def start(self) -> str:
        """Serve, and give the address; `SchartenError` if the port is taken."""
        self._thread.start()
        self._ready.wait(10)
        if self._trouble is not None:
            raise SchartenError.coded("wizard_page_port", port=self._port, why=self._trouble.strerror)
        return f"http://{HOST}:{self._port}/"

    def show(self, state: dict[str, object]) -> None:
        """Set what every open page shows; from any thread."""
        self._state = json.dumps(state)
        self._loop.call_soon_threadsafe(self._wake)

    def stop(self) -> None:
        """Stop serving; the pages then report it."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def _wake(self) -> None:
        for reader in self._readers:
            reader.set()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            runner = self._loop.run_until_complete(self._serve())
        except OSError as error:
            self._trouble = error
            self._ready.set()
            return
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())

    async def _serve(self) -> web.AppRunner:
        app = web.Application(middlewares=[only_this_machine], client_max_size=1024)
        app.router.add_get("/", self._index)
        app.router.add_get("/{name:page\\.(?:css|js)|texts\\.js}", self._asset)
        app.router.add_get("/events", self._events)
        app.router.add_post("/request", self._on_post)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        site = web.TCPSite(runner, HOST, self._port)
        await site.start()
        if self._port == 0:
            self._port = runner.addresses[0][1]
        return runner

    async def _index(self, _request: web.Request) -> web.Response:
        return page_response("index.html", board=board_svg())

    async def _asset(self, request: web.Request) -> web.Response:
        return asset_response(request.match_info["name"])

    async def _events(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
        )
        await response.prepare(request)
        news = asyncio.Event()
        self._readers.add(news)
        try:
            while True:
                news.clear()
                await response.write(f"data: {self._state}\n\n".encode())
                await news.wait()
        except ConnectionError:
            return response
        finally:
            self._readers.discard(news)

    async def _on_post(self, request: web.Request) -> web.Response:
        try:
            request_word = MappingWord((await request.json())["request"])
        except (ValueError, KeyError, TypeError):
            raise web.HTTPBadRequest(text="a request is back, skip, again or take") from None
        self._on_request(request_word)
        return web.Response(status=204)


@web.middleware
async def only_this_machine(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuses what another site's page sends here through this machine's browser; for every page of the tools."""
    host = request.host.rpartition(":")[0] or request.host
    origin = request.headers.get("Origin")
    foreign = origin is not None and origin != f"http://{request.host}"
    if host not in (HOST, "localhost") or foreign:
        raise web.HTTPForbidden(text="this page is for the machine it runs on")
    if request.method == "POST" and request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType(text="JSON only")
    response = await handler(request)
    if not response.prepared:
        response.headers["Content-Security-Policy"] = "default-src 'self'; frame-ancestors 'none'"
    return response
