"""Two boards, one game over a slow line: lost and duplicated darts, both journals, latency, and the clock's error."""

from __future__ import annotations

import json
import sqlite3
import statistics
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lab.daemon_process import Peer, State, wait_for
from lab.ports import free_port
from lab.random_game import next_step
from lab.scripted_game import aim_at_bed
from lab.slow_line import Line, SlowLine
from lab.two_boards import SECONDS, TwoBoards
from scharten.games import GAMES_BY_KEY
from scharten.match.places import EARLIEST_MS

P50_MS, P95_MS, CLOCK_MS, JITTER_MS = 15, 40, 20, 40
COUNTED = ("thrown", "stored", "duplicated", "differences")
CLOCK = {"stages": [{"moves": None, "minutes": 60}], "increment_s": 0}


@dataclass
class Figures:
    """The figures measured on one line."""

    thrown: int = 0
    stored: int = 0
    duplicated: int = 0
    differences: int = 0
    latency_ms: list[float] = field(default_factory=list)
    own_ms: list[float] = field(default_factory=list)
    clock_ms: list[float] = field(default_factory=list)


class Bench:
    """Two daemons with a slow line between."""

    def __init__(self, folder: Path) -> None:
        door, port = free_port(), free_port()
        self.line = SlowLine(port, door)
        self.boards = TwoBoards(folder, f":{port}", door)
        self.boards.start()

    def play(self, game: str, turns: int, seed: int, figures: Figures) -> None:
        """Play turns of a loud game, each timed from the throw to the state in the other house."""
        boards = self.boards
        state = boards.begin(game=game, kind="loud", clock=CLOCK)
        goal = turns
        while goal and state["result"] is None:
            state, thrown_at_guest = self._turn(state, seed, figures)
            figures.thrown += thrown_at_guest
            goal -= 1
        self._compare(figures)
        boards.leave()

    def _turn(self, state: State, seed: int, figures: Figures) -> tuple[State, bool]:
        boards, due = self.boards, next_step(state, seed)
        peer = boards.at_turn(state)
        other = boards.at_host if peer is boards.at_guest else boards.at_guest
        if not due.bed:
            return boards.play(state, due), False
        peer.wait(lambda item: (item["match"], item["seq"]) == (state["match"], state["seq"]), SECONDS)
        target = aim_at_bed(due.bed)
        began_ns = time.monotonic_ns()
        peer.throw(x_mm=target.x_mm, y_mm=target.y_mm)
        took_ms = _seen(other, state, began_ns)
        figures.latency_ms.append(took_ms)
        if peer is boards.at_host:
            figures.own_ms.append(_seen(peer, state, began_ns))
        if peer is boards.at_guest:
            figures.clock_ms.append(abs(boards.status(boards.guest)["offset_ms"]) + self._too_late_ms())
        newest = boards.at_host.wait(
            lambda item: (
                item["seq"] > state["seq"] and item["phase"] in ("turn", "throwing", "drawing", "finished")
            ),
            SECONDS,
        )
        return newest, peer is boards.at_guest

    def _rows(self) -> list[dict[str, Any]]:
        with sqlite3.connect(self.boards.host.folder / "scharten.sqlite3") as db:
            query = "SELECT body FROM inputs WHERE match = ? ORDER BY n"
            match = self.boards.at_host.state["match"]
            return [json.loads(body) for (body,) in db.execute(query, (match,))]

    def _too_late_ms(self) -> int:
        """Return how much of the last dart's transmission its thrower's clock paid for."""
        row = next(row for row in reversed(self._rows()) if row.get("place"))
        return max(0, int(row["t_ms"]) - int(row["at_ms"]) - EARLIEST_MS)

    def _compare(self, figures: Figures) -> None:
        """Count the guest's darts in the journal, and compare it with the guest's proof."""
        rows, boards = self._rows(), self.boards
        ids = [tuple(row["receipt"]) for row in rows if row.get("place") and row.get("what") == "dart"]
        figures.stored += len(set(ids))
        figures.duplicated += len(ids) - len(set(ids))
        proof = boards.guest.folder / "remote-games" / f"{boards.at_host.state['match']}.jsonl"
        try:
            wait_for(lambda: len(_lines(proof)) >= len(self._rows()), SECONDS, "the proof")
        except AssertionError:
            figures.differences += 1
        proven = [json.loads(line)["input"] for line in _lines(proof)]
        figures.differences += sum(
            first != second for first, second in zip(proven, self._rows(), strict=False)
        )
        figures.differences += bool(boards.status(boards.guest)["differs"])

    def trouble(self, what: str, seconds: float, figures: Figures) -> float:
        """Throw at the guest's board during a cut or a kill; return the time from its end to the dart's arrival."""
        boards = self.boards
        boards.begin(game="scharten", kind="loud", clock=CLOCK)
        while boards.at_turn(boards.at_host.state) is not boards.at_guest:
            boards.play(boards.at_host.state, next_step(boards.at_host.state, 4))
        before = len([row for row in self._rows() if row.get("place")])
        match, target = boards.at_host.state["match"], aim_at_bed("F18")
        if what == "cut":
            self.line.cut(seconds)
            boards.at_guest.throw(x_mm=target.x_mm, y_mm=target.y_mm)
            time.sleep(seconds)
        elif what == "guest":
            boards.at_guest.throw(x_mm=target.x_mm, y_mm=target.y_mm)
            boards.guest.kill()
            boards.guest.start()
            boards.at_guest.close()
            boards.at_guest = boards.guest.peer()
        else:
            boards.host.kill()
            boards.at_guest.throw(x_mm=target.x_mm, y_mm=target.y_mm)
            boards.host.start()
            boards.at_host.close()
            boards.at_host = boards.host.peer()
            boards.at_host.wait(lambda state: state["match"] == match, SECONDS)
        back = time.monotonic()
        figures.thrown += 1
        wait_for(lambda: len([row for row in self._rows() if row.get("place")]) > before, SECONDS, "the dart")
        took = time.monotonic() - back
        boards.seen_by_both(match)
        self._compare(figures)
        figures.stored -= before
        boards.leave()
        return took

    def end(self) -> None:
        """Stop everything."""
        self.boards.end()
        self.line.stop()


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines() if path.exists() else []


def _seen(peer: Peer, state: State, began_ns: int) -> float:
    """Return the milliseconds until this house has a newer state."""
    peer.wait(lambda item: item["match"] == state["match"] and item["seq"] > state["seq"], SECONDS)
    return (peer.received_ns - began_ns) / 1e6


def run(turns: int, delays: tuple[int, ...], cuts: tuple[int, ...]) -> bool:
    """Print each figure beside its target; return whether all are met."""
    good = True
    with tempfile.TemporaryDirectory(prefix="scharten-remote-") as folder:
        bench = Bench(Path(folder))
        try:
            for delay in delays:
                good &= _line(bench, delay, turns)
            bench.line.line = Line(10)
            good &= _troubles(bench, cuts)
        finally:
            bench.end()
    return good


def _line(bench: Bench, delay: int, turns: int) -> bool:
    figures = Figures()
    bench.line.line = Line(delay, JITTER_MS, 0.05)
    for number, game in enumerate(GAMES_BY_KEY):
        bench.play(game, turns, number + 4, figures)
    times = sorted(figures.latency_ms)
    p50, p95 = statistics.median(times), times[int(0.95 * (len(times) - 1))]
    clock = max(figures.clock_ms, default=0.0)
    print(f"delay {delay} ms each way, jitter 40 ms, loss 5 %: {turns} turns of each game", flush=True)
    good = _darts(figures)
    half_trip = delay + JITTER_MS // 2
    rows = [
        ("hit to the other house, p50", p50, half_trip + P50_MS),
        ("hit to the other house, p95", p95, half_trip + P95_MS),
        ("clock error of a turn, worst", clock, CLOCK_MS),
    ]
    own = statistics.median(figures.own_ms) if figures.own_ms else 0.0
    print(f"  of it in the own house, p50      {own:8.1f} ms", flush=True)
    for name, figure, target in rows:
        print(f"  {name:32} {figure:8.1f} ms  target at most {target} ms", flush=True)
        good &= figure <= target
    return good


def run_games(games: int, turns: int, delays: tuple[int, ...], results: Path) -> bool:
    """Play games of all five by turns, a third of them with a cut; append each to a file, and continue from it."""
    done = [json.loads(line) for line in _lines(results)]
    with tempfile.TemporaryDirectory(prefix="scharten-remote-") as folder:
        bench = Bench(Path(folder))
        try:
            for number in range(len(done), games):
                done.append(_game(bench, number, turns, delays))
                with results.open("a") as file:
                    file.write(json.dumps(done[-1]) + "\n")
        finally:
            bench.end()
    sums = Figures(*(sum(game[key] for game in done) for key in COUNTED))
    print(f"{len(done)} games of up to {turns} turns, {sum(game['cut'] for game in done)} with a cut")
    return _darts(sums)


def _game(bench: Bench, number: int, turns: int, delays: tuple[int, ...]) -> dict[str, Any]:
    game, delay = [*GAMES_BY_KEY][number % 5], delays[number // 5 % len(delays)]
    bench.line.line, figures, cut = Line(delay, JITTER_MS, 0.05), Figures(), number % 3 == 0
    if cut:
        threading.Timer(3 + number % 7, lambda: bench.line.cut(1 + number % 3)).start()
    bench.play(game, turns, number, figures)
    counted = {key: getattr(figures, key) for key in COUNTED}
    return {"number": number, "game": game, "delay_ms": delay, "cut": cut, **counted}


def _darts(figures: Figures) -> bool:
    lost = figures.thrown - figures.stored
    print(
        f"  darts at the guest's board {figures.thrown}, lost {lost}, duplicated {figures.duplicated}", end=""
    )
    print(f", differences of both journals {figures.differences}; targets 0, 0, 0", flush=True)
    return (lost, figures.duplicated, figures.differences) == (0, 0, 0)


def _troubles(bench: Bench, cuts: tuple[int, ...]) -> bool:
    good = True
    for what, seconds in (*(("cut", seconds) for seconds in cuts), ("guest", 0), ("host", 0)):
        figures = Figures()
        took = bench.trouble(what, seconds, figures)
        name = f"the line cut for {seconds} s" if what == "cut" else f"the {what} killed and started"
        target = "; target 1 s" if what == "cut" else ""
        print(f"{name}: the dart was stored {took:.2f} s later{target}", flush=True)
        good &= _darts(figures) and (what != "cut" or took <= 1)
    return good
