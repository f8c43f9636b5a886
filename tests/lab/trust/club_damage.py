"""Damage to the files of a club before a start, and boards that publish nonsense during its evening."""

from __future__ import annotations

import json
import logging
import random
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from lab.trust.journal_damage import damages, happens
from lab.trust.rows import Fault, show_progress
from scharten.club.service import ClubService
from scharten.club.store import ClubStore
from scharten.contract.topics import Topics
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress
from scharten.store.files import parts_of
from scharten.tournament.entries import ENTRIES
from scharten.tournament.model import Club

NAME = "club.sqlite3"
MEMBERS = 60
VALUES: tuple[Any, ...] = (
    None, "", "abc", -1, 2**70, 1.5, True, [], ["white"], {}, {"seat1": {}}, "\x00", "x" * 5000, [[[]]], "9" * 400,
)  # fmt: skip
KEYS = (
    "match", "seq", "phase", "seats", "players", "names", "started_ms", "turns", "result", "reason", "start",
    "playable", "id", "accepted",
)  # fmt: skip
TOPICS = ("state", "health", "availability", "finished/0", "finished/7", "answer/organiser", "sheet")


def _take(store: ClubStore, **fields: object) -> None:
    assert store.take(ENTRIES.validate_python(fields), 1000) is None


def _evening(store: ClubStore) -> None:
    """A club evening: members, a season, and all members present."""
    for number in range(MEMBERS):
        _take(store, type="member", key=f"p{number}", name=f"Player {number}")
    _take(store, type="season", name="Season", options={})
    _take(store, type="evening", date="2026-11-20")


def killed_club(folder: Path) -> Club:
    """Write the club's files as a kill leaves them, half of the entries only in the log; return the club's state."""
    made = folder / "made" / NAME
    with closing(ClubStore(made)) as store:
        _evening(store)
    store = ClubStore(made)
    for number in range(MEMBERS):
        _take(store, type="presence", key=f"p{number}", said="here")
    (folder / "kept").mkdir()
    for part in parts_of(made):
        shutil.copy(part, folder / "kept" / part.name)
    store.close()
    return store.club


def _started(path: Path, sound: Club) -> str:
    try:
        with _Log(), closing(ClubStore(path)) as store:
            if store.trouble:
                return "recovered" if store.club == sound else "reported"
            return "sound" if store.club == sound else "silent"
    except SchartenError as error:
        return "refused" if error.message and error.cure else "silent"


def damaged(folder: Path, many: int, seed: int = 0) -> Fault:
    """Damage the club's file this many times. A start with another club and without a message counts as lost."""
    folder.mkdir(parents=True, exist_ok=True)
    sound = killed_club(folder)
    return judged_damages("club", NAME, lambda path: _started(path, sound), folder, many, seed)


def judged_damages(
    whose: str, name: str, started: Callable[[Path], str], folder: Path, many: int, seed: int
) -> Fault:
    """Damage a file this many times, and count the results of its starts; `silent` is harm."""
    came: Counter[str] = Counter()
    for damage in damages(folder, many, seed, name):
        what = started(happens(damage, folder, name))
        came[what] += 1
        if what == "silent":
            show_progress(f"silent: {damage}")
    shown = ", ".join(f"{came[item]:,} {item}" for item in ("sound", "recovered", "reported", "refused"))
    harm = came["silent"]
    what = f"{whose}'s file: flips, cuts, zeroes, missing files"
    return Fault(what, many, many - harm, lost=harm, figure=shown)


def hostile_boards(folder: Path, many: int, seed: int = 0) -> Fault:
    """Send this many random messages of hostile boards. After each, an honest board's result must be entered."""
    folder.mkdir(parents=True, exist_ok=True)
    chance, lost, logged = random.Random(seed), 0, _Log()
    with closing(ClubStore(folder / NAME)) as store, logged:
        _evening(store)
        service = ClubService(store, BrokerAddress("127.0.0.1", 1), Topics("s", "h", "c"), lambda: None)
        for number in (0, 1):
            _take(store, type="presence", key=f"p{number}", said="here")
        _say(service, "honest/availability", "online")
        _say(service, "honest/state", {"phase": "setup", "match": "", "seq": 1})
        assert service.pair(1) is None
        (pairing,) = _round(service)
        players = {"seat1": pairing.white, "seat2": pairing.black}
        game = {"match": "m1", "seats": {"seat1": "white", "seat2": "black"}, "players": players, "turns": 3}
        _take(store, type="begin", number=1, table=1, match="m1")
        for number in range(many):
            board = chance.choice(("hostile", f"board{chance.randrange(500)}"))
            _say(service, f"{board}/{chance.choice(TOPICS)}", _nonsense(chance))
            result = ("1-0", "0-1")[number % 2]
            state = {
                **game,
                "phase": "finished",
                "seq": number + 2,
                "result": result,
                "reason": "resignation",
            }
            _say(service, "honest/state", state)
            lost += _round(service)[0].result != result
    figure = f"{logged.bytes / 1000:.0f} kB of log"
    return Fault(
        "club: messages of hostile boards in an evening", many, many - lost, lost=lost, figure=figure
    )


def _nonsense(chance: random.Random) -> object:
    if chance.random() < 0.2:
        return chance.choice(VALUES)
    return {key: chance.choice(VALUES) for key in chance.sample(KEYS, chance.randint(1, 6))}


def _say(service: ClubService, topic: str, payload: object) -> None:
    service._deliver(topic, json.dumps(payload))


def _round(service: ClubService) -> tuple[Any, ...]:
    assert service.club.season is not None
    return tuple(service.club.season.rounds[-1].pairings)


class _Log:
    """Count the service's log records without showing them."""

    def __init__(self) -> None:
        self.bytes = 0

    def __enter__(self) -> _Log:
        self._logger = logging.getLogger("scharten.club")
        self._handler = logging.Handler()
        self._handler.emit = self._count  # type: ignore[method-assign]
        self._logger.addHandler(self._handler)
        self._logger.propagate = False
        return self

    def __exit__(self, *_: object) -> None:
        self._logger.removeHandler(self._handler)
        self._logger.propagate = True

    def _count(self, record: Any) -> None:
        self.bytes += len(record.getMessage())
