"""What a display server counts, for Prometheus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

HOST = {
    "up": "1 while the host says that it is online.",
    "playable": "1 while play is possible.",
    "stuck_contacts": "Contacts of the board that stay closed.",
    "lost_events": "Events that the board lost for good.",
    "warnings": "Dangers that the host warns of, such as an open broker.",
    "journal_bytes": "Size of the journal, its write-ahead log included.",
    "inputs": "Inputs judged since the start.",
    "inputs_waiting": "Inputs that wait for the referee.",
    "line_junk_bytes": "Bytes on the board's line that belonged to no line.",
    "line_gaps": "Gaps in the numbers of the board's lines.",
}
"""What the host says of itself on `health`, by the name of the figure."""


class Metrics:
    """One registry per server, so that two in one process do not quarrel."""

    CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        self.pages = Gauge("scharten_display_pages", "Pages connected now.", registry=registry)
        self.broker = Gauge(
            "scharten_display_broker_connected", "1 while the broker is connected.", registry=registry
        )
        self.dropped = Gauge(
            "scharten_display_dropped", "Payloads from the broker dropped.", registry=registry
        )
        self.messages = Counter(
            "scharten_display_messages", "Payloads received from the broker.", ["topic"], registry=registry
        )
        self.commands = Counter(
            "scharten_display_commands", "Commands published.", ["role"], registry=registry
        )
        self.refused = Counter(
            "scharten_display_refused", "Pages refused, by reason.", ["reason"], registry=registry
        )
        self.skipped = Counter(
            "scharten_display_skipped", "Snapshots that slow pages skipped.", registry=registry
        )

        self._host = {
            name: Gauge(f"scharten_host_{name}", words, registry=registry) for name, words in HOST.items()
        }
        self._source = Gauge(
            "scharten_host_source", "1 for the state of each source.", ["name", "state"], registry=registry
        )

    def host(self, up: bool, health: Mapping[str, Any]) -> None:
        """Take over what the host says of itself on `health`; what it does not say is 0."""
        told = {
            "up": up,
            "playable": up and health.get("playable", False),
            "stuck_contacts": len(_list(health, "stuck")),
            "lost_events": health.get("dropped", 0),
            "warnings": len(_list(health, "warnings")),
            "journal_bytes": _part(health, "journal").get("bytes", 0),
            "inputs": _part(health, "referee").get("inputs", 0),
            "inputs_waiting": _part(health, "referee").get("waiting", 0),
            "line_junk_bytes": _part(health, "line").get("junk_bytes", 0),
            "line_gaps": _part(health, "line").get("gaps", 0),
        }
        for name, value in told.items():
            self._host[name].set(value if isinstance(value, int | float) else 0)
        self._source.clear()
        for source in _list(health, "sources"):
            if isinstance(source, Mapping):
                self._source.labels(str(source.get("name")), str(source.get("state"))).set(1)

    def text(self) -> bytes:
        """The figures in the text format."""
        return generate_latest(self._registry)


def _part(health: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = health.get(name)
    return part if isinstance(part, Mapping) else {}


def _list(health: Mapping[str, Any], name: str) -> list[Any]:
    part = health.get(name)
    return part if isinstance(part, list) else []
