"""A short evening with real parts: Mosquitto, two boards, `scharten club`; some are killed while it is played."""

from __future__ import annotations

import asyncio
import json
import shutil
from contextlib import closing
from pathlib import Path

import aiohttp
import pytest

from lab.evening import Evening, differences, play
from lab.hall import Hall, Json, free_ports, wait_for_service
from scharten.club.store import ClubStore

pytestmark = [
    pytest.mark.mosquitto,
    pytest.mark.skipif(not shutil.which("mosquitto", path="/usr/sbin:/usr/bin"), reason="needs mosquitto"),
]


def test_an_evening_with_kills(tmp_path: Path) -> None:
    """Six members, two boards, two rounds, parts killed: the table is the journals', files and doors are right."""
    hall = Hall(tmp_path, 2, free_ports())
    try:
        hall.start()
        wait_for_service(hall)
        outcome = asyncio.run(play(hall, Evening(6, 2, 2, kills=1, corrections=1.0)))
        asyncio.run(_doors(hall))
    finally:
        hall.end()
    assert outcome.kills == 2
    assert outcome.games >= 4
    with closing(ClubStore(tmp_path / "club" / "club.sqlite3")) as store:
        assert differences(hall, store.club) == 0


async def _doors(hall: Hall) -> None:
    """A display only looks, a member ticks presence and nothing else, and anybody may take the files home."""
    address = f"http://127.0.0.1:{hall.web_port}"
    secret = json.loads((hall.folder / "club" / "club-secrets.json").read_text())
    async with aiohttp.ClientSession() as session:
        for name, start in (
            ("table.csv", "place,name"),
            ("season.trf", "012 Lab"),
            ("against.json", '{"v":1'),
        ):
            async with session.get(f"{address}/evening/{name}") as answer:
                assert (await answer.text()).startswith(start), name
        async with session.get(f"{address}/evening.json") as answer:
            member = (await answer.json())["members"][0]["key"]
        tick = {"type": "presence", "key": member, "said": "excused"}
        assert await _code(session, address, {"role": "display"}, tick) == "not_allowed"
        as_member = {"role": "member", "secret": secret["member"]}
        assert await _code(session, address, as_member, {"type": "pair"}) == "not_allowed"
        assert await _code(session, address, as_member, tick) is None
        assert (
            await _code(session, address, {"role": "organiser", "secret": "guessed"}, tick) == "wrong_secret"
        )
        boss = {"role": "organiser", "secret": secret["organiser"]}
        assert await _code(session, address, boss, {"type": "begin"}) == "malformed"
        assert await _code(session, address, boss, {"type": "season", "name": ""}) == "malformed"


async def _code(session: aiohttp.ClientSession, address: str, hello: Json, order: Json) -> str | None:
    """The code of the answer to one order, or of the refusal of the page."""
    async with session.ws_connect(f"{address}/ws", headers={"Origin": address}) as socket:
        await socket.send_json({"v": 1, **hello})
        await socket.send_json({"topic": "command", "payload": {"v": 1, "id": "one", **order}})
        async for message in socket:
            told = json.loads(message.data)
            if told["topic"] in ("answer", "refused"):
                return told["payload"]["code"]
    raise AssertionError("no answer")
