"""What the camera source keeps in files: the calibration it looks for, and a replay package of every throw."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import cv2
import numpy as np

from scharten.errors import SchartenError
from scharten.sensors.video import Picture, read_picture, write_picture
from scharten.vision.eye import Eye, open_eye
from scharten.vision.model import ModelError
from scharten.vision.rig import RigCamera, parse_rig, rig_text

RIG, RESULT, TRUTH = "cameras.toml", "result.json", "truth.json"
_QUALITY = 95
_PATIENCE_S = 4.0  # the referee looks once a second whether a calibration asks for pictures
_CURE = "Take the darts out and run `scharten-calibrate camera --out {}`."


@dataclass(frozen=True)
class RigFile:
    """The calibrated cameras of a file, with their pictures of the empty board."""

    path: Path
    cameras: tuple[RigCamera, ...]
    empties: tuple[Picture, ...]

    def eyes(self) -> tuple[Eye, ...]:
        """What the detector sees with."""
        return tuple(open_eye(c.model, empty) for c, empty in zip(self.cameras, self.empties, strict=True))


def shown(source: str) -> str:
    """A camera's name for people: of a URL neither account nor query, in which secrets stand."""
    if "://" not in source:
        return source
    parts = urlsplit(source)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


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
        rig = parse_rig(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SchartenError(f"{path} cannot be read: {error}", _CURE.format(path)) from error
    if isinstance(rig, ModelError):
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


def lend(rig: RigFile, pictures: Mapping[int, Picture]) -> None:
    """Give the newest pictures, by camera of the rig, to a calibration that asks for them: a device opens only once."""
    if _wanted(rig.path).exists():
        for number, picture in pictures.items():
            write_picture(_newest(rig.path, rig.cameras[number].device), picture)
        _wanted(rig.path).unlink(missing_ok=True)


def borrow(path: Path, patience_s: float = _PATIENCE_S) -> dict[str, Picture]:
    """The newest pictures, by device, from a referee that plays with this calibration; empty when nobody answers."""
    if not path.is_file():
        return {}
    cameras, asked = read_rig(path).cameras, _wanted(path)
    asked.touch()
    end = time.monotonic() + patience_s
    while asked.exists() and time.monotonic() < end:
        time.sleep(0.05)
    answered = not asked.exists()
    asked.unlink(missing_ok=True)
    lent = {}
    for camera in cameras:
        newest = _newest(path, camera.device)
        if answered and newest.is_file():
            lent[camera.device] = read_picture(newest)
        newest.unlink(missing_ok=True)
    return lent


@dataclass
class Replays:
    """A folder of packages, one per throw, the oldest removed when together they grow too large."""

    folder: Path
    limit_bytes: int
    last: Path | None = None

    def keep(self, rig: RigFile, result: dict[str, Any], pictures: dict[str, tuple[Picture, ...]]) -> None:
        """Write one package whole or not at all, then make room; nothing is kept with a limit of 0."""
        if not self.limit_bytes:
            return
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(result["at_ms"] / 1000))
        name = f"{stamp}-{result['at_ms'] % 1000:03d}"
        for torn in self.folder.glob(".*"):  # what a power cut left behind
            shutil.rmtree(torn, ignore_errors=True)
        draft = self.folder / f".{name}"
        draft.mkdir(parents=True, exist_ok=True)
        for kind, shots in {"empty": rig.empties, **pictures}.items():
            for number, shot in enumerate(shots):
                _, packed = cv2.imencode(".jpg", shot, (cv2.IMWRITE_JPEG_QUALITY, _QUALITY))
                (draft / f"{kind}{number}.jpg").write_bytes(packed.tobytes())
        cameras = tuple(
            RigCamera(shown(camera.device), camera.d20, f"empty{number}.jpg", camera.model)
            for number, camera in enumerate(rig.cameras)
        )
        (draft / RIG).write_text(rig_text(cameras), encoding="utf-8")
        (draft / RESULT).write_text(json.dumps(result) + "\n", encoding="utf-8")
        self.last = draft.rename(self.folder / name)
        self._make_room()

    def correct(self, segment: str | None) -> None:
        """A person said what the last throw was: that is its truth from now on (None: there was no dart)."""
        if self.last is not None and self.last.is_dir():
            draft = self.last / f".{TRUTH}"
            draft.write_text(json.dumps({"segment": segment}) + "\n", encoding="utf-8")
            draft.replace(self.last / TRUTH)

    def _make_room(self) -> None:
        packages = sorted(p for p in self.folder.iterdir() if p.is_dir() and (p / RESULT).exists())
        sizes = {p: sum(f.stat().st_size for f in p.iterdir()) for p in packages}
        total = sum(sizes.values())
        for package in packages[:-1]:
            if total <= self.limit_bytes:
                return
            shutil.rmtree(package, ignore_errors=True)
            total -= sizes[package]


@dataclass(frozen=True)
class Package:
    """A replay package as read: its name, cameras, pictures, result, and its truth where a person gave it."""

    name: str
    rig: RigFile
    before: tuple[Picture, ...]
    after: tuple[Picture, ...]
    result: dict[str, Any]
    truth: str | None


def packages(folder: Path) -> tuple[Path, ...]:
    """The packages in a folder, the oldest first, or the folder itself if it is one."""
    if (folder / RESULT).is_file():
        return (folder,)
    found = sorted(p.parent for p in folder.glob(f"*/{RESULT}")) if folder.is_dir() else []
    if not found:
        raise SchartenError(f"{folder} holds no replay packages", "They are in the data folder's replays/.")
    return tuple(found)


def read_package(folder: Path) -> Package:
    """One package; a `SchartenError` names the file that is missing or wrong."""
    rig = read_rig(folder / RIG)
    count = range(len(rig.cameras))
    try:
        result = json.loads((folder / RESULT).read_text(encoding="utf-8"))
        said = folder / TRUTH
        truth = json.loads(said.read_text(encoding="utf-8"))["segment"] if said.exists() else None
        given = said.exists()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SchartenError(f"the replay package {folder} is damaged: {error}") from error
    return Package(
        folder.name,
        rig,
        tuple(np.asarray(read_picture(folder / f"before{n}.jpg")) for n in count),
        tuple(np.asarray(read_picture(folder / f"after{n}.jpg")) for n in count),
        result,
        (truth or "MISS") if given else None,
    )
