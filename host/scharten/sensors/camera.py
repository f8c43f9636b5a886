"""The source `camera`: steel-tip darts seen by one to three cameras, in a process of their own.

Devices are `/dev/v4l/by-id/...` names (or a number), URLs, or video files, which play at their own rate and end with
their last picture standing. A camera that is lost is waited for; darts are then seen with those that are left.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scharten.dartboard.beds import MISS, parse_bed
from scharten.errors import Problem
from scharten.match.inputs import Cleared, Dart, Input, Reading, SensorChanged, SensorNews, SensorState
from scharten.sensors.camera_remarks import as_json
from scharten.sensors.rig_files import find_rig, matched
from scharten.sensors.sensor import CAMERA, KeepsNothing, SensorSetup
from scharten.sensors.video import shown

_AGAIN_S = 2.0
_APART_MS = 2000


def dart_seen(told: Mapping[str, Any], now: int) -> Reading:
    """What the process told of a dart, as an input."""
    beds = tuple((parse_bed(text) or MISS, probability) for text, probability in told["beds"])
    at_ms = min(told["at_ms"], now)
    seen_ms = told.get("seen_ms", told["at_ms"])  # its pictures are named by the process's own clock
    dart = Dart(
        beds,
        told["x_mm"],
        told["y_mm"],
        told["news"] == "bounced",
        seen_ms=None if seen_ms == at_ms else seen_ms,
    )
    return Reading(now, at_ms, CAMERA, dart)


def _dated(told: Mapping[str, Any], now: int) -> Mapping[str, Any]:
    """A happening by the host's clock: the process has its own, which may have begun before the date was set."""
    said = told.get("said_ms", now)
    if abs(now - said) <= _APART_MS or "at_ms" not in told:
        return told
    return {**told, "at_ms": now - max(0, said - told["at_ms"]), "seen_ms": told["at_ms"]}


def as_input(told: Mapping[str, Any], now: int) -> Input | None:
    """The input that a happening is, or None for what only the cameras' state tells."""
    match told["news"]:
        case "dart" | "surround" | "bounced" | "unclear":
            return dart_seen(told, now)
        case "empty":
            return Reading(now, min(told["at_ms"], now), CAMERA, Cleared())
        case _:
            return None


def source_state(told: Mapping[str, Any]) -> tuple[SensorState, str]:
    """How the cameras are as a whole, and in words what is wrong with them."""
    lost = [camera for camera in told["cameras"] if camera["state"] != "found"]
    words = "; ".join(f"{camera['name']}: {camera['detail']}" for camera in lost)
    if len(lost) == len(told["cameras"]):
        return SensorState.LOST, words
    if told["askew"]:
        cure = "Nothing counts until it is put right: move it back, or run `scharten-calibrate camera`."
        return SensorState.SILENT, f"{told['askew']['words']}. {cure}"
    if told["trouble"]:
        return SensorState.SILENT, f"{told['trouble']['words']}. Darts are told when it is over."
    return SensorState.FOUND, " ".join(remark["words"] for remark in told["remarks"])


class CameraSensor(KeepsNothing):
    """Starts the cameras' process, hears it, and starts it again should it end.

    Errors in the calibration are a `SchartenError` when the sensor is made, before anything runs. `tracked` hears the
    state of the throw (`vision.throw_states`) when it changes and now and then, with the time of the newest pictures
    and since when there was no break in them.
    """

    def __init__(
        self,
        setup: SensorSetup,
        tracked: Callable[[str, int, int], object] = lambda state, looked_ms, looking_ms: None,
    ) -> None:
        self._settings, self._tracked = setup.cameras, tracked
        self._emit, self._report, self._now_ms = setup.emit, setup.report, setup.now_ms
        matched(find_rig(self._settings.calibration, Path(self._settings.data)), self._settings.devices)
        self._process: subprocess.Popen[str] | None = None
        self._writing = threading.Lock()
        setup.on_light(self._light)
        self._stopping = threading.Event()
        self._last: tuple[SensorState, str] | None = None
        self._told: list[dict[str, Any]] = []
        self._thread = threading.Thread(target=self._run, name="cameras", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self, *, for_good: bool) -> None:
        """End the process and the thread."""
        self._stopping.set()
        if self._process is not None:
            self._end(self._process)
        self._thread.join(5)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._process = process = self._begin()
            assert process.stdout is not None
            for line in process.stdout:
                self._heard(json.loads(line))
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
        process.stdin.write(json.dumps(asdict(self._settings)) + "\n")
        process.stdin.flush()
        return process

    def _light(self, by: str, for_ms: int) -> None:
        """The light on the board changes: the process looks away."""
        process = self._process
        if process is None or process.stdin is None:
            return
        with self._writing, contextlib.suppress(OSError, ValueError):  # it has just ended
            process.stdin.write(json.dumps({"light": by, "for_ms": for_ms}) + "\n")
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

    def _heard(self, told: Mapping[str, Any]) -> None:
        if told["kind"] == "tracking":
            self._looked(told["state"], told)
            self._report("cameras", [{**camera, "tracking": told["state"]} for camera in self._told])
        elif told["kind"] == "cameras":
            self._looked(told["tracking"], told)
            self._told = told["cameras"]
            self._report("cameras", [{**camera, "tracking": told["tracking"]} for camera in self._told])
            why = told["askew"] or told["trouble"]
            self._report("remarks", [why] if why else told["remarks"])
            self._changed(*source_state(told))
        elif told["kind"] == "failed":
            self._out_of_order(Problem("failed", self._redacted(told["words"])))
        elif (given := as_input(_dated(told, self._now_ms()), self._now_ms())) is not None:
            self._emit(given)

    def _out_of_order(self, why: Problem) -> None:
        self._report("remarks", [as_json(why)])
        self._changed(SensorState.LOST, why.words)

    def _looked(self, state: str, told: Mapping[str, Any]) -> None:
        """The age of pictures is the same by either clock."""
        now, said = self._now_ms(), told["said_ms"]
        self._tracked(state, *(now - max(0, said - told[key]) for key in ("looked_ms", "looking_ms")))

    def _redacted(self, words: str) -> str:
        for device in self._settings.devices:
            words = words.replace(device, shown(device))
        return words

    def _changed(self, state: SensorState, detail: str) -> None:
        if self._last != (state, detail):
            self._last = (state, detail)
            self._emit(SensorNews(self._now_ms(), CAMERA, SensorChanged(state, detail)))
