"""The source `camera`: steel-tip darts seen by one to three cameras, in a process of their own.

Devices are `/dev/v4l/by-id/...` names (or a number), URLs, or video files, which play at their own rate and end with
their last picture standing. A camera that is lost is waited for; darts are then seen with those that are left.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from scharten.dartboard.beds import MISS, parse_bed
from scharten.errors import Problem
from scharten.match.dart import Dart
from scharten.match.inputs import Cleared, Input, Reading, SensorChanged, SensorNews, SensorState
from scharten.sensors.camera_remarks import as_json
from scharten.sensors.rig_files import find_rig, matched
from scharten.sensors.sensor import CAMERA, KeepsNothing, SensorSetup
from scharten.sensors.settings import CameraSection
from scharten.sensors.shared_pictures import PATIENCE_S, PictureDoor
from scharten.sensors.video import shown
from scharten.system.worker import Worker
from scharten.words import ENGLISH

_AGAIN_S = 2.0
HANGS_S = 30.0
"""A process that reported before hangs when it has been silent for longer: it reports every second."""
_APART_MS = 2000


def dart_seen(happening: Mapping[str, Any], now: int) -> Reading:
    """Read a dart from a happening of the process."""
    beds = tuple((parse_bed(text) or MISS, probability) for text, probability in happening["beds"])
    at_ms = min(happening["at_ms"], now)
    seen_ms = happening.get(
        "seen_ms", happening["at_ms"]
    )  # its pictures are named by the process's own clock
    dart = Dart(
        beds,
        happening["x_mm"],
        happening["y_mm"],
        happening["news"] == "bounced",
        seen_ms=None if seen_ms == at_ms else seen_ms,
    )
    return Reading(now, at_ms, CAMERA, dart)


def _dated(happening: Mapping[str, Any], now: int) -> Mapping[str, Any]:
    """Convert a happening's times to the host's clock: the process's clock ignores a date that was set."""
    sent_ms = happening.get("said_ms", now)
    if abs(now - sent_ms) <= _APART_MS or "at_ms" not in happening:
        return happening
    return {**happening, "at_ms": now - max(0, sent_ms - happening["at_ms"]), "seen_ms": happening["at_ms"]}


def as_input(happening: Mapping[str, Any], now: int) -> Input | None:
    """Convert a happening to an input, or None: it only changes the cameras' state."""
    match happening["news"]:
        case "dart" | "surround" | "bounced" | "unclear":
            return dart_seen(happening, now)
        case "empty":
            return Reading(now, min(happening["at_ms"], now), CAMERA, Cleared())
        case _:
            return None


def source_state(report: Mapping[str, Any]) -> tuple[SensorState, str]:
    """The state of all cameras together, and what is wrong with them."""
    lost = [camera for camera in report["cameras"] if camera["state"] != "found"]
    words = "; ".join(f"{camera['name']}: {camera['detail']}" for camera in lost)
    if len(lost) == len(report["cameras"]):
        return SensorState.LOST, words
    if report["askew"]:
        cure = "Nothing counts until it is put right: move it back, or run `scharten-calibrate camera`."
        return SensorState.SILENT, f"{report['askew']['words']}. {cure}"
    if report["trouble"]:
        return SensorState.SILENT, f"{report['trouble']['words']}. Darts count again when it is over."
    return SensorState.FOUND, " ".join(remark["words"] for remark in report["remarks"])


class CameraSensor(KeepsNothing):
    """Starts the cameras' process, reads its messages, and restarts it when it ends.

    A wrong calibration raises `SchartenError` in the constructor. `tracked` gets the state of the throw
    (`vision.follow.throw_states`) regularly, the time of the newest pictures, and since when they had no gap.
    """

    def __init__(
        self,
        setup: SensorSetup,
        settings: CameraSection,
        tracked: Callable[[str, int, int], object] = lambda state, looked_ms, looking_ms: None,
    ) -> None:
        self._settings, self._tracked, self._folder = settings, tracked, setup.folder
        self._emit, self._report, self._now_ms = setup.emit, setup.report, setup.now_ms
        rig = matched(find_rig(settings.calibration, setup.folder), settings.devices)
        self._door = PictureDoor(rig.path, self.pictures)
        self._requesting, self._request_number = threading.Lock(), 0
        self._answers: queue.SimpleQueue[dict[str, str]] = queue.SimpleQueue()
        self._process: subprocess.Popen[str] | None = None
        self._writing = threading.Lock()
        setup.on_light(self._light)
        self._stopping = threading.Event()
        self._last: tuple[SensorState, str] | None = None
        self._cameras: list[dict[str, Any]] = []
        self._reported_s: float | None = None
        self.workers = (Worker("cameras", self._run),)

    def start(self) -> None:
        """Begin to watch."""
        self.workers[0].start()
        self._door.open()

    def stop(self, *, for_good: bool) -> None:
        """End the process and the thread."""
        self._stopping.set()
        self._door.close()
        if self._process is not None:
            self._end(self._process)
        self.workers[0].join(5)

    def look_after(self) -> None:
        """End a process that hangs; the thread then starts another."""
        reported_s, process = self._reported_s, self._process
        if reported_s is None or process is None or not self.workers[0].blocked:
            return  # it starts, or its message is being handled
        if time.monotonic() - reported_s > HANGS_S:
            process.kill()

    def _run(self) -> None:
        worker = self.workers[0]
        while not self._stopping.is_set():
            worker.blocked = True
            self._process = process = self._begin()
            assert process.stdout is not None
            for line in process.stdout:
                worker.rounds, worker.blocked = worker.rounds + 1, False
                self._on_message(json.loads(line))
                self._reported_s, worker.blocked = time.monotonic(), True
            self._reported_s = None
            self._end(process)
            if not self._stopping.is_set():
                self._out_of_order(Problem("restarted", "the cameras' process ended; it is started again"))
            self._stopping.wait(_AGAIN_S)

    def _begin(self) -> subprocess.Popen[str]:
        quiet = {"OPENCV_LOG_LEVEL": "OFF", "OPENCV_FFMPEG_LOGLEVEL": "-8", "OPENCV_VIDEOIO_DEBUG": "0"}
        process = subprocess.Popen(
            [sys.executable, "-m", "scharten.sensors.camera_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # libraries print addresses there, with the accounts in them
            text=True,
            env={**os.environ, **quiet},
            start_new_session=True,  # Ctrl-C is for the daemon, which then ends this
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps({"data": str(self._folder), **self._settings.model_dump()}) + "\n")
        process.stdin.flush()
        return process

    def _light(self, by: str, for_ms: int, by_page: bool) -> None:
        """The light on the board changes: the process looks away."""
        self._send({"light": by, "for_ms": for_ms, "by_page": by_page})

    def pictures(self, patience_s: float = PATIENCE_S) -> dict[str, str]:
        """Request the newest pictures from the process: PNG in base64, by device; empty without an answer."""
        with self._requesting:
            self._request_number += 1
            self._answers = queue.SimpleQueue()
            self._send({"pictures": self._request_number})
            try:
                return self._answers.get(timeout=patience_s)
            except queue.Empty:
                return {}

    def _send(self, message: Mapping[str, object]) -> None:
        process = self._process
        if process is None or process.stdin is None:
            return
        with self._writing, contextlib.suppress(OSError, ValueError):  # it has just ended
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()

    def _end(self, process: subprocess.Popen[str]) -> None:
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _on_message(self, message: Mapping[str, Any]) -> None:
        if message["kind"] == "tracking":
            self._on_looked(message["state"], message)
            self._report("cameras", [{**camera, "tracking": message["state"]} for camera in self._cameras])
        elif message["kind"] == "cameras":
            self._on_looked(message["tracking"], message)
            self._cameras = message["cameras"]
            self._report("cameras", [{**camera, "tracking": message["tracking"]} for camera in self._cameras])
            why = message["askew"] or message["trouble"]
            self._report("remarks", [why] if why else message["remarks"])
            self._changed(*source_state(message))
        elif message["kind"] == "pictures":
            if message["number"] == self._request_number:
                self._answers.put(message["pictures"])
        elif message["kind"] == "failed":
            words = {language: self._redacted(text) for language, text in message["words"].items()}
            self._out_of_order(Problem("failed", words[ENGLISH], {"words": words}))
        elif (given := as_input(_dated(message, self._now_ms()), self._now_ms())) is not None:
            self._emit(given)

    def _out_of_order(self, why: Problem) -> None:
        self._report("remarks", [as_json(why)])
        self._changed(SensorState.LOST, why.words)

    def _on_looked(self, state: str, message: Mapping[str, Any]) -> None:
        """Report tracking; the age of pictures is equal by both clocks."""
        now, sent_ms = self._now_ms(), message["said_ms"]
        self._tracked(state, *(now - max(0, sent_ms - message[key]) for key in ("looked_ms", "looking_ms")))

    def _redacted(self, words: str) -> str:
        for device in self._settings.devices:
            words = words.replace(device, shown(device))
        return words

    def _changed(self, state: SensorState, detail: str) -> None:
        if self._last != (state, detail):
            self._last = (state, detail)
            self._emit(SensorNews(self._now_ms(), CAMERA, SensorChanged(state, detail)))
