"""Are the adviser's chances true? Simulated darts are thrown at its aims, without its table of odds."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.figures import commit, percentile
from scharten.dartboard.beds import Bed, BedKind
from scharten.errors import Problem
from scharten.game.basics import Drop, Kind, move_from_text
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.opponent.adviser import THINKS_S
from scharten.opponent.ready import ReadyProcess
from scharten.play.advice import Advice, advise

NEAR: Final = 0.006
"""The largest allowed difference between stated and thrown chances, and between *safe* and the bench's surest aim."""
QUICK_S: Final = 2.0
SCATTERS: Final = (8.0, 15.0, 25.0, 40.0, 60.0)
SITS: Final = 3
DARTS: Final = 100_000
"""Darts at each aim: a chance is then known within 0.3 points (95 %)."""
FIELDS_ASKED: Final = 3
CLOCKWISE: Final = np.array([20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5])
RINGS: Final = (
    (15.9, 99.0, BedKind.LITTLE),
    (99.0, 107.0, BedKind.TREBLE),
    (107.0, 162.0, BedKind.FAT),
    (162.0, 170.0, BedKind.DOUBLE),
)
"""Inner and outer radius of each ring in mm, as dartboards are made."""
COARSE: Final = (9.0, 3_000)
FINE: Final = (3.0, 20_000)
"""Distance between aims in mm, and the darts at each: first over the whole board, then around the best aims."""
KEPT: Final = 12
Points = NDArray[np.float64]


class Question(NamedTuple):
    """A position with a dart due, and the scatter of the thrower in mm."""

    position: Any
    scatter_mm: float


def questions(count: int, seed: int) -> Iterator[Question]:
    """Yield positions of loud games played by chance, each with a scatter of its own."""
    chance, options = random.Random(seed), Options(kind=Kind.LOUD)
    position, number = SCHARTEN.begin(options), 0
    while number < count:
        here = SCHARTEN.situation(position, options)
        if here.end is not None or not (here.drops or here.moves):
            position = SCHARTEN.begin(options)
            continue
        if here.drops and chance.random() < 0.25:
            yield Question(position, SCATTERS[number % len(SCATTERS)])
            number += 1
        throw = here.drops and (not here.moves or chance.random() < 0.6)
        action = Drop(chance.choice(here.drops)) if throw else move_from_text(chance.choice(here.moves))
        played = SCHARTEN.play(position, action, options)
        assert not isinstance(played, Problem), played
        position = played.position if played.end is None else SCHARTEN.begin(options)


class Thrower:
    """Darts around an aim: the same deviations for each aim, so that aims can be compared."""

    def __init__(self, sigma: float, darts: int, seed: int) -> None:
        self._off = np.random.default_rng(seed).normal(0.0, sigma, (darts, 2))

    def share(self, aim: tuple[float, float], beds: frozenset[Bed]) -> float:
        """Return the share of the darts that land in these beds."""
        x, y = (self._off + np.asarray(aim)).T
        radius = np.hypot(x, y)
        wedge = np.floor((np.degrees(np.arctan2(x, y)) + 9.0) / 18.0).astype(int) % 20
        hits = 0
        for inner, outer, kind in RINGS:
            wanted = np.array([Bed(kind, int(number)) in beds for number in CLOCKWISE])
            hits += int(((radius >= inner) & (radius < outer) & wanted[wedge]).sum())
        return hits / len(x)


def surest(sigma: float, beds: frozenset[Bed], seed: int) -> float:
    """Return the chance at the surest aim of a grid over the board that is refined around its best aims."""
    step, darts = COARSE
    line = np.arange(-170.0, 170.1, step)
    rough = Thrower(sigma, darts, seed)
    ranked = sorted(((rough.share((x, y), beds), (x, y)) for x in line for y in line), reverse=True)
    step, darts = FINE
    around = np.arange(-step, step + 0.1, step)
    fine = Thrower(sigma, darts, seed + 1)
    near = {(x + dx, y + dy) for _, (x, y) in ranked[:KEPT] for dx in around for dy in around}
    best = sorted(((fine.share(aim, beds), aim) for aim in near), reverse=True)[:3]
    return max(Thrower(sigma, DARTS, seed + 2).share(aim, beds) for _, aim in best)


class Judged(NamedTuple):
    """Stated minus thrown chances of a question's aims, and the distance of *safe* from the surest aim."""

    off: list[float]
    below: float


def judged(question: Question, number: int) -> Judged:
    """Throw at each aim of the advice: at all free beds together, and at single fields."""
    options = Options(kind=Kind.LOUD)
    advice = advise(
        SCHARTEN,
        question.position,
        options,
        question.scatter_mm,
        white_sits_at=SITS,
        over=lambda: True,
    )
    assert isinstance(advice, Advice), advice
    thrower = Thrower(question.scatter_mm, DARTS, number)
    free = frozenset(field.bed for field in advice.fields)
    shares = [thrower.share((aim.x_mm, aim.y_mm), free) for aim in (advice.safe, advice.best)]
    off = [advice.safe.placed - shares[0], advice.best.placed - shares[1]]
    for field in random.Random(number).sample(advice.fields, min(FIELDS_ASKED, len(advice.fields))):
        aim = field.aim.x_mm, field.aim.y_mm
        off += [field.hit - thrower.share(aim, frozenset({field.bed}))]
        off += [field.aim.placed - thrower.share(aim, free)]
    return Judged(off, surest(question.scatter_mm, free, 1000 + 10 * number) - shares[0])


def times(asked: list[Question]) -> list[float]:
    """Return the seconds of each answer of the adviser's process, which waits for questions as at a board."""
    process = ReadyProcess((sys.executable, "-m", "scharten.opponent.advice_server"))
    options = Options(kind=Kind.LOUD)
    process.prepare()
    time.sleep(1.0)
    taken = []
    for question in asked:
        began = time.perf_counter()
        answer = process.ask(
            {
                "game": SCHARTEN.key,
                "options": options.model_dump(mode="json"),
                "position": SCHARTEN.situation(question.position, options).text,
                "move": "",
                "scatter_mm": question.scatter_mm,
                "white_sits_at": SITS,
                "seconds": THINKS_S,
            },
            30.0,
        )
        taken.append(time.perf_counter() - began)
        assert "problem" not in answer, answer
    process.stop()
    return taken


def run(positions: int, answers: int, seed: int) -> int:
    """Print each figure beside its target; return 1 if a figure misses its target."""
    print(f"advice, commit {commit()}, {positions} positions of loud games, scatters {SCATTERS} mm")
    asked = list(questions(max(positions, answers), seed))
    found = [judged(question, number) for number, question in enumerate(asked[:positions])]
    off = [abs(value) for answer in found for value in answer.off]
    print(f"  {len(off)} stated chances against {DARTS:,} darts at each aim:")
    print(
        f"    p50 {percentile(off, 50):.2%}, p95 {percentile(off, 95):.2%}, most {max(off):.2%} off (target {NEAR:.1%})"
    )
    below = [answer.below for answer in found]
    print(
        f"  *safe* against the surest aim of a fine grid: mean {sum(below) / len(below):+.2%}, "
        f"most {max(below):+.2%} surer (target {NEAR:.1%})"
    )
    taken = times(asked[:answers])
    p95 = percentile(taken, 95)
    print(f"  {answers} answers: p50 {percentile(taken, 50):.2f} s, p95 {p95:.2f} s (target {QUICK_S:.0f} s)")
    return 0 if max(*off, *below) <= NEAR and p95 <= QUICK_S else 1
