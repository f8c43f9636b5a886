"""`scharten bench start`."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer, bench: typer.Typer) -> None:
    """Add the benchmark."""

    @bench.command("start")
    def start(times: Annotated[int, typer.Option(min=1, help="How many starts.")] = 5) -> None:
        """From the command to the first state at an MQTT subscriber; target under 2 s on a warm machine."""
        from scharten.bench.start import run

        raise typer.Exit(run(times))
