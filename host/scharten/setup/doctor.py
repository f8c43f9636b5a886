"""What can keep a game from being played on this machine, looked at one after another."""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import platform
import pwd
import shutil
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from scharten import __version__
from scharten.config import JOURNAL, Config
from scharten.errors import SchartenError
from scharten.setup.doctor_parts import SOURCE_CHECKS, answers
from scharten.setup.finding import Cure, Finding, bad, good, warns

PACKAGES = ("paho-mqtt", "aiohttp", "pydantic", "pyserial", "numpy", "opencv-python-headless")
ROOM_MB = 200
BACKUPS, PICTURES, SECRETS = "backups", "replays", "secrets.json"
"""In the data folder: copies of the journal that a button makes, pictures of throws, the secrets of the roles."""
_OLDEST = 1_750_000_000  # a date before this program was written
_UNSYNCHRONISED = 5  # what adjtimex(2) gives
Check = Callable[[Config, Path], Iterator[Finding]]


def examined(settings: Config, folder: Path) -> Iterator[Finding]:
    """Every finding, in order; what fails in words is a finding too."""
    for check in CHECKS:
        try:
            yield from check(settings, folder)
        except SchartenError as error:
            yield bad("trouble", words=error.message, cure=error.cure)


def people(accounts: Iterable[pwd.struct_passwd]) -> list[str]:
    """The names of those who can log in and are not services."""
    shells = [one for one in accounts if 1000 <= one.pw_uid < 60000]
    return [one.pw_name for one in shells if Path(one.pw_shell).name not in ("nologin", "false", "")]


def megabytes(folder: Path) -> int:
    """How much the files below a folder take."""
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file()) >> 20


def _versions(settings: Config, folder: Path) -> Iterator[Finding]:
    system = platform.platform(terse=True)
    yield good("versions", version=__version__, python=platform.python_version(), system=system)
    yield good("packages", packages=", ".join(f"{one} {importlib.metadata.version(one)}" for one in PACKAGES))
    yield good("user", user=os.geteuid()) if os.geteuid() else warns("root")


def _folder(settings: Config, folder: Path) -> Iterator[Finding]:
    place = folder if folder.exists() else next(one for one in folder.parents if one.exists())
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
    reader = JournalReader(path)
    try:
        match = going_on(reader, GAMES_BY_KEY)
        games = len([one for one in reader.matches() if not one.id.startswith("setup-")])
    finally:
        reader.close()
    if match and match.id:
        yield good("journal", path=path, games=games, match=match.id, phase=match.phase.name)
    else:
        yield good("journal_idle", path=path, games=games)
    copies = sorted((folder / BACKUPS).glob("*.sqlite3"), key=lambda one: one.stat().st_mtime)
    if copies:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(copies[-1].stat().st_mtime))
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
    """Whether the kernel says that a time service keeps the clock right."""
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


CHECKS: tuple[Check, ...] = (_versions, _folder, _journal, _clock, _web, *SOURCE_CHECKS)
