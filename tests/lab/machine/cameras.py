"""Cameras of the machine: the kernel's loopback devices show pictures of a rendered board and its darts."""

from __future__ import annotations

import base64
import io
import json
import tarfile
from collections.abc import Iterable
from dataclasses import replace

import cv2
import numpy as np

from lab.machine.evening import DATA
from lab.machine.qemu import Machine
from lab.scenes.darts import some_dart
from lab.scenes.events import SIZE, Pictures, Stage, all_taken, flight
from lab.scenes.pictures import RANGES, make_rig, picture
from lab.scripted_game import Throw
from scharten.errors import Problem, SchartenError
from scharten.vision.calibrate.fit import calibrate
from scharten.vision.rig import RigCamera, rig_text

FPS = 4
"""Pictures a second of each camera, as many as an emulated processor can follow with two."""
DEVICES = ("/dev/video10", "/dev/video11")
FOLDER = "/run/films"
STILL = 4
"""Pictures that repeat once a film has ended."""
FEEDER = f"""
import fcntl, os, pathlib, struct, time
S_FMT = 0xC0D05605
lines = []
for device in {DEVICES!r}:
    line = os.open(device, os.O_RDWR)
    size = struct.pack("<II4sIIII", {SIZE[0]}, {SIZE[1]}, b"MJPG", 1, 0, {SIZE[0] * SIZE[1] * 3}, 8)
    fcntl.ioctl(line, S_FMT, struct.pack("<II", 2, 0) + size.ljust(200, b"\\0"))
    lines.append(line)
folder, film, frame = pathlib.Path("{FOLDER}"), "", 0
while True:
    newest = sorted(path.name for path in folder.glob("film*"))[-1]
    if newest != film:
        film, frame = newest, 0
        shots = sorted((folder / film).iterdir())
    index = frame if frame < len(shots) else len(shots) - 1 - (frame % {STILL})
    for number, line in enumerate(lines):
        os.write(line, (shots[index] / f"{{number}}.jpg").read_bytes())
    frame += 1
    time.sleep({1 / FPS})
"""


class Cameras:
    """Two cameras at the machine, and the stage before them."""

    def __init__(self, machine: Machine, seed: int = 4) -> None:
        self.machine = machine
        self.chance = np.random.default_rng(seed)
        rig = make_rig(self.chance, replace(RANGES, size=SIZE), cameras=len(DEVICES))
        self.stage = Stage(rig, self.chance, [])
        self.empties = tuple(picture(rig, n, (), self.chance) for n in range(len(DEVICES)))
        self._films = 0

    def plug(self) -> None:
        """Load the driver, show the empty board, and let the service use these cameras."""
        numbers = ",".join(device.removeprefix("/dev/video") for device in DEVICES)
        self.machine.sh(f"modprobe v4l2loopback video_nr={numbers} exclusive_caps=1,1")
        self._show(self.stage.hold(STILL))
        self.machine.sh(f"cat > {FOLDER}/feed.py", stdin=FEEDER)
        self.machine.sh(f"systemd-run -q --unit=cameras python3 {FOLDER}/feed.py")
        files = {"cameras.toml": self._rig().encode()}
        files |= {
            f"empty{n}.png": cv2.imencode(".png", empty)[1].tobytes() for n, empty in enumerate(self.empties)
        }
        self._unpack(files, DATA)
        lines = [
            "[game]", 'arming = "auto"', "settle_ms = 0", "[source]", 'kind = "camera"', "[source.camera]",
            f"devices = {json.dumps(DEVICES)}", 'calibration = "cameras"', f"fps = {FPS}",
        ]  # fmt: skip
        self.machine.sh("cat > /etc/scharten/scharten.toml", stdin="\n".join(lines) + "\n")
        self.machine.sh(f"chown -R scharten: {DATA} && systemctl restart scharten", 900)

    def throw(self, aim: Throw) -> None:
        """Show a dart that flies to a place and stays."""
        dart = some_dart(self.chance, aim.x_mm, aim.y_mm)
        *_, last = flight(self.stage, dart)  # at this low rate there is no second one
        self.stage.darts.append(dart)
        self._show([last, *self.stage.hold(STILL)])

    def take_out(self) -> None:
        """Show a hand that takes all darts, for more than a second."""
        self._show([*list(all_taken(self.stage))[::2], *self.stage.hold(STILL)])

    def _show(self, shots: Iterable[Pictures]) -> None:
        self._films += 1
        files = {
            f"{frame:02}/{number}.jpg": cv2.imencode(".jpg", seen)[1].tobytes()
            for frame, shot in enumerate(shots)
            for number, seen in enumerate(shot)
        }
        half = f"{FOLDER}/half"
        self._unpack(files, half)
        self.machine.sh(f"mv {half} {FOLDER}/film{self._films:03}")

    def _unpack(self, files: dict[str, bytes], folder: str) -> None:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for name, data in files.items():
                about = tarfile.TarInfo(name)
                about.size = len(data)
                tar.addfile(about, io.BytesIO(data))
        text = base64.b64encode(packed.getvalue()).decode()
        self.machine.sh(f"mkdir -p {folder} && base64 -d | tar -x -C {folder}", stdin=text)

    def _rig(self) -> str:
        cameras = []
        for number, (eye, empty) in enumerate(zip(self.stage.rig.cameras, self.empties, strict=True)):
            found = calibrate(empty, eye.d20)
            if isinstance(found, Problem):
                raise SchartenError(f"The scene cannot be calibrated: {found.words}", "Take another seed.")
            cameras.append(RigCamera(DEVICES[number], eye.d20, f"empty{number}.png", found.model))
        return rig_text(tuple(cameras))
