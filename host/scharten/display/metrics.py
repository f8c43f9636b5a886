"""The figures of a display server, for Prometheus."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest


def list_in(health: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list of a `health` message, an empty one when it is missing or no list."""
    found = health.get(name)
    return found if isinstance(found, list) else []


HOST = {
    "playable": ("1 while play is possible.", ("playable",)),
    "stuck_contacts": ("Contacts of the board that stay closed.", ("stuck",)),
    "lost_events": ("Events that the board lost for good.", ("dropped",)),
    "warnings": ("Dangers that the host warns of, such as an open broker.", ("warnings",)),
    "journal_bytes": ("Size of the journal, its write-ahead log included.", ("journal", "bytes")),
    "inputs": ("Inputs judged since the start.", ("referee", "inputs")),
    "inputs_waiting": ("Inputs that wait for the referee.", ("referee", "waiting")),
    "line_junk_bytes": ("Bytes on the board's line that belonged to no line.", ("line", "junk_bytes")),
    "line_gaps": ("Gaps in the numbers of the board's lines.", ("line", "gaps")),
}
"""The figures that the host reports on `health`: their help, and the path of each; a list counts its items."""


class Metrics:
    """The figures in a registry of their own, so that two servers fit in one process."""

    CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        gauge, counter = partial(Gauge, registry=self._registry), partial(Counter, registry=self._registry)
        self.pages = gauge("scharten_display_pages", "Pages connected now.")
        self.broker = gauge("scharten_display_broker_connected", "1 while the broker is connected.")
        self.dropped = gauge("scharten_display_dropped", "Payloads from the broker dropped.")
        self.messages = counter("scharten_display_messages", "Payloads received from the broker.", ["topic"])
        self.commands = counter("scharten_display_commands", "Commands published.", ["role"])
        self.refused = counter("scharten_display_refused", "Pages refused, by reason.", ["reason"])
        self.skipped = counter("scharten_display_skipped", "Snapshots that slow pages skipped.")
        self._up = gauge("scharten_host_up", "1 while the host is online.")
        self._host = {name: gauge(f"scharten_host_{name}", HOST[name][0]) for name in HOST}
        self._source = gauge("scharten_host_source", "1 for the state of each source.", ["name", "state"])

    def host(self, up: bool, health: Mapping[str, Any]) -> None:
        """Take over the host's figures from `health`; a missing figure is 0, and an absent host is not playable."""
        self._up.set(up)
        for name, (_, path) in HOST.items():
            value: Any = health
            for key in path:
                value = value.get(key) if isinstance(value, Mapping) else None
            value = len(value) if isinstance(value, list) else value
            self._host[name].set(value if isinstance(value, int | float) else 0)
        if not up:
            self._host["playable"].set(0)
        self._source.clear()
        for source in list_in(health, "sources"):
            if isinstance(source, Mapping):
                self._source.labels(str(source.get("name")), str(source.get("state"))).set(1)

    def text(self) -> bytes:
        """Return the figures in the text format."""
        return generate_latest(self._registry)
