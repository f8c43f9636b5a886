"""The review on the board's page: made by a process of its own, and shown under the page's rules."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from match.driver import Table
from players.evening import played, store
from scharten.contract.topics import Topics
from scharten.display.context import Context, DaemonParts
from scharten.display.feature import Bus
from scharten.display.features import review as review_feature
from scharten.display.features.review import ReviewFeature
from scharten.mqtt.address import BrokerAddress
from scharten.review.page import HIGH, cards
from scharten.review.review import as_json
from scharten.review.review import review as make_review

JOURNAL = "scharten.sqlite3"
Client = TestClient[web.Request, web.Application]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make reviews at the priority of the tests: at idle priority they would wait for the tests beside them."""
    monkeypatch.setattr(review_feature, "COMMAND", review_feature.COMMAND[:-1])


async def _asked(client: Client, match: str, more: str = "") -> tuple[int, str]:
    """Ask again as a browser does, until the page is made."""
    until = time.monotonic() + 120
    while True:
        answer = await client.get(f"/review/{match}.html?lang=nl{more}")
        if answer.status != 202 or time.monotonic() > until:
            return answer.status, await answer.text()
        await asyncio.sleep(0.2)


@asynccontextmanager
async def _served(folder: Path, *tables: Table) -> AsyncIterator[Client]:
    """The page of a board with these games in its journal."""
    store(folder / JOURNAL, *tables)
    parts = DaemonParts(journal=folder / JOURNAL)
    feature = ReviewFeature(Context(BrokerAddress("127.0.0.1", 1), Topics("a", "b", "c"), daemon=parts))
    await feature.start(cast(Bus, None))
    app = web.Application()
    app.add_routes(feature.routes())
    async with TestClient(TestServer(app)) as client:
        yield client
    await feature.stop()


def _resigned(darts: int) -> Table:
    table = played(darts, 25.0)
    table.ok("resign", "seat1")
    return table


@pytest.mark.long
def test_the_page_shows_a_finished_game_and_names_a_missing_one(tmp_path: Path) -> None:
    """A loud game has its review in Dutch without any script or inline style; an unknown match says so with 404."""
    table = _resigned(3)

    async def visit() -> None:
        async with _served(tmp_path, table) as client:
            status, body = await _asked(client, table.match.id)
            assert status == 200 and "Hoofd" in body and "Ann – Bob" in body
            assert "<style" not in body and "<script" not in body and " style=" not in body
            moved = await client.get(f"/review/{table.match.id}?lang=nl", allow_redirects=False)
            assert (
                moved.status == 302
                and moved.headers["Location"] == f"../review?lang=nl&match={table.match.id}"
            )
            status, body = await _asked(client, "nobody")
            assert status == 404 and "staat geen partij nobody" in body

    asyncio.run(visit())


def test_a_game_that_goes_on_has_one_answer(tmp_path: Path) -> None:
    """Asked three times, the page answers 409 at once, in Dutch, and starts no process."""
    table, before = played(2, 25.0), _children()

    async def visit() -> None:
        async with _served(tmp_path, table) as client:
            for _ in range(3):
                answer = await client.get(f"/review/{table.match.id}.html?lang=nl")
                assert answer.status == 409 and "is nog bezig" in await answer.text()
            assert _children() == before

    asyncio.run(visit())


@pytest.mark.parametrize(
    ("result", "head", "luck", "headline"),
    [
        ("1-0", (-0.1, -0.4), (-0.2, 0.0), "Ann won by head. Luck was with Bob."),
        ("0-1", (-0.1, -0.2), (-0.1, 0.6), "Bob won by luck."),
        ("0-1", (-0.4, -0.1), (0.01, 0.02), "Bob won by head."),
        ("0-1", (0.0, -0.4), (0.0, 0.0), "Bob won."),
        ("½-½", (0.0, 0.0), (0.3, 0.0), "A draw. Luck was with Ann."),
    ],
)
def test_the_headline_names_what_won(
    result: str, head: tuple[float, float], luck: tuple[float, float], headline: str
) -> None:
    """The winner's largest part above the other's, then whom luck helped if that is another part and not small."""
    review = as_json(make_review(_resigned(3).match, (30.0, 30.0))) | {"result": result}
    for at, side in enumerate(("white", "black")):
        review[side] |= {"name": ("Ann", "Bob")[at], "head": head[at], "hand": 0.0, "luck": luck[at]}
    assert f"<p class='verdict'>{headline}</p>" in cards(review, "en")


def test_the_graph_has_whites_chances_after_each_turn() -> None:
    """Black's last turn gives the game away: the last dot is near the top, where White has all the points."""
    review = as_json(make_review(_resigned(4).match, (30.0, 30.0)))
    for turn, points in zip(review["turns"], (0.5, 0.5, 0.5, 0.02), strict=True):
        turn |= {"white": 0.5, "after": points}
    drawn = re.search(r"<polyline class='graph' points='([^']*)'", cards(review, "en"))
    assert drawn is not None
    heights = [float(place.split(",")[1]) for place in drawn[1].split()]
    assert heights[:3] == [HIGH / 2] * 3 and heights[3] == pytest.approx(0.02 * HIGH)
    assert f"{review['turns'][3]['text']} 98%" in cards(review, "en")


def _children() -> list[int]:
    """The processes that this one started."""
    return [
        int(pid)
        for task in Path("/proc/self/task").iterdir()
        for pid in (task / "children").read_text().split()
    ]


@pytest.mark.long
def test_a_review_whose_process_dies_is_named_and_goes_on(tmp_path: Path) -> None:
    """Killed after two turns, each answer is 500 in words; asked for again, it goes on behind those turns."""
    table = _resigned(24)
    url = f"/review/{table.match.id}.html?lang=nl"
    beside = tmp_path / "reviews" / f"{table.match.id}.turns"
    others = _children()

    async def visit() -> None:
        async with _served(tmp_path, table) as client:
            first = asyncio.create_task(client.get(url))
            while not beside.exists() or beside.read_bytes().count(b"\n") < 3:
                await asyncio.sleep(0.01)
            for pid in set(_children()) - set(others):
                os.kill(pid, signal.SIGKILL)
            assert (await first).status in (202, 500)
            done = beside.read_bytes().count(b"\n") - 1
            for _ in range(2):
                status, body = await _asked(client, table.match.id)
                assert status == 500 and "SIGKILL" in body and "Er is niets verloren" in body
                assert f" na {done} van de " in body or f" na {done - 1} van de " in body
            before = beside.read_bytes().rpartition(b"\n")[0]
            answer = await client.get(f"{url}&again=1")
            assert answer.status in (200, 202)
            if answer.status == 202 and beside.exists():
                assert beside.read_bytes().startswith(before)
            status, body = await _asked(client, table.match.id)
            assert status == 200 and "Hoofd" in body

    asyncio.run(visit())


@pytest.mark.long
def test_a_journal_that_does_not_replay_is_named_on_the_page(tmp_path: Path) -> None:
    """The page gets the reason in its own language, without a traceback, and again when it asks again."""
    table = _resigned(1)

    async def visit() -> None:
        async with _served(tmp_path, table) as client:
            with sqlite3.connect(tmp_path / JOURNAL) as db:
                db.execute("UPDATE matches SET start = replace(start, '\"t_ms\":', '\"t_ms\":1')")
            db.close()
            for more in ("", "", "&again=1"):
                status, body = await _asked(client, table.match.id, more)
                assert status == 500 and "is niet na te spelen" in body and "Traceback" not in body

    asyncio.run(visit())
