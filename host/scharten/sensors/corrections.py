"""Find the camera whose darts people corrected most often."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scharten.data_folder import read_small
from scharten.match.events import Event, Happened
from scharten.sensors.kept_throws import RIG, TRUTH
from scharten.sensors.throw_files import RESULT

DARTS, SHARE = 100, 0.2
"""A camera needs calibrating when this share of this many recent darts was corrected."""
_DART = "dart"


@dataclass(frozen=True)
class Calibrate:
    """How many recent darts were corrected, and the camera most often wrong (1 is the first; None: no camera)."""

    camera: int | None
    corrected: int
    darts: int

    @property
    def words(self) -> str:
        """The advice in English, with the page that calibrates."""
        counted = f"{self.corrected} of the last {self.darts} darts were corrected"
        if self.camera is None:
            return f"{counted}: calibrate the cameras on /setup"
        return f"{counted}, most of all against one camera: calibrate camera {self.camera} on /setup"

    def as_json(self) -> dict[str, Any]:
        """As `health.calibrate`."""
        return {**asdict(self), "words": self.words}


def camera_to_calibrate(folder: Path) -> Calibrate | None:
    """The camera that needs calibrating, or None.

    Only saved throws with the present calibration count. A camera is wrong when its own line leads to another bed than
    a person named.
    """
    darts = [dart for dart in map(_read_dart, _newest(folder)) if dart is not None]
    corrected = [(result, truth) for result, truth in darts if truth not in {None, result.get("segment")}]
    if len(corrected) < SHARE * DARTS:
        return None
    wrong: Counter[str] = Counter()
    for result, truth in corrected:
        wrong.update(camera for camera, bed in result.get("alone", {}).items() if bed != truth)
    most = wrong.most_common(1)
    return Calibrate(int(most[0][0]) + 1 if most else None, len(corrected), len(darts))


def _newest(folder: Path) -> list[Path]:
    """The recent throws of the present calibration, the newest first."""
    throws = sorted((path.parent for path in folder.glob(f"*/{RESULT}")), reverse=True)
    rig = _text(throws[0] / RIG) if throws else ""
    return [throw for throw in throws[: 2 * DARTS] if _text(throw / RIG) == rig][:DARTS]


def _read_dart(throw: Path) -> tuple[dict[str, Any], str | None] | None:
    """Read a dart's result and the bed that a person gave it; None when it is no dart, or damaged."""
    try:
        result = json.loads(_text(throw / RESULT))
        written = _text(throw / TRUTH)
        truth = (json.loads(written)["segment"] or "MISS") if written else None
    except (ValueError, KeyError, TypeError):
        return None
    return (result, truth) if isinstance(result, dict) and result.get("news") == _DART else None


def _text(path: Path) -> str:
    try:
        return read_small(path).decode()
    except (OSError, UnicodeDecodeError):
        return ""


class CalibrationReminder:
    """Search for a camera to calibrate after each correction, in a thread of its own."""

    def __init__(self, folder: Path, warn: Callable[[Calibrate | None], object]) -> None:
        self._folder, self._warn, self._turn = folder, warn, threading.Lock()
        self._begin()

    def on_event(self, event: Event) -> None:
        """Handle an event of the match; the truth of a throw is already written."""
        if isinstance(event, Happened) and event.code in ("corrected", "deleted", "placed", "lost"):
            self._begin()

    def _begin(self) -> None:
        threading.Thread(target=self._look, name="corrections", daemon=True).start()

    def _look(self) -> None:
        with self._turn:
            self._warn(camera_to_calibrate(self._folder))
