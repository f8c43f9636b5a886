"""The next pair of a board with real parts: Mosquitto with the club's accounts, a board's daemon, `scharten club`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from lab.daemon_process import Peer, wait_for
from lab.hall import Hall, Organiser, wait_for_service
from lab.ports import free_ports

pytestmark = pytest.mark.mosquitto
NAMES = ("Anna", "Bram", "Carla", "Dirk")
SILENT = {"system": "keizer", "kind": "silent", "game": "chess"}


@pytest.mark.long
def test_a_board_announces_who_plays_next(tmp_path: Path) -> None:
    """`next` holds the pair that waits for a player. It is cleared as its game begins, or as evening or
    service ends."""
    hall = Hall(tmp_path, 1, free_ports(2))
    try:
        hall.start()
        wait_for_service(hall)
        asyncio.run(_evening(hall))
    finally:
        hall.end()


async def _evening(hall: Hall) -> None:
    organiser, table = Organiser(hall), hall.peer("board1", "table")
    keys = await _members(organiser)
    await _draw(organiser, 1)
    await _wait(table, lambda last: last["state"]["phase"] == "turn", "the first table's game")
    waiting = organiser.view["rounds"][0]["pairings"][1]
    absent = waiting["black"]
    await organiser.do("presence", key=absent, said="absent")
    await _resign(table)
    shown = {"round": 1, "table": 2, "names": waiting["names"]}
    await _wait(table, lambda last: _next(last) == shown, "the waiting pair")

    await organiser.do("presence", key=absent, said="here")
    await _wait(table, lambda last: _next(last) is None, "no pair once it plays")
    await _wait(table, lambda last: last["state"]["names"] == waiting["names"], "its game")
    await _resign(table)
    await organiser.wait(lambda view: view["rounds"][0]["over"], 40, "round 1 over")

    second = await _next_round(organiser, table)
    await _wait(table, lambda last: _next(last) == second, "the pair of round 2")
    hall.stop_club()
    await _wait(table, lambda last: _next(last) is None, "no pair while the service is away")
    hall.start_club()
    await _wait(table, lambda last: _next(last) == second, "the pair of round 2 again")
    await organiser.do("close_evening", open_pairs="void")
    await _wait(table, lambda last: _next(last) is None, "no pair once the evening is closed")
    assert len(keys) == 4
    table.close()
    await organiser.close()


async def _members(organiser: Organiser) -> list[str]:
    await organiser.do("season", name="Autumn", options=SILENT)
    for name in NAMES:
        await organiser.do("member", name=name)
    view = await organiser.wait(lambda view: len(view["members"]) == 4, 30, "the members")
    await organiser.do("evening", date="2026-11-23")
    keys = [member["key"] for member in view["members"]]
    for key in keys:
        await organiser.do("presence", key=key, said="here")
    return keys


async def _draw(organiser: Organiser, number: int) -> None:
    await organiser.do("pair", number=number)
    await organiser.wait(lambda view: len(view["rounds"]) == number, 30, "the round")


async def _next_round(organiser: Organiser, table: Peer) -> dict[str, Any]:
    """Draw round 2, mark a player of its second table absent, end its first game; return the waiting pair."""
    await _draw(organiser, 2)
    first, second = organiser.view["rounds"][1]["pairings"]
    await _wait(table, lambda last: last["state"]["names"] == first["names"], "round 2")
    await organiser.do("presence", key=second["white"], said="absent")
    await _resign(table)
    return {"round": 2, "table": 2, "names": second["names"]}


async def _resign(table: Peer) -> None:
    answer = await asyncio.to_thread(table.ask, "resign", side="white")
    assert answer["accepted"], answer


async def _wait(table: Peer, true_of: Any, what: str) -> None:
    await asyncio.to_thread(wait_for, lambda: true_of(table.last), 40, what)


def _next(last: dict[str, Any]) -> Any:
    return last.get("next", {}).get("pair", "nothing was published")
