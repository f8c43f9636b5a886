"""Many pages without a browser, in a process of their own: how long each state takes to reach every one of them.

`python -m lab.crowd URL PAGES STATES` prints "ready", then JSON: latencies in ms, and how many were skipped.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import time

import aiohttp


async def _page(
    session: aiohttp.ClientSession, url: str, states: int, ready: asyncio.Event, late: list[float]
) -> int:
    """One page: notes the age of each state that it gets, until the last one; gives how many came."""
    async with session.ws_connect(f"{url}/ws", headers={"Origin": url}) as socket:
        await socket.send_json({"v": 1, "role": "display"})
        came = 0
        async for message in socket:
            told = json.loads(message.data)
            if told["topic"] == "welcome":
                ready.set()
            if told["topic"] != "state" or "sent_ns" not in told["payload"]:
                continue
            late.append((time.time_ns() - told["payload"]["sent_ns"]) / 1e6)
            came += 1
            if told["payload"]["seq"] >= states:
                return came
    return came


async def crowd(url: str, pages: int, states: int) -> dict[str, object]:
    """All pages at once; says "ready" on stdout when each has been welcomed."""
    late: list[float] = []
    doors = [asyncio.Event() for _ in range(pages)]
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        tasks = [asyncio.create_task(_page(session, url, states, door, late)) for door in doors]
        for door in doors:
            await asyncio.wait_for(door.wait(), 30)
        gc.freeze()  # a full collection here would be counted as the server's delay
        print("ready", flush=True)
        came = await asyncio.gather(*tasks)
    return {"late": late, "skipped": pages * states - sum(came)}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(crowd(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))), flush=True)
