"""`scharten broker-config`: everything that Mosquitto or NATS needs to serve a club."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.options import Prefix
from scharten.commands.words import chosen_language
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress, Credentials, parse_url


class BrokerKind(StrEnum):
    """A broker that the command can configure."""

    MOSQUITTO = "mosquitto"
    NATS = "nats"


def broker_config(
    *,
    boards: Annotated[str, typer.Option(help="The boards' ids, with commas between: board1,board2.")],
    out: Annotated[Path, typer.Option(help="The folder to write into; an existing folder is updated.")],
    kind: Annotated[
        BrokerKind, typer.Option("--for", help="The broker; docs/brokers.md says which and why.")
    ] = BrokerKind.MOSQUITTO,
    nodes: Annotated[
        str, typer.Option(help="For NATS: the three or five hosts of a cluster, a.local,b.local,c.local.")
    ] = "",
    prefix: Prefix = "scharten",
    club: Annotated[str, typer.Option(help="The second part of every topic (broker.club).")] = "home",
    bind: Annotated[str, typer.Option(help="The address that the broker listens on.")] = "0.0.0.0",
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
        Path | None, typer.Option(help="Where the broker will read the files, if not in --out.")
    ] = None,
    bridge: Annotated[
        str,
        typer.Option(
            help="mqtts://club-NAME@centre:8883: publish there what everybody may see, and receive nothing."
        ),
    ] = "",
    bridge_password: Annotated[
        Path | None, typer.Option(help="File with the password of the club's account at the centre.")
    ] = None,
    bridge_ca: Annotated[Path | None, typer.Option(help="Certificate that signs the centre's.")] = None,
) -> None:
    """Write the broker's configuration with its access rules, and each account's secret, for a club of boards.

    Run it again with more boards at any time: secrets and certificates that exist stay as they are.

    For a club with two boards and TLS:

        scharten broker-config --boards board1,board2 --tls club.local --out club

    For a cluster of three NATS servers:

        scharten broker-config --for nats --nodes a.local,b.local,c.local --boards board1,board2 --out club
    """
    from scharten.club_broker.mosquitto_folder import ClubPlan, write_club  # heavy, and --help must be quick
    from scharten.club_broker.nats_folder import write_nats

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
        bridge=_centre_address(bridge, bridge_password, bridge_ca),
    )
    hosts = tuple(host for host in nodes.split(",") if host)
    if kind is BrokerKind.NATS:
        typer.echo(write_nats(plan, hosts, out, new_secrets, chosen_language()))
        return
    if hosts:
        raise SchartenError.coded("for_nats")
    typer.echo(write_club(plan, out, new_secrets, chosen_language()))


def _centre_address(url: str, password: Path | None, ca_file: Path | None) -> BrokerAddress | None:
    from scharten.system.secrets import read_password

    if not url:
        return None
    centre = parse_url(url, ca_file.resolve() if ca_file else None)
    if password is None or centre.account is None:
        raise SchartenError.coded("bridge_account")
    return centre.for_account(Credentials(centre.account.username, read_password(password)))


def centre_config(
    *,
    clubs: Annotated[
        str,
        typer.Option(
            help="The clubs: haarlem,leiden. With boards, which alone may publish: haarlem:board1:board2,leiden."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write into; an existing folder is updated.")],
    prefix: Prefix = "scharten",
    bind: Annotated[str, typer.Option(help="The address that Mosquitto listens on.")] = "0.0.0.0",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Its port; 0: 1883, or 8883 with --tls.")] = 0,
    tls: Annotated[str, typer.Option(help="Names and addresses that clubs type: makes certificates.")] = "",
) -> None:
    """Write the configuration of a centre, where clubs publish what everybody may see.

    Each club has an account that writes its own topics and reads nothing; `archive` reads all. Nobody writes commands.
    """
    from scharten.club_broker.federation import Centre
    from scharten.club_broker.mosquitto_folder import write_centre

    named = {club: tuple(boards) for club, *boards in (text.split(":") for text in clubs.split(","))}
    names, hosts = tuple(named), tuple(host for host in tls.split(",") if host)
    folder = out.resolve() / "tls" if hosts else None
    centre = Centre(names, prefix, bind, port or (8883 if hosts else 1883), folder, named)
    typer.echo(write_centre(names, out, hosts, centre, chosen_language()))
