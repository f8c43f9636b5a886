"""The state of the machine: the content of `health`, and whether play is possible."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any

from scharten import __version__
from scharten.daemon.referee_loop import Trouble
from scharten.match.inputs import ContactStuck, Input, ReadingsLost, SensorChanged, SensorNews, SensorState
from scharten.system.newest_last import NewestLast

READINGS = 10
COUNTERS = {"line": "lines", "referee": "inputs"}
"""Figures that grow while nothing happens: they go out with the next change."""
RESTARTS = "The program starts again by itself and goes on from the journal; wait a moment."
NO_REPORT = {"state": SensorState.LOST.value, "detail": "No source has reported yet.", "reason": "no_report"}


class MachineHealth:
    """Collect the state from all threads, and `publish` it after each change, the newest state last.

    `sources` maps kinds of sensors to the names that these sensors use in readings.
    """

    def __init__(
        self,
        sources: Mapping[str, Collection[str]],
        started_ms: int,
    ) -> None:
        self.publish: Callable[[Mapping[str, Any]], object] = lambda content: None
        self.changed = NewestLast(self._publish)
        """Publish the state if it changed; callable from any thread."""
        self._published: tuple[object, Mapping[str, Any]] = None, {}
        self._lock = threading.Lock()
        silent = {**NO_REPORT, "since_ms": started_ms}
        self._sources: dict[str, dict[str, Any]] = {name: {"name": name, **silent} for name in sources}
        self._name_of = {sensor: name for name, sensors in sources.items() for sensor in sensors}
        self._stuck: dict[tuple[int, int], str | None] = {}
        self._readings: deque[dict[str, Any]] = deque(maxlen=READINGS)
        self._lost = 0
        self._started_ms = started_ms
        self._more: dict[str, Any] = {}
        self._trouble: Trouble | None = None
        self._warnings: dict[str, str] = {}
        self._stopped: str | None = None

    def _publish(self) -> None:
        content = self.as_json()
        lasting = {name: _without_counters(name, value) for name, value in content.items()}
        if (self.publish, lasting) != self._published:
            self._published = self.publish, lasting
            self.publish(content)

    def observe(self, given: Input) -> None:
        """Update sources, stuck contacts and lost readings from an accepted input."""
        if not isinstance(given, SensorNews):
            return
        with self._lock:
            match given.news:
                case SensorChanged(state, detail, reason):
                    value = {"state": state.value, "detail": detail, "since_ms": given.t_ms}
                    value |= {"reason": reason} if reason else {}
                    if (name := self._name_of.get(given.sensor)) is not None:
                        self._sources[name] = {"name": name, **value}
                case ContactStuck(contact, bed, stuck=True):
                    self._stuck[contact.drive, contact.sense] = str(bed) if bed else None
                case ContactStuck(contact):
                    self._stuck.pop((contact.drive, contact.sense), None)
                case ReadingsLost(count):
                    self._lost += count
        self.changed()

    def forget_source(self) -> None:
        """Mark all sources as lost after a replay: their old state is outdated."""
        with self._lock:
            self._sources = {name: {**source, **NO_REPORT} for name, source in self._sources.items()}

    def read(self, reading: Mapping[str, Any]) -> None:
        """Remember the last readings of darts."""
        with self._lock:
            self._readings.append(dict(reading))
        self.changed()

    def set_trouble(self, trouble: Trouble | None) -> None:
        """Set why the journal cannot store; None when it can."""
        with self._lock:
            self._trouble = trouble
        self.changed()

    def set_stopped(self, reason: str) -> None:
        """Set why play is impossible until the process has restarted."""
        with self._lock:
            self._stopped = reason
        self.changed()

    def set_warning(self, name: str, words: str | None) -> None:
        """Set a warning that does not prevent play; None removes it."""
        with self._lock:
            if words is None:
                self._warnings.pop(name, None)
            else:
                self._warnings[name] = words
        self.changed()

    def set_part(self, name: str, value: Any, quietly: bool = False) -> None:
        """Set the report of a part, such as `cameras`, `journal` or `line`."""
        with self._lock:
            unchanged = self._more.get(name) == value
            self._more[name] = value
        if not unchanged and not quietly:
            self.changed()

    def as_json(self) -> Mapping[str, Any]:
        """Return the payload of the topic `health`, which holds no secrets."""
        with self._lock:
            trouble, stopped = self._trouble, self._stopped
            stuck = [{"drive": d, "sense": s, "bed": bed} for (d, s), bed in sorted(self._stuck.items())]
            return {
                "v": 2,
                "version": __version__,
                "playable": trouble is None and stopped is None,
                "reason": stopped or (trouble.message if trouble else None),
                "reason_code": "restarting" if stopped else "not_stored" if trouble else None,
                "cure": RESTARTS if stopped else trouble.cure if trouble else None,
                "sources": [dict(source) for source in self._sources.values()],
                "stuck": stuck,
                "dropped": self._lost,
                "readings": list(self._readings),
                "warnings": list(self._warnings.values()),
                "notices": [{"code": name, "words": words} for name, words in self._warnings.items()],
                "started_ms": self._started_ms,
                "cameras": [],
                **self._more,
            }


def _without_counters(name: str, value: Any) -> Any:
    counter = COUNTERS.get(name)
    if counter is None or not isinstance(value, Mapping):
        return value
    return {key: figure for key, figure in value.items() if key != counter}
