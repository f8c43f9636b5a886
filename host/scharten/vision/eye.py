"""One calibrated camera at work: what is new between two of its pictures, as lines of darts."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.locate import DOUBLE_OUTER_RADIUS
from scharten.vision.difference import significance
from scharten.vision.fuse import Dart, Sighting, fuse
from scharten.vision.model import CameraModel, Floats, matrix, straighten, to_board
from scharten.vision.pose import normal_point, outwards
from scharten.vision.register import Reference, align, reference, soft_grey
from scharten.vision.rings import Image
from scharten.vision.shaft import Shaft, find_shafts

_NEW = 3.5  # standard deviations from which a pixel is new
_LEAST_PIXELS = 24
_CANDIDATES = 2


@dataclass(frozen=True)
class Eye:
    """A camera model, its picture of the empty board, and what is worked out from them once."""

    model: CameraModel
    board: NDArray[np.bool_]  # pixels that show the board
    empty: Reference
    normal: Floats  # vanishing point of the board's normal


def open_eye(model: CameraModel, empty: Image) -> Eye:
    """An eye from a model and the BGR picture of the empty board that it was made of."""
    rows, columns = np.mgrid[: model.height, : model.width]
    at = to_board(model, np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64))
    board = (np.hypot(at[:, 0], at[:, 1]) < DOUBLE_OUTER_RADIUS + 10).reshape(model.height, model.width)
    return Eye(model, board, reference(soft_grey(empty), board), normal_point(model))


def look(eye: Eye, before: Image, after: Image) -> tuple[Shaft, ...]:
    """Lines of darts that are in `after` (BGR) and not in `before`, the clearest first; in straight pixels."""
    old, new = soft_grey(before), soft_grey(after)
    level = significance(old, new, align(reference(old, eye.board), new))
    mask = cv2.medianBlur((level > _NEW).astype(np.uint8), 3)
    rows, columns = np.nonzero(mask)
    if len(rows) < _LEAST_PIXELS:
        return ()
    home = align(eye.empty, new).back(np.column_stack([columns, rows]).astype(np.float64))
    pixels = straighten(home, eye.model.width, eye.model.height, eye.model.k1)
    inwards = -outwards(eye.normal, np.median(pixels, axis=0))
    return tuple(find_shafts(pixels, level[rows, columns].astype(np.float64), inwards, _CANDIDATES))


def detect(eyes: tuple[Eye, ...], before: tuple[Image, ...], after: tuple[Image, ...]) -> Dart | None:
    """The dart that came between two sets of pictures, one per eye, or None."""
    seen = tuple(
        tuple(Sighting(shaft, matrix(eye.model)) for shaft in look(eye, old, new))
        for eye, old, new in zip(eyes, before, after, strict=True)
    )
    return fuse(seen)
