"""`scharten run`: the daemon, and the addresses it prints."""

from __future__ import annotations

import gc
import ipaddress
import logging
import os
import sys
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from scharten import config
from scharten.commands.options import ConfigFile
from scharten.commands.words import words
from scharten.daemon.log_file import KeptLog
from scharten.daemon.options import DaemonOptions
from scharten.data_folder import keep_private, look_over
from scharten.errors import SchartenError
from scharten.system.log_limit import start_log

log = logging.getLogger(__name__)


def _address(given: str | None) -> str | None:
    try:
        ipaddress.ip_address(_numeric(given or ""))
    except ValueError as error:
        raise typer.BadParameter("use an address such as 192.168.1.20, or 0.0.0.0 for all") from error
    return given


def run(
    *,
    config_file: ConfigFile = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="The data folder: journal, secrets, profiles.")
    ] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port of the page.")] = None,
    at: Annotated[
        str | None,
        typer.Option("--host", help="Address of the page, in place of web.host.", callback=_address),
    ] = None,
    lan: Annotated[
        bool, typer.Option("--lan", help="Serve the page to the network, with a link for each role.")
    ] = False,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Open no browser.")] = False,
    new_journal: Annotated[
        bool,
        typer.Option("--new-journal", help="Keep the old journal under another name and start a new one."),
    ] = False,
    new_links: Annotated[
        bool, typer.Option("--new-links", help="Make new secrets: older links stop working.")
    ] = False,
    trace: Annotated[Path | None, typer.Option(hidden=True, help="Time stamps of each input.")] = None,
) -> None:
    """Play: referee, broker, journal, board and display, until Ctrl-C.

    Without a configuration this is a loud game on the simulated board, on this machine only.
    """
    gc.disable()  # modules loaded at the start are never garbage
    from scharten.daemon.app import Daemon

    gc.enable()
    gc.freeze()

    folder = data or config.data_folder()
    look_over(folder)
    keep_private(folder)
    path = config.find(config_file, folder)
    settings = config.load(path)
    _keep_log(settings.log_level, folder)
    options = partial(_options, folder, path or folder / config.FILE, at=at, lan=lan, trace=trace)
    first = replace(options(settings, port), new_journal=new_journal, new_links=new_links)

    def ready(daemon: Any) -> None:
        gc.freeze()  # the page's server is loaded now: a full collection costs every page 13 ms without this
        _greet(daemon, no_browser)

    _play(Daemon, first, options, ready)


def _keep_log(level: str, folder: Path) -> None:
    start_log(level.upper(), KeptLog(folder / config.LOG))
    if os.geteuid() == 0:
        log.warning(
            "running as root is not needed and not safe: use an ordinary user, or deploy/scharten.service"
        )


def _options(
    folder: Path,
    file: Path,
    settings: config.Config,
    port: int | None,
    *,
    at: str | None,
    lan: bool,
    trace: Path | None,
) -> DaemonOptions:
    host = at or settings.web.host
    host = lan_address(host) if lan else host
    # Behind a proxy every request seems to come from this machine, so no role is open.
    direct = not settings.web.origins
    local = ipaddress.ip_address(_numeric(host)).is_loopback and direct
    here = ("table", "seat1", "seat2") if direct and not settings.web.shared_machine else ()
    wanted = settings.web.port if port is None else port
    open_roles = here if local else ()
    return DaemonOptions(settings, folder, host, wanted, open_roles, here, local, file=file, trace=trace)


def _play(
    made: Callable[[DaemonOptions], Any],
    first: DaemonOptions,
    options: Callable[[config.Config, int], DaemonOptions],
    ready: Callable[[Any], None],
) -> None:
    """Play, and restart whenever a page has saved settings. Settings that do not start are undone."""
    daemon, good = made(first), replace(first, new_journal=False, new_links=False)
    daemon.run(ready)
    while daemon.put_back is not None:
        put_back, failed = daemon.put_back, None
        good = replace(good, port=daemon.port)
        try:
            wanted = options(config.load(_existing(first.file)), daemon.port)
            daemon = made(wanted)
            daemon.run(lambda _daemon: None)
            good = wanted
        except SchartenError as error:
            log.error("the settings that a page saved do not start: %s", error)
            failed = error.by_language()
        if failed:
            put_back()
            daemon = made(replace(good, failed=failed))
            daemon.run(lambda _daemon: None)


def _existing(file: Path | None) -> Path | None:
    return file if file is not None and file.is_file() else None


def lan_address(configured: str) -> str:
    """Return the address at which other devices of the network reach this machine."""
    from scharten.display.hostnames import own_address

    if not ipaddress.ip_address(_numeric(configured)).is_loopback:
        return configured
    found = own_address()
    if found is None:
        raise SchartenError.coded("no_network")
    return found


def _numeric(host: str) -> str:
    return {"localhost": "127.0.0.1", "": "0.0.0.0"}.get(host, host)


def _greet(daemon: Any, no_browser: bool) -> None:
    """Print the links on a terminal; elsewhere, such as in a service's log, name the command that shows them."""
    url, local = daemon.page, daemon.options.here_only
    if not sys.stdout.isatty():
        typer.echo(words("run.plays", url=f"{url}/"))
        typer.echo(words("run.links", folder=daemon.options.folder))
    elif local:
        mine = f"?role=table#{_secret(daemon, 'table')}" if daemon.config.web.shared_machine else ""
        typer.echo(f"\n  {words('run.plays', url=f'{url}/{mine}')}\n")
        typer.echo(f"  {words('run.looking', url=f'{url}/?role=display')}")
        arbiter = f"{url}/?role=arbiter#{_secret(daemon, 'arbiter')}"
        typer.echo(f"  {words('run.arbiter', url=arbiter)}")
        typer.echo(f"  {words('run.local')}")
        typer.echo("" if mine else f"  {words('run.shared')}\n")
    else:
        _greet_lan(daemon, url)
    sys.stdout.flush()
    if not no_browser and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        webbrowser.open(f"{_at_this_machine(daemon, url)}/")


def _at_this_machine(daemon: Any, url: str) -> str:
    """Return the page's address where this machine's own roles are open."""
    return f"{urlsplit(url).scheme}://127.0.0.1:{daemon.port}" if daemon.options.open_here else url


def _greet_lan(daemon: Any, url: str) -> None:
    import segno

    for role in ("display", "table", "seat1", "seat2", "arbiter"):
        if role == "arbiter" and daemon.arbiter_needs_tls and not url.startswith("https"):
            typer.echo(f"  {words('run.arbiter_tls')}\n")
            continue
        fragment = "" if role == "display" else f"#{_secret(daemon, role)}"
        link = f"{url}/?role={role}{fragment}"
        typer.echo(f"  {role}: {link}")
        segno.make(link, error="l").terminal(compact=True)
    secure = url.startswith("https")
    if daemon.options.open_here:
        typer.echo(f"  {words('run.here', url=f'{_at_this_machine(daemon, url)}/')}\n")
    for key in ("run.everybody", "run.encrypted" if secure else "run.open", "run.broker"):
        typer.echo(f"  {words(key)}")
    typer.echo("")


def _secret(daemon: Any, role: str) -> str:
    from scharten.contract.roles import Account

    return str(daemon.secrets[Account(role)])
