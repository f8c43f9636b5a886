"""Which camera was put right most often: of the last darts that the cameras told, by what people said of them."""

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
from scharten.sensors.kept_throws import RESULT, RIG, TRUTH

DARTS, SHARE = 100, 0.2
"""Of so many darts, the last, this share corrected says that a camera needs calibrating."""
_DART = "dart"


@dataclass(frozen=True)
class Calibrate:
    """So many of the last darts were corrected, most of all against this camera (1 is the first; None: no camera)."""

    camera: int | None
    corrected: int
    darts: int

    @property
    def words(self) -> str:
        """In English, with the page that does it."""
        said = f"{self.corrected} of the last {self.darts} darts were corrected"
        if self.camera is None:
            return f"{said}: calibrate the cameras on /setup"
        return f"{said}, most of all against one camera: calibrate camera {self.camera} on /setup"

    def as_json(self) -> dict[str, Any]:
        """As `health.calibrate`."""
        return {**asdict(self), "words": self.words}


def camera_to_calibrate(folder: Path) -> Calibrate | None:
    """Which camera needs calibrating, or None while none does.

    Counted are the kept throws with the present calibration. A camera is to blame for a dart when its own line alone
    leads to another bed than the one that a person named.
    """
    darts = [dart for dart in map(_told, _newest(folder)) if dart is not None]
    corrected = [(told, truth) for told, truth in darts if truth not in {None, told.get("segment")}]
    if len(corrected) < SHARE * DARTS:
        return None
    wrong: Counter[str] = Counter()
    for told, truth in corrected:
        wrong.update(camera for camera, bed in told.get("alone", {}).items() if bed != truth)
    most = wrong.most_common(1)
    return Calibrate(int(most[0][0]) + 1 if most else None, len(corrected), len(darts))


def _newest(folder: Path) -> list[Path]:
    """The throws of the present calibration, the newest first, as many as count."""
    throws = sorted((path.parent for path in folder.glob(f"*/{RESULT}")), reverse=True)
    rig = _text(throws[0] / RIG) if throws else ""
    return [throw for throw in throws[: 2 * DARTS] if _text(throw / RIG) == rig][:DARTS]


def _told(throw: Path) -> tuple[dict[str, Any], str | None] | None:
    """What was told of a dart, and the bed that a person gave it; None of what is no dart, or damaged."""
    try:
        told = json.loads(_text(throw / RESULT))
        said = _text(throw / TRUTH)
        truth = (json.loads(said)["segment"] or "MISS") if said else None
    except (ValueError, KeyError, TypeError):
        return None
    return (told, truth) if isinstance(told, dict) and told.get("news") == _DART else None


def _text(path: Path) -> str:
    try:
        return read_small(path).decode()
    except (OSError, UnicodeDecodeError):
        return ""


class CalibrationReminder:
    """Hears the match's events; after each correction it looks, beside the referee, whether a camera needs a cure."""

    def __init__(self, folder: Path, warn: Callable[[Calibrate | None], object]) -> None:
        self._folder, self._warn, self._turn = folder, warn, threading.Lock()
        self._begin()

    def hear(self, event: Event) -> None:
        """One event; the truth of a throw is written before this hears of it."""
        if isinstance(event, Happened) and event.code in ("corrected", "deleted", "placed", "lost"):
            self._begin()

    def _begin(self) -> None:
        threading.Thread(target=self._look, name="corrections", daemon=True).start()

    def _look(self) -> None:
        with self._turn:
            self._warn(camera_to_calibrate(self._folder))
