"""`scharten bench latency`."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer, bench: typer.Typer) -> None:
    """Add the benchmark."""

    @bench.command("latency")
    def latency(
        darts: Annotated[
            int, typer.Option(min=1, max=100_000, help="How many darts with each broker.")
        ] = 500,
        broker: Annotated[str, typer.Option(help="embedded, mosquitto, or both.")] = "both",
    ) -> None:
        """From a dart on the pty to the state at an MQTT subscriber and on the screen.

        Aims: p50 5 ms and p99 15 ms to the subscriber, 25 and 60 ms painted.
        """
        from scharten.bench.latency import run

        brokers = ("embedded", "mosquitto") if broker == "both" else (broker,)
        raise typer.Exit(run(darts, brokers))
