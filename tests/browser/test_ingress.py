"""The pages behind a proxy with another path and host name, as Home Assistant shows an add-on."""

from __future__ import annotations

import asyncio
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress

import aiohttp
import pytest
from aiohttp import web
from playwright.sync_api import expect

from browser.fakes import FakeHost
from browser.pages import Pages
from browser.servers import Mosquitto, Served, served
from scharten.display.files import STATIC

PROXY = "127.0.0.2"
PREFIX = "/api/hassio_ingress/a-token-of-one-session"
FRAME = f'<!doctype html><iframe width="1200" height="780" src="{PREFIX}/?lang=en"></iframe>'
ENDS_HERE = {"transfer-encoding", "content-length", "content-encoding", "connection"}


class Ingress:
    """Pass requests on as Home Assistant does: the browser's Host and Origin, the path without its prefix."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.port = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(20)
        self.missing: list[str] = []

    async def _start(self) -> int:
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(local_addr=(PROXY, 0)))
        app = web.Application()
        app.router.add_get("/", self._frame)
        app.router.add_get(PREFIX + "/{path:.*}", self._pass)
        app.router.add_get("/{path:.*}", self._not_ours)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        return int(self._runner.addresses[0][1])

    async def _frame(self, _request: web.Request) -> web.Response:
        return web.Response(text=FRAME, content_type="text/html")

    async def _not_ours(self, request: web.Request) -> web.Response:
        if request.path != "/favicon.ico":
            self.missing.append(request.path)
        raise web.HTTPNotFound

    async def _pass(self, request: web.Request) -> web.StreamResponse:
        headers = {
            name: value for name, value in request.headers.items() if not name.startswith("Sec-WebSocket")
        }
        headers |= {"X-Ingress-Path": PREFIX, "X-Forwarded-Host": request.host}
        url = f"{self._target}/{request.match_info['path']}"
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await self._talk(request, url, headers)
        async with self._session.get(
            url, headers=headers, params=request.query, allow_redirects=False
        ) as answer:
            if answer.status == 404:
                self.missing.append(request.path)
            kept = {name: value for name, value in answer.headers.items() if name.lower() not in ENDS_HERE}
            return web.Response(status=answer.status, headers=kept, body=await answer.read())

    async def _talk(self, request: web.Request, url: str, headers: dict[str, str]) -> web.WebSocketResponse:
        near = web.WebSocketResponse()
        await near.prepare(request)
        async with self._session.ws_connect(url, headers=headers) as far:

            async def outward() -> None:
                async for message in near:
                    await far.send_str(message.data)

            sending = asyncio.create_task(outward())
            with suppress(ConnectionError):  # the page opened another address
                async for message in far:
                    await near.send_str(message.data)
            sending.cancel()
        return near

    def stop(self) -> None:
        """Close every open connection."""

        async def close() -> None:
            await self._session.close()
            await self._runner.cleanup()

        asyncio.run_coroutine_threadsafe(close(), self._loop).result(20)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


@pytest.fixture(scope="module")
def behind(broker: Mosquitto) -> Iterator[Served]:
    """A display server whose roles need a secret, except for clients of the proxy."""
    with served(broker.port, role_secrets={"table": "secret"}, simulated=True, proxy=PROXY) as server:
        yield server


@pytest.fixture(scope="module")
def ingress(behind: Served) -> Iterator[Ingress]:
    """The proxy in front of that display server."""
    proxy = Ingress(behind.url)
    yield proxy
    proxy.stop()


def test_the_table_plays_in_a_frame_of_the_proxys_site(
    pages: Pages, ingress: Ingress, host: FakeHost
) -> None:
    """The page loads below the prefix, acts as the table without a secret, and its throw reaches the board."""
    page = pages.open(f"http://127.0.0.1:{ingress.port}/")
    frame = page.frame_locator("iframe")
    frame.locator(".piece").first.wait_for()
    frame.locator('#board [data-field="e2"]').click()
    expect(frame.locator("#board")).to_have_count(1)
    for _ in range(300):
        if host.throws or host.commands:
            break
        page.wait_for_timeout(100)
    assert host.throws or host.commands
    assert not pages.console, pages.console
    assert ingress.missing == []


@pytest.mark.parametrize(
    "address",
    [
        "learn",
        "club",
        "archive",
        "players",
        "practice",
        "problems",
        "openings",
        "endgames",
        "status",
        "overlay",
    ],
)
def test_every_page_finds_its_files_beneath_the_prefix(
    pages: Pages, ingress: Ingress, host: FakeHost, address: str
) -> None:
    """Styles, scripts and texts come from below the prefix; the page requests nothing from the proxy's own site."""
    page = pages.open(f"http://127.0.0.1:{ingress.port}{PREFIX}/{address}?lang=en")
    page.wait_for_load_state("networkidle")
    outside = "[...document.querySelectorAll('a[href], link[href], script[src], img[src]')].map((one) => one.href ?? "
    outside += f"one.src).filter((one) => one.startsWith('http') && !one.includes('{PREFIX}/'))"
    assert page.evaluate(outside) == []
    asked = "performance.getEntriesByType('resource').map((one) => one.name)"
    assert [
        address
        for address in page.evaluate(asked)
        if not address.startswith("data:") and PREFIX not in address
    ] == []
    allowed = {
        f"{PREFIX}/{address}.json"
        for address in ("players", "players/names", "players/all", "archive/games", "openings/turns")
    }  # this server has no such feature
    assert set(ingress.missing) <= allowed
    ingress.missing.clear()
    pages.console.clear()


def test_other_clients_cannot_use_the_proxys_rights(behind: Served) -> None:
    """Only the proxy's address may use other host names and show the page in a frame."""
    with urllib.request.urlopen(behind.url) as answer:
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Frame-Options"] == "DENY"
    strange = urllib.request.Request(behind.url, headers={"Host": "ha.example", "X-Ingress-Path": PREFIX})
    with pytest.raises(urllib.error.HTTPError, match="421"):
        urllib.request.urlopen(strange)


def test_no_page_names_an_absolute_address() -> None:
    """A page that requested `/...` would leave the proxy's prefix; a failure shows the file and the line."""
    absolute = re.compile(
        r"""(?:href|src|action|url|fetch\w*|downloads|location\.href)\s*[=:(]+\s*["'`]/|["'`]/(?!dev/)[a-z]+[?/."`]"""
    )
    found = [
        f"{path.relative_to(STATIC)}:{number}"
        for path in sorted(STATIC.rglob("*"))
        if path.suffix in (".html", ".js", ".css", ".webmanifest")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if absolute.search(line)
    ]
    assert found == []
