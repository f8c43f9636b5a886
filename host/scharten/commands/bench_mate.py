"""`scharten bench mate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer, bench: typer.Typer) -> None:
    """Add the benchmark."""

    @bench.command("mate")
    def mate(
        positions: Annotated[
            Path | None,
            typer.Argument(
                help="Rows `position<TAB>options`; without it the perft positions of the checkout."
            ),
        ] = None,
        budget: Annotated[int, typer.Option(min=1, help="Positions looked at per answer.")] = 500,
    ) -> None:
        """Share of True, False and None of `could_mate`, the time per answer, and the kept list."""
        from scharten.bench.mate import run

        raise typer.Exit(run(positions, budget))
