"""The display: state and press to screen, all pieces replaced at once, memory, and two hundred pages at once."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import platform
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from lab import ENVIRONMENT
from lab.figures import commit, percentile
from lab.mosquitto import mosquitto
from lab.press import HEAP_KB, PRESS_MS, heap_growth, press_times
from scharten.contract.snapshot import snapshot
from scharten.contract.topics import Topic, Topics
from scharten.daemon.features import page_features
from scharten.display.access import Limits
from scharten.display.context import Context, Roles
from scharten.display.server import DisplayServer
from scharten.display.web_server import Serving
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.match.referee import new_match
from scharten.match.settings import MatchSettings
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.network_thread import stop_thread

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAINTED_MS, FRAME_MS, TASK_MS, CROWD_MS = 50.0, 16.8, 50.0, 250.0
"""p95 from arrival to paint; p95 of a frame and the longest task; p99 to every page."""
FIRST_MS, WEIGHT_KB = 1000.0, 120.0
"""The first paint of a page on its first visit, and the bytes of everything it loads over the network."""
OPENED = """() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  const weight = ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
    .reduce((sum, one) => sum + one.transferSize, 0);
  return paint && weight ? [paint.startTime, weight / 1000] : null;
}"""
OPENED_WITHIN_S = 60.0
TOPICS = Topics("scharten", "home", "board1")
PIECES = "KQQRRBBNNPPPPPPPPPkqqrrbbnnppppppppp"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync")
WATCH = """
window.painted = []; window.frames = []; window.tasks = [];
const Plain = window.WebSocket;
window.WebSocket = class extends Plain {
  constructor(...args) {
    super(...args);
    this.addEventListener("message", (event) => {
      if (!event.data.startsWith('{"topic":"state"')) return;
      const arrived = performance.now();
      requestAnimationFrame(() => {
        const after = new MessageChannel();
        after.port1.onmessage = () => window.painted.push(performance.now() - arrived);
        after.port2.postMessage(0);
      });
    });
  }
};
let before = 0;
const frame = (now) => { if (before) window.frames.push(now - before); before = now; requestAnimationFrame(frame); };
requestAnimationFrame(frame);
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.tasks.push(one.duration); })
  .observe({ type: "longtask", buffered: false });
"""


def run(states: int, resets: int, pages: int, presses: int, turns: int) -> int:
    """Measure everything; return 0 if every aim is met, else 1."""
    print(f"{platform.platform()}, Python {platform.python_version()}, commit {commit()}")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with mosquitto() as port, _server(port, pages) as server, _host(port) as publish:
        publish(_state(0, random.Random(0)))
        good = [_crowd(server.url, publish, pages, states)]
        good += _screen(server.url, publish, states, resets)
        good += _table(server.url, publish, presses, turns)
    print(f"load of the machine after: {os.getloadavg()[0]:.1f}")
    return 0 if all(good) else 1


def crowd_only(states: int, pages: int) -> list[float]:
    """Return the times in ms until each state reached each of this many pages, without a browser."""
    with mosquitto() as port, _server(port, pages) as server, _host(port) as publish:
        publish(_state(0, random.Random(0)))
        return list(_late(server.url, publish, pages, states)["late"])


def _judge(name: str, figure: float, aim: float, more: str = "", unit: str = "ms") -> bool:
    verdict = "met" if figure <= aim else "missed"
    print(f"  {name:46} {figure:7.1f} {unit}   aim {aim:g} {unit}: {verdict}{more}")
    return figure <= aim


def _screen(url: str, publish: Callable[[dict[str, Any]], None], states: int, resets: int) -> list[bool]:
    chromium = shutil.which("chromium-headless-shell")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415  (the crowd is measured without it)
    except ImportError:
        chromium = None
    if chromium is None:
        print("  painting and frames not measured: needs Chromium and the package playwright")
        return []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(WATCH)
        page.goto(f"{url}/?role=display", wait_until="networkidle")  # so that everything it loads is counted
        page.locator(".piece").first.wait_for()
        first, weight = _opened(page)
        chance = random.Random(1)
        page.evaluate("window.painted = []")
        for seq in range(1, states + 1):
            publish(_state(10_000 + seq, chance, moved=2))
            time.sleep(0.12)
        painted = page.evaluate("window.painted")
        frames, tasks = [], []
        for seq in range(1, resets + 1):
            page.evaluate("window.frames = []; window.tasks = []")
            publish(_state(20_000 + seq, chance))
            time.sleep(0.8)
            frames += page.evaluate("window.frames")
            tasks += page.evaluate("window.tasks")
        browser.close()
    print(f"screen, 1280 x 800, software drawing: {len(painted)} states, {resets} times all 36 pieces again")
    return [
        _judge("first paint", first, FIRST_MS),
        _judge("all that the page loads, over the wire", weight, WEIGHT_KB, unit="kB"),
        _judge("state painted after its arrival, p95", percentile(painted, 95), PAINTED_MS),
        _judge(
            "frame while all pieces move, p95", percentile(frames, 95), FRAME_MS, f"   ({len(frames)} frames)"
        ),
        _judge(
            "longest task while all pieces move",
            max(tasks, default=0.0),
            TASK_MS,
            f"   ({len(tasks)} over 50)",
        ),
    ]


def _table(url: str, publish: Callable[[dict[str, Any]], None], presses: int, turns: int) -> list[bool]:
    """Measure the page that people press."""
    chromium = shutil.which("chromium-headless-shell")
    if chromium is None or find_spec("playwright") is None:
        return []
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  (the crowd is measured without it)

    chance = random.Random(4)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        publish(_state(30_000, chance))
        page.goto(f"{url}/?role=table", wait_until="networkidle")
        page.locator(".piece").first.wait_for()
        times = press_times(page, presses)
        grown = heap_growth(page, publish, lambda turn: _state(30_000 + turn, chance, moved=2), turns)
        browser.close()
    print(f"the table's page, {presses} presses, {turns} turns")
    return [
        _judge("press to the picture that shows it, p95", percentile(times, 95), PRESS_MS),
        _judge(f"growth of the heap over {turns} turns", grown, HEAP_KB, unit="kB"),
    ]


def _opened(page: Page) -> tuple[float, float]:
    """Return the page's first paint in ms and its weight in kB, once the browser has measured both."""
    deadline = time.monotonic() + OPENED_WITHIN_S
    while (reported := page.evaluate(OPENED)) is None:
        if time.monotonic() > deadline:
            raise SchartenError(
                f"The browser reported no first paint within {OPENED_WITHIN_S:.0f} s.", "Run it again."
            )
        page.wait_for_timeout(20)
    return float(reported[0]), float(reported[1])


def _crowd(url: str, publish: Callable[[dict[str, Any]], None], pages: int, states: int) -> bool:
    reported = _late(url, publish, pages, states)
    print(f"{pages} pages on one server, {states} states, {reported['skipped']} states skipped by slow pages")
    _judge("state at a page, p50", percentile(reported["late"], 50), CROWD_MS)
    return _judge("state at a page, p99", percentile(reported["late"], 99), CROWD_MS)


def _late(url: str, publish: Callable[[dict[str, Any]], None], pages: int, states: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "lab.crowd", url, str(pages), str(states)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        assert process.stdout is not None
        if process.stdout.readline().strip() != "ready":
            raise SchartenError(f"The {pages} pages did not all connect.", "Look at the lines above.")
        chance = random.Random(2)
        for seq in range(1, states + 1):
            publish({"sent_ns": time.monotonic_ns(), "number": seq} | _state(seq, chance, moved=2))
            time.sleep(0.2)
        return dict(json.loads(process.stdout.readline()))


def _state(seq: int, chance: random.Random, moved: int = 36) -> dict[str, Any]:
    """Return a snapshot with 36 pieces, `moved` of them elsewhere than in the one before (all by default)."""
    reported = dict(snapshot(new_match(MatchSettings(), GAMES_BY_KEY), 0))
    fields = random.Random(0 if moved < 36 else chance.random()).sample(range(80), 36)
    free = [field for field in range(80) if field not in fields]
    for field in chance.sample(range(36), moved if moved < 36 else 0):
        fields[field] = free.pop(chance.randrange(len(free)))
    board = dict(zip(fields, PIECES, strict=True))
    rings = [_ring([board.get(depth * 20 + s, "") for s in range(20)]) for depth in range(4)]
    return reported | {
        "seq": seq,
        "phase": "turn",
        "match": "bench",
        "position": f"{'/'.join(rings)} w - 17/17 0/0 0/0 1",
    }


def _ring(pieces: list[str]) -> str:
    """Return one ring of the position string (rules 10)."""
    text, empty = "", 0
    for piece in (*pieces, "end"):
        if not piece:
            empty += 1
            continue
        text, empty = text + (str(empty) if empty else "") + ("" if piece == "end" else piece), 0
    return text


@contextmanager
def _host(port: int) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Run a publisher of snapshots."""
    client = Client(CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", port)
    client.loop_start()
    client.publish(TOPICS.path(Topic.AVAILABILITY), "online", qos=1, retain=True)

    def publish(state: dict[str, Any]) -> None:
        client.publish(TOPICS.path(Topic.STATE), json.dumps(state), qos=1, retain=True)

    yield publish
    client.disconnect()
    stop_thread(client)


@contextmanager
def _server(port: int, pages: int) -> Iterator[DisplayServer]:
    """Run a display server in its own event loop, with room for the crowd."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    limits = Limits(pages=pages + 8, pages_per_client=pages + 8, pages_waiting=pages + 8)
    context = Context(BrokerAddress("127.0.0.1", port), TOPICS, Roles({}, ("table",)), simulated=True)
    server = DisplayServer(Serving("127.0.0.1", 0, limits=limits), context, page_features(context))
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
    gc.freeze()  # as the daemon does: a full collection of what a benchmark has loaded takes 65 ms of CPU
    yield server
    gc.unfreeze()
    asyncio.run_coroutine_threadsafe(server.stop(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
