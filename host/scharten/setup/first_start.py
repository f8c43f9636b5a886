"""Recognise a machine that needs the set-up: nobody has played on it or configured it."""

from __future__ import annotations

import json
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from scharten.config import JOURNAL
from scharten.errors import SchartenError
from scharten.journal.journal import JournalReader
from scharten.setup.config_file import ConfigFile
from scharten.system.secrets import write_private

MARK: Final = "setup.json"
"""The file in the data folder that marks a finished or skipped set-up."""
BY_HAND: Final = frozenset({"source", "board", "game", "broker", "?"})
"""A person who wrote one of these tables has set this machine up."""


def first_start(folder: Path, file: ConfigFile) -> bool:
    """Return whether this machine still needs the set-up: no game was played here, on earlier versions neither."""
    return not ((folder / MARK).exists() or file.top_keys() & BY_HAND or _played(folder / JOURNAL))


def _played(path: Path) -> bool:
    try:
        with closing(JournalReader(path)) as journal:
            return journal.has_games()
    except SchartenError:  # missing, or damaged, which the daemon reports
        return False


def set_up(folder: Path, how: str) -> None:
    """Remember that the set-up was `finished` or `skipped`."""
    try:
        write_private(folder / MARK, json.dumps({"v": 1, "how": how, "at_ms": int(time.time() * 1000)}))
    except OSError as error:
        raise SchartenError.coded("no_room", path=folder / MARK, why=error.strerror) from error
