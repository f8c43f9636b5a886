"""A camera model maps millimetres to pixels and back, and is read as it was written."""

from __future__ import annotations

import tomllib
from dataclasses import replace

import numpy as np
import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from scharten.errors import Problem
from scharten.vision.model import (
    CameraModel,
    add_model,
    bend,
    parse_model,
    straighten,
    to_board,
    to_pixels,
)
from scharten.vision.rig import RigCamera, parse_rig, rig_text

MODEL = CameraModel(
    800, 600, (-1.6, 0.4, 395.0, 0.5, 0.7, 192.0, -0.0008, -0.0012, 1.0), -0.037, 135.6, 0.42, 0.3
)
places = st.tuples(st.floats(-200, 200), st.floats(-200, 200))


@given(places)
def test_a_place_survives_the_way_to_pixels_and_back(place: tuple[float, float]) -> None:
    """Anywhere on the board the error is below 0.01 mm."""
    pixels = to_pixels(MODEL, np.array([place]))
    assert np.abs(to_board(MODEL, pixels) - place).max() < 0.01


@given(st.tuples(st.floats(0, 799), st.floats(0, 599)), st.floats(-0.1, 0.15))
def test_bending_undoes_straightening(pixel: tuple[float, float], k1: float) -> None:
    """The radial term and its inverse cancel to 0.01 pixel."""
    straight = straighten(np.array([pixel]), 800, 600, k1)
    assert np.abs(bend(straight, 800, 600, k1) - pixel).max() < 0.01


@given(st.tuples(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5)), st.floats(-0.2, 0.2))
def test_what_no_pixel_shows_is_bent_to_a_place_in_its_direction(
    pixel: tuple[float, float], k1: float
) -> None:
    """However far away: never to the other side of the picture, and farther out only where the lens draws apart."""
    off = np.array(pixel) - [399.5, 299.5]
    bent = bend(np.array([pixel]), 800, 600, k1)[0] - [399.5, 299.5]
    assert np.hypot(*bent) <= max(np.hypot(*off), 1) * 1.5
    assert off @ bent >= 0.99 * np.hypot(*off) * np.hypot(*bent)


def written(model: CameraModel) -> str:
    """Return the model as TOML."""
    table = tomlkit.table()
    add_model(table, model)
    return table.as_string()


@given(st.floats(-0.2, 0.2), st.tuples(*[st.floats(-2, 2).filter(lambda v: abs(v) > 1e-3)] * 4))
def test_a_model_is_read_as_written(k1: float, numbers: tuple[float, ...]) -> None:
    """`parse_model` reads the output of `add_model`, to the last digit of homography and radial term."""
    a, b, c, d = numbers
    if abs(a * d - b * c) < 1e-6:
        return
    model = replace(MODEL, k1=k1, homography=(a, b, 400.0, c, d, 300.0, 0.0, 0.0, 1.0))
    read = parse_model(tomllib.loads(written(model)))
    assert isinstance(read, CameraModel)
    assert (read.homography, read.k1) == (model.homography, model.k1)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("k1 =", "kay1 =", "k1"),
        ("width = 800", "width = 8.5", "width"),
        ("width = 800", "width = true", "width"),
        ("[-1.6, 0.4, 395.0]", "[-1.6, 0.4]", "three rows"),
        ("[-1.6, 0.4, 395.0]", "[nan, 0.4, 395.0]", "homography"),
        ("[-0.0008, -0.0012, 1.0]", "[-1.6, 0.4, 395.0]", "inverted"),
    ],
)
def test_a_wrong_model_is_refused_by_name(old: str, new: str, words: str) -> None:
    """Each fault of a model file is refused with the name of the wrong key."""
    text = written(MODEL)
    assert old in text
    refused = parse_model(tomllib.loads(text.replace(old, new, 1)))
    assert isinstance(refused, Problem)
    assert words in refused.words


def test_a_rig_is_read_as_written() -> None:
    """Device names keep quotes, backslashes, control characters and letters beyond U+FFFF."""
    names = ('a "0" \\ é', "camera \U0001f3af", "\x01\x7f\t")
    rig = tuple(
        RigCamera(f"/dev/v4l/by-id/{name}", (1.5 * n, 2.0), f"empty-{n}\U0001f3af.png", MODEL)
        for n, name in enumerate(names)
    )
    assert parse_rig(rig_text(rig)) == rig


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('empty = "e.png"', 'empty = "../e.png"', "beside"),
        ("d20 = [1.0, 2.0]", "d20 = [1.0]", "d20"),
        ('device = "/dev/video0"', "device = 0", "device"),
        ("[[camera]]", "[[cam]]", "camera"),
        ("d20", "= d20", "TOML"),
    ],
)
def test_a_wrong_rig_is_refused_by_name(old: str, new: str, words: str) -> None:
    """A path out of the folder, half a point, a bare number and an unknown table are refused by name."""
    text = rig_text((RigCamera("/dev/video0", (1.0, 2.0), "e.png", MODEL),))
    assert old in text
    refused = parse_rig(text.replace(old, new))
    assert isinstance(refused, Problem)
    assert words in refused.words
