"""The films of the emulated machine's cameras, watched as the service watches them."""

from __future__ import annotations

import base64
import io
import tarfile
from itertools import chain, cycle, islice
from typing import Any

import cv2
import numpy as np
import pytest

from lab.machine.cameras import FPS, STILL, Cameras
from lab.scripted_game import aim_at_bed
from scharten.vision.detect.camera import calibrated_camera
from scharten.vision.follow.takeout import open_tracker, step
from scharten.vision.rig import parse_rig


class Machine:
    """A machine without an emulator: it keeps each film and file that it gets."""

    def __init__(self) -> None:
        self.files: list[dict[str, bytes]] = []

    def sh(self, command: str, seconds: float = 0, stdin: str = "") -> str:
        """Unpack what `tar` would unpack."""
        if "tar -x" in command:
            with tarfile.open(fileobj=io.BytesIO(base64.b64decode(stdin))) as tar:
                self.files.append({item.name: tar.extractfile(item).read() for item in tar})  # type: ignore[union-attr]
        return ""


@pytest.mark.long
def test_each_dart_of_the_films_is_seen_in_its_bed() -> None:
    """Three darts and a takeout, at so few pictures a second as an emulated machine follows."""
    machine: Any = Machine()
    cameras = Cameras(machine)
    cameras.plug()
    empty, given = machine.files
    rig = parse_rig(given["cameras.toml"].decode())
    assert isinstance(rig, tuple)
    empties = tuple(decoded(given[camera.empty]) for camera in rig)
    tracker = open_tracker(
        tuple(calibrated_camera(camera.model, seen) for camera, seen in zip(rig, empties, strict=True)),
        empties,
    )
    for bed in ("T20", "L3", "D8"):
        cameras.throw(aim_at_bed(bed))
    cameras.take_out()
    beds, t_ms = [], 0
    for film in (empty, *machine.files[2:]):
        frames = sorted({name.partition("/")[0] for name in film})
        for frame in chain(frames, islice(cycle(frames[-STILL:]), 3 * FPS)):
            t_ms += 1000 // FPS
            shot = tuple(decoded(film[f"{frame}/{n}.jpg"]) for n in range(len(rig)))
            tracker, happened = step(tracker, shot, t_ms)
            beds += [str(happening.dart.beds[0][0]) for happening in happened if happening.dart]
    assert beds == ["T20", "L3", "D8"]
    assert tracker.state.value == "empty"


def decoded(data: bytes) -> Any:
    """The picture of a file."""
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
