"""`scharten archive`: the finished games of many clubs in one database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.extras import lacking
from scharten.commands.options import CaFile, PageHost, PagePort, PasswordFile, Prefix
from scharten.commands.words import words
from scharten.errors import SchartenError


def archive(
    *,
    broker: Annotated[
        str, typer.Option(help="mqtt://host or mqtts://user@host:port, the centre or a club.")
    ] = "",
    database: Annotated[str, typer.Option(help="sqlite:///FILE or postgresql+psycopg://USER@HOST/DB.")] = "",
    password_file: PasswordFile = None,
    ca_file: CaFile = None,
    prefix: Prefix = "scharten",
    host: PageHost = "127.0.0.1",
    port: PagePort = 8780,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="Write every game to this file instead, for research, and end."),
    ] = None,
    forget: Annotated[
        str, typer.Option(help="Remove this guest's name from every game instead, and end.")
    ] = "",
) -> None:
    """Store the finished games of all clubs of a broker, each once, and serve them at /archive.

    Every game is replayed before it is stored; a game whose replay gives another digest is refused.

        scharten archive --broker mqtts://archive@centre.example --password-file archive --ca-file ca.pem
    """
    import asyncio
    from contextlib import closing

    from scharten import config
    from scharten.data_folder import keep_private

    try:
        from scharten.archive.receiver import RecordReceiver
        from scharten.archive.server import ArchiveServer, serve
        from scharten.archive.store import ArchiveStore
        from scharten.display.web_server import Serving
    except ModuleNotFoundError as error:
        raise lacking("archive", error.name) from error
    from scharten.mqtt.address import account_at
    from scharten.system.log_limit import start_log

    start_log("WARNING")
    if not database:
        config.data_folder().mkdir(parents=True, exist_ok=True)
        keep_private(config.data_folder())
    store = ArchiveStore(
        database or f"sqlite:///{config.data_folder() / 'archive.sqlite3'}",
        reading=csv is not None,
        report=lambda stage, percent: typer.echo(words(f"archive.upgrade.{stage}", percent=percent)),
    )
    with closing(store):
        if csv is not None:
            typer.echo(words("archive.csv", games=store.write_csv(csv), path=csv))
            return
        if forget:
            typer.echo(words("archive.forgotten", name=forget, games=store.forget_name(forget)))
            return
        if not broker:
            raise SchartenError.coded("archive_broker")
        receiver = RecordReceiver(store, account_at(broker, ca_file, password_file, "archive"), prefix)
        server = ArchiveServer(store, Serving(host, port), receiver.remarks)
        asyncio.run(serve(receiver, server, typer.echo))
