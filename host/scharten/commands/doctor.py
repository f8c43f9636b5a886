"""`scharten doctor`: what is there, what is not, and what to do about it, in words."""

from __future__ import annotations

import grp
import importlib.metadata
import os
import platform
import pwd
import shutil
import socket
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from scharten import __version__, config
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress, parse_url

PACKAGES = ("paho-mqtt", "aiohttp", "pydantic", "pyserial", "numpy", "opencv-python-headless")
ROOM_MB = 200


class Finding(NamedTuple):
    """One thing looked at: whether play can go on with it, what was found, and the cure, also of what only warns."""

    good: bool
    words: str
    cure: str = ""
    warns: bool = False

    @property
    def mark(self) -> str:
        """✓ in order, ! not wise, ✗ keeps a game from being played."""
        return "✗" if not self.good else "!" if self.warns else "✓"


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command()
    def doctor(
        config_file: Annotated[
            Path | None, typer.Option("--config", help="The configuration to check.")
        ] = None,
        data: Annotated[
            Path | None, typer.Option("--data", help="The folder with journal and secrets.")
        ] = None,
        broker: Annotated[
            str, typer.Option(help="Look at this broker instead: does it give what the contract needs?")
        ] = "",
        password_file: Annotated[
            Path | None, typer.Option(help="With --broker: file with the password of its account.")
        ] = None,
        ca_file: Annotated[
            Path | None, typer.Option(help="With --broker: certificate that signs its.")
        ] = None,
    ) -> None:
        """Look at versions, folder, journal, ports, broker, board and cameras; say what is wrong and the cure.

        Exit status 0 when nothing keeps a game from being played.
        """
        if broker:
            raise typer.Exit(_try_broker(broker, password_file, ca_file))
        folder = data or config.data_folder()
        settings = config.load(config.find(config_file, folder))
        failed = 0
        for check in CHECKS:
            for found in _guarded(check, settings, folder):
                typer.echo(f"{found.mark} {found.words}")
                if found.mark != "✓" and found.cure:
                    typer.echo(f"    → {found.cure}")
                failed += not found.good
        typer.echo("Nothing keeps a game from being played." if not failed else f"{failed} to put right.")
        raise typer.Exit(1 if failed else 0)


def _try_broker(url: str, password_file: Path | None, ca_file: Path | None) -> int:
    """Tell of each trial; 1 when something breaks that boards and pages need."""
    from scharten.mqtt.address import Credentials
    from scharten.mqtt.fitness import trials
    from scharten.mqtt.secrets import read_password

    address = parse_url(url, ca_file)
    if password_file is not None and address.account is not None:
        address = address.for_account(Credentials(address.account.username, read_password(password_file)))
    unfit = 0
    for trial in trials(address):
        typer.echo(f"{'✓' if trial.works else '✗'} {trial.what}")
        if not trial.works:
            typer.echo(f"    → {trial.breaks}")
        unfit += not trial.works
    typer.echo(f"{address} is fit." if not unfit else f"{unfit} of these {address} does not do.")
    return int(unfit > 0)


Check = Callable[[config.Config, Path], Iterator[Finding]]


def _guarded(check: Check, settings: config.Config, folder: Path) -> Iterator[Finding]:
    try:
        yield from check(settings, folder)
    except SchartenError as error:
        yield Finding(False, error.message, error.cure)


def _versions(settings: config.Config, folder: Path) -> Iterator[Finding]:
    yield Finding(
        True, f"Scharten {__version__}, Python {platform.python_version()}, {platform.platform(terse=True)}"
    )
    versions = [f"{name} {importlib.metadata.version(name)}" for name in PACKAGES]
    yield Finding(True, ", ".join(versions))
    if os.geteuid():
        yield Finding(True, f"running as user {os.geteuid()}")
    else:
        cure = "deploy/scharten.service runs it as a user of its own."
        yield Finding(True, "running as root: not needed, and not wise", cure, warns=True)


def _folder(settings: config.Config, folder: Path) -> Iterator[Finding]:
    place = folder if folder.exists() else next(one for one in folder.parents if one.exists())
    writable = os.access(place, os.W_OK)
    yield Finding(writable, f"data folder {folder}", "Choose another with --data.")
    free = shutil.disk_usage(place).free // 2**20
    yield Finding(free > ROOM_MB, f"{free} MB free there", f"Make room: below {ROOM_MB} MB is too little.")


def _journal(settings: config.Config, folder: Path) -> Iterator[Finding]:
    from scharten.games import GAMES_BY_KEY
    from scharten.journal.journal import JournalReader
    from scharten.journal.replay import going_on

    path = folder / config.JOURNAL
    if not path.exists():
        yield Finding(True, f"no journal yet at {path}: the first start makes it")
        return
    reader = JournalReader(path)
    try:
        match = going_on(reader, GAMES_BY_KEY)
        games = len([one for one in reader.matches() if not one.id.startswith("setup-")])
    finally:
        reader.close()
    goes_on = f"match {match.id} ({match.phase.name}) replays" if match and match.id else "no game begun"
    yield Finding(True, f"journal {path}: {games} games, {goes_on}")


def _web(settings: config.Config, folder: Path) -> Iterator[Finding]:
    web = settings.web
    others = [] if web.shared_machine else people(pwd.getpwall())
    if len(others) > 1:
        words = f"{', '.join(others[:5])} have an account on this machine: each can play as the table"
        yield Finding(True, words, "[web] shared_machine = true asks for a secret here too.", warns=True)
    if _answers(web.host, web.port):
        yield Finding(True, f"something serves {web.host}:{web.port} already: Scharten itself, if it runs")
        return
    with socket.socket(socket.AF_INET6 if ":" in web.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((web.host, web.port))
        except OSError as error:
            yield Finding(
                False,
                f"the page cannot use {web.host}:{web.port}: {error.strerror}",
                "Choose another --port.",
            )
            return
    yield Finding(True, f"the page can use {web.host}:{web.port}")


def people(accounts: Iterable[pwd.struct_passwd]) -> list[str]:
    """The names of those who can log in and are no service."""
    shells = [one for one in accounts if 1000 <= one.pw_uid < 60000]
    return [one.pw_name for one in shells if Path(one.pw_shell).name not in ("nologin", "false", "")]


def _broker(settings: config.Config, folder: Path) -> Iterator[Finding]:
    if settings.broker.url == "embedded":
        yield Finding(True, "broker: the embedded one, on this machine only")
        return
    ca_file = settings.broker.ca_file
    address = parse_url(settings.broker.url, Path(ca_file) if ca_file else None)
    host, port = address.host, address.port
    if not _answers(host, port):
        yield Finding(False, f"no broker answers at {host}:{port}", "Start it, or correct [broker] url.")
        return
    yield Finding(True, f"a broker answers at {host}:{port}")
    yield from _open_door(settings, address)


def _open_door(settings: config.Config, address: BrokerAddress) -> Iterator[Finding]:
    from scharten.contract.roles import Account
    from scharten.contract.topics import Topics
    from scharten.mqtt.check import check_broker
    from scharten.mqtt.secrets import stored_login

    broker = settings.broker
    host = stored_login(broker.credentials, settings.board.id, Account.HOST)
    found = check_broker(address.for_account(host), Topics(broker.prefix, broker.club, settings.board.id))
    unknown = found.closed is None
    yield Finding(found.closed is not False, found.words, "See 'scharten broker-config'.", warns=unknown)


def _source(settings: config.Config, folder: Path) -> Iterator[Finding]:
    from scharten.sensors.profiles import load_profile

    source = settings.source
    if source.kind in ("simulated", "serial"):
        profile = load_profile(settings.board.profile, folder)
        yield Finding(True, f"board profile {profile.name}: {len(profile.beds)} contacts")
    if source.kind != "serial":
        yield Finding(True, f"darts come from: {source.kind}")
        return
    port = Path(source.serial.port)
    seen = sorted(Path("/dev/serial/by-id").glob("*"))
    there = ", ".join(str(one) for one in seen) or "none"
    yield Finding(port.exists(), f"serial port {port}", f"It is not there. Ports seen: {there}.")
    if port.exists():
        allowed = os.access(port, os.R_OK | os.W_OK)
        yield Finding(allowed, f"this user may use {port}", _group_cure("dialout"))


def _cameras(settings: config.Config, folder: Path) -> Iterator[Finding]:
    seen = sorted(Path("/dev/v4l/by-id").glob("*-index0"))
    if settings.source.kind != "camera":
        yield Finding(True, f"cameras seen: {len(seen)} (not used)")
        return
    for device in settings.source.camera.devices:
        path = Path(f"/dev/video{device}") if device.isdigit() else Path(device)
        if "://" in device:
            yield Finding(True, f"camera {device.partition('://')[0]}://…: tried when it is started")
        elif not path.exists():
            there = ", ".join(str(one) for one in seen) or "none"
            yield Finding(False, f"camera {path} is not there", f"Plug it in, or name one of: {there}.")
        else:
            yield Finding(os.access(path, os.R_OK), f"camera {path}", _group_cure("video"))


def _calibration(settings: config.Config, folder: Path) -> Iterator[Finding]:
    from scharten.sensors.rig_files import find_rig, matched

    camera = settings.source.camera
    if settings.source.kind == "camera":
        rig = matched(find_rig(camera.calibration, folder), tuple(camera.devices))
        yield Finding(True, f"calibration {rig.path}: {len(rig.cameras)} cameras")


def _group_cure(name: str) -> str:
    try:
        grp.getgrnam(name)
    except KeyError:
        return "Give this user the right to read and write it."
    return f"sudo usermod -aG {name} $USER, then log in again."


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


CHECKS: tuple[Check, ...] = (_versions, _folder, _journal, _web, _broker, _source, _cameras, _calibration)
