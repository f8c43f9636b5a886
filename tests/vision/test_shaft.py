"""The coarse search for a dart's line among new pixels."""

import numpy as np
import pytest

from scharten.vision.detect.shaft import _TILTS, _worth


def dense(cell: np.ndarray, lines: int, columns: int, full: float) -> np.ndarray:
    """Return the worth of each column of each tilt over all cells, also empty ones: (tilts, columns - 2)."""
    mass = np.bincount(cell, minlength=len(_TILTS) * lines * columns).reshape(-1, lines, columns)
    band = mass[:, :, :-2] + mass[:, :, 1:-1] + mass[:, :, 2:]
    source = np.maximum(mass.sum(axis=2, keepdims=True), 1)
    return np.minimum(band**2 / (source * full), 0.5).sum(axis=1)


@pytest.mark.parametrize("seed", range(6))
def test_the_sparse_search_equals_the_dense_search(seed: int) -> None:
    """For scattered, clustered and single pixels, skipping empty cells leaves the worth of every column unchanged."""
    chance = np.random.default_rng(seed)
    lines, columns = (int(chance.integers(1, 60)), int(chance.integers(3, 90)))
    many = int(chance.integers(1, 300))
    line = chance.integers(0, lines, (len(_TILTS), many))
    column = np.clip(np.rint(chance.normal(columns / 2, columns / 6, line.shape)), 1, columns - 2).astype(int)
    tilt = np.arange(len(_TILTS))[:, None]
    cell = ((tilt * lines + line) * columns + column).ravel()
    found = _worth(cell, lines, columns, 7.5).reshape(len(_TILTS), columns)
    assert np.allclose(found[:, 1:-1], dense(cell, lines, columns, 7.5))
    assert not found[:, [0, -1]].any(), "no line can lie in the empty columns at both ends"
