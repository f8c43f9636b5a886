"""A federation's load: boards that publish real snapshots, with two displays each, on one Mosquitto; and its
growth.

Boards and displays are light clients of one process, so that one machine carries thousands; broker and display
server are real. The machine's load is printed too, because all share its cores.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import random
import resource
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise

from lab.federation_pages import PAGES, Pages
from lab.figures import commit, percentile
from lab.light_clients import LightClient
from lab.mosquitto import mosquitto_process
from lab.process_figures import cpu_s, memory_mb
from scharten.contract.snapshot import snapshot
from scharten.games import GAMES_BY_KEY
from scharten.match.inputs import Command, Role
from scharten.match.orders import ORDERS
from scharten.match.referee import new_match, step
from scharten.match.settings import MatchSettings
from scharten.mqtt.publisher import encoded

EVERY_S = 5.0
"""Seconds between two states of a board."""
DISPLAYS = 2
"""Displays of each board."""
P99_MS = 1000.0
"""The target for every display of a thousand boards, a delay that people at a screen do not notice."""
CONNECT_AT_ONCE = 50


@dataclass
class Step:
    """One number of boards, and its measurements."""

    boards: int
    late_ms: list[float] = field(default_factory=list)
    sent: int = 0
    seconds: float = 0.0
    broker_cpu_s: float = 0.0
    own_cpu_s: float = 0.0
    memory_mb: float = 0.0

    @property
    def cpu_us(self) -> float:
        """The broker's CPU for a board and second, in microseconds."""
        return self.broker_cpu_s / self.seconds / self.boards * 1e6

    def line(self) -> str:
        """The figures as a line of text."""
        lost = self.sent * DISPLAYS - len(self.late_ms)
        item, share = self.cpu_us, self.broker_cpu_s / self.seconds * 100
        return "; ".join(
            (
                f"{self.boards:5} boards, {self.boards * DISPLAYS:5} displays: p50 {percentile(self.late_ms, 50):.1f}, "
                f"p99 {percentile(self.late_ms, 99):7.1f} ms",
                f"{self.sent} states, {lost} not seen",
                f"Mosquitto {self.memory_mb:.1f} MB, {share:.1f} % of a core, {item:.0f} us of CPU a board and second",
                f"all clients together {self.own_cpu_s / self.seconds * 100:.0f} % of a core",
            )
        )


def run(counts: Sequence[int], seconds: float, servers: int) -> int:
    """Print each number of boards as it is measured, then the pages of a display server; return 1 over the target."""
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, commit {commit()}"
    )
    texts = snapshots()
    sizes = [len(text) for text in texts]
    print(
        f"a state every {EVERY_S:.0f} s of each board: real ones, {min(sizes)} to {max(sizes)} bytes; load {_load()}"
    )
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(counts) * (1 + DISPLAYS) + 200
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, wanted)), hard))
    steps: list[Step] = []
    for count in counts:
        if count * (1 + DISPLAYS) + 200 > hard:
            print(f"{count:5} boards: not possible here: {hard} open files are allowed (ulimit -n)")
            continue
        with mosquitto_process() as (port, pid):
            first = asyncio.run(_measured(port, pid, count, seconds, texts))
        print(f"{first.line()}; load {_load()}", flush=True)
        steps.append(first)
    for less, more in pairwise(steps):
        _grown(less, more)
    met = bool(steps) and percentile(steps[-1].late_ms, 99) <= P99_MS
    print(f"p99 of the most boards: target {P99_MS:.0f} ms, {'met' if met else 'missed'}")
    if servers:
        met = _pages(servers, max(counts), seconds, texts) and met
    return 0 if met else 1


def _grown(less: Step, more: Step) -> None:
    extra = more.boards - less.boards
    memory = (more.memory_mb - less.memory_mb) * 1024 / extra
    cpu = (more.broker_cpu_s / more.seconds - less.broker_cpu_s / less.seconds) / extra * 1e6
    print(
        f"from {less.boards} to {more.boards} boards, each board more: {memory:.0f} kB of the broker's memory, "
        f"{cpu:.0f} us of its CPU a second"
    )


def _pages(servers: int, boards: int, seconds: float, texts: Sequence[bytes]) -> bool:
    """Run all boards, and display servers with 500 pages of one board each; return whether p99 meets the target."""
    states = int(seconds / EVERY_S)
    with mosquitto_process() as (port, pid), ExitStack() as stack:
        pages = Pages(stack, port, servers, states)
        first = asyncio.run(_measured(port, pid, boards, seconds, texts, displays=0))
        for line in pages.reported():
            print(f"{line}; load {_load()}", flush=True)
    print(
        f"{servers * PAGES} pages beside {boards} boards: Mosquitto {first.memory_mb:.1f} MB, "
        f"{first.cpu_us:.0f} us of CPU a board and second"
    )
    return pages.p99_ms <= P99_MS


def snapshots(count: int = 24) -> list[bytes]:
    """Return snapshots of a random game as boards publish them."""
    match, chance = new_match(MatchSettings(), GAMES_BY_KEY), random.Random(7)
    names = {"white": "Anna Zeeman", "black": "Bram de Vries"}
    order: dict[str, object] = {"type": "new_game", "game": "scharten", "kind": "silent", "names": names}
    order["options"] = {"white_by": "agreed"}
    found = []
    for number in range(count):
        body = {"v": 2, "id": f"bench{number}", "match": match.id or None, "seq": match.seq, **order}
        match, _ = step(
            match, Command(number * 1000, Role.ARBITER, ORDERS.validate_json(json.dumps(body)), 7)
        )
        reported = snapshot(match, 0)
        found.append(encoded(reported))
        order = {"type": "move", "move": chance.choice(reported["moves"]), "side": reported["side"]}
    return found


async def _measured(
    port: int, pid: int, count: int, seconds: float, texts: Sequence[bytes], displays: int = DISPLAYS
) -> Step:
    load, measuring = Step(count), False

    def received(payload: bytes) -> None:
        if measuring and payload.startswith(b'{"sent_ns":'):
            load.late_ms.append((time.monotonic_ns() - int(payload[11 : payload.index(b",")])) / 1e6)

    boards = await _connected(port, [f"board{number}" for number in range(count)])
    names = [f"display{place}-{number}" for place in range(displays) for number in range(count)]
    watching = await _connected(port, names, received)
    for first in range(0, len(watching), CONNECT_AT_ONCE):
        chosen = range(first, min(len(watching), first + CONNECT_AT_ONCE))
        await asyncio.gather(*(watching[place].subscribe(_topic(place % count)) for place in chosen))
    measuring = True
    cpu, own, began = cpu_s(pid), time.process_time(), time.monotonic()
    await asyncio.gather(
        *(_board(board, number, count, seconds, texts, load) for number, board in enumerate(boards))
    )
    load.seconds = time.monotonic() - began
    load.broker_cpu_s, load.own_cpu_s = cpu_s(pid) - cpu, time.process_time() - own
    until = time.monotonic() + 10
    while len(load.late_ms) < load.sent * displays and time.monotonic() < until:
        await asyncio.sleep(0.1)
    load.memory_mb = memory_mb(pid)
    for client in (*boards, *watching):
        client.close()
    return load


async def _connected(port: int, names: Sequence[str], received: object = None) -> list[LightClient]:
    """Connect clients with these names, some at once, so that the broker's backlog does not overflow."""
    found: list[LightClient] = []
    for first in range(0, len(names), CONNECT_AT_ONCE):
        chosen = names[first : first + CONNECT_AT_ONCE]
        more = (received,) if callable(received) else ()
        found += await asyncio.gather(*(LightClient.connected(port, name, *more) for name in chosen))
    return found


async def _board(
    client: LightClient, number: int, count: int, seconds: float, texts: Sequence[bytes], load: Step
) -> None:
    """Run one board: a state every five seconds, each board at its own time."""
    until = time.monotonic() + seconds
    await asyncio.sleep(EVERY_S * number / count)
    turn = number
    while time.monotonic() < until:
        text = texts[turn % len(texts)]
        sent = turn - number + 1
        head = b'{"sent_ns":%d,"number":%d,' % (time.monotonic_ns(), sent)
        client.publish(_topic(number), head + text[1:])
        load.sent += 1
        turn += 1
        await asyncio.sleep(EVERY_S)


def _topic(number: int) -> str:
    return f"scharten/club{number // 20}/board{number % 20}/state"


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}"
