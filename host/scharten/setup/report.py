"""What a report of a fault needs, without what is nobody's business: secrets, names of players, this machine's user."""

from __future__ import annotations

import getpass
import io
import json
import queue
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from scharten.config import JOURNAL, LOG, Config
from scharten.contract.topics import Topic, Topics
from scharten.display.status import HIDDEN, redacted
from scharten.errors import SchartenError
from scharten.journal.journal import JournalReader
from scharten.mqtt.address import BrokerAddress, parse_url
from scharten.mqtt.client import MqttClient
from scharten.players.store import FILE as REGISTER
from scharten.players.store import DamagedError, PlayerStore
from scharten.sensors.kept_throws import packages
from scharten.sensors.shown_throws import ShownThrows
from scharten.sensors.video import shown
from scharten.setup.doctor import PICTURES, SECRETS, examined
from scharten.setup.finding import Finding

NAMELESS: Final = "(name)"
MOST_GAMES: Final = 20
MOST_BYTES: Final = 8 << 20
"""Of the journal: the newest games that fit."""
PERSONAL: Final = frozenset({"names", "players", "event"})
"""Fields of a game whose texts a person typed; what is in them is hidden everywhere else too."""
_ADDRESS: Final = re.compile(r"(\w+://[^/\s\"'<>]+)/[^\s\"'<>]+")
"""What stands behind an address may be a secret of its own: a webhook's, a camera's."""
_HEALTH_S: Final = 5.0
_SHORTEST: Final = 2


@dataclass(frozen=True)
class ReportPart:
    """One file of a report and what it is, in words."""

    name: str
    what: str
    content: bytes


@dataclass
class Private:
    """What must not be told: exact `secrets`, and `names` as whole words."""

    secrets: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def hidden(self, text: str) -> str:
        """The text without any of them, and without accounts in addresses."""
        text = _ADDRESS.sub(r"\1/…", str(redacted(text, self.secrets))).replace(str(Path.home()), "~")
        if not self.names:
            return text
        names = "|".join(re.escape(one) for one in sorted(self.names, key=len, reverse=True))
        return re.sub(rf"(?<!\w)(?:{names})(?!\w)", NAMELESS, text, flags=re.IGNORECASE)

    def stripped(self, value: Any) -> Any:
        """JSON without what persons typed into its fields; it is remembered, to be hidden elsewhere."""
        if isinstance(value, Mapping):
            return {
                key: self._taken(each) if key in PERSONAL else self.stripped(each)
                for key, each in value.items()
            }
        return [self.stripped(each) for each in value] if isinstance(value, list) else value

    def _taken(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: self._taken(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self._taken(each) for each in value]
        if isinstance(value, str) and value:
            self.names |= _words(value)
            return NAMELESS
        return value


def parts(settings: Config, folder: Path, pictures: int) -> list[ReportPart]:
    """Everything of a report, in the order in which it is read; `pictures`: of so many throws."""
    private = Private(_secrets(settings, folder))
    private.names |= _register(folder) | _words(settings.board.club) | _words(settings.board.event)
    games = _games(folder, private)  # first: its names are hidden in all that follows
    findings = list(examined(settings, folder))
    texts = [
        ("about.txt", "versions, system and what doctor finds", "\n".join(_lines(findings))),
        ("health.json", "what the running daemon says of itself", _health(settings, folder)),
        ("configuration.json", "settings, without secrets", _configuration(settings, private)),
        ("log.txt", "the last lines of the log", _log(folder)),
        ("journal.jsonl", f"the newest games, at most {MOST_GAMES}, without names", games),
    ]
    found = [ReportPart(name, what, private.hidden(text).encode()) for name, what, text in texts]
    return [*found, *_throws(folder, pictures)]


def packed(found: Iterable[ReportPart]) -> bytes:
    """All of it as one ZIP file."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        for part in found:
            file.writestr(part.name, part.content)
    return whole.getvalue()


def _secrets(settings: Config, folder: Path) -> set[str]:
    """Every secret of this folder, and of the folder with the logins at another broker."""
    found: set[str] = set()
    with suppress(OSError, ValueError):
        found |= {str(one) for one in json.loads((folder / SECRETS).read_text()).values()}
    kept = Path(settings.broker.credentials) if settings.broker.credentials else None
    for path in kept.iterdir() if kept and kept.is_dir() else ():
        with suppress(OSError, UnicodeDecodeError):
            found |= set(path.read_text().split())
    for hook in settings.homes.webhooks:
        with suppress(OSError, UnicodeDecodeError):
            found |= set((folder / hook.secret_file).read_text().split())
    return {one for one in found if len(one) >= _SHORTEST}


def _register(folder: Path) -> set[str]:
    names = {getpass.getuser()} - {"root"}
    if (folder / REGISTER).is_file():
        with suppress(DamagedError, SchartenError, OSError):  # it keeps nobody from telling of a fault
            names |= {one.profile.name for one in PlayerStore(folder).players()}
    return {part for name in names for part in _words(name)}


def _words(name: str) -> set[str]:
    """A name and each of its words."""
    return {one for one in (name.strip(), *name.split()) if len(one) >= _SHORTEST}


def _lines(findings: Iterable[Finding]) -> Iterator[str]:
    for found in findings:
        if found.code == "people":
            yield f"{found.weight.mark} several people have an account on this machine"
            continue
        words, todo = found.words()
        yield f"{found.weight.mark} {words}" + (f"\n    → {todo}" if todo else "")


def _health(settings: Config, folder: Path) -> str:
    """The retained `health` of the daemon that runs on this folder, as anybody may read it."""
    try:
        running = json.loads((folder / "running.json").read_text())
        own = BrokerAddress(running["broker"]["host"], running["broker"]["port"])
        ca_file = Path(settings.broker.ca_file) if settings.broker.ca_file else None
        address = own if settings.broker.url == "embedded" else parse_url(settings.broker.url, ca_file)
        topics = Topics(running["prefix"], running["club"], running["board"])
    except (OSError, ValueError, KeyError):
        return "no daemon runs on this folder"
    heard: queue.Queue[bytes] = queue.Queue(4)
    client = MqttClient(address, name="scharten-report", quiet=True)
    client.subscribe(topics.of(Topic.HEALTH), lambda _topic, payload, _kept: heard.put(payload))
    client.start()
    try:
        return json.dumps(json.loads(heard.get(timeout=_HEALTH_S)), ensure_ascii=False, indent=1)
    except (queue.Empty, ValueError):
        return f"the daemon told nothing: {client.status.words}"
    finally:
        client.stop()


def _configuration(settings: Config, private: Private) -> str:
    data = settings.model_dump(mode="json")
    data["source"]["camera"]["devices"] = [shown(one) for one in settings.source.camera.devices]
    return json.dumps(redacted(data, private.secrets), ensure_ascii=False, indent=1)


def _log(folder: Path) -> str:
    texts = []
    for name in (f"{LOG}.1", LOG):
        with suppress(OSError):
            texts.append((folder / name).read_text(encoding="utf-8", errors="replace"))
    return "".join(texts) or "no log is kept in this folder"


def _games(folder: Path, private: Private) -> str:
    """The newest games, each as a line with how it began and a line for every input; texts of persons left out."""
    path = folder / JOURNAL
    if not path.is_file():
        return ""
    chosen: list[str] = []
    size = 0
    try:
        with closing(JournalReader(path)) as reader:
            for match in list(reversed(reader.matches()))[:MOST_GAMES]:
                lines = [_line(private, match=match.id, start=json.loads(match.start))]
                lines += [
                    _line(private, n=one.n, t_ms=one.t_ms, body=json.loads(one.body), digest=one.digest)
                    for one in reader.inputs(match.id)
                ]
                size += sum(map(len, lines))
                if size > MOST_BYTES and chosen:
                    break
                chosen = [*lines, *chosen]
    except (SchartenError, ValueError) as error:
        return f"the journal cannot be read: {error}"
    return "\n".join(chosen) + "\n"


def _line(private: Private, **told: Any) -> str:
    return json.dumps(private.stripped(told), ensure_ascii=False)


def _throws(folder: Path, count: int) -> Iterator[ReportPart]:
    kept = folder / PICTURES
    with suppress(SchartenError):
        for package in packages(kept)[-count:] if count else ():
            content = ShownThrows(kept).packed(_at_ms(package))
            if content is not None:
                yield ReportPart(
                    f"throws/{package.name}.zip", "pictures of a throw: they show the room", content
                )


def _at_ms(package: Path) -> int:
    return int(json.loads((package / "result.json").read_text(encoding="utf-8"))["at_ms"])


HIDDEN_WORDS: Final = f"Secrets are {HIDDEN}, names {NAMELESS}."
