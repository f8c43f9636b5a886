"""`scharten bench vision`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer, bench: typer.Typer) -> None:
    """Add the benchmark."""

    @bench.command("vision")
    def vision(
        darts: Annotated[Path, typer.Option(help="Folder with the sets of photographs.")] = Path(
            "../shared/darts"
        ),
    ) -> None:
        """Real darts in photographs with three, two and one camera: exact beds, doubts and time beside their aims."""
        from scharten.bench.vision import run

        raise typer.Exit(run(darts))
