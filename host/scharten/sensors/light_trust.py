"""For how long cameras may be asked to look away: who says `light` for ever does not blind them for good.

And how long after the message the light is another one: measured by `scharten-calibrate projector`, kept beside the
calibration of the cameras.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from scharten.errors import Problem

MOST_MS = 4_000
"""Looked away at a stretch, and"""
SHARE = 0.2
"""of the time in the long run: at most ten seconds of any half minute."""
UNMEASURED_MS = 250
"""From the message to other light in the pictures, where nobody has measured it; and a frame."""
LONGEST_DELAY_MS = 1000
_TOLD_MS = 30_000  # so long it is said who was not believed


@dataclass(frozen=True)
class LightTrust:
    """What is left of the time that may be looked away, and who asked for more; times in ms."""

    left_ms: float = MOST_MS
    at_ms: int = 0
    until_ms: int = 0
    refused_by: str = ""
    refused_ms: int = 0

    def asked(self, by: str, t_ms: int, for_ms: int) -> LightTrust:
        """Asked to look away for so long from now: `until_ms` says what is granted."""
        left = min(MOST_MS, self.left_ms + SHARE * max(0, t_ms - self.at_ms))
        start = max(t_ms, self.until_ms)
        more = max(0, t_ms + for_ms - start)
        granted = int(min(more, left))
        after = replace(self, left_ms=left - granted, at_ms=t_ms, until_ms=start + granted)
        return after if granted == more else replace(after, refused_by=by, refused_ms=t_ms)

    def problem(self, t_ms: int) -> Problem | None:
        """Who is not believed any more."""
        if not self.refused_by or t_ms - self.refused_ms > _TOLD_MS:
            return None
        words = (
            f"{self.refused_by!r} says again and again that the light changes: it is not waited for any more."
        )
        return Problem("light_refused", words, {"by": self.refused_by})


def delay_file(rig: Path) -> Path:
    """Where the delay of the light is kept: beside the calibration of the cameras."""
    return rig.with_name(f"{rig.stem}-light.toml")


def light_delay_ms(rig: Path) -> int:
    """The measured delay, or what is assumed where there is none that can be read."""
    try:
        delay = tomllib.loads(delay_file(rig).read_text(encoding="utf-8")).get("delay_ms")
    except (OSError, ValueError):
        return UNMEASURED_MS
    if isinstance(delay, bool) or not isinstance(delay, int) or not 0 <= delay <= LONGEST_DELAY_MS:
        return UNMEASURED_MS
    return delay
