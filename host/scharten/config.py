"""The configuration file: every key optional, an unknown one an error that names the nearest known one.

`parse` takes text and gives values; `load` reads the file. docs/configuration.md lists every key.
"""

from __future__ import annotations

import ipaddress
import os
import re
import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    ValidationError,
    create_model,
    field_validator,
    model_serializer,
    model_validator,
)

from scharten.config_errors import wrong_keys
from scharten.errors import Problem, SchartenError
from scharten.game.options import GameOptions
from scharten.games import GAMES, GAMES_BY_KEY
from scharten.homes.settings import HomesSection, TopicName
from scharten.match.clock import parse_clock
from scharten.opponent.settings import OpponentSection
from scharten.remote.settings import RemoteSection
from scharten.sensors.kinds import SourceSection
from scharten.sensors.sensor import CAMERA
from scharten.words import LANGUAGES

FIRST = GAMES[0]
"""The game whose options stand directly in `[game]`; those of another game stand in `[game.<its key>]`."""
FirstOptions: Any = FIRST.options_model


JOURNAL = "scharten.sqlite3"
FILE = "scharten.toml"
LOG = "scharten.log"
"""Files in the data folder: the journal, the configuration, the last lines of the log."""


def data_folder() -> Path:
    """Where journal, secrets and profiles are kept unless `--data` names another folder."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "scharten"


class Section(BaseModel):
    """A table of the file: frozen, and closed to unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BoardSection(Section):
    """The dartboard's profile, the event on its score sheets, and how the players sit at it."""

    id: TopicName = "board1"
    event: str = Field("", max_length=80)
    club: str = Field("", max_length=40)
    profile: str = "simulated"
    white_sits_at: Literal[3, 20] = 3


class _GameSection(FirstOptions):  # type: ignore[misc]  # a model that the table of games names
    """The game to play, and the options of a new one of each game."""

    game: str

    def written(self, key: str) -> GameOptions:
        """The options of one game as the file has them; what the file leaves out is not in `model_fields_set`."""
        if key != FIRST.key:
            options: GameOptions = getattr(self, key)
            return options
        known = FIRST.options_model.model_fields
        return FIRST.options_model(
            **{name: getattr(self, name) for name in known if name in self.model_fields_set}
        )

    @model_validator(mode="after")
    def _clocks(self) -> _GameSection:
        """A game that could not begin is refused here, where the key can be named."""
        for key in GAMES_BY_KEY:
            written = self.written(key).clock
            clock = parse_clock(written.model_dump(exclude_none=True)) if written else None
            if isinstance(clock, Problem):
                raise ValueError(f"{'' if key == FIRST.key else key + '.'}clock: {clock.words}")
        return self

    @model_serializer(mode="plain")
    def _by_game(self) -> dict[str, Any]:
        return {"game": self.game} | {key: self.written(key).model_dump(mode="json") for key in GAMES_BY_KEY}


_keys: dict[str, Any] = {
    "game": (Literal[tuple(GAMES_BY_KEY)], FIRST.key),
    **{game.key: (game.options_model, Field(default_factory=game.options_model)) for game in GAMES[1:]},
}
GameSection = create_model("GameSection", __base__=_GameSection, **_keys)


class BrokerSection(Section):
    """The MQTT broker: the embedded one, or another by its address."""

    url: str = Field("embedded", pattern=r"^(embedded|mqtts?://[^\s/@]+(:\d+)?/?)$")
    port: int = Field(1883, ge=0, le=65535)
    prefix: TopicName = "scharten"
    club: TopicName = "home"
    credentials: str = ""
    ca_file: str = ""


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


class Certificate(Section):
    """A certificate of yours, as PEM files; without `key` the certificate's file holds it too."""

    cert: str
    key: str = ""


class WebSection(Section):
    """The page's server."""

    host: str = "127.0.0.1"
    port: int = Field(8765, ge=0, le=65535)
    origins: tuple[str, ...] = ()
    tls: StrictBool | Certificate = False
    arbiter_without_tls: bool = False
    shared_machine: bool = False
    follow_delay_s: int = Field(60, ge=0, le=3600)
    language: str = ""
    proxy: str = ""

    @field_validator("host")
    @classmethod
    def _address(cls, host: str) -> str:
        if host not in ("", "localhost") and not _is_address(host):
            raise ValueError("use an address such as 127.0.0.1, 192.168.1.20 or 0.0.0.0 (all)")
        return host

    @field_validator("language")
    @classmethod
    def _known_language(cls, language: str) -> str:
        if language not in ("", *LANGUAGES):
            raise ValueError(f'use {", ".join(LANGUAGES)}, or "" for the browser\'s language')
        return language

    @field_validator("proxy")
    @classmethod
    def _another_machine(cls, proxy: str) -> str:
        if proxy and (not _is_address(proxy) or proxy in ("127.0.0.1", "::1")):
            raise ValueError("use the address of the proxy's own machine or container, such as 172.30.32.2")
        return proxy

    @field_validator("origins")
    @classmethod
    def _page_addresses(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if not re.fullmatch(r"https?://[^\s/@?#]+", origin):
                raise ValueError(f"{origin!r}: use an address such as https://club.example, without a path")
        return origins


class ClubSection(Section):
    """The evenings of `scharten club`."""

    publish: str = ""
    skills: bool = False


class BackupSection(Section):
    """The daily copy of the data folder."""

    folder: str = ""


class UpdateSection(Section):
    """The file that names the newest version of this program."""

    file: str = ""


class Config(Section):
    """The whole file."""

    board: BoardSection = BoardSection()
    game: GameSection = Field(default_factory=GameSection)
    source: SourceSection = SourceSection()
    broker: BrokerSection = BrokerSection()
    web: WebSection = WebSection()
    homes: HomesSection = HomesSection()
    backup: BackupSection = BackupSection()
    update: UpdateSection = UpdateSection()
    club: ClubSection = ClubSection()
    remote: RemoteSection = RemoteSection()
    opponent: OpponentSection = OpponentSection()
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @property
    def game_key(self) -> str:
        """The game of `new_game` where the command names none."""
        return str(getattr(self.game, "game"))  # noqa: B009  (the section's type is made from the table of games)

    def options(self, key: str) -> GameOptions:
        """The options of a game by its key, with what depends on the source filled in.

        Darts are armed by themselves on the simulated board only. A dart that fell out counts where a contact felt
        it; cameras must see it in the board.
        """
        section: Any = self.game
        written: GameOptions = section.written(key)
        by_source = {
            "arming": "auto" if self.source.kinds == ("simulated",) else "announce",
            "bounce_counts": CAMERA not in self.source.kinds,
        }
        return written.model_copy(
            update={name: value for name, value in by_source.items() if name not in written.model_fields_set}
        )


def parse(text: str, name: str = "the configuration") -> Config:
    """The configuration in a TOML text; `SchartenError` names each wrong key and the nearest known one."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also what is nested, or counted, without end
        raise SchartenError.coded("not_toml", name=name, why=error) from error
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        lines = wrong_keys(error.errors(), Config)
        raise SchartenError.coded(
            "wrong_keys", name=name, lines="\n".join(f"  {line}" for line in lines)
        ) from error


def load(path: Path | None) -> Config:
    """The configuration in a file, or the defaults when there is none."""
    if path is None:
        return Config()
    try:
        return parse(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise SchartenError.coded("config_unreadable", path=path, why=error) from error


def find(named: Path | None, folder: Path) -> Path | None:
    """The file that was named, else `scharten.toml` in the data folder if there is one."""
    beside = folder / FILE
    return named or (beside if beside.is_file() else None)
