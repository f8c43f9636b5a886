"""`scharten simulate`: the simulated board alone, for players without a board and for tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.options import Prefix

EPILOG = """\
A script has one line per event: a time in seconds (or + and the seconds since the line before) and what happens.

`0 T20` or `+1.5 12.5,-103`: a dart in a bed, or at x,y in mm

`3 miss`: also `bounce_out`, `unplug`, `replug`, `reset`, `end`

`4 button ready`: or `miss`, or `undo`; `5 stuck T20` until `8 free T20`

`+0 wait stored`: or `wait host`; `+0 press 3,7`: a contact by drive and sense; `+0 knock 200`
"""


def simulate(
    *,
    data: Annotated[
        Path | None, typer.Option(help="Data folder: its profiles; the port gets a name there.")
    ] = None,
    profile: Annotated[
        str, typer.Option(help="Board profile: a path, or a name in `data` or installed.")
    ] = "simulated",
    broker: Annotated[str | None, typer.Option(help="Throws come from mqtt://host[:port].")] = None,
    prefix: Prefix = "scharten",
    club: Annotated[str, typer.Option(help="The second part of the topics.")] = "home",
    board: Annotated[str, typer.Option(help="The board's name in the topics.")] = "board1",
    endpoint: Annotated[
        Path | None,
        typer.Option(
            help="JSON file with host, port, username, password, prefix, club, board; read again and again."
        ),
    ] = None,
    script: Annotated[
        str | None, typer.Option(help="Play the timed throws in this file; - reads typed lines.")
    ] = None,
    scatter: Annotated[
        float, typer.Option(min=0, max=200, help="Scatter of the darts (standard deviation) in mm.")
    ] = 0.0,
    seed: Annotated[int | None, typer.Option(help="The same scatter and session each time.")] = None,
    link: Annotated[Path | None, typer.Option(help="A lasting name for the port (a symbolic link).")] = None,
    linger: Annotated[
        float | None, typer.Option(min=1, help="End when nobody had the port open for this many seconds.")
    ] = None,
) -> None:
    """Simulate an electronic dartboard: speak the board protocol on a pseudo-terminal and print its name.

    SIGUSR1 pulls the cable and SIGUSR2 plugs it in again.
    """
    from scharten.sensors.simulator import start
    from scharten.sensors.simulator.script import Deed

    if broker is not None:
        from scharten.sensors.simulator.endpoint import endpoint_of_url

        endpoint_of_url(broker, prefix, club, board)  # a wrong one is refused before there is a port

    def listen(throw: Callable[[Deed], None]) -> None:
        from scharten.sensors.simulator.endpoint import (
            listener,
        )  # brings MQTT, slow to load: the port comes first

        throws = listener(broker, endpoint, throw, prefix=prefix, club=club, board=board)
        if throws is not None:
            throws.start()

    character = start.Character(profile, script, scatter, seed)
    start.run(
        start.StartOptions(data, link, linger), character, typer.echo, listen if broker or endpoint else None
    )
