"""`scharten broker-config`: everything that Mosquitto needs to serve a club."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("broker-config")(broker_config)


def broker_config(
    *,
    boards: Annotated[str, typer.Option(help="The boards' ids, with commas between: board1,board2.")],
    out: Annotated[Path, typer.Option(help="The folder to write into; what is there is kept up to date.")],
    prefix: Annotated[str, typer.Option(help="The first part of every topic (broker.prefix).")] = "scharten",
    club: Annotated[str, typer.Option(help="The second part of every topic (broker.club).")] = "home",
    bind: Annotated[str, typer.Option(help="The address that Mosquitto listens on.")] = "0.0.0.0",
    port: Annotated[
        int,
        typer.Option(
            min=0, max=65535, help="Its port, and the next for the boards; 0: 1883, or 8883 with --tls."
        ),
    ] = 0,
    bind_boards: Annotated[
        str,
        typer.Option(help="The address for the boards' own machines: the next port, with places of its own."),
    ] = "",
    tls: Annotated[str, typer.Option(help="Names and addresses that clients type: makes certificates.")] = "",
    anonymous_display: Annotated[bool, typer.Option(help="Let displays read without an account.")] = False,
    new_secrets: Annotated[bool, typer.Option(help="Give every account a new secret.")] = False,
    installed_at: Annotated[
        Path | None, typer.Option(help="Where Mosquitto will read the files, if not in --out.")
    ] = None,
) -> None:
    """Write mosquitto.conf, an ACL, hashed passwords and each account's secret for a club of boards.

    Run it again with more boards at any time: secrets and certificates that exist stay as they are.

    For a club with two boards and TLS:

        scharten broker-config --boards board1,board2 --tls club.local --out club
    """
    from scharten.mqtt.mosquitto_folder import ClubPlan, write_club  # heavy, and --help must be quick

    plan = ClubPlan(
        boards=tuple(boards.split(",")),
        prefix=prefix,
        club=club,
        bind=bind,
        port=port,
        house_bind=bind_boards,
        tls_hosts=tuple(host for host in tls.split(",") if host),
        anonymous_display=anonymous_display,
        installed_at=installed_at,
    )
    typer.echo(write_club(plan, out, new_secrets))
