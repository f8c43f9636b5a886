"""A report of a fault for its maintainer, without secrets, names of players and the user of this machine."""

from __future__ import annotations

import getpass
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from scharten.config import JOURNAL, LOG, Config
from scharten.contract.topics import Topic
from scharten.display.redaction import redacted
from scharten.errors import Problem, SchartenError
from scharten.journal.journal import JournalReader
from scharten.players.store import FILE as REGISTER
from scharten.players.store import DamagedError, PlayerStore
from scharten.sensors.kept_throws import packages
from scharten.sensors.shown_throws import ShownThrows
from scharten.sensors.video import shown
from scharten.setup.doctor import PICTURES, SECRETS, examined
from scharten.setup.finding import Finding
from scharten.setup.running_daemon import retained

NAMELESS: Final = "(name)"
MOST_GAMES: Final = 20
MOST_BYTES: Final = 8 << 20
"""Size of the games in a report: the newest that fit."""
PERSONAL: Final = frozenset({"names", "players", "event"})
"""Fields of a game with personal texts, which are hidden in the whole report."""
_ADDRESS: Final = re.compile(r"(\w+://[^/\s\"'<>]+)/[^\s\"'<>]+")
"""An address with a path that may be secret, such as a webhook's or a camera's."""
_SHORTEST: Final = 2


@dataclass(frozen=True)
class ReportPart:
    """A file of a report."""

    name: str
    content: bytes

    @property
    def topic(self) -> str:
        """The first part of its name; `command.report.<topic>` describes it."""
        return self.name.partition("/")[0].partition(".")[0]


@dataclass
class Private:
    """The texts that a report must not contain: exact `secrets`, and `names` as whole words."""

    secrets: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def hidden(self, text: str) -> str:
        """Return the text without any of them, and without accounts in addresses."""
        text = _ADDRESS.sub(r"\1/…", str(redacted(text, self.secrets))).replace(str(Path.home()), "~")
        if not self.names:
            return text
        names = "|".join(re.escape(name) for name in sorted(self.names, key=len, reverse=True))
        return re.sub(rf"(?<!\w)(?:{names})(?!\w)", NAMELESS, text, flags=re.IGNORECASE)

    def stripped(self, value: Any) -> Any:
        """Return JSON without the texts of persons, which are remembered and hidden elsewhere."""
        if isinstance(value, Mapping):
            return {
                key: self._taken(member) if key in PERSONAL else self.stripped(member)
                for key, member in value.items()
            }
        return [self.stripped(member) for member in value] if isinstance(value, list) else value

    def _taken(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: self._taken(member) for key, member in value.items()}
        if isinstance(value, list):
            return [self._taken(member) for member in value]
        if isinstance(value, str) and value:
            self.names |= _words(value)
            return NAMELESS
        return value


def parts(settings: Config, folder: Path, pictures: int) -> list[ReportPart]:
    """Return everything of a report, in reading order, with the pictures of the last `pictures` throws."""
    private = Private(_secrets(settings, folder))
    private.names |= _register(folder) | _words(settings.board.club) | _words(settings.board.event)
    games = _games(folder, private)  # first: its names are hidden in all that follows
    findings = list(examined(settings, folder))
    texts = [
        ("about.txt", "\n".join(_lines(findings))),
        ("health.json", _health(settings, folder)),
        ("configuration.json", _configuration(settings, private)),
        ("log.txt", _log(folder)),
        ("journal.jsonl", games),
    ]
    found = [ReportPart(name, private.hidden(text).encode()) for name, text in texts]
    return [*found, *_throws(folder, pictures)]


def packed(found: Iterable[ReportPart]) -> bytes:
    """Return all of it as one ZIP file."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file:
        for part in found:
            file.writestr(part.name, part.content)
    return whole.getvalue()


def _secrets(settings: Config, folder: Path) -> set[str]:
    """Return every secret of this folder, and of the folder with the logins at another broker."""
    found: set[str] = set()
    with suppress(OSError, ValueError):
        found |= set(map(str, json.loads((folder / SECRETS).read_text()).values()))
    logins = Path(settings.broker.credentials) if settings.broker.credentials else None
    for path in logins.iterdir() if logins and logins.is_dir() else ():
        with suppress(OSError, UnicodeDecodeError):
            found |= set(path.read_text().split())
    for hook in settings.homes.webhooks:
        with suppress(OSError, UnicodeDecodeError):
            found |= set((folder / hook.secret_file).read_text().split())
    return {secret for secret in found if len(secret) >= _SHORTEST}


def _register(folder: Path) -> set[str]:
    names = {getpass.getuser()} - {"root"}
    if (folder / REGISTER).is_file():
        with suppress(DamagedError, SchartenError, OSError):  # a damaged register must not prevent a report
            names |= {player.profile.name for player in PlayerStore(folder).players()}
    return {part for name in names for part in _words(name)}


def _words(name: str) -> set[str]:
    """Return a name and each of its words."""
    return {word for word in (name.strip(), *name.split()) if len(word) >= _SHORTEST}


def _lines(findings: Iterable[Finding]) -> Iterator[str]:
    for found in findings:
        if found.code == "people":
            yield f"{found.weight.mark} several people have an account on this machine"
            continue
        words, todo = found.words()
        yield f"{found.weight.mark} {words}" + (f"\n    → {todo}" if todo else "")


def _health(settings: Config, folder: Path) -> str:
    """Return the retained `health` of the daemon that runs on this folder."""
    found = retained(settings, folder, [Topic.HEALTH])
    if isinstance(found, Problem):
        return found.words
    return json.dumps(found[Topic.HEALTH], ensure_ascii=False, indent=1)


def _configuration(settings: Config, private: Private) -> str:
    data = settings.model_dump(mode="json")
    data["source"]["camera"]["devices"] = [shown(device) for device in settings.source.camera.devices]
    return json.dumps(redacted(data, private.secrets), ensure_ascii=False, indent=1)


def _log(folder: Path) -> str:
    texts = []
    for name in (f"{LOG}.1", LOG):
        with suppress(OSError):
            texts.append((folder / name).read_text(encoding="utf-8", errors="replace"))
    return "".join(texts) or "no log is kept in this folder"


def _games(folder: Path, private: Private) -> str:
    """Return the newest games without texts of persons: a line for the start of a game and a line for each input."""
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
                    _line(private, n=row.n, t_ms=row.t_ms, body=json.loads(row.body), digest=row.digest)
                    for row in reader.inputs(match.id)
                ]
                size += sum(map(len, lines))
                if size > MOST_BYTES and chosen:
                    break
                chosen = [*lines, *chosen]
    except (SchartenError, ValueError) as error:
        return f"the journal cannot be read: {error}"
    return "\n".join(chosen) + "\n"


def _line(private: Private, **fields: Any) -> str:
    return json.dumps(private.stripped(fields), ensure_ascii=False)


def _throws(folder: Path, count: int) -> Iterator[ReportPart]:
    pictures = folder / PICTURES
    with suppress(SchartenError):
        for package in packages(pictures)[-count:] if count else ():
            content = ShownThrows(pictures).packed(_at_ms(package))
            if content is not None:
                yield ReportPart(f"throws/{package.name}.zip", content)


def _at_ms(package: Path) -> int:
    return int(json.loads((package / "result.json").read_text(encoding="utf-8"))["at_ms"])
