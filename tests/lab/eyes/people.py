"""Flights of any colour, touching darts, hands and a turned board, laid over real boards."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import chain, pairwise

import cv2
import numpy as np

from lab.eyes.beside import free_place
from lab.eyes.faults import STANDS, WAKES, Chance, Fault, Frames, Laid, fallen, hand_comes, held, plain
from lab.eyes.throws import Pictures, Throw, bed_of, cut_out, hung_turned
from scharten.dartboard.beds import parse_bed
from scharten.dartboard.locate import centre_of
from scharten.vision.model import Image, to_pixels

_FLIGHT_FROM = 0.55  # share of the visible dart, from its point


def flight(look: Callable[[Image, Image], Image]) -> Fault:
    """Change the look of the dart's flight, made from the picture with the dart and the one before."""

    def lay(throw: Throw, chance: Chance) -> Laid | None:
        dart = throw.seen()
        if dart is None:
            return None
        later = []
        for eye, old, new in zip(throw.eyes, throw.before, throw.with_dart, strict=True):
            point = to_pixels(eye.model, np.array([[dart.x_mm, dart.y_mm]]))[0]
            seen = (cv2.absdiff(old, new).max(axis=2) > 25).astype(np.uint8)
            seen = cv2.morphologyEx(seen, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
            rows, columns = np.nonzero(seen)
            far = np.hypot(columns - point[0], rows - point[1])
            on = far > _FLIGHT_FROM * np.percentile(far, 95)
            cover = np.zeros(old.shape[:2], np.float32)
            cover[rows[on], columns[on]] = 1
            soft = cv2.GaussianBlur(cv2.dilate(cover, np.ones((3, 3), np.uint8)), (3, 3), 0.8)[..., None]
            later.append(np.asarray(new + soft * (look(old, new).astype(np.float32) - new), np.uint8))
        return Laid(throw, plain(replace(throw, with_dart=tuple(later))), throw.bed)

    return lay


def white(old: Image, new: Image) -> Image:
    """A white flight."""
    return np.full_like(new, 235)


def transparent(old: Image, new: Image) -> Image:
    """A flight of clear plastic: a quarter of it is visible."""
    return np.asarray(cv2.addWeighted(old, 0.75, new, 0.25, 0), np.uint8)


def board_coloured(old: Image, new: Image) -> Image:
    """A flight in the colours of beds near it."""
    return np.roll(old, old.shape[1] // 12, axis=1)


def touching(throw: Throw, chance: Chance) -> Laid | None:
    """A dart arrives parallel to a standing one; their barrels touch."""
    dart = cut_out(throw)
    if dart is None:
        return None
    place, side = free_place(chance), chance.uniform(0, math.tau)
    beside = (place[0] + 6.5 * math.cos(side), place[1] + 6.5 * math.sin(side))
    first = dart.onto(throw.empties, beside)
    return Laid(throw, plain(replace(throw, before=first, with_dart=dart.onto(first, place))), bed_of(place))


def in_one_treble(throw: Throw, chance: Chance) -> Laid | None:
    """Two darts stand in a treble; the third comes into it."""
    dart, bed = cut_out(throw), parse_bed(f"T{chance.integers(1, 21)}")
    if dart is None or bed is None:
        return None
    x, y = centre_of(bed)
    along, shots = np.array([-y, x]) / math.hypot(x, y), [throw.empties]
    for off in chance.permutation([-6.0, 0.0, 6.0]):
        at = (x + off * along[0], y + off * along[1])
        shots.append(dart.onto(shots[-1], at, chance.uniform(0, 8), chance.uniform(0, math.tau)))
    return Laid(throw, plain(replace(throw, before=shots[2], with_dart=shots[3])), str(bed))


def robin_hood(throw: Throw, chance: Chance) -> Laid | None:
    """A dart sticks in the end of another: it is in no bed, so any sure bed is wrong."""
    dart = cut_out(throw)
    if dart is None:
        return None
    place = free_place(chance)
    first = dart.onto(throw.empties, place)
    later = dart.onto(first, place, height_mm=110.0)
    return Laid(throw, plain(replace(throw, before=first, with_dart=later), stands=3 * STANDS), "bounced")


def falls_out(throw: Throw, chance: Chance) -> Laid:
    """The dart is reported, and falls out three seconds later, without a hand."""
    far = throw.before[0].shape[0] // 10

    def frames() -> Frames:
        yield from plain(throw, stands=90)
        for fall in (1, 2, 3):
            pairs = zip(throw.before, throw.with_dart, strict=True)
            yield tuple(fallen(old, new, fall * far) for old, new in pairs)
        yield from held(throw.before, 2 * STANDS)

    return Laid(throw, frames(), None, reported_before=1)


def turned_in_play(throw: Throw, chance: Chance) -> Laid | None:
    """A person turns the board by two degrees; then a dart arrives in the turned board."""
    dart, turn = cut_out(throw), math.radians(2)
    if dart is None:
        return None
    on_board = free_place(chance)
    place = (
        on_board[0] * math.cos(turn) - on_board[1] * math.sin(turn),
        on_board[0] * math.sin(turn) + on_board[1] * math.cos(turn),
    )
    board = hung_turned(throw.eyes, throw.empties, 2.0)
    shots = chain(
        held(throw.empties, WAKES), plain(replace(throw, before=board, with_dart=dart.onto(board, place)))
    )
    return Laid(throw, shots, bed_of(on_board))


def _arm(picture: Image, end: tuple[float, float], start: tuple[float, float], wide: float) -> Image:
    """A sleeve of a dark, striped fabric from the picture's rim."""
    seen = picture.copy()
    for part, shade in enumerate(np.linspace(0, 1, 12)):
        at = [int(s + shade * (e - s)) for s, e in zip(start, end, strict=True)]
        cv2.circle(seen, (at[0], at[1]), int(wide), ((70, 50, 45), (110, 90, 85))[part % 2], -1, cv2.LINE_AA)
    return np.asarray(seen, np.uint8)


def sleeve(throw: Throw, chance: Chance) -> Laid:
    """A striped sleeve hangs into the lower rim of one camera's picture for two seconds around the throw."""
    which, (height, width) = int(chance.integers(len(throw.before))), throw.before[0].shape[:2]
    x = float(chance.uniform(0.3, 0.7)) * width

    def frames() -> Frames:
        yield from held(throw.before, WAKES)
        for frame in range(60):
            end = (x + 5 * math.sin(frame / 3), 0.85 * height)
            shot = throw.before if frame < 20 else throw.with_dart
            yield tuple(
                _arm(p, end, (x, 1.1 * height), 0.09 * width) if n == which else p for n, p in enumerate(shot)
            )
        yield from held(throw.with_dart, STANDS)

    return Laid(throw, frames(), throw.bed)


def taken_by_two(throw: Throw, chance: Chance) -> Laid:
    """The dart is reported; then two people reach for it from both sides, and one takes it."""
    height, width = throw.before[0].shape[:2]

    def frames() -> Frames:
        yield from plain(throw)
        for frame in range(30):
            near = min(frame, 30 - frame, 8) / 8
            shot = throw.with_dart if frame < 15 else throw.before
            left, right = (
                ((-0.1 + 0.55 * near) * width, 0.5 * height),
                ((1.1 - 0.55 * near) * width, 0.55 * height),
            )
            yield tuple(
                _arm(
                    _arm(p, left, (-0.1 * width, 0.6 * height), 0.1 * width),
                    right,
                    (1.1 * width, 0.6 * height),
                    0.1 * width,
                )
                for p in shot
            )
        yield from held(throw.before, STANDS)

    return Laid(throw, frames(), "empty", reported_before=1)


def taken_in_turn(throw: Throw, chance: Chance) -> Laid | None:
    """Three darts stand close together, and a hand takes one after the other: what stood behind one is not new."""
    dart = cut_out(throw)
    if dart is None:
        return None
    middle, turn = free_place(chance), chance.uniform(0, math.tau)
    places = [middle]
    for side in (turn, turn + chance.uniform(0.8, math.pi)):
        far = chance.uniform(12, 40)
        places.append((middle[0] + far * math.cos(side), middle[1] + far * math.sin(side)))
    leans = [(chance.uniform(0, 8), chance.uniform(0, math.tau)) for _ in places]
    order = [int(n) for n in chance.permutation(len(places))]

    def standing(those: list[int]) -> Pictures:
        shot = throw.empties
        for n in sorted(those):
            shot = dart.onto(shot, places[n], *leans[n])
        return shot

    thrown = [standing(list(range(count))) for count in range(len(places) + 1)]
    left = [standing(order[count:]) for count in range(len(order) + 1)]

    def frames() -> Frames:
        yield from held(thrown[0], WAKES)
        for shot in thrown[1:]:
            yield from held(shot, 2 * STANDS)
        for then, now in pairwise(left):
            yield from hand_comes(then, now)
            yield from held(now, STANDS)

    return Laid(throw, frames(), "empty", starts=WAKES + 6 * STANDS)
