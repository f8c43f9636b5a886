"""The settings and parts that a page's server and its features are made from; quick to load, unlike the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel

from scharten.contract.topics import Topics
from scharten.dartboard.beds import Bed
from scharten.game.basics import Json
from scharten.mqtt.address import BrokerAddress
from scharten.players.book import PlayerBook
from scharten.system.newer import Newer

NamedPictures = Callable[[], Mapping[str, bytes]]
"""Returns each camera's last pictures by name (`camera 1`, `camera 1 overlay`), as JPEG or PNG."""


class ThrowPictures(Protocol):
    """The pictures of throws (`sensors.shown_throws.ShownThrows`); its answers may take their time."""

    def list(self, match: str) -> list[dict[str, Any]]:
        """Return the throws of a game, the newest first."""
        ...

    def about(self, at_ms: int) -> dict[str, Any] | None:
        """Return the analysis of the throw at this time."""
        ...

    def picture(self, at_ms: int, camera: int) -> bytes | None:
        """Return the board's plane as one camera saw it, as JPEG."""
        ...

    def packed(self, at_ms: int) -> bytes | None:
        """Return everything of a throw as one ZIP file."""
        ...

    def gift(self, at_ms: int, bed: Bed) -> bytes | None:
        """Return a throw as a gift to the project: only the board, and this bed as its truth."""
        ...


class RemoteControl(Protocol):
    """The host and the guest of a game between two boards (`remote.control.RemoteControl`)."""

    @property
    def throws(self) -> ThrowPictures:
        """The pictures that both boards sent each other."""
        ...

    def status(self) -> Mapping[str, Any]:
        """Return how the line to the other board is."""
        ...

    def request(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Do what a page asks, and answer; it may wait for the network."""
        ...


@dataclass(frozen=True, slots=True)
class Roles:
    """The roles of pages: `secrets` by role, roles that are `open` to all, and roles that need TLS.

    `open_here` are open to browsers on this machine only. A role in neither `secrets` nor `open` does not exist here;
    `display` always does.
    """

    secrets: Mapping[str, str | None] = field(default_factory=dict)
    open: Collection[str] = ()
    tls_only: Collection[str] = ()
    open_here: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class DaemonControl:
    """The part of the daemon that features use: `release` frees the board's port, `restart` starts the daemon again.

    `restart` takes a function that puts the configuration file back, called when the new settings do not start.
    `failed` is why the last restart did not work, by language, or None.
    """

    folder: Path
    file: Path
    config: BaseModel
    release: Callable[[], object]
    restart: Callable[[Callable[[], object]], object]
    failed: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class DaemonParts:
    """The parts that the daemon offers to features; a display without a daemon offers none.

    `pictures` gives each camera's last pictures by name, and `settings` what the daemon adds to the diagnostics.
    `prepare` starts the process of the `computer` or the `adviser` before it is needed; `engines` lists the chess
    engines that may play, and takes seconds the first time. `newer` looks for a newer version in files of this machine.
    """

    journal: Path | None = None
    players: PlayerBook | None = None
    pictures: NamedPictures = dict
    throws: ThrowPictures | None = None
    settings: Callable[[], Mapping[str, object]] = dict
    control: DaemonControl | None = None
    remote: RemoteControl | None = None
    prepare: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    engines: Callable[[], list[Json]] = list
    newer: Callable[[], Newer | None] = lambda: None


@dataclass(frozen=True, slots=True)
class Context:
    """The settings and parts of one board's page; `now_ms` is the clock of the board's states."""

    broker: BrokerAddress
    topics: Topics
    roles: Roles = field(default_factory=Roles)
    club: str = ""
    simulated: bool = False
    white_sits_at: int = 3
    follow_delay_s: int = 60
    now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    daemon: DaemonParts = field(default_factory=DaemonParts)
