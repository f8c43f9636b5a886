"""The board in another light: its picture as it would be now if only the light had changed.

A projector or a lamp changes each place of the board's surface by a factor that is the same for every camera. A dart
hides a different place from each camera, so another camera shows the light behind it. What the cameras do not agree on
is no light.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.locate import BOARD_RADIUS, DOUBLE_OUTER_RADIUS
from scharten.vision.detect.light import SATURATED, Grey, Mask
from scharten.vision.follow.motion import Watch, changes
from scharten.vision.model import CameraModel, Image, to_board, to_pixels

Ratio = NDArray[np.float32]

_CELL_MM = 2.0
_REACH_MM = BOARD_RADIUS
_DARK = 12.0  # levels below which a ratio is mostly noise
_APART = 1.3  # cameras that differ by more than this factor do not see the same surface
_LEVELS = 9.0  # and by at least this many grey levels
_SOFT_MM = 5.0  # sigma over which surfaces are compared: pictures lie over each other no better
_WIDE = 5  # small pixels around a dart that its rim and its blur may reach
_FLIGHT_OF_A_HAND = 0.35  # as wide, of any flight, as it is seen
_DART_MM2 = 300.0  # of the board's plane: less that the cameras do not agree on is no dart
_HAND_MM = 75.0
_SOLID = 0.6  # of such a square
_KNOWN_SHARE = 0.9  # share of a place's surroundings that another camera sees
_LOWEST, _HIGHEST = 0.05, 20.0


@dataclass(frozen=True)
class Relit:
    """One camera's small pictures of before, in the light of now."""

    bare: Grey
    then: Grey
    covered: Mask  # where darts stood before the board: what it shows is a guess there
    ratio: Ratio  # by how much each small pixel is brighter now


@dataclass(frozen=True)
class OtherLight:
    """All cameras in the light of now; on the board's plane, in mm², what they do not agree on."""

    cameras: tuple[Relit, ...]
    disputed_mm2: float
    hand: bool  # whether that is as large as a hand

    @property
    def something(self) -> bool:
        """Whether more than the light is another one."""
        return self.disputed_mm2 > _DART_MM2


def relit(
    models: Sequence[CameraModel],
    watches: Sequence[Watch],
    bare: Sequence[Grey],
    then: Sequence[Grey],
    now: Sequence[Grey],
    *,
    near: Sequence[Mask | None],
) -> OtherLight:
    """Small pictures of the empty board and of the board before, as they would be in the light of now.

    `near`: where known darts stand in each camera, or None where nothing is known of them. What only one camera sees
    is taken for light.
    """
    covered = tuple(map(_covered, watches, bare, then, near))
    views = list(zip(models, watches, covered, then, now, strict=True))
    planes = [_plane(*view) for view in views]
    known = np.any([plane.sure for plane in planes], axis=0).astype(np.float32)
    total = np.sum([plane.sharp * plane.sure for plane in planes], axis=0)
    common = (total / np.maximum(np.sum([plane.sure for plane in planes], axis=0), 1)).astype(np.float32)
    found = []
    for (model, watch, hidden, old, new), empty in zip(views, bare, strict=True):
        cells = _cells_of(model, watch.shrinks, old.shape)
        known_share, common_ratio = (
            np.asarray(cv2.remap(picture, *cells, cv2.INTER_LINEAR), np.float32)
            for picture in (known, common)
        )
        ratio = _filled(old, new, hidden, common_ratio, known_share > _KNOWN_SHARE)
        behind = hidden > 0
        bare_now, then_now = (np.where(behind, _lit(picture, ratio), new) for picture in (empty, old))
        found.append(Relit(bare_now, then_now, hidden, ratio))
    disputed = _disputed(planes)
    return OtherLight(tuple(found), cv2.countNonZero(disputed) * _CELL_MM**2, _as_a_hand(disputed))


def relit_picture(empty: Image, current: Image, camera: Relit) -> Image:
    """The whole picture of the empty board in the light of now: as it is, and guessed where darts stand."""
    size = (empty.shape[1], empty.shape[0])
    behind = cv2.resize(camera.covered, size, interpolation=cv2.INTER_NEAREST) > 0
    ratio = cv2.resize(camera.ratio, size, interpolation=cv2.INTER_LINEAR)
    guessed = np.clip(empty * ratio[..., None], 0, 255).astype(np.uint8)
    return np.asarray(np.where(behind[..., None], guessed, current), np.uint8)


def _covered(watch: Watch, bare: Grey, then: Grey, near: Mask | None) -> Mask:
    """Where a dart stood before the board; a wrong guess of earlier light elsewhere is forgotten."""
    around = np.ones((_WIDE, _WIDE), np.uint8)
    covered = changes(bare, then, watch.around)
    if near is not None:
        covered = np.asarray(cv2.bitwise_and(covered, cv2.dilate(near, around, iterations=2)), np.uint8)
    return np.asarray(cv2.dilate(covered, around), np.uint8)


def _with_flights(watch: Watch, hidden: Mask) -> Mask:
    """With all of each flight: the part that is as dark as the bed behind it is not seen to stand before it."""
    wide = round(_FLIGHT_OF_A_HAND * watch.hand_px)
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (wide, wide))
    flights = cv2.dilate(cv2.morphologyEx(hidden, cv2.MORPH_OPEN, kernel), kernel, iterations=2)
    return np.asarray(cv2.bitwise_or(hidden, flights), np.uint8)


def _lit(picture: Grey, ratio: Ratio) -> Grey:
    return np.asarray(np.clip(picture * ratio, 0, 255), np.uint8)


def _ratio(then: Ratio, now: Ratio) -> Ratio:
    return np.asarray(np.clip((now + 1) / (then + 1), _LOWEST, _HIGHEST), np.float32)


def _filled(old: Grey, new: Grey, hidden: Mask, common_ratio: Ratio, is_known: NDArray[np.bool_]) -> Ratio:
    """The ratio of each small pixel; behind darts that of other cameras, else of its surroundings."""
    own = _ratio(old.astype(np.float32), new.astype(np.float32))
    sure = ((hidden == 0) & (old > _DARK)).astype(np.float32)
    total, weight = (cv2.GaussianBlur(part, (0, 0), 4.0) for part in (own * sure, sure))
    around = np.where(weight > 1e-3, total / np.maximum(weight, 1e-3), 1.0)
    return np.where(hidden == 0, own, np.where(is_known, common_ratio, around)).astype(np.float32)


# --- on the board's plane ---

_Places = tuple[Ratio, Ratio]


@lru_cache(maxsize=8)
def _grid_in(model: CameraModel, step: int) -> _Places:
    """Where each cell of the plane lies in the small picture, x and y."""
    x, y = _grid()
    at = (to_pixels(model, np.column_stack([x.ravel(), y.ravel()])) + 0.5) / step - 0.5
    return at[:, 0].reshape(x.shape).astype(np.float32), at[:, 1].reshape(x.shape).astype(np.float32)


@lru_cache(maxsize=8)
def _cells_of(model: CameraModel, step: int, shape: tuple[int, int]) -> _Places:
    """In which cell of the plane each small pixel lies, x and y; far away for what is not on the board."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    pixels = (np.column_stack([columns.ravel(), rows.ravel()]) + 0.5) * step - 0.5
    at = np.clip((to_board(model, pixels) + _REACH_MM) / _CELL_MM, -99, 9999).astype(np.float32)
    return at[:, 0].reshape(shape), at[:, 1].reshape(shape)


def _grid() -> _Places:
    along = np.arange(-_REACH_MM, _REACH_MM + _CELL_MM / 2, _CELL_MM)
    x, y = np.meshgrid(along, along)
    return x, y


@lru_cache(maxsize=1)
def _scoring() -> NDArray[np.bool_]:
    return np.asarray(np.hypot(*_grid()) < DOUBLE_OUTER_RADIUS)


@dataclass(frozen=True)
class _Plane:
    """One camera's view of the plane: smoothed levels before and now, and where it sees the surface."""

    then: Ratio
    now: Ratio
    ratio: Ratio
    sharp: Ratio  # the same of each place for itself
    sure: NDArray[np.bool_]
    clear: NDArray[np.bool_]


def _plane(model: CameraModel, watch: Watch, hidden: Mask, old: Grey, new: Grey) -> _Plane:
    places = _grid_in(model, watch.shrinks)
    soft = _SOFT_MM / _CELL_MM
    sharp = [
        np.asarray(cv2.remap(p.astype(np.float32), *places, cv2.INTER_LINEAR), np.float32) for p in (old, new)
    ]
    then, now = (np.asarray(cv2.GaussianBlur(picture, (0, 0), soft), np.float32) for picture in sharp)
    behind, flights = (
        cv2.remap(m, *places, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=255)
        for m in (hidden, _with_flights(watch, hidden))
    )
    sure = (behind == 0) & (then > _DARK) & (np.maximum(then, now) < SATURATED)
    return _Plane(then, now, _ratio(then, now), _ratio(*sharp), sure, sure & (flights == 0))


def _disputed(planes: Sequence[_Plane]) -> Mask:
    """255 where two cameras that see the surface do not agree by how much it is brighter."""
    found = np.zeros(_scoring().shape, np.bool_)
    for plane, other in combinations(planes, 2):
        apart = np.abs(np.log(plane.ratio / other.ratio)) > np.log(_APART)
        for mine, theirs in ((plane, other), (other, plane)):
            apart &= np.abs(mine.then * theirs.ratio - mine.now) > _LEVELS
        found |= apart & plane.clear & other.clear & _scoring()
    return np.asarray(found, np.uint8) * 255


def _as_a_hand(disputed: Mask) -> bool:
    side = round(_HAND_MM / _CELL_MM)
    filled = cv2.boxFilter(disputed, cv2.CV_8U, (side, side), borderType=cv2.BORDER_CONSTANT)
    return bool(filled.max() >= 255 * _SOLID)
