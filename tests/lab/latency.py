"""From a dart on the pty to the state at a subscriber and on the screen, stage by stage."""

from __future__ import annotations

import json
import os
import platform
import random
import select
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.daemon_process import DaemonProcess, Peer, State, wait_for
from lab.figures import commit, percentile
from lab.mosquitto import mosquitto
from scharten.dartboard.profile import BoardProfile, Contact
from scharten.games.scharten.board import bed_of, parse_field
from scharten.sensors.profiles import load_profile
from scharten.sensors.simulator.board import SimulatedBoard
from scharten.sensors.simulator.port import PtyPort

AIMS = {"subscriber": (5.0, 15.0), "painted": (25.0, 60.0)}
"""Aims in ms: the median and the 99th percentile."""
GAME_OF = 30
CONFIG = """
[game]
settle_ms = 0
arming = "auto"
[source]
kind = "serial"
[source.serial]
port = "{port}"
[broker]
{broker}
[web]
port = 0
"""
STAGES = ("line", "step", "journal", "publish", "broker", "page")
WATCH_PAGE = """
window.painted = [];
const moment = () => performance.timeOrigin + performance.now();
const thrown = ({ last }) => document.querySelector(`.piece[data-at="${last?.move?.slice(1)}"]`);
let newest = null;
const look = (state) => requestAnimationFrame(() => {
  const after = new MessageChannel();
  after.port1.onmessage = () => {
    const at = moment();
    const piece = thrown(state);
    if (!state.last || (piece && getComputedStyle(piece).opacity > 0))
      window.painted.push([state.match, state.turns, at]);
    else if (newest === state) look(state);
  };
  after.port2.postMessage(0);
});
const Plain = window.WebSocket;
window.WebSocket = class extends Plain {
  constructor(...args) {
    super(...args);
    this.addEventListener("message", (event) => {
      const said = JSON.parse(event.data);
      if (said.topic === "state") look(newest = said.payload);
    });
  }
};
"""
"""Records when the first frame with the thrown piece on its field is painted, not before it is visible."""


class PtyBoard:
    """The simulated board on a pty of this process, so that a dart's time is known to the microsecond."""

    def __init__(self, link: Path, profile: BoardProfile) -> None:
        self._port = PtyPort(link)
        self._port.plug()
        self._lock = threading.Lock()
        self._board = SimulatedBoard(profile.name, profile.drives, profile.senses, 4711, _ms())
        self._ended = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def throw(self, contact: Contact) -> tuple[int, int]:
        """Close a contact; return the steady and the Unix time (ns) at which its line was written."""
        with self._lock:
            self._board.press(contact, _ms())
            said = self._board.take()
            moment = time.monotonic_ns(), time.time_ns()
            self._port.write(said)
        return moment

    def end(self) -> None:
        """Disconnect the board."""
        self._ended = True
        self._thread.join()
        self._port.unplug()

    def _run(self) -> None:
        while not self._ended:
            ready, _, _ = select.select([self._port.fileno()], [], [], 0.01)
            with self._lock:
                if ready and self._port.listening():
                    self._board.receive(self._port.read(), _ms())
                self._board.tick(_ms())
                said = self._board.take()
                if said and self._port.listening():
                    self._port.write(said)
            if not self._port.listening():
                time.sleep(0.01)


@dataclass(frozen=True, slots=True)
class Dart:
    """The times of one dart and of its state, and their identifiers."""

    thrown_ns: int
    thrown_unix_ns: int
    received_ns: int
    match: str
    turns: int


def run(darts: int, brokers: tuple[str, ...]) -> int:
    """Measure with each broker, and print the figures beside the aims; return 0 if all are met."""
    print(
        f"{darts} darts, settle_ms = 0, auto, a new game every {GAME_OF}, journal durable (synchronous = FULL)"
    )
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, commit {commit()}"
    )
    return max(_measured(broker, darts) for broker in brokers)


def _measured(broker: str, darts: int) -> int:
    with tempfile.TemporaryDirectory(prefix="scharten-latency-") as place, _broker(broker) as reported:
        folder = Path(place)
        board = PtyBoard(folder / "board", load_profile("simulated"))
        daemon = DaemonProcess(folder / "data", CONFIG.format(port=folder / "board", broker=reported))
        try:
            daemon.start("--trace", str(folder / "trace"))
            peer = daemon.peer("table")
            peer.wait(lambda state: state["phase"] == "setup")
            wait_for(lambda: peer.source == "found", 10, "the board")
            with _page(daemon.running["web"]) as painted:
                thrown = list(_thrown(board, peer, darts))
                frames = painted()
            peer.close()
            daemon.stop()
            trace = [json.loads(line) for line in (folder / "trace").read_text().splitlines()]
        finally:
            daemon.end()
            board.end()
    return _print(broker, thrown, trace, frames)


def _thrown(board: PtyBoard, peer: Peer, darts: int) -> Iterator[Dart]:
    profile = load_profile("simulated")
    contacts = {str(bed): contact for contact, bed in profile.beds.items()}
    chance = random.Random(1)
    for number in range(darts):
        if number % GAME_OF == 0 or not peer.state["drops"]:
            peer.new_game()
        state = peer.state
        field = parse_field(chance.choice(state["drops"]))
        assert field is not None
        time.sleep(chance.uniform(0.03, 0.06))
        thrown, unix = board.throw(contacts[str(bed_of(field, 3))])
        later = peer.wait(_has(state["turns"] + 1), 10, "the dart to count")
        yield Dart(thrown, unix, peer.received_ns, later["match"], later["turns"])


def _has(turns: int) -> Callable[[State], bool]:
    return lambda state: bool(state["turns"] >= turns)


def _print(broker: str, thrown: list[Dart], trace: list[dict[str, Any]], frames: list[list[Any]]) -> int:
    rows = _rows(thrown, trace, {(match, turns): at for match, turns, at in frames})
    print(f"\n{broker}: {len(thrown)} darts received, {len(rows['painted'])} painted")
    total = sum(percentile(rows[name], 50) for name in STAGES if rows[name]) or 1.0
    for name in STAGES:
        if rows[name]:
            middle = percentile(rows[name], 50)
            print(
                f"  {name:10} p50 {middle:6.2f} ms  p99 {percentile(rows[name], 99):6.2f} ms  {middle / total:4.0%}"
            )
    missed = 0
    for name, aims in AIMS.items():
        if not rows[name]:
            print(f"  {name:10} not measured: needs Chromium and the package playwright")
            continue
        figures = percentile(rows[name], 50), percentile(rows[name], 99)
        good = all(figure <= aim for figure, aim in zip(figures, aims, strict=True))
        missed += not good
        print(
            f"  {name:10} p50 {figures[0]:6.2f} ms  p99 {figures[1]:6.2f} ms  "
            f"aim {aims[0]:.0f} / {aims[1]:.0f} ms: {'met' if good else 'missed'}"
        )
    return min(1, missed)


def _rows(
    thrown: list[Dart], trace: list[dict[str, Any]], painted: dict[tuple[str, int], float]
) -> dict[str, list[float]]:
    """Return the ms of each stage and of both ways, for each dart."""
    steps = {item["seq"]: item for item in trace if item["kind"] == "Dart"}
    rows: dict[str, list[float]] = {name: [] for name in (*STAGES, *AIMS)}
    for number, dart in enumerate(thrown, start=1):
        stamps = [
            dart.thrown_ns,
            *(steps[number][key] for key in ("taken", "stepped", "stored", "published")),
        ]
        stamps.append(dart.received_ns)
        for name, before, later in zip(STAGES, stamps, stamps[1:], strict=False):
            rows[name].append((later - before) / 1e6)
        rows["subscriber"].append((dart.received_ns - dart.thrown_ns) / 1e6)
        seen = painted.get((dart.match, dart.turns))
        if seen is not None:
            rows["painted"].append(seen - dart.thrown_unix_ns / 1e6)
            rows["page"].append(rows["painted"][-1] - rows["subscriber"][-1])
    return rows


@contextmanager
def _page(url: str) -> Iterator[Any]:
    """Open a read-only page in Chromium; return a function for its paintings so far."""
    chromium = shutil.which("chromium-headless-shell")
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415  (not needed to measure the subscriber)
    except ImportError:
        chromium = None
    if chromium is None:
        yield list
        return
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
    flags += ["--disable-background-networking", "--disable-component-update"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(WATCH_PAGE)
        page.goto(f"{url}/?role=display")
        wait_for(lambda: page.evaluate("window.painted.length"), 20, "the page to paint")
        yield lambda: page.evaluate("window.painted")
        browser.close()


@contextmanager
def _broker(name: str) -> Iterator[str]:
    """Return the [broker] section for the embedded broker, or for a Mosquitto of this benchmark."""
    if name == "embedded":
        yield "port = 0"
        return
    with mosquitto() as port:
        yield f'url = "mqtt://127.0.0.1:{port}"'


def _ms() -> int:
    return time.monotonic_ns() // 1_000_000
