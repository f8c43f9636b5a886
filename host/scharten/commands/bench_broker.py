"""`scharten bench broker`."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer, bench: typer.Typer) -> None:
    """Add the benchmark."""

    @bench.command("broker")
    def broker(
        count: Annotated[int, typer.Option(min=10, help="How many snapshots of each load.")] = 500,
        displays: Annotated[int, typer.Option(min=1, max=120, help="Displays in the hall.")] = 50,
    ) -> None:
        """A snapshot to one display, to a hall full of them, and to 200 subscribers on a Mosquitto.

        Aims: p50 1 ms and p99 2.5 ms to one display, p99 100 ms to the hall, p99 250 ms on Mosquitto.
        """
        from scharten.bench.broker import run

        raise typer.Exit(run(count, displays))
