"""A simulated long-distance TCP line on one machine: delay, jitter, lost packets as TCP shows them, and cuts."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from dataclasses import dataclass


@dataclass
class Line:
    """One way takes `delay_ms` and up to `jitter_ms` more; a lost packet arrives one retransmission later."""

    delay_ms: float = 0
    jitter_ms: float = 0
    loss: float = 0
    blocked_until_s: float = 0

    def due_s(self, now_s: float, chance: random.Random) -> float:
        """Return when a packet sent now arrives."""
        took_ms = self.delay_ms + chance.random() * self.jitter_ms
        if chance.random() < self.loss:
            took_ms += 200 + 2 * self.delay_ms
        return max(now_s, self.blocked_until_s) + took_ms / 1000


class SlowLine:
    """A proxy from `port` to another port of this machine, in its own thread."""

    def __init__(self, port: int, goal: int) -> None:
        self.line = Line()
        self._port, self._goal, self._chance = port, goal, random.Random(port)
        self._swallows = ""
        self.swallowed = 0
        """The number of bytes lost on the line."""
        self._writers: set[asyncio.StreamWriter] = set()
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait(10)

    def cut(self, seconds: float) -> None:
        """Pass nothing for this long; delayed packets arrive afterwards, in order."""
        self.line.blocked_until_s = time.monotonic() + seconds

    def swallow(self, way: str) -> None:
        """Lose everything on the way `out` to the port behind, or `back`, until `hang_up`, like a broken line."""
        self._swallows = way

    def hang_up(self) -> None:
        """End every connection; new ones pass again."""

        def end() -> None:
            for writer in self._writers:
                writer.close()
            self._swallows = ""

        self._loop.call_soon_threadsafe(end)

    def stop(self) -> None:
        """Stop the line and its connections."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", self._port))
        self._ready.set()
        self._loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(max(0.0, self.line.blocked_until_s - time.monotonic()))
        try:
            far, back = await asyncio.open_connection("127.0.0.1", self._goal)
        except OSError:
            writer.close()
            return
        ends = {back, writer}
        self._writers |= ends
        await asyncio.gather(
            self._carry(reader, back, "out"), self._carry(far, writer, "back"), return_exceptions=True
        )
        self._writers -= ends

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: str) -> None:
        """Carry one direction: packets keep their order."""
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        send = asyncio.ensure_future(self._send(queue, writer))
        try:
            last_s, data = 0.0, b"x"
            while data:
                data = await reader.read(65536)
                if data and way == self._swallows:
                    self.swallowed += len(data)
                    continue
                last_s = max(last_s, self.line.due_s(time.monotonic(), self._chance))
                queue.put_nowait((last_s, data))
        except OSError:
            queue.put_nowait((0, b""))
        await send

    async def _send(self, queue: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                due_s, data = await queue.get()
                due_s = max(due_s, self.line.blocked_until_s)
                await asyncio.sleep(max(0.0, due_s - time.monotonic()))
                if not data:
                    break
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()
