"""`/follow`: a delayed game for spectators, through a real daemon and its web server."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from lab.daemon_process import FAST, DaemonProcess
from lab.scripted_game import board_listens, play_turn

DELAY_S = 3


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[DaemonProcess]:
    """A daemon whose followers are three seconds late."""
    made = DaemonProcess(tmp_path / "data", FAST + f"follow_delay_s = {DELAY_S}\n")
    try:
        yield made.start()
    finally:
        made.end()


async def _followed(url: str, match: str) -> list[tuple[float, str, dict[str, Any]]]:
    """Return the messages to a follower until it sees this game, with their times of arrival."""
    loop, came = asyncio.get_running_loop(), list[tuple[float, str, dict[str, Any]]]()
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{url}/ws", origin=url) as socket:
        await socket.send_json({"v": 1, "role": "display", "follow": True})
        await socket.send_json(
            {"topic": "command", "payload": {"v": 2, "id": "x", "type": "resign", "match": match}}
        )
        async with asyncio.timeout(40):
            async for message in socket:
                body = json.loads(message.data)
                came.append((loop.time(), body["topic"], body["payload"]))
                if body["topic"] == "state" and body["payload"]["turns"] == 1:
                    break
    return came


@pytest.mark.long
def test_a_follower_sees_the_game_late_and_changes_nothing(daemon: DaemonProcess) -> None:
    """A dart reaches a follower no sooner than the delay; its commands are ignored, and it gets no answers."""
    peer = daemon.peer()
    board_listens(peer)
    peer.new_game()
    play_turn(peer)
    played, url = peer.state, daemon.running["web"]
    began = peer.received_ns / 1e9
    came = asyncio.run(_followed(url, played["match"]))
    assert came[-1][0] - began >= DELAY_S
    assert came[-1][2]["position"] == played["position"]
    assert {topic for _, topic, _ in came} <= {"welcome", "link", "state", "sheet", "hits", "said"}
    assert peer.state["result"] is None
    with urllib.request.urlopen(f"{url}/follow") as answer:
        assert answer.url.endswith("/?role=display&follow=")
    peer.close()
