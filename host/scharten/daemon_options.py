"""What a daemon is started with, and the settings that its referee gets from the configuration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from scharten.config import Config
from scharten.games import GAMES_BY_KEY
from scharten.match.settings import MatchSettings


@dataclass(frozen=True, slots=True)
class DaemonOptions:
    """What the daemon is started with: configuration, data folder, where the page is served and to whom it is open.

    `here_only` when nobody but this machine's users reaches it. `file` is the configuration's, there or not;
    `failed` says why the settings that a page wrote last did not start.
    """

    config: Config
    folder: Path
    host: str
    port: int
    open_roles: tuple[str, ...] = ("table", "seat1", "seat2")
    here_only: bool = True
    new_journal: bool = False
    new_links: bool = False
    file: Path | None = None
    failed: str = ""
    trace: Path | None = None


def settings_of(config: Config) -> MatchSettings:
    """The settings of the referee: board, game and the options of each game as configured."""
    options = {key: config.options(key).model_dump(mode="json", exclude_none=True) for key in GAMES_BY_KEY}
    board = config.board
    return MatchSettings(
        board=board.id,
        white_sits_at=board.white_sits_at,
        event=board.event or board.club,
        game=config.game_key,
        options=options,
    )
