"""Many throws judged from still pictures, in projected light and in the room's light alone: the cost of projected
light."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from lab.figures import commit
from lab.scenes.darts import DartShape, some_dart
from lab.scenes.events import CALM
from lab.scenes.lights import SIZE, lit_dart, lit_rig, some_light
from lab.scenes.pictures import RANGES, Change, Rig, drawn, make_rig, picture, taken
from lab.scenes.visits import Figure, open_rig, place
from scharten.dartboard.beds import SURE
from scharten.dartboard.locate import bed_at
from scharten.vision.detect.camera import detect
from scharten.vision.detect.fuse import SeenDart
from scharten.vision.follow.look_away import Lookout, look_away, watch
from scharten.vision.follow.takeout import open_tracker
from scharten.vision.follow.throw_tracker import ThrowTracker
from scharten.vision.model import Image

_PER_RIG, _PER_VISIT = 60, 3
_LOSS = 0.005
"""The share of all darts that projected light may cost."""
_STILL_MS = (0, 300, 600)
"""The times at which a still picture is shown to the cameras' loop."""


@dataclass(frozen=True)
class Pair:
    """One dart: whether its bed was named with and without projected light, and whether a wrong bed was sure."""

    lit: bool
    dark: bool
    lit_wrong: bool
    dark_wrong: bool


def pairs(throws: int, seed: int, cameras: int) -> Iterator[Pair]:
    """Judge this many throws in visits of three; the light changes before each, and both pictures have the same
    noise."""
    cv2.setNumThreads(1)
    for number in range(throws):
        if number % _PER_RIG == 0:
            chance = np.random.default_rng([seed, 11, number])
            rig = make_rig(chance, replace(RANGES, size=SIZE), cameras=cameras)
            empties = tuple(picture(rig, n, (), chance) for n in range(cameras))
            eyes = open_rig(rig, chance, empties)
        if number % _PER_VISIT == 0:
            darts: list[DartShape] = []
            seen, known = empties, open_tracker(eyes, empties)
        darts.append(some_dart(chance, *place(chance, darts), darts[0] if darts else None))
        light = some_light(chance)
        before, later = _both(lit_rig(rig, light), [lit_dart(d, light) for d in darts], (seed, 12, number))
        known = _in_other_light(known, seen, before)
        seen = later
        here, room = (
            detect(known.calibrated, before, later),
            detect(eyes, *_both(rig, darts, (seed, 12, number))),
        )
        yield _pair(here, room, darts[-1])


def _pair(here: SeenDart | None, room: SeenDart | None, dart: DartShape) -> Pair:
    truth = bed_at(*dart.tip[:2])
    right = [seen is not None and seen.bed == truth for seen in (here, room)]
    wrong = [seen is not None and seen.bed != truth and seen.confidence >= SURE for seen in (here, room)]
    return Pair(*right, *wrong)


def _both(
    rig: Rig, darts: list[DartShape], noise: tuple[int, ...]
) -> tuple[tuple[Image, ...], tuple[Image, ...]]:
    """Return the pictures before and after the last dart, of cameras that tremble as on a wall."""
    chance, every = np.random.default_rng(noise), range(len(rig.cameras))
    before, later = (
        tuple(taken(rig.cameras[n], drawn(rig, n, some), chance, Change(calm=CALM)) for n in every)
        for some in (darts[:-1], darts)
    )
    return before, later


def _in_other_light(known: ThrowTracker, then: tuple[Image, ...], now: tuple[Image, ...]) -> ThrowTracker:
    """Return the cameras' knowledge of the empty board after an announced change of light.

    It wakes to `then`, so that a dart that was not recognized does not affect later ones.
    """
    new = open_tracker(known.calibrated, known.empties)
    lookout, t_ms = Lookout(replace(new, bare=known.bare)), 0
    for pictures in (then, now):
        for still_ms in _STILL_MS:
            lookout, _ = watch(lookout, pictures, t_ms + still_ms)
        t_ms += _STILL_MS[-1] + 30
        lookout = look_away(lookout, t_ms)
    return lookout.tracker


def figures(found: list[Pair]) -> list[Figure]:
    """Return both shares, the loss, and the wrong beds that projected light makes sure."""
    lit, dark, source = sum(pair.lit for pair in found), sum(pair.dark for pair in found), len(found)
    return [
        Figure("throws in their bed, projected light", lit, source, dark / max(source, 1) - _LOSS),
        Figure("  the same throws, the room's light", dark, source),
        Figure("  right only in projected light", sum(pair.lit > pair.dark for pair in found), source),
        Figure("  right only in the room's light", sum(pair.dark > pair.lit for pair in found), source),
        Figure("  sure and wrong, projected light", sum(pair.lit_wrong for pair in found), source),
        Figure("  sure and wrong, the room's light", sum(pair.dark_wrong for pair in found), source),
    ]


def run(throws: int, seed: int, cameras: int) -> int:
    """Print the figures of this many throws; return 0 if the loss is within its aim."""
    print(
        f"{throws} throws in projected light and without, {cameras} cameras, seed {seed}, commit {commit()}"
    )
    found: list[Pair] = []
    for pair in pairs(throws, seed, cameras):
        found.append(pair)
        if len(found) % _PER_RIG == 0:
            loss = sum(pair.dark - pair.lit for pair in found)
            print(f"  {len(found)} throws: {loss} fewer in their bed in projected light", flush=True)
    reported = figures(found)
    for figure in reported:
        print(figure.words())
    return 0 if all(figure.reached is not False for figure in reported) else 1
