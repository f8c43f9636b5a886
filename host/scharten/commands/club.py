"""`scharten club`: the service of a club's evenings."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scharten.club.links import MEMBER, ORGANISER, TV, club_link
from scharten.commands.extras import lacking
from scharten.commands.options import (
    CaFile,
    ClubOption,
    ConfigFile,
    DataFolder,
    PageHost,
    PagePort,
    PasswordFile,
    Prefix,
)
from scharten.commands.words import words
from scharten.contract.topics import Topics
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress
from scharten.words import ENGLISH

if TYPE_CHECKING:
    from scharten.club.server import ClubServer

JOURNAL, SECRETS, RUNNING = "club.sqlite3", "club-secrets.json", "club-running.json"


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
    tls: Annotated[
        bool, typer.Option("--tls", help="Serve https with a certificate of the data folder's own authority.")
    ] = False,
    organiser_without_tls: Annotated[
        bool, typer.Option("--organiser-without-tls", help="Let the organiser in over a network without TLS.")
    ] = False,
    publish: Annotated[
        Path | None,
        typer.Option(help="Write ranking and pairings as index.html into this folder; else club.publish."),
    ] = None,
    config_file: ConfigFile = None,
    new_links: Annotated[
        bool, typer.Option("--new-links", help="New secrets: links of earlier evenings stop working.")
    ] = False,
) -> None:
    """Run a club's evenings: presence, pairing, boards, results, tables.

    Members are the players of the register (`scharten players`). Everything is in club.sqlite3 in the data folder.

    Beside `scharten run` on this machine:  scharten club

    For a hall:  scharten club --broker mqtts://organiser@club.local --ca-file ca.pem --password-file FILE --lan --tls

    Without --tls the organiser's link works on this machine only.
    """
    import asyncio

    from scharten import config
    from scharten.commands.run import lan_address
    from scharten.daemon.page_server import own_certificate
    from scharten.data_folder import keep_private
    from scharten.games import GAMES_BY_KEY
    from scharten.mqtt.address import account_at
    from scharten.players.book import PlayerBook
    from scharten.system.log_limit import start_log

    start_log("WARNING")
    folder = data or config.data_folder()
    keep_private(folder)
    settings = config.load(config.find(config_file, folder))
    try:
        from scharten.club.published import PublishedPage
        from scharten.club.server import LIMITS, ClubServer
        from scharten.club.skills import MemberSkills
        from scharten.club.store import ClubStore
        from scharten.display.web_server import Serving
    except ModuleNotFoundError as error:
        raise lacking("club", error.name) from error
    given = account_at(broker, ca_file, password_file, "organiser") if broker else None
    where = (given, Topics(prefix, name, "club")) if given else _of_board(folder)
    shown = publish or (Path(settings.club.publish) if settings.club.publish else None)
    published = PublishedPage(shown, settings.web.language or ENGLISH) if shown else None
    store = ClubStore(folder / JOURNAL)
    address = lan_address(host) if lan else host
    serving = Serving(
        address,
        port,
        ssl_context=own_certificate(folder, address) if tls else None,
        limits=LIMITS,
        also=("127.0.0.1",) if lan else (),
    )
    secrets = _secrets(folder / SECRETS, new_links)
    tls_only = () if organiser_without_tls else (ORGANISER,)
    book = PlayerBook(folder, config.JOURNAL, GAMES_BY_KEY)
    skills = MemberSkills(folder) if settings.club.skills else None
    server = ClubServer(store, book, where, serving, secrets, tls_only, published, skills)
    asyncio.run(_serve(server, folder, secrets, here_only=lan and not (tls or organiser_without_tls)))


async def _serve(server: ClubServer, folder: Path, secrets: dict[str, str], *, here_only: bool) -> None:
    """Serve the pages until a signal; `here_only`: the organiser's link works on this machine only."""
    from scharten.display.web_server import end_at_signal
    from scharten.system.secrets import write_private

    ended = end_at_signal()
    await server.start()
    here = f"http://127.0.0.1:{server.port}" if here_only else server.url
    running = folder / RUNNING
    write_private(running, json.dumps({"pid": os.getpid(), "page": server.url, "here": here}))
    try:
        _greet(server.url, here, folder, secrets)
        await ended.wait()
    finally:
        running.unlink(missing_ok=True)
    await server.stop()


def _greet(url: str, here: str, folder: Path, secrets: dict[str, str]) -> None:
    """Print the links on a terminal; elsewhere, such as in a service's log, name the command that shows them."""
    if not sys.stdout.isatty():
        typer.echo(words("club.pages", url=url, folder=folder))
    else:
        typer.echo(f"  {words('club.organiser', link=club_link(here, ORGANISER, secrets))}")
        typer.echo(f"  {words('club.members', link=club_link(url, MEMBER, secrets))}")
        typer.echo(f"  {words('club.tv', link=club_link(url, TV, secrets))}")
    sys.stdout.flush()


def running_club_links(folder: Path) -> dict[str, str]:
    """Return the links of the club that runs with this data folder; none if none runs."""
    try:
        running = json.loads((folder / RUNNING).read_text())
        url, here = str(running["page"]), str(running.get("here", running["page"]))
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    secrets = _secrets(folder / SECRETS, new=False)
    return {
        role: club_link(here if role == ORGANISER else url, role, secrets) for role in (ORGANISER, MEMBER, TV)
    }


def _of_board(folder: Path) -> tuple[BrokerAddress, Topics]:
    """The broker of the board that plays with this data folder, with the organiser's account there."""
    from scharten.contract.roles import Account
    from scharten.setup.running_daemon import running_endpoint

    found = running_endpoint(folder, Account.ORGANISER)
    if found is None:
        raise SchartenError.coded("no_daemon_or_broker", folder=folder)
    return found.address, found.topics


def _secrets(path: Path, new: bool) -> dict[str, str]:
    """The secrets of the two roles, kept for the next evening."""
    from scharten.system.secrets import new_secret, write_private

    if path.exists() and not new:
        try:
            found = json.loads(path.read_text())
            return {role: str(found[role]) for role in ("organiser", "member")}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SchartenError.coded("links_damaged", path=path, why=error) from error
    made = {role: new_secret() for role in ("organiser", "member")}
    write_private(path, json.dumps(made) + "\n")
    return made
