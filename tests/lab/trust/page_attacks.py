"""Attacks on the page's server of a running daemon: foreign pages, guessed secrets, huge frames, silence."""

from __future__ import annotations

import asyncio
import json
import random
import resource
import socket
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import aiohttp

from lab.daemon_process import DaemonProcess
from lab.trust.board_trouble import healthz, resident_mb
from lab.trust.rows import Attack

WRITES = ("table", "seat1", "seat2", "arbiter")
GROWTH_MB = 20.0
DESCRIPTORS = 900
LOG_BYTES = 10_000
FIRST_MESSAGE_S = 5.0
"""The time that the server allows a page for its greeting (guard.Limits)."""


class PageTarget:
    """The page's server of a daemon, and how to connect to it."""

    def __init__(self, daemon: DaemonProcess) -> None:
        self.daemon = daemon
        self.web = str(daemon.running["web"])
        self.port = int(self.web.rpartition(":")[2])
        self.secrets = daemon.secrets
        self.session: aiohttp.ClientSession

    async def page(self, hello: dict[str, Any] | None, origin: str | None = "") -> tuple[str, Any]:
        """Open a page and greet: return topic and payload of the answer, or ("http", status)."""
        headers = {} if origin is None else {"Origin": origin or self.web}
        try:
            async with self.session.ws_connect(f"{self.web}/ws", headers=headers) as page:
                if hello is not None:
                    await page.send_json(hello)
                async with asyncio.timeout(FIRST_MESSAGE_S + 3):
                    message = await page.receive()
                if message.type is not aiohttp.WSMsgType.TEXT:
                    return "closed", page.close_code
                reported = json.loads(message.data)
                return reported["topic"], reported["payload"]
        except aiohttp.WSServerHandshakeError as error:
            return "http", error.status

    async def healthy(self) -> bool:
        """Return whether a new display gets the state."""
        async with self.session.ws_connect(f"{self.web}/ws", headers={"Origin": self.web}) as page:
            await page.send_json({"v": 1, "role": "display"})
            async with asyncio.timeout(40):
                while json.loads((await page.receive()).data)["topic"] != "state":
                    pass
        return True


async def foreign_pages(target: PageTarget) -> Attack:
    """Pages of other origins, of `null` and of none open the socket; requests use foreign host names."""
    origins = ["null", None, "http://evil.example", "http://localhost", f"https://127.0.0.1:{target.port}",
               f"http://127.0.0.1:{target.port}.evil.example", f"http://127.0.0.1:{target.port + 1}", "file://",
               f"http://evil.example:{target.port}", f"{target.web}/",
               f"{target.web}, http://evil.example"]  # fmt: skip
    through = 0
    for origin in origins:
        through += await target.page({"v": 1, "role": "table"}, origin) != ("http", 403)
    paths = ("/", "/ws", "/healthz", "/metrics", "/status/diagnostics", "/js/app.js")
    names = ("evil.example", f"evil.example:{target.port}", f"127.0.0.1.evil.example:{target.port}", "")
    for path in paths:
        for name in names:
            async with target.session.get(f"{target.web}{path}", headers={"Host": name}) as answer:
                through += answer.status != 421
    tried = len(origins) + len(paths) * len(names)
    return Attack("page: foreign and `null` origins, foreign host names", tried, through)


async def guesses(target: PageTarget) -> Attack:
    """Wrong, empty and other roles' secrets; roles that do not exist; restricted pages and figures without a secret."""
    hellos: list[dict[str, Any]] = [{"v": 1, "role": role, "secret": "wrong"} for role in WRITES]
    hellos += [
        {"v": 1, "role": "arbiter", "secret": item}
        for item in (None, "", 7, list[str](), "\ud800", target.secrets["table"])
    ]
    hellos += [{"v": 1, "role": role, "secret": target.secrets.get(str(role))} for role in
               ("host", "web", "simulator", "root", "", None, 7, ["arbiter"])]  # fmt: skip
    hellos += [{"v": 1, "role": "arbiter", "secret": f"guess{number}"} for number in range(100)]
    through = 0
    for hello in hellos:
        through += (await target.page(hello))[0] != "refused"
    rooms = ("/metrics", "/status/diagnostics", "/status/pictures", "/status/picture/camera%201")
    headers: tuple[dict[str, str], ...] = (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {target.secrets['table']}"},
    )
    for room in rooms:
        for header in headers:
            async with target.session.get(f"{target.web}{room}", headers=header) as answer:
                through += answer.status != 401
    return Attack("page: wrong roles and secrets", len(hellos) + len(rooms) * len(headers), through)


async def broken_greetings(target: PageTarget) -> Attack:
    """First messages that are not greetings, and frames of a megabyte before and after it."""
    frames = [
        "",
        "[]",
        "null",
        "{",
        '"v"',
        "1e999",
        "[" * 4000,
        '{"v":2,"role":"display"}',
        '{"v":1}',
        "\x00",
        "x" * 1_000_000,
    ]
    through = 0
    for first in ([], [json.dumps({"v": 1, "role": "table"})]):
        for frame in frames:
            async with target.session.ws_connect(f"{target.web}/ws", headers={"Origin": target.web}) as page:
                for text in (*first, frame):
                    await page.send_str(text)
                through += not await _shown_out(
                    page, "answer" if first and len(frame) < 16_384 else "refused"
                )
    through += not await target.healthy()
    return Attack("page: broken and oversized frames", 2 * len(frames), through)


async def _shown_out(page: aiohttp.ClientWebSocketResponse, topic: str) -> bool:
    """Return whether the socket is closed, or the message refused on this topic."""
    async with asyncio.timeout(FIRST_MESSAGE_S + 3):
        while True:
            message = await page.receive()
            if message.type is not aiohttp.WSMsgType.TEXT:
                return True
            reported = json.loads(message.data)
            if reported["topic"] == topic:
                return reported["payload"].get("accepted", False) is False


async def crowd(target: PageTarget, count: int = 300) -> Attack:
    """Pages that open the socket and send nothing: a display and the arbiter still connect, and all silent pages
    are closed."""
    opened = []
    for _ in range(count):
        opened.append(await target.session.ws_connect(f"{target.web}/ws", headers={"Origin": target.web}))
    harm = (healthz(target.daemon)[0] != 200) + (not await target.healthy())
    arbiter = {"v": 1, "role": "arbiter", "secret": target.secrets["arbiter"]}
    harm += (await target.page(arbiter))[0] != "welcome"
    began = time.monotonic()
    for page in opened:
        while not page.closed:
            async with asyncio.timeout(FIRST_MESSAGE_S + 5):
                await page.receive()
    words = (
        f"all shown out after {time.monotonic() - began:.1f} s; a display and the arbiter got in meanwhile"
    )
    return Attack("page: too many pages, all silent", count, harm, words)


async def displays(target: PageTarget, count: int = 580) -> Attack:
    """More displays than places, all well-behaved: the table and the arbiter still connect."""
    hello = {"v": 1, "role": "display"}
    opened = []
    for _ in range(count):
        page = await target.session.ws_connect(f"{target.web}/ws", headers={"Origin": target.web})
        await page.send_json(hello)
        opened.append(page)
    inside = [json.loads((await page.receive()).data)["topic"] for page in opened].count("welcome")
    harm = 0
    for role in ("table", "arbiter"):
        harm += (await target.page({"v": 1, "role": role, "secret": target.secrets[role]}))[0] != "welcome"
    for page in opened:
        await page.close()
    words = f"{inside} were let in; then the table and the arbiter, from the same address"
    return Attack("page: every place taken by displays", count, harm + (inside == count), words)


async def seat_link(target: PageTarget, count: int = 160) -> Attack:
    """More pages with a seat's link than places: the arbiter, both players and a display connect."""
    hello = {"v": 1, "role": "seat1", "secret": target.secrets["seat1"]}
    opened = []
    for _ in range(count):
        page = await target.session.ws_connect(f"{target.web}/ws", headers={"Origin": target.web})
        await page.send_json(hello)
        opened.append(page)
    harm = 0
    for role in ("arbiter", "seat2", "seat1"):
        harm += (await target.page({"v": 1, "role": role, "secret": target.secrets[role]}))[0] != "welcome"
    harm += not await target.healthy()
    for page in opened:
        await page.close()
    return Attack("page: every place taken with a seat's link", count, harm)


async def half_open(target: PageTarget, count: int = 1250) -> Attack:
    """Connections that send nothing or half a head, more than there are descriptors: page, health, MQTT and log
    survive."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4 * count), hard))
    log, process = target.daemon.log.stat().st_size, target.daemon.process
    lines: list[socket.socket] = []
    peer = target.daemon.peer("arbiter")  # first, because its client waits with `select`
    peer.wait(bool)
    harm, most, began = 0, 0, time.monotonic()
    try:
        for number in range(count):
            line = socket.create_connection(("127.0.0.1", target.port), 5)
            if number % 2:
                line.sendall(b"GET / HTTP/1.1\r\nHost: 127")
            lines.append(line)
            if number % 250 == 249:
                assert process is not None
                most = max(most, len(list(Path(f"/proc/{process.pid}/fd").iterdir())))
                harm += not await target.healthy()
        harm += not await asyncio.to_thread(peer.new_game)
        harm += healthz(target.daemon)[0] != 200
    finally:
        peer.close()
        for line in lines:
            line.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    grown = target.daemon.log.stat().st_size - log
    harm += (most > DESCRIPTORS) + (grown > LOG_BYTES)
    words = f"in {time.monotonic() - began:.0f} s; {most} descriptors at most (aim {DESCRIPTORS}), {grown} bytes of log"
    return Attack("page: half-open HTTP connections", count, harm, words)


async def chatter(target: PageTarget, count: int = 200) -> Attack:
    """A page that floods the server is cut off; only the contract's two topics reach any client."""
    through = 0
    async with target.session.ws_connect(f"{target.web}/ws", headers={"Origin": target.web}) as page:
        await page.send_json({"v": 1, "role": "display"})
        for number in range(count):
            topic = ("command", "simulator/throw", "state", "command/arbiter", "#", "../x", "answer/table")[
                number % 7
            ]
            try:
                await page.send_json(
                    {"topic": topic, "payload": {"v": 1, "id": str(number), "type": "new_game"}}
                )
            except ConnectionError:
                break
        answered = 0
        while (message := await page.receive()).type is aiohttp.WSMsgType.TEXT:
            reported = json.loads(message.data)
            answered += reported["topic"] == "answer"
            through += reported["topic"] == "answer" and bool(reported["payload"].get("accepted"))
    through += answered >= count
    return Attack(
        "page: messages without measure, and for other topics", count, through, f"cut off after {answered}"
    )


async def unresponsive_pages(target: PageTarget, count: int = 30) -> Attack:
    """Pages that never read during a game: others get every state, and memory stays."""
    before = resident_mb(target.daemon)
    unresponsive = [await unresponsive_page(target) for _ in range(count)]
    peer = target.daemon.peer("table")
    peer.wait(bool)
    lost = 0
    async with target.session.ws_connect(f"{target.web}/ws", headers={"Origin": target.web}) as page:
        await page.send_json({"v": 1, "role": "display"})
        for _ in range(100):
            await asyncio.to_thread(peer.new_game)
            wanted = peer.state["match"]
            try:
                async with asyncio.timeout(40):
                    while True:
                        reported = json.loads((await page.receive()).data)
                        if reported["topic"] == "state" and reported["payload"]["match"] == wanted:
                            break
            except TimeoutError:
                lost += 1
    grown = resident_mb(target.daemon) - before
    peer.close()
    for _, writer in unresponsive:
        writer.close()
    words = f"100 new games; memory grew by {grown:.1f} MB (aim {GROWTH_MB:.0f} MB)"
    return Attack("page: pages that do not read", count, lost + (grown > GROWTH_MB), words)


async def unresponsive_page(target: PageTarget) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a page that greets and never reads, with the smallest receive buffer."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", target.port))
    reader, writer = await asyncio.open_connection(sock=sock, limit=64)
    writer.write(
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\nOrigin: {target.web}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
    )
    hello = b'{"v":1,"role":"display"}'
    writer.write(bytes([0x81, 0x80 | len(hello), 0, 0, 0, 0]) + hello)
    await writer.drain()
    cast(asyncio.Transport, writer.transport).pause_reading()
    return reader, writer


async def bad_http(target: PageTarget, count: int = 300, seed: int = 1) -> Attack:
    """Mutated and endless requests: the server answers or closes, and serves the next one."""
    chance = random.Random(seed)
    heads = f"Host: 127.0.0.1:{target.port}\r\nUpgrade: websocket\r\nContent-Length: 9"
    good = f"GET /ws HTTP/1.1\r\n{heads}\r\n\r\n".encode()
    before = resident_mb(target.daemon)
    for number in range(count):
        data = bytearray(good)
        for _ in range(chance.randrange(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if number % 10 == 0:
            data = bytearray(b"GET /" + b"a" * 200_000)
        if number % 10 == 1:
            data = bytearray(good[:-2] + b"X: y\r\n" * 20_000)
        with socket.create_connection(("127.0.0.1", target.port), 3) as line:
            try:
                line.sendall(bytes(data))
            except OSError:
                continue
    grown = resident_mb(target.daemon) - before
    harm = (healthz(target.daemon)[0] != 200) + (grown > GROWTH_MB)
    return Attack("page: mutated and endless HTTP requests", count, harm, f"memory grew by {grown:.1f} MB")


PAGE_ATTACKS: tuple[Callable[[PageTarget], Awaitable[Attack]], ...] = (
    foreign_pages, broken_greetings, crowd, displays, seat_link, half_open, chatter, unresponsive_pages, bad_http,
    guesses,
)  # fmt: skip


def attack_page(daemon: DaemonProcess, attack: Callable[[PageTarget], Awaitable[Attack]]) -> Attack:
    """Run one attack on a daemon's page."""

    async def run() -> Attack:
        target = PageTarget(daemon)
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as target.session:
            return await attack(target)

    return asyncio.run(run())
