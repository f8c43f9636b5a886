"""`make bench ARGS=both`: a board and cameras on one clock, and each alone, over throws with faults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.progress import track

from lab.both.awry import run_awry
from lab.both.board import TimedLine, reported
from lab.both.clock import ASKED, RIGHT, SILENT, WRONG, OneClock, judge, verdict
from lab.both.scenes import measured, read, write_throws
from lab.both.throws import Throw, make_throws
from lab.figures import commit, percentile
from scharten.dartboard.lines import HitLine, KnockLine
from scharten.dartboard.profile import BoardProfile
from scharten.match.dart import Dart
from scharten.match.inputs import Cleared, Input, Knock, Reading, SensorChanged, SensorState
from scharten.sensors.camera import dart_seen
from scharten.sensors.profiles import load_profile
from scharten.sensors.sensor import CAMERA, dart_of_contact

BETWEEN_MS, ANSWER_MS, COVERED_SAID_MS, LOOKED_MS = 9000, 7000, 5000, 300
FRAME_MS = 33
ASKED_AIM = 0.02
Item = TypeVar("Item")


def play(clock: OneClock, throw: Throw, lines: tuple[TimedLine, ...]) -> list[Input]:
    """Play one throw; return the inputs that the referee gets."""
    clock.now += BETWEEN_MS
    clock.reported = []
    if not throw.standing:
        clock.read(CAMERA, Cleared(), clock.now)
    rest = "quiet" if throw.standing else "empty"
    if not throw.covered and clock.state.cameras is SensorState.FOUND and not throw.standing:
        clock.tracking(rest)
    if throw.covered != (clock.state.cameras is SensorState.SILENT):
        clock.tracking("hand" if throw.covered else rest)
        if not throw.covered:
            clock.looking_ms = clock.now
            clock.news(CAMERA, SensorChanged(SensorState.FOUND))
    base = clock.now
    for at, act in sorted(_happenings(clock, throw, lines), key=lambda happening: happening[0]):
        clock.run_to(base + at)
        act()
    clock.run_to(base + ANSWER_MS)
    clock.answer(throw)
    return clock.reported


def _happenings(
    clock: OneClock, throw: Throw, lines: tuple[TimedLine, ...]
) -> Iterator[tuple[int, Callable[[], None]]]:
    """Return the sensors' reports about a throw, each with its time in ms after the point's arrival."""
    base, seen = clock.now, throw.seen
    for sent in lines:
        yield round(sent.came_ms), partial(clock.line, sent.line, base + sent.at_ms)
    if throw.covered:
        if clock.state.cameras is SensorState.FOUND:
            yield COVERED_SAID_MS, partial(clock.news, CAMERA, SensorChanged(SensorState.SILENT))
    elif seen is not None:
        looked = seen.word_ms or LOOKED_MS
        if seen.moved:
            yield min(0, seen.apart_ms) + FRAME_MS, partial(clock.tracking, "motion")
        if seen.reported is not None:
            yield looked, partial(clock.seen, seen.reported, base + seen.apart_ms)
        if seen.moved:
            yield looked, partial(clock.tracking, "settled")


def board_alone(throw: Throw, lines: tuple[TimedLine, ...], profile: BoardProfile) -> str:
    """Return the verdict on the board alone: its first line counts."""
    for sent in lines:
        if isinstance(sent.line, HitLine):
            return judge(throw, dart_of_contact(sent.line.contact, profile))
        if isinstance(sent.line, KnockLine):
            return judge(throw, Knock(0))
    return SILENT if throw.seen is not None else RIGHT


def cameras_alone(throw: Throw) -> str:
    """Return the verdict on the cameras alone."""
    if throw.seen is None:
        return RIGHT
    if throw.covered or throw.seen.reported is None:
        return SILENT
    return judge(throw, dart_seen({**throw.seen.reported, "at_ms": 0}, 0).what)


@dataclass
class Table:
    """Counts by kind of throw for each combination of sensors, and measured times in ms."""

    counts: dict[str, dict[str, Counter[str]]] = field(default_factory=dict)
    later: list[int] = field(default_factory=list)
    words: list[int] = field(default_factory=list)

    def note(self, name: str, **judged: str) -> None:
        """Count one throw."""
        for line in (name, "all"):
            for way, how in judged.items():
                self.counts.setdefault(line, {}).setdefault(way, Counter())[how] += 1

    def time(self, sent: tuple[TimedLine, ...], out: list[Input], base: int) -> None:
        """Record the delay of the dart after the board's line, and that of the cameras' revision."""
        darts = [item for item in out if isinstance(item, Reading) and isinstance(item.what, Dart)]
        hits = [round(base + item.came_ms) for item in sent if isinstance(item.line, HitLine)]
        if darts and hits and darts[-1].revises:
            self.later.append(darts[0].t_ms - hits[0])
            self.words.append(darts[-1].t_ms - darts[-1].at_ms)

    def print(self) -> None:
        """Print a line for each kind: throws, and for each combination the right, asked, wrong and missing verdicts."""
        ways = ("both", "board", "cameras")
        print(f"{'':<33}" + "".join(f"{way:<26}" for way in ("both", "board alone", "cameras alone")))
        print(f"{'':<24}{'throws':>7}  " + f"{'right asked wrong none':<26}" * 3)
        for name in sorted(self.counts, key=lambda count: (count == "all", count)):
            line = self.counts[name]
            cells = (
                f"{c[RIGHT]:>5}{c[ASKED]:>6}{c[WRONG]:>6}{c[SILENT]:>5}" for c in (line[way] for way in ways)
            )
            print(f"{name:<24}{line['both'].total():>7}  " + "".join(f"{cell:<26}" for cell in cells))


def run(darts: int, visits: int, seed: int, scenes: Path | None, chip: str, show: bool) -> int:
    """Print the table; return 0 if no verdict is sure and wrong, and questions stay within the aim."""
    profile = load_profile("reference-8x11")
    print(f"a board and cameras at once, {darts} throws, seed {seed}, commit {commit()}")
    before = scenes is not None and scenes.is_file()
    seen = read(scenes) if before and scenes else list(_shown(measured(visits, seed), 3 * visits, "scenes"))
    if scenes is not None and not before:
        write_throws(scenes, seen)
    when = f"before, and kept in {scenes}" if before else "now"
    print(f"cameras: {len(seen)} rendered throws, measured {when} in the live loop, drawn again and again")
    stand = [throw for throw in seen if throw.kind in ("dart", "wire")]
    unmoved = sum(not throw.moved for throw in stand)
    print(f"after {unmoved} of {len(stand)} darts that stand no camera saw anything move")
    throws = make_throws(darts, seen, profile, seed)
    what = (
        "core, without a chip around it" if chip == "core" else f"compiled program ({chip}) in its simulator"
    )
    print(f"board: the firmware's {what}; its lines of each throw replayed on the clock")
    lines = list(_shown(reported(throws, profile, chip), len(throws), "firmware"))
    clock, table = OneClock(profile), Table()
    for throw, sent in zip(throws, lines, strict=True):
        base = clock.now + BETWEEN_MS
        out = play(clock, throw, sent)
        both = verdict(throw, out)
        table.note(
            throw.name, both=both, board=board_alone(throw, sent, profile), cameras=cameras_alone(throw)
        )
        table.time(sent, out, base)
        if show and both != RIGHT:
            print_throw(throw, both, out)
    table.print()
    known = run_awry(throws, lines, profile)
    return _figures(table, clock, darts) or int(not known)


def _figures(table: Table, clock: OneClock, darts: int) -> int:
    both = table.counts["all"]["both"]
    share, latest = both[ASKED] / darts, max(table.later, default=0)
    covered = table.counts.get("cameras covered", {}).get("both", Counter())
    print(
        f"sure and wrong {both[WRONG] - covered[WRONG]} while both could speak (aim 0), {covered[WRONG]} by the board"
    )
    print(
        f"alone while the cameras were covered; asked {both[ASKED]}, {share:.2%} (aim at most {ASKED_AIM:.0%})"
    )
    print(
        f"a dart is reported {latest} ms at most after the board's own line (aim 0), of {len(table.later)} seen by both"
    )
    if table.words:
        p50, p99 = percentile(table.words, 50), percentile(table.words, 99)
        print(f"the cameras' word comes {p50} ms (p50), {p99} ms (p99) after the contact")
    low, high = clock.state.timing.window
    print(f"measured: cameras date a dart {low} to {high} ms after its contact; their word is waited for")
    print(f"{clock.state.timing.word_ms} ms. CPU of the judge {1000 * clock.spent_s / darts:.2f} ms a throw")
    return 0 if both[WRONG] == covered[WRONG] and share <= ASKED_AIM and latest <= 0 else 1


def print_throw(throw: Throw, judged: str, out: list[Input]) -> None:
    """Print one throw: the truth, the cameras' report, and the readings."""
    print(f"  {judged}: {throw.name}, truth {throw.truth}, standing {len(throw.standing)}")
    seen = throw.seen
    if seen is not None and seen.reported is not None:
        print(
            f"    cameras {seen.reported['news']} {seen.reported['beds']}; truly at {seen.x_mm:.1f}, {seen.y_mm:.1f}"
        )
    for item in out:
        if isinstance(item, Reading):
            what = item.what
            beds = [(str(bed), round(p, 3)) for bed, p in what.beds[:3]] if isinstance(what, Dart) else what
            print(f"    {'again ' if item.revises else ''}{item.sensor} {beds}")


def _shown(items: Iterator[Item], count: int, name: str) -> Iterator[Item]:
    return iter(track(items, description=name, total=count, console=Console(stderr=True), transient=True))
