"""`scharten bench scenes`."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer, bench: typer.Typer) -> None:
    """Add the benchmark."""

    @bench.command("scenes")
    def scenes(
        darts: Annotated[int, typer.Option(min=0, max=1_000_000, help="How many darts.")] = 2000,
        events: Annotated[int, typer.Option(min=0, max=100_000, help="How many sequences.")] = 100,
        seed: Annotated[int, typer.Option(min=0, help="Another seed gives other scenes.")] = 2026,
        show: Annotated[int, typer.Option(min=0, help="How many wrong darts to print one by one.")] = 0,
    ) -> None:
        """Darts in synthetic pictures with exact truth, sequences of frames, and the live loop's frame rate.

        Darts come in visits of three, uniform over the board, seen by three cameras that are calibrated anew every
        20 visits. For a quick look: --darts 60 --events 10.
        """
        from scharten.bench.scene_run import run

        raise typer.Exit(run(darts, events, seed, show))
