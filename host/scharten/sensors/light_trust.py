"""For how long cameras may be asked to look away: who says `light` for ever does not blind them for good.

And how long after the message the light is another one: measured by `scharten-calibrate projector`, kept beside the
calibration of the cameras.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from scharten.errors import Problem

MOST_MS, SHARE = 4_000, 0.2
"""Looked away at a stretch, and of the time in the long run: at most ten seconds of any half minute."""
OWN_MS, OWN_SHARE = 3_000, 0.1
"""The same for one who asks: what a lamp takes that never ends is not taken from the projector."""
UNMEASURED_MS = 250
"""From the message to other light in the pictures, where nobody has measured it; and a frame."""
LONGEST_DELAY_MS = 1000
_TOLD_MS = 30_000  # so long it is said who was not believed
_NAMES = 8  # the newest that are kept apart


@dataclass(frozen=True)
class Purse:
    """Time that is left to look away, which grows again; times in ms."""

    left_ms: float
    at_ms: int = 0

    def grown(self, t_ms: int, most_ms: int, share: float) -> Purse:
        """What it is now."""
        return Purse(min(most_ms, self.left_ms + share * max(0, t_ms - self.at_ms)), t_ms)

    def less(self, spent_ms: int) -> Purse:
        """After so much was granted."""
        return replace(self, left_ms=self.left_ms - spent_ms)


@dataclass(frozen=True)
class LightTrust:
    """How long cameras look away, who asked for it last, and what is left for all and for each who asks."""

    common: Purse = Purse(MOST_MS)
    own: tuple[tuple[str, Purse], ...] = ()  # by name, the newest last
    until_ms: int = 0
    by: str = ""
    refused: tuple[tuple[str, int], ...] = ()  # who was not believed, and when last

    def asked(self, by: str, t_ms: int, for_ms: int) -> LightTrust:
        """Asked to look away for so long from now: `until_ms` says what is granted."""
        common = self.common.grown(t_ms, MOST_MS, SHARE)
        own = dict(self.own).get(by, Purse(OWN_MS, t_ms)).grown(t_ms, OWN_MS, OWN_SHARE)
        start = max(t_ms, self.until_ms)
        more = max(0, t_ms + for_ms - start)
        granted = int(min(more, common.left_ms, own.left_ms))
        others = tuple(each for each in self.own if each[0] != by)
        refused = self.refused
        if granted < more:
            refused = (*(each for each in refused if each[0] != by), (by, t_ms))[-_NAMES:]
        names = (*others, (by, own.less(granted)))[-_NAMES:]
        return LightTrust(common.less(granted), names, start + granted, by, refused)

    def problem(self, t_ms: int) -> Problem | None:
        """Who is not believed any more."""
        names = [by for by, refused_ms in self.refused if t_ms - refused_ms <= _TOLD_MS]
        if not names:
            return None
        who = ", ".join(names)
        words = f"{who} said again and again, or without end, that the light changes: it is not waited for any more."
        return Problem("light_refused", words, {"by": who})


def delay_file(rig: Path) -> Path:
    """Where the delay of the light is kept: beside the calibration of the cameras."""
    return rig.with_name(f"{rig.stem}-light.toml")


def measured_delay_ms(rig: Path) -> int | None:
    """The measured delay, or None where there is none that can be read."""
    try:
        delay = tomllib.loads(delay_file(rig).read_text(encoding="utf-8")).get("delay_ms")
    except (OSError, ValueError):
        return None
    if isinstance(delay, bool) or not isinstance(delay, int) or not 0 <= delay <= LONGEST_DELAY_MS:
        return None
    return delay


def light_delay_ms(rig: Path) -> int:
    """The measured delay, or what is assumed without."""
    delay = measured_delay_ms(rig)
    return UNMEASURED_MS if delay is None else delay
