"""`[homes]` of the configuration: Home Assistant, lamps, webhooks and their secrets; nothing here needs a network."""

from __future__ import annotations

import base64
import binascii
import ipaddress
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, StrictBool, field_validator, model_validator

from scharten.errors import SchartenError
from scharten.homes.happenings import HomeEvent
from scharten.system.secrets import read_password

TopicName = Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,32}$")]
"""A part of an MQTT topic."""
Preset = Annotated[int, Field(ge=1, le=250)]
MOST = 8
"""The most lamps, and the most webhooks."""


class _Table(BaseModel):
    """Frozen, and closed to unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class LampSettings(_Table):
    """A WLED lamp: the preset for each happening, and the one it returns to after `hold_s`.

    `fade_s` is how long its light changes after a preset is called; the cameras wait for this time.
    """

    name: TopicName
    url: str
    idle: Preset
    presets: dict[HomeEvent, Preset] = Field(min_length=1)
    hold_s: float = Field(5.0, ge=0.5, le=600)
    fade_s: float = Field(1.0, ge=0, le=9)

    @field_validator("url")
    @classmethod
    def _lamp(cls, url: str) -> str:
        """Allow only addresses in this network, over plain HTTP, which is all that WLED speaks."""
        host = _host(url, ("http",))
        if urlsplit(url).path.strip("/") or urlsplit(url).query:
            raise ValueError("use the lamp's address alone, such as http://192.168.1.50")
        if is_public(host):
            raise ValueError("a lamp's address must be of the own network, such as 192.168.1.50")
        return url.rstrip("/")


class WebhookSettings(_Table):
    """A receiver of `events`; the secret that signs them is in a file that only its owner may read."""

    name: TopicName
    url: str
    secret_file: str = Field(min_length=1)
    events: tuple[HomeEvent, ...] = Field(tuple(HomeEvent), min_length=1)

    @field_validator("url")
    @classmethod
    def _receiver(cls, url: str) -> str:
        host = _host(url, ("http", "https"))
        if urlsplit(url).scheme == "http" and is_public(host):
            raise ValueError("use https: over plain http only addresses of the own network are posted to")
        return url


class HomesSection(_Table):
    """The homes that a board is part of."""

    home_assistant: StrictBool = False
    buttons: Literal["", "seat1", "seat2"] = ""
    lamps: tuple[LampSettings, ...] = Field((), max_length=MOST)
    webhooks: tuple[WebhookSettings, ...] = Field((), max_length=MOST)

    @model_validator(mode="after")
    def _pressed_by_somebody(self) -> HomesSection:
        if self.buttons and not self.home_assistant:
            raise ValueError("buttons are Home Assistant's: set home_assistant = true too")
        return self

    @field_validator("lamps", "webhooks")
    @classmethod
    def _unique_names(cls, entries: tuple[LampSettings, ...]) -> tuple[LampSettings, ...]:
        names = [entry.name for entry in entries]
        if len(set(names)) < len(names):
            raise ValueError("each needs a name of its own")
        return entries


def is_public(address: str) -> bool:
    """Return whether the address is outside the own network; names are checked when they are resolved."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = getattr(found, "ipv4_mapped", None)
    return not (mapped or found).is_private


def _host(url: str, schemes: tuple[str, ...]) -> str:
    parts = urlsplit(url)
    try:
        known = parts.scheme in schemes and parts.port != 0
    except ValueError:
        known = False
    if not known or not parts.hostname or parts.username or parts.fragment or len(url) > 500:
        raise ValueError(f"use an address such as {schemes[-1]}://192.168.1.50, without user and password")
    return parts.hostname


def read_secret(path: Path) -> bytes:
    """Read the key: `whsec_` and base64 on the first line; `SchartenError` when it is short or readable by others."""
    text = read_password(path)
    try:
        key = base64.b64decode(text.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) < 24:
        raise SchartenError.coded("webhook_secret", path=path)
    return key


def read_keys(settings: HomesSection, folder: Path) -> dict[str, bytes]:
    """Return each webhook's secret by its name, from files in the data folder; `SchartenError` if one fails."""
    return {webhook.name: read_secret(folder / webhook.secret_file) for webhook in settings.webhooks}
