"""What a display server counts, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest


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

    def text(self) -> bytes:
        """The figures in the text format."""
        return generate_latest(self._registry)
