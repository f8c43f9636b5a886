"""Whether this machine has been set up: by its page, or by a person with an editor."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Final

from scharten.config import JOURNAL
from scharten.errors import SchartenError
from scharten.journal.journal import JournalReader
from scharten.mqtt.secrets import write_private
from scharten.setup.config_file import ConfigFile

MARK: Final = "setup.json"
"""In the data folder: that somebody has finished, or skipped, the set-up."""
BY_HAND: Final = frozenset({"source", "board", "game", "broker", "?"})
"""Who has written one of these tables has set this machine up."""


def first_start(folder: Path, file: ConfigFile) -> bool:
    """Whether nobody has set this machine up yet: who has played here, on an earlier version too, needs no set-up."""
    return not ((folder / MARK).exists() or file.says() & BY_HAND or _played(folder / JOURNAL))


def _played(path: Path) -> bool:
    try:
        journal = JournalReader(path)
    except SchartenError:  # none yet, or one that the daemon tells of
        return False
    try:
        return journal.has_games()
    except SchartenError:
        return False
    finally:
        journal.close()


def set_up(folder: Path, how: str) -> None:
    """Remember that nobody needs to be sent to the set-up any more: it was `finished` or `skipped`."""
    try:
        write_private(folder / MARK, json.dumps({"v": 1, "how": how, "at_ms": int(time.time() * 1000)}))
    except OSError as error:
        raise SchartenError(f"{folder / MARK} cannot be written: {error.strerror}.", "Make room.") from error
