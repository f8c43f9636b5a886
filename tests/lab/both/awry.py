"""Camera reports that come late, twice, after a loss or by a wrong clock: they must add no dart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from lab.both.board import TimedLine
from lab.both.clock import RIGHT, WRONG, OneClock, verdict
from lab.both.throws import Throw
from scharten.dartboard.profile import BoardProfile
from scharten.match.dart import Dart
from scharten.match.inputs import Cleared, Reading, SensorChanged, SensorState
from scharten.sensors.sensor import CAMERA

LATE_MS, LOST_MS, DOUBLED_MS = (6200, 9500), 1500, 400
"""The range of a late report's delay, the time for which the cameras are lost, and the delay of a repeated report."""
CLOCK_MS, SET_EVERY = 1990, 25
"""The clock's error, since `sensors.camera` notices a larger one, and the number of throws after which it is set."""
BETWEEN_MS = 9000
Chance = np.random.Generator
Play = Callable[[OneClock, Throw, Chance, int], None]
"""Plays the cameras' report of a throw whose contact closes at the clock's time; the last argument is the throw's
number."""


def _see(clock: OneClock, throw: Throw, at_ms: int, shift_mm: float = 0.0) -> None:
    assert throw.seen is not None and throw.seen.reported is not None
    seen = throw.seen.reported
    places = ((key, seen[key]) for key in ("x_mm", "y_mm"))
    moved = {key: mm + shift_mm for key, mm in places if isinstance(mm, float)}
    clock.seen({**seen, **moved}, at_ms)
    clock.tracking("settled")


def _word_ms(throw: Throw) -> int:
    assert throw.seen is not None
    return throw.seen.word_ms


def late(clock: OneClock, throw: Throw, chance: Chance, _number: int) -> None:
    """The cameras see motion for many seconds, then report the dart with its right time."""
    contact = clock.now
    clock.tracking("motion")
    clock.run_to(contact + int(chance.integers(*LATE_MS)))
    _see(clock, throw, contact)


def lost(clock: OneClock, throw: Throw, chance: Chance, _number: int) -> None:
    """The cameras are lost just after the dart. When they return, they report it with the time of their return."""
    clock.run_to(clock.now + int(chance.integers(50, 500)))
    clock.news(CAMERA, SensorChanged(SensorState.LOST))
    clock.run_to(clock.now + LOST_MS)
    clock.looking_ms = clock.now
    clock.news(CAMERA, SensorChanged(SensorState.FOUND))
    clock.tracking("quiet")
    returned = clock.now
    clock.run_to(returned + int(chance.integers(300, 1500)))
    _see(clock, throw, returned)


def doubled(clock: OneClock, throw: Throw, chance: Chance, _number: int) -> None:
    """The report is repeated, a millimetre away."""
    contact = clock.now
    clock.tracking("motion")
    clock.run_to(contact + _word_ms(throw))
    _see(clock, throw, contact)
    repeat_ms = int(chance.integers(30, DOUBLED_MS))
    clock.run_to(clock.now + repeat_ms)
    _see(clock, throw, contact + repeat_ms, float(chance.uniform(-1, 1)))


def two_clocks(clock: OneClock, throw: Throw, _chance: Chance, number: int) -> None:
    """The cameras' clock is off by up to two seconds, and is occasionally set to another time."""
    contact = clock.now
    off = int(np.random.default_rng([7, number // SET_EVERY]).integers(-CLOCK_MS, CLOCK_MS))
    clock.tracking("motion")
    clock.run_to(contact + _word_ms(throw))
    _see(clock, throw, min(contact + off, clock.now))


KINDS: dict[str, Play] = {
    "late": late,
    "lost for 1.5 s": lost,
    "reported twice": doubled,
    "two clocks": two_clocks,
}


def felt_and_seen(
    throws: list[Throw], lines: list[tuple[TimedLine, ...]]
) -> list[tuple[Throw, tuple[TimedLine, ...]]]:
    """Return the throws that closed a contact and that the cameras reported as darts, with the board's lines."""
    return [
        (throw, said)
        for throw, said in zip(throws, lines, strict=True)
        if throw.closures
        and not throw.fault
        and throw.stuck is None
        and throw.seen is not None
        and throw.seen.reported is not None
        and throw.seen.reported["news"] == "dart"
    ]


def tally(
    kind: Play, pairs: list[tuple[Throw, tuple[TimedLine, ...]]], profile: BoardProfile
) -> Counter[str]:
    """Count the verdicts on the throws, and the darts that no contact closed (`extra`)."""
    clock, chance, counts = OneClock(profile), np.random.default_rng([11, len(pairs)]), Counter[str]()
    for number, (throw, said) in enumerate(pairs):
        clock.now += BETWEEN_MS
        clock.reported = []
        clock.read(CAMERA, Cleared(), clock.now)
        clock.tracking("empty")
        base = clock.now
        for line in said:
            clock.run_to(base + round(line.came_ms))
            clock.line(line.line, base + line.at_ms)
        kind(clock, throw, chance, number)
        clock.run_to(clock.now + BETWEEN_MS)
        counts[verdict(throw, clock.reported)] += 1
        counts["extra"] += sum(map(_is_extra, clock.reported))
        clock.answer(throw)
    return counts


def _is_extra(given: object) -> bool:
    """Return whether the referee counts a dart that no contact closed."""
    return (
        isinstance(given, Reading)
        and isinstance(given.what, Dart)
        and given.receipt is None
        and not given.revises
    )


def run_awry(throws: list[Throw], lines: list[tuple[TimedLine, ...]], profile: BoardProfile) -> bool:
    """Print a line for each kind; return whether no dart was added and none was both sure and wrong."""
    pairs = felt_and_seen(throws, lines)
    print(f"cameras whose reports go wrong, {len(pairs)} darts that contacts felt (aim: 0 extra, 0 wrong)")
    good = True
    for name, kind in KINDS.items():
        counts = tally(kind, pairs, profile)
        good &= not counts["extra"] and not counts[WRONG]
        asked = len(pairs) - counts[RIGHT] - counts[WRONG]
        print(
            f"{name:<24}right {counts[RIGHT]}, asked {asked}, wrong {counts[WRONG]}, extra {counts['extra']}"
        )
    return good
