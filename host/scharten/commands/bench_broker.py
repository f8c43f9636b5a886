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
        """The embedded broker alone: a snapshot to one display, and to a hall full of them.

        Aims: p50 1 ms and p99 2.5 ms to one display, p99 100 ms to the slowest of the hall.
        """
        from scharten.bench.broker import run

        raise typer.Exit(run(count, displays))
