"""Saved throws as replay packages, a folder each: written by the cameras' process, read by tools and the page.

A person's later decision on a throw (corrected, answered, deleted) is saved beside it as its truth.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2

from scharten.dartboard.beds import MISS, parse_bed
from scharten.data_folder import read_small
from scharten.errors import SchartenError, detail
from scharten.match.events import Event, HitReport
from scharten.sensors.rig_files import RigFile, find_rig, matched, read_rig
from scharten.sensors.sensor import CAMERA
from scharten.sensors.settings import CameraSection
from scharten.sensors.throw_files import REPLAYS, RESULT, package_name
from scharten.sensors.truths import TruthListener
from scharten.sensors.video import Picture, read_picture, shown
from scharten.vision.calibrate.fit import overlay
from scharten.vision.rig import RigCamera, rig_text

RIG, TRUTH, GAME = "cameras.toml", "truth.json", "game.json"
_QUALITY, _SHOWN_QUALITY = 95, 80
PICTURES_S = 20.0
"""How long to wait for a dart's pictures."""
_AGAIN_S = 0.2


def camera_numbers(result: Mapping[str, Any], count: int) -> tuple[int, ...]:
    """The labels of a package's cameras, in the order of its pictures: a camera may have been lost."""
    numbers = result.get("numbers")
    if isinstance(numbers, list) and len(numbers) == count and all(type(number) is int for number in numbers):
        return tuple(numbers)
    return tuple(range(1, 1 + count))


@dataclass
class KeptThrows:
    """A folder of packages, one per throw, the oldest removed when together they grow too large."""

    folder: Path
    limit_bytes: int

    def keep(self, rig: RigFile, result: dict[str, Any], pictures: dict[str, tuple[Picture, ...]]) -> None:
        """Write one package whole or not at all, then make room; nothing is kept with a limit of 0.

        `pictures`, one of each camera: `before`, `after`, and `view` for people.
        """
        if not self.limit_bytes:
            return
        name = package_name(result["at_ms"])
        for torn in self.folder.glob(".*"):  # what a power cut left behind
            shutil.rmtree(torn, ignore_errors=True)
        draft = self.folder / f".{name}"
        draft.mkdir(parents=True, exist_ok=True)
        for kind, shots in {"empty": rig.empties, **pictures}.items():
            for number, shot in enumerate(shots):
                quality = _SHOWN_QUALITY if kind == "view" else _QUALITY
                _, packed = cv2.imencode(".jpg", shot, (cv2.IMWRITE_JPEG_QUALITY, quality))
                (draft / f"{kind}{number}.jpg").write_bytes(packed.tobytes())
        cameras = tuple(
            RigCamera(shown(camera.device), camera.d20, f"empty{number}.jpg", camera.model)
            for number, camera in enumerate(rig.cameras)
        )
        (draft / RIG).write_text(rig_text(cameras), encoding="utf-8")
        (draft / RESULT).write_text(json.dumps(result) + "\n", encoding="utf-8")
        draft.rename(self.folder / name)
        self._make_room()

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
    current: tuple[Picture, ...]
    result: dict[str, Any]
    truth: str | None


def packages(folder: Path) -> tuple[Path, ...]:
    """The packages in a folder, the oldest first, or the folder itself if it is one."""
    if (folder / RESULT).is_file():
        return (folder,)
    if not folder.exists():
        raise SchartenError.coded("no_replay", path=folder)
    found = sorted(p.parent for p in folder.glob(f"*/{RESULT}"))
    if not found:
        raise SchartenError.coded("no_packages", folder=folder)
    return tuple(found)


def read_package(folder: Path) -> Package:
    """One package; a `SchartenError` names the file that is missing or wrong."""
    rig = read_rig(folder / RIG)
    count = range(len(rig.cameras))
    result, entered = _table(folder / RESULT), _table(folder / TRUTH) if (folder / TRUTH).exists() else None
    truth = None if entered is None else str(entered.get("segment") or MISS)
    if truth is not None and parse_bed(truth) is None:
        raise SchartenError.coded(
            "package_damaged", folder=folder, why=detail("truth_bed", given=truth, file=TRUTH)
        )
    before, current = (
        tuple(read_picture(folder / f"{kind}{n}.jpg") for n in count) for kind in ("before", "after")
    )
    for n, camera in enumerate(rig.cameras):
        if {before[n].shape[:2], current[n].shape[:2]} != {(camera.model.height, camera.model.width)}:
            why = detail("pictures_size", number=n)
            raise SchartenError.coded("package_damaged", folder=folder, why=why)
    return Package(folder.name, rig, before, current, result, truth)


def _table(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_small(path))
    except (OSError, ValueError, RecursionError) as error:
        raise SchartenError.coded(
            "package_damaged", folder=path.parent, why=f"{path.name}: {error}"
        ) from error
    if not isinstance(found, dict):
        raise SchartenError.coded(
            "package_damaged", folder=path.parent, why=detail("not_table", file=path.name)
        )
    return found


class Truths:
    """Saves the game and a person's correction with the pictures of a camera's dart.

    The pictures come a moment after the dart: what has none yet is written when they are there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._waiting: dict[Path, tuple[float, str]] = {}  # by file: until when it is tried, and its text
        self._listener = TruthListener(lambda dart, bed: self._keep(dart, TRUTH, {"segment": bed}))

    def on_event(self, event: Event) -> None:
        """Take an event; those that do not concern a camera's dart are skipped."""
        if isinstance(event, HitReport) and event.why in ("", "in_doubt"):
            self._keep(event, GAME, {"match": event.match})
        self._listener.on_event(event)

    def _keep(self, dart: HitReport, name: str, value: Mapping[str, object]) -> None:
        at_ms = dart.seen_ms if dart.seen_ms is not None or dart.source != CAMERA else dart.at_ms
        if at_ms is None:
            return
        file, text = self._folder / package_name(at_ms) / name, json.dumps(value) + "\n"
        with self._lock:
            self._waiting.pop(file, None)
            if _written_beside(file, text):
                return
            alone = not self._waiting
            self._waiting[file] = time.monotonic() + PICTURES_S, text
        if alone:
            threading.Thread(target=self._try_again, name="kept-throws", daemon=True).start()

    def _try_again(self) -> None:
        """Until each has its pictures, or none come: a throw that is not kept has none."""
        waits = True
        while waits:
            time.sleep(_AGAIN_S)
            with self._lock:
                for file, (until_s, text) in list(self._waiting.items()):
                    if _written_beside(file, text) or time.monotonic() > until_s:
                        del self._waiting[file]
                waits = bool(self._waiting)


def _written_beside(file: Path, text: str) -> bool:
    """Write beside the throw's pictures and return True, if they exist; a full disk is ignored."""
    if not file.parent.is_dir():
        return False
    with contextlib.suppress(OSError):
        draft = file.with_name(f".{file.name}")
        draft.write_text(text, encoding="utf-8")
        draft.replace(file)
    return True


class LastPictures:
    """Call it for JPEGs by name (`camera 1`, `camera 1 overlay`): of the newest throw, or of the calibration.

    They are drawn once per throw; while a package is being removed the previous pictures stay.
    """

    def __init__(self, settings: CameraSection, folder: Path) -> None:
        self._settings, self._folder = settings, folder
        self._lock = threading.Lock()
        self._of: str | None = None
        self._drawn: Mapping[str, bytes] = {}

    def __call__(self) -> Mapping[str, bytes]:
        """The pictures by name."""
        with self._lock:
            newest = self._newest()
            name = newest.name if newest else ""
            if name != self._of:
                try:
                    self._drawn, self._of = _drawn(*self._seen(newest)), name
                except SchartenError:
                    self._of = None
            return self._drawn

    def _newest(self) -> Path | None:
        try:
            return packages(self._folder / REPLAYS)[-1]
        except SchartenError:
            return None

    def _seen(self, newest: Path | None) -> tuple[RigFile, tuple[Picture, ...], tuple[int, ...]]:
        if newest is None:
            rig = matched(find_rig(self._settings.calibration, self._folder), self._settings.devices)
            return rig, rig.empties, camera_numbers({}, len(rig.empties))
        package = read_package(newest)
        return package.rig, package.current, camera_numbers(package.result, len(package.current))


def _drawn(rig: RigFile, pictures: tuple[Picture, ...], numbers: tuple[int, ...]) -> dict[str, bytes]:
    found = {}
    for number, camera, picture in zip(numbers, rig.cameras, pictures, strict=True):
        found[f"camera {number}"] = _jpeg(picture)
        found[f"camera {number} overlay"] = _jpeg(overlay(picture, camera.model))
    return found


def _jpeg(picture: Picture) -> bytes:
    return bytes(cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, _SHOWN_QUALITY))[1])
