"""The file of calibrated cameras, and the pictures of the empty board beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scharten.data_folder import read_small
from scharten.errors import Problem, SchartenError
from scharten.sensors.video import Picture, read_picture, shown
from scharten.vision.detect.camera import CalibratedCamera, calibrated_camera
from scharten.vision.rig import RigCamera, parse_rig


@dataclass(frozen=True)
class RigFile:
    """The calibrated cameras of a file, with their pictures of the empty board."""

    path: Path
    cameras: tuple[RigCamera, ...]
    empties: tuple[Picture, ...]

    def calibrated(self) -> tuple[CalibratedCamera, ...]:
        """The detector's calibrated cameras."""
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
    raise SchartenError.coded("no_rig", name=wanted, places=places, path=places[-1])


def read_rig(path: Path) -> RigFile:
    """The cameras of a file and the empty pictures beside it; a `SchartenError` names what is wrong."""
    try:
        rig = parse_rig(read_small(path).decode())
    except (OSError, UnicodeDecodeError) as error:
        raise SchartenError.coded("rig_unreadable", path=path, why=error) from error
    if isinstance(rig, Problem):
        raise SchartenError.coded("rig_wrong", path=path, why=rig)
    empties = tuple(read_picture(path.parent / camera.empty) for camera in rig)
    for camera, empty in zip(rig, empties, strict=True):
        if empty.shape[:2] != (camera.model.height, camera.model.width):
            raise SchartenError.coded(
                "rig_picture", picture=path.parent / camera.empty, camera=shown(camera.device), path=path
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
        raise SchartenError.coded("rig_camera", path=rig.path, camera=missing)
    return RigFile(rig.path, tuple(rig.cameras[i] for i in order), tuple(rig.empties[i] for i in order))
