"""Limit how long clients can make the cameras look away with `light` messages.

Also the delay from a message to the changed light: measured by `scharten-calibrate projector`, saved beside the
calibration of the cameras.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from scharten.errors import Problem

MOST_MS, SHARE = 4_000, 0.2
"""Longest time at a stretch, and share of the time in the long run: at most 10 s of any half minute."""
OWN_MS, OWN_SHARE = 3_000, 0.1
"""The same for each name."""
OTHERS_MS, OTHERS_SHARE = 3_000, 0.1
"""The same for all clients but pages together, whatever their names: the projector's page keeps the rest."""
UNMEASURED_MS = 250
"""Assumed delay from the message to changed light in the pictures, and a frame, when it was not measured."""
LONGEST_DELAY_MS = 1000
_REFUSED_MS = 30_000  # how long a refused client is reported
_NAMES = 8  # the newest that are kept apart


@dataclass(frozen=True)
class Purse:
    """Remaining time to look away, which grows again; times in ms."""

    left_ms: float
    at_ms: int = 0

    def grown(self, t_ms: int, most_ms: int, share: float) -> Purse:
        """The purse at this time."""
        return Purse(min(most_ms, self.left_ms + share * max(0, t_ms - self.at_ms)), t_ms)

    def less(self, spent_ms: int) -> Purse:
        """The purse after granting this much."""
        return replace(self, left_ms=self.left_ms - spent_ms)


@dataclass(frozen=True)
class LightTrust:
    """How long cameras look away, which client asked last, and the time left for all, for others than pages, and for
    each name.

    Only the page's server can write on the topic of pages. Other clients can choose any name, but not that topic.
    """

    common: Purse = Purse(MOST_MS)
    others: Purse = Purse(OTHERS_MS)
    own: tuple[tuple[tuple[str, bool], Purse], ...] = ()  # by name and whether it is a page, the newest last
    until_ms: int = 0
    by: str = ""
    refused: tuple[tuple[str, int], ...] = ()  # refused clients, and when last

    def with_request(self, by: str, t_ms: int, for_ms: int, *, by_page: bool) -> LightTrust:
        """Handle a request to look away for this long; `until_ms` is what is granted."""
        common = self.common.grown(t_ms, MOST_MS, SHARE)
        others = self.others.grown(t_ms, OTHERS_MS, OTHERS_SHARE)
        own = dict(self.own).get((by, by_page), Purse(OWN_MS, t_ms)).grown(t_ms, OWN_MS, OWN_SHARE)
        start = max(t_ms, self.until_ms)
        more = max(0, t_ms + for_ms - start)
        granted = int(min(more, common.left_ms, own.left_ms, *([] if by_page else [others.left_ms])))
        names = tuple(other for other in self.own if other[0] != (by, by_page))
        refused = self.refused
        if granted < more:
            refused = (*(other for other in refused if other[0] != by), (by, t_ms))[-_NAMES:]
        names = (*names, ((by, by_page), own.less(granted)))[-_NAMES:]
        others = others if by_page else others.less(granted)
        return LightTrust(common.less(granted), others, names, start + granted, by, refused)

    def problem(self, t_ms: int) -> Problem | None:
        """Name the clients that were refused lately, or None."""
        names = [by for by, refused_ms in self.refused if t_ms - refused_ms <= _REFUSED_MS]
        if not names:
            return None
        who = ", ".join(names)
        words = f"{who} announced too many or endless changes of light. Its announcements are ignored now."
        return Problem("light_refused", words, {"by": who})


def delay_file(rig: Path) -> Path:
    """The file of the light's delay, beside the calibration of the cameras."""
    return rig.with_name(f"{rig.stem}-light.toml")


def measured_delay_ms(rig: Path) -> int | None:
    """The measured delay, or None without a readable one."""
    try:
        delay = tomllib.loads(delay_file(rig).read_text(encoding="utf-8")).get("delay_ms")
    except (OSError, ValueError):
        return None
    if isinstance(delay, bool) or not isinstance(delay, int) or not 0 <= delay <= LONGEST_DELAY_MS:
        return None
    return delay


def light_delay_ms(rig: Path) -> int:
    """The measured delay, or the assumed one."""
    delay = measured_delay_ms(rig)
    return UNMEASURED_MS if delay is None else delay
