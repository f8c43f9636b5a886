"""Damage to the files of an archive before a start."""

from __future__ import annotations

import json
import logging
import shutil
from contextlib import closing
from pathlib import Path

from archive.played import RESIGNED, play, records
from lab.trust.club_damage import judged_damages
from lab.trust.rows import Fault
from scharten.archive.store import ArchiveStore, GameQuery
from scharten.errors import Problem, SchartenError
from scharten.journal.records import read_record
from scharten.store.files import parts_of

NAME = "archive.sqlite3"
GAMES = 24
POSITION = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"


def killed_archive(folder: Path) -> str:
    """Write an archive as a kill leaves it, half of the games only in the log; return its content."""
    record = read_record(records(play(folder / "board", *RESIGNED))[0])
    assert not isinstance(record, Problem)
    made = folder / "made" / NAME
    made.parent.mkdir()
    with closing(ArchiveStore(f"sqlite:///{made}")) as store:
        for number in range(GAMES // 2):
            assert store.take("haarlem", f"board{number}", record) is True
        assert store.forget("haarlem", ["key1"]) == GAMES // 2
    store = ArchiveStore(f"sqlite:///{made}")
    for number in range(GAMES // 2, GAMES):
        assert store.take("leiden", f"board{number}", record) is True
    (folder / "kept").mkdir()
    for part in parts_of(made):
        shutil.copy(part, folder / "kept" / part.name)
    sound = content(store)
    store.close()
    return sound


def content(store: ArchiveStore) -> str:
    """Return every game as the pages show it, with each position, and a search by position."""
    games = [store.game(str(found["match"])) for found in store.search()]
    return json.dumps([store.search(), games, len(store.search(GameQuery(position=POSITION)))])


def _started(path: Path, sound: str) -> str:
    try:
        with closing(ArchiveStore(f"sqlite:///{path}")) as store:
            equal = content(store) == sound and store.forget("haarlem", ["key1"]) == 0
            if store.trouble:
                return "recovered" if equal else "reported"
            return "sound" if equal else "silent"
    except SchartenError as error:
        return "refused" if error.message and error.cure else "silent"


def damaged(folder: Path, many: int, seed: int = 0) -> Fault:
    """Damage the archive's file this many times. A start with other games and without a message counts as lost."""
    folder.mkdir(parents=True, exist_ok=True)
    logging.getLogger("scharten.archive").setLevel(logging.ERROR)
    sound = killed_archive(folder)
    return judged_damages("archive", NAME, lambda path: _started(path, sound), folder, many, seed)
