"""Attacks on the page's server by messages on its sockets: invalid JSON, and floods of pings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from secrets import token_hex
from typing import NoReturn, cast

import aiohttp

from lab.trust.page_attacks import LOG_BYTES, WRITES, PageTarget, unresponsive_page
from lab.trust.rows import Attack

STRANGE = (
    r'{"topic":"command","payload":{"v":1,"id":"\ud800","type":"resign"}}',
    r'{"topic":"command","payload":{"v":1,"id":"1","type":"\ud800"}}',
    r'{"topic":"command","payload":{"v":1,"id":"2","type":"set_clock","white_ms":1e999}}',
    r'{"topic":"simulator/throw","payload":{"v":1,"x_mm":"\udfff"}}',
    r'{"topic":"projector","payload":{"v":1,"x":"\ud800"}}',
    r'{"topic":"projector","payload":{"v":1,"x":NaN}}',
    r'{"topic":"light","payload":{"v":1,"x":-1e999}}',
    r'{"topic":"look","payload":{"v":1,"id":"\ud800","at_ms":"x"}}',
    r'{"topic":"players","payload":{"v":1,"id":NaN,"type":"keep","profile":{"name":"x"}}}',
    r'{"topic":"players","payload":{"v":1,"id":"3","type":"delete","player":"\ud800"}}',
    r'{"topic":"setup","payload":{"v":1,"id":"\ud800","type":"look"}}',
    r'{"topic":["x"],"payload":{"id":"\ud800"}}',
    '{"topic":"command","payload":' + '{"x":' * 2000 + "1" + "}" * 2001,
)
"""Texts that Python reads but JSON or UTF-8 does not allow."""


async def strange_json(target: PageTarget) -> Attack:
    """Lone surrogates, huge numbers and deep nesting from every role: every page still gets answers, and the log
    stays empty."""
    log = target.daemon.log.stat().st_size
    harm = 0
    for role in ("display", *WRITES):
        async with _open(target, "table") as witness:
            for text in STRANGE:
                async with _open(target, role) as page:
                    await page.send_str(text)
                    harm += not (await _answers(page) and await _answers(witness))
    grown = target.daemon.log.stat().st_size - log
    reported = f"{grown} bytes of log (aim {LOG_BYTES:,})"
    return Attack(
        "page: JSON that cannot be said again", 5 * len(STRANGE), harm + (grown > LOG_BYTES), reported
    )


@asynccontextmanager
async def _open(target: PageTarget, role: str) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    async with target.session.ws_connect(f"{target.web}/ws", headers={"Origin": target.web}) as page:
        await page.send_json({"v": 1, "role": role, "secret": target.secrets.get(role)})
        yield page


async def _answers(page: aiohttp.ClientWebSocketResponse) -> bool:
    """Return whether a page still gets the answer to its request, and only JSON before it."""
    asked = token_hex(4)
    await page.send_json({"topic": "command", "payload": {"v": 1, "id": asked, "type": "nonsense"}})
    try:
        async with asyncio.timeout(40):
            while (message := await page.receive()).type is aiohttp.WSMsgType.TEXT:
                reported = json.loads(message.data, parse_constant=_no_json)
                if reported["topic"] == "answer" and reported["payload"]["id"] == asked:
                    return True
    except (TimeoutError, ValueError):
        return False
    return False


def _no_json(text: str) -> NoReturn:
    raise ValueError(text)


async def pings(target: PageTarget, count: int = 10) -> Attack:
    """Pages that send 60,000 pings and leave before the answers: others are served, and the log stays empty."""
    log = target.daemon.log.stat().st_size
    ping = bytes([0x89, 0x80 | 100, 0, 0, 0, 0]) + b"x" * 100
    harm = 0
    for _ in range(count):
        _, writer = await unresponsive_page(target)
        writer.write(ping * 60_000)
        await asyncio.sleep(0.5)
        cast(asyncio.Transport, writer.transport).abort()
    harm += not await target.healthy()
    grown = target.daemon.log.stat().st_size - log
    return Attack(
        "page: pings without measure from pages that go", count, harm + (grown > LOG_BYTES),
        f"{grown} bytes of log (aim {LOG_BYTES:,})",
    )  # fmt: skip


GREETINGS = (
    {"role": ["x"], "secret": "y"},
    {"role": {"table": 1}, "secret": "y"},
    {"role": "table", "secret": ["y"]},
    {"role": "table", "secret": {"y": 1}},
    {"role": "arbiter", "secret": True},
    {"role": 1e308, "secret": "y"},
    {"role": [["table"]], "secret": [], "archive": True, "throws": True},
)
"""Greetings that are JSON, with values of the wrong type."""


async def strange_greetings(target: PageTarget, count: int = 30) -> Attack:
    """Roles and secrets of every type: each page gets a refusal with a message, and the log stays empty."""
    log = target.daemon.log.stat().st_size
    harm = 0
    for _ in range(count):
        for greeting in GREETINGS:
            topic, payload = await target.page({"v": 1, **greeting})
            harm += topic != "refused" or payload["code"] not in REFUSALS
    harm += not await target.healthy()
    grown = target.daemon.log.stat().st_size - log
    return Attack(
        "page: greetings with values of the wrong type", count * len(GREETINGS), harm + (grown > LOG_BYTES),
        f"{grown} bytes of log (aim {LOG_BYTES:,})",
    )  # fmt: skip


REFUSALS = ("unknown_role", "wrong_secret", "too_many_guesses")

MESSAGE_ATTACKS: tuple[Callable[[PageTarget], Awaitable[Attack]], ...] = (
    strange_json,
    strange_greetings,
    pings,
)
