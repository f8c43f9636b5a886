"""Many throws judged from still pictures, in projected light and in the room's alone: what that light costs."""

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
"""This many darts more may be lost in projected light, of all."""
_STILL_MS = (0, 300, 600)
"""When a still picture is shown, for the cameras' loop to take it in."""


@dataclass(frozen=True)
class Pair:
    """One dart: whether its bed was named in projected light and without; and whether one was wrong though sure."""

    lit: bool
    dark: bool
    lit_wrong: bool
    dark_wrong: bool


def pairs(throws: int, seed: int, cameras: int) -> Iterator[Pair]:
    """This many throws in visits of three; the light is another one before each, the noise of both is the same."""
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
    """The pictures before the last of the darts and after it, of cameras that tremble as those on a wall do."""
    chance, every = np.random.default_rng(noise), range(len(rig.cameras))
    before, later = (
        tuple(taken(rig.cameras[n], drawn(rig, n, some), chance, Change(calm=CALM)) for n in every)
        for some in (darts[:-1], darts)
    )
    return before, later


def _in_other_light(known: ThrowTracker, then: tuple[Image, ...], now: tuple[Image, ...]) -> ThrowTracker:
    """The cameras' knowledge of the empty board after an announced change of light.

    It wakes to `then`, so that a dart that was not made out is nothing that later ones suffer from.
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
    """Both shares, the loss, and what light makes wrong that would be sure."""
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
    """Print the figures of this many throws; 0 when the loss is within its aim."""
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
