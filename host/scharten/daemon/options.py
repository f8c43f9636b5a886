"""The options of a daemon, and the referee's settings from the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scharten.config import Config
from scharten.games import GAMES_BY_KEY
from scharten.match.settings import MatchSettings


@dataclass(frozen=True, slots=True)
class DaemonOptions:
    """Configuration, data folder, address of the page, and the roles that need no secret.

    `open_roles` are open to all, `open_here` to browsers on this machine, which may be the only ones (`here_only`).
    `file`: the configuration file, which may be missing. `failed`: why the daemon could not start with the settings
    that a page saved last, by language.
    """

    config: Config
    folder: Path
    host: str
    port: int
    open_roles: tuple[str, ...] = ("table", "seat1", "seat2")
    open_here: tuple[str, ...] = ()
    here_only: bool = True
    new_journal: bool = False
    new_links: bool = False
    file: Path | None = None
    failed: Mapping[str, str] | None = None
    trace: Path | None = None


def settings_of(config: Config) -> MatchSettings:
    """Return the referee's settings: board, game and the options of each game."""
    options = {key: config.options(key).model_dump(mode="json", exclude_none=True) for key in GAMES_BY_KEY}
    board = config.board
    return MatchSettings(
        board=board.id,
        white_sits_at=board.white_sits_at,
        event=board.event or board.club,
        game=config.game_key,
        options=options,
    )
