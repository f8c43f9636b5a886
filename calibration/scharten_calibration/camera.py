"""`scharten-calibrate camera`: from empty boards and points in the double 20 to a file of cameras."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2

from scharten.dartboard.locate import bed_at
from scharten.errors import Problem, SchartenError
from scharten.sensors.shared_pictures import request_pictures
from scharten.sensors.video import Picture, devices, snapshot, unlocked_words, write_picture
from scharten.vision.calibrate.clicks import Wires, calibrate_clicks, wires_of
from scharten.vision.calibrate.fit import MAX_RESIDUAL_MM, Calibration, calibrate, overlay
from scharten.vision.model import double_20
from scharten.vision.rig import MOST_CAMERAS, RigCamera, parse_rig, rig_text
from scharten_calibration.progress import write_whole
from scharten_calibration.words import refusal_words, words

Point = tuple[float, float]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Job:
    """A calibration to do; `sources`, `points` and `wires` may be empty, and either points or wires are given."""

    sources: tuple[str, ...]
    points: tuple[Point, ...]
    out: Path
    size: tuple[int, int]
    wires: tuple[Wires, ...] = ()


@dataclass(frozen=True)
class Shot:
    """One camera's picture of the empty board, and a point in the double 20 and four wires where they are known."""

    device: str
    picture: Picture
    point: Point | None
    wires: Wires | None = None


class Person(Protocol):
    """The person who points at the double 20 and accepts the result."""

    def accept(self, shots: tuple[Shot, ...]) -> tuple[tuple[Point, Calibration], ...]:
        """For each camera the point and the calibration that the person accepts; `SchartenError` if none."""
        ...


def run_camera(job: Job, person: Person, say: Say) -> None:
    """Calibrate every camera, then write the file and the empty pictures together."""
    known = _known(job)
    shots = tuple(_shoot(job, known, number, say) for number in range(len(job.sources or known)))
    accepted = person.accept(shots)
    cameras = []
    for number, (shot, (point, found)) in enumerate(zip(shots, accepted, strict=True)):
        name = f"{job.out.stem}-empty-{number}.png"
        write_picture(job.out.with_name(name), shot.picture)
        cameras.append(RigCamera(shot.device, point, name, found.model))
    write_whole(job.out, rig_text(tuple(cameras)))
    say(words("camera.written", path=job.out, cameras=len(cameras)))


def _known(job: Job) -> tuple[RigCamera, ...]:
    """The cameras of the file that is there already: their points still hold, if nobody turned the board."""
    if len(job.sources) > MOST_CAMERAS:
        raise SchartenError.coded("too_many_cameras", count=len(job.sources), most=MOST_CAMERAS)
    if job.points and len(job.points) != len(job.sources):
        raise SchartenError.coded("points_per_camera", cameras=len(job.sources), points=len(job.points))
    if job.wires and (job.points or len(job.wires) != len(job.sources)):
        raise SchartenError.coded(
            "wires_per_camera", cameras=len(job.sources), wires=len(job.wires), points=len(job.points)
        )
    if not job.out.exists():
        if not job.sources:
            raise SchartenError.coded("no_camera_named", found=", ".join(devices()) or "-")
        return ()
    rig = parse_rig(job.out.read_text(encoding="utf-8"))
    if isinstance(rig, Problem):
        if job.sources:
            return ()
        raise SchartenError.coded("rig_unusable", path=job.out, why=rig)
    return rig


def _shoot(job: Job, known: tuple[RigCamera, ...], number: int, say: Say) -> Shot:
    device = job.sources[number] if job.sources else known[number].device
    before = next((camera for camera in known if camera.device == device), None)
    size = job.size if before is None else (before.model.width, before.model.height)
    picture, unlocked = _picture(job, device, size, say)
    if unlocked:
        say(f"{device}: {unlocked_words(unlocked)}")
    if job.wires:
        return Shot(device, picture, None, job.wires[number])
    if job.points:
        return Shot(device, picture, job.points[number])
    if before is None or picture.shape[:2] != (before.model.height, before.model.width):
        return Shot(device, picture, None)
    return Shot(device, picture, double_20(before.model), wires_of(before.model))


def _picture(job: Job, device: str, size: tuple[int, int], say: Say) -> tuple[Picture, tuple[str, ...]]:
    """A picture from the camera, or, where it is in use, from the referee that plays with the file to be written."""
    try:
        return snapshot(device, size)
    except SchartenError:
        shared = request_pictures(job.out)
        if device not in shared:
            raise
        say(words("camera.shared", camera=device))
        return shared[device], ()


def try_point(shot: Shot, point: Point) -> Calibration | Problem:
    """The calibration with this point in the double 20, or why there is none."""
    height, width = shot.picture.shape[:2]
    if not (0 <= point[0] < width and 0 <= point[1] < height):
        return Problem(
            "wrong_point", f"the point {point[0]:g},{point[1]:g} lies outside the picture of {width}x{height}"
        )
    found = calibrate(shot.picture, point)
    if isinstance(found, Problem) and shot.wires is not None and point == shot.point:
        # Colours that hid this board from the finder hide it again; its wires are known.
        by_wires = calibrate_clicks(shot.picture, shot.wires)
        return found if isinstance(by_wires, Problem) else by_wires
    return found


def try_shot(shot: Shot) -> tuple[Point | None, Calibration | Problem]:
    """The point in the double 20 and the calibration by what is known of the shot; `SchartenError` without any."""
    if shot.point is not None:
        return shot.point, try_point(shot, shot.point)
    if shot.wires is None:
        raise SchartenError.coded("no_point", camera=shot.device)
    found = calibrate_clicks(shot.picture, shot.wires)
    if isinstance(found, Problem):
        return None, found
    return double_20(found.model), found


def words_of(found: Calibration | Problem) -> str:
    """Describe a calibration to a person."""
    if isinstance(found, Problem):
        return ". ".join(refusal_words(found))
    model = found.model
    return _left_in(found) + (
        words(
            "camera.fit",
            px=f"{model.residual_px:.2f}",
            mm=f"{model.residual_mm:.2f}",
            most=f"{MAX_RESIDUAL_MM:g}",
            worst=f"{found.worst_px:.1f}",
            found=f"{found.found:.0%}",
            k1=f"{model.k1:+.3f}",
        )
    )


def _left_in(found: Calibration) -> str:
    """The words about what looks like a dart, or none."""
    if found.leftover is None:
        return ""
    bed = bed_at(found.leftover.x_mm, found.leftover.y_mm)
    return words("camera.not_empty", bed=bed, cure=words("cure.not_empty")) + " "


class Terminal:
    """A person at a terminal, who looks at overlay pictures as files; `sure` accepts what is not refused."""

    def __init__(self, out: Path, ask: Callable[[str], bool], say: Say, sure: bool) -> None:
        self._out, self._ask, self._say, self._sure = out, ask, say, sure

    def accept(self, shots: tuple[Shot, ...]) -> tuple[tuple[Point, Calibration], ...]:
        """Each shot must have its point; refusals and a no end it, with the picture beside the file."""
        return tuple(self._calibrate(number, shot) for number, shot in enumerate(shots))

    def _calibrate(self, number: int, shot: Shot) -> tuple[Point, Calibration]:
        point, found = try_shot(shot)
        if point is None or isinstance(found, Problem):
            path = self._out.with_name(f"{self._out.stem}-refused-{number}.png")
            write_picture(path, marked(shot))
            raise SchartenError.coded("camera_refused", camera=shot.device, why=words_of(found), path=path)
        path = self._out.with_name(f"{self._out.stem}-overlay-{number}.png")
        write_picture(path, overlay(shot.picture, found.model, found.leftover))
        self._say(f"{shot.device}: {words_of(found)}")
        if self._sure and found.leftover is not None:
            raise SchartenError.coded("board_not_empty", camera=shot.device, path=path)
        self._say(words("camera.look", path=path))
        if not self._sure and not self._ask(words("camera.right")):
            raise SchartenError.coded("fit_declined")
        return point, found


def marked(shot: Shot) -> Picture:
    """The picture with the point, or else the wires, on it."""
    picture = shot.picture.copy()
    for point in (shot.wires or ()) if shot.point is None else (shot.point,):
        at = (round(point[0]), round(point[1]))
        cv2.drawMarker(picture, at, (0, 255, 255), cv2.MARKER_CROSS, 24, 2)
    return picture
