"""The cameras around a board as one TOML text: which device each is, the person's point, and its model."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass

import tomlkit

from scharten.errors import Problem
from scharten.vision.model import CameraModel, add_model, parse_model

MOST_CAMERAS = 3


@dataclass(frozen=True)
class RigCamera:
    """One camera: where its pictures come from, the pixel in the double 20, its picture of the empty board."""

    device: str  # /dev/v4l/by-id/..., a URL, or a file
    d20: tuple[float, float]
    empty: str  # name of a picture beside the TOML file
    model: CameraModel


def rig_text(cameras: tuple[RigCamera, ...]) -> str:
    """The cameras as TOML."""
    document = tomlkit.document()
    document.add(
        tomlkit.comment("Written by `scharten-calibrate camera`; run it again when a camera was moved.")
    )
    tables = tomlkit.aot()
    for camera in cameras:
        table = tomlkit.table()
        table.update({"device": camera.device, "d20": list(camera.d20), "empty": camera.empty})
        add_model(table, camera.model)
        tables.append(table)
    document.add("camera", tables)
    return tomlkit.dumps(document)


def parse_rig(text: str) -> tuple[RigCamera, ...] | Problem:
    """The cameras of a TOML text, or why it has none that can be used."""
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also what is nested, or counted, without end
        return Problem.reasoned("wrong_model", "profile_toml", error=str(error))
    listed = table.pop("camera", None)
    if table or not isinstance(listed, list) or not 1 <= len(listed) <= MOST_CAMERAS:
        return Problem.reasoned("wrong_model", "rig_tables", most=MOST_CAMERAS)
    cameras = []
    for number, entry in enumerate(listed, 1):
        camera = _camera(entry)
        if isinstance(camera, Problem):
            return camera.within("rig_camera", number=number)
        cameras.append(camera)
    return tuple(cameras)


def _camera(entry: object) -> RigCamera | Problem:
    if not isinstance(entry, dict):
        return Problem.reasoned("wrong_model", "rig_table")
    rest = dict(entry)
    device, empty, point = rest.pop("device", None), rest.pop("empty", None), rest.pop("d20", None)
    if not isinstance(device, str) or not device:
        return Problem.reasoned("wrong_model", "rig_device")
    if not isinstance(empty, str) or not empty or "/" in empty or empty.startswith("."):
        return Problem.reasoned("wrong_model", "rig_empty")
    if not isinstance(point, list) or len(point) != 2 or not all(_is_number(v) for v in point):
        return Problem.reasoned("wrong_model", "rig_point")
    model = parse_model(rest)
    if isinstance(model, Problem):
        return model
    return RigCamera(device, (float(point[0]), float(point[1])), empty, model)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
