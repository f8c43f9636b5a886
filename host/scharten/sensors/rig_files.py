"""The file of calibrated cameras and the pictures of the empty board beside it; lending pictures to a calibration."""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scharten.data_folder import read_small
from scharten.errors import Problem, SchartenError
from scharten.sensors.video import Picture, read_picture, shown, write_picture
from scharten.vision.detect import CalibratedCamera, calibrated_camera
from scharten.vision.rig import RigCamera, parse_rig

_PATIENCE_S = 4.0  # the referee looks with every picture whether a calibration asks for some
_CURE = "Take the darts out and run `scharten-calibrate camera --out {}`."


@dataclass(frozen=True)
class RigFile:
    """The calibrated cameras of a file, with their pictures of the empty board."""

    path: Path
    cameras: tuple[RigCamera, ...]
    empties: tuple[Picture, ...]

    def calibrated(self) -> tuple[CalibratedCamera, ...]:
        """What the detector sees with."""
        return tuple(
            calibrated_camera(c.model, empty) for c, empty in zip(self.cameras, self.empties, strict=True)
        )


def find_rig(wanted: str, data: Path) -> RigFile:
    """The file of cameras called `wanted`: a path, or a name in the data folder or its `profiles/`."""
    places = [
        Path(wanted),
        Path(f"{wanted}.toml"),
        data / f"{wanted}.toml",
        data / "profiles" / f"{wanted}.toml",
    ]
    for place in places:
        if place.is_file():
            return read_rig(place)
    looked = ", ".join(map(str, places))
    raise SchartenError(
        f"there is no calibration of cameras {wanted!r}: looked at {looked}", _CURE.format(places[-1])
    )


def read_rig(path: Path) -> RigFile:
    """The cameras of a file and the empty pictures beside it; a `SchartenError` names what is wrong."""
    try:
        rig = parse_rig(read_small(path).decode())
    except (OSError, UnicodeDecodeError) as error:
        raise SchartenError(f"{path} cannot be read: {error}", _CURE.format(path)) from error
    if isinstance(rig, Problem):
        raise SchartenError(f"the calibration {path} is wrong: {rig.words}", _CURE.format(path))
    empties = tuple(read_picture(path.parent / camera.empty) for camera in rig)
    for camera, empty in zip(rig, empties, strict=True):
        if empty.shape[:2] != (camera.model.height, camera.model.width):
            raise SchartenError(
                f"{path.parent / camera.empty} is not the picture that {shown(camera.device)} was calibrated with",
                _CURE.format(path),
            )
    return RigFile(path, rig, empties)


def matched(rig: RigFile, devices: tuple[str, ...]) -> RigFile:
    """The rig's cameras in the order of the configured devices: by their names, else one after another."""
    by_name = {camera.device: index for index, camera in enumerate(rig.cameras)}
    if all(device in by_name for device in devices):
        order = tuple(by_name[device] for device in devices)
    elif len(devices) == len(rig.cameras):
        order = tuple(range(len(devices)))
    else:
        missing = ", ".join(shown(device) for device in devices if device not in by_name)
        raise SchartenError(f"{rig.path} has no camera {missing}", _CURE.format(rig.path))
    return RigFile(rig.path, tuple(rig.cameras[i] for i in order), tuple(rig.empties[i] for i in order))


def _wanted(rig: Path) -> Path:
    """The file beside a calibration that asks whoever has the cameras open for their newest pictures."""
    return rig.with_name(f".{rig.name}.wanted")


def _newest(rig: Path, device: str) -> Path:
    return rig.with_name(f".{rig.name}.{hashlib.sha256(device.encode()).hexdigest()[:12]}.png")


def lend(rig: RigFile, pictures: Mapping[int, Picture]) -> bool:
    """Give the newest pictures, by camera of the rig, to a calibration that asks for them: a device opens only once.

    Gives whether one asked; on a full disk it gets none, and the game goes on.
    """
    if not _wanted(rig.path).exists():
        return False
    with contextlib.suppress(OSError):
        for number, picture in pictures.items():
            write_picture(_newest(rig.path, rig.cameras[number].device), picture)
        _wanted(rig.path).unlink(missing_ok=True)
    return True


def borrow(path: Path, patience_s: float = _PATIENCE_S) -> dict[str, Picture]:
    """The newest pictures, by device, from a referee that plays with this calibration; empty when nobody answers."""
    if not path.is_file():
        return {}
    cameras, asked = read_rig(path).cameras, _wanted(path)
    asked.touch()
    end = time.monotonic() + patience_s
    while asked.exists() and time.monotonic() < end:
        time.sleep(0.01)
    answered = not asked.exists()
    asked.unlink(missing_ok=True)
    lent = {}
    for camera in cameras:
        newest = _newest(path, camera.device)
        if answered and newest.is_file():
            lent[camera.device] = read_picture(newest)
        newest.unlink(missing_ok=True)
    return lent
