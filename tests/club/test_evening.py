"""A short evening with real parts, some killed during play: Mosquitto, two boards, `scharten club`."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import aiohttp
import pytest

from lab.daemon_process import Peer, wait_for
from lab.evening import Evening, differences, play
from lab.hall import Hall, Json, Organiser, wait_for_service
from lab.ports import free_ports
from scharten.club.store import ClubStore

pytestmark = pytest.mark.mosquitto


@pytest.mark.long
def test_an_evening_with_kills(tmp_path: Path) -> None:
    """Six members, two boards, two rounds, killed parts: the table matches the journals; files and rights are
    right."""
    hall = Hall(tmp_path, 2, free_ports(2))
    try:
        hall.start()
        wait_for_service(hall)
        outcome = asyncio.run(play(hall, Evening(6, 2, 2, kills=1, corrections=1.0)))
        asyncio.run(_doors(hall))
        asyncio.run(_ended_unheard(hall))
        gone = asyncio.run(_deleted(hall))
    finally:
        hall.end()
    assert outcome.kills == 2
    assert outcome.games >= 4
    assert not [
        file for file in (tmp_path / "club").glob("club.sqlite3*") if gone.encode() in file.read_bytes()
    ]
    with closing(ClubStore(tmp_path / "club" / "club.sqlite3")) as store:
        assert differences(hall, store.club) == 0


async def _ended_unheard(hall: Hall) -> None:
    """While the service is away a game ends and another begins on its board: the result still enters."""
    organiser = Organiser(hall)
    view = await organiser.wait(lambda view: len(view["members"]) == 6, 30, "the members")
    for member in view["members"][:2]:
        await organiser.do("presence", key=member["key"], said="here")
    for member in view["members"][2:]:
        await organiser.do("presence", key=member["key"], said="absent")
    await organiser.do("pair", number=3)
    view = await organiser.wait(lambda view: len(view["rounds"]) == 3 and _one(view)["match"], 60, "the game")
    game = _one(view)
    table = hall.peer(game["board"], "table")
    await asyncio.to_thread(table.wait, lambda state: state["match"] == game["match"])
    await organiser.close()
    hall.end_club()
    await asyncio.to_thread(_ends_and_begins, table)
    hall.start_club()
    repeated = Organiser(hall)
    member = _one(await repeated.wait(lambda view: view["rounds"] and _one(view)["result"], 60, "its result"))
    assert (member["result"], member["reason"], member["match"]) == ("0-1", "resignation", game["match"])
    assert (await asyncio.to_thread(table.ask, "resign", side="white"))["accepted"]
    await repeated.close()
    table.close()


def _ends_and_begins(table: Peer) -> None:
    assert table.ask("resign", side="white")["accepted"]
    table.wait(lambda state: state["result"] == "0-1")
    table.new_game(kind="silent", game="chess", names={"white": "A guest", "black": "Another"})


def _one(view: Json) -> Json:
    return dict(view["rounds"][-1]["pairings"][0])


async def _deleted(hall: Hall) -> str:
    """Delete a member, who leaves every page and the broker's games; return the name."""
    organiser = Organiser(hall)
    view = await organiser.wait(lambda view: view["rounds"] and view["broker"], 30, "the evening")
    key, name = (view["members"][0][field] for field in ("key", "name"))
    peers = [hall.peer(board, "web") for board in hall.names]
    wait_for(lambda: all("finished/0" in peer.last for peer in peers), 40, "the finished games")
    assert any(name in json.dumps(peer.last) for peer in peers)
    await organiser.do("remove_member", key=key)
    hidden = await asyncio.to_thread(
        wait_for, lambda: not any(name in json.dumps(peer.last) for peer in peers), 30, "no name"
    )
    view = await organiser.wait(lambda view: len(view["members"]) == 5, 30, "one member less")
    assert hidden and name not in json.dumps(view)
    for peer in peers:
        peer.close()
    await organiser.close()
    return str(name)


async def _doors(hall: Hall) -> None:
    """A display only looks, a member only ticks presence, and every page may download the files."""
    address = f"http://127.0.0.1:{hall.web_port}"
    await asyncio.to_thread(_links, hall, address)
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


def _links(hall: Hall, address: str) -> None:
    """The service's log holds no link, but names the command that prints the links."""
    folder = hall.folder / "club"
    secrets, log = (
        json.loads((folder / "club-secrets.json").read_text()),
        (hall.folder / "club.log").read_text(),
    )
    command = ["links", "--data", str(folder)]
    assert f"scharten {' '.join(command)}" in log and not any(secret in log for secret in secrets.values())
    shown = subprocess.run([sys.executable, "-m", "scharten", *command], capture_output=True, text=True)
    assert shown.stdout.splitlines() == [
        f"club's organiser: {address}/evening?role=organiser#{secrets['organiser']}",
        f"club's member: {address}/join?role=member#{secrets['member']}",
        f"club's tv: {address}/club",
    ]


async def _code(session: aiohttp.ClientSession, address: str, hello: Json, order: Json) -> str | None:
    """Return the code of the answer to one command, or of the page's refusal."""
    async with session.ws_connect(f"{address}/ws", headers={"Origin": address}) as socket:
        await socket.send_json({"v": 1, **hello})
        await socket.send_json({"topic": "command", "payload": {"v": 1, "id": "one", **order}})
        async for message in socket:
            data = json.loads(message.data)
            if data["topic"] in ("answer", "refused"):
                return data["payload"]["code"]
    raise AssertionError("no answer")
