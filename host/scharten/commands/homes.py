"""`scharten homes`: lamps, webhooks and Home Assistant, shown and tried."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from pathlib import Path
from typing import Annotated

import typer

from scharten import config
from scharten.commands.options import ConfigFile
from scharten.commands.words import chosen_language, words
from scharten.daemon.systemd import Stopping
from scharten.errors import SchartenError
from scharten.homes.happenings import HomeEvent
from scharten.homes.settings import HomesSection, read_keys
from scharten.mqtt.address import redacted
from scharten.sensors.simulator.endpoint import Endpoint
from scharten.setup.running_daemon import running_file
from scharten.system.log_limit import start_log

CONNECT_S = 3.0


def homes(
    *,
    config_file: ConfigFile = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder of the board, with the webhooks' secrets.")
    ] = None,
    trial: Annotated[
        HomeEvent | None, typer.Option("--try", help="Send this event once to every lamp and webhook.")
    ] = None,
    child: Annotated[Path | None, typer.Option(hidden=True, help="The daemon's own process.")] = None,
    parent: Annotated[
        int, typer.Option(hidden=True, help="The parent process, whose end ends this one.")
    ] = 0,
) -> None:
    """List the configured lamps, webhooks and Home Assistant; with --try, try the lamps and webhooks.

    `scharten run` serves everything in the table `homes` of the configuration. Exit status 1 when a trial fails.

        scharten homes --try fogling
    """
    folder = data or config.data_folder()
    if child is not None:
        _serve(child, folder, parent)
        return
    settings = config.load(config.find(config_file, folder))
    if trial is not None:
        raise typer.Exit(_try(settings, folder, trial))
    section = settings.homes
    typer.echo(words("homes.announced" if section.home_assistant else "homes.not_announced"))
    if section.home_assistant:
        typer.echo(f"    {_where_to_connect(settings, folder)}")
    for lamp in section.lamps:
        shows = ", ".join(f"{event} {preset}" for event, preset in lamp.presets.items())
        typer.echo(words("homes.lamp", name=lamp.name, url=lamp.url, shows=shows, idle=lamp.idle))
    for webhook in section.webhooks:
        typer.echo(words("homes.webhook", name=webhook.name, events=", ".join(webhook.events)))
    if not section.lamps and not section.webhooks:
        typer.echo(words("homes.none"))


def _where_to_connect(settings: config.Config, folder: Path) -> str:
    """Return what to enter in Home Assistant's MQTT integration."""
    account, broker = settings.homes.buttons or "lamps", settings.broker
    if broker.url == "embedded":
        secret = f'its password is "{account}" in {folder / "secrets.json"}'
        port = (running_file(folder) or {}).get("broker", {}).get("port", broker.port)
        return f"it connects to 127.0.0.1 port {port} as {account}; {secret}"
    return f"it connects to {redacted(broker.url)} as {settings.board.id}-{account}"


def _try(settings: config.Config, folder: Path, happened: HomeEvent) -> int:
    """Tell of each lamp and webhook; cameras hear of it from the board that plays with this folder, if one does."""
    from scharten.contract.topics import Topics
    from scharten.homes.client import Homes
    from scharten.homes.process import FILE
    from scharten.mqtt.client import MqttClient

    section, broker = settings.homes, settings.broker
    if not section.lamps and not section.webhooks:
        raise SchartenError.coded("no_homes")
    tried = Homes(section, read_keys(section, folder), Topics(broker.prefix, broker.club, settings.board.id))
    client = None
    if section.lamps and running_file(folder) and (folder / FILE).exists():
        client = MqttClient(_read(folder / FILE)[1].address, name="homes")
        client.start()
        until = time.monotonic() + CONNECT_S
        while not client.status.connected and time.monotonic() < until:
            time.sleep(0.02)
    try:
        outcomes = asyncio.run(tried.tried(happened, tried.announcing(client) if client else _nobody))
    finally:
        if client is not None:
            client.stop()
    for what, outcome in outcomes:
        tried_words = [what[chosen_language()], *filter(None, [outcome.why.get(chosen_language())])]
        typer.echo(f"{'✓' if outcome.good else '✗'} {' → '.join(tried_words)}")
    return int(not all(outcome.good for _, outcome in outcomes))


def _nobody(_by: str, _for_ms: int) -> None:
    """No board plays: no camera to tell."""


def _read(file: Path) -> tuple[HomesSection, Endpoint]:
    """Read the settings that the daemon wrote for this process."""
    try:
        written = json.loads(file.read_text(encoding="utf-8"))
        return HomesSection.model_validate(written["homes"]), Endpoint.model_validate(written["endpoint"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SchartenError.coded("running_file", path=file, why=error) from error


def _serve(file: Path, folder: Path, parent: int) -> None:
    """The daemon's process: until it is asked to end, or the daemon is gone."""
    from scharten.homes.client import Homes

    start_log(style="%(asctime)s %(levelname)s homes: %(message)s")
    stopping = Stopping()
    signal.signal(signal.SIGTERM, lambda _number, _frame: stopping.ask())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the daemon too, which ends this one
    os.nice(10)  # the referee goes first
    section, endpoint = _read(file)
    homes = Homes(section, read_keys(section, folder), endpoint.topics)
    asyncio.run(homes.run(endpoint.address, lambda: stopping.requested() or os.getppid() != parent))
