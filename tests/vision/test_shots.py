"""Pictures kept as JPEGs: decoding one small equals shrinking it; broken data is refused or becomes black."""

import cv2
import numpy as np
import pytest

from scharten.vision.detect.light import shrink
from scharten.vision.shots import packed, size_of, small, whole

WIDTH, HEIGHT = 245, 163  # no multiples of a JPEG's blocks


@pytest.fixture(scope="module")
def jpeg() -> np.ndarray:
    """A JPEG of a picture with edges, colours and noise."""
    chance = np.random.default_rng(1)
    picture = np.full((HEIGHT, WIDTH, 3), (40, 90, 150), np.float32)
    cv2.circle(picture, (120, 80), 60, (200, 220, 210), 7)
    cv2.line(picture, (10, 150), (230, 20), (30, 20, 180), 2)
    noisy = np.clip(picture + chance.normal(0, 4, picture.shape), 0, 255).astype(np.uint8)
    return cv2.imencode(".jpg", noisy, (cv2.IMWRITE_JPEG_QUALITY, 90))[1]


@pytest.mark.parametrize("step", [1, 2, 3, 4, 6, 8, 10])
def test_a_jpeg_decoded_small_is_its_picture_shrunk(jpeg, step):
    """Both ways give the same size and, except for rounding, the same grey levels."""
    shot = packed(jpeg)
    assert size_of(shot) == (WIDTH, HEIGHT)
    expected, seen = shrink(whole(shot), step).astype(int), small(shot, step).astype(int)
    assert seen.shape == expected.shape
    apart = np.abs(seen - expected)
    assert np.percentile(apart, 99) <= 2 and apart.mean() < 0.5


def test_data_without_a_header_is_refused_and_a_broken_jpeg_is_black(jpeg):
    """Bytes without a frame header give None; a JPEG without its scan keeps its size."""
    assert packed(np.zeros(1000, np.uint8)) is None
    assert packed(jpeg.ravel()[:40]) is None
    header = jpeg.tobytes().index(b"\xff\xda")
    broken = packed(np.frombuffer(jpeg.tobytes()[:header], np.uint8))
    assert whole(broken).shape == (HEIGHT, WIDTH, 3) and not whole(broken).any()
    assert small(broken, 4).shape == (HEIGHT // 4, WIDTH // 4) and not small(broken, 4).any()
