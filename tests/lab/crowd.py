"""Many pages without a browser, in one process: the time until each state reaches every page.

`python -m lab.crowd URL PAGES STATES` prints "ready", then JSON: latencies in ms, and the number of skipped
states. A state's payload begins with `sent_ns`, the machine's monotonic clock, and `number`, from 1 to STATES. The
crowd reads no more of it, to disturb the measured server little.
"""

from __future__ import annotations

import asyncio
import gc
import json
import re
import sys
import time
from contextlib import AsyncExitStack

import aiohttp

STATE = re.compile(r'\{"topic":"state","payload":\{"sent_ns": ?(\d+), ?"number": ?(\d+)')
PAGES_OF_ONE = 50
"""Pages per address of this machine; a server accepts no more than 64."""


async def _page(
    session: aiohttp.ClientSession, url: str, states: int, ready: asyncio.Event, late: list[float]
) -> int:
    """Open one page; record the age of each state until the last one; return the number of states."""
    async with session.ws_connect(f"{url}/ws", headers={"Origin": url}) as socket:
        await socket.send_json({"v": 1, "role": "display"})
        came = 0
        async for message in socket:
            ready.set()
            if (found := STATE.match(message.data)) is None:
                continue
            late.append((time.monotonic_ns() - int(found[1])) / 1e6)
            came += 1
            if int(found[2]) >= states:
                return came
    return came


async def crowd(url: str, pages: int, states: int) -> dict[str, object]:
    """Open all pages at once; print "ready" when each has been welcomed."""
    late: list[float] = []
    doors = [asyncio.Event() for _ in range(pages)]
    async with AsyncExitStack() as stack:
        sessions = [
            await stack.enter_async_context(
                aiohttp.ClientSession(
                    connector=aiohttp.TCPConnector(limit=0, local_addr=(f"127.0.0.{2 + number}", 0))
                )
            )
            for number in range(1 + pages // PAGES_OF_ONE)
        ]
        tasks = []
        for number, door in enumerate(doors):
            session = sessions[number // PAGES_OF_ONE]
            tasks.append(asyncio.create_task(_page(session, url, states, door, late)))
            if (
                number % PAGES_OF_ONE == PAGES_OF_ONE - 1
            ):  # a server lets only this many connections wait for their welcome
                await asyncio.wait_for(door.wait(), 60)
        for door in doors:
            await asyncio.wait_for(door.wait(), 60)
        gc.freeze()  # a full collection here would be counted as the server's delay
        print("ready", flush=True)
        came = await asyncio.gather(*tasks)
    return {"late": late, "skipped": pages * states - sum(came)}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(crowd(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))), flush=True)
