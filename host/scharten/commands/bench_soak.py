"""`scharten bench soak`."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer, bench: typer.Typer) -> None:
    """Add the benchmark."""

    @bench.command("soak")
    def soak(
        inputs: Annotated[int, typer.Option(min=100, max=10_000_000, help="How many turns.")] = 2000,
    ) -> None:
        """Simulated games at speed: memory flat after the warm-up, journal per game, no drift of the time of a turn.

        Aims: memory at most 5 % up, a turn at most 1.5 times as long at the end. By hand: --inputs 50000.
        """
        from scharten.bench.soak import run

        raise typer.Exit(run(inputs))
