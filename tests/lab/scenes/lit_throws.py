"""Many throws judged from still pictures, in projected light and in the room's alone: what that light costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from lab.figures import commit
from lab.scenes.darts import DartShape, some_dart
from lab.scenes.lights import SIZE, lit_dart, lit_rig, some_light
from lab.scenes.pictures import RANGES, Rig, make_rig, picture
from lab.scenes.visits import Figure, open_rig, place
from scharten.dartboard.beds import SURE
from scharten.dartboard.locate import bed_at
from scharten.vision.detect import CalibratedCamera, detect
from scharten.vision.fuse import SeenDart
from scharten.vision.rings import Image

_PER_RIG, _PER_VISIT = 60, 3
_LOSS = 0.005
"""So many darts more may be lost in projected light, of all."""


@dataclass(frozen=True)
class Pair:
    """One dart: whether its bed was named in projected light and without; and whether one was wrong though sure."""

    lit: bool
    dark: bool
    lit_wrong: bool
    dark_wrong: bool


def pairs(throws: int, seed: int, cameras: int) -> Iterator[Pair]:
    """So many throws in visits of three; the light is another one before each, the noise of both is the same."""
    cv2.setNumThreads(1)
    for number in range(throws):
        if number % _PER_RIG == 0:
            chance = np.random.default_rng([seed, 11, number])
            rig = make_rig(chance, replace(RANGES, size=SIZE), cameras=cameras)
            empties = tuple(picture(rig, n, (), chance) for n in range(cameras))
            eyes = open_rig(rig, chance, empties)
        if number % _PER_VISIT == 0:
            darts: list[DartShape] = []
        darts.append(some_dart(chance, *place(chance, darts), darts[0] if darts else None))
        light = some_light(chance)
        lit = [lit_dart(dart, light) for dart in darts]
        noise = (seed, 12, number)
        here = _seen(eyes, lit_rig(rig, light), lit, noise)
        room = _seen(eyes, rig, darts, noise)
        truth = bed_at(*darts[-1].tip[:2])
        right = [seen is not None and seen.bed == truth for seen in (here, room)]
        wrong = [seen is not None and seen.bed != truth and seen.confidence >= SURE for seen in (here, room)]
        yield Pair(*right, *wrong)


def _seen(
    eyes: tuple[CalibratedCamera, ...], rig: Rig, darts: list[DartShape], noise: tuple[int, ...]
) -> SeenDart | None:
    """What is made of the last of the darts."""
    chance = np.random.default_rng(noise)
    before, after = (_pictures(rig, some, chance) for some in (darts[:-1], darts))
    return detect(eyes, before, after)


def _pictures(rig: Rig, darts: list[DartShape], chance: np.random.Generator) -> tuple[Image, ...]:
    return tuple(picture(rig, n, darts, chance) for n in range(len(rig.cameras)))


def figures(found: list[Pair]) -> list[Figure]:
    """Both shares, the loss, and what light makes wrong that would be sure."""
    lit, dark, of = sum(each.lit for each in found), sum(each.dark for each in found), len(found)
    return [
        Figure("throws in their bed, projected light", lit, of, dark / max(of, 1) - _LOSS),
        Figure("  the same throws, the room's light", dark, of),
        Figure("  right only in projected light", sum(each.lit > each.dark for each in found), of),
        Figure("  right only in the room's light", sum(each.dark > each.lit for each in found), of),
        Figure("  sure and wrong, projected light", sum(each.lit_wrong for each in found), of),
        Figure("  sure and wrong, the room's light", sum(each.dark_wrong for each in found), of),
    ]


def run(throws: int, seed: int, cameras: int) -> int:
    """Print the figures of so many throws; 0 when the loss is within its aim."""
    print(
        f"{throws} throws in projected light and without, {cameras} cameras, seed {seed}, commit {commit()}"
    )
    found: list[Pair] = []
    for pair in pairs(throws, seed, cameras):
        found.append(pair)
        if len(found) % _PER_RIG == 0:
            loss = sum(each.dark - each.lit for each in found)
            print(f"  {len(found)} throws: {loss} fewer in their bed in projected light", flush=True)
    told = figures(found)
    for figure in told:
        print(figure.words())
    return 0 if all(figure.reached is not False for figure in told) else 1
