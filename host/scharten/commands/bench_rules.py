"""`scharten bench rules`."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer, bench: typer.Typer) -> None:
    """Add the benchmark."""

    @bench.command("rules")
    def rules(
        times: Annotated[
            int, typer.Option(min=1, help="How often each count is timed; the median tells.")
        ] = 3,
        positions: Annotated[int, typer.Option(min=10, help="How many positions of random games.")] = 1000,
    ) -> None:
        """Positions per second against python-chess (aim 1.0, not below 0.5), and legal moves within 2 ms (p99).

        Needs the package `chess` from the development dependencies.
        """
        from scharten.bench.rules import run

        raise typer.Exit(run(times, positions))
