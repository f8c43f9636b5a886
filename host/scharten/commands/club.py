"""`scharten club`: the service of a club's evenings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.extras import how_to_add
from scharten.commands.options import CaFile, ClubOption, DataFolder, PageHost, PagePort, PasswordFile, Prefix
from scharten.contract.topics import Topics
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress, Credentials

JOURNAL, SECRETS = "club.sqlite3", "club-secrets.json"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("club")(club)


def club(
    *,
    data: DataFolder = None,
    broker: Annotated[
        str, typer.Option(help="mqtt://host or mqtts://user@host:port; else that of the board in --data.")
    ] = "",
    password_file: PasswordFile = None,
    ca_file: CaFile = None,
    prefix: Prefix = "scharten",
    name: ClubOption = "home",
    host: PageHost = "127.0.0.1",
    port: PagePort = 8770,
    lan: Annotated[
        bool, typer.Option("--lan", help="Serve the pages to the network: phones and the TV.")
    ] = False,
    new_links: Annotated[
        bool, typer.Option("--new-links", help="New secrets: links of earlier evenings stop working.")
    ] = False,
) -> None:
    """Run a club's evenings: presence, pairing, boards, results, tables.

    Members are the players of the register (`scharten players`). Everything is in club.sqlite3 in the data folder.

    Beside `scharten run` on this machine:  scharten club

    For a hall with a Mosquitto:  scharten club --broker mqtts://organiser@club.local --password-file organiser --lan
    """
    import asyncio

    from scharten import config
    from scharten.commands.run import lan_address
    from scharten.games import GAMES_BY_KEY
    from scharten.mqtt.address import account_at
    from scharten.players.book import PlayerBook

    folder = data or config.data_folder()
    try:
        from scharten.club.server import ClubServer
        from scharten.club.store import ClubStore
        from scharten.display.web_server import Serving, until_ended
    except ModuleNotFoundError as error:
        raise SchartenError(f"`scharten club` needs {error.name}.", how_to_add("club")) from error
    given = account_at(broker, ca_file, password_file, "organiser") if broker else None
    where = (given, Topics(prefix, name, "club")) if given else _of_board(folder)
    store = ClubStore(folder / JOURNAL)
    serving = Serving(lan_address(host) if lan else host, port)
    secrets = _secrets(folder / SECRETS, new_links)
    server = ClubServer(store, PlayerBook(folder, config.JOURNAL, GAMES_BY_KEY), where, serving, secrets)

    async def serve() -> None:
        await server.start()
        typer.echo(f"  who runs the evening  {server.link('organiser')}")
        typer.echo(f"  members' phones       {server.link('member')}")
        typer.echo(f"  the TV                {server.url}/club   (Ctrl-C ends it)")
        await until_ended()
        await server.stop()

    asyncio.run(serve())


def _of_board(folder: Path) -> tuple[BrokerAddress, Topics]:
    """The broker of the board that plays with this data folder, with the organiser's account there."""
    from scharten.contract.roles import Account
    from scharten.system.secrets import load_or_make

    try:
        running = json.loads((folder / "running.json").read_text())
    except (OSError, ValueError) as error:
        raise SchartenError(
            f"no board plays with the data folder {folder}", "Start `scharten run`, or name a --broker."
        ) from error
    secret = load_or_make(folder / "secrets.json")[Account.ORGANISER]
    address = BrokerAddress(running["broker"]["host"], running["broker"]["port"])
    names = (running[key] for key in ("prefix", "club", "board"))
    return address.for_account(Credentials(Account.ORGANISER.value, secret)), Topics(*names)


def _secrets(path: Path, new: bool) -> dict[str, str]:
    """The secrets of the two roles, kept for the next evening."""
    from scharten.system.secrets import new_secret, write_private

    if path.exists() and not new:
        try:
            found = json.loads(path.read_text())
            return {role: str(found[role]) for role in ("organiser", "member")}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SchartenError(f"{path} is damaged: {error}", "Run again with --new-links.") from error
    made = {role: new_secret() for role in ("organiser", "member")}
    write_private(path, json.dumps(made) + "\n")
    return made
