"""The review on the board's page: made by a process of its own, and shown under the page's rules."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import cast

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from players.evening import played, store
from scharten.contract.topics import Topics
from scharten.display.context import Context, DaemonParts
from scharten.display.feature import Bus
from scharten.display.features.review import ReviewFeature
from scharten.mqtt.address import BrokerAddress

Client = TestClient[web.Request, web.Application]


async def _asked(client: Client, match: str) -> tuple[int, str]:
    """Ask again as a browser does, until the page is made."""
    until = time.monotonic() + 120
    while True:
        answer = await client.get(f"/review/{match}.html?lang=nl")
        if answer.status != 202 or time.monotonic() > until:
            return answer.status, await answer.text()
        await asyncio.sleep(0.2)


def test_the_page_shows_a_finished_game_and_names_a_missing_one(tmp_path: Path) -> None:
    """A loud game has its review in Dutch without any script or inline style; an unknown match says so with 404."""
    table = played(3, 25.0)
    table.ok("resign", "seat1")
    store(tmp_path / "scharten.sqlite3", table)
    parts = DaemonParts(journal=tmp_path / "scharten.sqlite3")
    feature = ReviewFeature(Context(BrokerAddress("127.0.0.1", 1), Topics("a", "b", "c"), daemon=parts))

    async def visit() -> None:
        await feature.start(cast(Bus, None))
        app = web.Application()
        app.add_routes(feature.routes())
        async with TestClient(TestServer(app)) as client:
            status, body = await _asked(client, table.match.id)
            assert status == 200 and "Hoofd" in body and "Ann – Bob" in body
            assert "<style" not in body and "<script" not in body and " style=" not in body
            moved = await client.get(f"/review/{table.match.id}?lang=nl", allow_redirects=False)
            assert (
                moved.status == 302
                and moved.headers["Location"] == f"../review?lang=nl&match={table.match.id}"
            )
            status, body = await _asked(client, "nobody")
            assert status == 404 and "holds no match nobody" in body
        await feature.stop()

    asyncio.run(visit())
