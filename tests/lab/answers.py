"""The time that a person waits for the computer's first turn of a game, and for the adviser's first answer."""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import aiohttp

from lab.daemon_process import FAST, DaemonProcess, Peer, wait_for
from lab.figures import commit
from lab.process_figures import child_of, cpu_s
from lab.scripted_game import board_listens

ANSWER_S = 2.0
LEVEL = 3
"""The level of "Play against the computer"."""
READING_S = 3.0
"""Seconds between the page's offer of the computer or adviser and a person's first press."""


class Taken(NamedTuple):
    """The seconds of an answer: `wall_s` for the waiting person, `cpu_s` of the process that thinks."""

    wall_s: float
    cpu_s: float


class Asked(NamedTuple):
    """A first answer: `what` a page offers, a word in the command line of its process, and the measured wait."""

    name: str
    what: str
    command: str
    answer: Callable[[Peer], float]


def run(times: int) -> int:
    """Print the first answers of computer and adviser, with `times` daemons each; return 0 if each is in time."""
    print(f"first answers, {times} daemons each, commit {commit()}")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    good = [_judged(asked, [_measured(asked) for _ in range(times)]) for asked in _ANSWERS]
    print(f"load of the machine after: {os.getloadavg()[0]:.1f}")
    return 0 if all(good) else 1


def _judged(asked: Asked, taken: list[Taken]) -> bool:
    walls = [answer.wall_s for answer in taken]
    middle, worst = statistics.median(walls), max(walls)
    used = statistics.median(answer.cpu_s for answer in taken)
    verdict = "met" if worst <= ANSWER_S else "missed"
    print(
        f"  {asked.name}: median {middle:.2f} s, worst {worst:.2f} s; target {ANSWER_S:g} s: {verdict}; "
        f"median {used:.2f} s of CPU",
        flush=True,
    )
    return worst <= ANSWER_S


def _measured(asked: Asked) -> Taken:
    with tempfile.TemporaryDirectory(prefix="scharten-answers-") as name:
        daemon = DaemonProcess(Path(name), FAST).start()
        try:
            peer = daemon.peer()
            peer.wait(bool)
            board_listens(peer)
            asyncio.run(_offer(str(daemon.running["web"]), asked.what))
            assert daemon.process is not None
            thinker = child_of(daemon.process.pid, asked.command)
            before = cpu_s(thinker)
            return Taken(asked.answer(peer), cpu_s(thinker) - before)
        finally:
            daemon.end()


async def _offer(url: str, what: str) -> None:
    """Open a page that offers the computer or the adviser, as the play page does, for as long as a person reads it."""
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}/ws", headers={"Origin": url}) as socket,
    ):
        await socket.send_json({"v": 1, "role": "table"})
        await socket.receive()
        await socket.send_json({"topic": "prepare", "payload": {"v": 1, "what": what}})
        await asyncio.sleep(READING_S)


def _computer(peer: Peer) -> float:
    """Return the seconds from the effect of a person's first dart to the computer's first turn."""
    peer.new_game(kind="loud", seats={"seat1": "white"}, computers={"seat1": None, "seat2": LEVEL})
    peer.throw(x_mm=0.0, y_mm=-77.0)
    peer.wait(lambda state: state["turns"] == 1, what="the person's turn")
    began = time.monotonic()
    peer.wait(lambda state: state["turns"] > 1, what="the computer's turn")
    return time.monotonic() - began


def _adviser(peer: Peer) -> float:
    """Return the seconds from the question where to aim to the answer."""
    peer.new_game(kind="loud")
    began = time.monotonic()
    assert peer.ask("advise")["accepted"]
    wait_for(lambda: (peer.last.get("advice") or {}).get("advice"), 60, "the advice")
    return time.monotonic() - began


_ANSWERS = (
    Asked("the computer's first turn after a person's", "computer", "opponent", _computer),
    Asked("the adviser's first answer", "adviser", "scharten.opponent.advice_server", _adviser),
)
