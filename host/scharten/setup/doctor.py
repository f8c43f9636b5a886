"""The checks of everything that can prevent a game on this machine."""

from __future__ import annotations

import ctypes
import datetime
import importlib.metadata
import os
import platform
import pwd
import shutil
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

from scharten import __version__
from scharten.backup import newest_copy
from scharten.config import JOURNAL, Certificate, Config
from scharten.contract.roles import Account
from scharten.contract.topics import Topic, Topics
from scharten.errors import Problem, SchartenError
from scharten.match.inputs import SensorState
from scharten.mqtt.address import BrokerAddress, parse_url
from scharten.sensors.profiles import load_profile
from scharten.setup.finding import Cure, Finding, bad, good, warns
from scharten.system.newer import find_newer

PACKAGES = ("paho-mqtt", "aiohttp", "pydantic", "pyserial", "numpy", "opencv-python-headless")
ROOM_MB = 200
BACKUPS, PICTURES, SECRETS = "backups", "replays", "secrets.json"
"""In the data folder: copies of the whole folder, pictures of throws, the secrets of the roles."""
_OLDEST = 1_750_000_000  # a date before this program was written
_UNSYNCHRONISED = 5  # the result of adjtimex(2)
STARTS_MS = 15_000
"""A board or camera may take this long to report after a start."""
SOON = datetime.timedelta(days=30)
PORTS, CAMERAS = Path("/dev/serial/by-id"), Path("/dev/v4l/by-id")
Check = Callable[[Config, Path], Iterator[Finding]]


def examined(settings: Config, folder: Path) -> Iterator[Finding]:
    """Return every finding, in order; a check that raises `SchartenError` gives one too."""
    for check in CHECKS:
        try:
            yield from check(settings, folder)
        except SchartenError as error:
            yield bad("trouble", error=error)


def people(accounts: Iterable[pwd.struct_passwd]) -> list[str]:
    """Return the names of the accounts that can log in and are not services."""
    ours = [account for account in accounts if 1000 <= account.pw_uid < 60000]
    return [
        account.pw_name for account in ours if Path(account.pw_shell).name not in ("nologin", "false", "")
    ]


def megabytes(folder: Path) -> int:
    """Return the size of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) >> 20


def _versions(settings: Config, folder: Path) -> Iterator[Finding]:
    system = platform.platform(terse=True)
    yield good("versions", version=__version__, python=platform.python_version(), system=system)
    yield good(
        "packages", packages=", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    )
    yield good("user", user=os.geteuid()) if os.geteuid() else warns("root")


def _newer(settings: Config, folder: Path) -> Iterator[Finding]:
    try:
        found = find_newer(settings.update.file)
    except SchartenError as error:
        yield warns("newer_unknown", error=error)
        return
    if found is not None:
        warned = {"version": found.version, "running": __version__}
        yield warns("newer_apt", **warned) if found.source == "apt" else warns("newer_file", **warned)


def _folder(settings: Config, folder: Path) -> Iterator[Finding]:
    place = folder if folder.exists() else next(parent for parent in folder.parents if parent.exists())
    writable = os.access(place, os.W_OK)
    yield good("folder", folder=folder) if writable else bad("folder_closed", folder=folder)
    free = shutil.disk_usage(place).free >> 20
    if free > ROOM_MB:
        yield good("room", free=free)
    else:
        pictures = megabytes(folder / PICTURES)
        cure = Cure.DROP_PICTURES if pictures else None
        yield bad("room_low", cure, free=free, least=ROOM_MB, pictures=pictures)
    secrets = folder / SECRETS
    if secrets.exists() and secrets.stat().st_mode & 0o077:
        yield warns("secrets_open", Cure.CLOSE_SECRETS, file=secrets)


def _journal(settings: Config, folder: Path) -> Iterator[Finding]:
    from scharten.games import GAMES_BY_KEY  # noqa: PLC0415  (the rules are slow to load)
    from scharten.journal.examine import examine  # noqa: PLC0415
    from scharten.journal.journal import JournalReader  # noqa: PLC0415
    from scharten.journal.replay import going_on  # noqa: PLC0415

    path = folder / JOURNAL
    if not path.exists():
        yield good("journal_none", path=path)
        return
    damage = examine(path).damage
    if damage:
        yield bad("journal_damaged", path=path, damage=damage)
        return
    with closing(JournalReader(path)) as reader:
        match = going_on(reader, GAMES_BY_KEY)
        games = len([stored for stored in reader.matches() if not stored.id.startswith("setup-")])
    if match and match.id:
        yield good("journal", path=path, games=games, match=match.id, phase=match.phase.name)
    else:
        yield good("journal_idle", path=path, games=games)
    newest = newest_copy(folder / BACKUPS)
    if newest is not None:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(newest))
        yield good("copy", Cure.BACK_UP, when=when, folder=folder / BACKUPS)
    else:
        yield good("copy_none", Cure.BACK_UP, folder=folder / BACKUPS)


def _clock(settings: Config, folder: Path) -> Iterator[Finding]:
    now = time.strftime("%Y-%m-%d %H:%M")
    if time.time() < _OLDEST:
        yield bad("clock_wrong", now=now)
    elif clock_is_set():
        yield good("clock")
    else:
        yield warns("clock_free", now=now)


def clock_is_set() -> bool:
    """Return whether a time service keeps the clock right, as the kernel knows."""
    try:
        asked = ctypes.create_string_buffer(512)  # struct timex with modes 0: only asks
        return int(ctypes.CDLL(None).adjtimex(asked)) not in (_UNSYNCHRONISED, -1)
    except (OSError, AttributeError):
        return False


def _web(settings: Config, folder: Path) -> Iterator[Finding]:
    web = settings.web
    others = [] if web.shared_machine else people(pwd.getpwall())
    if len(others) > 1:
        yield warns("people", Cure.ASK_FOR_SECRETS, names=", ".join(others[:5]))
    if answers(web.host, web.port):
        yield good("page_served", host=web.host, port=web.port)
        return
    with socket.socket(socket.AF_INET6 if ":" in web.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((web.host, web.port))
        except OSError as error:
            yield bad("page_taken", host=web.host, port=web.port, why=error.strerror)
        else:
            yield good("page_free", host=web.host, port=web.port)


def answers(host: str, port: int) -> bool:
    """Return whether a program listens at this address."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def _broker(settings: Config, folder: Path) -> Iterator[Finding]:
    if settings.broker.url == "embedded":
        yield good("broker_own")
        return
    ca_file = settings.broker.ca_file
    address = parse_url(settings.broker.url, Path(ca_file) if ca_file else None)
    where = {"host": address.host, "port": address.port}
    if not answers(address.host, address.port):
        yield bad("broker_silent", **where)
        return
    yield good("broker", **where)
    yield _open_door(settings, address)


def _open_door(settings: Config, address: BrokerAddress) -> Finding:
    from scharten.club_broker.check import check_broker  # noqa: PLC0415  (brings MQTT)
    from scharten.mqtt.address import stored_login  # noqa: PLC0415

    broker = settings.broker
    host = stored_login(broker.credentials, settings.board.id, Account.HOST)
    found = check_broker(address.for_account(host), Topics(broker.prefix, broker.club, settings.board.id))
    weight = {True: good, False: bad, None: warns}[found.closed]
    return weight("broker_rights", words=found.words)


def _certificate(settings: Config, folder: Path) -> Iterator[Finding]:
    tls = settings.web.tls
    if not tls:
        yield good("tls_off")
        return
    path = Path(tls.cert) if isinstance(tls, Certificate) else folder / "tls" / "server.pem"
    if not path.exists() and not isinstance(tls, Certificate):
        yield good("tls_first")
        return
    until = certificate_ends(path)
    cure = None if isinstance(tls, Certificate) else Cure.NEW_CERTIFICATE
    now, day = datetime.datetime.now(datetime.UTC), f"{until:%Y-%m-%d}"
    if until <= now:
        yield bad("tls_ended", cure, until=day)
    elif until <= now + SOON:
        yield warns("tls_ends", cure, until=day)
    else:
        yield good("tls", until=day)


def certificate_ends(path: Path) -> datetime.datetime:
    """Return when a certificate in a PEM file ends; `SchartenError` when it cannot be used."""
    from cryptography import x509  # noqa: PLC0415  (slow to load, and rarely needed)

    try:
        return x509.load_pem_x509_certificate(path.read_bytes()).not_valid_after_utc
    except (OSError, ValueError) as error:
        raise SchartenError.coded("page_certificate", path=path, why=error) from error


def _source(settings: Config, folder: Path) -> Iterator[Finding]:
    source = settings.source
    if source.on_line:
        profile = load_profile(settings.board.profile, folder)
        yield good("profile", name=profile.name, contacts=len(profile.beds))
    if source.kinds != ("serial",):
        yield good("source", kind=" + ".join(source.kinds))
    lacking = source.unusable()
    if lacking is not None:
        yield bad(lacking.code)
    if "serial" not in source.kinds:
        return
    port = Path(source.serial.port)
    if not port.exists():
        yield bad("port_missing", port=port, seen=", ".join(map(str, sorted(PORTS.glob("*")))) or "–")
    elif os.access(port, os.R_OK | os.W_OK):
        yield good("port", port=port)
    else:
        yield bad("port_closed", port=port)


def _cameras(settings: Config, folder: Path) -> Iterator[Finding]:
    seen = sorted(CAMERAS.glob("*-index0"))
    if "camera" not in settings.source.kinds:
        yield good("cameras_unused", count=len(seen))
        return
    for device in settings.source.camera.devices:
        path = Path(f"/dev/video{device}") if device.isdigit() else Path(device)
        if "://" in device:
            yield good("camera_address", camera=f"{device.partition('://')[0]}://…")
        elif not path.exists():
            yield bad("camera_missing", camera=path, seen=", ".join(map(str, seen)) or "–")
        elif os.access(path, os.R_OK):
            yield good("camera", camera=path)
        else:
            yield bad("camera_closed", camera=path)


def _calibration(settings: Config, folder: Path) -> Iterator[Finding]:
    from scharten.sensors.rig_files import find_rig, matched  # noqa: PLC0415  (brings OpenCV)

    camera = settings.source.camera
    if "camera" in settings.source.kinds:
        rig = matched(find_rig(camera.calibration, folder), tuple(camera.devices))
        yield good("calibration", path=rig.path, count=len(rig.cameras))


def _engines(settings: Config, folder: Path) -> Iterator[Finding]:
    """Start each chess engine and ask what it can do."""
    from scharten.opponent.engines import EngineFacts, EngineList  # noqa: PLC0415  (the rules are slow to load)

    found = EngineList(settings.opponent).read()
    if not found:
        yield good("engines_none")
    for name, facts in found.items():
        if not isinstance(facts, EngineFacts):
            yield warns("engine_silent", name=name, why=facts.by_language)
        elif facts.strength is None:
            yield good("engine", name=name, title=facts.title)
        else:
            scale, least, most = facts.strength
            scale = {"elo": "Elo", "skill": "Skill"}[scale]
            yield good("engine_range", name=name, title=facts.title, scale=scale, least=least, most=most)


def _daemon(settings: Config, folder: Path) -> Iterator[Finding]:
    """Ask the daemon that runs on this folder; what it reports is true, whatever the files promise."""
    from scharten.setup.running_daemon import alive, retained  # noqa: PLC0415  (brings MQTT)

    if not alive(folder):
        yield good("daemon_none")
        return
    found = retained(settings, folder, (Topic.AVAILABILITY, Topic.HEALTH))
    health = {} if isinstance(found, Problem) else found.get(Topic.HEALTH, {})
    if not health:
        yield bad("daemon_silent")
        return
    if not health["playable"]:
        yield bad(
            "daemon_stopped",
            reason=health["reason"],
            cure=health["cure"] or "",
            notice=health.get("reason_code"),
        )
    for source in health["sources"]:
        yield _reported(source, young=time.time() * 1000 - health["started_ms"] < STARTS_MS)
    codes = {notice["words"]: notice["code"] for notice in health.get("notices", ())}
    for words in health["warnings"]:
        yield warns("daemon_warns", words=words, notice=codes.get(words))


def _reported(source: dict[str, str], young: bool) -> Finding:
    if source["state"] == SensorState.FOUND:
        return good("source_found", kind=source["name"])
    if young:
        return warns("source_waits", kind=source["name"])
    return bad("source_lost", kind=source["name"], detail=source["detail"], source=source.get("reason"))


CHECKS: tuple[Check, ...] = (
    *(_versions, _newer, _folder, _journal, _clock, _web),
    *(_broker, _certificate, _source, _cameras, _calibration, _engines, _daemon),
)
