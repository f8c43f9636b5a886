"""The configuration file: every key optional, an unknown one an error that names the nearest known one.

Values give values here; the file is read by `load`, at the edge, and nowhere else.
"""

from __future__ import annotations

import difflib
import ipaddress
import re
import tomllib
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails

from scharten.errors import SchartenError
from scharten.games.scharten.options import OptionsError, make_options
from scharten.match.clock import ClockError, parse_clock


class Section(BaseModel):
    """A table of the file: frozen, and closed to unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BoardSection(Section):
    """Which dartboard stands here and how the players sit at it."""

    id: str = Field("board1", pattern=r"^[a-z0-9_-]{1,32}$")
    profile: str = "simulated"
    white_sits_at: Literal[3, 20] = 3


class FoulLimit(Section):
    """Lost darts in a row that lose the game, per player (rules 6)."""

    white: int = Field(3, ge=1, le=99)
    black: int = Field(3, ge=1, le=99)


class ZoneLists(Section):
    """Zones as lists of fields per side (rules 6)."""

    white: tuple[str, ...]
    black: tuple[str, ...]


class StageSection(Section):
    """One stage of the clock: so many moves in so many minutes; `moves` absent is the rest of the game."""

    moves: int | None = Field(None, ge=1, le=1000)
    minutes: float = Field(gt=0, le=6000)


class ClockSection(Section):
    """The clock of a game (contract.md)."""

    stages: tuple[StageSection, ...] = Field(min_length=1, max_length=10)
    increment_s: float = Field(0, ge=0, le=3600)


class GameSection(Section):
    """What a new game offers; each key is an option of rules.md."""

    kind: Literal["loud", "silent"] = "loud"
    foul_limit: FoulLimit = FoulLimit()
    zones: Literal["half", "half_with_o", "home"] | ZoneLists = "half"
    support: Literal["field_value", "count"] = "field_value"
    protection: Literal["until_moved", "off"] | None = None
    double_step: Literal["first_move", "home_row"] = "first_move"
    touch_move: Literal["off", "on"] = "off"
    white_by: Literal["lot", "dart", "agreed"] = "agreed"
    arming: Literal["announce", "auto"] | None = None
    settle_ms: int = Field(1500, ge=0, le=60_000)
    bounce_counts: bool | None = None
    clock: ClockSection | None = None

    @model_validator(mode="after")
    def _playable(self) -> GameSection:
        """A game that could not begin is refused here, where the key can be named."""
        named, limit = self.zones, self.foul_limit
        zones = (
            named
            if isinstance(named, str)
            else f"white={','.join(named.white)};black={','.join(named.black)}"
        )
        rules = make_options(
            loud=self.kind == "loud",
            zones=zones,
            support=self.support,
            protection=self.protection,
            double_step=self.double_step,
            foul_limit=(limit.white, limit.black),
        )
        if isinstance(rules, OptionsError):
            raise ValueError(f"{rules.words}. {rules.cure}".strip())
        clock = parse_clock(self.clock.model_dump()) if self.clock else None
        if isinstance(clock, ClockError):
            raise ValueError(f"clock: {clock.words}")
        return self


class SerialSection(Section):
    """The electronic board's serial port, by its lasting name."""

    port: str = ""
    baud: Literal[115200, 250000] = 115200


class CameraSection(Section):
    """One to three cameras: a device, a file or a URL each, and the calibration written for them."""

    devices: tuple[str, ...] = Field((), max_length=3)
    calibration: str = "cameras"
    fps: int = Field(30, ge=1, le=120)
    replays: str = "replays"
    replays_mb: int = Field(500, ge=0, le=1_000_000)


class SourceSection(Section):
    """Where darts come from; a configured source that is missing is shown as missing, never replaced."""

    kind: Literal["simulated", "serial", "camera", "granboard"] = "simulated"
    serial: SerialSection = SerialSection()
    camera: CameraSection = CameraSection()
    granboard: str = ""

    @model_validator(mode="after")
    def _named(self) -> SourceSection:
        if self.kind == "serial" and not self.serial.port:
            raise ValueError("kind is 'serial' but [source.serial] names no port")
        if self.kind == "camera" and not self.camera.devices:
            raise ValueError("kind is 'camera' but [source.camera] names no devices")
        return self


class BrokerSection(Section):
    """The MQTT broker: the embedded one, or one of the house."""

    url: str = Field("embedded", pattern=r"^(embedded|mqtts?://[^\s/@]+(:\d+)?/?)$")
    port: int = Field(1883, ge=0, le=65535)
    prefix: str = Field("scharten", pattern=r"^[a-z0-9_-]{1,32}$")
    club: str = Field("home", pattern=r"^[a-z0-9_-]{1,32}$")
    username: str = Field("host", pattern=r"^[A-Za-z0-9_-]{1,64}$")
    password_file: str = ""
    web_username: str = Field("web", pattern=r"^[A-Za-z0-9_-]{1,64}$")
    web_password_file: str = ""
    simulator_username: str = Field("simulator", pattern=r"^[A-Za-z0-9_-]{1,64}$")
    simulator_password_file: str = ""
    ca_file: str = ""
    discovery: bool = False


class WebSection(Section):
    """The page's server."""

    host: str = "127.0.0.1"
    port: int = Field(8765, ge=0, le=65535)
    origins: tuple[str, ...] = ()
    tls: bool = False
    tls_cert: str = ""
    tls_key: str = ""
    arbiter_without_tls: bool = False
    new_secrets_each_start: bool = False

    @field_validator("host")
    @classmethod
    def _address(cls, host: str) -> str:
        if host not in ("", "localhost"):
            try:
                ipaddress.ip_address(host)
            except ValueError as error:
                raise ValueError("an address such as 127.0.0.1, 192.168.1.20 or 0.0.0.0 (all)") from error
        return host

    @field_validator("origins")
    @classmethod
    def _page_addresses(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for one in origins:
            if not re.fullmatch(r"https?://[^\s/@?#]+", one):
                raise ValueError(f"{one!r}: write an address such as https://club.example, without a path")
        return origins


class JournalSection(Section):
    """Where games are kept."""

    path: str = "scharten.sqlite3"


class Config(Section):
    """The whole file."""

    board: BoardSection = BoardSection()
    game: GameSection = GameSection()
    source: SourceSection = SourceSection()
    broker: BrokerSection = BrokerSection()
    web: WebSection = WebSection()
    journal: JournalSection = JournalSection()
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @property
    def arming(self) -> Literal["announce", "auto"]:
        """`auto` for the simulated board unless the file says otherwise (contract.md)."""
        return self.game.arming or ("auto" if self.source.kind == "simulated" else "announce")

    @property
    def bounce_counts(self) -> bool:
        """An electronic contact counts although the dart fell; cameras must see it in the board."""
        return self.source.kind != "camera" if self.game.bounce_counts is None else self.game.bounce_counts


def parse(text: str, name: str = "the configuration") -> Config:
    """The configuration in a TOML text; `SchartenError` names each wrong key and the nearest known one."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also what is nested, or counted, without end
        raise SchartenError(f"{name} is not TOML: {error}", "Correct that line and start again.") from error
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        lines = [_words(detail) for detail in error.errors()]
        raise SchartenError(
            f"{name} cannot be used:\n" + "\n".join(f"  {line}" for line in lines),
            "Correct these keys; the README lists all of them.",
        ) from error


def load(path: Path | None) -> Config:
    """The configuration in a file, or the defaults when there is none."""
    if path is None:
        return Config()
    try:
        return parse(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise SchartenError(
            f"{path} cannot be read: {error}", "Give the right file with --config."
        ) from error


def _words(detail: ErrorDetails) -> str:
    place = [str(part) for part in detail["loc"] if not str(part).endswith("Lists")]
    key = ".".join(place) or "the file"
    if detail["type"] == "extra_forbidden":
        near = difflib.get_close_matches(place[-1], list(_known(place[:-1])), n=1, cutoff=0.4)
        return f"{key} is not a known key" + (
            f": did you mean {'.'.join([*place[:-1], near[0]])}?" if near else ""
        )
    given = detail.get("input")
    shown = f" (it says {given!r})" if isinstance(given, str | int | float | bool) else ""
    return f"{key}: {detail['msg'].removeprefix('Value error, ')}{shown}"


def _known(place: list[str]) -> Iterator[str]:
    model: Any = Config
    for part in place:
        fields: Mapping[str, Any] = getattr(model, "model_fields", {})
        model = _model(fields[part].annotation) if part in fields else None
    yield from getattr(model, "model_fields", {})


def _model(annotation: Any) -> Any:
    choices = get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else (annotation,)
    return next((one for one in choices if hasattr(one, "model_fields")), None)
