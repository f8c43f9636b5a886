"""The state of the machine in words: what `health` on MQTT says, and whether play is possible."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any

from scharten import __version__
from scharten.match.inputs import ContactStuck, Input, ReadingsLost, SensorChanged, SensorNews, SensorState
from scharten.referee_loop import Trouble

READINGS = 10
PORT_WORDS = "No source has said anything yet."


class MachineHealth:
    """Collects from all threads; `changed` is called, without the lock, when there is something new to tell.

    `sources`: the kinds of sensors, and what sensors of each call themselves in readings.
    """

    def __init__(
        self,
        sources: Mapping[str, Collection[str]],
        started_ms: int,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.changed = changed
        self._lock = threading.Lock()
        silent = {"state": SensorState.LOST.value, "detail": PORT_WORDS, "since_ms": started_ms}
        self._sources: dict[str, dict[str, Any]] = {name: {"name": name, **silent} for name in sources}
        self._name_of = {sensor: name for name, sensors in sources.items() for sensor in sensors}
        self._stuck: dict[tuple[int, int], str | None] = {}
        self._readings: deque[dict[str, Any]] = deque(maxlen=READINGS)
        self._lost = 0
        self._started_ms = started_ms
        self._more: dict[str, Any] = {}
        self._trouble: Trouble | None = None
        self._warnings: dict[str, str] = {}

    def observe(self, given: Input) -> None:
        """Learn from an input that was accepted: sources, stuck contacts, lost events."""
        if not isinstance(given, SensorNews):
            return
        with self._lock:
            match given.news:
                case SensorChanged(state, detail):
                    told = {"state": state.value, "detail": detail, "since_ms": given.t_ms}
                    if (name := self._name_of.get(given.sensor)) is not None:
                        self._sources[name] = {"name": name, **told}
                case ContactStuck(contact, bed, stuck=True):
                    self._stuck[contact.drive, contact.sense] = str(bed) if bed else None
                case ContactStuck(contact):
                    self._stuck.pop((contact.drive, contact.sense), None)
                case ReadingsLost(count):
                    self._lost += count
        self.changed()

    def forget_source(self) -> None:
        """After a replay: what the source was then says nothing about now."""
        with self._lock:
            silent = {"state": SensorState.LOST.value, "detail": PORT_WORDS}
            self._sources = {name: {**source, **silent} for name, source in self._sources.items()}

    def read(self, reading: Mapping[str, Any]) -> None:
        """A dart was read: the last few are kept for the machine room."""
        with self._lock:
            self._readings.append(dict(reading))
        self.changed()

    def set_trouble(self, trouble: Trouble | None) -> None:
        """The journal refuses, or stores again."""
        with self._lock:
            self._trouble = trouble
        self.changed()

    def set_warning(self, name: str, words: str | None) -> None:
        """What is dangerous but does not keep anyone from playing; None when it is over."""
        with self._lock:
            if words is None:
                self._warnings.pop(name, None)
            else:
                self._warnings[name] = words
        self.changed()

    def set_part(self, name: str, told: Any, quietly: bool = False) -> None:
        """What a part of the daemon says of itself, such as `cameras`, `journal` or `line`."""
        with self._lock:
            same = self._more.get(name) == told
            self._more[name] = told
        if not same and not quietly:
            self.changed()

    def told(self) -> Mapping[str, Any]:
        """The payload of the topic `health`; nothing secret in it."""
        with self._lock:
            trouble = self._trouble
            stuck = [{"drive": d, "sense": s, "bed": bed} for (d, s), bed in sorted(self._stuck.items())]
            return {
                "v": 2,
                "version": __version__,
                "playable": trouble is None,
                "reason": trouble.message if trouble else None,
                "cure": trouble.cure if trouble else None,
                "sources": [dict(source) for source in self._sources.values()],
                "stuck": stuck,
                "dropped": self._lost,
                "readings": list(self._readings),
                "warnings": list(self._warnings.values()),
                "started_ms": self._started_ms,
                "cameras": [],
                **self._more,
            }
