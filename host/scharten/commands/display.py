"""`scharten display`: the page's server alone, such as beside a projector."""

from __future__ import annotations

from typing import Annotated

import typer

from scharten.commands.options import CaFile, ClubOption, PageHost, PagePort, PasswordFile, Prefix
from scharten.commands.words import words
from scharten.errors import SchartenError


def display(
    broker: Annotated[str, typer.Option(help="mqtt://host or mqtts://user@host:port")],
    *,
    password_file: PasswordFile = None,
    ca_file: CaFile = None,
    prefix: Prefix = "scharten",
    club: ClubOption = "home",
    board: Annotated[str, typer.Option(help="Which board.")] = "board1",
    host: PageHost = "127.0.0.1",
    port: PagePort = 8766,
    table: Annotated[
        bool, typer.Option("--table", help="Let pages play as `table` too (localhost only), not just look.")
    ] = False,
    simulated: Annotated[bool, typer.Option("--simulated", help="Offer the virtual dartboard.")] = False,
) -> None:
    """Serve the page of a board whose referee runs elsewhere, on the same broker.

    Example: `scharten display --broker mqtt://web@club.local --password-file web.secret`
    """
    import asyncio

    from scharten.contract.topics import Topics
    from scharten.daemon.features import page_features
    from scharten.display.context import Context, Roles
    from scharten.display.server import DisplayServer
    from scharten.display.web_server import Serving, end_at_signal
    from scharten.mqtt.address import Credentials, parse_url
    from scharten.system.log_limit import start_log
    from scharten.system.secrets import read_password

    _check_names({"--prefix": prefix, "--club": club, "--board": board})
    if table and not _this_machine(host):
        raise SchartenError.coded("table_for_all", host=host)
    address = parse_url(broker, ca_file)
    if password_file is not None:
        password = read_password(password_file)
        if address.account is not None:
            address = address.for_account(Credentials(address.account.username, password))

    start_log("WARNING")

    async def serve() -> None:
        roles = Roles(open=("table",) if table else ())
        context = Context(address, Topics(prefix, club, board), roles, simulated=simulated)
        server = DisplayServer(Serving(host, port), context, page_features(context))
        ended = end_at_signal()
        await server.start()
        shown_at = f"{server.url}/?role={'table' if table else 'display'}"
        typer.echo(f"  {words('display.shown', board=board, url=shown_at)}")
        await ended.wait()
        await server.stop()

    asyncio.run(serve())


def _check_names(given: dict[str, str]) -> None:
    """Raise `SchartenError` for the first option whose value cannot be part of a topic."""
    from scharten.contract.topics import NAME

    for option, name in given.items():
        if not NAME.fullmatch(name):
            raise SchartenError.coded("not_a_topic_option", name=name, option=option)


def _this_machine(host: str) -> bool:
    """Whether only this machine reaches the address; a name could be anywhere."""
    import ipaddress

    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
