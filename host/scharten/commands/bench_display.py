"""`scharten bench display`."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer, bench: typer.Typer) -> None:
    """Add the benchmark."""

    @bench.command("display")
    def display(
        states: Annotated[int, typer.Option(min=1, help="How many states are sent in each part.")] = 100,
        resets: Annotated[
            int, typer.Option(min=1, help="How often all 36 pieces are set anew at once.")
        ] = 20,
        pages: Annotated[int, typer.Option(min=1, help="How many pages look on.")] = 200,
    ) -> None:
        """States on the screen (50 ms), frames while all pieces move (34 ms), 200 pages (250 ms).

        Needs Mosquitto; painting needs Chromium and the package playwright of the development dependencies.
        """
        from scharten.bench.display import run

        raise typer.Exit(run(states, resets, pages))
